"""Every engine against plain recursion through the same cells, in double precision, for every registered cell."""

from random import Random

import numpy as np
import pytest
from support.small_data import ALL_FUNCTIONS, FEW_FUNCTIONS, SYMBOLS, random_tree, small_model

from reproduction.data.dataset import Vocabulary
from reproduction.errors import InputError
from reproduction.language.expression import apply, variable
from reproduction.language.parsing import parse_equation
from reproduction.models import LEAVES, OPTIMIZERS, PAPER_OPTIMIZERS
from reproduction.networks.backend import autograd, mx, nd
from reproduction.networks.batches import Batch, Epoch, Examples, make_table
from reproduction.networks.cells import CELLS, TreeCell, register_cell, tanh
from reproduction.networks.fused.engine import reason_against
from reproduction.networks.network import FlatOptimizer, OptimizerSettings
from reproduction.networks.tree_model import encode_by_function, encode_recursively

TOLERANCE = 1e-11
MASK = np.array([2.0, 0.0, 1.5, 0.5, 1.0])
OF_THE_PAPER = ("tree-nn", "tree-lstm")
OF_THE_MACHINE = ("it is switched off", "the processor has no AVX2", "there is no C++ compiler")
ENGINES = [("generic", cell) for cell in CELLS] + [("fused", cell) for cell in OF_THE_PAPER]
EVERY_OPTIMIZER = [(name, 0.0) for name in PAPER_OPTIMIZERS]
EVERY_OPTIMIZER += [(name, 0.7) for name in PAPER_OPTIMIZERS if OPTIMIZERS[name].momentum]
EVERY_OPTIMIZER += [("adamax", 0.0), ("lamb", 0.0)]  # which the fused operators do not know
each_engine = pytest.mark.parametrize(("engine", "cell"), ENGINES)


def model_for(engine: str, cell: str, **options):
    """A model with weights that tell mistakes; a machine that cannot have the operators says so."""
    reason = reason_against(small_model(cell, engine="recursive")) if engine == "fused" else None
    if reason:
        assert reason.startswith(OF_THE_MACHINE), reason  # anything else is a fault of ours
        pytest.skip(f"no fused operators: {reason}")
    return small_model(cell, engine=engine, **options)


class Case:
    """Random equations and trees to decode, and the batch of them."""

    def __init__(self, height=4, count=12, trees=5, functions=FEW_FUNCTIONS, share=True, seed=0, **batch):
        random = Random(seed)
        sizes = [random.randint(0, height) for _ in range(2 * count)] + [3] * trees
        self.expressions = [random_tree(random, size, functions) for size in sizes]
        self.table = make_table(self.expressions, Vocabulary(ALL_FUNCTIONS, SYMBOLS), share)
        labels = np.array([random.randint(0, 1) for _ in range(count)], dtype=float)
        targets = np.array([random.gauss(0, 1) for _ in range(trees)])
        roots = self.table.roots
        self.examples = Examples(roots[: 2 * count : 2], roots[1 : 2 * count : 2], labels, roots[2 * count :], targets)
        self.batch = Batch(self.table, self.examples, **batch)


def gradient_of(model, batch):
    """The loss, the whole report and the flat gradient."""
    model.flat.gradient[:] = 0
    with autograd.record():
        loss = model(batch)
    loss.backward()
    return loss.asscalar(), model.engine.report(batch).asnumpy(), model.flat.gradient.asnumpy()


def assert_same(engine, cell, case, **options):
    model, slow = model_for(engine, cell, **options), small_model(cell, engine="recursive", **options)
    values, expected = gradient_of(model, case.batch), gradient_of(slow, case.batch)
    for ours, theirs in zip(values, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=TOLERANCE)
    assert np.abs(expected[2]).max() > 1e-4
    return model


@each_engine
@pytest.mark.parametrize("share", [False, True], ids=["without-sharing", "sharing"])
@pytest.mark.parametrize("height", [1, 4, 7])
def test_values_and_gradients_equal_recursion(engine, cell, share, height):
    assert_same(engine, cell, Case(height, share=share, seed=height))


@each_engine
@pytest.mark.parametrize("leaf", LEAVES)
def test_every_squashing_of_leaves(engine, cell, leaf):
    assert_same(engine, cell, Case(2, mask=MASK), leaf=leaf)


@pytest.mark.parametrize("leaf", LEAVES)
def test_leaves_are_squashed_as_their_name_says(leaf):
    formulas = {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh, "identity": lambda x: x}
    model = small_model(leaf=leaf, engine="recursive")
    weight = model.symbol.weight.data().asnumpy()
    h, c = model.leaf_states([variable("x")])
    np.testing.assert_allclose(h.asnumpy()[0], formulas[leaf](weight[SYMBOLS.index("x")]), rtol=1e-12)
    assert not c.asnumpy().any()


@each_engine
def test_all_functions_together_with_a_mask_and_heavy_numbers(engine, cell):
    case = Case(3, 120, 10, functions=ALL_FUNCTIONS, mask=MASK, numeric_weight=3.0)
    model = assert_same(engine, cell, case)
    assert not model.absent(case.batch)
    for name in ALL_FUNCTIONS:
        assert np.abs(model.cells[name].weight.grad().asnumpy()).max() > 0, name


@each_engine
@pytest.mark.parametrize("kept", ["pairs", "decoded", "two leaves"])
def test_batches_of_one_kind(engine, cell, kept):
    case = Case(0 if kept == "two leaves" else 3, 4, 3)
    left, right, label, decoded, target = case.examples
    pairs = slice(0, 0) if kept == "decoded" else slice(None)
    rows = slice(None) if kept == "decoded" else slice(0, 0)
    case.batch = Batch(case.table, Examples(left[pairs], right[pairs], label[pairs], decoded[rows], target[rows]))
    assert_same(engine, cell, case)


@pytest.mark.parametrize("cell", CELLS)
def test_the_recursive_engine_is_recursion_through_expressions(cell):
    case, model = Case(mask=MASK, numeric_weight=3.0), small_model(cell, engine="recursive")
    sides, trees, count = case.expressions[:24], case.expressions[24:], case.examples.count
    mask = model.array(MASK)
    h = [encode_recursively(model, side, mask)[0] for side in sides]
    logits = nd.concat(*(model.compare(*pair) for pair in zip(h[::2], h[1::2], strict=True)), dim=0).asnumpy()
    numbers = nd.concat(*(model.decode(encode_recursively(model, tree, mask)[0]) for tree in trees), dim=0).asnumpy()
    _, _, labels, _, targets = case.examples
    logistic = np.sum(np.log(1 + np.exp(logits)) - labels * logits) / count
    squared = 3 * np.sum((numbers - targets) ** 2) / count
    expected = [logistic, squared, *logits, *numbers]
    np.testing.assert_allclose(model.engine.report(case.batch).asnumpy(), expected, atol=TOLERANCE)
    assert model(case.batch).asscalar() == pytest.approx(logistic + squared)


@pytest.mark.parametrize("cell", CELLS)
def test_gradients_are_those_of_finite_differences(cell):
    case, model, step = Case(5, share=False, mask=MASK), small_model(cell, engine="recursive"), 1e-5
    gradient, start = gradient_of(model, case.batch)[2], model.flat.data.asnumpy()
    for direction in np.random.default_rng(0).normal(size=(3, len(start))):
        losses = []
        for sign in (1, -1):
            model.flat.data[:] = nd.array(start + sign * step * direction, dtype="float64")
            losses.append(model(case.batch).asscalar())
        assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(gradient @ direction, rel=1e-6)


@each_engine
def test_order_of_a_batch_does_not_matter(engine, cell):
    case, model = Case(), model_for(engine, cell)
    expected = gradient_of(model, case.batch)[2]
    order = np.random.default_rng(0).permutation(case.examples.count)
    shuffled = Batch(case.table, case.examples.chosen(order))
    np.testing.assert_allclose(gradient_of(model, shuffled)[2], expected, atol=TOLERANCE)


def test_room_to_spare_does_not_matter():
    case, model = Case(mask=MASK), model_for("generic", "tree-lstm")
    expected = gradient_of(model, case.batch)
    capacity = model.engine.capacity
    bigger = tuple((rows + 6, nodes + 16) for rows, nodes in capacity.groups)
    model.engine.capacity = capacity._replace(pairs=40, decoded=24, numbers=32, groups=bigger)
    for ours, theirs in zip(gradient_of(model, case.batch), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=TOLERANCE)
    assert model.engine.capacity.pairs == 40


@each_engine
def test_prediction_in_several_batches(engine, cell, monkeypatch):
    case, model = Case(), model_for(engine, cell)
    report = model.engine.report(case.batch).asnumpy()[2:]
    monkeypatch.setattr("reproduction.networks.tree_model.PREDICTED_AT_ONCE", 5)
    np.testing.assert_allclose(np.concatenate(model.predict(case.table, case.examples)), report, atol=TOLERANCE)


@each_engine
@pytest.mark.parametrize(("optimizer", "momentum"), EVERY_OPTIMIZER)
def test_an_epoch_is_a_gradient_and_a_step_for_every_batch(engine, cell, optimizer, momentum):
    if optimizer == "sgld" and engine == "fused":
        pytest.skip("its noise is drawn in another order")
    case = Case(3, 14, 6, functions=ALL_FUNCTIONS)
    random = np.random.default_rng(1)
    masks = (random.random((5, 5)) > 0.3) / 0.7
    epoch = Epoch(case.table, case.examples, random.permutation(20), 4, masks, 3.0)
    rates = np.linspace(0.02, 0.01, 5)
    settings = OptimizerSettings(optimizer, 4, momentum, clip=0.5, l2=0.01, averaging=0.9)
    parameters, outcomes = [], []
    for model in (model_for(engine, cell, dtype="float32"), small_model(cell, engine="recursive", dtype="float32")):
        mx.random.seed(3)
        updates = FlatOptimizer(model.flat, settings)
        outcomes.append(model.engine.train(epoch, rates, updates))
        parameters.append([array.asnumpy() for array in (model.flat.data, *updates.arrays().values())])
        assert updates.steps == 5
    for ours, theirs in zip((*parameters[0], *outcomes[0]), (*parameters[1], *outcomes[1]), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=2e-5)
    assert np.abs(parameters[0][0] - parameters[0][-1]).max() > 1e-4


def test_a_cell_of_ones_own_takes_one_class():
    @register_cell("sum")
    class SumCell(TreeCell):
        @staticmethod
        def count_gates(arity):
            return 1

        @staticmethod
        def combine(F, sums, children):  # noqa: N803
            return (tanh(F, sums[0] + children[0][0]),)

    try:
        model = assert_same("generic", "sum", Case())
        assert small_model("sum").engine.name == model.engine.name == "generic"
    finally:
        del CELLS["sum"]


def test_one_call_for_each_function_gives_the_same():
    case, model = Case(), small_model()
    states = encode_by_function(model, case.expressions)
    for place, root in enumerate(case.expressions):
        for ours, theirs in zip(states, encode_recursively(model, root), strict=True):
            np.testing.assert_allclose(ours[place].asnumpy(), theirs[0].asnumpy(), atol=TOLERANCE)


def test_what_is_absent():
    model = small_model(engine="generic")
    batch = model.batch([parse_equation("sin(x) + 1 = y")], [1])
    assert model.absent(batch) == {*ALL_FUNCTIONS, "number", "decoder"} - {"sin", "+"}
    assert "number" not in model.absent(model.batch([parse_equation("sin(x) + 0.25 = y")], [1]))


def test_sharing_computes_every_subtree_once():
    x = variable("x")
    deep = apply("sin", apply("+", x, x))
    roots = [apply("*", deep, deep), deep, apply("sin", x)]
    vocabulary = Vocabulary(FEW_FUNCTIONS, SYMBOLS)
    assert len(make_table(roots, vocabulary).keys) == 5  # x, x + x, sin(x + x), their product, sin(x)
    assert len(make_table(roots, vocabulary, share=False).keys) == 9 + 4 + 2


def test_what_a_model_does_not_know_is_refused():
    with pytest.raises(InputError, match="'q' is not known"):
        make_table([variable("q")], Vocabulary(FEW_FUNCTIONS, SYMBOLS))
    with pytest.raises(InputError, match="'tan' is not known"):
        make_table([apply("tan", variable("x"))], Vocabulary(FEW_FUNCTIONS, SYMBOLS))


def test_an_engine_that_cannot_be_had_is_refused():
    with pytest.raises(InputError, match=r"engine 'quick' is unknown \(allowed: fused, generic, recursive\)"):
        _ = small_model(engine="quick").engine
    with pytest.raises(InputError, match="cannot be used: it knows the cells tree-nn and tree-lstm only"):
        _ = small_model("tree-gru", engine="fused").engine
