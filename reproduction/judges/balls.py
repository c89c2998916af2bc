"""Values of expressions as complex balls, midpoint and radius that provably contain the exact value, and where.

Floating point cannot tell sin(pi) from 1e-16 or the two sides of a branch cut; a ball that is too wide says so.
Two balls that do not overlap prove that two expressions differ. Variables are real, functions take their
principal complex branches, with Sympy's conventions on the cuts (mpmath and Arb share them).

Data are judged at eleven fixed points. For people's equations there are more: random points have coordinates of 200
random bits, so that only what vanishes everywhere vanishes there, with all combinations of signs, several scales, and
the scales of the equation's own numbers; round points are those where functions have poles, branch points and jumps.
Both are drawn from a seed that is the equation's text, so that the answer is always the same.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import floor
from random import Random
from typing import Literal, TypeAlias, get_args

from flint import acb, arb, ctx, fmpq

from ..language.expression import CONSTANT, FUNCTION, NUMBER, VARIABLE, Equation, Expression, constant
from ..language.grammar import ADD, FUNCTIONS, MULTIPLY, POWER
from ..language.printing import print_equation

Trouble = Literal["undefined", "vague"]  # a pole, 0^0 and the like; too large to be computed
TROUBLES = UNDEFINED, VAGUE = get_args(Trouble)
Value: TypeAlias = acb | Trouble

PRECISION = 160  # bits
HUGE = 2**64  # a function that is not finite at an argument below this has a pole there
LARGEST_INTEGER_EXPONENT = 10**6
LARGEST_POWER = 10**1000  # that Sympy may write out

POINT_COUNT = 11  # the last one is the origin, where acot and acoth jump
_RANGES = ((0.11, 0.93), (-0.93, -0.11), (1.12, 3.1), (-3.1, -1.12), (3.3, 8.7), (-8.7, -3.3))


def coordinate(variable: str, point: int) -> Decimal:
    """The value of a variable at a fixed point: the first points have all variables in one range, the others mix."""
    if point == POINT_COUNT - 1:
        return Decimal(0)
    digest = hashlib.sha256(f"{variable} {point}".encode()).digest()
    draw = Random(int.from_bytes(digest[:8], "big"))
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


def _power(base, exponent):
    if not base.contains(0):
        is_small = exponent.is_exact() and exponent.imag.is_zero() and abs(exponent.real) <= LARGEST_INTEGER_EXPONENT
        integer = exponent.real.unique_fmpz() if is_small else None
        return base**exponent if integer is None else base ** int(integer)
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
    """Values of expressions at points of these coordinates; a subtree that many share is evaluated once."""

    def __init__(self, precision: int = PRECISION, capacity: int = 500_000, coordinates=coordinate):
        self.precision, self._capacity, self._coordinates = precision, capacity, coordinates
        self._closed: dict[Expression, Value] = {}
        self._open: defaultdict[int, dict[Expression, Value]] = defaultdict(dict)

    def value(self, expression: Expression, point: int) -> Value:
        """The ball of an expression at a point, or UNDEFINED or VAGUE."""
        if ctx.prec != self.precision:
            ctx.prec = self.precision
        if len(self._closed) + len(self._open[0]) > self._capacity:
            self._closed.clear()
            self._open.clear()
        return self._value(expression, point)

    def _value(self, expression: Expression, point: int) -> Value:
        cache = self._closed if expression.closed else self._open[point]
        if expression not in cache:
            if expression.kind == FUNCTION:
                arguments = [self._value(child, point) for child in expression.children]
                cache[expression] = apply_to_balls(expression.symbol, arguments)
            else:
                is_variable = expression.kind == VARIABLE
                value = self._coordinates(expression.symbol, point) if is_variable else expression.value
                exact = None if value is None else fmpq(*Fraction(value).as_integer_ratio())
                cache[expression] = acb.pi() if exact is None else acb(arb(exact))
        return cache[expression]


def is_narrow(ball: acb) -> bool:
    """Whether a ball pins its value down to 12 digits, absolutely or relatively."""
    return ball.rel_accuracy_bits() >= 40 or (ball.rad() < 1e-12)


def within_magnitude_bound(equation: Equation, valuation: Valuation) -> bool:
    """Whether no variable-free power in the equation has more digits than Sympy should ever write out."""
    for node in equation.subexpressions():
        if node.symbol == POWER and node.closed and node.kind == FUNCTION:
            value = valuation.value(node, 0)
            size = 0 if isinstance(value, str) else abs(value)
            if value is VAGUE or size > LARGEST_POWER or (size > 0 and 1 / size > LARGEST_POWER):
                return False
    return True


# ------------------------------------------------------------------------------------------------ points for people

RANDOM_POINTS = 24  # at least
ROUND_POINTS = 24  # of an equation with more than one variable
EXPONENTS = (0, -1, 1, 0, 2, -1, 3, 1, -3, 0, 5, -6)  # of the power of ten in a coordinate, in the order of the points
OWN_EXPONENTS, LARGEST_EXPONENT = 4, 300
TERMINALS = tuple(constant(name).value for name in ("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "-3", "0.4", "10"))

Point = dict[str, Fraction | None]  # the values of the variables; None is pi's, as it is an expression's


def random_points(equation: Equation) -> list[Point]:
    """Points of every scale and, for up to three variables, all combinations of signs at each scale."""
    names, random = equation.variables(), Random(f"random points of {print_equation(equation)}")
    if not names:
        return [{}]
    own = _own_exponents(equation)
    exponents = (*EXPONENTS[: max(3, RANDOM_POINTS // 2 ** len(names))], *own)
    points: list[Point] = []
    for index, exponent in enumerate(exponents):
        all_signs = product((1, -1), repeat=len(names))
        drawn_signs = (random.choices((1, -1), k=len(names)) for _ in range(8))
        for signs in all_signs if len(names) < 4 else drawn_signs:
            scales = [exponent] * len(names)
            if index % 2:
                scales[1:] = random.choices((*EXPONENTS, *own), k=len(names) - 1)
                random.shuffle(scales)
            point: Point = {}
            for name, sign, scale in zip(names, signs, scales, strict=True):
                denominator = random.getrandbits(200) | 1  # which no formula has
                size = 1 + Fraction(9 * random.randrange(denominator), denominator)  # from 1 to 10
                point[name] = sign * Fraction(10) ** scale * size
            points.append(point)
    return points


def _own_exponents(equation: Equation) -> list[int]:
    """The largest scales of the equation's own numbers, and of ten times them, that are not in EXPONENTS."""
    valuation, exponents = Valuation(), set[int]()
    for node in set(equation.subexpressions()):
        value = valuation.value(node, 0) if node.closed else None
        if value is not None and not isinstance(value, str) and not value.contains(0):
            exponent = floor(float(abs(value).log().mid()) / float(Decimal(10).ln()))
            exponents |= {exponent, exponent + 1}
    own = (each for each in exponents.difference(EXPONENTS) if abs(each) <= LARGEST_EXPONENT)
    return sorted(own, key=lambda each: (-abs(each), each))[:OWN_EXPONENTS]


def round_points(equation: Equation) -> list[Point]:
    """Terminals of Table 1 and the equation's own numbers, with both signs, for its variables."""
    names, random = equation.variables(), Random(f"round points of {print_equation(equation)}")
    numbers = [node.value for node in equation.subexpressions() if node.kind in (CONSTANT, NUMBER) and node.value]
    own = [sign * value for value in dict.fromkeys(numbers[:6]) for sign in (1, -1)]
    places = [*dict.fromkeys([*TERMINALS, *own]), None]
    if len(names) == 1:
        return [{names[0]: place} for place in places]
    return [{name: random.choice(places) for name in names} for _ in range(ROUND_POINTS if names else 0)]


def at_points(points: Sequence[Point], precision: int) -> Valuation:
    """Values of expressions at these points, by their place in the list."""
    return Valuation(precision, coordinates=lambda name, place: points[place][name])


def _decimal(value: Fraction, digits: int) -> Decimal:
    return Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))


def rounded(point: Point, digits: int) -> Point:
    """The point with so many significant digits a coordinate."""
    return {name: value and Fraction(_decimal(value, digits)) for name, value in point.items()}


def shown(point: Point, digits: int = 40) -> dict[str, str]:
    """The coordinates as decimals; dots stand for more digits than these."""
    texts = {}
    for name, value in point.items():
        if value is None:
            texts[name] = "pi"
        else:
            decimal = _decimal(value, digits).normalize()
            text = f"{decimal:f}" if -6 <= decimal.adjusted() <= 12 else f"{decimal:e}"
            texts[name] = text if Fraction(decimal) == value else f"{text}..."
    return texts
