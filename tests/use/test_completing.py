"""Blanks filled: what the judges confirm comes first, and every answer says where it is from."""

import math

import numpy as np
import pytest

from reproduction.completion.candidates import parse_blank
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import Judgement, Oracle
from reproduction.language.expression import Equation
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_expression
from reproduction.use import completing
from reproduction.use.candidates import is_padded, pool, search, solutions, weight
from reproduction.use.scoring import read_blanks, scores


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("sin(x)^2 + _^2 = 1", "cos(x)"),
        ("sin(x)^2 + _ = 1", "cos(x)^2"),
        ("tan(theta) = sin(theta)/_", "cos(theta)"),
        ("_ + 3 = 5", "2"),
        ("_ + 17 = 40", "23"),
        ("x/2 + x/3 = _*x/6", "5"),
        ("(x + y)^2 = x^2 + 2*_ + y^2", "x * y"),
        ("sin(_) = 1", "pi / 2"),
        ("sin(x - y) = -sin(_)", "y - x"),
        ("_ = cos(x)^2 - sin(x)^2", "cos(2 * x)"),
        ("x^_ = 1", "0"),
    ],
)
def test_what_comes_first_is_right_and_plain(text, first, tree):
    filling = tree.complete(text, 3).fillings[0]
    assert (filling.expression, filling.judge_verdict) == (first, "correct")
    assert filling.equation != text and filling.evidence["judge"] in ("prover", "identity")


def test_confirmed_fillings_stand_before_the_networks_own_and_the_bare_ranking_has_no_verdicts(tree):
    completion = tree.complete("_ + 3 = 5", 10)
    assert [each.judge_verdict for each in completion.fillings] == ["correct"] + ["incorrect"] * 9
    ranks = [each.network_rank for each in completion.fillings[1:]]
    assert ranks == sorted(ranks)
    assert set(completion.tried) == {"expressions of at most one function", "whole numbers up to 100"}
    completion = tree.complete("4^tanh(0) = _^theta", 200, network_only=True)
    assert [each.network_rank for each in completion.fillings] == list(range(1, 201))
    assert {each.judge_verdict for each in completion.fillings} == {None}
    assert completion.first_guess == completion.fillings[0]
    logits = [math.log(each.probability / (1 - each.probability)) for each in completion.fillings]
    weights = [weight(parse_expression(each.expression)) for each in completion.fillings]
    costs = [0.6 * here - logit for here, logit in zip(weights, logits, strict=True)]
    assert costs == sorted(costs)


@pytest.mark.parametrize("text", ["4^tanh(0) = _^theta", "sin(theta) * _ = sin(theta)", "? = theta * 2"])
def test_fillings_have_the_probability_of_the_filled_equation(text, tree, chain):
    for network in (tree, chain):
        fillings = network.complete(text, 5).fillings
        verified = [answer.probability for answer in network.verify([each.equation for each in fillings])]
        np.testing.assert_allclose([each.probability for each in fillings], verified, atol=1e-5)
        assert {name for each in fillings for name in parse_equation(each.equation).variables()} == {"theta"}
    known = chain.reader.knowledge  # a chain proposes nothing that it has not met
    candidates, _ = pool(parse_blank("4^tanh(0) = _^x"), known, Valuation())
    leaves = {node.symbol for each in candidates for node in each.subexpressions() if not node.children}
    assert leaves <= {*known.constants, "x"} and {"0", "1"} <= leaves


def test_what_stays_open_is_looked_at_again(tree, monkeypatch):
    monkeypatch.setattr(completing.judges, "second_judgement", lambda *_: None)
    asked = []

    class Believer(Oracle):
        def judge_many(self, equations, progress=None):
            these = list(equations)
            asked.extend(these)
            return [Judgement("CORRECT", {"judge": "sympy"}) for _ in these]

    assert tree.complete("2 * x = _", 1).fillings[0].judge_verdict == "unsure"
    with Believer() as oracle:
        assert tree.complete("x + 0 = _", 1, oracle=oracle).fillings[0].evidence == {"judge": "sympy"}
    assert asked


def test_numbers_that_fit_come_first(tree):
    completion = tree.complete("cos(-_) = -0.57", 4)
    first, *others = completion.fillings
    assert (first.expression, first.fits, first.is_right) == ("2.18", True, True)
    assert [each.fits for each in others] == [False] * 3
    assert [each.network_rank for each in others] == sorted(each.network_rank for each in others)
    for each in completion.fillings:
        assert each.probability is each.judge_verdict is None
        assert each.true_value == pytest.approx(math.cos(float(each.expression)))
        assert each.squared_error == pytest.approx((each.value + 0.57) ** 2, abs=1e-9)
        assert each.value == pytest.approx(tree.evaluate(each.equation.split(" = ")[0]).value, abs=1e-5)


def test_a_number_gets_more_digits_where_two_do_not_fit(tree):
    exact, *_, number = tree.complete("tan(_) = 1.00").fillings
    assert (exact.expression, exact.judge_verdict) == ("pi / 4", "correct")
    assert number.fits and number.network_rank is None
    assert round(math.tan(float(number.expression)), 2) == 1 and len(number.expression) == 5


def test_a_blank_that_nothing_fills(tree):
    assert tree.complete("0^(-1) = _").notes == ("no candidate makes both sides defined",)
    with pytest.raises(InputError, match="top 0"):
        tree.complete("_ = x", 0)


def test_what_is_written_plainly_weighs_less_and_what_could_be_left_out_is_padding():
    others = {"pi/2": "acsc(1)", "2*x": "x*2", "x + 1": "1 + x", "1/x": "x^(-1)", "y - x": "-x + y", "-x": "x*(-1)"}
    for plain, other in others.items():
        assert weight(parse_expression(plain)) < weight(parse_expression(other)), plain
    padded = {text: is_padded(parse_expression(text)) for text in ("x + 0", "1*x", "x^1", "1/x", "-x")}
    assert padded == {"x + 0": True, "1*x": True, "x^1": True, "1/x": False, "-x": False}


@pytest.mark.parametrize(
    ("text", "solved"),
    [
        ("x + _ = y", ["y - x"]),
        ("sin(2*_) = x", ["asin(x)/2"]),
        ("_^2 = x", ["x^(1 * 2^(-1))", "-(x^(1 * 2^(-1)))"]),
        ("_^(-1) = x", ["x^(-1)"]),
        ("2^_ = x", ["log(x)/log(2)"]),
    ],
)
def test_an_equation_is_solved_for_its_blank(text, solved):
    assert list(map(print_expression, solutions(parse_blank(text)))) == [
        print_expression(parse_expression(each, ("log",))) for each in solved
    ]


def test_the_search_finds_what_no_small_expression_is():
    blank = parse_blank("x^4 - y^4 = (x - y)*(x + y)*_")
    found = search(blank, [parse_expression(text) for text in ("x", "y", "x^2", "y^2", "2")], Valuation())
    assert parse_expression("x^2 + y^2") in found or parse_expression("y^2 + x^2") in found


def test_the_textbooks_blanks_are_identities_with_a_part_left_out():
    from reproduction.data.axioms import read_textbook
    from reproduction.data.splits import twin_key

    listed = {twin_key(each.equation) for each in read_textbook() if each.label}
    blanks = read_blanks()
    assert len(blanks) > 200 and len({each.text for each in blanks}) == len(blanks)
    assert [each.text for each in blanks if twin_key(Equation(*each.blank.filled(each.answer))) not in listed] == []


@pytest.mark.parametrize("text", ["[a]\nx = _", "[a]\nx = ; x", "[a]\nx + _ = ; x"])
def test_a_line_without_an_answer_is_refused(tmp_path, text):
    (tmp_path / "blanks.txt").write_text(text)
    with pytest.raises(InputError, match="line"):
        read_blanks(tmp_path / "blanks.txt")


def test_blanks_are_scored(tree):
    chosen = [each for each in read_blanks() if each.text in ("sin(x)^2 + _^2 = 1", "_ + 3 = 5")]
    with Oracle() as oracle:
        rows = list(scores(tree, chosen, oracle))
    assert [(row.judged_first, row.judged_right, row.judged_is_the_books) for row in rows] == [
        ("2", True, True), ("cos(x)", True, True),
    ]  # fmt: skip
    assert [(row.network_first, row.network_right) for row in rows] == [("0", False), ("cos(x)", True)]
