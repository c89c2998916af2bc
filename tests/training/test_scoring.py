"""Scores computed by hand."""

import numpy as np
import pytest

from reproduction.training.scoring import best_threshold, evaluation_scores


def test_threshold_makes_the_fewest_mistakes():
    errors, labels = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([1, 1, 0, 1, 0])
    assert best_threshold(errors, labels) == pytest.approx(0.2)
    assert best_threshold(errors, np.array([1, 1, 1, 1, 1])) == pytest.approx(0.5)


def test_evaluation_scores():
    decoded, literals = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.1, 2.0, 5.0, 4.5])
    labels, kinds = np.array([1, 1, 0, 1]), ["evaluation", "decimal", "evaluation", "evaluation"]
    scores = evaluation_scores(decoded, literals, labels, kinds, threshold=0.2)
    assert scores["mse"] == pytest.approx((0.01 + 0.25) / 2)
    assert scores["mse_all"] == pytest.approx((0.01 + 0 + 0.25) / 3)
    assert scores["accuracy"] == pytest.approx(3 / 4)
    assert (scores["count"], scores["count_all"]) == (2, 4)
