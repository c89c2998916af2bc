"""What rankings are worth: against enumeration, by hand and at the edges."""

from itertools import permutations

import numpy as np
import pytest

from reproduction.completion.candidates import Blank
from reproduction.completion.ranking import (
    numeric_ranking,
    numeric_results,
    numeric_score,
    ordered,
    random_numeric_score,
    random_score,
    ranked_report,
    ranked_score,
    ranking,
)
from reproduction.completion.truth import FALSE, OUTCOMES, TRUE, candidate_values, truth
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import UNDEFINED, VAGUE
from reproduction.language.parsing import parse_equation

OUT = OUTCOMES.index(UNDEFINED)


def test_candidates_are_ranked_by_value_and_undefined_ones_left_out():
    values = np.array([0.1, 3.0, 2.0, 9.0, 8.0])
    outcomes = np.array([TRUE, FALSE, TRUE, OUT, OUTCOMES.index(VAGUE)])
    order = ranking("s1", values, outcomes)
    assert order.tolist() == [1, 2, 0]
    score = ranked_score(order, outcomes)
    assert score.mean_reciprocal_rank == 1 / 2
    assert score.top_k.tolist() == [False] + [True] * 9


def test_ties_are_drawn_by_the_id_and_are_fair():
    tied = np.zeros(4)
    assert ordered("s1", tied).tolist() == ordered("s1", tied).tolist()
    first = np.array([ordered(f"s{index}", tied)[0] for index in range(2000)])
    assert all(abs(np.mean(first == index) - 0.25) < 0.04 for index in range(4))
    assert ordered("s7", np.array([1.0, 0.0, 0.0]))[-1] == 0, "a draw decides ties only"
    assert ordered("s1", np.array([np.nan, 2.0, 1.0])).tolist() == [2, 1, 0]


@pytest.mark.parametrize(("total", "correct"), [(1, 1), (5, 1), (5, 2), (6, 5), (6, 6), (4, 0), (0, 0)])
def test_the_score_of_a_random_ranking_is_the_average_over_all_rankings(total, correct):
    outcomes = np.array([TRUE] * correct + [FALSE] * (total - correct))
    every = [ranked_score(np.array(order, dtype=int), outcomes) for order in permutations(range(total))]
    outcomes = np.append(outcomes, [OUT, OUT, OUTCOMES.index(VAGUE)])  # those are never drawn
    expected = random_score(outcomes)
    np.testing.assert_allclose(expected.top_k, np.mean([score.top_k for score in every], axis=0))
    assert expected.mean_reciprocal_rank == pytest.approx(np.mean([score.mean_reciprocal_rank for score in every]))
    assert random_score(np.array([TRUE] * 20 + [FALSE] * 1557)).top_k[0] == pytest.approx(20 / 1577)


@pytest.mark.parametrize("outcomes", [[FALSE, FALSE], [OUT, OUT], [OUT, FALSE]])
def test_a_blank_without_a_true_candidate_is_never_filled(outcomes):
    blanks = {"a": Blank(parse_equation("x = x"), (0,)), "b": Blank(parse_equation("x = x"), (1,))}
    filled, never = np.array([TRUE, FALSE]), np.array(outcomes)
    found = ranked_report(blanks, [filled, never], [np.array([1.0, 0.0])] * 2)
    assert (found["equations"], found["top_k"], found["mean_reciprocal_rank"]) == (2, [0.5] * 10, 0.5)
    assert {key: row["top_k"][9] for key, row in found["by_correct_candidates"].items()} == {"0": 0.0, "1": 1.0}


def test_a_report_has_groups_that_add_up():
    blanks = {
        "a": Blank(parse_equation("x = x"), (0,)),
        "b": Blank(parse_equation("sin(x) = sin(x) * 1"), (0,)),
        "c": Blank(parse_equation("sin(x) = sin(x) * 1"), (1, 0, 0)),
    }
    outcomes = [np.array([TRUE] + [FALSE] * 9), np.array([FALSE] * 9 + [TRUE]), np.array([TRUE] * 10)]
    found = ranked_report(blanks, outcomes, [np.arange(10, 0, -1)] * 3)
    assert found["top_k"][0] == round(2 / 3, 6)
    assert found["mean_reciprocal_rank"] == round((1 + 0.1 + 1) / 3, 6)
    assert found["by_blank_height"]["1"]["top_k"] == [0.0] * 9 + [1.0]
    assert list(found["by_blank_level"]) == ["1", "3"]
    assert list(found["by_equation_depth"]) == ["1", "3"]
    assert {key: row["equations"] for key, row in found["by_correct_candidates"].items()} == {"1": 2, "10 to 99": 1}


def known_truth(text="cos(-2.18) = -0.57", path=(0, 0, 1)):
    return truth(Blank(parse_equation(text), path), Valuation())


def test_the_truth_of_a_numeric_blank_is_the_papers_example():
    known = known_truth()
    assert (known.literal, known.removed) == (-0.57, 2.18)
    assert candidate_values()[known.fits].tolist() == [2.18]
    assert known.true_error[217] == pytest.approx(1e-4)
    assert known.true_error[300] == pytest.approx(0.42**2), "cos(-3) is -0.99"
    assert known.distance[300] == pytest.approx(0.82**2)


def test_the_truth_is_of_the_side_that_the_blank_is_on():
    usual, mirrored = known_truth(), known_truth(text="-0.57 = cos(-2.18)", path=(1, 0, 1))
    np.testing.assert_array_equal(usual.exact, mirrored.exact)
    second = known_truth(text="1.01 + 1.02 = 2.03", path=(0, 1))
    assert (second.literal, second.removed) == (2.03, 1.02)
    np.testing.assert_allclose(second.exact, 1.01 + candidate_values())
    assert candidate_values()[second.fits].tolist() == [1.02]


def test_the_minimum_error_falls_with_k():
    known = known_truth()
    decoded = np.full(315, 9.0)
    decoded[[300, 217, 216, 218]] = [-0.57, -0.571, -0.572, -0.573]
    order = numeric_ranking("n", decoded, known)
    assert candidate_values()[order[:4]].tolist() == [3.0, 2.17, 2.16, 2.18]
    score = numeric_score(order, known)
    np.testing.assert_allclose(score.top_k_mse[:4], [0.82**2, 1e-4, 1e-4, 0], atol=1e-12)
    assert score.top_k.tolist() == [False] * 3 + [True] * 7


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("cot(1.11) = 0.50", (0, 0)),
        ("1.11^(10^8) = 3.50", (0, 0)),
        ("exp(exp(exp(exp(1.11)))) = 0.57", (0, 0, 0, 0, 0)),
        ("10^(10^(10^1.11)) = 2.50", (0, 1, 1, 1)),
    ],
)
def test_poles_and_values_too_large_for_two_decimals_are_not_ranked(text, path):
    known = known_truth(text=text, path=path)
    order = numeric_ranking("n", np.zeros(315), known)
    assert 0 < len(order) < 315
    assert np.isfinite(known.true_error[order]).all()


@pytest.mark.parametrize("defined", [np.arange(315), np.arange(1, 315, 3), np.array([7, 64, 200])])
def test_a_random_numeric_ranking_is_the_average_over_draws(defined):
    known = known_truth(text="sin(0.64) = 0.60", path=(0, 0))
    known.exact[np.setdiff1d(np.arange(315), defined)] = np.nan
    expected = random_numeric_score(known)
    draws = np.random.default_rng(0)
    scores = [numeric_score(draws.permutation(defined), known) for _ in range(20_000)]
    np.testing.assert_allclose(expected.top_k_mse, np.mean([score.top_k_mse for score in scores], axis=0), rtol=0.04)
    np.testing.assert_allclose(expected.top_k, np.mean([score.top_k for score in scores], axis=0), atol=0.005)
    assert expected.top_k_mse[0] == pytest.approx(np.mean(known.distance[defined]))


def test_the_results_of_a_perfect_evaluator_are_its_own_reference():
    blanks = {
        "n1": Blank(parse_equation("cos(-2.18) = -0.57"), (0, 0, 1)),
        "n2": Blank(parse_equation("sin(0.64) = 0.60"), (0, 0)),
        "nowhere defined": Blank(parse_equation("sin(0.64) = 0.60"), (0, 0)),
    }
    known = [truth(blank, Valuation()) for blank in blanks.values()]
    known[2].exact[:] = np.nan
    found = numeric_results(blanks, [true.exact for true in known], known)
    assert found["top_k"] == found["perfect"]["top_k"] == [1.0] * 10
    assert found["equations"] == found["random"]["equations"] == 2
    assert list(found["by_function"]) == ["cos", "sin"]
    assert found["random"]["top_k_mse"][9] > found["perfect"]["top_k_mse"][9]
    assert found["top_k_mse"] == sorted(found["top_k_mse"], reverse=True)
