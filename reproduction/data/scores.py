"""How well equations are told right from wrong: the scores of the tables, and of somebody's file of predictions.

A line of such a file is a JSON object with the `id` of an equation and its `probability` of being correct (null for
undecided, which is wrong); for a numeric equation it may have the `decoded` number instead.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import artifacts, shapes
from ..errors import InputError, excerpt
from ..measures import ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, Measure, depth_measure
from .dataset import PARTS, SYMBOLIC, Dataset, Record, Split
from .splits import evaluation_target

WIDTH = 1.959964  # of a 95 % interval, in standard deviations


def _share(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if len(hits) else 0.0


def verification_scores(probabilities: np.ndarray, labels: np.ndarray, depths: np.ndarray) -> dict:
    """Accuracy, precision and recall of the correct class, and accuracy by depth.

    A probability of more than one half calls an equation correct; NaN, no answer, is wrong whatever the label.
    """
    said, truth = probabilities > 0.5, labels == 1
    hits = np.where(truth, said, probabilities <= 0.5)
    by_depth = {str(depth): hits[depths == depth] for depth in sorted(set(depths.tolist()))}
    return {
        "accuracy": _share(hits),
        "precision": _share(truth[said]),
        "recall": _share(said[truth]),
        "count": len(labels),
        "by_depth": {depth: {"accuracy": _share(here), "count": len(here)} for depth, here in by_depth.items()},
    }


HasId = TypeVar("HasId", bound=Any)  # a record with a field `id`


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


def read_predictions(path: Path) -> dict[str, Prediction]:
    """The predictions of a JSON-lines file, .gz or plain, by the ids of equations."""
    lines = unique(shapes.read_rows(_Line, lines_of_file(path), path), path)
    return {line.id: Prediction(line.probability, line.decoded) for line in lines}


def lines_of_file(path: Path) -> Iterator:
    """The values of a JSON-lines file, .gz or plain; the last line may go without a line break."""
    content = artifacts.read_bytes(path)
    if Path(path).suffix == ".gz":
        return artifacts.lines_of_gz(content, path)
    return artifacts.lines_of(content if content.endswith(b"\n") or not content else content + b"\n", path)


def unique(lines: Iterable[HasId], path: Path) -> Iterator[HasId]:
    """The lines; an id that stands there twice is refused."""
    found: set[str] = set()
    for number, line in enumerate(lines, 1):
        if line.id in found:
            raise InputError(f"{path}, line {number}: the id {excerpt(line.id)!r} stands there twice")
        found.add(line.id)
        yield line


def as_predictions(values: Mapping[str, object]) -> dict[str, Prediction]:
    """Probabilities or predictions by id, as Python code has them."""
    return {
        identifier: value
        if isinstance(value, Prediction)
        else Prediction(None if value is None else shapes.shaped(float, value, f"the prediction of {identifier}"))
        for identifier, value in values.items()
    }


def scores_of(predictions: Mapping[str, Prediction], dataset: Dataset, split: Split, where: object) -> Scores:
    """The tables' own measures on the test part of a split; `where` names the predictions in messages."""
    test_ids = set(split.test)
    for identifier, prediction in predictions.items():
        if identifier not in test_ids:
            raise InputError(f"{where}: {_misplaced(identifier, dataset, split)}")
        _check(identifier, prediction, dataset.by_id[identifier], where)
    test = [dataset.by_id[identifier] for identifier in split.test]
    symbolic = [record for record in test if record.kind == SYMBOLIC]
    numeric = [record for record in test if record.kind != SYMBOLIC and record.label]
    refuse_missing([record.id for record in symbolic], predictions, "symbolic test equations have no prediction", where)
    scores = _verification([predictions[record.id].probability for record in symbolic], symbolic)
    decoded = {identifier for identifier, each in predictions.items() if each.decoded is not None}
    if decoded:
        refuse_missing([record.id for record in numeric], decoded, "correct numeric equations have no number", where)
        scores |= _errors([predictions[record.id].decoded for record in numeric], numeric)
    return scores


def _misplaced(identifier: str, dataset: Dataset, split: Split) -> str:
    """Where an equation is that is no test equation."""
    if identifier not in dataset.by_id:
        return f"the data set has no equation {excerpt(identifier)!r}"
    part = next(part for part in PARTS if identifier in getattr(split, part))
    return f"{identifier} is in the {part} part of this split, not in test"


def _check(identifier: str, prediction: Prediction, record: Record, where: object) -> None:
    """Refuses values that cannot be."""
    if prediction.probability is not None and not 0 <= prediction.probability <= 1:
        raise InputError(f"{where}: the probability of {identifier} is {prediction.probability:g}, not from 0 to 1")
    if prediction.decoded is not None and record.kind == SYMBOLIC:
        raise InputError(f"{where}: {identifier} is a symbolic equation, no number is decoded from it")


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


def _errors(decoded: list[float | None], records: list[Record]) -> Scores:
    """The mean squared errors on correct function evaluations, and on all correct numeric equations."""
    squares = (np.array(decoded, dtype=float) - [evaluation_target(record)[1] for record in records]) ** 2
    evaluations = squares[[record.kind == "evaluation" for record in records]]
    groups = {MSE: evaluations, MSE_ALL: squares}
    return {measure: Scored(float(np.mean(each)), len(each)) for measure, each in groups.items() if len(each)}
