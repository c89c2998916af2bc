"""Tokens, batches and states of the sequential baselines."""

import numpy as np
import pytest
from support.small_data import small_dataset

from reproduction.data.splits import Part, Parts
from reproduction.language.expression import add, apply, number, variable
from reproduction.language.parsing import parse_equation
from reproduction.models import EQUATION, READINGS, SIDES
from reproduction.networks import chains
from reproduction.networks.backend import nd
from reproduction.networks.chains import SequenceModel, reason_against, sequences_of, tokens
from reproduction.training.chain_learner import SequenceLearner, chain_vocabulary
from reproduction.training.configuration import make_configuration


def test_tokens_of_expressions_and_equations():
    assert " ".join(tokens(add(apply("sin", variable("x")), number("2.5")))) == "+ ( sin ( x ) , #2 #. #5 )"
    equation = parse_equation("sin(x) = y")
    assert sequences_of(equation, SIDES) == [["sin", "(", "x", ")"], ["y"]]
    assert sequences_of(equation, EQUATION) == [["sin", "(", "x", ")", "=", "y"]]


def learner(lstm=True, dropout=0.0, engine=None, reading=SIDES):
    records = small_dataset().symbolic
    parts = Parts(*(Part(records[place::3], ()) for place in range(3)))
    settings = {"batch_size": 8, "dropout": dropout, "engine": engine, "reading": reading}
    configuration = make_configuration("lstm", "generalization", 0, **settings)
    vocabulary = chain_vocabulary(configuration, None, parts).tokens
    assert ("=" in vocabulary) == (reading == EQUATION)
    model = SequenceModel(vocabulary, 6, lstm, reading=reading)
    model.initialize_parameters(np.random.default_rng(0))
    if engine == "fused" and (reason := reason_against(model, "adam")):
        pytest.skip(f"no fused operators: {reason}")
    return SequenceLearner(model, parts, configuration)


def test_vocabulary_knows_the_training_set():
    task = learner()
    occurring = {token for equation in task.wanted["train"].equations for side in equation for token in tokens(side)}
    assert task.network.vocabulary[:2] == ("<unk>", "<pad>") and {"(", ",", ")", "sin", "x", "2"} <= occurring
    assert sorted(task.network.vocabulary[2:]) == sorted(occurring)


@pytest.mark.parametrize("lstm", [False, True])
def test_padding_does_not_matter(lstm):
    model = learner(lstm).network
    alone = model.read(nd.array([[3, 4, 5]]), nd.array([3])).asnumpy()
    padded = model.read(nd.array([[3, 4, 5, 1, 1], [6, 7, 8, 9, 2]]), nd.array([3, 5])).asnumpy()
    np.testing.assert_allclose(padded[0], alone[0], rtol=1e-5, atol=1e-6)


def test_every_example_comes_once_in_an_order_of_its_own():
    task, orders = learner(), []
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    for seed in (0, 0, 1):
        epoch = task.epoch(np.random.default_rng(seed))
        assert epoch.sizes.sum() == len(epoch.equations.labels) == task.train_size
        assert epoch.sizes.max() == 8
        orders.append(epoch.equations.sequences.tolist())
    assert orders[0] == orders[1] != orders[2]
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("engine", ["fused", "generic"])
@pytest.mark.parametrize("reading", READINGS)
def test_predictions_are_in_the_order_of_the_records(engine, reading):
    task = learner(engine=engine, reading=reading)
    assert task.engine == engine
    probabilities = task.predict("dev").probabilities
    for place in (0, 5, 11):
        (logit,) = task.chains.logits(task._equations["dev"].chosen(np.array([place])))
        assert probabilities[place] == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-4)


def test_every_distinct_side_of_a_batch_is_read_once(monkeypatch):
    task, read = learner(engine="generic"), []
    monkeypatch.setattr(chains, "READ_AT_ONCE", 3)
    read_sides = task.network.read
    monkeypatch.setattr(task.network, "read", lambda *sides: read.append(len(sides[0])) or read_sides(*sides))
    for batch, _ in task.epoch(np.random.default_rng(0)).batches():
        read.clear()
        task.chains.gradient(batch)
        assert sum(read) == len(np.unique(batch.sequences))
        assert max(read) <= 3


def test_dropout_acts_in_training_only():
    task = learner(dropout=0.5, engine="generic")
    epoch = task.epoch(np.random.default_rng(0))
    assert epoch.masks.shape == (len(epoch.sizes), 2, 6)
    assert set(np.unique(epoch.masks)) == {0.0, 2.0}
    assert learner().epoch(np.random.default_rng(0)).masks is None
    batch, masks = next(epoch.batches())
    assert task.chains.gradient(batch, masks).asnumpy()[0] != task.chains.gradient(batch).asnumpy()[0]
    without = learner(engine="generic").predict("dev").probabilities
    np.testing.assert_array_equal(task.predict("dev").probabilities, without)
