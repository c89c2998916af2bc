"""Ball arithmetic: branches, poles, powers of zero, and values that no ball can hold."""

from decimal import Decimal
from fractions import Fraction
from random import Random

import mpmath
import pytest
from campaigns import judges as campaign
from flint import acb, arb

from reproduction.judges import balls
from reproduction.judges.balls import POINT_COUNT, UNDEFINED, VAGUE, Valuation, coordinate, is_narrow
from reproduction.language.grammar import UNARY
from reproduction.language.parsing import parse_expression

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


@pytest.mark.parametrize(
    "text",
    [
        "0^0",
        "0^(-1)",
        "sin(pi)^(-1)",
        "1 / 0",
        "csc(0)",
        "tan(1/2 * pi)",
        "cot(pi)",
        "log(0)",
        "sin(1 / 0)",
        "0 * 0^0",
        "10^(10^10)^10 + 0^(-1)",
        "atan2(0, 0)",
        "atan2(sqrt(-1), 1)",
        "atan2(1, sqrt(-1))",
    ],
)
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


def test_sample_points_repeat_and_end_at_the_origin():
    for name in ("x", "y", "v17"):
        values = [coordinate(name, point) for point in range(POINT_COUNT)]
        assert values == [coordinate(name, point) for point in range(POINT_COUNT)]
        assert values[-1] == 0
        assert all(
            value == round(value, 2) and Decimal("0.11") <= abs(value) <= Decimal("8.7") for value in values[:-1]
        )
        assert min(values) < -1 < 1 < max(values)
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


@pytest.mark.parametrize(
    ("middle", "radius", "narrow"),
    [
        (0, 5e-13, True),  # absolutely
        (0, 2e-12, False),
        (1, 2e-12, False),
        (10**6, 1e-7, True),  # relatively
        (10**6, 1e-5, False),
    ],
)
def test_a_ball_is_narrow_at_twelve_digits(middle, radius, narrow):
    assert is_narrow(acb(arb(middle, radius))) is narrow


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("acot(0)", "pi / 2"),
        ("acoth(0)", "sqrt(-1) * pi / 2"),
        ("atan2(3, -3)", "3 * pi / 4"),
        ("atan2(-2, 2)", "-pi / 4"),
        ("atan2(1, 0)", "pi * (1/2)"),
        ("atan2(0, 2)", "0"),
        ("atan2(0, -1)", "pi"),
        ("atan2(-1, -1)", "-3 * pi / 4"),
    ],
)
def test_inverse_cotangents_at_zero_and_angles(text, value):
    valuation = Valuation()
    angle, expected = (valuation.value(parse_expression(each, ("atan2",)), 0) for each in (text, value))
    assert angle.overlaps(expected)


def test_the_first_points_are_small_middle_and_large_on_both_sides_of_0():
    bounds = [(0.1, 1), (1.1, 3.14), (3.2, 9)]
    for point in range(6):
        low, high = bounds[point // 2]
        for name in (f"x_{index}" for index in range(200)):
            value = coordinate(name, point)
            assert (value > 0) == (point % 2 == 0)
            assert low < abs(value) < high
    large = [abs(coordinate(f"x_{index}", 4)) for index in range(200)]
    assert min(large) < 4 and max(large) > 8, "all of a range is used"
