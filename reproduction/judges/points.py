"""Where the judges look when a person asks: places that nobody could have had in mind when the equation was written.

Random places have coordinates of 200 random bits, so that only what vanishes everywhere vanishes there; all
combinations of signs occur, several scales, and those of the equation's own numbers. Round places are those where
functions have poles, branch points and jumps. Both are drawn from a seed that is the equation's text: the answer is
always the same.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product
from math import floor
from random import Random

from ..language.expression import CONSTANT, NUMBER, Equation, constant
from ..language.printing import print_equation
from .balls import Valuation

RANDOM_POINTS = 24  # at least
ROUND_POINTS = 24  # of an equation with more than one variable
EXPONENTS = (0, -1, 1, 0, 2, -1, 3, 1, -3, 0, 5, -6)  # of the power of ten in a coordinate, in the order of the points
OWN_EXPONENTS, LARGEST_EXPONENT = 4, 300
TERMINALS = tuple(constant(name).value for name in ("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "-3", "0.4", "10"))

Point = dict[str, Fraction | None]  # the values of the variables; None is pi's, as it is an expression's


def random_points(equation: Equation) -> list[Point]:
    """Places of every scale and, for up to three variables, all combinations of signs at each scale."""
    names, random = equation.variables(), Random(f"random points of {print_equation(equation)}")
    if not names:
        return [{}]
    own = _own_exponents(equation)
    exponents = [*EXPONENTS[: max(3, RANDOM_POINTS // 2 ** len(names))], *own]
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
    """The scales of the equation's own numbers that are none of EXPONENTS: the largest of them, and ten times them."""
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


def rounded(point: Point, digits: int) -> Point:
    """The point with so many significant digits a coordinate."""
    context = Context(prec=digits)
    return {
        name: value if value is None else Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
        for name, value in point.items()
    }


def shown(point: Point, digits: int = 40) -> dict[str, str]:
    """The coordinates as decimals; dots stand for more digits than these."""
    texts = {}
    for name, value in point.items():
        if value is None:
            texts[name] = "pi"
            continue
        decimal = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
        text = f"{decimal:f}" if -6 <= decimal.adjusted() <= 12 else f"{decimal:e}"
        texts[name] = text if Fraction(decimal) == value else f"{text}..."
    return texts
