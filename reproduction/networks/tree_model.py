"""Networks over expressions as the paper draws them: a cell for each function, symbol and number blocks, two heads.

`cell(*children)` takes the states of the children and gives the state of the node, so that anyone can compose the
network of a tree by hand.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..data.dataset import Vocabulary
from ..language.expression import NUMBER, Equation, Expression
from ..language.grammar import FUNCTIONS
from .backend import context, gluon, mx, nd
from .batches import NUMBER_LEAF, Batch, Engine, Examples, SubtreeTable, chosen_engine, make_table, report_parts
from .cells import TreeCell, find_cell, squashed, tanh
from .fused.engine import FusedEngine, reason_against
from .network import ExpressionNetwork

State = tuple[nd.NDArray, ...]  # what a cell gives, (h,) or (h, c), a row a node
HEAD, SYMBOL, NUMBERS, DECODER = "head", "symbol", "number", "decoder"
PREDICTED_AT_ONCE = 2048


class Cell(gluon.HybridBlock):
    """A cell with weights, for functions of one arity.

    The matrices U_gk and biases b_g of the gates g lie below each other in `weight` and `bias`.
    """

    def __init__(self, kind: type[TreeCell], arity: int, hidden: int, **block):
        super().__init__(**block)
        self.combine, self.hidden, self.gates = kind.combine, hidden, kind.count_gates(arity)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(self.gates * hidden, arity * hidden))
            self.bias = self.params.get("bias", shape=(self.gates * hidden,))

    def hybrid_forward(self, F, *children, weight, bias):
        vectors = F.concat(*(child[0] for child in children), dim=1)  # (nodes, arity * hidden)
        sums = F.FullyConnected(vectors, weight, bias, num_hidden=self.gates * self.hidden)
        starts = range(0, self.gates * self.hidden, self.hidden)
        gates = [F.slice_axis(sums, axis=1, begin=start, end=start + self.hidden) for start in starts]
        return tuple(self.combine(F, gates, children))


class SymbolBlock(gluon.HybridBlock):
    """h = s(W one-hot(symbol)): constants and variables, by their row in the table of symbols.

    The squashing s is that of the cells' h, σ under a TreeNN and tanh under a TreeLSTM, or the one that is asked for.
    """

    def __init__(self, symbols: int, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(**block)
        self.squashing = squashing
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(symbols, hidden))

    def hybrid_forward(self, F, rows, weight):
        return squashed(F, F.take(weight, rows), self.squashing)


class TwoLayers(gluon.HybridBlock):
    """W_2 tanh(W_1 x + b_1) + b_2; the decoder of numbers as it is, linear because targets are not in (0, 1)."""

    def __init__(self, inputs: int, hidden: int, outputs: int, **block):
        super().__init__(**block)
        self.hidden, self.outputs = hidden, outputs
        with self.name_scope():
            self.weight_1 = self.params.get("weight_1", shape=(hidden, inputs))
            self.bias_1 = self.params.get("bias_1", shape=(hidden,))
            self.weight_2 = self.params.get("weight_2", shape=(outputs, hidden))
            self.bias_2 = self.params.get("bias_2", shape=(outputs,))

    def hybrid_forward(self, F, x, weight_1, bias_1, weight_2, bias_2):
        inner = tanh(F, F.FullyConnected(x, weight_1, bias_1, num_hidden=self.hidden))
        return F.FullyConnected(inner, weight_2, bias_2, num_hidden=self.outputs)


class NumberBlock(TwoLayers):
    """h = s(W_2 tanh(W_1 n + b_1) + b_2): the encoder of the number autoencoder, numbers as a column, s as above."""

    def __init__(self, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(1, hidden, hidden, **block)
        self.squashing = squashing

    def hybrid_forward(self, F, numbers, **parameters):
        return squashed(F, super().hybrid_forward(F, numbers, **parameters), self.squashing)


class TreeModel(ExpressionNetwork):
    """The network: `with autograd.record(): loss = model(batch)`; with data it has a decoder.

    Its parts compose by hand as well: `model.cells["sin"](state)`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        hidden: int,
        cell: str = "tree-lstm",
        data: bool = True,
        engine: str | None = None,
        context: mx.Context | None = None,
        dtype: str = "float32",
        leaf: str | None = None,
    ):
        super().__init__(hidden, context, dtype)
        self.vocabulary, self.cell = vocabulary, find_cell(cell)
        self.cells = {
            name: Cell(self.cell, FUNCTIONS[name].arity, hidden, prefix=f"{name}_") for name in vocabulary.functions
        }
        for name, block in self.cells.items():
            self.register_child(block, name)
        self.leaf = leaf or self.cell.squashing
        self.symbol = SymbolBlock(len(vocabulary.symbols), hidden, self.leaf, prefix="symbol_")
        self.number: Any = NumberBlock(hidden, self.leaf, prefix="number_") if vocabulary.numbers or data else None
        self.decoder = TwoLayers(hidden, hidden, 1, prefix="decoder_") if data else None
        self._engine_name = engine

    @cached_property
    def engine(self) -> Engine:
        """Computes batches; made when it is first asked for, as it needs all parameters side by side."""
        return make_engine(self._engine_name, self)

    def ordered_parameters(self) -> list[tuple[str, str, gluon.Parameter]]:
        """First all cells' weights, then their biases, then the rest."""
        cells = [
            (f"{name}_{kind}", name, getattr(self.cells[name], kind))
            for kind in ("weight", "bias")
            for arity in (1, 2)
            for name in self.vocabulary.of_arity(arity)
        ]
        blocks = {SYMBOL: self.symbol, NUMBERS: self.number, DECODER: self.decoder}
        others = [
            (f"{owner}_{kind}", owner, parameter)
            for owner, block in blocks.items()
            if block is not None
            for kind, parameter in block._reg_params.items()
        ]
        return [*cells, ("bias", HEAD, self.bias), *others]

    def initialize_parameters(self, random: np.random.Generator) -> None:
        """Draws the weights; where vectors start near 1/2, as a TreeNN's do, logits are made to start near 0."""
        self.flat.initialize(random)
        if self.cell.squashing == "sigmoid":
            self.bias.data()[:] = -self.hidden / 4

    # composing by hand

    def leaf_state(self, h: nd.NDArray) -> State:
        """The state of leaves with these vectors: they remember nothing."""
        return (h, *(nd.zeros_like(h) for _ in range(self.cell.states - 1)))

    def leaf_states(self, leaves: Sequence[Expression]) -> State:
        """The states of constants, variables and numbers, a row each."""
        rows = {name: row for row, name in enumerate(self.vocabulary.symbols)}
        order = sorted(range(len(leaves)), key=lambda index: leaves[index].kind == NUMBER)
        symbols = [rows[leaves[index].symbol] for index in order if leaves[index].kind != NUMBER]
        numbers = [float(leaves[index].symbol) for index in order if leaves[index].kind == NUMBER]
        vectors = [self.symbol(self.array(symbols))] if symbols else []
        vectors += [self.number(self.array(numbers).reshape((-1, 1)))] if numbers else []
        return self.leaf_state(nd.take(nd.concat(*vectors, dim=0), self.array(np.argsort(order))))

    def apply_function(self, function: str, *children: State, mask: nd.NDArray | None = None) -> State:
        """The states of nodes with these children; dropout's mask acts on h, not on the memory."""
        h, *memory = self.cells[function](*children)
        return (h if mask is None else nd.broadcast_mul(h, mask.reshape((1, -1))), *memory)

    def encode(self, expressions: Sequence[Expression]) -> nd.NDArray:
        return encode_by_function(self, expressions)[0]

    def decode(self, h: nd.NDArray) -> nd.NDArray:
        assert self.decoder is not None
        return self.decoder(h).reshape((-1,))

    # batches

    def batch(self, equations: Sequence[Equation], labels: Sequence[float] | np.ndarray) -> Batch:
        """Equations with their labels as a batch of their own."""
        table = make_table([side for equation in equations for side in equation], self.vocabulary)
        none = np.zeros(0, dtype=np.int64)
        return Batch(table, Examples(table.roots[::2], table.roots[1::2], np.array(labels, float), none, np.zeros(0)))

    def forward(self, batch: Batch) -> nd.NDArray:  # type: ignore[override]  # an engine reads batches
        """The loss of a batch: logistic for pairs, squared error for numbers."""
        report = self.engine.report(batch)
        return report[0:1] + report[1:2]

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        batch = self.batch(equations, np.zeros(len(equations)))
        return self.predict(batch.table, batch.examples)[0]

    def predict(self, table: SubtreeTable, examples: Examples) -> tuple[np.ndarray, np.ndarray]:
        """The logits of all pairs and the numbers of all decoded rows, in order."""
        logits, numbers = [], []
        for start in range(0, examples.count, PREDICTED_AT_ONCE):
            batch = Batch(table, examples.chosen(np.arange(start, min(start + PREDICTED_AT_ONCE, examples.count))))
            report = self.engine.report(batch).asnumpy()[2:]
            logits.append(report[: batch.pairs])
            numbers.append(report[batch.pairs :])
        return np.concatenate(logits), np.concatenate(numbers)

    def absent(self, batch: Batch) -> frozenset[str]:
        """The functions and blocks that the batch does not use: they get no optimizer step."""
        height, arity, function = batch.table.keys[batch.rows].T
        counts = {HEAD: batch.pairs, DECODER: len(batch.examples.decoded), NUMBERS: np.sum(height == NUMBER_LEAF)}
        for each in (1, 2):
            names = self.vocabulary.of_arity(each)
            here = np.bincount(function[(arity == each) & (height > 0)], minlength=len(names))
            counts |= dict(zip(names, here.tolist(), strict=True))
        return frozenset(name for name, count in counts.items() if not count)


def build(configuration, vocabulary: Vocabulary) -> TreeModel:
    """The network of a configuration."""
    cell, device = configuration.cell or configuration.kind.cell, context(configuration.device)
    options = {"engine": configuration.engine, "context": device, "leaf": configuration.leaf}
    return TreeModel(vocabulary, configuration.hidden, cell, configuration.decodes, **options)


# ------------------------------------------------------------------------------------------------ engines


def make_engine(name: str | None, model: TreeModel) -> Engine:
    """The engine of a tree model: the one that is asked for, or the fastest that this machine and cell allow.

    All give the same numbers, within rounding:
    fused      C++ operators for the paper's two cells: the fastest, on a CPU with a compiler
    generic    one cached graph for all batches, made of the cells' own equations: any cell, any device
    recursive  every node by its own call, as in the released code: slow, but plain and easy to check
    """
    name, reason = chosen_engine(name, lambda: reason_against(model), ("fused", "generic", "recursive"))
    if name == "generic":
        from .generic import GenericEngine

        engine: Engine = GenericEngine(model)
    else:
        engine = FusedEngine(model) if name == "fused" else RecursiveEngine(model)
    engine.instead_of_fused = reason
    return engine


class RecursiveEngine(Engine):
    """Every occurrence of every node by its own call."""

    name = "recursive"

    def report(self, batch: Batch) -> nd.NDArray:
        array, nodes = self.model.array, batch.table.nodes
        mask = None if batch.mask is None else array(batch.mask)
        left, right, label, decoded, target = batch.examples
        vectors = [
            [encode_recursively(self.model, nodes[row], mask)[0] for row in rows] for rows in (left, right, decoded)
        ]
        h_left, h_right, h_decoded = (nd.concat(*each, dim=0) if each else None for each in vectors)
        pair_weight, decoded_weight = batch.weights
        pairs = numbers = None
        if h_left is not None:
            pairs = self.model.compare(h_left, h_right), array(label), array(np.full(len(label), pair_weight))
        if h_decoded is not None:
            numbers = self.model.decode(h_decoded), array(target), array(np.full(len(target), decoded_weight))
        return nd.concat(*report_parts(nd, array([0]), pairs, numbers), dim=0)


def encode_recursively(model, node: Expression, mask: nd.NDArray | None = None):
    """The state of a tree, every node by its own call, as in the released code."""
    if node.is_leaf:
        return model.leaf_states([node])
    children = (encode_recursively(model, child, mask) for child in node.children)
    return model.apply_function(node.symbol, *children, mask=mask)


def joined(states: Iterable[tuple]) -> tuple:
    """States of some nodes and of others as states of all of them."""
    return tuple(nd.concat(*parts, dim=0) for parts in zip(*states, strict=True))


def encode_by_function(model, roots: Sequence[Expression]):
    """The states of trees, one call for each function at each height, every distinct subtree once."""
    groups: dict[tuple[int, str], list] = {}
    for node in dict.fromkeys(node for root in roots for node in root.subexpressions()):
        groups.setdefault((node.height, "" if node.is_leaf else node.symbol), []).append(node)
    states: list[State] = []
    places: dict[Expression, int] = {}
    for (height, function), group in sorted(groups.items()):
        if height == 0:
            states.append(model.leaf_states(group))
        else:
            below = joined(states)
            columns = zip(*(node.children for node in group), strict=True)
            rows = [nd.array([places[child] for child in column]) for column in columns]
            children = [tuple(nd.take(part, row) for part in below) for row in rows]
            states.append(model.apply_function(function, *children))
        places |= {node: len(places) + index for index, node in enumerate(group)}
    rows = nd.array([places[root] for root in roots])
    return tuple(nd.take(part, rows) for part in joined(states))
