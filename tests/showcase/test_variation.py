"""Spellings and variations keep an equation true; mistakes mostly do not, and change one thing."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from reproduction.language.expression import Equation
from reproduction.language.parsing import parse_expression
from reproduction.language.printing import print_expression
from reproduction.showcase import mistakes
from reproduction.showcase.building import identities
from reproduction.showcase.mistakes import MISTAKES, mistaken
from reproduction.showcase.school import Sums, numeral
from reproduction.showcase.values import FALSE, TRUE, labels
from reproduction.showcase.variation import Rules, as_fraction, fits, respelled, varied

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
    fraction = as_fraction(parse_expression("-2*x/(3*y)"))
    assert fraction.negative
    assert list(map(print_expression, fraction.above)) == ["2", "x"]
    assert list(map(print_expression, fraction.below)) == ["3", "y"]


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
