"""A batch of equations as a schedule over its distinct subtrees, level by level, in arrays of fixed size.

The engine runs one static graph on every batch, so every batch has the same shapes: its capacity, the most that any
batch so far has needed. All indices and numbers of a batch are packed into one vector, in the order of `fields`.
Planning is numpy on the table of subtrees; MXNet computes asynchronously, so the next batches are planned while the
engine is still busy with this one.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .subtrees import Block, Language, SubtreeTable

ROUND_TO = 8


class Examples(NamedTuple):
    """Rows of the table: pairs to verify with their labels, then rows to decode with the numbers they stand for."""

    left: np.ndarray
    right: np.ndarray
    label: np.ndarray
    decoded: np.ndarray
    target: np.ndarray

    @property
    def count(self) -> int:
        return len(self.left) + len(self.decoded)

    def chosen(self, numbers: np.ndarray) -> "Examples":
        """Some examples, by number; pairs come first."""
        pairs = numbers[numbers < len(self.left)]
        rows = numbers[numbers >= len(self.left)] - len(self.left)
        return Examples(self.left[pairs], self.right[pairs], self.label[pairs], self.decoded[rows], self.target[rows])


class Capacity(NamedTuple):
    """How much of everything the arrays of a batch hold."""

    pairs: int
    decoded: int
    numbers: int
    blocks: tuple[tuple[int, int], ...]  # (rows a function, nodes) of each block; (0, 0) when it never occurs

    def covering(self, other: "Capacity") -> "Capacity":
        """Enough for both."""
        blocks = tuple(tuple(map(max, own, others)) for own, others in zip(self.blocks, other.blocks, strict=True))
        return Capacity(*map(max, self[:3], other[:3]), blocks)


class Schedule(NamedTuple):
    """One batch, ready to be computed."""

    packed: np.ndarray
    capacity: Capacity
    labels: np.ndarray
    pairs: int
    decoded: int
    functions: tuple[np.ndarray, np.ndarray]  # which unary and which binary functions occur
    numbers: int


class Shapes(NamedTuple):
    """What the layout of a batch depends on besides its capacity."""

    symbols: int
    unary: int  # functions
    binary: int
    blocks: tuple[Block, ...]
    lstm: bool
    training: bool

    def functions(self, block: Block) -> int:
        return self.unary if block.arity == 1 else self.binary

    def all_gates(self, arity: int) -> int:
        return 3 + arity if self.lstm else 1

    def gates(self, block: Block) -> int:
        """Directly above the leaves there is nothing to forget: c is 0 there."""
        return 3 if self.lstm and block.height == 1 else self.all_gates(block.arity)

    def cells(self, block: Block) -> int:
        """How many children hand on a cell state."""
        return block.arity if self.lstm and block.height > 1 else 0


class Field(NamedTuple):
    """Where a part of a packed batch lies, and its shape."""

    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        return self.start + math.prod(self.shape)

    def of(self, packed: np.ndarray) -> np.ndarray:
        return packed[self.start : self.stop].reshape(self.shape)


@cache
def fields(shapes: Shapes, capacity: Capacity) -> dict[tuple, Field]:
    """The parts of a packed batch in their order."""
    sizes: dict[tuple, tuple[int, ...]] = {("numbers",): (capacity.numbers,)}
    for block, (rows, nodes) in zip(shapes.blocks, capacity.blocks, strict=True):
        padded, gates = shapes.functions(block) * rows, shapes.gates(block)
        sizes["children", block] = (padded, block.arity)  # rows of the states
        sizes["gates", block] = (gates, nodes)  # rows of the padded sums
        sizes["cells", block] = (shapes.cells(block), nodes)  # rows of the states
        if shapes.training:
            sizes["back", block] = (padded, gates)  # rows of the gates' gradients
            if gates < shapes.all_gates(block.arity):
                sizes["back to all", block] = (padded, shapes.all_gates(block.arity))
    sizes |= {(name,): (capacity.pairs,) for name in ("left", "right", "label", "pair weight")}
    sizes |= {(name,): (capacity.decoded,) for name in ("decoded", "target", "decoded weight")}
    found, end = {}, 0
    for name, shape in sizes.items():
        if math.prod(shape):
            found[name] = Field(end, shape)
            end = found[name].stop
    return found


@cache
def _empty(shapes: Shapes, capacity: Capacity) -> np.ndarray:
    """A packed batch without nodes; padding goes back to the row of zeros behind the gates' gradients."""
    layout = fields(shapes, capacity)
    packed = np.zeros(max(field.stop for field in layout.values()))
    for (name, *block), field in layout.items():
        if name in ("back", "back to all"):
            field.of(packed)[:] = math.prod(layout[("gates", *block)].shape)
    return packed


class _Placed(NamedTuple):
    """The nodes of one block in one batch."""

    ids: np.ndarray
    function: np.ndarray
    slot: np.ndarray  # the place among the nodes of the same function
    counts: np.ndarray


def _placed(table: SubtreeTable, functions: int, ids: np.ndarray) -> _Placed:
    function = table.function[ids]
    counts = np.bincount(function, minlength=functions)
    return _Placed(ids, function, np.arange(len(ids)) - (np.cumsum(counts) - counts)[function], counts)


def _up(size: int, step: int = ROUND_TO) -> int:
    return -(-size // step) * step


class Planner:
    """Makes schedules of batches of examples; its capacity only grows, so that the static graph rarely changes."""

    def __init__(self, table: SubtreeTable, language: Language, lstm: bool, training: bool, numeric_weight=1.0):
        functions = (len(language.of_arity(arity)) for arity in (1, 2))
        self.shapes = Shapes(len(language.symbols), *functions, table.blocks, lstm, training)
        self.capacity = Capacity(0, 0, 0, ((0, 0),) * len(table.blocks))
        self._table = table
        self._numeric_weight = numeric_weight

    def schedules(self, batches: Iterable[Examples]) -> Iterator[Schedule]:
        """A schedule for each batch, in order."""
        for batch in batches:
            numbers, placed = self._place(batch)
            self.capacity = self.capacity.covering(self._need(batch, numbers, placed))
            yield self._fill(batch, numbers, placed)

    def reserve(self, batches: Iterable[Examples]) -> None:
        """Makes the capacity large enough for these batches before any is computed."""
        for batch in batches:
            self.capacity = self.capacity.covering(self._need(batch, *self._place(batch)))

    def _place(self, batch: Examples) -> tuple[np.ndarray, list[_Placed]]:
        """The numbers and the nodes of each block that the batch is made of."""
        occurs = np.zeros(len(self._table.function), dtype=bool)
        occurs[self._table.descendants(np.concatenate([batch.left, batch.right, batch.decoded]))] = True
        ids = np.flatnonzero(occurs)
        numbers, *blocks = np.split(ids, np.searchsorted(ids, self._table.starts))[1:-1]
        functions = map(self.shapes.functions, self.shapes.blocks)
        return numbers, [_placed(self._table, count, here) for count, here in zip(functions, blocks, strict=True)]

    def _need(self, batch: Examples, numbers: np.ndarray, placed: Sequence[_Placed]) -> Capacity:
        blocks = tuple((_up(int(here.counts.max()), 2), _up(len(here.ids))) for here in placed)
        return Capacity(_up(len(batch.left)), _up(len(batch.decoded)), _up(len(numbers)), blocks)

    def _fill(self, batch: Examples, numbers: np.ndarray, placed: Sequence[_Placed]) -> Schedule:
        capacity, layout = self.capacity, fields(self.shapes, self.capacity)
        packed = _empty(self.shapes, capacity).copy()
        position = self._table.symbol.copy()  # the row of the engine's states, for each row of the table
        position[numbers] = self.shapes.symbols + np.arange(len(numbers))
        if len(numbers):
            layout["numbers",].of(packed)[: len(numbers)] = self._table.value[numbers]
        base = self.shapes.symbols + capacity.numbers
        present = [np.zeros(count, dtype=bool) for count in (self.shapes.unary, self.shapes.binary)]
        for block, here, (rows, nodes) in zip(self.shapes.blocks, placed, capacity.blocks, strict=True):
            if len(here.ids):
                self._fill_block(packed, layout, block, here, position, rows, nodes)
                position[here.ids] = base + np.arange(len(here.ids))
                present[block.arity - 1] |= here.counts > 0
            base += nodes
        self._fill_examples(packed, layout, batch, position)
        pairs, decoded = len(batch.left), len(batch.decoded)
        return Schedule(packed, capacity, batch.label, pairs, decoded, tuple(present), len(numbers))

    def _fill_block(self, packed, layout, block: Block, here: _Placed, position: np.ndarray, rows: int, nodes: int):
        """Where the children are, where each node's gates are in the padded product, and the way back."""
        count, gates = len(here.ids), self.shapes.gates(block)
        row = here.function * rows + here.slot
        below = position[self._table.children[here.ids, : block.arity]]  # (count, arity)
        layout["children", block].of(packed)[row] = below
        layout["gates", block].of(packed)[:, :count] = row * gates + np.arange(gates)[:, None]
        if self.shapes.cells(block):
            layout["cells", block].of(packed)[:, :count] = below.T
        back = np.arange(count)[:, None] + np.arange(gates) * nodes
        for name in ("back", "back to all"):
            if (name, block) in layout:
                layout[name, block].of(packed)[row, :gates] = back

    def _fill_examples(self, packed: np.ndarray, layout: dict, batch: Examples, position: np.ndarray) -> None:
        weight = 1 / batch.count
        for values in (
            {
                "left": position[batch.left],
                "right": position[batch.right],
                "label": batch.label,
                "pair weight": np.full(len(batch.left), weight),
            },
            {
                "decoded": position[batch.decoded],
                "target": batch.target,
                "decoded weight": np.full(len(batch.decoded), weight * self._numeric_weight),
            },
        ):
            for name, value in values.items():
                if len(value):
                    layout[name,].of(packed)[: len(value)] = value
