"""Function evaluations such as sin(-2.5) = -0.6, and numbers written as decimal trees (paper, section 2.2).

The release evaluates six functions; that is the paper protocol. The wide set takes all 28.
"""

import sys
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from random import Random

from ..judges.balls import Valuation, is_narrow
from ..language.expression import Equation, Expression, add, apply, constant, multiply, negated, number, power
from ..language.grammar import FUNCTIONS
from ..paper import NUMBERS_RANGE, NUMBERS_SHARE
from .dataset import DECIMAL, EVALUATION, Kind, Record

PAPER_FUNCTIONS = ("sin", "cos", "tan", "cot", "+", "*")
CENT = Decimal("0.01")
LIMIT = Decimal(str(NUMBERS_RANGE[1]))
LARGEST, SMALLEST = sys.float_info.max, sys.float_info.min


def _numeric(equation: Equation, label: int, kind: Kind, origin: str) -> Record:
    """A record that has no number yet."""
    return Record("", equation, label, kind, equation.depth, origin)


def draw_numbers(random: Random) -> list[Decimal]:
    """The paper's 30 % of the two-decimal numbers in the range, without 0, in ascending order."""
    every = [CENT * cents for cents in range(-int(LIMIT / CENT), int(LIMIT / CENT) + 1)]
    return sorted(random.sample([value for value in every if value], round(NUMBERS_SHARE * len(every))))


def literal(value: Decimal) -> Expression:
    """A number as a leaf; a negative one as -1 times a leaf, as in the release."""
    return negated(number(-value)) if value < 0 else number(abs(value))


def decimal_tree(value: Decimal) -> Expression:
    """A positive number as a sum of digits times powers of ten: 2.5 = 2 * 10^0 + 5 * 10^(-1)."""
    whole, _, fraction = number(value).symbol.partition(".")
    exponents = range(0, -len(fraction) - 1, -1)
    terms = [
        multiply(constant(digit), power(constant("10"), constant(str(exponent))))
        for digit, exponent in zip(whole + fraction, exponents, strict=True)
    ]
    tree = terms[0]
    for term in terms[1:]:
        tree = add(tree, term)
    return tree


def exact_value(expression: Expression, valuation: Valuation) -> Decimal | None:
    """The value to 30 digits; None when it is undefined, not real, not known so far, or larger than any float."""
    ball = valuation.value(expression, 0)
    if isinstance(ball, str) or not ball.imag.contains(0) or not is_narrow(ball):
        return None
    middle = ball.real.mid()
    if abs(middle) > LARGEST:
        return None
    return Decimal(0) if abs(middle) < SMALLEST else Decimal(middle.str(30, radius=False))


def to_cents(value: Decimal) -> Decimal | None:
    """The value to two decimals; None when it has more digits than decimal numbers keep."""
    try:
        return value.quantize(CENT, ROUND_HALF_EVEN)
    except InvalidOperation:
        return None


def rounded_value(expression: Expression, valuation: Valuation) -> Decimal | None:
    """The value to two decimals; None when it is undefined, not real or outside the paper's range."""
    exact = exact_value(expression, valuation)
    cents = to_cents(exact) if exact is not None and abs(exact) < LIMIT + CENT else None
    return cents if cents is not None and abs(cents) <= LIMIT else None


def _arguments(function: str, numbers: list[Decimal], pairs: int, random: Random) -> Iterator[tuple[Decimal, ...]]:
    if FUNCTIONS[function].arity == 1:
        yield from ((value,) for value in numbers)
    else:
        yield from dict.fromkeys((random.choice(numbers), random.choice(numbers)) for _ in range(pairs))


def correct_evaluations(functions: tuple[str, ...], numbers: list[Decimal], random: Random) -> list[Record]:
    """Every unary evaluation over the numbers, and as many random pairs for the binary functions."""
    valuation = Valuation()
    values = (
        (function, left, rounded_value(left, valuation))
        for function in functions
        for arguments in _arguments(function, numbers, 2 * len(numbers), random)
        for left in [apply(function, *map(literal, arguments))]
    )
    return [
        _numeric(Equation(left, literal(value)), 1, EVALUATION, f"evaluate: {function}")
        for function, left, value in values
        if value is not None
    ]


def correct_decimals(numbers: list[Decimal]) -> list[Record]:
    """The decimal tree of every number's absolute value."""
    values = sorted({abs(value) for value in numbers})
    return [_numeric(Equation(literal(value), decimal_tree(value)), 1, DECIMAL, "decimal tree") for value in values]


def _spoiled(record: Record, random: Random) -> Record:
    """The same equation with another literal: no longer true."""
    side, cents = (1 if record.kind == EVALUATION else 0), int(LIMIT / CENT)
    while True:
        other = literal(CENT * random.randint(-cents if record.kind == EVALUATION else 1, cents))
        if other is not record.equation[side]:
            equation = record.equation.replaced((side,), other)
            return _numeric(equation, 0, record.kind, f"{record.origin}, another number")


def make_evaluations(functions: tuple[str, ...], total: int, correct: int, random: Random) -> list[Record]:
    """So many distinct numeric equations, so many of them correct.

    Decimal trees come first among the correct ones, as many as there are numbers, at most a sixth of all.
    """
    numbers = draw_numbers(random)
    decimals, evaluations = correct_decimals(numbers), correct_evaluations(functions, numbers, random)
    random.shuffle(decimals)
    random.shuffle(evaluations)
    decimals = decimals[: correct // 6]
    right = decimals + evaluations[: correct - len(decimals)]
    sources = evaluations + decimals
    wrong: dict[Equation, Record] = {}
    while len(wrong) < total - correct:
        spoiled = _spoiled(random.choice(sources), random)
        wrong.setdefault(spoiled.equation, spoiled)
    return right + list(wrong.values())
