"""Scores of a part of the data from a network's predictions, and what the files of a run say, as values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..data.scores import verification_scores
from ..data.splits import Part, evaluation_target
from ..measures import ACCURACY, EVALUATION_ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, Measure, depth_measure

DECIMALS = 6

# ------------------------------------------------------------------------------------------------ what files say


class DepthScore(NamedTuple):
    """How the equations of one depth are told right from wrong."""

    accuracy: float
    count: int  # type: ignore[assignment]  # a tuple has a method of this name


class Verification(NamedTuple):
    """How symbolic equations are told right from wrong; shares from 0 to 1."""

    accuracy: float
    precision: float
    recall: float
    by_depth: dict[int, DepthScore]


class Evaluations(NamedTuple):
    """How numbers are decoded."""

    mse: float | None
    mse_all: float | None
    accuracy: float
    count_all: int


class Scores(NamedTuple):
    """A part of the data, dev or test, at one epoch."""

    symbolic: Verification
    evaluations: Evaluations | None = None
    numeric: Verification | None = None  # numeric equations that are verified like symbolic ones
    together: Verification | None = None  # symbolic and numeric ones
    epoch: int | None = None

    @property
    def measures(self) -> dict[Measure, float]:
        """Every score there is; accuracies in per cent."""
        symbolic, evaluations = self.symbolic, self.evaluations
        shares = {ACCURACY: symbolic.accuracy, PRECISION: symbolic.precision, RECALL: symbolic.recall}
        shares |= {depth_measure(depth): score.accuracy for depth, score in symbolic.by_depth.items()}
        errors = {}
        if evaluations:
            shares[EVALUATION_ACCURACY] = evaluations.accuracy
            errors = {MSE: evaluations.mse, MSE_ALL: evaluations.mse_all}
        per_cent = {measure: 100 * share for measure, share in shares.items()}
        return per_cent | {measure: error for measure, error in errors.items() if error is not None}


class Results(NamedTuple):
    """What results.json says, of which run, and the SHA-256 of the run's other files."""

    dev: Scores
    test: Scores
    best_on_test: Scores | None
    best_epoch: int
    diverged: int | None  # the epoch in which something stopped being finite
    train_seconds: float
    seconds_to: dict[int, float | None]  # by per cent of dev accuracy
    equations_per_second: float | None
    parameters: int
    peak_memory_mb: float
    engine: str | None = None  # that computed the network
    instead_of_fused: str | None = None  # why it was not the fused one
    compiler: str | None = None  # of the fused operators
    run: str = ""
    files: dict[str, str] = {}  # noqa: RUF012


class Deep(NamedTuple):
    """What deep.json says: scores on the equations of a data set that are deeper than any the run learned from."""

    run: str
    data_fingerprint: str
    by_depth: dict[int, DepthScore]

    @property
    def accuracies(self) -> dict[int, float]:
        """In per cent, by depth."""
        return {depth: 100 * score.accuracy for depth, score in self.by_depth.items()}


class Epoch(NamedTuple):
    """A line of history.jsonl."""

    epoch: int
    loss: float
    dev_accuracy: float
    test_accuracy: float | None = None
    train_accuracy: float | None = None
    squared_error: float | None = None
    dev_mse: float | None = None
    test_mse: float | None = None
    learning_rate: float | None = None
    seconds: float | None = None


class Prediction(NamedTuple):
    """A line of predictions.jsonl.gz, at the epoch that dev chose: verified records have a probability."""

    part: str
    id: str
    probability: float | None = None
    decoded: float | None = None


def describe(divergence: Mapping) -> str:
    """A sentence without its end: what, where, and of what."""
    place, examples = f"epoch {divergence['epoch']}", divergence["examples"]
    if examples:
        batch = f"{', '.join(examples[:8])}{', …' if len(examples) > 8 else ''}"
        place += f", step {divergence['step']} of {divergence['steps']} (batch: {batch})"
    return f"{divergence['what']} stopped being finite in {place}"


# ------------------------------------------------------------------------------------------------ from predictions


class Predictions(NamedTuple):
    """Of a part: the probabilities of its symbolic records; the decoded numbers of its numeric ones, and theirs."""

    probabilities: np.ndarray
    decoded: np.ndarray
    numeric: np.ndarray = np.zeros(0)  # probabilities, if numeric equations are verified


def probabilities(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logits.astype(float)))


def best_threshold(errors: np.ndarray, labels: np.ndarray) -> float:
    """The error up to which calling an evaluation correct makes the fewest mistakes; the smallest such."""
    order = np.argsort(errors, kind="stable")
    mistakes = np.sum(labels == 1) - np.cumsum(np.where(labels[order] == 1, 1, -1))
    best = int(np.argmin(mistakes))
    return float(errors[order][best])


def evaluation_scores(
    decoded: np.ndarray, literals: np.ndarray, labels: np.ndarray, kinds: Sequence[str], threshold: float
) -> dict:
    """The squared error on correct function evaluations and on everything correct, and accuracy by a threshold."""
    errors, truth = np.abs(decoded - literals), labels == 1
    evaluations = truth & (np.array(kinds) == "evaluation")
    return {
        "mse": float(np.mean(errors[evaluations] ** 2)) if evaluations.any() else None,
        "mse_all": float(np.mean(errors[truth] ** 2)) if truth.any() else None,
        "accuracy": float(np.mean((errors <= threshold) == truth)),
        "threshold": threshold,
        "count": int(np.sum(evaluations)),
        "count_all": len(labels),
    }


def _literals(part: Part) -> np.ndarray:
    return np.array([evaluation_target(record)[1] for record in part.numeric])


def choose_threshold(part: Part, predictions: Predictions) -> float | None:
    """How far decoded numbers may be off for an evaluation to count as correct, chosen on this part."""
    if not len(predictions.decoded):
        return None
    return best_threshold(np.abs(predictions.decoded - _literals(part)), part.numeric_labels)


def part_scores(part: Part, predictions: Predictions, threshold: float | None) -> dict:
    """The entry `dev` or `test` of results.json."""
    scores = {"symbolic": verification_scores(predictions.probabilities, part.labels, part.depths)}
    if threshold is not None and len(predictions.decoded):
        found, kinds = (predictions.decoded, _literals(part)), [record.kind for record in part.numeric]
        scores["evaluations"] = evaluation_scores(*found, part.numeric_labels, kinds, threshold)
    if len(predictions.numeric):
        depths = np.array([record.depth for record in part.numeric])
        numeric = predictions.numeric, part.numeric_labels, depths
        symbolic = predictions.probabilities, part.labels, part.depths
        scores["numeric"] = verification_scores(*numeric)
        scores["together"] = verification_scores(*map(np.concatenate, zip(symbolic, numeric, strict=True)))
    return scores


def prediction_rows(name: str, part: Part, predictions: Predictions) -> Iterator[dict]:
    """One row a record: the probability that it is correct, the number decoded for a numeric one, or both."""
    for record, probability in zip(part.symbolic, predictions.probabilities, strict=True):
        yield {"part": name, "id": record.id, "probability": round(float(probability), DECIMALS)}
    found = {"decoded": predictions.decoded, "probability": predictions.numeric}
    columns = {key: values for key, values in found.items() if len(values)}
    for row, record in enumerate(part.numeric if columns else ()):
        values = {key: round(float(values[row]), DECIMALS) for key, values in columns.items()}
        yield {"part": name, "id": record.id, **values}
