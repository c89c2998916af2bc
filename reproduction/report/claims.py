"""What the paper claims, as comparisons that a set of seeds can confirm or refute.

A ranking says that one approach beats another in the same seed; a level says that an approach is about as good as
the paper reports. Comparisons on the strict split are ours: they are shown, and decide nothing.
"""

from collections.abc import Mapping
from typing import NamedTuple

from .. import paper
from ..data.baselines import MAJORITY_OF_COLUMN, MAJORITY_OF_TRAIN, SYMPY_AUTO
from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, STRICT
from ..measures import ACCURACY, EVALUATION_ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ..models import paper_models
from .results import Archive

ACCURACY_SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT, STRICT)


class Ranking(NamedTuple):
    """The first approach has a better score than the second."""

    better: str
    worse: str
    split: str
    measure: Measure = ACCURACY

    @property
    def decides(self) -> bool:
        return self.split != STRICT


class Level(NamedTuple):
    """An approach is at least as good as the paper's number, or close to it."""

    approach: str
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
    comparisons: tuple[Ranking | Level, ...]


def _rankings(pairs, splits=ACCURACY_SPLITS, measure=ACCURACY) -> tuple[Ranking, ...]:
    return tuple(Ranking(better, worse, split, measure) for split in splits for better, worse in pairs)


BEST = "tree-lstm+data"
OTHERS = tuple((BEST, model.name) for model in reversed(paper_models()) if model.name != BEST)
TREES_AND_CHAINS = tuple((tree, chain) for tree in ("tree-nn", "tree-lstm") for chain in ("lstm", "rnn"))
CELLS = (("tree-lstm", "tree-nn"), ("tree-lstm+data", "tree-nn+data"), ("lstm", "rnn"))
WITH_DATA = (("tree-lstm+data", "tree-lstm"), ("tree-nn+data", "tree-nn"))

CLAIMS = (
    Claim(
        "trees-over-chains",
        "Networks that follow the tree are better than networks that read the equation as a chain",
        "Section 4, Tables 3 and 4",
        _rankings(TREES_AND_CHAINS),
    ),
    Claim(
        "memory-cells",
        "LSTM cells are better than plain ones",
        "Sections 3 and 4, Tables 3 and 4",
        _rankings(CELLS),
    ),
    Claim(
        "data-helps",
        "Function-evaluation data improve the accuracy on symbolic equations",
        "Sections 3 and 4, Tables 3 and 4",
        _rankings(WITH_DATA),
    ),
    Claim(
        "unseen-depths",
        "TreeLSTM + data extrapolates to depths that it has not seen, better than all others",
        "Section 4, Table 4",
        (
            Level(BEST, DEPTH_4_OUT),
            Level(BEST, DEPTH_2_OUT),
            *_rankings(OTHERS, (DEPTH_4_OUT, DEPTH_2_OUT)),
        ),
    ),
    Claim(
        "evaluation-error",
        "Functions are evaluated with a low error, lower with LSTM cells",
        "Table 3, F Eval",
        (
            Level(BEST, GENERALIZATION, MSE),
            Level("tree-nn+data", GENERALIZATION, MSE),
            *_rankings([(BEST, "tree-nn+data")], (GENERALIZATION, STRICT), MSE),
        ),
    ),
    Claim(
        "best-of-all",
        "TreeLSTM + data is the best of all, on unseen equations of known depths",
        "Section 4, Table 3",
        (
            Level(BEST, GENERALIZATION),
            *_rankings([*OTHERS, (BEST, SYMPY_AUTO)], (GENERALIZATION, STRICT)),
        ),
    ),
    Claim(
        "completion-trees",
        "Completion: trees over chains, and TreeLSTM over TreeNN, in the first guess",
        "Section 4, Figure 3a",
        _rankings([*TREES_AND_CHAINS, *CELLS[:2]], (GENERALIZATION,), TOP_K[0]),
    ),
    Claim(
        "completion-data",
        "Completion: function-evaluation data improve the first guess",
        "Section 4, Figure 3a",
        _rankings(WITH_DATA, (GENERALIZATION,), TOP_K[0]),
    ),
    Claim(
        "completion-error",
        "Completion of function evaluations: TreeLSTM + data has a lower error than TreeNN + data at every k",
        "Section 4, Figure 3b",
        tuple(Ranking(BEST, "tree-nn+data", GENERALIZATION, measure) for measure in TOP_K_MSE),
    ),
)


# Which of our rows stands for a row of the paper's, where the names differ: Table 3 takes the majority of the training
# set, Table 4 that of the test set (its precision and recall are 0), and Sympy is Eq as it stands.
PAPER_ROWS = {
    (MAJORITY_OF_TRAIN, GENERALIZATION): "majority",
    (MAJORITY_OF_COLUMN, DEPTH_4_OUT): "majority",
    (MAJORITY_OF_COLUMN, DEPTH_2_OUT): "majority",
    (SYMPY_AUTO, GENERALIZATION): "sympy",
}


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
