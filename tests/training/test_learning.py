"""What one epoch is made of: order, masks, weights and rates, and what the history says of it."""

import numpy as np
import pytest
from support.small_data import small_dataset

from reproduction.data.dataset import EVALUATION, Record, Split
from reproduction.data.splits import autoencoder_targets, evaluation_target
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_expression
from reproduction.training import loop
from reproduction.training.configuration import make_configuration
from reproduction.training.loop import Run


def make_run(directory, model="tree-lstm+data", seed=0, **options) -> Run:
    dataset = small_dataset()
    identifiers = [*dataset.by_id]
    split = Split(*(tuple(identifiers[place::3]) for place in range(3)))
    settings = {"hidden": 6, "batch_size": 16, "epochs": 4, **options}
    return Run(make_configuration(model, "generalization", seed, **settings), dataset, split, directory)


def epochs_of(run, count, monkeypatch):
    """The epochs and rates that the engine is given."""
    seen, train = [], run.network.engine.train
    monkeypatch.setattr(run.network.engine, "train", lambda *given: seen.append(given) or train(*given))
    for _ in range(count):
        loop._train_epoch(run)
        run.progress.epoch += 1
    return seen


def test_the_engine_is_given_masks_and_the_weight_of_numbers(tmp_path, monkeypatch):
    run = make_run(tmp_path, hidden=50, dropout=0.25, numeric_weight=3.0)
    for epoch, _, _ in epochs_of(run, 2, monkeypatch):
        assert epoch.numeric_weight == 3.0
        assert epoch.masks.shape == (epoch.steps, 50)
        assert set(epoch.masks.ravel()) == {0.0, 1 / 0.75}
        assert np.mean(epoch.masks == 0) == pytest.approx(0.25, abs=0.1)
        assert len(np.unique(epoch.masks, axis=0)) == epoch.steps
        assert [batch.numeric_weight for batch in epoch.batches()] == [3.0] * epoch.steps
        for batch, mask in zip(epoch.batches(), epoch.masks, strict=True):
            np.testing.assert_array_equal(batch.mask, mask)


def test_every_example_comes_once_in_another_order_each_epoch(tmp_path, monkeypatch):
    run = make_run(tmp_path, dropout=0.0)
    (one, _, _), (other, _, _) = epochs_of(run, 2, monkeypatch)
    assert sorted(one.order) == sorted(other.order) == list(range(run.learner.train_size))
    assert one.order.tolist() != other.order.tolist() and one.masks is None


def test_order_and_weights_follow_the_seed_each_by_itself(tmp_path):
    first, same, other = (make_run(tmp_path / str(place), seed=seed) for place, seed in enumerate((0, 0, 1)))
    weights = [run.network.flat.data.asnumpy().tolist() for run in (first, same, other)]
    assert weights[0] == weights[1] != weights[2]
    orders = [np.concatenate(run.learner.batches(loop._order(run))).tolist() for run in (first, same, other)]
    assert orders[0] == orders[1] != orders[2]


def test_rates_fall_from_step_to_step_over_the_whole_training(tmp_path, monkeypatch):
    run = make_run(tmp_path, learning_rate=0.5, schedule="linear", epochs=2)
    given = np.concatenate([rates for _, rates, _ in epochs_of(run, 2, monkeypatch)])
    np.testing.assert_allclose(given, np.linspace(0.5, 0, len(given), endpoint=False))


@pytest.mark.parametrize("model", ["tree-lstm+data", "tree-nn", "lstm"])
def test_the_history_tells_means_over_the_training_set(model, tmp_path):
    weight = 3.0 if model.endswith("+data") else 1.0
    run = make_run(tmp_path, model, learning_rate=1e-9, dropout=0.0, numeric_weight=weight, schedule="constant")
    row, found, part = loop._train_epoch(run), run.learner.predict("train"), run.parts.train
    right = np.where(part.labels == 1, found.probabilities, 1 - found.probabilities)
    assert row["loss"] == pytest.approx(-np.mean(np.log(right)), rel=1e-5)
    assert row["train_accuracy"] == pytest.approx(np.mean(right > 0.5))
    assert (row["epoch"], row["learning_rate"]) == (1, 1e-9)
    if model.endswith("+data"):
        correct = [record for record in part.numeric if record.label == 1]
        targets = [value for _, value in [*map(evaluation_target, correct), *autoencoder_targets(correct)]]
        assert row["squared_error"] == pytest.approx(np.mean((found.decoded - targets) ** 2), rel=1e-5)
    else:
        assert row["squared_error"] is None


def test_the_autoencoder_gives_a_number_back_with_its_sign():
    numeric = [Record("n0", parse_equation("sin(-2.5) = -0.6"), 1, EVALUATION, 3, "made")]
    written = [(print_expression(side), value) for side, value in autoencoder_targets(numeric)]
    assert written == [("0.6", 0.6), ("2.5", 2.5), ("-0.6", -0.6), ("-2.5", -2.5)]


def test_a_generic_engine_has_room_for_the_first_epochs(tmp_path):
    run = make_run(tmp_path, engine="generic")
    reserved = run.learner.capacity
    assert reserved.pairs > 0 and reserved.decoded > 0
    for _ in range(2):
        loop._train_epoch(run)
        run.progress.epoch += 1
    assert run.learner.capacity == reserved
