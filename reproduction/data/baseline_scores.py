"""Scores of everything that is not a network, on the test part of every split and seed."""

from collections.abc import Sequence

from ..judges.sympy_pool import Answer
from . import sympy_baseline
from .baselines import BAG_OF_SYMBOLS, LOOKUP, MAJORITY_OF_COLUMN, MAJORITY_OF_TRAIN, bag_of_symbols, lookup, majority
from .dataset import SYMBOLIC, Dataset, Record, Split


def _share(part: int, whole: int) -> float:
    return round(part / whole, 6) if whole else 0.0


def score(predicted: Sequence[int | None], records: Sequence[Record]) -> dict:
    """Accuracy, precision and recall as shares, and accuracy by depth; a prediction of None is wrong."""
    pairs = list(zip(predicted, (record.label for record in records), strict=True))
    hits = pairs.count((1, 1))
    right = [guess == label for guess, label in pairs]
    by_depth = {}
    for depth in sorted({record.depth for record in records}):
        here = [hit for hit, record in zip(right, records, strict=True) if record.depth == depth]
        by_depth[str(depth)] = {"accuracy": _share(sum(here), len(here)), "count": len(here)}
    return {
        "accuracy": _share(sum(right), len(right)),
        "precision": _share(hits, sum(guess == 1 for guess, _ in pairs)),
        "recall": _share(hits, sum(label == 1 for _, label in pairs)),
        "by_depth": by_depth,
    }


def majority_of_column(records: Sequence[Record]) -> dict:
    """The other reading of Majority: in every column the label that its own equations have more of (Table 4's)."""
    scores = score(majority(records, records), records)
    for depth in scores["by_depth"]:
        column = [record for record in records if record.depth == int(depth)]
        scores["by_depth"][depth]["accuracy"] = score(majority(column, column), column)["accuracy"]
    return scores


def split_scores(dataset: Dataset, split: Split, answers: dict[str, Answer]) -> dict[str, dict]:
    """The scores of every baseline on the symbolic test equations of one split; none of them needs a dev set."""
    train, test = (
        [dataset.by_id[identifier] for identifier in part if dataset.by_id[identifier].kind == SYMBOLIC]
        for part in (split.train + split.dev, split.test)
    )
    methods = {MAJORITY_OF_TRAIN: majority, BAG_OF_SYMBOLS: bag_of_symbols, LOOKUP: lookup}
    scores = {name: score(method(train, test), test) for name, method in methods.items()}
    scores[MAJORITY_OF_COLUMN] = majority_of_column(test)
    for name, predicted in sympy_baseline.predictions(test, answers).items():
        scores[name] = score(predicted, test)
    return scores
