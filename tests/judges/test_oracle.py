"""Verdicts: hand-picked equations, every axiom, and whether the two judges agree on random equations."""

import json

import pytest
from flint import acb, ctx

from reproduction.data.axioms import read_axioms
from reproduction.judges import prover
from reproduction.judges.balls import UNDEFINED, VAGUE, Valuation
from reproduction.judges.oracle import (
    AGREES,
    CORRECT,
    DIFFERS,
    INCORRECT,
    UNDEFINED_VERDICT,
    UNSURE,
    Oracle,
    examine,
    explanation,
    show_difference,
    show_value,
)
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation

VERDICTS = {
    CORRECT: """
        sin(x)^2 + cos(x)^2 = 1
        asin(-x) = -asin(x)
        sin(asin(x)) = x
        sin(pi)^0.4 = 0
        x^0 = 1
        sqrt(-1)^2 = -1
        acosh(-1) = asech(-1)
        x^pi * x^2 = x^(pi + 2)
        sqrt(x^4) = x^2
        sqrt(2 + sqrt(3)) = (sqrt(4 + 2) + sqrt(2)) / 2
        (1 + 10^(-30) - 1)^(-1) = 10^30
    """,
    INCORRECT: """
        sqrt(x^2) = x
        sqrt(x * y) = sqrt(x) * sqrt(y)
        asin(sin(x)) = x
        acot(-x) = -acot(x)
        acoth(-x) = -acoth(x)
        atan(x) + acot(x) = 1/2 * pi
        (x^y)^z = x^(y * z)
        1 + 10^(-100) = 1
        (-8)^(1 / 3) = -2
        sin(10^10^2) = 0
        x = y
    """,
    UNDEFINED_VERDICT: """
        0^0 = 1
        1 / 0 = 2
        tan(1/2 * pi) = 0
        (x - x)^(-1) = 1
    """,
    UNSURE: """
        10^10^8 = 10^(10^4 * 10^4)
        10^(10^10)^10 = 1
        asin(x) + acos(x) = 1/2 * pi
        asech(x) = acosh(x^(-1))
        acot(x) = atan(x^(-1))
        0^x = 0
    """,
}
THOROUGHLY = {  # as people are answered, where that is another verdict or takes more than the fixed points
    CORRECT: """
        asin(x) + acos(x) = pi / 2
        0^x = 0
        x^0 = 1
        ((1 + 10^(-60)) - 1)^(-1) = 10^60
    """,
    INCORRECT: """
        sin(100*pi*x)*(x-pi)*2^asinh(1) = sin(100*pi*x)*(x-pi)*(1+sqrt(2))
        sin(100 * pi * x) * (x - pi) = 0
        x + y = y + x + 10^(-300) * z
        ((1 + 10^(-60)) - 1)^(-1) = 5
        (10^(-999) * 10^(-999) + 1 - 1)^(-1) = 2
        cosh(1000 * x^2 + 1000) = sinh(1000 * x^2 + 1000)
        acoth(-(x + 7)) = -acoth(x + 7)
        acot(x - 5.25) + acot(5.25 - x) = 0
    """,
    UNDEFINED_VERDICT: """
        tan(pi / 2) = 0
        sin(pi)^(-1) = 3
    """,
    UNSURE: """
        10^10^8 = 10^(10^4 * 10^4)
    """,
}


def _cases(verdicts):
    return [(line.strip(), verdict) for verdict, lines in verdicts.items() for line in lines.strip().splitlines()]


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    with Oracle(tmp_path_factory.mktemp("cache") / "sympy.sqlite") as oracle:
        yield oracle


@pytest.fixture(scope="module")
def thorough():
    with Oracle(None, thorough=True) as oracle:
        yield oracle


def test_verdicts_come_in_the_order_of_the_equations(oracle):
    texts = [text for text, _ in _cases(VERDICTS)]
    told = []
    judgements = oracle.judge_many(map(parse_equation, texts), told.append)
    assert {text: each.verdict for text, each in zip(texts, judgements, strict=True)} == dict(_cases(VERDICTS))
    assert sum(told) == len(texts)
    for each in judgements:
        assert json.loads(json.dumps(each.evidence)) == each.evidence
        assert "\n" not in explanation(each.evidence)


@pytest.mark.parametrize(("text", "verdict"), _cases(THOROUGHLY))
def test_people_are_answered_thoroughly(thorough, text, verdict):
    assert thorough.judge(parse_equation(text)).verdict == verdict


LEFT_OPEN = {  # by Sympy; textbook identities, at every point of both sides
    "tan(2 * x) = 2 * tan(x) / (1 - tan(x)^2)",
    "tan(1/2 * x) = sin(x) / (1 + cos(x))",
    "tan(1/2 * x) = csc(x) - cot(x)",
}


def test_every_axiom_is_correct_but_for_what_sympy_leaves_open(oracle):
    axioms = read_axioms()
    judgements = oracle.judge_many([axiom.equation for axiom in axioms])
    others = {print_equation(axiom.equation): judgement for axiom, judgement in zip(axioms, judgements, strict=True)
              if judgement.verdict != CORRECT}  # fmt: skip
    assert set(others) == LEFT_OPEN
    assert {(judgement.verdict, judgement.evidence["points_agreeing"] >= 10) for judgement in others.values()} == {
        (UNSURE, True)
    }


def test_the_evidence_names_the_point_and_both_values(oracle):
    judgement = oracle.judge(parse_equation("sqrt(x^2) = x"))
    assert judgement.evidence == {"judge": "numeric", "point": {"x": "-0.46"}, "left": "0.46", "right": "-0.46"}
    assert explanation(judgement.evidence) == "at x = -0.46 the left side is 0.46 and the right side -0.46"
    closed = oracle.judge(parse_equation("1 + 1 = 3"))
    assert explanation(closed.evidence) == "there are no variables, and the left side is 2 and the right side 3"
    tiny = oracle.judge(parse_equation("1 + 10^(-100) = 1")).evidence
    assert (tiny["left"], tiny["right"]) == ("1." + "0" * 99 + "1", "1")


def test_the_evidence_names_the_route(oracle, thorough):
    simplified = oracle.judge(parse_equation("sin(x)^2 + cos(x)^2 = 1")).evidence
    assert simplified == {"judge": "sympy", "route": "simplify", "points_agreeing": 11}
    automatic = oracle.judge(parse_equation("x + x = 2 * x")).evidence
    assert automatic["route"] == "auto-evaluation"
    assert explanation(automatic) == "Sympy proves it by auto-evaluation, and the sides agree at 11 sample points"
    equation = parse_equation("asin(x) + acos(x) = 1/2 * pi")
    proved = thorough.judge(equation).evidence
    assert proved == {"judge": "prover", "route": prover.ROUTE, "points_agreeing": 35}
    assert explanation(proved).startswith("Sympy leaves it open, the second prover proves it by")
    assert oracle.judge(equation).verdict == UNSURE, "data are made without it"
    judgement = oracle.judge(parse_equation("10^(10^10)^10 = 10^(10^10)^10"))
    assert (judgement.verdict, explanation(judgement.evidence)) == (CORRECT, "both sides are the same expression")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("x = x + 10^(-9)", DIFFERS), ("x = y", DIFFERS), ("x + y = y + x", AGREES), ("1 / (x - x) = 1", UNDEFINED),
     ("exp(exp(exp(10))) = 1", VAGUE), ("sin(pi) = 0", AGREES), ("sin(pi) = 10^(-4 * 10)", DIFFERS)],
)  # fmt: skip
def test_what_the_points_show(text, outcome):
    assert examine(parse_equation(text), Valuation()).outcome == outcome


def test_sympy_errs_and_the_oracle_does_not(oracle):
    """Where Sympy's own numbers are too coarse it calls equal sides different: that is no refutation."""
    judgement = oracle.judge(parse_equation("acoth(coth(cosh(3 * 1))) = cosh(3 * 1)"))
    assert judgement.verdict == UNSURE
    assert judgement.evidence["reason"] == "Sympy calls the sides different, but no sample point shows it"


def test_values_are_shown_as_people_write_them():
    values = (1.5, 0), (0, -2), (1, -2), (-1, 0.25), (2e20, 0), (100, 0)
    shown = ["1.5", "-2i", "1 - 2i", "-1 + 0.25i", "2e+20", "100"]
    assert [show_value(acb(*value)) for value in values] == shown


def test_a_difference_is_shown_with_as_many_digits_as_it_takes():
    ctx.prec = 400
    near = acb(1) + acb(10) ** -40
    assert show_difference(acb(1), acb(2)) == {"left": "1", "right": "2"}
    assert show_difference(acb(1), near) == {"left": "1", "right": f"1.{'0' * 39}1"}
    assert show_value(UNDEFINED) == "undefined"


def test_a_difference_can_be_written_down(thorough):
    """Equal digits are left out; the point has as few digits as show the difference."""
    evidence = thorough.judge(parse_equation("cosh(1000 * x^2 + 1000) = sinh(1000 * x^2 + 1000)")).evidence
    assert evidence["left"] != evidence["right"]
    assert max(len(evidence["left"]), len(evidence["right"])) < 100
    evidence = thorough.judge(parse_equation("sqrt((x + 10)^2) = x + 10")).evidence
    assert len(evidence["point"]["x"]) <= 6 and float(evidence["point"]["x"]) < -10
    evidence = thorough.judge(parse_equation("sin(100 * pi * x) = 0")).evidence
    assert len(evidence["point"]["x"]) > 5
