"""Values of expressions as complex balls: midpoint and radius that provably contain the exact value.

Floating point cannot tell sin(pi) from 1e-16 or the two sides of a branch cut; a ball that is too wide says so.
Two balls that do not overlap prove that two expressions differ. Variables are real, functions take their
principal complex branches, with Sympy's conventions on the cuts (mpmath and Arb share them).
"""

import hashlib
import random
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from flint import acb, arb, ctx, fmpq

from ..language.expression import FUNCTION, VARIABLE, Expression
from ..language.grammar import ADD, FUNCTIONS, MULTIPLY, POWER

Trouble = Literal["undefined", "vague"]  # a pole, 0^0 and the like; too large to be computed
TROUBLES = UNDEFINED, VAGUE = get_args(Trouble)
Value: TypeAlias = acb | Trouble

PRECISION = 160  # bits
HUGE = 2**64  # a function that is not finite at an argument below this has a pole there
LARGEST_INTEGER_EXPONENT = 10**6

POINT_COUNT = 11  # the last one is the origin, where acot and acoth jump
_RANGES = ((0.11, 0.93), (-0.93, -0.11), (1.12, 3.1), (-3.1, -1.12), (3.3, 8.7), (-8.7, -3.3))


def coordinate(variable: str, point: int) -> Decimal:
    """The value of a variable at a sample point: the first points have all variables in one range, the others mix.

    The last point is the origin.
    """
    if point == POINT_COUNT - 1:
        return Decimal(0)
    digest = hashlib.sha256(f"{variable} {point}".encode()).digest()
    draw = random.Random(int.from_bytes(digest[:8], "big"))
    low, high = _RANGES[point] if point < len(_RANGES) else draw.choice(_RANGES)
    return Decimal(draw.randint(round(low * 100), round(high * 100))) / 100


def _of_reciprocal(function, unit=None):
    """The function of 1/z. Sympy's arc cotangents, which have a unit, are pi/2 times it at 0 and jump there."""

    def value(z):
        if unit is not None and z.is_zero():
            return unit * acb.pi() / 2
        if z.contains(0):
            return UNDEFINED if unit is None else VAGUE
        return function(1 / z)

    return value


def _exact_integer(z) -> int | None:
    """The integer that a ball is exactly, unless it is a very large one, which nobody should write out."""
    if not (z.is_exact() and z.imag.is_zero()) or abs(z.real) > LARGEST_INTEGER_EXPONENT:
        return None
    integer = z.real.unique_fmpz()
    return None if integer is None else int(integer)


def _power(base, exponent):
    if not base.contains(0):
        integer = _exact_integer(exponent)
        return base**exponent if integer is None else base**integer
    if not exponent.real > 0:
        return UNDEFINED
    if base.is_zero():
        return acb(0)
    # for z in a ball around 0 and w with a positive real part, |z^w| <= |z|^Re(w) e^(pi |Im(w)|)
    bound = arb(base.abs_upper()) ** exponent.real * (arb.pi() * abs(exponent.imag)).exp()
    radius = arb(0, bound.abs_upper())
    return acb(radius, radius)


def _atan2(y, x):
    """The angle of the point (x, y), for real arguments only."""
    if not (x.imag.is_zero() and y.imag.is_zero()) or (x.contains(0) and y.contains(0)):
        return UNDEFINED
    return acb(arb.atan2(y.real, x.real))


BALL_FUNCTIONS = {
    **{name: getattr(acb, name) for name in FUNCTIONS if hasattr(acb, name)},  # Arb's own
    "acsc": _of_reciprocal(acb.asin),
    "asec": _of_reciprocal(acb.acos),
    "acot": _of_reciprocal(acb.atan, acb(1)),
    "acsch": _of_reciprocal(acb.asinh),
    "asech": _of_reciprocal(acb.acosh),
    "acoth": _of_reciprocal(acb.atanh, acb(0, 1)),
    ADD: lambda a, b: a + b,
    MULTIPLY: lambda a, b: a * b,
    POWER: _power,
    "atan2": _atan2,
}


def apply_to_balls(function: str, arguments: list[Value]) -> Value:
    """The value of one function; what is wrong with an argument is wrong with the result."""
    for trouble in TROUBLES:
        if any(argument is trouble for argument in arguments):
            return trouble
    result = BALL_FUNCTIONS[function](*arguments)
    if isinstance(result, str) or result.is_finite():
        return result
    is_small = all(argument.abs_upper() < HUGE for argument in arguments if not isinstance(argument, str))
    return UNDEFINED if is_small else VAGUE


class Valuation:
    """Values of expressions at sample points, of these coordinates; a subtree that many share is evaluated once."""

    def __init__(self, precision: int = PRECISION, capacity: int = 500_000, coordinates=coordinate):
        self.precision, self._coordinates = precision, coordinates
        self._capacity = capacity
        self._closed: dict[Expression, Value] = {}
        self._open: defaultdict[int, dict[Expression, Value]] = defaultdict(dict)

    def value(self, expression: Expression, point: int) -> Value:
        """The ball of an expression at a sample point, or UNDEFINED or VAGUE."""
        if ctx.prec != self.precision:
            ctx.prec = self.precision
        if len(self._closed) + len(self._open[0]) > self._capacity:
            self._closed.clear()
            self._open.clear()
        return self._value(expression, point)

    def _value(self, expression: Expression, point: int) -> Value:
        cache = self._closed if expression.closed else self._open[point]
        known = cache.get(expression)
        if known is None:
            known = cache[expression] = self._compute(expression, point)
        return known

    def _compute(self, expression: Expression, point: int) -> Value:
        if expression.kind == FUNCTION:
            return apply_to_balls(expression.symbol, [self._value(child, point) for child in expression.children])
        value = self._coordinates(expression.symbol, point) if expression.kind == VARIABLE else expression.value
        if value is None:
            return acb.pi()
        exact = Fraction(value)
        return acb(arb(fmpq(exact.numerator, exact.denominator)))


def is_narrow(ball: acb) -> bool:
    """Whether a ball pins its value down to 12 digits, absolutely or relatively."""
    return ball.rel_accuracy_bits() >= 40 or (ball.rad() < 1e-12)
