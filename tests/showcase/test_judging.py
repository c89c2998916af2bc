"""Temperature, calibration error and the table of a list, on answers written by hand."""

import pytest

from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation
from reproduction.showcase.judging import (
    Answer,
    as_known,
    calibration_error,
    choose_temperature,
    reliability,
    scores,
)

SURE = [Answer("a", "sums", 1, 2.0)] * 9 + [Answer("b", "sums", 0, 2.0)]  # says 0.88, and 9 of 10 are correct


def test_strangers_are_read_as_the_first_variables_that_are_free():
    symbols = ("0", "pi", "x", "y", "z")
    assert print_equation(as_known(parse_equation("theta + y = a"), symbols)) == "x + y = z"
    with pytest.raises(InputError, match="too few"):
        as_known(parse_equation("a + b = c + d"), symbols)


def test_the_temperature_makes_probabilities_fit():
    overconfident = [each._replace(logit=10 * each.logit) for each in SURE]
    assert choose_temperature(overconfident) == pytest.approx(20 / 2.1972, rel=0.05)  # the logit of 0.9
    assert calibration_error(overconfident, 1.0) == pytest.approx(0.1, abs=0.001)
    assert calibration_error(overconfident, choose_temperature(overconfident)) < 0.01


def test_bins_count_every_answer():
    rows = reliability([*SURE, Answer("c", "sums", 0, -50.0), Answer("d", "sums", 1, 50.0)], 1.0)
    assert [(row["bin"], row["count"]) for row in rows] == [(0, 1), (8, 10), (9, 1)]


def test_scores_by_topic_and_kind():
    judged = scores([*SURE, Answer("c", "roots", 0, -1.0)], 1.0)
    assert judged["accuracy"] == pytest.approx(10 / 11, abs=1e-4)
    assert judged["identities"] == {"right": 9, "count": 9}
    assert judged["near_misses"] == {"right": 1, "count": 2}
    assert judged["topics"]["roots"] == {
        "identities": {"right": 0, "count": 0},
        "near_misses": {"right": 1, "count": 1},
    }
