"""True equations of school: algebra with small coefficients, and sums of small numbers."""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from random import Random

from ..language.expression import MINUS_ONE, Equation, Expression, add, constant, multiply, negated, power
from ..language.parsing import parse_equation, parse_expression
from ..language.printing import HALF, ONE, TWO
from .mistakes import integer

_NAMES = (*["xy"] * 6, "yx", "xz", "yz", "zx")


def _sum(*parts) -> str:
    """A sum as it is written, from coefficients and products in turn: `2, "x", -1, "y", 3, ""` is `2*x - y + 3`."""
    text = ""
    for coefficient, product in zip(parts[::2], parts[1::2], strict=True):
        if not coefficient:
            continue
        size = "" if abs(coefficient) == 1 and product else str(abs(coefficient))
        term = "*".join(filter(None, (size, product)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {term}" if text else f"{'-' if coefficient < 0 else ''}{term}"
    return text or "0"


def _signed(number: int) -> str:
    """The number after a term: `+ 3`, `- 2`."""
    return f"+ {number}" if number >= 0 else f"- {-number}"


def _quotient(above: int, below: int, product: str) -> str:
    """above * product / below, reduced."""
    value = Fraction(above, below)
    text = _sum(value.numerator, product)
    return text if value.denominator == 1 else f"{text}/{value.denominator}"


def _power(base: str, exponent: int) -> str:
    return base if exponent == 1 else f"{base}^{exponent}"


class Draw:
    """Two names of variables, some small numbers, and terms that are often made of them."""

    def __init__(self, random: Random):
        self.x, self.y = tuple(random.choice(_NAMES))
        self.a, self.b, self.c = (random.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10)) for _ in range(3))
        self.s, self.t = (
            sign * size for sign, size in zip(random.choices((1, 1, -1), k=2), (self.b, self.c), strict=True)
        )
        self.m, self.n = random.randint(1, 6), random.randint(2, 5)
        self.small = random.choice((2, 2, 3, 4, 5, 10))
        self.xx, self.ax = f"{self.x}^2", _sum(self.a, self.x)
        self.x_s, self.x_t = _sum(1, self.x, self.s, ""), _sum(1, self.x, self.t, "")


def _collected(d: Draw) -> str:
    product = d.x if d.m < 4 else f"{d.x}^{d.n}"
    return f"{_sum(d.a, product, d.s, product)} = {_sum(d.a + d.s, product)}"


def _cube(d: Draw) -> str:
    s = d.s % 4 + 1 if d.s > 0 else -(-d.s % 4 + 1)
    return f"({_sum(1, d.x, s, '')})^3 = {_sum(1, f'{d.x}^3', 3 * s, d.xx, 3 * s * s, d.x, s**3, '')}"


def _difference_of_squares(d: Draw) -> str:
    a, b, other = (1, 1, d.y) if d.m < 3 else (d.a, d.b, "")
    squares = _sum(a * a, d.xx, -b * b, f"{other}^2" if other else "")
    return f"{squares} = ({_sum(a, d.x, b, other)})*({_sum(a, d.x, -b, other)})"


def _powers_divided(d: Draw) -> str:
    rest = _power(d.x, abs(d.m - d.n)) if d.m != d.n else "1"
    return f"{d.x}^{d.m}/{d.x}^{d.n} = {rest if d.m >= d.n else f'1/{rest}'}"


def _power_of_monomial(d: Draw) -> str:
    if d.m < 4:
        return f"({d.small}*{d.x}^{d.n})^2 = {d.small**2}*{d.x}^{2 * d.n}"
    return f"({d.x}^{d.n}*{d.y})^2 = {d.x}^{2 * d.n}*{d.y}^2"


def _power_of_product(d: Draw) -> str:
    n = min(d.n, 3) if d.small < 6 else 2
    return f"({d.small}*{d.x})^{n} = {d.small**n}*{d.x}^{n}"


def _exponent_shifted(d: Draw) -> str:
    n = d.n % 3 + 1
    return f"{d.small}^({d.x} + {n}) = {d.small**n}*{d.small}^{d.x}"


def _exponent_multiplied(d: Draw) -> str:
    n = d.n % 2 + 2
    return (
        f"({d.small}^{d.x})^{n} = {d.small}^({n}*{d.x})" if d.m < 4 else f"{d.small}^({n}*{d.x}) = {d.small**n}^{d.x}"
    )


def _roots_of_numbers(d: Draw) -> str:
    a, b, c = d.a + 1, d.b + 1, d.c + 1
    return (
        f"sqrt({a * a * b}) = {a}*sqrt({b})",
        f"sqrt({a})*sqrt({b}) = sqrt({a * b})",
        f"{a}*sqrt({b}) = sqrt({a * a * b})",
        f"sqrt({a * b})/sqrt({b}) = sqrt({a})",
        f"{c}/sqrt({b}) = {_quotient(c, b, f'sqrt({b})')}",
        f"{_sum(a, f'sqrt({b})', d.t, f'sqrt({b})')} = {_sum(a + d.t, f'sqrt({b})')}",
    )[d.m - 1]


ALGEBRA: tuple[Callable[[Draw], str], ...] = (
    # brackets and sums
    lambda d: f"{d.a}*({d.x_s}) = {_sum(d.a, d.x, d.a * d.s, '')}",
    lambda d: f"{d.a}*({_sum(d.b, d.x, d.t, d.y)}) = {_sum(d.a * d.b, d.x, d.a * d.t, d.y)}",
    _collected,
    lambda d: f"{_sum(d.a, d.x, d.b, d.y, d.t, d.x)} = {_sum(d.a + d.t, d.x, d.b, d.y)}",
    lambda d: f"({d.x_s})*({d.x_t}) = {_sum(1, d.xx, d.s + d.t, d.x, d.s * d.t, '')}",
    lambda d: f"({_sum(d.a, d.x, d.s, '')})*({d.x_t}) = {_sum(d.a, d.xx, d.a * d.t + d.s, d.x, d.s * d.t, '')}",
    lambda d: f"({d.x_s})^2 = {_sum(1, d.xx, 2 * d.s, d.x, d.s**2, '')}",
    lambda d: f"({_sum(d.a, d.x, d.s, '')})^2 = {_sum(d.a**2, d.xx, 2 * d.a * d.s, d.x, d.s**2, '')}",
    lambda d: (
        f"({_sum(d.a, d.x, d.t, d.y)})^2 = " + _sum(d.a**2, d.xx, 2 * d.a * d.t, f"{d.x}*{d.y}", d.t**2, f"{d.y}^2")
    ),
    lambda d: f"{_sum(1, d.xx, 2 * d.s, d.x)} = ({d.x_s})^2 - {d.s**2}",
    _cube,
    _difference_of_squares,
    lambda d: f"({d.xx} - {d.b**2})/({d.x_s}) = {_sum(1, d.x, -d.s, '')}",
    lambda d: f"{d.ax} - ({_sum(1, d.y, d.s, '')}) = {_sum(d.a, d.x, -1, d.y, -d.s, '')}",
    lambda d: f"{_sum(d.a, d.xx, d.a * d.s, d.x)} = {d.ax}*({d.x_s})",
    # powers
    lambda d: f"{_power(d.x, d.m)}*{d.x}^{d.n} = {d.x}^{d.m + d.n}",
    _powers_divided,
    lambda d: f"({d.x}^{d.m})^{d.n} = {d.x}^{d.m * d.n}",
    _power_of_product,
    _power_of_monomial,
    lambda d: f"{d.a}*{d.x}*({d.b}*{d.x}^{d.n}) = {d.a * d.b}*{d.x}^{d.n + 1}",
    lambda d: f"{d.small}^{d.x}*{d.small}^{d.y} = {d.small}^({d.x} + {d.y})",
    _exponent_shifted,
    _exponent_multiplied,
    lambda d: f"{d.small}^{d.x}*{d.n}^{d.x} = {d.small * d.n}^{d.x}",
    lambda d: f"exp({_sum(d.m, d.x)})*exp({_sum(d.n, d.x)}) = exp({d.m + d.n}*{d.x})",
    lambda d: f"exp({_sum(d.m, d.x)})^{d.n} = exp({d.m * d.n}*{d.x})",
    # fractions and roots
    lambda d: f"{d.x}/{d.b + 1} + {d.x}/{d.c + 1} = {_quotient(d.b + d.c + 2, (d.b + 1) * (d.c + 1), d.x)}",
    lambda d: f"{d.a}/{d.x} {_signed(d.s)}/{d.x} = {d.a + d.s}/{d.x}",
    lambda d: f"{d.a}/{d.x} {_signed(d.s)}/{d.y} = ({_sum(d.a, d.y, d.s, d.x)})/({d.x}*{d.y})",
    lambda d: f"{d.x}/{d.a + 1}/{d.b + 1} = {d.x}/{(d.a + 1) * (d.b + 1)}",
    lambda d: f"{d.a * d.b}*{d.x}/{d.a} = {_sum(d.b, d.x)}",
    lambda d: f"({d.a}*{d.x}*{d.y})/({d.b}*{d.y}) = {_quotient(d.a, d.b, d.x)}",
    lambda d: f"({_sum(d.a * d.b, d.x, d.a * d.t, d.y)})/{d.a} = {_sum(d.b, d.x, d.t, d.y)}",
    lambda d: f"{d.x}/{d.a + 1} + {d.y}/{d.b + 1} = ({_sum(d.b + 1, d.x, d.a + 1, d.y)})/{(d.a + 1) * (d.b + 1)}",
    lambda d: f"{d.x}/{d.a + 1} - {d.x}/{d.b + 1} = {_quotient(d.b - d.a, (d.a + 1) * (d.b + 1), d.x)}",
    lambda d: f"({d.x}/{d.a + 1})/({d.y}/{d.b + 1}) = ({d.b + 1}*{d.x})/({d.a + 1}*{d.y})",
    lambda d: f"{d.x}/{d.a + 1}*({d.b}/{d.x}) = {_quotient(d.b, d.a + 1, '')}",
    lambda d: f"({d.x_s})/{d.x} = 1 {_signed(d.s)}/{d.x}",
    lambda d: f"({d.x}/{d.y})^{d.n} = {d.x}^{d.n}/{d.y}^{d.n}",
    lambda d: f"{d.x}^(-{d.n}) = 1/{d.x}^{d.n}",
    lambda d: f"sqrt({d.a**2}*{d.x}) = {d.a}*sqrt({d.x})",
    _roots_of_numbers,
    _roots_of_numbers,
    lambda d: f"{_sum(d.a, f'sqrt({d.x})', d.s, f'sqrt({d.x})')} = {_sum(d.a + d.s, f'sqrt({d.x})')}",
    lambda d: f"sqrt({d.a})*sqrt({d.x}) = sqrt({d.a}*{d.x})",
    lambda d: f"sqrt({d.x}/{d.a**2}) = sqrt({d.x})/{d.a}",
    lambda d: f"(sqrt({d.x}) + {d.a})*(sqrt({d.x}) - {d.a}) = {d.x} - {d.a**2}",
)


def algebraic(random: Random) -> Equation:
    """A true equation of school algebra."""
    return parse_equation(random.choice(ALGEBRA)(Draw(random)))


LARGEST, LARGEST_DENOMINATOR = 400, 100
POOL = 12_000  # expressions that others of the same value are drawn from

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
    return HALF if above is ONE and below is TWO else multiply(above, power(below, MINUS_ONE))


def _small(random: Random, most: int = 12) -> Made:
    value = random.choice((random.randint(1, 10), random.randint(0, most), random.randint(1, most)))
    return integer(value), Fraction(value)


def _operation(random: Random, first: Made, second: Made) -> Made:
    (left, a), (right, b) = first, second
    kind = random.choice("++--**/")
    if kind == "+":
        return add(left, right), a + b
    if kind == "-":
        return add(left, negated(right)), a - b
    if kind == "*" or b == 0:
        return multiply(left, right), a * b
    return _over(left, right), a / b


def _two(random: Random) -> Made:
    wide = random.choice((12, 12, 20, 50, 100))
    return _operation(random, _small(random, wide), _small(random))


def _three(random: Random) -> Made:
    first, second = _operation(random, _small(random), _small(random)), _small(random)
    return _operation(random, *((first, second) if random.random() < 0.6 else (second, first)))


def _fraction(random: Random) -> Made:
    above, below = random.randint(1, 5), random.choice((2, 2, 3, 4, 5, 6, 8, 10))
    return _over(integer(above), integer(below)), Fraction(above, below)


_POWERS = [(n, 2) for n in range(21)] + [(2, n) for n in range(8)]
_POWERS += [(3, 3), (3, 4), (4, 3), (5, 3), (10, 2), (6, 3), (1, 5), (3, 0), (5, 1), (10, 1), (7, 0), (4, 1)] * 2


def _whole_power(random: Random) -> Made:
    base, exponent = random.choice(_POWERS)
    return power(integer(base), integer(exponent)), Fraction(base**exponent)


def _root(random: Random) -> Made:
    base = random.randint(0, 20)
    return power(integer(base * base), HALF), Fraction(base)


def _negative(random: Random) -> Made:
    (_, a), second = _small(random), _small(random)
    return _operation(random, (integer(-int(a)), -a), second) if a else _two(random)


def _whole_quotient(random: Random) -> Made:
    (_, value), divisor = _small(random), random.randint(1, 12)
    return _over(integer(int(value) * divisor), integer(divisor)), value


def _power_and_more(random: Random) -> Made:
    kinds = (_whole_power, _root), (_small, _whole_power, _root)
    return _operation(random, *(random.choice(each)(random) for each in kinds))


def _sum_of_squares(random: Random) -> Made:
    a, b = random.randint(1, 15), random.randint(1, 15)
    return add(power(integer(a), TWO), power(integer(b), TWO)), Fraction(a * a + b * b)


def _decimal(random: Random) -> Made:
    value = Fraction(random.randint(1, 99), 10) if random.random() < 0.7 else Fraction(random.randint(1, 39), 4)
    return parse_expression(f"{float(value):g}"), value


def _decimals(random: Random) -> Made:
    pair = _decimal(random), (_decimal if random.random() < 0.5 else _small)(random)
    return _operation(random, *(pair if random.random() < 0.5 else pair[::-1]))


ARITHMETIC: dict[Callable[[Random], Made], float] = {
    _two: 6, _three: 4, lambda random: _operation(random, _fraction(random), _fraction(random)): 3, _whole_power: 2,
    _root: 1.5, _negative: 1.5, _whole_quotient: 2, _power_and_more: 2, _sum_of_squares: 1, _decimals: 1.5,
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
        kinds, weights = zip(*ARITHMETIC.items(), strict=True)
        while True:
            expression, value = self._random.choices(kinds, weights)[0](self._random)
            if abs(value) <= LARGEST and value.denominator <= LARGEST_DENOMINATOR:
                return expression, value

    def draw(self) -> Equation:
        left, value = self._drawn()
        others = self._by_value.get(value)
        if others and self._random.random() < 0.4:
            return Equation(left, self._random.choice(others))
        is_decimal = any("." in leaf.symbol for leaf in left.subexpressions()) and 100 % value.denominator == 0
        right = parse_expression(f"{float(value):g}") if is_decimal else numeral(value)
        return Equation(left, right)
