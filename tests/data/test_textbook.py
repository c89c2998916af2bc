"""The textbook list: what it holds is true or false as it says, by the numeric judge and by mpmath on its own."""

import dataclasses
import random
from collections import Counter
from pathlib import Path

import mpmath
import pytest

import reproduction
from reproduction.data.axioms import LABELS, read_textbook
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, examine
from reproduction.language.expression import FUNCTION, VARIABLE
from reproduction.language.grammar import ADD, MULTIPLY, POWER, UNARY

POINTS = 8
OPERATORS = {ADD: lambda a, b: a + b, MULTIPLY: lambda a, b: a * b, POWER: lambda a, b: a**b}


@pytest.fixture(scope="module")
def textbook():
    return read_textbook()


def labelled(textbook, label):
    return [record for record in textbook if record.label == label]


def mpmath_value(expression, point):
    """The value at a point, by mpmath alone."""
    if expression.kind == FUNCTION:
        arguments = [mpmath_value(child, point) for child in expression.children]
        return (OPERATORS.get(expression.symbol) or getattr(mpmath, expression.symbol))(*arguments)
    if expression.kind == VARIABLE:
        return point[expression.symbol]
    exact = expression.value
    return +mpmath.pi if exact is None else mpmath.mpf(exact.numerator) / exact.denominator


def random_points(equation, count):
    """Points of all signs, small and large."""
    draw = random.Random(" ".join(equation.variables()))
    for _ in range(count if equation.variables() else 1):
        yield {
            name: mpmath.mpf(draw.choice((1, -1)) * draw.uniform(0, draw.choice((1, 6))))
            for name in equation.variables()
        }


def agrees(equation, point):
    left, right = (mpmath_value(side, point) for side in equation)
    return abs(left - right) <= mpmath.mpf(10) ** -15 * (1 + abs(left))


def test_it_has_hundreds_of_both_kinds_on_every_topic(textbook):
    counts = Counter(record.label for record in textbook)
    assert min(counts[1], counts[0]) >= 320
    identities, near_misses = ({record.topic for record in labelled(textbook, label)} for label in (1, 0))
    assert identities == near_misses


def test_it_uses_every_function(textbook):
    used = {function for record in labelled(textbook, 1) for function in record.equation.functions()}
    assert used == {function.name for function in UNARY} | set(OPERATORS)


def test_the_numeric_judge_agrees_with_every_label(textbook):
    valuation = Valuation()
    wanted = {1: AGREES, 0: DIFFERS}
    assert [r.text for r in textbook if examine(r.equation, valuation).outcome != wanted[r.label]] == []


def test_identities_hold_by_mpmath_at_random_points(textbook):
    with mpmath.workdps(30):
        broken = [
            (record.text, point)
            for record in labelled(textbook, 1)
            for point in random_points(record.equation, POINTS)
            if not agrees(record.equation, point)
        ]
    assert broken == []


@pytest.mark.parametrize(
    "room", ["data/generator.py", "data/steps.py", "data/recipes.py", "commands/generate.py", "networks", "training"]
)
def test_nothing_that_makes_data_or_trains_reads_it(room):
    place = Path(reproduction.__file__).parent / room
    sources = [place] if place.is_file() else list(place.rglob("*.py"))
    assert sources
    assert [path.name for path in sources if "textbook" in path.read_text("utf-8")] == []


def write_lists(directory, identities, near_misses):
    for name, text in zip(LABELS, (identities, near_misses), strict=True):
        (directory / name).write_text(text, "utf-8")
    return directory


def test_a_record_says_what_it_is_and_cannot_be_changed(tmp_path):
    directory = write_lists(tmp_path, "# a comment\n[sums]\n x + 0 = x  # so it is\n", "[sums]\nx + 1 = x\n")
    true, false = read_textbook(directory)
    assert (true.text, true.label, true.topic) == ("x + 0 = x", 1, "sums")
    assert (false.text, false.label, false.topic) == ("x + 1 = x", 0, "sums")
    with pytest.raises(dataclasses.FrozenInstanceError):
        true.label = 0


@pytest.mark.parametrize(
    ("identities", "near_misses", "message"),
    [
        ("[a]\nx + = x\n", "[a]\nx = y\n", "identities.txt, line 2, column 5"),
        ("[a]\nx + 0 = x\n", "[a]\n\nx = y = z\n", "near-misses.txt, line 3, column 7"),
        ("[a\nx + 0 = x\n", "[a]\nx = y\n", "identities.txt, line 1, column 1"),
        ("x + 0 = x\n", "[a]\nx = y\n", "identities.txt, line 1: the equation has no topic"),
        ("[a]\nx = x\n", "[a]\nx = y\n", "identities.txt, line 2: both sides are the same"),
        ("[a]\nx + 0 = x\nt = t + 0\n", "[a]\nx = y\n", "identities.txt, line 3: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\na + 0 = a\n", "near-misses.txt, line 2: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\n", "near-misses.txt, line 1, column 1: no equation"),
    ],
)
def test_bad_lines_are_refused_with_their_place(tmp_path, identities, near_misses, message):
    with pytest.raises(InputError, match=message):
        read_textbook(write_lists(tmp_path, identities, near_misses))


def test_a_missing_list_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"identities\.txt"):
        read_textbook(tmp_path)
