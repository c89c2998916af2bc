"""Floating-point values: the balls' values where both have one, and labels that the balls would give."""

from random import Random

import numpy as np
import pytest

from reproduction.commands.showcase import DEV
from reproduction.data.axioms import read_axioms, read_textbook
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, examine
from reproduction.language.expression import apply
from reproduction.language.grammar import UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.showcase.building import IDENTITIES
from reproduction.showcase.values import FALSE, OPEN, POINTS, TRUE, evaluate, labels, signatures

LEAVES = tuple(map(parse_expression, ("x", "y", "2", "-2", "1/2", "pi", "-x", "sqrt(x)", "x^2", "1/x")))


def test_values_are_those_of_the_balls():
    """Of one function everywhere, on the branch cuts, too; rounding may put a nested one on a cut's other edge."""
    expressions = [apply(function.name, leaf) for function in UNARY for leaf in LEAVES]
    values, _ = evaluate(expressions)
    valuation = Valuation()
    for expression, row in zip(expressions, values, strict=True):
        for point in range(POINTS):
            ball = valuation.value(expression, point)
            if not isinstance(ball, str) and np.isfinite(row[point]):
                exact = complex(ball.real.mid(), ball.imag.mid())
                assert row[point] == pytest.approx(exact, rel=1e-6, abs=1e-9), (expression, point)


def test_every_listed_identity_is_true_for_both():
    listed = [axiom.equation for axiom in read_axioms(IDENTITIES)]
    assert len(listed) > 700
    assert labels(listed).tolist() == [TRUE] * len(listed)
    valuation = Valuation()
    drawn = Random(0).sample(listed, 150)
    assert {examine(equation, valuation).outcome for equation in drawn} == {AGREES}


def test_the_dev_list_is_as_it_says():
    listed = read_textbook(DEV)
    assert labels([each.equation for each in listed]).tolist() == [each.label for each in listed]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("sqrt(x^2) = x", FALSE),  # half of the points say so
        ("sqrt(x)^2 = x", TRUE),
        ("asin(sin(x)) = x", FALSE),
        ("cot(1/2 * pi) = 0", TRUE),
        ("sin(pi) = 0", TRUE),
        ("2 + 2 = 5", FALSE),
        ("1 / 0 = 1 / 0", OPEN),
        ("tan(1/2 * pi) = 1", OPEN),
        ("x / (x - x) = 1", OPEN),
        ("exp(exp(10)) = exp(exp(10))", OPEN),  # too large
    ],
)
def test_labels(text, label):
    assert labels([parse_equation(text)]).tolist() == [label]


def test_equal_values_have_equal_signatures():
    same, twin, other, undefined = signatures(
        list(map(parse_expression, ("sin(x)^2", "1 - cos(x)^2", "sin(x)", "1 / (x - x)")))
    )
    assert same == twin != other
    assert undefined == b""
