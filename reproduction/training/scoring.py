"""Predictions of a part of the data as scores, plain numbers ready to be stored, and as rows."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..data.scores import verification_scores
from ..data.splits import Part, evaluation_target

DECIMALS = 6


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


def _numeric(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Literals and labels of the numeric records."""
    return np.array([evaluation_target(record)[1] for record in part.numeric]), part.numeric_labels


def _numeric_verification(part: Part, predictions: Predictions) -> dict:
    """Scores of numeric equations that are verified, and of all equations together."""
    depths = np.array([record.depth for record in part.numeric])
    own, symbolic = (
        (predictions.numeric, part.numeric_labels, depths),
        (predictions.probabilities, part.labels, part.depths),
    )
    together = (np.concatenate(columns) for columns in zip(symbolic, own, strict=True))
    return {"numeric": verification_scores(*own), "together": verification_scores(*together)}


def choose_threshold(part: Part, predictions: Predictions) -> float | None:
    """How far decoded numbers may be off for an evaluation to count as correct, chosen on this part."""
    if not len(predictions.decoded):
        return None
    literals, labels = _numeric(part)
    return best_threshold(np.abs(predictions.decoded - literals), labels)


def part_scores(part: Part, predictions: Predictions, threshold: float | None) -> dict:
    """The entry `dev` or `test` of results.json."""
    scores = {"symbolic": verification_scores(predictions.probabilities, part.labels, part.depths)}
    if threshold is not None and len(predictions.decoded):
        literals, labels = _numeric(part)
        kinds = [record.kind for record in part.numeric]
        scores["evaluations"] = evaluation_scores(predictions.decoded, literals, labels, kinds, threshold)
    if len(predictions.numeric):
        scores |= _numeric_verification(part, predictions)
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
