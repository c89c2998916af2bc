"""Function evaluations such as sin(-2.5) = -0.6, decimal trees (paper, section 2.2), and labels judged once more.

The authors' release evaluates six functions, and so does the data set `paper`; `--evaluations all` takes all 28.
"""

import sys
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from random import Random
from typing import NamedTuple

from flint import arb

from ..judges.balls import Valuation, is_narrow
from ..judges.oracle import CORRECT, INCORRECT, Judgement, Oracle, explanation, show_value
from ..language.expression import Equation, Expression, add, apply, constant, multiply, negated, number, power
from ..language.grammar import FUNCTIONS
from ..language.printing import print_equation
from ..paper import NUMBERS_RANGE, NUMBERS_SHARE
from .dataset import DECIMAL, EVALUATION, SYMBOLIC, Kind, Record, literal_value

PAPER_FUNCTIONS = ("sin", "cos", "tan", "cot", "+", "*")
CENT = Decimal("0.01")
LIMIT = Decimal(str(NUMBERS_RANGE[1]))
CENTS = int(LIMIT / CENT)
LARGEST, SMALLEST = sys.float_info.max, sys.float_info.min


def draw_numbers(random: Random) -> list[Decimal]:
    """The paper's 30 % of the two-decimal numbers in the range, without 0, in ascending order."""
    every = [CENT * cents for cents in range(-CENTS, CENTS + 1)]
    return sorted(random.sample([value for value in every if value], round(NUMBERS_SHARE * len(every))))


def literal(value: Decimal) -> Expression:
    """A number as a leaf; a negative one as -1 times a leaf, as in the release."""
    return negated(number(-value)) if value < 0 else number(abs(value))


def decimal_tree(value: Decimal) -> Expression:
    """A positive number as a sum of digits times powers of ten: 2.5 = 2 * 10^0 + 5 * 10^(-1)."""
    whole, _, fraction = number(value).symbol.partition(".")
    tree = multiply(constant(whole), power(constant("10"), constant("0")))
    for place, digit in enumerate(fraction, 1):
        tree = add(tree, multiply(constant(digit), power(constant("10"), constant(str(-place)))))
    return tree


def exact_value(expression: Expression, valuation: Valuation) -> Decimal | None:
    """The value to 30 digits; None when it is undefined, not real, not known to 12 digits, or larger than any float."""
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


Made = tuple[Equation, Kind, str]  # an equation with its kind and what made it


def correct_evaluations(functions: tuple[str, ...], numbers: list[Decimal], random: Random) -> list[Made]:
    """Every unary evaluation over the numbers, and twice as many random pairs for the binary functions."""
    valuation, found = Valuation(), []
    for function in functions:
        arguments: list[tuple[Decimal, ...]] = [(value,) for value in numbers]
        if FUNCTIONS[function].arity == 2:
            arguments = [(random.choice(numbers), random.choice(numbers)) for _ in range(2 * len(numbers))]
        for each in dict.fromkeys(arguments):
            left = apply(function, *map(literal, each))
            value = rounded_value(left, valuation)
            if value is not None:
                found.append((Equation(left, literal(value)), EVALUATION, f"evaluate: {function}"))
    return found


def numeric_records(total: int, correct: int, functions: tuple[str, ...], seed: int) -> tuple[Record, ...]:
    """So many distinct numeric equations in random order, so many of them correct, evaluations of these functions.

    Decimal trees come first among the correct ones, as many as there are numbers, at most a sixth of all. An incorrect
    equation is a correct one with another literal.
    """
    random = Random(f"numeric {seed}")
    numbers = draw_numbers(random)
    pairs = [Equation(literal(value), decimal_tree(value)) for value in sorted({abs(value) for value in numbers})]
    decimals: list[Made] = [(pair, DECIMAL, "decimal tree") for pair in pairs]
    evaluations = correct_evaluations(functions, numbers, random)
    random.shuffle(decimals)
    random.shuffle(evaluations)
    decimals = decimals[: correct // 6]
    sources = evaluations + decimals
    wrong: dict[Equation, Made] = {}
    while len(wrong) < total - correct:
        equation, kind, origin = random.choice(sources)
        side, least = (1, -CENTS) if kind == EVALUATION else (0, 1)
        other = equation[side]
        while other is equation[side]:
            other = literal(CENT * random.randint(least, CENTS))
        spoiled = equation.replaced((side,), other)
        wrong.setdefault(spoiled, (spoiled, kind, f"{origin}, another number"))
    rows = [(1, *each) for each in decimals + evaluations[: correct - len(decimals)]]
    rows += [(0, *each) for each in wrong.values()]
    random.shuffle(rows)
    return tuple(
        Record(f"n{index}", equation, label, kind, equation.depth, origin)
        for index, (label, equation, kind, origin) in enumerate(rows)
    )


# ------------------------------------------------------------------------------------------------ judged once more

HALF_A_CENT, SLACK = "0.005", "1e-30"  # a value halfway between two cents may be rounded to either
LABELS = {CORRECT: 1, INCORRECT: 0}  # by the verdicts that state one


class Disagreement(NamedTuple):
    """A record with a judgement that is not its label."""

    record: Record
    judgement: Judgement

    @property
    def is_contradiction(self) -> bool:
        """Whether the verdict is the opposite label, and not that the judges leave it open."""
        return self.judgement.verdict in LABELS

    def as_row(self) -> dict:
        row = {"id": self.record.id, "equation": print_equation(self.record.equation), "label": self.record.label}
        return {**row, "verdict": self.judgement.verdict, "evidence": explanation(self.judgement.evidence)}

    @property
    def text(self) -> str:
        """The same in two lines, for the terminal."""
        return "{id}, label {label}: {equation}\n    {verdict}: {evidence}".format(**self.as_row())


def judge_numeric(equation: Equation, kind: str, valuation: Valuation) -> Judgement:
    """CORRECT when the literal is the other side rounded to two decimals or, of a decimal tree, equal to it."""
    values = [valuation.value(side, 0) for side in equation]
    written, value = values if literal_value(equation.right) is None else reversed(values)
    if isinstance(written, str) or isinstance(value, str):
        return Judgement(INCORRECT, {"judge": "numeric", "reason": f"the side beside the literal is {value}"})
    if kind == DECIMAL:
        right = written.overlaps(value)  # distinct decimal numbers lie further apart than the balls are wide
    else:
        right = value.imag.contains(0) and abs(value.real - written.real) < arb(HALF_A_CENT) + arb(SLACK)
    left_side, right_side = map(show_value, values)
    evidence = {"judge": "numeric", "point": {}, "left": left_side, "right": right_side}
    return Judgement(CORRECT if right else INCORRECT, evidence)


def judge_records(records: Sequence[Record], oracle: Oracle, progress=lambda count: None) -> list[Judgement]:
    """A judgement for each record, in their order; Sympy is asked about those that no point refutes."""
    symbolic = [record.equation for record in records if record.kind == SYMBOLIC]
    judged = iter(oracle.judge_many(symbolic, progress))
    progress(len(records) - len(symbolic))
    return [
        next(judged) if record.kind == SYMBOLIC else judge_numeric(record.equation, record.kind, oracle.valuation)
        for record in records
    ]


def way(record: Record, judgement: Judgement) -> str:
    """How a record was settled."""
    if record.kind != SYMBOLIC:
        return f"numeric, {'right' if judgement.verdict == CORRECT else 'wrong'}"
    if judgement.verdict == CORRECT:
        route = judgement.evidence["route"]
        return f"confirmed by Sympy ({route})" if judgement.evidence["judge"] == "sympy" else route
    return "refuted at a point" if judgement.verdict == INCORRECT else f"not settled ({judgement.verdict})"


def disagreements(records: Sequence[Record], judgements: Sequence[Judgement]) -> list[Disagreement]:
    """The records whose label is not the verdict."""
    pairs = zip(records, judgements, strict=True)
    return [Disagreement(*pair) for pair in pairs if LABELS.get(pair[1].verdict) != pair[0].label]
