"""Blanks, candidates, and the truth of what they complete."""

import zlib
from random import Random

import numpy as np
import pytest

from reproduction.completion.candidates import (
    MARK,
    Blank,
    numeric_blanks,
    numeric_candidates,
    parse_blank,
    subtree_counts,
    symbolic_blanks,
    symbolic_candidates,
)
from reproduction.completion.truth import OUTCOMES, CandidateJudge, judge_blanks
from reproduction.data.dataset import Record
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, UNDEFINED, examine
from reproduction.language.grammar import CONSTANTS, TABLE_1_FUNCTIONS
from reproduction.language.parsing import ParseError, parse_equation, parse_expression

FUNCTIONS = TABLE_1_FUNCTIONS

EQUATIONS = (
    "4^tanh(0) = 1^x",
    "sin(x)^2 + cos(x)^2 = 1",
    "x * 0 = y * 0",
    "acot(x) = atan(1 / x)",
    "sqrt(x^2) * (y + 1) = sqrt(x^2) * y + sqrt(x^2)",
    "0^1 = 0^exp(0)",
    "exp(exp(exp(10))) = exp(exp(exp(10)))",
    "exp(exp(exp(exp(x)))) = exp(exp(exp(exp(x))))",
    "tan(pi * (1/2))^0 = 1",
    "10^10 = (10^2)^(4 + 1)",
    "log(x) = log(x)",
)


def record(text, kind="symbolic", label=1, identifier="s1"):
    equation = parse_equation(text, ("log", "atan2"))
    return Record(identifier, equation, label, kind, equation.depth, "test")


def blank_at(text, path):
    return Blank(parse_equation(text, ("log",)), path)


def test_the_candidates_are_all_expressions_of_height_0_and_1():
    for variables in ((), ("x",), ("x", "y", "z")):
        leaves = len(CONSTANTS) + len(variables)
        candidates = symbolic_candidates(variables, FUNCTIONS)
        assert len(candidates) == len(set(candidates)) == leaves + 25 * leaves + 3 * leaves**2
        assert {candidate.height for candidate in candidates} == {0, 1}
    assert len(symbolic_candidates((), FUNCTIONS)) == 1577
    assert parse_expression("y^z") in symbolic_candidates(("x", "y", "z"), FUNCTIONS)


def test_a_blank_is_a_node_of_height_0_or_1_and_the_same_every_time():
    records = [record("sin(x)^2 + cos(x)^2 = 1", identifier=f"s{index}") for index in range(200)]
    blanks = symbolic_blanks(records)
    assert blanks == symbolic_blanks(reversed(records))
    paths = {blank.path for blank in blanks.values()}
    fitting = {path for path, node in records[0].equation.positions() if node.height <= 1}
    assert paths == fitting, "every node that fits is drawn, no other"
    assert all(blank.removed in symbolic_candidates(blank.variables, FUNCTIONS) for blank in blanks.values())
    pinned = ("sin(x)^2 + □^2 = 1", "sin(x)^2 + cos(□)^2 = 1", "sin(x)^2 + cos(x)^2 = □")
    assert tuple(blanks[f"s{index}"].text for index in range(3)) == pinned, "published results are of these"


def test_blanks_are_put_in_correct_symbolic_equations_only():
    records = [
        record("x = x", identifier="right"),
        record("x = 1", identifier="wrong", label=0),
        record("cos(2.18) = -0.57", kind="evaluation", identifier="number"),
    ]
    assert list(symbolic_blanks(records)) == ["right"]
    assert list(numeric_blanks(records)) == ["number"]


def test_a_numeric_blank_is_a_number_that_the_function_is_given():
    records = [record("-0.39 + 2.36 = 1.97", kind="evaluation", identifier=f"n{index}") for index in range(50)]
    assert {blank.text for blank in numeric_blanks(records).values()} == {
        f"-{MARK} + 2.36 = 1.97",
        f"-0.39 + {MARK} = 1.97",
    }
    mirrored = numeric_blanks([record("-0.57 = cos(-2.18)", kind="evaluation", identifier="n")])["n"]
    assert mirrored.text == f"-0.57 = cos(-{MARK})"
    assert [float(each.symbol) for each in numeric_candidates()] == [cents / 100 for cents in range(315)]


def test_a_blank_knows_its_surroundings():
    blank, deep, side = (blank_at("4^tanh(0) = 1^x", path) for path in ((1, 0), (0, 1, 0), (1,)))
    assert blank.text == "4^tanh(0) = □^x" and r"\blacksquare ^{x}" in blank.latex
    assert blank.removed is parse_expression("1")
    assert blank.filled(parse_expression("7^0")) == parse_equation("4^tanh(0) = (7^0)^x")
    assert blank.ancestors == (("^", 0, (parse_expression("x"),)),)
    assert deep.ancestors == (("tanh", 0, ()), ("^", 1, (parse_expression("4"),))) and deep.level == 3
    assert side.ancestors == ()


@pytest.mark.parametrize("text", EQUATIONS)
def test_outcomes_are_those_of_the_judge_on_every_completed_equation(text):
    """The fast judge against the slow one: a sample of candidates at every possible blank."""
    functions = (*FUNCTIONS, "log")
    equation = parse_equation(text, ("log",))
    judge, valuation, random = CandidateJudge(functions), Valuation(), Random(text)
    for path, node in equation.positions():
        blank = Blank(equation, path)
        candidates = symbolic_candidates(blank.variables, functions)
        outcomes = judge.outcomes(blank)
        assert len(outcomes) == len(candidates)
        some = random.sample(range(len(candidates)), 60)
        some += [candidates.index(node)] if node.height <= 1 else []
        for index in some:
            expected = examine(blank.filled(candidates[index]), valuation).outcome
            assert OUTCOMES[outcomes[index]] == expected, blank.filled(candidates[index])


@pytest.mark.parametrize(
    ("blank", "texts", "expected"),
    [
        (("4^tanh(0) = 1^x", (1, 0)), ("1", "7^0", "(-2)^0", "2 * (1/2)", "x^0", "1^x"), AGREES),
        (("4^tanh(0) = 1^x", (1, 0)), ("2", "0", "x", "sin(x)"), DIFFERS),
        (("4^tanh(0) = 1^x", (1, 0)), ("0^0",), UNDEFINED),
        (("0 * 2 = 0", (0, 1)), ("2", "7", "sin(1)"), AGREES),
        (("0 * 2 = 0", (0, 1)), ("0^(-1)",), UNDEFINED),
    ],
)
def test_truth_is_not_what_was_removed_but_what_holds(blank, texts, expected):
    blank = blank_at(*blank)
    candidates = symbolic_candidates(blank.variables, FUNCTIONS)
    outcome = dict(zip(candidates, CandidateJudge(FUNCTIONS).outcomes(blank), strict=True))
    assert {OUTCOMES[outcome[parse_expression(text)]] for text in texts} == {expected}


def test_outcomes_are_kept_on_disk_and_a_damaged_file_is_made_again(tmp_path):
    blanks = [blank_at("4^tanh(0) = 1^x", (1, 0)), blank_at("x * 0 = y * 0", (0, 0))]
    watched = []

    def watch(waiting):
        watched.extend(waiting)
        return waiting

    first = judge_blanks(blanks, FUNCTIONS, tmp_path, watch)
    (path,) = tmp_path.iterdir()
    again = judge_blanks(blanks, FUNCTIONS, tmp_path, watch)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert watched == blanks  # once
    for damage in (b"junk", zlib.compress(b"short"), path.read_bytes()[:-3]):
        path.write_bytes(damage)
        assert all(np.array_equal(a, b) for a, b in zip(first, judge_blanks(blanks, FUNCTIONS, tmp_path), strict=True))
    judge_blanks(blanks[:1], FUNCTIONS, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2, "other blanks, another file"


def test_subtrees_are_counted_in_correct_equations():
    counts = subtree_counts([record("x + 0 = x"), record("x = 7", label=0), record("sin(x + 0) = sin(x)")])
    assert counts[parse_expression("x")] == 4
    assert counts[parse_expression("x + 0")] == 2
    assert counts[parse_expression("7")] == counts[parse_expression("sin(x + 0)")] == 0


@pytest.mark.parametrize(
    ("typed", "path", "shown"),
    [
        ("4^tanh(0) = ?^x", (1, 0), "4^tanh(0) = □^x"), ("cos(-□) = -0.57", (0, 0, 1), "cos(-□) = -0.57"),
        ("α + ? = log(α)", (0, 1), "alpha + □ = log(alpha)"), ("x_1 + _ = x_1", (0, 1), "x_1 + □ = x_1"),
        ("___ = x", (0,), "□ = x"),
    ],
)  # fmt: skip
def test_a_blank_that_is_typed(typed, path, shown):
    blank = parse_blank(typed, ("log",))
    assert (blank.path, blank.text) == (path, shown)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [("x_1 = x", "no blank", 1), ("? = ?", "2 blanks", 5), ("2_ = x", "'_'", 2), ("___x = x", "'x'", 4),
     ("foo(?) = x", "'foo'", 1)],
)  # fmt: skip
def test_a_blank_that_cannot_be_read_says_where_and_why(text, words, column):
    with pytest.raises(ParseError, match=words) as caught:
        parse_blank(text)
    assert caught.value.column == column
