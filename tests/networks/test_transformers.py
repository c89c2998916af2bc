"""Transformers over the sides of equations: who attends to whom, what a position is, how large they are."""

from random import Random

import numpy as np
import pytest
from support.small_data import LEAVES, random_tree, small_dataset, write_small_dataset

from reproduction.__main__ import main
from reproduction.data.splits import Part, Parts
from reproduction.language.expression import apply, variable
from reproduction.networks.transformers import LIKE_TREE_LSTM, UNKNOWN, count_layers, token_vocabulary
from reproduction.training.configuration import make_configuration
from reproduction.training.learners import new_learner

NAMES = ("transformer", "transformer-tree")
SINES, PATHS = NAMES


def network(name: str, hidden: int = 32, **settings):
    records = small_dataset().symbolic
    parts = Parts(*(Part(records[place::3], ()) for place in range(3)))
    configuration = make_configuration(name, "generalization", 0, hidden=hidden, **settings)
    return new_learner(configuration, token_vocabulary(configuration, None, parts), parts).network


def test_the_vocabulary_is_that_of_the_training_part_the_most_frequent_first():
    records = small_dataset().symbolic
    tokens = token_vocabulary(None, None, Parts(Part(records[:1], ()), Part(records, ()), Part((), ()))).tokens
    assert tokens == (UNKNOWN, "x")
    every = token_vocabulary(None, None, Parts(*[Part(records, ())] * 3)).tokens
    counted = [
        sum(node.symbol == token for each in records for node in each.equation.subexpressions()) for token in every
    ]
    assert counted[1:] == sorted(counted[1:], reverse=True) and counted[0] == 0 and min(counted[1:]) > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_side_is_read_alike_in_any_company(name):
    """Also one that is longer than a row, deeper than all paths that are told apart, and of unknown symbols."""
    deep = variable("u_1")
    for _ in range(12):
        deep = apply("+", deep, apply("sin", variable("x")))
    sides = list(dict.fromkeys([deep, *(random_tree(Random(seed), 4) for seed in range(40)), *LEAVES]))
    model = network(name)
    together = model.encode(sides).asnumpy()
    alone = np.concatenate([model.encode([side]).asnumpy() for side in sides])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    assert deep.size > 16 and np.isfinite(together).all()
    unknown = model.encode([variable("u_1"), variable("u_2")]).asnumpy()
    assert (unknown[0] == unknown[1]).all()


@pytest.mark.parametrize("name", NAMES)
def test_positions_tell_orders_apart(name):
    sides = [apply("^", variable("x"), variable("y")), apply("^", variable("y"), variable("x"))]
    one, other = network(name).encode(sides).asnumpy()
    assert np.abs(one - other).max() > 1e-3


def test_a_position_in_the_tree_is_the_last_steps_of_the_path_those_farther_up_weaker():
    model = network(PATHS)  # two parts of 16: eight steps of two children each
    numbers = model.places([(), (1,), (1, 0)])
    assert numbers == [0b1, 0b11, 0b110] and model.places([(0,) * 20]) == model.places([(0,) * 8])
    root, child, below = model.positions(np.array(numbers)).asnumpy()
    fading = np.array([0.5, 0.95])  # as the parts begin
    one = np.sqrt(1 - fading**2) * 4
    assert not root.any()
    np.testing.assert_allclose(child.reshape(2, 16)[:, 1], one, rtol=1e-5)
    np.testing.assert_allclose(below.reshape(2, 16)[:, [0, 3]].T, [one, one * fading], rtol=1e-5)
    assert np.count_nonzero(child) == 2 and np.count_nonzero(below) == 4


@pytest.mark.parametrize("hidden", [80, 96, 112, 136])
def test_the_layers_of_a_width_have_about_the_parameters_of_tree_lstm(hidden):
    assert len(network(SINES, hidden).flat) == pytest.approx(LIKE_TREE_LSTM, rel=0.1)
    assert count_layers(8) == 6  # no more, however narrow


@pytest.mark.parametrize("name", NAMES)
def test_a_run_goes_on_with_the_same_bits(name, tmp_path):
    """Dropout is drawn from MXNet's generator, which every epoch seeds."""
    settings = ("--hidden", "9", "--dropout", "0.3", "--batch-size", "16", "--schedule", "constant")
    words = ("train", "--model", name, "--data", str(tmp_path / "data"), *settings)
    write_small_dataset(tmp_path / "data")
    whole, half, rest = (tmp_path / each for each in ("whole", "half", "rest"))
    assert main([*words, "--out", str(whole), "--epochs", "3"]) == 0
    assert main([*words, "--out", str(half), "--epochs", "1", "--keep-checkpoint"]) == 0
    assert main([*words, "--out", str(rest), "--epochs", "3", "--continue-from", str(half)]) == 0
    assert (whole / "best.params").read_bytes() == (rest / "best.params").read_bytes()
    losses = [(each / "history.jsonl").read_text().splitlines()[2].split('"loss": ')[1][:20] for each in (whole, rest)]
    assert losses[0] == losses[1]
