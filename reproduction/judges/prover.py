"""A second prover, independent of Sympy: both sides as ratios of exponentials, whose difference is zero or not.

What it claims: at all real values of the variables at which every part of the equation is defined, the sides are equal.

Why that is so. Every part becomes a quotient N/D of sums of products of atoms (ratios.py). By induction over its parts
its value is N/D, and D is not 0: sums, products and quotients are those of numbers, and D is a product of what the
equation itself divides by, of exponentials, which are never 0, and of what a rule divides by, which is 0 only where
the function is not defined. Atoms are independent but for the relations that the rules give them, and each of these
holds at every point; so a difference that comes out as 0 is 0. Each rule below says why it holds; there is no other.
Powers of a base that is 0 at a point are limits of exp(w log z), where they are defined: their rules hold, too.

acot(z) and acoth(z) jump at 0, where atan(1/z) and atanh(1/z) are not defined: they are taken for those only in an
equation that has 1/z in it.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, reduce
from operator import add, mul, truediv

from ..language.expression import CONSTANT, NUMBER, VARIABLE, Equation, Expression
from ..language.grammar import ADD, CIRCULAR, MULTIPLY, POWER
from .ratios import TURN, Algebra, Atom, GivesUpError, Product, Ratio

ROUTE = "normal form of exponentials"
LARGEST_SIZE = 120  # nodes of an equation
HALF = Fraction(1, 2)


def proves(equation: Equation) -> bool:
    """Whether the two sides have the same normal form. False says nothing."""
    if equation.size > LARGEST_SIZE:
        return False
    nodes = set(equation.subexpressions())
    jumping = [node.children[0] for node in nodes if node.symbol in ("acot", "acoth")]
    divisors = {node.children[0] for node in nodes if node.symbol == POWER and (node.children[1].value or 0) < 0}
    forms = Forms(cotangents_as_tangents=all(bool(each.value) or each in divisors for each in jumping))
    try:
        left, right = map(forms.of, equation)
        return (left - right).is_zero
    except GivesUpError:
        return False


class Forms:
    """Ratios of expressions; a subtree is turned into one once."""

    def __init__(self, cotangents_as_tangents: bool = False):
        self.algebra = Algebra()
        self._cotangents_as_tangents = cotangents_as_tangents
        self.of = cache(self._made)

    def _made(self, expression: Expression) -> Ratio:
        algebra = self.algebra
        if expression.kind == VARIABLE:
            return algebra.atom(Atom("variable", expression.symbol, is_real=True))
        if expression.kind in (CONSTANT, NUMBER):
            return self._pi() if expression.value is None else algebra.of(expression.value)
        arguments = [self.of(child) for child in expression.children]
        if expression.symbol in (ADD, MULTIPLY):
            return reduce(add if expression.symbol == ADD else mul, arguments)
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
        return self.algebra.atom(Atom("pi", None, is_real=True))

    def _function(self, name: str, argument: Ratio) -> Ratio:
        """A circular or hyperbolic function, or the inverse of one; sin w = sinh(i w) / i, cos w = cosh(i w)."""
        if name.startswith("a"):
            return self._inverse(name[1:], argument)
        if name not in CIRCULAR:
            return self._hyperbolic(name, self._exp(argument))
        i = self.algebra.i
        over_i = 1 / i
        factor = {"sin": over_i, "tan": over_i, "cot": i, "csc": i}.get(name, 1)
        return factor * self._hyperbolic(f"{name}h", self._exp(i * argument))

    def _hyperbolic(self, name: str, exponential: Ratio) -> Ratio:
        """sinh and its kind, of a number w with e = exp(w): sinh w = (e - 1/e) / 2 = (e^2 - 1) / 2e, by definition."""
        square, double = exponential * exponential, 2 * exponential
        below, above = square - 1, square + 1
        parts = {"sinh": (below, double), "cosh": (above, double), "tanh": (below, above),
                 "coth": (above, below), "sech": (double, above), "csch": (double, below)}  # fmt: skip
        return truediv(*parts[name])

    def _inverse(self, name: str, argument: Ratio) -> Ratio:
        """Principal branches by their definitions, on the cuts, too: asec z = acos(1/z), acos z = pi/2 - asin z.

        acosh z = log(z + sqrt(z + 1) sqrt(z - 1)). asin, asinh, atan and atanh are odd everywhere: atan z is
        (log(1 + iz) - log(1 - iz)) / 2i, and the cuts of asinh, as of asin, are closed in opposite directions.
        """
        algebra = self.algebra
        reciprocal = {"sec": "cos", "csc": "sin", "sech": "cosh", "csch": "sinh", "cot": "tan", "coth": "tanh"}
        if name in ("cot", "coth") and not self._cotangents_as_tangents:
            return algebra.atom(Atom(f"a{name}", argument))
        if name in reciprocal:
            return self._inverse(reciprocal[name], 1 / argument)
        if name == "cos":
            return HALF * self._pi() - self._inverse("sin", argument)
        if name == "cosh":
            return self._log(argument + self._root(argument + 1) * self._root(argument - 1))
        if argument.is_zero:
            return argument
        if min(argument.numerator.items())[1] < 0:  # the others are odd
            return -1 * self._inverse(name, -1 * argument)
        return self._odd_inverse(name, argument)

    def _odd_inverse(self, name: str, argument: Ratio) -> Ratio:
        """asinh z = log(z + sqrt(1 + z^2)) and asin z = asinh(i z) / i by definition; atan and atanh stay atoms."""
        if name in ("tan", "tanh"):
            real = name == "tan" and self._is_real(argument)
            return self.algebra.atom(Atom(f"a{name}", argument, is_real=real))
        inner = self.algebra.i * argument if name == "sin" else argument
        logarithm = self._log(inner + self._root(1 + inner * inner))
        return logarithm / self.algebra.i if name == "sin" else logarithm

    def _root(self, argument: Ratio) -> Ratio:
        return self._power(argument, self.algebra.of(HALF))

    def _power(self, base: Ratio, exponent: Ratio) -> Ratio:
        """z^w = exp(w log z) by definition; for an integer w that is a product, as exp(2 pi i w) = 1."""
        value = exponent.number
        if base.is_zero:  # 0 to a power is 0 wherever it is defined
            if value is not None and value <= 0:
                raise GivesUpError
            return base
        if value is not None and value.denominator == 1:
            return base ** int(value)
        return self._exp(exponent * self._log(base))

    # ------------------------------------------------------------------------------------------ exponentials

    def _exp(self, exponent: Ratio) -> Ratio:
        """exp(v + w) = exp(v) exp(w) for all complex v and w."""
        factors = (self._exp_of_product(*each, exponent) for each in exponent.numerator.items())
        return reduce(mul, factors, self.algebra.of(1))

    def _exp_of_product(self, product: Product, coefficient: Fraction, exponent: Ratio) -> Ratio:
        """exp(coefficient * product), a power of an atom; over the denominator, if there is one.

        An atom exp(w) to the power c is exp(c w) by definition, so powers add up. Something simpler is known only where
        the product is one atom a, or i a, and nothing else: exp(i pi c) is a power of exp(i pi); exp(c log z) is z^c by
        definition of powers; exp(2 atanh z) and exp(2 i atan z) are quotients by _quotient, since i atan z = atanh(i z)
        and i acot z = acoth(z / i).
        """
        algebra = self.algebra
        inside = (product, tuple(sorted(exponent.denominator.items())))
        *turn, (number, power) = product or ((TURN, Fraction(0)),)
        if exponent.is_sum and power == 1 and turn in ([], [(TURN, HALF)]):  # one atom, at most i times it
            kind, of, *_ = algebra.atoms[number]
            if turn and kind == "pi":
                return algebra.product({TURN: coefficient})
            if not turn and kind == "log":
                return self._raised(of, coefficient)
            if kind in (("atan", "acot") if turn else ("atanh", "acoth")):
                hyperbolic = {"atan": algebra.i * of, "acot": of / algebra.i}.get(kind, of)
                square = self._quotient("acoth" if "cot" in kind else "atanh", hyperbolic)
                return algebra.atom(Atom("exp", inside, period=2, value=square), coefficient)
        real = self._is_real(Ratio({product: Fraction(1)}, exponent.denominator, algebra))
        return algebra.atom(Atom("exp", inside, is_real=real, is_positive=real), coefficient)

    def _quotient(self, kind: str, argument: Ratio) -> Ratio:
        """(1 + z) / (1 - z), which is exp(2 atanh(z)), or (z + 1) / (z - 1), which is exp(2 acoth(z)).

        2 atanh z = log(1 + z) - log(1 - z), and exp undoes a logarithm on every branch; at 1 and -1 neither is
        defined. acoth z = atanh(1/z); at 0, where it is i pi/2, both are -1.
        """
        return (1 + argument) / (1 - argument) if kind == "atanh" else (argument + 1) / (argument - 1)

    def _raised(self, base: Ratio, exponent: Fraction) -> Ratio:
        """exp(exponent * log(base)), base^exponent by definition: an atom whose first power is the base."""
        if exponent.denominator == 1:
            return base ** int(exponent)
        positive = _is_positive_number(base)
        atom = Atom("power", base, is_real=positive, is_positive=positive, period=1, value=base)
        return self.algebra.atom(atom, exponent)

    # ------------------------------------------------------------------------------------------ logarithms

    def _log(self, argument: Ratio) -> Ratio:
        """The principal logarithm; positive factors p come out: log(p z) = log p + log z, as p turns no angle."""
        if argument.is_zero:
            raise GivesUpError
        if len(argument.numerator) == 1 and argument.is_sum:
            [(product, coefficient)] = argument.numerator.items()
            return self._log_of_product(dict(product), coefficient)
        size = abs(min(argument.numerator.items())[1])
        rest = argument * (1 / size)
        return self._log_of_rational(size) + self._log_atom(rest)

    def _log_atom(self, inside: Ratio) -> Ratio:
        return self.algebra.atom(Atom("log", inside, is_real=_is_positive_number(inside)))

    def _log_of_product(self, exponents: dict[int, Fraction], coefficient: Fraction) -> Ratio:
        """Positive factors come out: a prime number p^c as c log p, and exp(t) of a real t as t.

        What is left of a number is a sign times exp(i pi t), 0 <= t < 1: its angle is pi t, or pi (t - 1) if the sign
        is negative and t is not 0, or pi. Anything else stays inside one logarithm.
        """
        algebra, total = self.algebra, self._log_of_rational(abs(coefficient))
        rest: dict[int, Fraction] = {}
        for number, exponent in exponents.items():
            atom = algebra.atoms[number]
            if not atom.is_positive:
                rest[number] = exponent
            elif atom.kind == "exp":
                product, denominator = atom.inside
                total += Ratio({product: exponent}, dict(denominator), algebra)
            else:
                total += exponent * self._log_atom(atom.inside)
        if set(rest) <= {TURN}:
            turn = rest.get(TURN, Fraction(0))
            turn = turn if coefficient > 0 else turn - 1 if turn else Fraction(1)
            return total + turn * (algebra.i * self._pi())
        sign = 1 if coefficient > 0 else -1
        return total + self._log_atom(sign * algebra.product(rest))

    def _log_of_rational(self, value: Fraction) -> Ratio:
        """The logarithm of a positive number as one of primes."""
        total = self.algebra.of(0)
        for part, sign in ((value.numerator, 1), (value.denominator, -1)):
            for prime in _primes(part):
                total += sign * self._log_atom(self.algebra.of(prime))
        return total

    def _is_real(self, ratio: Ratio) -> bool:
        """Whether it is made of real atoms; only a positive one has a real root."""
        return all(
            self.algebra.atoms[atom].is_real and (exponent.denominator == 1 or self.algebra.atoms[atom].is_positive)
            for total in (ratio.numerator, ratio.denominator)
            for product in total
            for atom, exponent in product
        )


def _is_positive_number(ratio: Ratio) -> bool:
    return ratio.number is not None and ratio.number > 0


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
