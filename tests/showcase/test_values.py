"""Floating-point values are the balls' and label as they would; variations stay true, and mistakes mostly do not."""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from reproduction.artifacts import fingerprint
from reproduction.commands.train import DEV
from reproduction.data.axioms import read_axioms, read_textbook
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, examine
from reproduction.language.expression import Equation, apply
from reproduction.language.grammar import UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation, print_expression
from reproduction.showcase import mistakes
from reproduction.showcase.building import IDENTITIES, identities
from reproduction.showcase.mistakes import MISTAKES, mistaken
from reproduction.showcase.school import Sums, algebraic, numeral
from reproduction.showcase.values import FALSE, OPEN, POINTS, TRUE, evaluate, labels, signatures
from reproduction.showcase.variation import Rules, as_fraction, fits, respelled, varied

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
        ("sqrt((x + 5)^2) = x + 5", OPEN),  # one point alone is no proof
        ("sqrt((x + 1)^2) = x + 1", FALSE),
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


SPELLED = ("x - 2*y + 3", "1/x", "-x*y/2", "(x + y)/(2*z)", "1/x^2", "2*sin(x)*cos(x)", "-(x + 1)^2", "x/2/y - 1/2")


@pytest.fixture(scope="module")
def rules():
    return Rules(identities())


@pytest.mark.parametrize("text", SPELLED)
def test_other_spellings_have_the_same_value(text):
    expression, random = parse_expression(text), Random(text)
    spelled = {respelled(expression, random) for _ in range(40)}
    assert len(spelled) > 1
    assert set(labels([Equation(expression, other) for other in spelled]).tolist()) == {TRUE}


def test_a_product_is_taken_apart():
    negative, *factors = as_fraction(parse_expression("-2*x/(3*y)"))
    assert negative
    assert [[print_expression(each) for each in part] for part in factors] == [["2", "x"], ["3", "y"]]


def test_variations_stay_true(rules):
    random = Random(0)
    listed = identities()
    made = [equation for _ in range(1500) if fits(equation := varied(random.choice(listed)[0], random, rules))]
    counts = Counter(labels(made).tolist())
    assert len(set(made)) > 1200
    assert counts[TRUE] > 0.97 * len(made)
    assert counts[FALSE] <= 2  # rounding beside a branch cut


def test_mistakes_are_mostly_false_and_of_every_kind(rules):
    random = Random(0)
    listed = identities()
    made = [found for _ in range(1500) if (found := mistaken(random.choice(listed)[0], random))]
    assert {name for _, name in made} == {mistake.__name__.replace("_", " ") for mistake in MISTAKES}
    assert Counter(labels([equation for equation, _ in made]).tolist())[FALSE] > 0.85 * len(made)


@pytest.mark.parametrize(
    ("mistake", "before", "after"),
    [
        (mistakes.other_scope, "sin(x + y)", {"sin(x) + sin(y)"}),
        (mistakes.other_scope, "sin(2 * x)", {"2 * sin(x)"}),
        (mistakes.other_scope, "2 * sin(x)", {"sin(2 * x)"}),
        (mistakes.other_scope, "(x + y)^2", {"x^2 + y^2"}),
        (mistakes.other_scope, "sin(x)^2", {"sin(x^2)"}),
        (mistakes.without_part, "x + y + z", {"x + y", "x + z", "y + z"}),
        (mistakes.upside_down, "x / y", {"y / x"}),
        (mistakes.other_variable, "x", {"y"}),
        (mistakes.other_constant, "12", {"11", "13", "10", "14", "24", "6", "22", "2"}),
    ],
)
def test_single_mistakes(mistake, before, after):
    random, expression = Random(0), parse_expression(before)
    made = {print_expression(other) for _ in range(80) if (other := mistake(expression, random)) is not None}
    assert made == after


def test_sums_of_numbers_are_true_and_as_typed():
    sums = Sums(Random(0))
    made = [sums.draw() for _ in range(400)]
    assert set(labels(made).tolist()) == {TRUE}
    typed = ("-1/2", "1/2", "3/4", "-3/4", "15", "0", "10")
    assert [numeral(Fraction(text)) for text in typed] == list(map(parse_expression, typed))


def test_school_algebra_is_true_in_all_of_its_forms():
    random = Random(0)
    made = [algebraic(random) for _ in range(2500)]
    assert Counter(labels(made).tolist())[FALSE] == 0
    text = "\n".join(map(print_equation, made))
    assert fingerprint(text.encode()) == "4e504fdfe59639f6", "the committed network's data are made of these"
