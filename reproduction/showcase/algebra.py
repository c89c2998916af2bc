"""School algebra with small coefficients: expansions, factors, fractions, exponents and roots, all of them true."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from ..language.expression import Equation
from ..language.parsing import parse_equation

_NAMES = (*["xy"] * 6, "yx", "xz", "yz", "zx")


def _signed(number: int) -> str:
    """The number after a term: `+ 3`, `- 2`."""
    return f"+ {number}" if number >= 0 else f"- {-number}"


def polynomial(terms: list[tuple[int, str]]) -> str:
    """A sum as it is written: no term of coefficient 0, no coefficient of 1; "" is the product of nothing."""
    text = ""
    for coefficient, product in terms:
        if not coefficient:
            continue
        size = "" if abs(coefficient) == 1 and product else str(abs(coefficient))
        term = "*".join(filter(None, (size, product)))
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {term}" if text else f"{'-' if coefficient < 0 else ''}{term}"
    return text or "0"


def _quotient(above: int, below: int, product: str) -> str:
    """above * product / below, reduced."""
    value = Fraction(above, below)
    text = polynomial([(value.numerator, product)])
    return text if value.denominator == 1 else f"{text}/{value.denominator}"


class Draw:
    """Two names of variables and some small numbers."""

    def __init__(self, random: Random):
        self.x, self.y = tuple(random.choice(_NAMES))
        self.a, self.b, self.c = (random.choice((1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10)) for _ in range(3))
        self.s, self.t = (
            sign * size for sign, size in zip(random.choices((1, 1, -1), k=2), (self.b, self.c), strict=True)
        )
        self.m, self.n = random.randint(1, 6), random.randint(2, 5)
        self.small = random.choice((2, 2, 3, 4, 5, 10))


def _expanded(d: Draw) -> str:
    return f"{d.a}*({d.x} {_signed(d.s)}) = {polynomial([(d.a, d.x), (d.a * d.s, '')])}"


def _expanded_with_coefficient(d: Draw) -> str:
    return f"{d.a}*({polynomial([(d.b, d.x), (d.t, d.y)])}) = {polynomial([(d.a * d.b, d.x), (d.a * d.t, d.y)])}"


def _collected(d: Draw) -> str:
    product = d.x if d.m < 4 else f"{d.x}^{d.n}"
    return f"{polynomial([(d.a, product), (d.s, product)])} = {polynomial([(d.a + d.s, product)])}"


def _collected_in_two(d: Draw) -> str:
    left = polynomial([(d.a, d.x), (d.b, d.y), (d.t, d.x)])
    return f"{left} = {polynomial([(d.a + d.t, d.x), (d.b, d.y)])}"


def _two_brackets(d: Draw) -> str:
    right = polynomial([(1, f"{d.x}^2"), (d.s + d.t, d.x), (d.s * d.t, "")])
    return f"({d.x} {_signed(d.s)})*({d.x} {_signed(d.t)}) = {right}"


def _two_brackets_with_coefficient(d: Draw) -> str:
    right = polynomial([(d.a, f"{d.x}^2"), (d.a * d.t + d.s, d.x), (d.s * d.t, "")])
    return f"({polynomial([(d.a, d.x)])} {_signed(d.s)})*({d.x} {_signed(d.t)}) = {right}"


def _square(d: Draw) -> str:
    return f"({d.x} {_signed(d.s)})^2 = {polynomial([(1, f'{d.x}^2'), (2 * d.s, d.x), (d.s**2, '')])}"


def _square_with_coefficient(d: Draw) -> str:
    right = polynomial([(d.a**2, f"{d.x}^2"), (2 * d.a * d.s, d.x), (d.s**2, "")])
    return f"({polynomial([(d.a, d.x)])} {_signed(d.s)})^2 = {right}"


def _square_in_two(d: Draw) -> str:
    right = polynomial([(d.a**2, f"{d.x}^2"), (2 * d.a * d.t, f"{d.x}*{d.y}"), (d.t**2, f"{d.y}^2")])
    return f"({polynomial([(d.a, d.x), (d.t, d.y)])})^2 = {right}"


def _completed_square(d: Draw) -> str:
    return f"{polynomial([(1, f'{d.x}^2'), (2 * d.s, d.x)])} = ({d.x} {_signed(d.s)})^2 - {d.s**2}"


def _cube(d: Draw) -> str:
    s = d.s % 4 + 1 if d.s > 0 else -(-d.s % 4 + 1)
    right = polynomial([(1, f"{d.x}^3"), (3 * s, f"{d.x}^2"), (3 * s * s, d.x), (s**3, "")])
    return f"({d.x} {_signed(s)})^3 = {right}"


def _difference_of_squares(d: Draw) -> str:
    a, other = (1, d.y) if d.m < 3 else (d.a, "")
    right = d.b if not other else 1
    first, second = polynomial([(a, d.x), (right, other)]), polynomial([(a, d.x), (-right, other)])
    squares = polynomial([(a * a, f"{d.x}^2"), (-right * right, f"{other}^2" if other else "")])
    return f"{squares} = ({first})*({second})"


def _cancelled(d: Draw) -> str:
    return f"({d.x}^2 - {d.b**2})/({d.x} {_signed(d.s)}) = {d.x} {_signed(-d.s)}"


def _without_brackets(d: Draw) -> str:
    return f"{polynomial([(d.a, d.x)])} - ({d.y} {_signed(d.s)}) = {polynomial([(d.a, d.x), (-1, d.y), (-d.s, '')])}"


def _common_factor(d: Draw) -> str:
    left = polynomial([(d.a, f"{d.x}^2"), (d.a * d.s, d.x)])
    return f"{left} = {polynomial([(d.a, d.x)])}*({d.x} {_signed(d.s)})"


def _powers_multiplied(d: Draw) -> str:
    first = d.x if d.m == 1 else f"{d.x}^{d.m}"
    return f"{first}*{d.x}^{d.n} = {d.x}^{d.m + d.n}"


def _powers_divided(d: Draw) -> str:
    rest = {0: "1", 1: d.x, -1: f"1/{d.x}"}.get(
        d.m - d.n, f"{d.x}^{d.m - d.n}" if d.m > d.n else f"1/{d.x}^{d.n - d.m}"
    )
    return f"{d.x}^{d.m}/{d.x}^{d.n} = {rest}"


def _power_of_power(d: Draw) -> str:
    return f"({d.x}^{d.m})^{d.n} = {d.x}^{d.m * d.n}"


def _power_of_product(d: Draw) -> str:
    n = min(d.n, 3) if d.small < 6 else 2
    return f"({d.small}*{d.x})^{n} = {d.small**n}*{d.x}^{n}"


def _power_of_monomial(d: Draw) -> str:
    inner = f"{d.small}*{d.x}^{d.n}"
    return (
        f"({inner})^2 = {d.small**2}*{d.x}^{2 * d.n}" if d.m < 4 else f"({d.x}^{d.n}*{d.y})^2 = {d.x}^{2 * d.n}*{d.y}^2"
    )


def _monomials(d: Draw) -> str:
    return f"{d.a}*{d.x}*({d.b}*{d.x}^{d.n}) = {d.a * d.b}*{d.x}^{d.n + 1}"


def _exponents_added(d: Draw) -> str:
    return f"{d.small}^{d.x}*{d.small}^{d.y} = {d.small}^({d.x} + {d.y})"


def _exponent_shifted(d: Draw) -> str:
    n = d.n % 3 + 1
    return f"{d.small}^({d.x} + {n}) = {d.small**n}*{d.small}^{d.x}"


def _exponent_multiplied(d: Draw) -> str:
    n = d.n % 2 + 2
    return (
        f"({d.small}^{d.x})^{n} = {d.small}^({n}*{d.x})" if d.m < 4 else f"{d.small}^({n}*{d.x}) = {d.small**n}^{d.x}"
    )


def _bases_multiplied(d: Draw) -> str:
    return f"{d.small}^{d.x}*{d.n}^{d.x} = {d.small * d.n}^{d.x}"


def _exponentials(d: Draw) -> str:
    a, b = d.m, d.n
    return f"exp({polynomial([(a, d.x)])})*exp({polynomial([(b, d.x)])}) = exp({a + b}*{d.x})"


def _power_of_exponential(d: Draw) -> str:
    return f"exp({polynomial([(d.m, d.x)])})^{d.n} = exp({d.m * d.n}*{d.x})"


def _over_numbers(d: Draw) -> str:
    return f"{d.x}/{d.b + 1} + {d.x}/{d.c + 1} = {_quotient(d.b + d.c + 2, (d.b + 1) * (d.c + 1), d.x)}"


def _same_denominator(d: Draw) -> str:
    return f"{d.a}/{d.x} {_signed(d.s)}/{d.x} = {d.a + d.s}/{d.x}"


def _two_denominators(d: Draw) -> str:
    right = polynomial([(d.a, d.y), (d.s, d.x)])
    return f"{d.a}/{d.x} {_signed(d.s)}/{d.y} = ({right})/({d.x}*{d.y})"


def _divided_twice(d: Draw) -> str:
    return f"{d.x}/{d.a + 1}/{d.b + 1} = {d.x}/{(d.a + 1) * (d.b + 1)}"


def _reduced(d: Draw) -> str:
    return f"{d.a * d.b}*{d.x}/{d.a} = {polynomial([(d.b, d.x)])}"


def _reduced_letters(d: Draw) -> str:
    return f"({d.a}*{d.x}*{d.y})/({d.b}*{d.y}) = {_quotient(d.a, d.b, d.x)}"


def _parts_divided(d: Draw) -> str:
    return f"({polynomial([(d.a * d.b, d.x), (d.a * d.t, d.y)])})/{d.a} = {polynomial([(d.b, d.x), (d.t, d.y)])}"


def _root_of_square(d: Draw) -> str:
    return f"sqrt({d.a**2}*{d.x}) = {d.a}*sqrt({d.x})"


def _roots_of_numbers(d: Draw) -> str:
    a, b = d.small, d.n
    return f"sqrt({a * a * b}) = {a}*sqrt({b})" if d.m < 4 else f"sqrt({a})*sqrt({b}) = sqrt({a * b})"


def _conjugates(d: Draw) -> str:
    return f"(sqrt({d.x}) + {d.a})*(sqrt({d.x}) - {d.a}) = {d.x} - {d.a**2}"


KINDS: tuple[Callable[[Draw], str], ...] = (
    _expanded, _expanded_with_coefficient, _collected, _collected_in_two, _two_brackets, _two_brackets_with_coefficient,
    _square, _square_with_coefficient, _square_in_two, _completed_square, _cube, _difference_of_squares, _cancelled,
    _without_brackets, _common_factor, _powers_multiplied, _powers_divided, _power_of_power, _power_of_product,
    _power_of_monomial, _monomials, _exponents_added, _exponent_shifted, _exponent_multiplied, _bases_multiplied,
    _exponentials, _power_of_exponential, _over_numbers, _same_denominator, _two_denominators, _divided_twice, _reduced,
    _reduced_letters, _parts_divided, _root_of_square, _roots_of_numbers, _conjugates,
)  # fmt: skip


def algebraic(random: Random) -> Equation:
    """A true equation of one of these kinds."""
    return parse_equation(random.choice(KINDS)(Draw(random)))
