"""Function evaluations and decimal trees: right values, right powers, right counts."""

from collections import Counter
from decimal import Decimal
from random import Random

import mpmath
import pytest

from reproduction.data.dataset import literal_value
from reproduction.data.function_evaluations import (
    PAPER_FUNCTIONS,
    correct_evaluations,
    decimal_tree,
    draw_numbers,
    exact_value,
    judge_numeric,
    literal,
    numeric_records,
    rounded_value,
    to_cents,
)
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import CORRECT, INCORRECT
from reproduction.language.grammar import TABLE_1_FUNCTIONS
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation, print_expression


def test_numbers_are_the_papers_share_of_the_range():
    numbers = draw_numbers(Random(1))
    assert len(numbers) == len(set(numbers)) == 189  # 30 % of 629
    assert numbers == sorted(numbers)
    assert all(abs(value) <= Decimal("3.14") and value and value == round(value, 2) for value in numbers)
    assert numbers == draw_numbers(Random(1))
    assert numbers != draw_numbers(Random(2))


def test_decimal_trees_read_from_the_left_and_negative_literals_are_minus_one_times_a_number():
    trees = {
        "2.5": "2 * 10^0 + 5 * 10^(-1)",
        "0.04": "0 * 10^0 + 0 * 10^(-1) + 4 * 10^(-2)",
        "3.14": "3 * 10^0 + 1 * 10^(-1) + 4 * 10^(-2)",
        "2.00": "2 * 10^0",
    }
    assert all(decimal_tree(Decimal(text)) is parse_expression(tree) for text, tree in trees.items())
    assert literal(Decimal("-2.5")) is parse_expression("-1 * 2.5")
    assert [print_expression(literal(Decimal(text))) for text in ("2.00", "2", "-0.00")] == ["2.00", "2.00", "0.00"]


def test_values_are_rounded_to_two_decimals():
    values = {
        "sin(-1 * 2.5)": "-0.60",
        "cos(1.57)": "0.00",
        "tan(1.57)": None,  # 1255.77
        "acos(2.00)": None,  # not real
        "csc(0.00)": None,
        "0.25 * 0.50": "0.12",  # halfway: to the even digit
        "0.15 + 0.25": "0.40",
        "3.00 + 0.15": None,
    }
    for text, value in values.items():
        assert rounded_value(parse_expression(text), Valuation()) == (value and Decimal(value))


@pytest.mark.parametrize(
    ("text", "exact", "cents"),
    [
        ("10^25", "1e25", "1e25"),
        ("10^30", "1e30", None),  # more digits than decimal numbers keep
        ("10^400", None, None),
        ("10^(10^(10^1.3))", None, None),
        ("10^(-(10^(10^1.3)))", "0", "0"),
        ("exp(exp(exp(exp(1.68))))", None, None),  # only bounds are known
    ],
)
def test_values_that_are_too_large_are_none(text, exact, cents):
    value = exact_value(parse_expression(text), Valuation())
    assert (value is None) == (exact is None)
    if value is not None:
        assert value == Decimal(exact)
        assert to_cents(value) == (cents if cents is None else Decimal(cents))


def test_unary_evaluations_agree_with_mpmath():
    for equation, *_ in correct_evaluations(("sin", "tan", "cot", "atanh"), draw_numbers(Random(3)), Random(3)):
        (function,), (argument,) = equation.functions()[:1], equation.left.children
        value = getattr(mpmath, function)(literal_value(argument))
        assert abs(value - literal_value(equation.right)) <= 0.005 + 1e-9


@pytest.mark.parametrize("functions", [PAPER_FUNCTIONS, TABLE_1_FUNCTIONS], ids=["paper", "all"])
def test_the_asked_for_numbers_of_each_label(functions):
    evaluations = numeric_records(600, 300, functions, 5)
    assert evaluations == numeric_records(600, 300, functions, 5) != numeric_records(600, 300, functions, 6)
    assert Counter(evaluation.label for evaluation in evaluations) == {1: 300, 0: 300}
    assert len({evaluation.equation for evaluation in evaluations}) == 600
    assert Counter((one.kind, one.label) for one in evaluations)["decimal", 1] == 50
    valuation = Valuation()
    for evaluation in evaluations:
        judgement = judge_numeric(evaluation.equation, evaluation.kind, valuation)
        assert judgement.verdict == (CORRECT if evaluation.label else INCORRECT), print_equation(evaluation.equation)
    used = {name for evaluation in evaluations if evaluation.kind == "evaluation" for name in
            evaluation.origin.removeprefix("evaluate: ").split(",")[:1]}  # fmt: skip
    assert used <= set(functions)
    assert len(used) > 0.8 * len(functions)


@pytest.mark.parametrize(
    ("text", "kind", "verdict"),
    [
        ("sin(-1 * 2.5) = -1 * 0.6", "evaluation", CORRECT),
        ("-1 * 0.6 = sin(-1 * 2.5)", "evaluation", CORRECT),
        ("0.25 * 0.50 = 0.12", "evaluation", CORRECT),  # halfway: either is a rounding
        ("0.25 * 0.50 = 0.13", "evaluation", CORRECT),
        ("0.25 * 0.50 = 0.14", "evaluation", INCORRECT),
        ("acos(2.00) = 0.00", "evaluation", INCORRECT),
        ("csc(0.00) = 1.00", "evaluation", INCORRECT),
        ("2.5 = 2 * 10^0 + 5 * 10^(-1)", "decimal", CORRECT),
        ("2.5 = 2 * 10^(-1) + 5 * 10^0", "decimal", INCORRECT),
        ("2.5 = 2 * 10^0 + 5 * 10^(-1) + 1 * 10^(-3)", "decimal", INCORRECT),
    ],
)
def test_judging_a_numeric_equation(text, kind, verdict):
    assert judge_numeric(parse_equation(text), kind, Valuation()).verdict == verdict
