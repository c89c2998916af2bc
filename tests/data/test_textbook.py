"""The textbook list: what it holds is true or false as it says, by the numeric judge and by mpmath on its own."""

import random
from collections import Counter
from pathlib import Path

import mpmath
import pytest
from support import by_mpmath

import reproduction
from reproduction.data.axioms import LABELS, NO_FAMILY, read_textbook
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, examine
from reproduction.language.grammar import ADD, MULTIPLY, POWER, UNARY

POINTS = 8


@pytest.fixture(scope="module")
def textbook():
    return read_textbook()


def labelled(textbook, label):
    return [record for record in textbook if record.label == label]


def random_points(equation):
    """Points of all signs, small and large."""
    names, draw = equation.variables(), random.Random(" ".join(equation.variables()))
    for _ in range(POINTS if names else 1):
        yield {name: draw.choice((1, -1)) * draw.uniform(0, draw.choice((1, 6))) for name in names}


def test_it_has_hundreds_of_both_kinds_on_every_topic(textbook):
    counts = Counter(record.label for record in textbook)
    assert min(counts[1], counts[0]) >= 320
    identities, near_misses = ({record.topic for record in labelled(textbook, label)} for label in (1, 0))
    assert identities == near_misses


def test_it_uses_every_function(textbook):
    used = {function for record in labelled(textbook, 1) for function in record.equation.functions()}
    assert used == {function.name for function in UNARY} | {ADD, MULTIPLY, POWER}


def test_the_numeric_judge_agrees_with_every_label(textbook):
    valuation = Valuation()
    wanted = {1: AGREES, 0: DIFFERS}
    assert [r.text for r in textbook if examine(r.equation, valuation).outcome != wanted[r.label]] == []


def test_identities_hold_by_mpmath_at_random_points(textbook):
    with mpmath.workdps(30):
        broken = [
            (record.text, point)
            for record in labelled(textbook, 1)
            for point in random_points(record.equation)
            if by_mpmath.agree(record.equation, point, 15) is False
        ]
    assert broken == []


@pytest.mark.parametrize(
    "room", ["data/generator.py", "data/steps.py", "data/recipes.py", "commands/data.py", "networks", "training"]
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


def test_bad_lists_are_refused_with_their_place(tmp_path):
    for identities, near_misses, message in (
        ("[a]\nx + = x\n", "[a]\nx = y\n", "identities.txt, line 2, column 5"),
        ("[a]\nx + 0 = x\nt = t + 0\n", "[a]\nx = y\n", "identities.txt, line 3: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\na + 0 = a\n", "near-misses.txt, line 2: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\n", "near-misses.txt, line 1, column 1: no equation"),
    ):
        with pytest.raises(InputError, match=message):
            read_textbook(write_lists(tmp_path, identities, near_misses))


def test_every_equation_has_a_topic_and_two_different_sides(textbook):
    assert all(record.topic != NO_FAMILY and record.equation.left is not record.equation.right for record in textbook)
