"""Expressions as ratios of exponentials: the forms that the second prover compares.

Circular and hyperbolic functions become exponentials, and so do powers; inverse functions become logarithms or stay
atoms with what exp makes of them. No step leaves the principal branch.
"""

from collections.abc import Iterator
from fractions import Fraction

from ..language.expression import CONSTANT, NUMBER, VARIABLE, Expression
from ..language.grammar import ADD, CIRCULAR, MULTIPLY, POWER
from .ratios import TURN, Algebra, Atom, GivesUpError, Product, Ratio

HALF = Fraction(1, 2)


class Forms:
    """Ratios of expressions; a subtree is turned into one once."""

    def __init__(self, cotangents_as_tangents: bool = False):
        self.algebra = Algebra()
        self._cotangents_as_tangents = cotangents_as_tangents
        self._known: dict[Expression, Ratio] = {}

    def of(self, expression: Expression) -> Ratio:
        known = self._known.get(expression)
        if known is None:
            known = self._known[expression] = self._made(expression)
        return known

    def _made(self, expression: Expression) -> Ratio:
        algebra = self.algebra
        if expression.kind == VARIABLE:
            return algebra.atom(algebra.number_of(Atom("variable", expression.symbol, is_real=True)))
        if expression.kind in (CONSTANT, NUMBER):
            return self._pi() if expression.value is None else algebra.rational(expression.value)
        arguments = [self.of(child) for child in expression.children]
        if expression.symbol in (ADD, MULTIPLY):
            return (algebra.plus if expression.symbol == ADD else algebra.times)(*arguments)
        if expression.symbol == POWER:
            return self._power(*arguments)
        if expression.symbol == "exp":
            return self._exp(*arguments)
        if expression.symbol == "log":
            return self._log(*arguments)
        if expression.symbol == "atan2":
            raise GivesUpError
        return self._function(expression.symbol, *arguments)

    def _pi(self) -> Ratio:
        return self.algebra.atom(self.algebra.number_of(Atom("pi", None, is_real=True, is_positive=True)))

    def _function(self, name: str, argument: Ratio) -> Ratio:
        """A circular or hyperbolic function, or the inverse of one; sin w = sinh(i w) / i, cos w = cosh(i w)."""
        algebra = self.algebra
        if name.startswith("a"):
            return self._inverse(name[1:], argument)
        if name in CIRCULAR:
            inner = algebra.times(algebra.i, argument)
            values = {"sin": ("sinh", algebra.over(algebra.one, algebra.i)), "cos": ("cosh", algebra.one),
                      "tan": ("tanh", algebra.over(algebra.one, algebra.i)), "cot": ("coth", algebra.i),
                      "sec": ("sech", algebra.one), "csc": ("csch", algebra.i)}  # fmt: skip
            hyperbolic, factor = values[name]
            return algebra.times(factor, self._hyperbolic(hyperbolic, self._exp(inner)))
        return self._hyperbolic(name, self._exp(argument))

    def _hyperbolic(self, name: str, exponential: Ratio) -> Ratio:
        """sinh and its kind, of a number w with e = exp(w): sinh w = (e - 1/e) / 2 = (e^2 - 1) / 2e, by definition."""
        algebra, two = self.algebra, self.algebra.rational(2)
        square = algebra.times(exponential, exponential)
        below, above = algebra.minus(square, algebra.one), algebra.plus(square, algebra.one)
        double = algebra.times(two, exponential)
        parts = {"sinh": (below, double), "cosh": (above, double), "tanh": (below, above),
                 "coth": (above, below), "sech": (double, above), "csch": (double, below)}  # fmt: skip
        return algebra.over(*parts[name])

    def _inverse(self, name: str, argument: Ratio) -> Ratio:
        """Principal branches by their definitions, on the cuts, too: asec z = acos(1/z), acos z = pi/2 - asin z.

        acosh z = log(z + sqrt(z + 1) sqrt(z - 1)). asin, asinh, atan and atanh are odd everywhere: atan z is
        (log(1 + iz) - log(1 - iz)) / 2i, and the cuts of asinh, as of asin, are closed in opposite directions.
        """
        algebra = self.algebra
        reciprocal = {"sec": "cos", "csc": "sin", "sech": "cosh", "csch": "sinh", "cot": "tan", "coth": "tanh"}
        if name in ("cot", "coth") and not self._cotangents_as_tangents:
            return algebra.atom(algebra.number_of(Atom(f"a{name}", argument)))
        if name in reciprocal:
            return self._inverse(reciprocal[name], algebra.over(algebra.one, argument))
        if name == "cos":
            right_angle = algebra.times(algebra.rational(HALF), self._pi())
            return algebra.minus(right_angle, self._inverse("sin", argument))
        if name == "cosh":
            roots = [self._power(algebra.plus(argument, algebra.rational(n)), algebra.rational(HALF)) for n in (1, -1)]
            return self._log(algebra.plus(argument, algebra.times(*roots)))
        if algebra.is_zero(argument):
            return argument
        if min(argument.numerator.items())[1] < 0:  # the others are odd
            minus = algebra.rational(-1)
            return algebra.times(minus, self._inverse(name, algebra.times(minus, argument)))
        return self._odd_inverse(name, argument)

    def _odd_inverse(self, name: str, argument: Ratio) -> Ratio:
        """asinh z = log(z + sqrt(1 + z^2)) and asin z = asinh(i z) / i by definition; atan and atanh stay atoms."""
        algebra = self.algebra
        if name in ("tan", "tanh"):
            real = name == "tan" and self._is_real(argument)
            return algebra.atom(algebra.number_of(Atom(f"a{name}", argument, is_real=real)))
        inner = algebra.times(algebra.i, argument) if name == "sin" else argument
        square = algebra.plus(algebra.one, algebra.times(inner, inner))
        logarithm = self._log(algebra.plus(inner, self._power(square, algebra.rational(HALF))))
        return algebra.over(logarithm, algebra.i) if name == "sin" else logarithm

    def _power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """z^w = exp(w log z) by definition; for an integer w that is a product, as exp(2 pi i w) = 1."""
        algebra = self.algebra
        value = exponent.numerator.get((), 0) if exponent.is_sum and set(exponent.numerator) <= {()} else None
        if algebra.is_zero(base):  # 0 to a power is 0 wherever it is defined
            if value is not None and value <= 0:
                raise GivesUpError
            return base
        if value is not None and Fraction(value).denominator == 1:
            return algebra.power(base, int(value))
        return self._exp(algebra.times(exponent, self._log(base)))

    # ------------------------------------------------------------------------------------------ exponentials

    def _exp(self, exponent: Ratio) -> Ratio:
        """exp(v + w) = exp(v) exp(w) for all complex v and w."""
        algebra, result = self.algebra, self.algebra.one
        for product, coefficient in exponent.numerator.items():
            factor = self._exp_of_product(product, coefficient, exponent)
            result = algebra.times(result, factor)
        return result

    def _exp_of_product(self, product: Product, coefficient: Fraction, exponent: Ratio) -> Ratio:
        """exp(coefficient * product), a power of an atom; over the denominator, if there is one.

        Atoms of exp to the power c are exp(c w) by definition, so powers add up. Something simpler is known only where
        the product is one atom a, or i a, and nothing else: exp(i pi c) is a power of exp(i pi), exp(c log z) is z^c
        by definition of powers, exp(2 atanh z) and exp(2 i atan z) are quotients by _quotient.
        """
        algebra = self.algebra
        inside = (product, tuple(sorted(exponent.denominator.items())))
        *turn, (number, power) = product or ((TURN, Fraction(0)),)
        if exponent.is_sum and power == 1 and turn in ([], [(TURN, HALF)]):  # one atom, at most i times it
            atom = algebra.atoms[number]
            if turn and atom.kind == "pi":
                return algebra.product({TURN: coefficient})
            if not turn and atom.kind == "log":
                return self._raised(atom.inside, coefficient)
            if turn and atom.kind in ("atan", "acot"):
                return self._turned(inside, atom, coefficient)
            if not turn and atom.kind in ("atanh", "acoth"):
                square = self._quotient(atom.kind, atom.inside)
                return self._periodic(Atom("exp", inside, period=2, value=square), coefficient)
        real = self._is_real(Ratio({product: Fraction(1)}, exponent.denominator))
        number = algebra.number_of(Atom("exp", inside, is_real=real, is_positive=real))
        return algebra.product({number: coefficient})

    def _periodic(self, atom: Atom, exponent: Fraction) -> Ratio:
        return self.algebra.product({self.algebra.number_of(atom): exponent})

    def _quotient(self, kind: str, argument: Ratio) -> Ratio:
        """(1 + z) / (1 - z), which is exp(2 atanh(z)), or (z + 1) / (z - 1), which is exp(2 acoth(z)).

        2 atanh z = log(1 + z) - log(1 - z), and exp undoes a logarithm on every branch. acoth z = atanh(1/z); at 0,
        where it is i pi/2, both are -1.
        """
        algebra = self.algebra
        parts = (algebra.one, argument) if kind == "atanh" else (argument, algebra.one)
        return algebra.over(algebra.plus(*parts), algebra.minus(*parts))

    def _turned(self, inside, atan: Atom, coefficient: Fraction) -> Ratio:
        """exp(i c atan(z)): (1 + iz) / sqrt(1 + z^2) to the power c for real z, its square for any; and of acot(z).

        For real z the angle atan z is that of 1 + iz, whose length is the root. For any z, i atan z = atanh(i z) and
        i acot z = acoth(z / i).
        """
        algebra, argument = self.algebra, atan.inside
        rotated = algebra.times(algebra.i, argument)
        if atan.kind == "acot":
            square = self._quotient("acoth", algebra.over(argument, algebra.i))
            return self._periodic(Atom("exp", inside, period=2, value=square), coefficient)
        if not atan.is_real:
            return self._periodic(Atom("exp", inside, period=2, value=self._quotient("atanh", rotated)), coefficient)
        length = self._raised(algebra.plus(algebra.one, algebra.times(argument, argument)), HALF)
        value = algebra.over(algebra.plus(algebra.one, rotated), length)
        return self._periodic(Atom("exp", inside, period=1, value=value), coefficient)

    def _raised(self, base: Ratio, exponent: Fraction) -> Ratio:
        """exp(exponent * log(base)), base^exponent by definition; roots of 2, 3 and 5 as angles."""
        algebra = self.algebra
        if exponent.denominator == 1:
            return algebra.power(base, int(exponent))
        positive = self._is_positive(base)
        atom = Atom("power", base, is_real=positive, is_positive=positive, period=1, value=base)
        root = _ROOTS.get(base.numerator.get(())) if base.is_sum and set(base.numerator) == {()} else None
        if root and exponent.denominator == 2:
            terms = {((TURN, Fraction(*turn)),) if turn[0] else (): Fraction(sign) for sign, turn in root}
            return algebra.times(algebra.settled(terms), algebra.power(base, int(exponent - HALF)))
        return self._periodic(atom, exponent)

    # ------------------------------------------------------------------------------------------ logarithms

    def _log(self, argument: Ratio) -> Ratio:
        """The principal logarithm; positive factors p come out: log(p z) = log p + log z, as p turns no angle."""
        algebra = self.algebra
        if algebra.is_zero(argument):
            raise GivesUpError
        if len(argument.numerator) == 1 and argument.is_sum:
            [(product, coefficient)] = argument.numerator.items()
            return self._log_of_product(dict(product), coefficient)
        size = abs(min(argument.numerator.items())[1])
        rest = algebra.times(argument, algebra.rational(1 / size))
        return algebra.plus(self._log_of_rational(size), self._log_atom(rest))

    def _log_atom(self, inside: Ratio) -> Ratio:
        return self.algebra.atom(self.algebra.number_of(Atom("log", inside, is_real=self._is_positive(inside))))

    def _log_of_product(self, exponents: dict[int, Fraction], coefficient: Fraction) -> Ratio:
        """Positive factors come out, each as log(p^c) = c log p with a real log p, and so do even powers of variables.

        What is left of a number is a sign times exp(i pi t), 0 <= t < 1: its angle is pi t, or pi (t - 1) if the sign
        is negative and t is not 0, or pi. Anything else stays inside one logarithm.
        """
        algebra, total = self.algebra, self._log_of_rational(abs(coefficient))
        rest: dict[int, Fraction] = {}
        for number, exponent in exponents.items():
            atom = algebra.atoms[number]
            if atom.is_positive and atom.kind != "exp":
                inside = atom.value if atom.kind == "power" else algebra.atom(number)
                total = algebra.plus(total, algebra.times(algebra.rational(exponent), self._log_atom(inside)))
            elif atom.is_positive and isinstance(atom.inside, tuple):
                product, denominator = atom.inside
                inner = Ratio({product: exponent}, dict(denominator))
                total = algebra.plus(total, inner)
            elif atom.is_real and atom.kind == "variable" and exponent % 2 == 0:
                square = algebra.product({number: Fraction(2)})
                total = algebra.plus(total, algebra.times(algebra.rational(exponent / 2), self._log_atom(square)))
            else:
                rest[number] = exponent
        turn = exponents.get(TURN, Fraction(0))
        if set(rest) <= {TURN}:
            turn = turn if coefficient > 0 else turn - 1 if turn else Fraction(1)
            return algebra.plus(total, algebra.times(algebra.rational(turn), algebra.times(algebra.i, self._pi())))
        sign = algebra.rational(1 if coefficient > 0 else -1)
        return algebra.plus(total, self._log_atom(algebra.times(sign, algebra.product(rest))))

    def _log_of_rational(self, value: Fraction) -> Ratio:
        """The logarithm of a positive number as one of primes."""
        algebra, total = self.algebra, self.algebra.rational(0)
        for part, sign in ((value.numerator, 1), (value.denominator, -1)):
            for prime in _primes(part):
                total = algebra.plus(
                    total, algebra.times(algebra.rational(sign), self._log_atom(algebra.rational(prime)))
                )
        return total

    def _is_real(self, ratio: Ratio) -> bool:
        """Whether it is made of real atoms; only a positive one has a real root."""
        return all(
            self.algebra.atoms[atom].is_real and (exponent.denominator == 1 or self.algebra.atoms[atom].is_positive)
            for total in ratio
            for product in total
            for atom, exponent in product
        )

    def _is_positive(self, ratio: Ratio) -> bool:
        """Whether every term of a sum is a positive number times squares of real ones and positive ones."""
        return ratio.is_sum and all(
            coefficient > 0
            and all(
                self.algebra.atoms[atom].is_positive or (self.algebra.atoms[atom].is_real and exponent % 2 == 0)
                for atom, exponent in product
            )
            for product, coefficient in ratio.numerator.items()
        )


# sqrt(2) = 2 cos(pi/4), sqrt(3) = 2 cos(pi/6) and sqrt(5) = 1 + 4 cos(2 pi/5), with -exp(-i a) = exp(i (pi - a))
_ROOTS = {
    2: ((1, (1, 4)), (-1, (3, 4))),
    3: ((1, (1, 6)), (-1, (5, 6))),
    5: ((1, (0, 1)), (2, (2, 5)), (-2, (3, 5))),
}


def _primes(value: int) -> Iterator[int]:
    """The prime factors, each as often as it occurs; a large one may be a product."""
    divisor = 2
    while divisor * divisor <= value and divisor < 1000:
        while value % divisor == 0:
            yield divisor
            value //= divisor
        divisor += 1
    if value > 1:
        yield value
