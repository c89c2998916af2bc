"""Values of expressions by mpmath alone, which knows nothing of our ball arithmetic."""

from typing import Any

import mpmath

from reproduction.language.expression import FUNCTION, VARIABLE

OPERATORS: dict[str, Any] = {"+": mpmath.fadd, "*": mpmath.fmul, "^": mpmath.power}


def value(expression, point):
    """The value where the variables have these values; ZeroDivisionError or ValueError at poles."""
    if expression.kind == FUNCTION:
        arguments = [value(child, point) for child in expression.children]
        return (OPERATORS.get(expression.symbol) or getattr(mpmath, expression.symbol))(*arguments)
    if expression.kind == VARIABLE:
        return mpmath.mpf(point[expression.symbol])
    exact = expression.value
    return +mpmath.pi if exact is None else mpmath.mpf(exact.numerator) / exact.denominator


def agree(equation, point, digits):
    """Whether the sides are equal to so many digits; None where one of them has no finite value."""
    try:
        left, right = (value(side, point) for side in equation)
    except (ZeroDivisionError, ValueError):
        return None
    if not (mpmath.isfinite(left) and mpmath.isfinite(right)):
        return None
    return abs(left - right) <= mpmath.mpf(10) ** -digits * (1 + abs(left))
