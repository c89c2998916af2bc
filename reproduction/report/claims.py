"""What the paper claims, as comparisons that a set of seeds can confirm or refute, and the verdict on each claim.

Comparisons on the strict split are ours: they are shown, and decide nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..data.baselines import SYMPY_AUTO
from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, STRICT
from ..measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ..models import paper_models
from .comparison import BETTER, CLOSE, Interval, Summary, cell, differences, interval, paper_value, summarise
from .results import DEV_CHOSEN, Archive

REPRODUCED, SMALLER, IN_PART, NOT_REPRODUCED, UNDECIDED = (
    "reproduced", "reproduced, smaller", "reproduced in part", "not reproduced", "not decided yet",
)  # fmt: skip
SEEDS_WANTED = 5  # fewer decide nothing
ACCURACY_SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT, STRICT)


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


def _rankings(pairs, splits=ACCURACY_SPLITS, measure=ACCURACY) -> tuple[Comparison, ...]:
    return tuple(Comparison(better, worse, split, measure) for split in splits for better, worse in pairs)


def _levels(*splits: str) -> tuple[Comparison, ...]:
    return tuple(Comparison(BEST, None, split) for split in splits)


BEST, BEST_PLAIN = "tree-lstm+data", "tree-nn+data"
OTHERS = tuple((BEST, model.name) for model in reversed(paper_models()) if model.name != BEST)
TREES_AND_CHAINS = tuple((tree, chain) for tree in ("tree-nn", "tree-lstm") for chain in ("lstm", "rnn"))
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
        "Section 4, Table 4", (*_levels(DEPTH_4_OUT, DEPTH_2_OUT), *_rankings(OTHERS, (DEPTH_4_OUT, DEPTH_2_OUT))),
    ),
    Claim(
        "evaluation-error", "Functions are evaluated with a low error, lower with LSTM cells",
        "Table 3, F Eval",
        (
            Comparison(BEST, None, GENERALIZATION, MSE), Comparison(BEST_PLAIN, None, GENERALIZATION, MSE),
            *_rankings([(BEST, BEST_PLAIN)], (GENERALIZATION, STRICT), MSE),
        ),
    ),
    Claim(
        "best-of-all", "TreeLSTM + data is the best of all, on unseen equations of known depths",
        "Section 4, Table 3",
        (*_levels(GENERALIZATION), *_rankings([*OTHERS, (BEST, SYMPY_AUTO)], (GENERALIZATION, STRICT))),
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

    @property
    def is_as_large(self) -> bool:
        """Whether the interval reaches half of the paper's difference; a level or a difference it lacks needs none."""
        return self.interval is None or self.paper is None or self.interval.high >= self.paper / 2

    @property
    def is_excluded(self) -> bool:
        """Whether the interval lies below the paper's difference: an effect of that size is not there."""
        return self.interval is not None and self.paper is not None and self.interval.high < self.paper


def evidence_of(archive: Archive, comparison: Comparison, choice: str = DEV_CHOSEN) -> Evidence:
    """What the seeds say of a comparison; fewer than five decide nothing.

    Two approaches are paired: the difference is taken within each seed, between runs on the same split, and the first
    is better when the whole 95 % interval of the mean lies above 0. One alone is held against the paper's number.
    """
    name, other, split, measure = comparison
    if other is None:
        here = cell(archive, name, split, measure, choice)
        decided = here.ours is not None and here.ours.seeds >= SEEDS_WANTED
        return Evidence(comparison, here.paper, here.ours, None, here.closeness in (CLOSE, BETTER) if decided else None)
    better, worse = (archive.values(each, split, measure, choice) for each in (name, other))
    gains = {seed: measure.sign * gain for seed, gain in differences(better, worse).items()}
    above, below = (paper_value(archive, each, split, measure) for each in (name, other))
    reported = None if above is None or below is None else measure.sign * (above - below)
    found = interval(list(gains.values()))
    holds = found.low > 0 if found and len(gains) >= SEEDS_WANTED else None
    return Evidence(comparison, reported, summarise(gains), sum(gain > 0 for gain in gains.values()), holds, found)


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

    Levels are the paper's numbers: on axioms of their own they do not count.
    """
    counted = (each for each in claim.comparisons if each.other or not archive.own_axioms)
    evidence = tuple(evidence_of(archive, each, choice) for each in counted)
    return Verdict(claim, evidence, _word([each for each in evidence if each.comparison.decides]))
