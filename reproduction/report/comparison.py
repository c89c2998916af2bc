"""Ours beside the paper's: mean and spread over seeds, closeness, paired comparisons, and a verdict per claim."""

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import mpmath

from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from ..measures import ACCURACY, MSE, PRECISION, RECALL, Measure, depth_measure
from .claims import Claim, Level, Ranking, paper_value
from .results import DEV_CHOSEN, Archive

REPRODUCED, SMALLER, IN_PART, NOT_REPRODUCED, UNDECIDED = (
    "reproduced", "reproduced, smaller", "reproduced in part", "not reproduced", "not decided yet",
)  # fmt: skip
CLOSE, BETTER, WORSE = "close", "better", "worse"

SEEDS_WANTED = 5  # fewer decide nothing
CONFIDENCE = 0.95

# How far from the paper's number is still close: points of accuracy, and for the error its own unit.
TOLERANCES = {
    (GENERALIZATION, ACCURACY): 1.0,
    **{(GENERALIZATION, depth_measure(depth)): 2.0 for depth in (2, 3, 4)},
    (GENERALIZATION, MSE): 0.02,
    **{(split, name): 1.5 for split in (DEPTH_4_OUT, DEPTH_2_OUT) for name in (ACCURACY, PRECISION, RECALL)},
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
    tolerance: float | None
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


def cell(archive: Archive, approach: str, split: str, measure: Measure, choice: str = DEV_CHOSEN) -> Cell:
    ours = summarise(archive.values(approach, split, measure, choice))
    reported = paper_value(archive, approach, split, measure)
    return Cell(reported, ours, TOLERANCES.get((split, measure)), measure.lower_is_better)


class Evidence(NamedTuple):
    """A comparison with its evidence: the paper's difference or level, ours, and in how many seeds it holds."""

    comparison: Ranking | Level
    paper: float | None
    ours: Summary | None
    wins: int | None
    holds: bool | None
    interval: Interval | None = None  # of the paired difference; a level has none

    @property
    def is_as_large(self) -> bool:
        """Whether the interval reaches half of the paper's difference; a level or a difference it lacks needs none."""
        return self.interval is None or self.paper is None or self.interval.high >= self.paper / 2

    @property
    def is_excluded(self) -> bool:
        """Whether the interval lies below the paper's difference: an effect of that size is not there."""
        return self.interval is not None and self.paper is not None and self.interval.high < self.paper


def ranking_evidence(archive: Archive, ranking: Ranking, choice: str) -> Evidence:
    """Paired: the difference is taken within each seed, between runs on the same split.

    It holds when the whole 95 % interval of the mean difference is on the paper's side; fewer than five seeds decide
    nothing.
    """
    better, worse = (archive.values(name, ranking.split, ranking.measure, choice) for name in ranking[:2])
    sign = ranking.measure.sign
    differences = {seed: sign * (better[seed] - worse[seed]) for seed in better if seed in worse}
    wins = sum(difference > 0 for difference in differences.values())
    above, below = (paper_value(archive, name, ranking.split, ranking.measure) for name in ranking[:2])
    paper_difference = None if above is None or below is None else sign * (above - below)
    found = interval(list(differences.values()))
    holds = found.low > 0 if found and len(differences) >= SEEDS_WANTED else None
    return Evidence(ranking, paper_difference, summarise(differences), wins, holds, found)


def level_evidence(archive: Archive, level: Level, choice: str) -> Evidence:
    """The mean over seeds against the paper's number; decided once all seeds are there."""
    here = cell(archive, *level, choice)
    decided = here.ours is not None and here.ours.seeds >= SEEDS_WANTED
    return Evidence(level, here.paper, here.ours, None, here.closeness in (CLOSE, BETTER) if decided else None)


class Verdict(NamedTuple):
    """A claim, what became of each comparison behind it, and the word for it."""

    claim: Claim
    evidence: tuple[Evidence, ...]
    word: str

    @property
    def deciding(self) -> tuple[Evidence, ...]:
        return tuple(each for each in self.evidence if each.comparison.decides)

    @property
    def holding(self) -> int:
        return sum(each.holds is True for each in self.deciding)


def _word(evidence: Sequence[Evidence]) -> str:
    """The word for comparisons that decide, the headline one first."""
    answers = [each.holds for each in evidence]
    if None in answers:
        return UNDECIDED
    if all(answers):
        return REPRODUCED if evidence[0].is_as_large else SMALLER
    return IN_PART if 2 * answers.count(True) > len(answers) else NOT_REPRODUCED


def judge(archive: Archive, claim: Claim, choice: str = DEV_CHOSEN) -> Verdict:
    """The verdict on one claim: undecided while any comparison behind it is, in part when more than half hold.

    Levels are the paper's numbers: on axioms of their own only rankings count.
    """
    evidence = tuple(
        ranking_evidence(archive, comparison, choice)
        if isinstance(comparison, Ranking)
        else level_evidence(archive, comparison, choice)
        for comparison in claim.comparisons
        if isinstance(comparison, Ranking) or not archive.own_axioms
    )
    return Verdict(claim, evidence, _word([each for each in evidence if each.comparison.decides]))
