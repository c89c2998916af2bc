"""Do the labels of a data set stand? Every record is judged again, from its equation alone."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb

from ..judges.balls import Valuation
from ..judges.oracle import CORRECT, INCORRECT, Judgement, Oracle, explanation, show_value
from ..language.expression import Equation
from ..language.printing import print_equation
from .dataset import DECIMAL, SYMBOLIC, Record, literal_value

HALF_A_CENT, SLACK = "0.005", "1e-30"  # a value halfway between two cents may be rounded to either
CHUNK = 1000  # records that are judged together

VERDICT_OF_LABEL = {1: CORRECT, 0: INCORRECT}


@dataclass(frozen=True)
class Disagreement:
    """A record whose label our judges do not give, and what they give."""

    record: Record
    judgement: Judgement

    @property
    def is_contradiction(self) -> bool:
        """Whether the verdict is the opposite label, and not that nothing can be said."""
        return self.judgement.verdict in VERDICT_OF_LABEL.values()

    def as_row(self) -> dict:
        return {
            "id": self.record.id,
            "equation": print_equation(self.record.equation),
            "label": self.record.label,
            "verdict": self.judgement.verdict,
            "evidence": explanation(self.judgement.evidence),
        }

    @property
    def text(self) -> str:
        """The same in two lines, for the terminal."""
        return "{id}, label {label}: {equation}\n    {verdict}: {evidence}".format(**self.as_row())


@dataclass(frozen=True)
class Report:
    """How many records were settled in which way, and those whose label does not stand."""

    counts: Counter
    disagreements: tuple[Disagreement, ...]


def judge_numeric(equation: Equation, kind: str, valuation: Valuation) -> Judgement:
    """CORRECT when the literal is the other side rounded to two decimals or, of a decimal tree, equal to it."""
    literal, other = equation if literal_value(equation.right) is None else equation.mirrored()
    written, value = valuation.value(literal, 0), valuation.value(other, 0)
    if isinstance(written, str) or isinstance(value, str):
        return Judgement(INCORRECT, {"judge": "numeric", "reason": f"the side beside the literal is {value}"})
    if kind == DECIMAL:
        right = written.overlaps(value)  # distinct decimal numbers lie further apart than the balls are wide
    else:
        right = value.imag.contains(0) and abs(value.real - written.real) < arb(HALF_A_CENT) + arb(SLACK)
    left_side, right_side = (show_value(valuation.value(side, 0)) for side in equation)
    evidence = {"judge": "numeric", "point": {}, "left": left_side, "right": right_side}
    return Judgement(CORRECT if right else INCORRECT, evidence)


def _judge_chunk(records: Sequence[Record], oracle: Oracle, progress: Callable[[int], None]) -> list[Judgement]:
    symbolic = [record.equation for record in records if record.kind == SYMBOLIC]
    judgements = iter(oracle.judge_many(symbolic, progress))
    progress(len(records) - len(symbolic))
    return [
        next(judgements) if record.kind == SYMBOLIC else judge_numeric(record.equation, record.kind, oracle.valuation)
        for record in records
    ]


def judge_records(records: Sequence[Record], oracle: Oracle, progress=lambda count: None) -> list[Judgement]:
    """A judgement for each record, in their order; Sympy is asked about those that no point refutes."""
    return [
        judgement
        for start in range(0, len(records), CHUNK)
        for judgement in _judge_chunk(records[start : start + CHUNK], oracle, progress)
    ]


def _way(record: Record, judgement: Judgement) -> str:
    """How a record was settled."""
    if record.kind != SYMBOLIC:
        return f"numeric, {'right' if judgement.verdict == CORRECT else 'wrong'}"
    if judgement.verdict == CORRECT:
        route = judgement.evidence["route"]
        return f"confirmed by Sympy ({route})" if judgement.evidence["judge"] == "sympy" else route
    return "refuted at a point" if judgement.verdict == INCORRECT else f"not settled ({judgement.verdict})"


def disagreements(records: Sequence[Record], judgements: Sequence[Judgement]) -> tuple[Disagreement, ...]:
    """The records whose label is not the verdict."""
    return tuple(
        Disagreement(record, judgement)
        for record, judgement in zip(records, judgements, strict=True)
        if judgement.verdict != VERDICT_OF_LABEL[record.label]
    )


def recheck(records: Sequence[Record], oracle: Oracle, progress=lambda count: None) -> Report:
    """Which labels stand, and on what."""
    judgements = judge_records(records, oracle, progress)
    ways = Counter(_way(record, judgement) for record, judgement in zip(records, judgements, strict=True))
    return Report(ways, disagreements(records, judgements))
