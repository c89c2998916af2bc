"""Learned curves: what a network decodes a unary function of a number to, beside the true value."""

from decimal import Decimal
from statistics import median

from ..data.function_evaluations import LIMIT, exact_value, literal
from ..errors import InputError
from ..judges.balls import Valuation
from ..language.expression import Expression, apply
from ..language.grammar import FUNCTIONS
from ..use.network import Network

STEP = Decimal("0.04")
DIGITS = 3  # of the values that are sent


def arguments() -> list[Decimal]:
    """The numbers from -3.14 to 3.14, evenly spaced, 0 left out as in the training."""
    steps = int(LIMIT / STEP)
    return [STEP * step for step in range(-steps, steps + 1) if step]


def _true_value(expression: Expression, valuation: Valuation) -> float | None:
    exact = exact_value(expression, valuation)
    return None if exact is None else round(float(exact), DIGITS)


def _curve(function: str, decoded: list[float], valuation: Valuation) -> dict:
    expressions = [apply(function, literal(value)) for value in arguments()]
    known = [_true_value(expression, valuation) for expression in expressions]
    errors = [abs(mine - true) for mine, true in zip(decoded, known, strict=True) if true is not None]
    return {
        "name": function,
        "decoded": [round(value, DIGITS) for value in decoded],
        "true": known,
        "error": round(median(errors), DIGITS) if errors else None,
    }


def curves(network: Network) -> dict:
    """The curve of every unary function that the network knows, the best first."""
    if not network.decodes:
        raise InputError(f"{network.title} does not decode numbers; one of the networks trained with data does")
    functions = [name for name in network.reader.knowledge.functions if FUNCTIONS[name].arity == 1]
    points = list(map(literal, arguments()))
    decoded = network.decoded([apply(function, point) for function in functions for point in points]).tolist()
    valuation, count = Valuation(), len(points)
    found = [
        _curve(function, decoded[place * count : (place + 1) * count], valuation)
        for place, function in enumerate(functions)
    ]
    best_first = sorted(found, key=lambda curve: (curve["error"] is None, curve["error"]))
    return {"limit": float(LIMIT), "x": [float(value) for value in arguments()], "functions": best_first}
