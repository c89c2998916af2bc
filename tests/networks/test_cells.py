"""Cells with weights set by hand give the numbers computed by hand; anyone can compose a tree of them."""

import numpy as np
import pytest
from support.small_data import FEW_FUNCTIONS, small_model

from reproduction.language.expression import constant, number, variable
from reproduction.networks.backend import autograd, nd
from reproduction.networks.cells import TreeLSTMCell, TreeNNCell, TreeSMUCell
from reproduction.networks.tree_model import Cell, NumberBlock, SymbolBlock, TwoLayers


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def set_up(block, **values):
    block.initialize()
    for name, value in values.items():
        getattr(block, name).set_data(nd.array(value))
    return block


def test_tree_nn_cell():
    cell = set_up(Cell(TreeNNCell, 2, 1), weight=[[2.0, -3.0]], bias=[0.5])
    (h,) = cell((nd.array([[0.7]]),), (nd.array([[0.2]]),))
    assert h.asscalar() == pytest.approx(sigmoid(2 * 0.7 - 3 * 0.2 + 0.5))


@pytest.mark.parametrize("children", [((0.5, -0.6),), ((0.5, 0.9), (-0.4, 0.8))], ids=["unary", "binary"])
def test_tree_lstm_cell_has_a_forget_gate_for_each_child(children):
    rows = np.array([[1, -1], [2, 0], [-3, 2], [3, 1], [-1, 3]])[: 3 + len(children), : len(children)]
    bias = np.arange(len(rows)) / 10
    cell = set_up(Cell(TreeLSTMCell, len(children), 1), weight=rows, bias=bias)
    h, c = cell(*(tuple(nd.array([[value]]) for value in child) for child in children))
    sums = rows @ [h_child for h_child, _ in children] + bias
    (i, o), forget = sigmoid(sums[:2]), sigmoid(sums[3:])
    expected = i * np.tanh(sums[2]) + forget @ [c_child for _, c_child in children]
    assert c.asscalar() == pytest.approx(expected)
    assert h.asscalar() == pytest.approx(o * np.tanh(expected))


def test_tree_smu_cell_pushes_pops_and_keeps_its_stack():
    """The rows of the weights: what is pushed, output, push, pop, no-op, and what is kept of each child."""
    rows = [[3, 1], [2, 0], [0, 2], [1, -1], [-2, 1], [1, 1], [-1, 3]]
    cell = set_up(Cell(TreeSMUCell, 2, 1), weight=rows, bias=[0.1, 0.2, -0.3, 0.4, 0.5, 0, -0.1])
    left, right = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0), (-0.4, -1.0, 0.5, 0.0, 0.25, 8.0)  # h, then the stack from its top
    states = (tuple(nd.array([[each]]) for each in child) for child in (left, right))
    h, *stack = (part.asnumpy().item() for part in cell(*states))
    sums = np.array(rows) @ [0.5, -0.4] + [0.1, 0.2, -0.3, 0.4, 0.5, 0, -0.1]
    keep_left, keep_right = sigmoid(sums[5:])
    joined = keep_left * np.array(left[1:]) + keep_right * np.array(right[1:])
    push, pop, no_op = np.exp(sigmoid(sums[2:5])) / np.exp(sigmoid(sums[2:5])).sum()
    pushed, popped = np.array([np.tanh(sums[0]), *joined[:4]]), np.array([*joined[1:], 0])
    expected = push * pushed + pop * popped + no_op * joined
    np.testing.assert_allclose(stack, expected, rtol=1e-6)
    assert h == pytest.approx(sigmoid(sums[1]) * np.tanh(expected[0]))


def test_blocks_of_leaves_and_decoder():
    symbol = set_up(SymbolBlock(2, 2), weight=[[0.0, 1.0], [2.0, 3.0]])
    np.testing.assert_allclose(symbol(nd.array([1])).asnumpy(), [[sigmoid(2), sigmoid(3)]], rtol=1e-6)
    block = set_up(NumberBlock(1), weight_1=[[2.0]], bias_1=[0.1], weight_2=[[3.0]], bias_2=[-1.0])
    assert block(nd.array([[0.25]])).asscalar() == pytest.approx(sigmoid(3 * np.tanh(0.6) - 1), rel=1e-6)
    decoder = set_up(TwoLayers(1, 1, 1), weight_1=[[2.0]], bias_1=[0.1], weight_2=[[7.0]], bias_2=[-1.0])
    assert decoder(nd.array([[0.25]])).asscalar() == pytest.approx(7 * np.tanh(0.6) - 1, rel=1e-6)


@pytest.mark.parametrize(("cell", "bias"), [("tree-nn", -10.0), ("tree-lstm", 0.0)])
def test_weights_start_within_the_limit_of_their_inputs(cell, bias):
    model = small_model(cell, hidden=40)
    model.initialize_parameters(np.random.default_rng(0))
    for segment in model.flat.segments:
        values = segment.parameter.data().asnumpy()
        if values.ndim == 1:
            assert np.all(values == (bias if segment.name == "bias" else 0)), segment.name
        else:
            limit = np.sqrt(2.34 / (1 if segment.name == "symbol_weight" else values.shape[1]))
            assert 0.8 * limit < np.abs(values).max() <= limit, segment.name
            assert values.min() < 0 < values.max(), segment.name


def test_composing_by_hand_trains_the_cells():
    model = small_model(functions=FEW_FUNCTIONS)
    states = model.leaf_states([variable("x"), number("0.5"), constant("pi"), number("2.25")])
    assert [part.shape for part in states] == [(4, 5), (4, 5)]
    assert np.all(states[1].asnumpy() == 0)
    with autograd.record():
        x, half = (model.leaf_states([leaf]) for leaf in (variable("x"), number("0.5")))
        left = model.cells["sin"](model.cells["+"](x, half))
        logit = model.compare(left[0], x[0])
    logit.backward()
    for name in ("sin", "+"):
        assert np.abs(model.cells[name].weight.grad().asnumpy()).max() > 0
    assert model.cells["sin"].weight.name == "sin_weight"
