"""The fused operators beyond what every engine promises: sizes, bits, noise, what is not finite, how they are made."""

import functools

import numpy as np
import pytest
from support.small_data import small_model
from test_engines import MASK, Case, gradient_of, model_for

from reproduction.language.parsing import parse_equation
from reproduction.models import OPTIMIZERS
from reproduction.networks.backend import nd
from reproduction.networks.batches import Epoch
from reproduction.networks.fused import engine as fused
from reproduction.networks.network import FlatOptimizer, OptimizerSettings

CELLS = ("tree-nn", "tree-lstm")


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("hidden", [1, 3, 8, 10, 50])
def test_every_hidden_size_in_single_precision(cell, hidden):
    case = Case(5, 20, mask=np.linspace(0, 2, hidden), numeric_weight=2.0)
    fused = model_for("fused", cell, hidden=hidden, dtype="float32")
    slow = small_model(cell, engine="recursive", hidden=hidden, dtype="float32")
    for model in (fused, slow):
        model.flat.data[:] = np.random.default_rng(3).normal(0, 1 / np.sqrt(hidden), len(model.flat))
    for ours, theirs in zip(gradient_of(fused, case.batch), gradient_of(slow, case.batch), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-5)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_bits_do_not_depend_on_where_calls_end(optimizer):
    case, random = Case(3, 14, 6), np.random.default_rng(1)
    order, masks, rates = random.permutation(20), np.tile(MASK, (4, 1)), np.full(4, 0.01)
    settings = OptimizerSettings(optimizer, 5, clip=0.5, l2=0.01, averaging=0.9, seed=7)
    parameters = []
    for cuts in ([(0, 4)], [(0, 1), (1, 3), (3, 4)]):
        model = model_for("fused", "tree-lstm", dtype="float32")
        updates = FlatOptimizer(model.flat, settings)
        for start, stop in cuts:
            epoch = Epoch(case.table, case.examples, order[5 * start : 5 * stop], 5, masks[start:stop])
            model.engine.train(epoch, rates[start:stop], updates)
        parameters.append((model.flat.data.asnumpy(), updates.average.asnumpy()))
    np.testing.assert_array_equal(*parameters)


def test_sgld_adds_noise_of_the_rate_as_variance():
    case, moved = Case(3, 14, 6), []
    for seed in (1, 2):
        model = model_for("fused", "tree-lstm", dtype="float32")
        before = model.flat.data.asnumpy()
        updates = FlatOptimizer(model.flat, OptimizerSettings("sgld", 20, seed=seed))
        model.engine.train(Epoch(case.table, case.examples, np.arange(20), 20), np.array([1e-4]), updates)
        moved.append((model.flat.data.asnumpy() - before)[model.flat.data.asnumpy() != before])
    for each in moved:
        assert len(each) > 500
        assert np.std(each) == pytest.approx(0.01, rel=0.1)
        assert abs(np.mean(each)) < 0.002
    assert not np.array_equal(*moved)


@pytest.mark.parametrize("clip", [0.0, 1.0])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_reaches_the_report(value, clip):
    case, model = Case(3, 14, 6), model_for("fused", "tree-lstm", dtype="float32")
    model.flat.data[:] = value
    updates = FlatOptimizer(model.flat, OptimizerSettings("adam", clip=clip))
    outcomes = model.engine.train(Epoch(case.table, case.examples, np.arange(20), 5), np.full(4, 0.01), updates)
    assert not np.isfinite(outcomes.logistic[:2]).any()


@pytest.fixture
def unmade(tmp_path, monkeypatch):
    """As if nothing had been compiled yet; the operators themselves stay loaded."""
    monkeypatch.delenv(fused.SWITCH, raising=False)
    monkeypatch.setattr(fused.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(fused, "load_operators", functools.cache(fused.load_operators.__wrapped__))
    return tmp_path


def test_without_the_operators_it_says_why(unmade, monkeypatch):
    monkeypatch.setattr(fused, "_compiler", lambda: None)
    for features, switch, why in (
        ({"avx2", "fma"}, "1", "there is no C++ compiler"),
        ({"sse2"}, "1", "the processor has no AVX2 and FMA"),
        ({"avx2", "fma"}, "0", "it is switched off (REPRODUCTION_FUSED=0)"),
    ):
        monkeypatch.setattr(fused, "_processor_features", lambda found=features: found)
        monkeypatch.setenv(fused.SWITCH, switch)
        fused.load_operators.cache_clear()
        assert fused.load_operators() == why


@pytest.mark.skipif(fused._compiler() is None, reason="there is no C++ compiler")
def test_a_failed_compilation_leaves_nothing_and_says_why(unmade, monkeypatch):
    monkeypatch.setattr(fused, "_processor_features", lambda: {"avx2", "fma"})
    monkeypatch.setattr(fused, "FLAGS", (*fused.FLAGS, "--no-such-flag"))
    assert "refused the operators" in fused.load_operators()
    assert not [path for path in unmade.rglob("*") if path.is_file()]


def test_wrong_arguments_are_refused_in_words():
    case, model = Case(), model_for("fused", "tree-lstm")
    model.engine._layout["hidden"] = 6
    with pytest.raises(Exception, match="parameters, not"):
        model.engine.report(case.batch).asnumpy()
    assert nd.ones(1).asscalar() == 1  # MXNet goes on


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite_stays_in_its_function(cell, value):
    """The last vector of a function's weights holds the first ones of the next function, cos behind sin."""
    model = model_for("fused", cell, dtype="float32")
    batch = model.batch([parse_equation("sin(x) = y")], [1])
    expected = gradient_of(model, batch)
    model.cells["cos"].weight.data()[:] = value
    for ours, before in zip(gradient_of(model, batch), expected, strict=True):
        np.testing.assert_array_equal(ours, before)
