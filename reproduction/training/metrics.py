"""Scores of decoded numbers, as plain numbers ready to be stored."""

from collections.abc import Sequence

import numpy as np


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
