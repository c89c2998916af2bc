"""Quotients of sums of products of atoms, with exact coefficients: the arithmetic of the second prover.

An atom is a variable, pi, exp(i pi), or a value of exp, a logarithm or an inverse function. Products have rational
exponents. Every rule holds for the principal branches wherever both sides of it are defined: a result of zero is zero,
any other result may be zero, too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any, NamedTuple, TypeVar

Key = TypeVar("Key")
Product = tuple[tuple[int, Fraction], ...]  # (number of an atom, exponent), in the order of the numbers
Sum = dict[Product, Fraction]  # with the coefficients

LARGEST_EXPONENT = 40  # of a sum that is multiplied out
WORK = 20_000  # products of two products, for one question


class GivesUpError(Exception):
    """The question is too large, or divides by zero."""


@dataclass(frozen=True)
class Ratio:
    """A quotient of two sums; numbers may stand for ratios in its arithmetic."""

    numerator: Sum
    denominator: Sum
    algebra: "Algebra" = field(compare=False, repr=False)

    @property
    def is_zero(self) -> bool:
        return not self.numerator

    @property
    def is_sum(self) -> bool:
        return self.denominator == {(): 1}

    @property
    def number(self) -> Fraction | None:
        """Its value if it consists of a number alone."""
        return self.numerator.get((), Fraction(0)) if self.is_sum and set(self.numerator) <= {()} else None

    def __add__(self, other: "Operand") -> "Ratio":
        algebra, other = self.algebra, self.algebra.of(other)
        if self.denominator == other.denominator:
            total = _collected(chain(self.numerator.items(), other.numerator.items()))
            return algebra.ratio(total, self.denominator)
        left = algebra.multiplied(self.numerator, other.denominator)
        right = algebra.multiplied(other.numerator, self.denominator)
        total = _collected(chain(left.items(), right.items()))
        return algebra.ratio(total, algebra.multiplied(self.denominator, other.denominator))

    def __mul__(self, other: "Operand") -> "Ratio":
        algebra, other = self.algebra, self.algebra.of(other)
        above = algebra.multiplied(self.numerator, other.numerator)
        return algebra.ratio(above, algebra.multiplied(self.denominator, other.denominator))

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: "Operand") -> "Ratio":
        return self + self.algebra.of(-1) * other

    def __truediv__(self, other: "Operand") -> "Ratio":
        other = self.algebra.of(other)
        if other.is_zero:
            raise GivesUpError
        return self * Ratio(other.denominator, other.numerator, self.algebra)

    def __rsub__(self, other: "Number") -> "Ratio":
        return self.algebra.of(other) - self

    def __rtruediv__(self, other: "Number") -> "Ratio":
        return self.algebra.of(other) / self

    def __pow__(self, exponent: int) -> "Ratio":
        if exponent < 0:
            return 1 / self**-exponent
        if len(self.numerator) == 1 and self.is_sum:
            [(product, coefficient)] = self.numerator.items()
            if abs(exponent) > 1000:
                raise GivesUpError
            return self.algebra.product({atom: each * exponent for atom, each in product}, coefficient**exponent)
        if exponent > LARGEST_EXPONENT:
            raise GivesUpError
        return reduce(mul, [self] * exponent, self.algebra.of(1))


Number = int | Fraction
Operand = Ratio | Number


class Atom(NamedTuple):
    """A factor of products, and its first power that has a simpler value, if there is one."""

    kind: str
    inside: Any  # a name, a ratio, or the product and the denominator that exp is taken of
    is_real: bool = False
    is_positive: bool = False
    period: int = 0
    value: Ratio | None = None  # of the atom to the power of its period


TURN = 0  # the number of exp(i pi), whose square root is i


def _collected(terms: Iterable[tuple[Key, Fraction]]) -> dict[Key, Fraction]:
    """The sums of the numbers of each key, without zeros."""
    total: dict[Key, Fraction] = {}
    for key, value in terms:
        total[key] = total.get(key, Fraction(0)) + value
    return {key: value for key, value in total.items() if value}


def _turns(exponent: Fraction) -> Iterator[tuple[int, Fraction]]:
    """exp(i pi)^exponent as a sum of signs and exponents from 0 to 1; roots of unity of order 3 and 5 add up to 0."""
    exponent %= 2
    sign, exponent = (1, exponent) if exponent < 1 else (-1, exponent - 1)
    for prime in (3, 5):
        highest = Fraction(prime - 1, prime)
        if exponent.denominator % prime == 0 and exponent >= highest:
            for place in range(prime - 1):
                for inner, lower in _turns(exponent - highest + Fraction(place, prime)):
                    yield -sign * inner * (-1) ** place, lower
            return
    yield sign, exponent


class Algebra:
    """The atoms of one question, and the sums and ratios over them; counts its work and gives up in time."""

    def __init__(self):
        self.atoms: list[Atom] = [Atom("turn", None)]
        self._work = 0
        self.i = self.product({TURN: Fraction(1, 2)})

    def of(self, value: Operand) -> Ratio:
        """A number as a ratio; a ratio itself."""
        if isinstance(value, Ratio):
            return value
        return Ratio({(): Fraction(value)} if value else {}, {(): Fraction(1)}, self)

    def product(self, exponents: dict[int, Fraction], coefficient: Fraction = Fraction(1)) -> Ratio:
        """A number times a product of atoms."""
        return self.settled(_collected(self._terms(exponents, coefficient)))

    def atom(self, atom: Atom, exponent: Fraction = Fraction(1)) -> Ratio:
        """A power of an atom: of a known one if its inside has an equal value, however it is written."""
        for number, known in enumerate(self.atoms):
            if known.kind == atom.kind:
                one, other = known.inside, atom.inside
                both = isinstance(one, Ratio) and isinstance(other, Ratio)
                if one == other or (both and (one - other).is_zero):
                    return self.product({number: exponent})
        self.atoms.append(atom)
        return self.product({len(self.atoms) - 1: exponent})

    def _terms(self, exponents: dict[int, Fraction], coefficient: Fraction) -> Iterator[tuple[Product, Fraction]]:
        rest = tuple(sorted((atom, exponent) for atom, exponent in exponents.items() if exponent and atom != TURN))
        for sign, exponent in _turns(exponents.get(TURN, Fraction(0))):
            yield (((TURN, exponent), *rest) if exponent else rest), sign * coefficient

    def multiplied(self, one: Sum, other: Sum) -> Sum:
        """The product of two sums; atoms are not yet replaced by simpler values of their powers."""
        self._spend(len(one) * len(other))
        return _collected(
            term
            for first, factor in one.items()
            for second, coefficient in other.items()
            for term in self._terms(_collected(chain(first, second)), factor * coefficient)
        )

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > WORK:
            raise GivesUpError

    def settled(self, total: Sum) -> Ratio:
        """A sum with every atom below its period."""
        self._spend(len(total))
        plain, beyond = {}, []
        for product, coefficient in total.items():
            periods = ((atom, exponent, self.atoms[atom].period) for atom, exponent in product)
            counts = [(atom, int(exponent // period)) for atom, exponent, period in periods if period]
            if first := next((each for each in counts if each[1]), None):
                beyond.append((dict(product), coefficient, *first))
            else:
                plain[product] = coefficient
        result = Ratio(plain, {(): Fraction(1)}, self)
        for rest, coefficient, atom, count in beyond:
            period, value = self.atoms[atom].period, self.atoms[atom].value
            assert value is not None, "a period has a value"
            rest[atom] -= count * period
            result += self.product(rest, coefficient) * value**count
        return result

    def ratio(self, numerator: Sum, denominator: Sum) -> Ratio:
        """The quotient of two sums, in the simplest form that is found without factoring."""
        above, below = self.settled(numerator), self.settled(denominator)
        if not (above.is_sum and below.is_sum):
            return above / below
        numerator, denominator = above.numerator, below.numerator
        if not denominator:
            raise GivesUpError
        leading, coefficient = min(denominator.items())
        if all(not self.atoms[atom].period for atom, _ in leading):
            inverse = _collected(self._terms({atom: -exponent for atom, exponent in leading}, 1 / coefficient))
            numerator, denominator = self.multiplied(numerator, inverse), self.multiplied(denominator, inverse)
        if numerator.keys() == denominator.keys():
            factors = {numerator[product] / denominator[product] for product in numerator}
            if len(factors) == 1:
                return self.of(factors.pop())
        return Ratio(numerator, denominator, self) if numerator else self.of(0)
