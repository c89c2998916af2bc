"""Flat updates against Gluon's trainer on separate cells; functions that are absent stay as they are."""

import numpy as np
import pytest
from support.small_data import FEW_FUNCTIONS, small_model

from reproduction.models import OPTIMIZERS
from reproduction.networks.backend import gluon, mx, nd
from reproduction.networks.network import FlatOptimizer, OptimizerSettings

RATE = 0.01
CASES = [(name, 0.0) for name in OPTIMIZERS] + [(name, 0.7) for name in ("sgd", "nag", "dcasgd", "signum")]


def gradients(model, steps=4):
    return np.random.default_rng(1).normal(0, 0.3, (steps, len(model.flat)))


def updated_by_trainer(name, momentum, absent):
    """The parameters after Gluon's trainer, which skips parameters without a new gradient."""
    model = small_model(functions=FEW_FUNCTIONS, dtype="float32")
    choice = OPTIMIZERS[name]
    options = {"momentum": momentum} if choice.momentum else {}
    options |= {"learning_rate": RATE} if choice.learning_rate else {}
    trainer = gluon.Trainer(model.collect_params(), choice.registered, options, kvstore=None)
    for step, gradient in enumerate(gradients(model)):
        model.flat.gradient[:] = nd.array(gradient)
        for segment in model.flat.segments:
            segment.parameter.data()._fresh_grad = segment.owner not in absent[step]
            index = trainer._param2idx[segment.parameter.name]
            trainer._optimizer._index_update_count[index] = step  # Adam counts the steps of the model
        trainer.step(1, ignore_stale_grad=True)
    return model.flat.data.asnumpy()


def updated_flat(name, momentum, absent, **options):
    model = small_model(functions=FEW_FUNCTIONS, dtype="float32")
    optimizer = FlatOptimizer(model.flat, OptimizerSettings(name, momentum=momentum, **options))
    before = []
    for step, gradient in enumerate(gradients(model)):
        before.append(model.flat.data.asnumpy())
        model.flat.gradient[:] = nd.array(gradient)
        optimizer.step(RATE, frozenset(absent[step]))
    return model, [*before, model.flat.data.asnumpy()]


@pytest.mark.parametrize(("name", "momentum"), CASES)
def test_same_as_a_trainer_on_separate_cells(name, momentum):
    absent = [{"sin"}, set(), {"sin", "^", "decoder"}, {"cos"}]
    mx.random.seed(0)
    model, values = updated_flat(name, momentum, absent, batch_size=16)  # which is nothing to all but SGLD
    for step, missing in enumerate(absent):
        for segment in model.flat.segments:
            place = slice(segment.start, segment.stop)
            same = np.array_equal(values[step][place], values[step + 1][place])
            assert same == (segment.owner in missing), (step, segment.name)
    if name != "sgld":  # its noise is drawn in another order
        np.testing.assert_allclose(values[-1], updated_by_trainer(name, momentum, absent), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("name", "momentum"), CASES)
def test_what_has_no_gradient_yet_stays_finite(name, momentum):
    """A symbol that no batch has had so far: Adamax, as it is in MXNet, divides 0 by 0."""
    model = small_model(functions=FEW_FUNCTIONS, dtype="float32")
    optimizer = FlatOptimizer(model.flat, OptimizerSettings(name, momentum=momentum))
    before = model.flat.data.asnumpy()
    for _ in range(3):
        model.flat.gradient[:] = 0
        model.flat.gradient[0] = 1
        optimizer.step(RATE)
    after = model.flat.data.asnumpy()
    assert np.isfinite(after).all() and after[0] != before[0]
    if name != "sgld":
        np.testing.assert_allclose(after[1:], before[1:], rtol=1e-6)


def test_sgld_adds_noise_to_half_a_step():
    model = small_model(dtype="float32")
    optimizer = FlatOptimizer(model.flat, OptimizerSettings("sgld", batch_size=16))
    before = model.flat.data.asnumpy()
    model.flat.gradient[:] = 1  # a mean: the sum is 16
    optimizer.step(RATE)
    moved = model.flat.data.asnumpy() - before
    assert np.mean(moved) == pytest.approx(-16 * RATE / 2, abs=4 * np.sqrt(RATE / len(moved)))
    assert np.std(moved) == pytest.approx(np.sqrt(RATE), rel=0.1)


def test_delay_compensation_with_momentum_is_its_formula():
    model, values = updated_flat("dcasgd", 0.7, [set()] * 4)
    weight = previous = values[0].astype(float)
    momentum = np.zeros(len(weight))
    for gradient in gradients(model):
        momentum = 0.7 * momentum - RATE * (gradient + 0.04 * gradient**2 * (weight - previous))
        weight, previous = weight + momentum, weight
    np.testing.assert_allclose(values[-1], weight, rtol=1e-5, atol=1e-6)


def test_l2_pulls_weights_towards_0_and_leaves_biases():
    model = small_model(dtype="float32")
    start = model.flat.data.asnumpy()
    model.flat.gradient[:] = 0
    FlatOptimizer(model.flat, OptimizerSettings("sgd", l2=0.1)).step(0.5)
    for segment in model.flat.segments:
        kept = 0.95 if len(segment.parameter.shape) == 2 else 1.0
        place = slice(segment.start, segment.stop)
        np.testing.assert_allclose(model.flat.data.asnumpy()[place], kept * start[place], rtol=1e-5)


def test_clipping_keeps_the_direction():
    model = small_model(dtype="float32")
    start = model.flat.data.asnumpy()
    gradient = np.random.default_rng(0).normal(0, 5, len(model.flat))
    model.flat.gradient[:] = nd.array(gradient)
    FlatOptimizer(model.flat, OptimizerSettings("sgd", clip=0.1)).step(1.0)
    moved = start - model.flat.data.asnumpy()
    assert np.linalg.norm(moved) == pytest.approx(0.1, rel=1e-4)
    np.testing.assert_allclose(moved / 0.1, gradient / np.linalg.norm(gradient), atol=1e-5)


def test_nadam_is_its_formula_however_many_runs_a_step_has():
    model, values = updated_flat("nadam", 0.0, [{"sin"}] * 4)
    weight, mean, variance, product = values[0].astype(float), 0.0, 0.0, 1.0
    for step, gradient in enumerate(gradients(model), 1):
        now, after = (0.9 * (1 - 0.5 * 0.96 ** (0.004 * place)) for place in (step, step + 1))
        mean, variance, product = 0.9 * mean + 0.1 * gradient, 0.999 * variance + 0.001 * gradient**2, product * now
        looked_ahead = (1 - now) * gradient / (1 - product) + after * mean / (1 - product * after)
        weight = weight - RATE * looked_ahead / (np.sqrt(variance / (1 - 0.999**step)) + 1e-8)
    for segment in model.flat.segments:
        if segment.owner != "sin":
            place = slice(segment.start, segment.stop)
            np.testing.assert_allclose(values[-1][place], weight[place], rtol=1e-4, atol=1e-5)
