"""Scores of verification, computed by hand."""

import numpy as np
import pytest

from reproduction.data.scores import verification_scores


def test_verification_scores():
    probabilities, labels = np.array([0.9, 0.8, 0.3, 0.6, 0.5]), np.array([1, 0, 1, 1, 0])
    scores = verification_scores(probabilities, labels, np.array([2, 2, 3, 3, 3]))
    assert scores["accuracy"] == pytest.approx(3 / 5)
    assert scores["precision"] == pytest.approx(2 / 3)
    assert scores["recall"] == pytest.approx(2 / 3)
    assert scores["by_depth"] == {
        "2": {"accuracy": 0.5, "count": 2},
        "3": {"accuracy": pytest.approx(2 / 3), "count": 3},
    }


def test_nothing_is_called_correct():
    scores = verification_scores(np.array([0.1]), np.array([1]), np.array([1]))
    assert (scores["accuracy"], scores["precision"], scores["recall"]) == (0, 0, 0)


def test_no_answer_is_wrong():
    scores = verification_scores(np.array([np.nan, np.nan, 1.0]), np.array([1, 0, 1]), np.array([1, 1, 2]))
    assert (scores["accuracy"], scores["precision"], scores["recall"]) == (pytest.approx(1 / 3), 1.0, 0.5)
    assert scores["by_depth"]["1"] == {"accuracy": 0.0, "count": 2}
