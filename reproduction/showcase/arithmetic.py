"""Equations between small numbers, as in the first years of school."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from random import Random

from ..language.expression import MINUS_ONE, Equation, Expression, add, constant, multiply, negated, power
from ..language.printing import HALF, ONE, TWO
from .mistakes import integer

LARGEST, LARGEST_DENOMINATOR = 150, 60
POOL = 6000  # expressions that others of the same value are drawn from


def numeral(value: Fraction) -> Expression:
    """A whole number or a fraction as the parser reads it."""
    if value.denominator == 1:
        return integer(value.numerator)
    above = integer(value.numerator)
    if value.denominator == 2 and above in (ONE, MINUS_ONE):
        return HALF if above is ONE else constant("-1/2")
    return _over(above, integer(value.denominator))


def _over(above: Expression, below: Expression) -> Expression:
    return HALF if above is ONE and below is TWO else multiply(above, power(below, MINUS_ONE))


def _less(left: Expression, right: Expression) -> Expression:
    return add(left, negated(right))


Made = tuple[Expression, Fraction]


def _small(random: Random, most: int = 12) -> tuple[Expression, Fraction]:
    value = random.choice((random.randint(1, 10), random.randint(0, most), random.randint(1, most)))
    return integer(value), Fraction(value)


def _operation(random: Random, first: Made, second: Made) -> Made:
    (left, a), (right, b) = first, second
    kind = random.choice("++--**/")
    if kind == "+":
        return add(left, right), a + b
    if kind == "-":
        return _less(left, right), a - b
    if kind == "*" or b == 0:
        return multiply(left, right), a * b
    return _over(left, right), a / b


def _two(random: Random) -> Made:
    wide = random.choice((12, 12, 20, 50))
    return _operation(random, _small(random, wide), _small(random))


def _three(random: Random) -> Made:
    first, second = _operation(random, _small(random), _small(random)), _small(random)
    return _operation(random, first, second) if random.random() < 0.6 else _operation(random, second, first)


def _fractions(random: Random) -> Made:
    parts = []
    for _ in range(2):
        above, below = random.randint(1, 5), random.choice((2, 2, 3, 4, 5, 6, 8, 10))
        parts.append((_over(integer(above), integer(below)), Fraction(above, below)))
    return _operation(random, *parts)


def _power(random: Random) -> Made:
    base, exponent = random.choice(
        [(n, 2) for n in range(13)]
        + [(2, n) for n in range(8)]
        + [(3, 3), (3, 4), (4, 3), (5, 3), (10, 2), (6, 3), (1, 5), (3, 0), (5, 1), (10, 1), (7, 0), (4, 1)] * 2
    )
    return power(integer(base), integer(exponent)), Fraction(base**exponent)


def _root(random: Random) -> Made:
    base = random.randint(0, 12)
    return power(integer(base * base), HALF), Fraction(base)


def _signed(random: Random) -> Made:
    (_, a), second = _small(random), _small(random)
    return _operation(random, (integer(-int(a)), -a), second) if a else _two(random)


def _quotient(random: Random) -> Made:
    (_, value), divisor = _small(random), random.randint(1, 12)
    return _over(integer(int(value) * divisor), integer(divisor)), value


def _power_and_more(random: Random) -> Made:
    return _operation(random, random.choice((_power, _root))(random), random.choice((_small, _power, _root))(random))


KINDS: dict[Callable[[Random], Made], float] = {
    _two: 6, _three: 4, _fractions: 3, _power: 2, _root: 1.5, _signed: 1.5, _quotient: 2, _power_and_more: 2,
}  # fmt: skip


class Sums:
    """True equations between numbers: something and its value, or two things of the same value."""

    def __init__(self, random: Random):
        self._random = random
        self._by_value: dict[Fraction, list[Expression]] = defaultdict(list)
        for _ in range(POOL):
            expression, value = self._drawn()
            self._by_value[value].append(expression)

    def _drawn(self) -> Made:
        kinds, weights = zip(*KINDS.items(), strict=True)
        while True:
            expression, value = self._random.choices(kinds, weights)[0](self._random)
            if abs(value) <= LARGEST and value.denominator <= LARGEST_DENOMINATOR:
                return expression, value

    def draw(self) -> Equation:
        left, value = self._drawn()
        others = self._by_value.get(value)
        if others and self._random.random() < 0.4:
            return Equation(left, self._random.choice(others))
        return Equation(left, numeral(value))
