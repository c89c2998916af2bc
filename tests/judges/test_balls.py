"""Ball arithmetic: branches, poles, powers of zero, values that are too large; and points for people's equations."""

from fractions import Fraction
from itertools import product
from random import Random

import mpmath
import pytest
from campaigns import judges as campaign
from flint import acb, arb

from reproduction.__main__ import main
from reproduction.judges import balls
from reproduction.judges.balls import (
    POINT_COUNT,
    UNDEFINED,
    VAGUE,
    Valuation,
    coordinate,
    is_narrow,
    random_points,
    round_points,
    rounded,
    shown,
)
from reproduction.judges.oracle import AGREES, DIFFERS, FINE_PRECISION, examine_thoroughly
from reproduction.language.grammar import UNARY
from reproduction.language.parsing import parse_equation, parse_expression

INVERSES = [name for name in (function.name for function in UNARY) if name.startswith("a")]
POINTS = ("-10", "-2", "-1", "-1/2", "-0.4", "0", "0.4", "1/2", "1", "2", "10")
POLES = {"acsc": {"0"}, "asec": {"0"}, "acsch": {"0"}, "asech": {"0"}, "atanh": {"-1", "1"}, "acoth": {"-1", "1"}}


def _value(text, point=0, precision=balls.PRECISION):
    return Valuation(precision).value(parse_expression(text, ("log", "atan2")), point)


def _is_close(ball, expected, digits=30):
    with mpmath.workdps(60):
        real, imaginary = (mpmath.mpf(part.mid().str(45, radius=False)) for part in (ball.real, ball.imag))
        return abs(mpmath.mpc(real, imaginary) - expected) <= mpmath.mpf(10) ** -digits * (1 + abs(expected))


@pytest.mark.parametrize("function", INVERSES)
@pytest.mark.parametrize("point", POINTS)
def test_inverse_functions_have_the_branches_of_mpmath(function, point):
    value = _value(f"{function}({point})")
    if point in POLES.get(function, ()):
        assert value is UNDEFINED
    else:
        with mpmath.workdps(50):
            exact = Fraction(point)
            argument = mpmath.mpf(exact.numerator) / exact.denominator
            assert _is_close(value, mpmath.mpmathify(getattr(mpmath, function)(argument)))


POLES_INSIDE = (
    """
0^0; 0^(-1); sin(pi)^(-1); 1 / 0; csc(0); tan(1/2 * pi); cot(pi); log(0); sin(1 / 0); 0 * 0^0; 10^(10^10)^10 + 0^(-1)
atan2(0, 0); atan2(sqrt(-1), 1); atan2(1, sqrt(-1))
""".strip()
    .replace("\n", "; ")
    .split("; ")
)


@pytest.mark.parametrize("text", POLES_INSIDE)
def test_poles_are_undefined_however_deep_inside(text):
    assert _value(text) is UNDEFINED


@pytest.mark.parametrize("text", ["10^(10^10)^10", "exp(exp(exp(10)))", "1 + exp(exp(exp(10)))"])
def test_values_that_are_too_large_are_vague(text):
    assert _value(text) is VAGUE


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0^2", 0), ("0^0.4", 0), ("sin(pi)^0.4", 0), ("cos(1/2 * pi)^2", 0), ("0^(2 + 3 * sqrt(-1))", 0), ("(-2)^3", -8)],
)
def test_powers_of_what_may_be_zero(text, expected):
    value = _value(text)
    assert is_narrow(value)
    assert value.contains(expected)


def test_fixed_points_are_small_middle_and_large_on_both_sides_of_0_and_end_at_the_origin():
    names = [f"x_{index}" for index in range(200)]
    for point, (low, high) in enumerate(((0.1, 1), (1.1, 3.14), (3.2, 9))):
        for place, sign in ((2 * point, 1), (2 * point + 1, -1)):
            assert all(low < sign * coordinate(name, place) < high for name in names)
    large = [abs(coordinate(name, 4)) for name in names]
    assert min(large) < 4 and max(large) > 8, "all of a range is used"
    values = [coordinate("x", point) for point in range(POINT_COUNT)]
    assert values == [coordinate("x", point) for point in range(POINT_COUNT)]
    assert values[-1] == 0 and all(value == round(value, 2) for value in values)
    assert coordinate("x", 0) != coordinate("y", 0)


def test_a_short_campaign_against_mpmath_finds_nothing():
    """At poles, on branch cuts, beyond overflow and at near misses, with 150 digits."""
    steps = [campaign.step(number, Random(f"judges 0 {number}")) for number in range(3)]
    assert [finding for step in steps for finding in step.findings] == []
    assert sum(sum(step.counts.values()) for step in steps) > 100


def test_a_shared_subtree_is_evaluated_once(monkeypatch):
    calls = []
    monkeypatch.setitem(balls.BALL_FUNCTIONS, "sin", lambda z: calls.append(z) or z.sin())
    valuation = Valuation()
    for text in ("sin(x) + sin(x)", "cos(sin(x))", "sin(x) * y", "sin(2) + sin(2) * x"):
        valuation.value(parse_expression(text), 1)
    valuation.value(parse_expression("sin(2)"), 2)
    assert len(calls) == 2


def test_a_full_valuation_starts_again():
    small, large = Valuation(capacity=10), Valuation()
    for index in range(100):
        expression = parse_expression(f"sin({index} + x) * y^{index}")
        assert small.value(expression, 0).overlaps(large.value(expression, 0))
        assert len(small._open[0]) < 20


def test_precision_belongs_to_the_valuation():
    assert _value("1 + 10^(-100)").contains(1)
    assert not _value("1 + 10^(-100)", precision=1000).contains(1)
    assert _value("1 + 10^(-100)").contains(1)


def test_a_ball_is_narrow_at_twelve_digits():
    """Absolutely for small values, relatively for large ones."""
    balls_ = ((0, 5e-13), (0, 2e-12), (1, 2e-12), (10**6, 1e-7), (10**6, 1e-5))
    assert [is_narrow(acb(arb(*ball))) for ball in balls_] == [True, False, False, True, False]


ANGLES = {
    "acot(0)": "pi / 2", "acoth(0)": "sqrt(-1) * pi / 2", "atan2(3, -3)": "3 * pi / 4", "atan2(-2, 2)": "-pi / 4",
    "atan2(1, 0)": "pi * (1/2)", "atan2(0, 2)": "0", "atan2(0, -1)": "pi", "atan2(-1, -1)": "-3 * pi / 4",
}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), ANGLES.items())
def test_inverse_cotangents_at_zero_and_angles(text, value):
    valuation = Valuation()
    angle, expected = (valuation.value(parse_expression(each, ("atan2",)), 0) for each in (text, value))
    assert angle.overlaps(expected)


# ------------------------------------------------------------------------------------------------ points for people


def test_what_holds_on_one_side_of_a_far_point_is_refuted():
    """Half-true equations with their border up to a billion away on either side."""
    forms = ("sqrt(({0})^2) = {0}", "(({0})^4)^(1 / 4) = {0}", "acosh(cosh({0})) = {0}", "sqrt({0}) * sqrt({0} - 1) = "
             "sqrt(({0}) * ({0} - 1))", "sqrt(1 / ({0})) * sqrt({0}) = 1")  # fmt: skip
    borders = [f"{'x' if sign > 0 else '-x'} {shift}" for sign, shift in product((1, -1), (
        "+ 1", "- 1", "+ 10", "- 10", "+ 37.5", "- 144", "+ 1000", "- 5000", "+ 10^6", "- 10^6", "+ 10^9", "- 10^9",
        "+ 10^30", "- 10^40", "+ y"))]  # fmt: skip
    texts = [form.format(border) for form in forms for border in borders]
    left_open = [text for text in texts if examine_thoroughly(parse_equation(text)).outcome != DIFFERS]
    assert len(texts) == 150
    assert left_open == []


def test_points_are_generic_and_always_the_same():
    equation = parse_equation("sin(x) + y * z = 10^9")
    points = random_points(equation)
    assert points == random_points(equation)
    assert points != random_points(parse_equation("sin(x) + y * z = 10^8"))
    values = [value for point in points for value in point.values()]
    assert {tuple(value > 0 for value in point.values()) for point in points} == set(product((True, False), repeat=3))
    assert len(set(values)) == len(values)
    assert all(value.denominator > 10**40 for value in values)
    assert min(map(abs, values)) < 1 < 10**9 < max(map(abs, values))
    for count in (1, 2, 3, 5):
        assert 24 <= len(random_points(parse_equation(" + ".join("vwxyz"[:count]) + " = 0"))) <= 60
    assert random_points(parse_equation("1 = 2")) == [{}]
    assert round_points(parse_equation("1 = 2")) == []


def test_vague_values_are_looked_at_with_more_digits():
    near = parse_equation("1 + 10^(-70) = 1")
    assert examine_thoroughly(near).outcome == AGREES
    assert examine_thoroughly(near, least_precision=FINE_PRECISION).outcome == DIFFERS
    assert examine_thoroughly(parse_equation("(10^50 + x) - 10^50 = x")).outcome == AGREES
    assert examine_thoroughly(parse_equation("10^10^10^10 = 1")).outcome == VAGUE
    assert examine_thoroughly(parse_equation("0^(-1) = 1")).outcome == UNDEFINED


def test_coordinates_are_shown_as_decimals():
    third = {"x": random_points(parse_equation("x = 1"))[0]["x"]}
    assert float(shown(rounded(third, 3))["x"]) == pytest.approx(float(third["x"]), rel=0.005)
    assert shown(third)["x"].endswith("...")
    assert shown({"x": None, "y": parse_expression("0.4").value}) == {"x": "pi", "y": "0.4"}


def test_check_is_thorough(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("reproduction.artifacts.CACHE", tmp_path)
    assert main(["check", "asin(x) + acos(x) = pi / 2", "sqrt(x / y) = sqrt(x) / sqrt(y)"]) == 0
    said = capsys.readouterr().out
    assert "\nCORRECT: " in said and "\nINCORRECT: " in said
