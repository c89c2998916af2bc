"""Tokens, batches and states of the sequential baselines."""

import numpy as np
import pytest
from support.small_data import small_dataset

from reproduction.data.examples import Part, Parts
from reproduction.language.expression import add, apply, number, variable
from reproduction.networks.backend import nd
from reproduction.networks.sequence_model import SequenceModel, tokens
from reproduction.training import sequence_learner
from reproduction.training.configuration import make_configuration
from reproduction.training.sequence_learner import SequenceLearner, chain_vocabulary


def test_tokens():
    tree = add(apply("sin", variable("x")), number("2.5"))
    assert " ".join(tokens(tree)) == "+ ( sin ( x ) , #2 #. #5 )"


def learner(lstm=True, dropout=0.0):
    records = small_dataset().symbolic
    parts = Parts(*(Part(records[place::3], ()) for place in range(3)))
    vocabulary = chain_vocabulary(parts.train.symbolic)
    model = SequenceModel(len(vocabulary), 6, lstm, dropout)
    model.initialize_parameters(np.random.default_rng(0))
    configuration = make_configuration("lstm", "generalization", 0, batch_size=8)
    return SequenceLearner(model, vocabulary, parts, configuration)


def test_vocabulary_knows_the_training_set():
    records = small_dataset().symbolic
    vocabulary = chain_vocabulary(records)
    assert vocabulary[:2] == ("<unk>", "<pad>")
    assert {"(", ",", ")", "sin", "x", "2"} <= set(vocabulary)
    occurring = {token for record in records for side in record.equation for token in tokens(side)}
    assert sorted(vocabulary[2:]) == sorted(occurring)


@pytest.mark.parametrize("lstm", [False, True])
def test_padding_does_not_matter(lstm):
    model = learner(lstm).model
    alone = model.encode(nd.array([[3, 4, 5]]), nd.array([3])).asnumpy()
    padded = model.encode(nd.array([[3, 4, 5, 1, 1], [6, 7, 8, 9, 2]]), nd.array([3, 5])).asnumpy()
    np.testing.assert_allclose(padded[0], alone[0], rtol=1e-5, atol=1e-6)


def test_every_example_comes_once_in_an_order_of_its_own():
    task, orders = learner(), []
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    for seed in (0, 0, 1):
        batches = list(task.batches(np.random.default_rng(seed)))
        assert sum(len(batch.labels) for batch in batches) == task.train_size
        orders.append([batch.left.tolist() for batch in batches])
    assert orders[0] == orders[1] != orders[2]
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_predictions_are_in_the_order_of_the_records():
    task = learner()
    probabilities = task.predict("dev").probabilities
    for place in (0, 5, 11):
        logit = task._logits(task._pairs["dev"].chosen(np.array([place]))).asscalar()
        assert probabilities[place] == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-4)


def test_prediction_in_several_batches(monkeypatch):
    task = learner()
    expected = task.predict("dev").probabilities
    monkeypatch.setattr(sequence_learner, "PREDICTED_AT_ONCE", 7)
    monkeypatch.setattr(sequence_learner, "SIDES_AT_ONCE", 3)
    np.testing.assert_allclose(task.predict("dev").probabilities, expected, rtol=1e-5)


def test_every_distinct_side_of_a_batch_is_read_once(monkeypatch):
    task, read = learner(), []
    monkeypatch.setattr(sequence_learner, "SIDES_AT_ONCE", 3)
    encode = task.model.encode
    monkeypatch.setattr(task.model, "encode", lambda *sides: read.append(len(sides[0])) or encode(*sides))
    for batch in task.batches(np.random.default_rng(0)):
        read.clear()
        task.gradient(batch)
        assert sum(read) == len({*batch.left, *batch.right})
        assert max(read) <= 3


def test_gradient_is_that_of_the_loss():
    task = learner()
    (batch, *_) = task.batches(np.random.default_rng(0))

    def loss():
        return float(task.gradient(batch).asnumpy()[0])

    loss()
    gradient, data = task.flat.gradient.asnumpy(), task.flat.data.asnumpy()
    direction = np.random.default_rng(1).normal(0, 1, len(data))
    values = []
    for sign in (1, -1):
        task.flat.data[:] = nd.array(data + sign * 1e-2 * direction)
        values.append(loss())
    assert (values[0] - values[1]) / 2e-2 == pytest.approx(float(gradient @ direction), rel=0.02, abs=1e-4)


def test_dropout_acts_in_training_only():
    task = learner(dropout=0.5)
    (batch, *_) = task.batches(np.random.default_rng(0))
    assert task.gradient(batch).asnumpy()[0] != task.gradient(batch).asnumpy()[0]
    np.testing.assert_array_equal(task.predict("dev").probabilities, task.predict("dev").probabilities)
