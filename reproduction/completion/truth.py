"""Which candidates make an equation true, for all candidates of a blank at once.

Expressions are judged by the numeric judge; a number is right if the value of the function is the literal, to two
decimals.

What the judge says of a completed equation depends on the candidate only through its values. So candidates whose
balls are the same to the last bit (2 + 2, 2 * 2, 4) are judged once, the rest of the equation is evaluated once, and
only the functions between the blank and "=" are computed for each of them: the same verdicts as `oracle.examine`
gives on every completed equation (a test compares them), in a fifth of the time.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..artifacts import fingerprint, write_bytes
from ..data.dataset import literal_value
from ..data.function_evaluations import exact_value, to_cents
from ..judges import balls, oracle
from ..judges.balls import POINT_COUNT, UNDEFINED, VAGUE, Valuation, Value, apply_to_balls
from ..judges.oracle import AGREES, DIFFERS, OUTCOMES, compare
from ..language.expression import Expression
from .candidates import Blank, numeric_candidates, symbolic_candidates

FALSE, TRUE = OUTCOMES.index(DIFFERS), OUTCOMES.index(AGREES)  # an outcome is stored as its index


def _exactly(ball: Value):
    """Something to compare two balls by: the same only if they are the same to the last bit."""
    if isinstance(ball, str):
        return ball
    return tuple((part.mid().man_exp(), part.rad().man_exp()) for part in (ball.real, ball.imag))


class CandidateJudge:
    """The numeric judge for blanks, which computes the values of candidates and subtrees once for all equations."""

    def __init__(self, functions: tuple[str, ...]):
        self._functions = functions
        self._valuation = Valuation()
        self._groups = lru_cache(maxsize=None)(self._grouped)  # by the variables of an equation

    def _values(self, expression: Expression) -> list[Value]:
        """At every sample point; one value where they are all the same."""
        return [self._valuation.value(expression, point) for point in range(1 if expression.closed else POINT_COUNT)]

    def _grouped(self, variables: tuple[str, ...]) -> tuple[np.ndarray, list[list[Value]]]:
        """The group that each candidate is in, and the values of each group: they are the same to the last bit."""
        groups: dict[tuple, tuple[int, list[Value]]] = {}
        members = []
        for candidate in symbolic_candidates(variables, self._functions):
            values = self._values(candidate)
            members.append(groups.setdefault((*map(_exactly, values),), (len(groups), values))[0])
        return np.array(members), [values for _, values in groups.values()]

    def outcomes(self, blank: Blank) -> np.ndarray:
        """One index into OUTCOMES for each of the blank's candidates."""
        members, groups = self._groups(blank.variables)
        other = self._values(blank.other_side)
        around = [(each.function, each.place, list(map(self._values, each.siblings))) for each in blank.ancestors]
        varies = len(other) > 1 or any(len(values) > 1 for _, _, siblings in around for values in siblings)
        by_group = [
            _outcome(POINT_COUNT if varies or len(values) > 1 else 1, values, around, other) for values in groups
        ]
        return np.array(by_group, dtype=np.uint8)[members]


def _outcome(points: int, values: list[Value], around: Iterable[tuple], other: list[Value]) -> int:
    """The rule of oracle.examine, as an index into OUTCOMES: one difference settles it, otherwise one agreement."""
    outcomes = set()
    for point in range(points):
        value = _at(values, point)
        for function, place, siblings in around:
            beside = [_at(each, point) for each in siblings]
            value = apply_to_balls(function, [*beside[:place], value, *beside[place:]])
        outcome = compare(value, _at(other, point))
        if outcome == DIFFERS:
            return FALSE
        outcomes.add(outcome)
    return next(OUTCOMES.index(outcome) for outcome in (AGREES, VAGUE, UNDEFINED) if outcome in outcomes)


def _at(values: list[Value], point: int) -> Value:
    return values[point % len(values)]


def _read_cache(path: Path, lengths: Sequence[int]) -> list[np.ndarray] | None:
    """The stored outcomes; None if there are none, or if the file is damaged or has another one's name."""
    try:
        name, _, content = zlib.decompress(path.read_bytes()).partition(b"\n")
    except (OSError, zlib.error):
        return None
    if name != path.name.encode() or len(content) != sum(lengths):
        return None
    return np.split(np.frombuffer(content, dtype=np.uint8), np.cumsum(lengths)[:-1])


def judge_blanks(
    blanks: Sequence[Blank], functions: tuple[str, ...], cache: Path, watch: Callable[[Iterable], Iterable] = iter
) -> list[np.ndarray]:
    """The outcomes of every candidate of every blank; kept on disk, as all models of a split need them.

    Those that have to be judged go through `watch`, which may show how far it is.
    """
    sources = [Path(module).read_bytes() for module in (balls.__file__, oracle.__file__, __file__)]
    texts = "\n".join([*functions, *(f"{blank.text}; {blank.variables}" for blank in blanks)])
    path = cache / f"completion-{fingerprint(*sources, texts.encode())}.zlib"  # of these blanks and this very code
    lengths = [len(symbolic_candidates(blank.variables, functions)) for blank in blanks]
    outcomes = _read_cache(path, lengths)
    if outcomes is None:
        judge = CandidateJudge(functions)
        outcomes = [judge.outcomes(blank) for blank in watch(blanks)]
        content = b"".join(here.tobytes() for here in outcomes)
        write_bytes(path, zlib.compress(path.name.encode() + b"\n" + content))
    return outcomes


class Truth(NamedTuple):
    """The literal of a numeric blank, and for each candidate the exact value and its rounding to two decimals."""

    literal: float
    removed: float
    exact: np.ndarray  # NaN where the function is undefined, not real or too large for two decimals
    rounded: np.ndarray

    @property
    def true_error(self) -> np.ndarray:
        """The paper's trueErr: between the value to two decimals and the literal."""
        return (self.rounded - self.literal) ** 2

    @property
    def fits(self) -> np.ndarray:
        return self.true_error < 1e-9

    @property
    def distance(self) -> np.ndarray:
        """The squared distance of each candidate from the number that was removed."""
        return (candidate_values() - self.removed) ** 2


def candidate_values() -> np.ndarray:
    return np.array([float(candidate.symbol) for candidate in numeric_candidates()])


def truth(blank: Blank, valuation: Valuation) -> Truth:
    """The literal, and the values of the blank's side for every candidate."""
    exact, rounded = np.full((2, len(numeric_candidates())), np.nan)
    for place, candidate in enumerate(numeric_candidates()):
        value = exact_value(blank.filled(candidate)[blank.path[0]], valuation)
        if value is not None and (cents := to_cents(value)) is not None:
            exact[place], rounded[place] = float(value), float(cents)
    literal, removed = (
        np.nan if value is None else value for value in map(literal_value, (blank.other_side, blank.removed))
    )
    return Truth(literal, removed, exact, rounded)
