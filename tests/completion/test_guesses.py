"""Anybody's guesses for blanks: the same right and wrong as in our own rankings."""

import json
from itertools import islice

import numpy as np
import pytest

from reproduction import benchmark
from reproduction.completion.candidates import symbolic_blanks, symbolic_candidates
from reproduction.completion.ranking import guess_scores, ranked_score, ranking
from reproduction.completion.truth import FALSE, CandidateJudge
from reproduction.data.dataset import Split
from reproduction.errors import InputError
from reproduction.language.printing import print_expression
from reproduction.measures import TOP_K


@pytest.fixture(scope="module")
def data():
    return benchmark.load().dataset


@pytest.fixture(scope="module")
def blanks(data):
    return dict(islice(symbolic_blanks(data.symbolic[500:]).items(), 12))


def scores(guesses, data) -> list[float]:
    found = guess_scores(guesses, data, Split((), (), tuple(guesses)), "here")
    return [found[top].value for top in TOP_K]


def test_a_ranking_of_candidates_scores_as_it_does_in_the_tables(data, blanks):
    judge, random, guesses, expected = CandidateJudge(data.functions), np.random.default_rng(1), {}, []
    for name, blank in blanks.items():
        candidates, outcomes = symbolic_candidates(blank.variables, data.functions), judge.outcomes(blank)
        values = random.random(len(candidates))
        values[candidates.index(blank.removed)] += random.choice([0, 0.995])  # some are filled early, some never
        order = ranking(name, values, outcomes)
        guesses[name] = tuple(print_expression(candidates[index]) for index in order[:10])
        expected.append(ranked_score(order, outcomes).top_k)
    assert 0 < np.mean(expected) < 1
    assert scores(guesses, data) == pytest.approx(100 * np.mean(expected, axis=0))


def test_what_was_removed_is_right_and_an_undefined_guess_takes_no_place(data, blanks):
    removed = {name: (print_expression(blank.removed),) for name, blank in blanks.items()}
    assert scores(removed, data) == [100] * 10
    name, blank = next((name, blank) for name, blank in blanks.items() if print_expression(blank.removed) != "0^(-1)")
    assert scores({name: ("0^(-1)", print_expression(blank.removed))}, data)[0] == 100
    candidates = zip(
        symbolic_candidates(blank.variables, data.functions),
        CandidateJudge(data.functions).outcomes(blank),
        strict=True,
    )
    wrong = [print_expression(candidate) for candidate, outcome in candidates if outcome == FALSE]
    assert scores({name: (*wrong[:9], print_expression(blank.removed))}, data) == [0] * 9 + [100]


@pytest.mark.parametrize(
    ("guesses", "words"),
    [(("sin(sin(1))",), "no candidate"), (("zeta",), "column"), (("1", "1"), "twice"), (("q",), "no candidate")],
)
def test_what_is_no_guess_is_refused(guesses, words, data, blanks):
    with pytest.raises(InputError, match=words):
        scores(dict.fromkeys(blanks, guesses), data)


def test_blanks_without_guesses_and_guesses_without_blanks_are_refused(tmp_path):
    path = tmp_path / "guesses.jsonl"
    for line, words in (
        ({"id": "s13751", "guesses": ["1"]}, "1,803 of 1,804 blanks"),
        ({"id": "n1", "guesses": []}, "n1"),
    ):
        path.write_text(json.dumps(line))
        with pytest.raises(InputError, match=words):
            benchmark.load().score_completion(path, "strict", 0)
