"""A second prover, independent of Sympy: both sides as ratios of exponentials, whose difference is zero or not.

What it proves holds wherever both sides are made of values that are defined; a few further points, the terminals of
Table 1, are looked at for what lies apart.

acot(z) and acoth(z) jump at 0, where atan(1/z) and atanh(1/z) are not defined: they are taken for those only in an
equation that has 1/z in it.
"""

from collections.abc import Iterator
from random import Random

from ..language.expression import Equation, Expression, constant
from ..language.grammar import POWER
from ..language.printing import print_equation, print_expression
from .forms import Forms
from .ratios import GivesUpError

ROUTE = "normal form of exponentials"
LARGEST_SIZE = 120  # nodes of an equation
FURTHER_POINTS = 24
_TERMINALS = tuple(map(constant, ("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "-3", "0.4", "10", "pi")))


def proves(equation: Equation) -> bool:
    """Whether the two sides have the same normal form. False says nothing."""
    if equation.size > LARGEST_SIZE:
        return False
    if _are_equal(equation, Forms()):
        return True
    jumping = [node.children[0] for node in equation.subexpressions() if node.symbol in ("acot", "acoth")]
    return bool(jumping) and all(_is_divisor(each, equation) for each in jumping) and _are_equal(equation, Forms(True))


def _are_equal(equation: Equation, forms: Forms) -> bool:
    try:
        return forms.algebra.is_zero(forms.algebra.minus(*map(forms.of, equation)))
    except GivesUpError:
        return False


def _is_divisor(expression: Expression, equation: Equation) -> bool:
    """Whether the expression is nowhere 0, or the equation is undefined where it is."""
    return bool(expression.value) or any(
        node.symbol == POWER and node.children[0] is expression and (node.children[1].value or 0) < 0
        for node in equation.subexpressions()
    )


def further_points(equation: Equation) -> Iterator[dict[str, Expression]]:
    """Terminals for all variables: where functions have poles, branch points and jumps."""
    names, random = equation.variables(), Random(print_equation(equation))
    if len(names) == 1:
        yield from ({names[0]: terminal} for terminal in _TERMINALS)
    elif names:
        yield from ({name: random.choice(_TERMINALS) for name in names} for _ in range(FURTHER_POINTS))


def shown(point: dict[str, Expression]) -> dict[str, str]:
    return {name: print_expression(value) for name, value in point.items()}
