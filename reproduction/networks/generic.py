"""The network of any batch as one cached graph, made of the blocks' own equations; gradients are autograd's.

A group (all functions of one arity at one height) is one batched product of the children's vectors with the weights of
all its functions, which lie below each other in memory. Nodes are sorted by function and padded to the same number a
function; after the product the real nodes are taken out of the padding, gate by gate: `take` copies rows and is the
cheapest operator there is, while splitting, broadcasting and summing along an axis are ten times slower.

One static graph runs on every batch, so every batch has the same shapes: its capacity, the most that any batch so far
has needed. All indices and numbers of a batch are packed into one vector, in the order of `fields`. Numpy plans batches
on the table of subtrees while MXNet computes those before them.
"""

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from .backend import autograd, nd, sym
from .batches import Batch, Engine, Epoch, Group, SubtreeTable, report_parts

PLANNERS_KEPT = 8  # a process that answers questions sees a new table with each
WEIGHT, BIAS = {1: "unary_weight", 2: "binary_weight"}, {1: "unary_bias", 2: "binary_bias"}
ROUND_TO = 8


class Capacity(NamedTuple):
    """The sizes of the arrays of a batch."""

    pairs: int
    decoded: int
    numbers: int
    groups: tuple[tuple[int, int], ...]  # (rows a function, nodes) of each group; (0, 0) when it never occurs

    def covering(self, other: "Capacity") -> "Capacity":
        """Enough for both."""
        groups = tuple((max(a[0], b[0]), max(a[1], b[1])) for a, b in zip(self.groups, other.groups, strict=True))
        pairs, decoded, numbers = map(max, self[:3], other[:3])
        return Capacity(pairs, decoded, numbers, groups)


class Shapes(NamedTuple):
    """Sizes that the layout of a batch depends on besides its capacity; pairs are (unary, binary)."""

    symbols: int
    functions: tuple[int, int]
    gates: tuple[int, int]
    groups: tuple[Group, ...]

    def functions_of(self, group: Group) -> int:
        return self.functions[group.arity - 1]

    def gates_of(self, group: Group) -> int:
        return self.gates[group.arity - 1]


class Field(NamedTuple):
    """The place of a part in a packed batch, and its shape."""

    start: int
    stop: int
    shape: tuple[int, ...]

    def of(self, packed: np.ndarray) -> np.ndarray:
        return packed[self.start : self.stop].reshape(self.shape)


@cache
def fields(shapes: Shapes, capacity: Capacity) -> dict[tuple, Field]:
    """The parts of a packed batch in their order."""
    sizes: dict[tuple, tuple[int, ...]] = {("numbers",): (capacity.numbers,)}
    for group, (rows, nodes) in zip(shapes.groups, capacity.groups, strict=True):
        sizes["inputs", group] = (shapes.functions_of(group) * rows, group.arity)  # rows of the states, padded
        sizes["gates", group] = (shapes.gates_of(group), nodes)  # rows of the padded sums
        sizes["children", group] = (group.arity, nodes)  # rows of the states
    sizes |= {(name,): (capacity.pairs,) for name in ("left", "right", "label", "pair weight")}
    sizes |= {(name,): (capacity.decoded,) for name in ("decoded", "target", "decoded weight")}
    sizes = {name: shape for name, shape in sizes.items() if math.prod(shape)}
    ends = [0, *accumulate(map(math.prod, sizes.values()))]
    return {name: Field(*place, shape) for (name, shape), place in zip(sizes.items(), pairwise(ends), strict=True)}


class _Placed(NamedTuple):
    """The nodes of one group in one batch."""

    rows: np.ndarray  # of the table
    function: np.ndarray
    slot: np.ndarray  # the place among the nodes of the same function


def _up(size: int, step: int = ROUND_TO) -> int:
    return -(-size // step) * step


class Planner:
    """Packs batches over one table; its capacity only grows, so that the static graph rarely changes."""

    def __init__(self, table: SubtreeTable, gates: tuple[int, int]):
        vocabulary = table.vocabulary
        functions = len(vocabulary.of_arity(1)), len(vocabulary.of_arity(2))
        self.shapes = Shapes(len(vocabulary.symbols), functions, gates, table.groups)
        self.capacity = Capacity(0, 0, 0, ((0, 0),) * len(table.groups))
        self._table = table

    def reserve(self, batch: Batch) -> tuple[np.ndarray, list[_Placed]]:
        """The rows of numbers, and the nodes of each group, that a batch needs; the capacity grows to hold them."""
        numbers, *groups = np.split(batch.rows, np.searchsorted(batch.rows, self._table.starts))[1:-1]
        placed, needed = [], []
        for group, rows in zip(self.shapes.groups, groups, strict=True):
            function = self._table.keys[rows, 2]
            counts = np.bincount(function, minlength=self.shapes.functions_of(group))
            placed.append(_Placed(rows, function, np.arange(len(rows)) - (np.cumsum(counts) - counts)[function]))
            needed.append((_up(int(counts.max()), 2), _up(len(rows))))
        need = Capacity(_up(batch.pairs), _up(len(batch.examples.decoded)), _up(len(numbers)), tuple(needed))
        self.capacity = self.capacity.covering(need)
        return numbers, placed

    def pack(self, batch: Batch) -> np.ndarray:
        """The packed batch, at a capacity that holds it."""
        numbers, placed = self.reserve(batch)
        capacity, layout = self.capacity, fields(self.shapes, self.capacity)
        packed = np.zeros(max(field.stop for field in layout.values()))
        position = self._table.symbol.copy()  # the row of the engine's states, for each row of the table
        position[numbers] = self.shapes.symbols + np.arange(len(numbers))
        if len(numbers):
            layout["numbers",].of(packed)[: len(numbers)] = self._table.value[numbers]
        base = self.shapes.symbols + capacity.numbers
        for group, here, (padded, nodes) in zip(self.shapes.groups, placed, capacity.groups, strict=True):
            if len(here.rows):
                self._fill_group(packed, layout, group, here, position, padded)
                position[here.rows] = base + np.arange(len(here.rows))
            base += nodes
        left, right, label, decoded, target = batch.examples
        pair_weight, decoded_weight = batch.weights
        values = {"left": position[left], "right": position[right], "label": label, "decoded": position[decoded]}
        values |= {"pair weight": np.full(len(left), pair_weight), "target": target}
        values |= {"decoded weight": np.full(len(decoded), decoded_weight)}
        for name, value in values.items():
            if len(value):
                layout[name,].of(packed)[: len(value)] = value
        return packed

    def _fill_group(self, packed, layout, group: Group, here: _Placed, position: np.ndarray, padded: int) -> None:
        """Packs the rows of the children, and the rows of each node's gates in the padded product."""
        count, gates = len(here.rows), self.shapes.gates_of(group)
        place = here.function * padded + here.slot
        below = position[self._table.children[here.rows, : group.arity]]  # (count, arity)
        layout["inputs", group].of(packed)[place] = below
        layout["gates", group].of(packed)[:, :count] = place * gates + np.arange(gates)[:, None]
        layout["children", group].of(packed)[:, :count] = below.T


class _Graph:
    """The symbolic graph of batches of one capacity."""

    def __init__(self, model, shapes: Shapes, capacity: Capacity, masked: bool):
        self.model, self.shapes, self.capacity = model, shapes, capacity
        self.hidden, self.dtype = model.hidden, model.dtype
        self.layout, self.packed = fields(shapes, capacity), sym.var("packed")
        self.mask = sym.var("mask") if masked else None

    def part(self, *name, index: int | None = None):
        """A field of the packed batch, or one row of it."""
        start, stop, shape = self.layout[name]
        if index is not None:
            start, stop = start + index * shape[-1], start + (index + 1) * shape[-1]
        return sym.slice_axis(self.packed, axis=0, begin=start, end=stop)

    def leaves(self) -> list:
        """The states of all symbols and of the batch's numbers; nothing is remembered there."""
        vectors = [self.model.symbol(sym.arange(0, self.shapes.symbols, dtype=self.dtype))]
        if self.capacity.numbers:
            vectors.append(self.model.number(sym.reshape(self.part("numbers"), (-1, 1))))
        rows = self.shapes.symbols + self.capacity.numbers
        nothing = sym.zeros((rows, self.hidden), dtype=self.dtype)
        return [sym.concat(*vectors, dim=0), *[nothing] * (self.model.cell.states - 1)]

    def sums(self, group: Group, padded: int, h) -> list:
        """The sums of every gate of the group's nodes, each (nodes, hidden)."""
        functions, gates = self.shapes.functions_of(group), self.shapes.gates_of(group)
        inputs = sym.take(h, self.part("inputs", group))
        inputs = sym.reshape(inputs, (functions, padded, group.arity * self.hidden))
        bias = sym.reshape(sym.var(BIAS[group.arity]), (functions, 1, gates * self.hidden))
        bias = sym.batch_dot(sym.ones((functions, padded, 1), dtype=self.dtype), bias)
        together = sym.linalg.gemm(inputs, sym.var(WEIGHT[group.arity]), bias, transpose_b=True)
        together = sym.reshape(together, (-1, self.hidden))
        return [sym.take(together, self.part("gates", group, index=gate)) for gate in range(gates)]

    def group_states(self, group: Group, padded: int, nodes: int, states: Sequence) -> list:
        rows = [self.part("children", group, index=child) for child in range(group.arity)]
        children = [tuple(sym.take(part, row) for part in states) for row in rows]
        h, *memory = self.model.cell.combine(sym, self.sums(group, padded, states[0]), children)
        if self.mask is not None:
            h = h * sym.take(self.mask, sym.zeros((nodes,), dtype=self.dtype))
        return [h, *memory]

    def states(self):
        """The vectors of all nodes, a row a node: symbols, numbers, then group after group."""
        states, waiting, height = self.leaves(), [], 0
        for group, (padded, nodes) in zip(self.shapes.groups, self.capacity.groups, strict=True):
            if nodes:
                if group.height != height:
                    states, waiting, height = _joined([states, *waiting]), [], group.height
                waiting.append(self.group_states(group, padded, nodes, states))
        return _joined([states, *waiting])[0]

    def report(self):
        """The losses, the logit of every pair and the number of every decoded row."""
        h, verified, decoded = self.states(), None, None
        if self.capacity.pairs:
            left, right = (sym.take(h, self.part(side)) for side in ("left", "right"))
            products = sym.dot(left * right, sym.ones((self.hidden, 1), dtype=self.dtype))  # (pairs, 1)
            bias = sym.take(self.model.bias.var(), sym.zeros((self.capacity.pairs,), dtype=self.dtype))
            logits = sym.reshape(products, (-1,)) + bias
            verified = logits, self.part("label"), self.part("pair weight")
        if self.capacity.decoded:
            numbers = sym.reshape(self.model.decoder(sym.take(h, self.part("decoded"))), (-1,))
            decoded = numbers, self.part("target"), self.part("decoded weight")
        return sym.concat(*report_parts(sym, sym.zeros((1,), dtype=self.dtype), verified, decoded), dim=0)


def _joined(states: Sequence[Sequence]) -> list:
    """States of some nodes and of others as states of all of them."""
    return [sym.concat(*parts, dim=0) if len(parts) > 1 else parts[0] for parts in zip(*states, strict=True)]


class GenericEngine(Engine):
    """One static graph for training and another for prediction, each compiled when it is first needed."""

    name = "generic"

    def __init__(self, model):
        super().__init__(model)
        gates = tuple(map(model.cell.count_gates, (1, 2)))
        self._planner_of = lru_cache(PLANNERS_KEPT)(lambda table, training: Planner(table, gates))
        self._graphs: dict[tuple, tuple] = {}
        self._arrays = self._stacked_parameters()
        self.capacity: Capacity | None = None  # of training

    def _stacked_parameters(self) -> dict[str, nd.NDArray]:
        """The parameters by their names in the graph, with gradients: cells of one arity are one array."""
        flat, vocabulary, arrays = self.model.flat, self.model.vocabulary, {}
        for kind, names in (("weight", WEIGHT), ("bias", BIAS)):
            for arity, name in names.items():
                functions = vocabulary.of_arity(arity)
                if functions:
                    data, gradient = flat.stacked([f"{function}_{kind}" for function in functions])
                    autograd.mark_variables([data], [gradient], "write")
                    arrays[name] = data
        others = (segment for segment in flat.segments if segment.owner not in self.model.cells)
        return arrays | {segment.name: segment.parameter.data() for segment in others}

    def _planner(self, table: SubtreeTable, training: bool) -> Planner:
        planner = self._planner_of(table, training)
        if training and self.capacity is not None:
            planner.capacity = planner.capacity.covering(Capacity(*self.capacity))
        return planner

    def _graph(self, shapes: Shapes, capacity: Capacity, *kind: bool) -> tuple:
        """(operator, the names of its inputs) for training or not, with a mask or not; the last capacity is kept."""
        key = (shapes, kind)
        if key not in self._graphs or self._graphs[key][0] != capacity:
            report = _Graph(self.model, shapes, capacity, masked=kind[1]).report()
            operator = nd.CachedOp(report, [("static_alloc", True), ("static_shape", True)])
            self._graphs[key] = (capacity, operator, report.list_inputs())
        return self._graphs[key][1:]

    def prepare(self, epochs: Sequence[Epoch]) -> None:
        for epoch in epochs:
            planner = self._planner(epoch.table, training=True)
            for batch in epoch.batches():
                planner.reserve(batch)
            self.capacity = planner.capacity

    def report(self, batch: Batch) -> nd.NDArray:
        report, pairs, decoded = self.padded_report(batch), batch.pairs, len(batch.examples.decoded)
        capacity = self._planner(batch.table, autograd.is_recording()).capacity
        if (pairs, decoded) == (capacity.pairs, capacity.decoded):
            return report
        places = np.r_[: 2 + pairs, 2 + capacity.pairs : 2 + capacity.pairs + decoded]
        return nd.take(report, nd.array(places, ctx=report.context))

    def padded_report(self, batch: Batch) -> nd.NDArray:
        training = autograd.is_recording()
        planner = self._planner(batch.table, training)
        packed = self.model.array(planner.pack(batch))
        if training:
            self.capacity = planner.capacity
        operator, names = self._graph(planner.shapes, planner.capacity, training, batch.mask is not None)
        arrays = {**self._arrays, "packed": packed}
        if batch.mask is not None:
            arrays["mask"] = self.model.array(batch.mask.reshape((1, -1)))
        return operator(*(arrays[name] for name in names))
