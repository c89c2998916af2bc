"""Scores of candidates along the path from the blank are those of the completed equations, and come much faster."""

import numpy as np
import pytest

from reproduction.completion.candidates import parse_blank, symbolic_candidates
from reproduction.completion.scorers import ChainScorer, Scorer, TreeScorer
from reproduction.data.dataset import Vocabulary
from reproduction.language.grammar import CONSTANTS, TABLE_1_FUNCTIONS
from reproduction.models import READINGS
from reproduction.networks.backend import nd
from reproduction.networks.chains import SequenceModel, sequences_of
from reproduction.networks.tree_model import TreeModel

FUNCTIONS = TABLE_1_FUNCTIONS
VOCABULARY = Vocabulary(FUNCTIONS, (*CONSTANTS, "x", "y"))

BLANKS = [
    parse_blank(text)
    for text in (
        "4^tanh(0) = _^x", "4^tanh(_) = 1^x", "_ = x + 0", "sin(x + _)^2 = 1 - cos(x)^2", "cos(x + _)^2 = 1 - sin(x)^2",
        "(x + y) * (x - _) = x^2 - y^2", "1 + 2 = _",
    )
]  # fmt: skip
NUMERIC = [parse_blank(text) for text in ("cos(-_) = -0.57", "cos(_) = -0.57", "1.97 = -0.39 + _")]


def small_model(cell):
    model = TreeModel(VOCABULARY, 8, cell)
    model.initialize_parameters(np.random.default_rng(3))
    return model


def completed(blank):
    candidates = symbolic_candidates(blank.variables, FUNCTIONS)
    return [blank.filled(candidate) for candidate in candidates]


@pytest.mark.parametrize("cell", ["tree-nn", "tree-lstm"])
def test_a_tree_gives_the_logits_and_numbers_of_the_completed_equations(cell):
    """The general scorer reads every completed equation whole, by the engine itself."""
    fast, plain = (kind(small_model(cell), FUNCTIONS) for kind in (TreeScorer, Scorer))
    steps: list[int] = []
    together = fast.logits(BLANKS, steps.append)
    for found, expected in (
        *zip(together, plain.logits(BLANKS), strict=True),
        *zip(fast.decoded(NUMERIC), plain.decoded(NUMERIC), strict=True),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
        assert np.ptp(found) > 1e-3
    assert len(together[0]) == len(completed(BLANKS[0])) and sum(steps) == len(BLANKS)
    np.testing.assert_array_equal(fast.logits(BLANKS[3:4])[0], together[3], "whatever was scored before")


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
