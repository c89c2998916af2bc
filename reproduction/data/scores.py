"""How well equations are told right from wrong: the scores of the tables, and of somebody's file of predictions.

A line of such a file is a JSON object with the `id` of an equation and its `probability` of being correct (null for
undecided, which is wrong); for a numeric equation it may have the `decoded` number instead.
"""

from collections.abc import Iterable, Mapping
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import artifacts, shapes
from ..errors import InputError, excerpt
from ..measures import ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, Measure, depth_measure
from .dataset import EVALUATION, PARTS, SYMBOLIC, Dataset, Record, Split
from .splits import evaluation_target

WIDTH = 1.959964  # of a 95 % interval, in standard deviations


def verification_scores(probabilities: np.ndarray, labels: np.ndarray, depths: np.ndarray) -> dict:
    """Accuracy, precision and recall of the correct class, and accuracy by depth.

    A probability of more than one half calls an equation correct; NaN, no answer, is wrong whatever the label.
    """

    def share(hits: np.ndarray) -> float:
        return float(np.mean(hits)) if len(hits) else 0.0

    said, truth = probabilities > 0.5, labels == 1
    hits = np.where(truth, said, probabilities <= 0.5)
    by_depth = {str(depth): hits[depths == depth] for depth in sorted(set(depths.tolist()))}
    return {
        "accuracy": share(hits),
        "precision": share(truth[said]),
        "recall": share(said[truth]),
        "count": len(labels),
        "by_depth": {depth: {"accuracy": share(here), "count": len(here)} for depth, here in by_depth.items()},
    }


def probabilities(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logits.astype(float)))


class Prediction(NamedTuple):
    """What is said of one equation: whether it is correct, or the number that its other side decodes to."""

    probability: float | None = None
    decoded: float | None = None


class _Line(NamedTuple):
    id: str
    probability: float | None = None
    decoded: float | None = None


class Scored(NamedTuple):
    """A measure in its unit, over so many equations; shares have a 95 % interval by Wilson's formula."""

    value: float
    equations: int
    interval: tuple[float, float] | None = None


Scores = dict[Measure, Scored]


def rows_of_file(kind, path: Path) -> dict[str, Any]:
    """The rows of a JSON-lines file, .gz or plain, by their ids; the last line may go without a line break."""
    content = artifacts.read_bytes(path)
    content = artifacts.unpacked(content, path) if Path(path).suffix == ".gz" else content
    lines = artifacts.lines_of(content if content.endswith(b"\n") or not content else content + b"\n", path)
    rows: dict[str, Any] = {}
    for number, row in enumerate(shapes.read_rows(kind, lines, path), 1):
        if rows.setdefault(row.id, row) is not row:
            raise InputError(f"{path}, line {number}: the id {excerpt(row.id)!r} stands there twice")
    return rows


def read_predictions(path: Path) -> dict[str, Prediction]:
    """The predictions of a JSON-lines file, .gz or plain, by the ids of equations."""
    return {name: Prediction(line.probability, line.decoded) for name, line in rows_of_file(_Line, path).items()}


def as_predictions(values: Mapping[str, object]) -> dict[str, Prediction]:
    """Probabilities or predictions by id, as Python code has them."""
    return {
        name: value
        if isinstance(value, Prediction)
        else Prediction(shapes.shaped(float | None, value, f"the prediction of {name}"))
        for name, value in values.items()
    }


def scores_of(predictions: Mapping[str, Prediction], dataset: Dataset, split: Split, where: object) -> Scores:
    """The tables' own measures on the test part of a split; `where` names the predictions in messages."""
    test = {identifier: dataset.by_id[identifier] for identifier in split.test}
    for identifier, given in predictions.items():
        trouble = None
        if identifier not in dataset.by_id:
            trouble = f"the data set has no equation {excerpt(identifier)!r}"
        elif identifier not in test:
            part = next(part for part in PARTS if identifier in getattr(split, part))
            trouble = f"{identifier} is in the {part} part of this split, not in test"
        elif given.probability is not None and not 0 <= given.probability <= 1:
            trouble = f"the probability of {identifier} is {given.probability:g}, not from 0 to 1"
        elif given.decoded is not None and test[identifier].kind == SYMBOLIC:
            trouble = f"{identifier} is a symbolic equation, no number is decoded from it"
        if trouble:
            raise InputError(f"{where}: {trouble}")
    symbolic = [record for record in test.values() if record.kind == SYMBOLIC]
    numeric = [record for record in test.values() if record.kind != SYMBOLIC and record.label]
    refuse_missing([record.id for record in symbolic], predictions, "symbolic test equations have no prediction", where)
    scores = _verification([predictions[record.id].probability for record in symbolic], symbolic)
    decoded = {identifier: each.decoded for identifier, each in predictions.items() if each.decoded is not None}
    if decoded:
        refuse_missing([record.id for record in numeric], decoded, "correct numeric equations have no number", where)
        errors = np.array([decoded[record.id] - evaluation_target(record)[1] for record in numeric])
        evaluations = errors[[record.kind == EVALUATION for record in numeric]]
        groups = {MSE: evaluations, MSE_ALL: errors}
        scores |= {name: Scored(float(np.mean(each**2)), len(each)) for name, each in groups.items() if len(each)}
    return scores


def refuse_missing(wanted: list[str], found: Iterable[str], words: str, where: object) -> None:
    missing = [identifier for identifier in wanted if identifier not in found]
    if missing:
        raise InputError(f"{where}: {len(missing):,} of {len(wanted):,} {words}, such as {missing[0]}")


def _verification(probabilities: list[float | None], records: list[Record]) -> Scores:
    """The scores of verification; precision is over what was called correct, recall over what is."""
    said, labels = np.array(probabilities, dtype=float), np.array([record.label for record in records])
    found = verification_scores(said, labels, np.array([record.depth for record in records]))
    shares = {
        ACCURACY: (found["accuracy"], found["count"]),
        PRECISION: (found["precision"], int(np.sum(said > 0.5))),
        RECALL: (found["recall"], int(np.sum(labels))),
    }
    shares |= {depth_measure(int(depth)): (*each.values(),) for depth, each in found["by_depth"].items()}
    return {measure: Scored(100 * share, count, wilson(share, count)) for measure, (share, count) in shares.items()}


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's formula, in per cent; everything where nothing was counted."""
    if not count:
        return 0.0, 100.0
    middle = (share + WIDTH**2 / (2 * count)) / (1 + WIDTH**2 / count)
    half = WIDTH / (1 + WIDTH**2 / count) * sqrt(share * (1 - share) / count + WIDTH**2 / (4 * count**2))
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)
