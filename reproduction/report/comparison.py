"""Ours beside the paper's: mean and spread over seeds, the paper's number, and how near is close."""

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import mpmath

from .. import paper
from ..data.baselines import MAJORITY_OF_COLUMN, MAJORITY_OF_TRAIN, SYMPY_AUTO
from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from ..measures import ACCURACY, EVALUATION_ACCURACY, MSE, PRECISION, RECALL, TOP_K, Measure, depth_measure
from .results import DEV_CHOSEN, Archive

CLOSE, BETTER, WORSE = "close", "better", "worse"
CONFIDENCE = 0.95

# How far from the paper's number is still close: points of accuracy, and for the error its own unit.
TOLERANCES = {
    (GENERALIZATION, ACCURACY): 1.0,
    **{(GENERALIZATION, depth_measure(depth)): 2.0 for depth in (2, 3, 4)},
    (GENERALIZATION, MSE): 0.02,
    **{(split, name): 1.5 for split in (DEPTH_4_OUT, DEPTH_2_OUT) for name in (ACCURACY, PRECISION, RECALL)},
}
# Which of our rows stands for a row of the paper's, where the names differ: Table 3 takes the majority of the training
# set, Table 4 that of the test set (its precision and recall are 0), and Sympy is Eq as it stands.
PAPER_ROWS = {
    (MAJORITY_OF_TRAIN, GENERALIZATION): "majority",
    (MAJORITY_OF_COLUMN, DEPTH_4_OUT): "majority",
    (MAJORITY_OF_COLUMN, DEPTH_2_OUT): "majority",
    (SYMPY_AUTO, GENERALIZATION): "sympy",
}


class Summary(NamedTuple):
    """Mean and sample standard deviation over seeds; one seed has no spread."""

    mean: float
    std: float | None
    seeds: int


def summarise(values: Mapping[int, float]) -> Summary | None:
    return averaged(values) if values else None


def averaged(values: Mapping[int, float]) -> Summary:
    """The summary of values that there are."""
    numbers = list(values.values())
    return Summary(statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None, len(numbers))


def differences(better: Mapping[int, float], worse: Mapping[int, float]) -> dict[int, float]:
    """What the first is more than the second, within each seed that both have."""
    return {seed: better[seed] - worse[seed] for seed in better if seed in worse}


class Interval(NamedTuple):
    """Where the mean over all seeds there could be lies with 95 % confidence."""

    low: float
    high: float


@cache
def _t_quantile(freedom: int) -> float:
    """How many standard errors an interval of 95 % has on each side of the mean, by Student's distribution."""

    def outside(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.betainc(freedom / 2, 0.5, 0, freedom / (freedom + t * t), regularized=True)

    return float(mpmath.findroot(lambda t: outside(t) - (1 - CONFIDENCE), (1.5, 13.0), solver="anderson"))


def interval(values: Sequence[float]) -> Interval | None:
    """The 95 % interval of the mean of some differences, by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    mean = statistics.fmean(values)
    half = _t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half)


class Cell(NamedTuple):
    """One number of a table: the paper's, ours, and how far apart counts as close (None: not judged)."""

    paper: float | None
    ours: Summary | None
    tolerance: float | None = None
    lower_is_better: bool = False
    says_seeds: bool = False  # where they are not as many as elsewhere in the table

    @property
    def difference(self) -> float | None:
        return None if self.paper is None or self.ours is None else self.ours.mean - self.paper

    @property
    def closeness(self) -> str | None:
        """close, better or worse than the paper's number; None where nothing is to be judged."""
        if self.difference is None or self.tolerance is None:
            return None
        if abs(self.difference) <= self.tolerance + 1e-9:
            return CLOSE
        return BETTER if (self.difference < 0) == self.lower_is_better else WORSE


def paper_value(archive: Archive, approach: str, split: str, measure: Measure) -> float | None:
    """The paper's number, or the poster's for completion; None where neither has one, or the domain is another."""
    if archive.own_axioms:
        return None
    if measure in TOP_K:
        poster = paper.POSTER_COMPLETION.get(approach) if split == GENERALIZATION else None
        return float(poster[TOP_K.index(measure)]) if poster else None
    if measure == EVALUATION_ACCURACY:
        return paper.POSTER_EVALUATION_ACCURACY.get(approach) if split == GENERALIZATION else None
    tables: dict[str, Mapping] = {GENERALIZATION: paper.TABLE_3, **paper.TABLE_4}
    return getattr(tables.get(split, {}).get(PAPER_ROWS.get((approach, split), approach)), measure.name, None)


def beside_papers(archive: Archive, approach: str, split: str, measure: Measure, ours: Summary | None) -> Cell:
    """A number of ours with the paper's, and how near is close."""
    reported = paper_value(archive, approach, split, measure)
    return Cell(reported, ours, TOLERANCES.get((split, measure)), measure.lower_is_better)


def cell(archive: Archive, approach: str, split: str, measure: Measure, choice: str = DEV_CHOSEN) -> Cell:
    return beside_papers(archive, approach, split, measure, summarise(archive.values(approach, split, measure, choice)))
