"""Scores of candidates along the path from the blank are those of the completed equations, and come much faster."""

import numpy as np
import pytest

from reproduction.completion.candidates import Blank, symbolic_candidates
from reproduction.completion.scorers import ChainScorer, Scorer, TreeScorer
from reproduction.data.dataset import Vocabulary
from reproduction.language.grammar import CONSTANTS, TABLE_1_FUNCTIONS
from reproduction.language.parsing import parse_equation
from reproduction.models import READINGS
from reproduction.networks.backend import nd
from reproduction.networks.chains import SequenceModel, sequences_of
from reproduction.networks.tree_model import TreeModel

FUNCTIONS = TABLE_1_FUNCTIONS
VOCABULARY = Vocabulary(FUNCTIONS, (*CONSTANTS, "x", "y"))

BLANKS = [
    Blank(parse_equation(text), path)
    for text, path in (
        ("4^tanh(0) = 1^x", (1, 0)),
        ("4^tanh(0) = 1^x", (0, 1, 0)),
        ("x = x + 0", (0,)),
        ("sin(x + 0)^2 = 1 - cos(x)^2", (0, 0, 0, 1)),
        ("cos(x + 0)^2 = 1 - sin(x)^2", (0, 0, 0, 1)),
        ("(x + y) * (x - y) = x^2 - y^2", (0, 1, 1)),
        ("1 + 2 = 3", (1,)),
    )
]
NUMERIC = [
    Blank(parse_equation(text), path)
    for text, path in (
        ("cos(-2.18) = -0.57", (0, 0, 1)),
        ("cos(2.18) = -0.57", (0, 0)),
        ("1.97 = -0.39 + 2.36", (1, 1)),
    )
]


def small_model(cell, hidden=8):
    model = TreeModel(VOCABULARY, hidden, cell)
    model.initialize_parameters(np.random.default_rng(3))
    return model


def completed(blank):
    candidates = symbolic_candidates(blank.variables, FUNCTIONS)
    return [blank.filled(candidate) for candidate in candidates]


@pytest.mark.parametrize("cell", ["tree-nn", "tree-lstm"])
def test_a_tree_gives_the_logits_and_numbers_of_the_completed_equations(cell):
    """The general scorer reads every completed equation whole, by the engine itself."""
    fast, plain = (kind(small_model(cell), FUNCTIONS) for kind in (TreeScorer, Scorer))
    for found, expected in (
        *zip(fast.logits(BLANKS), plain.logits(BLANKS), strict=True),
        *zip(fast.decoded(NUMERIC), plain.decoded(NUMERIC), strict=True),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        assert np.ptp(found) > 1e-3
    assert [len(each) for each in plain.logits(BLANKS[:1])] == [len(completed(BLANKS[0]))]


def test_scores_do_not_depend_on_what_was_scored_before():
    model = small_model("tree-lstm")
    scorer, steps = TreeScorer(model, FUNCTIONS), []
    together = scorer.logits(BLANKS, steps.append)
    assert sum(steps) == len(BLANKS)
    np.testing.assert_array_equal(scorer.logits(BLANKS[3:4])[0], together[3])
    np.testing.assert_allclose(TreeScorer(model, FUNCTIONS).logits(BLANKS[3:4])[0], together[3], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("lstm", [False, True])
@pytest.mark.parametrize("reading", READINGS)
def test_a_sequence_model_gives_the_logits_of_the_completed_equations(lstm, reading):
    equations = [blank.equation for blank in BLANKS]
    known = dict.fromkeys(token for pair in equations for side in sequences_of(pair, reading) for token in side)
    vocabulary = ("<unk>", "<pad>", *(token for token in known if token not in ("y", "tanh")))  # two are unknown
    model = SequenceModel(vocabulary, hidden=8, lstm=lstm, reading=reading)
    model.flat.data[:] = np.random.default_rng(3).normal(0, 0.6, len(model.flat))  # large: candidates are not forgotten
    numbers = {token: number for number, token in enumerate(vocabulary)}

    def encoded(sequence):
        row = [numbers.get(token, 0) for token in sequence]
        return model.read(nd.array([row]), nd.array([len(row)]))

    found = ChainScorer(model, FUNCTIONS).logits(BLANKS)
    for blank, logits in zip(BLANKS, found, strict=True):
        chosen = range(0, len(logits), 97)
        for index, equation in zip(chosen, completed(blank)[::97], strict=True):
            expected = model.compare(*map(encoded, sequences_of(equation, reading))).asscalar()
            assert logits[index] == pytest.approx(expected, rel=1e-4, abs=1e-5)
        assert np.ptp(logits) > 1e-4
