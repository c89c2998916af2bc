"""True equations of school: algebra with small coefficients, and sums of small numbers."""

import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from random import Random

from .. import artifacts
from ..language.expression import MINUS_ONE, VARIABLE, Equation, Expression, add, constant, minus, multiply, over, power
from ..language.grammar import ADD, POWER
from ..language.parsing import parse_equation, parse_expression
from ..language.printing import HALF, ONE, TWO
from .mistakes import integer

FORMS = Path(__file__).with_name("school.txt")
_NAMES = (*["xy"] * 6, "yx", "xz", "yz", "zx")


_LINES = [line for line in artifacts.read_text(FORMS).splitlines() if line and not line.startswith("#")]


def _drawn_names(random: Random) -> dict[str, int | str]:
    """Values for the letters of the table: two variables, small numbers, and frequent combinations of them."""
    x, y = tuple(random.choice(_NAMES))
    a, b, c = (random.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10)) for _ in range(3))
    s, t = (sign * size for sign, size in zip(random.choices((1, 1, -1), k=2), (b, c), strict=True))
    m, n = random.randint(1, 6), random.randint(2, 5)
    p = random.choice((2, 2, 3, 4, 5, 10))
    between = "" if abs(m - n) == 1 else f"^{abs(m - n)}"
    return {
        "x": x, "y": y, "a": a, "b": b, "c": c, "s": s, "t": t, "m": m, "n": n, "p": p,
        "k": min(n, 3) if p < 6 else 2, "q": n % 3 + 1, "r": n % 2 + 2, "u": (abs(s) % 4 + 1) * (1 if s > 0 else -1),
        "signed_s": f"+ {s}" if s >= 0 else f"- {-s}",
        "x_to_m": x if m == 1 else f"{x}^{m}",
        "x_to_m_minus_n": "1" if m == n else f"{x}{between}" if m > n else f"1/{x}{between}",
    }  # fmt: skip


def _value(expression: Expression, names: dict[str, int | str]) -> Fraction:
    """The value of a coefficient."""
    if expression.kind == VARIABLE:
        return Fraction(names[expression.symbol])
    if expression.is_leaf:
        return expression.value or Fraction(0)
    left, right = (_value(child, names) for child in expression.children)
    if expression.symbol == POWER:
        return Fraction(left**right)
    return left + right if expression.symbol == ADD else left * right


def _sum(terms: str, names: dict[str, int | str]) -> str:
    """A sum as it is written, from coefficients and products: `2 x, -1 y, 3` is `2*x - y + 3`."""
    text = ""
    for coefficient, _, product in (term.strip().partition(" ") for term in terms.split(",")):
        value = _value(parse_expression(coefficient), names)
        if value:
            size = "" if abs(value.numerator) == 1 and product else str(abs(value.numerator))
            term = "*".join(filter(None, (size, product))) + (f"/{value.denominator}" if value.denominator > 1 else "")
            sign = "-" if value < 0 else "+"
            text += f" {sign} {term}" if text else f"{'-' if value < 0 else ''}{term}"
    return text or "0"


def algebraic(random: Random) -> Equation:
    """A true equation of school algebra."""
    forms = random.choice(_LINES).split(" | ")
    names = _drawn_names(random)
    text = forms[(int(names["m"]) - 1) * len(forms) // 6].format_map(names)
    while "[" in text:
        text = re.sub(r"\[([^\[\]]*)\]", lambda found: _sum(found[1], names), text)
    return parse_equation(text)


LARGEST, LARGEST_DENOMINATOR = 150, 60
POOL = 6000  # expressions that others of the same value are drawn from

Made = tuple[Expression, Fraction]  # something between numbers, and its value


def numeral(value: Fraction) -> Expression:
    """A whole number or a fraction as the parser reads it."""
    above = integer(value.numerator)
    if value.denominator == 1:
        return above
    if value.denominator == 2 and above is MINUS_ONE:
        return constant("-1/2")
    return _over(above, integer(value.denominator))


def _over(above: Expression, below: Expression) -> Expression:
    return HALF if above is ONE and below is TWO else over(above, below)


def _operation(random: Random, first: Made, second: Made) -> Made:
    (left, a), (right, b) = first, second
    kind = random.choice("++--**/")
    if kind == "+":
        return add(left, right), a + b
    if kind == "-":
        return minus(left, right), a - b
    if kind == "*" or b == 0:
        return multiply(left, right), a * b
    return _over(left, right), a / b


_POWERS = [(n, 2) for n in range(13)] + [(2, n) for n in range(8)]
_POWERS += [(3, 3), (3, 4), (4, 3), (5, 3), (10, 2), (6, 3), (1, 5), (3, 0), (5, 1), (10, 1), (7, 0), (4, 1)] * 2
ARITHMETIC = {
    "two": 6, "three": 4, "fractions": 3, "power": 2, "root": 1.5, "negative": 1.5, "quotient": 2, "power and more": 2,
}  # fmt: skip


def arithmetic(kind: str, random: Random) -> Made:
    """Something between numbers, of this kind."""

    def small(most: int = 12) -> Made:
        value = random.choice((random.randint(1, 10), random.randint(0, most), random.randint(1, most)))
        return integer(value), Fraction(value)

    def fraction() -> Made:
        above, below = random.randint(1, 5), random.choice((2, 2, 3, 4, 5, 6, 8, 10))
        return _over(integer(above), integer(below)), Fraction(above, below)

    if kind == "small":
        return small()
    if kind == "three":
        first, second = _operation(random, small(), small()), small()
        return _operation(random, *((first, second) if random.random() < 0.6 else (second, first)))
    if kind == "fractions":
        return _operation(random, fraction(), fraction())
    if kind == "power":
        base, exponent = random.choice(_POWERS)
        return power(integer(base), integer(exponent)), Fraction(base**exponent)
    if kind == "root":
        base = random.randint(0, 12)
        return power(integer(base * base), HALF), Fraction(base)
    if kind == "negative":
        (_, value), second = small(), small()
        if value:
            return _operation(random, (integer(-int(value)), -value), second)
    if kind == "quotient":
        (_, value), divisor = small(), random.randint(1, 12)
        return _over(integer(int(value) * divisor), integer(divisor)), value
    if kind == "power and more":
        kinds = ("power", "root"), ("small", "power", "root")
        return _operation(random, *(arithmetic(random.choice(each), random) for each in kinds))
    return _operation(random, small(random.choice((12, 12, 20, 50))), small())


class Sums:
    """True equations between numbers: something and its value, or two things of the same value."""

    def __init__(self, random: Random):
        self._random = random
        self._by_value: dict[Fraction, list[Expression]] = defaultdict(list)
        for _ in range(POOL):
            expression, value = self._drawn()
            self._by_value[value].append(expression)

    def _drawn(self) -> Made:
        while True:
            kind = self._random.choices([*ARITHMETIC], [*ARITHMETIC.values()])[0]
            expression, value = arithmetic(kind, self._random)
            if abs(value) <= LARGEST and value.denominator <= LARGEST_DENOMINATOR:
                return expression, value

    def draw(self) -> Equation:
        left, value = self._drawn()
        others = self._by_value.get(value)
        if others and self._random.random() < 0.4:
            return Equation(left, self._random.choice(others))
        return Equation(left, numeral(value))
