"""Ours beside the paper's: means over seeds, how near is close, what the paper claims, and the verdict on each claim.

Comparisons on the strict split are ours: they are shown, and decide nothing.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import mpmath

from .. import paper
from ..data.baselines import MAJORITY_OF_COLUMN, MAJORITY_OF_TRAIN, SYMPY_AUTO
from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, STRICT
from ..measures import (
    ACCURACY,
    EVALUATION_ACCURACY,
    MSE,
    PRECISION,
    RECALL,
    TOP_K,
    TOP_K_MSE,
    Measure,
    depth_measure,
)
from ..models import paper_models
from .results import DEV_CHOSEN, Archive

CLOSE, BETTER, WORSE = "close", "better", "worse"
CONFIDENCE = 0.95
HELD_OUT = (DEPTH_4_OUT, DEPTH_2_OUT)
SEEDS_WANTED = 5  # fewer decide nothing

# How far from the paper's number is still close: points of accuracy, and for the error its own unit.
TOLERANCES = {
    (GENERALIZATION, ACCURACY): 1.0,
    **{(GENERALIZATION, depth_measure(depth)): 2.0 for depth in (2, 3, 4)},
    (GENERALIZATION, MSE): 0.02,
    **{(split, name): 1.5 for split in HELD_OUT for name in (ACCURACY, PRECISION, RECALL)},
}
# Which of our rows stands for a row of the paper's, where the names differ: Table 3 takes the majority of the training
# set, Table 4 that of the test set (its precision and recall are 0), and Sympy is Eq as it stands.
PAPER_ROWS = {
    (MAJORITY_OF_TRAIN, GENERALIZATION): "majority",
    **dict.fromkeys(((MAJORITY_OF_COLUMN, split) for split in HELD_OUT), "majority"),
    (SYMPY_AUTO, GENERALIZATION): "sympy",
}

# ------------------------------------------------------------------------------------------------ numbers


class Summary(NamedTuple):
    """Mean and sample standard deviation over seeds; one seed has no spread."""

    mean: float
    std: float | None
    seeds: int


def averaged(values: Mapping[int, float]) -> Summary:
    """The summary of values that there are."""
    numbers = list(values.values())
    return Summary(statistics.fmean(numbers), statistics.stdev(numbers) if len(numbers) > 1 else None, len(numbers))


def summarise(values: Mapping[int, float]) -> Summary | None:
    return averaged(values) if values else None


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

    def outside(t: mpmath.mpf) -> mpmath.mpf:  # the share outside of ± t, less that of the interval
        share = mpmath.betainc(freedom / 2, 0.5, 0, freedom / (freedom + t * t), regularized=True)
        return share - (1 - CONFIDENCE)

    return float(mpmath.findroot(outside, (1.5, 13.0), solver="anderson"))


def interval(values: Sequence[float]) -> Interval | None:
    """The 95 % interval of the mean of some differences, by Student's t; None for fewer than two."""
    if len(values) < 2:
        return None
    mean = statistics.fmean(values)
    half = _t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return Interval(mean - half, mean + half)


class Cell(NamedTuple):
    """One number of a table: the paper's, ours, and how far apart counts as close (None: not judged)."""

    paper: float | None = None
    ours: Summary | None = None
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


def mean_cell(values: Mapping[int, float]) -> Cell:
    return Cell(ours=summarise(values))


def paper_value(archive: Archive, approach: str, split: str, measure: Measure) -> float | None:
    """The paper's number, or the poster's for completion; None where neither has one, or the domain is another."""
    if archive.own_axioms:
        return None
    if split == GENERALIZATION and measure in TOP_K:
        poster = paper.POSTER_COMPLETION.get(approach)
        return float(poster[TOP_K.index(measure)]) if poster else None
    if split == GENERALIZATION and measure == EVALUATION_ACCURACY:
        return paper.POSTER_EVALUATION_ACCURACY.get(approach)
    tables: dict[str, Mapping] = {GENERALIZATION: paper.TABLE_3, **paper.TABLE_4}
    return getattr(tables.get(split, {}).get(PAPER_ROWS.get((approach, split), approach)), measure.name, None)


def beside_papers(archive: Archive, approach: str, split: str, measure: Measure, ours: Summary | None) -> Cell:
    """A number of ours with the paper's, and how near is close."""
    reported = paper_value(archive, approach, split, measure)
    return Cell(reported, ours, TOLERANCES.get((split, measure)), measure.lower_is_better)


# ------------------------------------------------------------------------------------------------ claims

REPRODUCED, SMALLER, IN_PART, NOT_REPRODUCED, UNDECIDED = (
    "reproduced", "reproduced, smaller", "reproduced in part", "not reproduced", "not decided yet",
)  # fmt: skip


class Comparison(NamedTuple):
    """One approach is better than another in the same seed; without another, about as good as the paper reports."""

    approach: str
    other: str | None
    split: str
    measure: Measure = ACCURACY

    @property
    def decides(self) -> bool:
        return self.split != STRICT


class Claim(NamedTuple):
    """A sentence of the paper's, where it stands, and the comparisons behind it; the first one is the headline."""

    key: str
    statement: str
    source: str
    comparisons: tuple[Comparison, ...]


def _rankings(pairs, splits=(GENERALIZATION, *HELD_OUT, STRICT), measure=ACCURACY) -> tuple[Comparison, ...]:
    return tuple(Comparison(better, worse, split, measure) for split, (better, worse) in product(splits, pairs))


def _levels(*splits: str) -> tuple[Comparison, ...]:
    return tuple(Comparison(BEST, None, split) for split in splits)


BEST, BEST_PLAIN = "tree-lstm+data", "tree-nn+data"
OTHERS = tuple((BEST, model.name) for model in reversed(paper_models()) if model.name != BEST)
TREES_AND_CHAINS = tuple(product(("tree-nn", "tree-lstm"), ("lstm", "rnn")))
CELLS = (("tree-lstm", "tree-nn"), ("tree-lstm+data", "tree-nn+data"), ("lstm", "rnn"))
WITH_DATA = (("tree-lstm+data", "tree-lstm"), ("tree-nn+data", "tree-nn"))

CLAIMS = (
    Claim(
        "trees-over-chains", "Networks that follow the tree are better than networks that read the equation as a chain",
        "Section 4, Tables 3 and 4", _rankings(TREES_AND_CHAINS),
    ),
    Claim(
        "memory-cells", "LSTM cells are better than plain ones",
        "Sections 3 and 4, Tables 3 and 4", _rankings(CELLS),
    ),
    Claim(
        "data-helps", "Function-evaluation data improve the accuracy on symbolic equations",
        "Sections 3 and 4, Tables 3 and 4", _rankings(WITH_DATA),
    ),
    Claim(
        "unseen-depths", "TreeLSTM + data extrapolates to depths that it has not seen, better than all others",
        "Section 4, Table 4", _levels(*HELD_OUT) + _rankings(OTHERS, HELD_OUT),
    ),
    Claim(
        "evaluation-error", "Functions are evaluated with a low error, lower with LSTM cells", "Table 3, F Eval",
        tuple(Comparison(each, None, GENERALIZATION, MSE) for each in (BEST, BEST_PLAIN))
        + _rankings([(BEST, BEST_PLAIN)], (GENERALIZATION, STRICT), MSE),
    ),
    Claim(
        "best-of-all", "TreeLSTM + data is the best of all, on unseen equations of known depths", "Section 4, Table 3",
        _levels(GENERALIZATION) + _rankings([*OTHERS, (BEST, SYMPY_AUTO)], (GENERALIZATION, STRICT)),
    ),
    Claim(
        "completion-trees", "Completion: trees over chains, and TreeLSTM over TreeNN, in the first guess",
        "Section 4, Figure 3a", _rankings([*TREES_AND_CHAINS, *CELLS[:2]], (GENERALIZATION,), TOP_K[0]),
    ),
    Claim(
        "completion-data", "Completion: function-evaluation data improve the first guess",
        "Section 4, Figure 3a", _rankings(WITH_DATA, (GENERALIZATION,), TOP_K[0]),
    ),
    Claim(
        "completion-error",
        "Completion of function evaluations: TreeLSTM + data has a lower error than TreeNN + data at every k",
        "Section 4, Figure 3b", tuple(Comparison(BEST, BEST_PLAIN, GENERALIZATION, error) for error in TOP_K_MSE),
    ),
)  # fmt: skip


class Evidence(NamedTuple):
    """A comparison with its evidence: the paper's difference or level, ours, and in how many seeds it holds."""

    comparison: Comparison
    paper: float | None
    ours: Summary | None
    wins: int | None
    holds: bool | None
    interval: Interval | None = None  # of the paired difference; a level has none

    def reaches(self, share: float) -> bool:
        """Whether the interval reaches this share of the paper's difference; a level or no difference needs none."""
        return self.interval is None or self.paper is None or self.interval.high >= share * self.paper


def evidence_of(archive: Archive, comparison: Comparison, choice: str = DEV_CHOSEN) -> Evidence:
    """What the seeds say of a comparison; fewer than five decide nothing.

    Two approaches are paired: the difference is taken within each seed, between runs on the same split, and the first
    is better when the whole 95 % interval of the mean lies above 0. One alone is held against the paper's number.
    """
    name, other, split, measure = comparison
    if other is None:
        ours = summarise(archive.values(name, split, measure, choice))
        here = beside_papers(archive, name, split, measure, ours)
        decided = ours is not None and ours.seeds >= SEEDS_WANTED
        return Evidence(comparison, here.paper, ours, None, here.closeness in (CLOSE, BETTER) if decided else None)
    better, worse = (archive.values(each, split, measure, choice) for each in (name, other))
    gains = {seed: measure.sign * gain for seed, gain in differences(better, worse).items()}
    above, below = (paper_value(archive, each, split, measure) for each in (name, other))
    reported = None if above is None or below is None else measure.sign * (above - below)
    found = interval(list(gains.values()))
    holds = found.low > 0 if found and len(gains) >= SEEDS_WANTED else None
    return Evidence(comparison, reported, summarise(gains), sum(gain > 0 for gain in gains.values()), holds, found)


class Verdict(NamedTuple):
    """A claim, and what became of each comparison behind it, the headline one first."""

    claim: Claim
    evidence: tuple[Evidence, ...]

    @property
    def deciding(self) -> tuple[Evidence, ...]:
        return tuple(each for each in self.evidence if each.comparison.decides)

    @property
    def holding(self) -> int:
        return sum(each.holds is True for each in self.deciding)

    @property
    def word(self) -> str:
        """Undecided while any comparison is, in part when more than half hold."""
        if any(each.holds is None for each in self.deciding):
            return UNDECIDED
        if self.holding == len(self.deciding):
            return REPRODUCED if self.deciding[0].reaches(0.5) else SMALLER
        return IN_PART if 2 * self.holding > len(self.deciding) else NOT_REPRODUCED


def judge(archive: Archive, claim: Claim, choice: str = DEV_CHOSEN) -> Verdict:
    """The verdict on one claim. Levels are the paper's numbers: on axioms of their own they do not count."""
    counted = (each for each in claim.comparisons if each.other or not archive.own_axioms)
    return Verdict(claim, tuple(evidence_of(archive, each, choice) for each in counted))
