"""A batch as a schedule for the generic engine: its distinct subtrees, level by level, in arrays of fixed size.

The engine runs one static graph on every batch, so every batch has the same shapes: its capacity, the most that any
batch so far has needed. All indices and numbers of a batch are packed into one vector, in the order of `fields`.
Planning is numpy on the table of subtrees; MXNet computes asynchronously, so the next batches are planned while the
engine is still busy with this one.
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .batches import Batch
from .subtrees import Group, SubtreeTable

ROUND_TO = 8


class Capacity(NamedTuple):
    """How much of everything the arrays of a batch hold."""

    pairs: int
    decoded: int
    numbers: int
    groups: tuple[tuple[int, int], ...]  # (rows a function, nodes) of each group; (0, 0) when it never occurs

    def covering(self, other: "Capacity") -> "Capacity":
        """Enough for both."""
        groups = tuple(tuple(map(max, own, others)) for own, others in zip(self.groups, other.groups, strict=True))
        return Capacity(*map(max, self[:3], other[:3]), groups)


class Shapes(NamedTuple):
    """What the layout of a batch depends on besides its capacity; pairs are for unary and binary functions."""

    symbols: int
    functions: tuple[int, int]
    gates: tuple[int, int]
    groups: tuple[Group, ...]

    def functions_of(self, group: Group) -> int:
        return self.functions[group.arity - 1]

    def gates_of(self, group: Group) -> int:
        return self.gates[group.arity - 1]


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
    for group, (rows, nodes) in zip(shapes.groups, capacity.groups, strict=True):
        sizes["inputs", group] = (shapes.functions_of(group) * rows, group.arity)  # rows of the states, padded
        sizes["gates", group] = (shapes.gates_of(group), nodes)  # rows of the padded sums
        sizes["children", group] = (group.arity, nodes)  # rows of the states
    sizes |= {(name,): (capacity.pairs,) for name in ("left", "right", "label", "pair weight")}
    sizes |= {(name,): (capacity.decoded,) for name in ("decoded", "target", "decoded weight")}
    layout, end = {}, 0
    for name, shape in sizes.items():
        if math.prod(shape):
            layout[name] = Field(end, shape)
            end = layout[name].stop
    return layout


class _Placed(NamedTuple):
    """The nodes of one group in one batch."""

    rows: np.ndarray  # of the table
    function: np.ndarray
    slot: np.ndarray  # the place among the nodes of the same function
    counts: np.ndarray


def _placed(table: SubtreeTable, functions: int, rows: np.ndarray) -> _Placed:
    function = table.function[rows]
    counts = np.bincount(function, minlength=functions)
    return _Placed(rows, function, np.arange(len(rows)) - (np.cumsum(counts) - counts)[function], counts)


def _up(size: int, step: int = ROUND_TO) -> int:
    return -(-size // step) * step


class Planner:
    """Packs batches over one table; its capacity only grows, so that the static graph rarely changes."""

    def __init__(self, table: SubtreeTable, gates: tuple[int, int]):
        vocabulary = table.vocabulary
        functions = tuple(len(vocabulary.of_arity(arity)) for arity in (1, 2))
        self.shapes = Shapes(len(vocabulary.symbols), functions, gates, table.groups)
        self.capacity = Capacity(0, 0, 0, ((0, 0),) * len(table.groups))
        self._table = table

    def reserve(self, batches: Iterable[Batch]) -> None:
        """Makes the capacity large enough for these batches before any is computed."""
        for batch in batches:
            self.capacity = self.capacity.covering(self._need(batch, *self._place(batch)))

    def pack(self, batch: Batch) -> np.ndarray:
        """The packed batch, at a capacity that holds it."""
        numbers, placed = self._place(batch)
        self.capacity = self.capacity.covering(self._need(batch, numbers, placed))
        return self._fill(batch, numbers, placed)

    def _place(self, batch: Batch) -> tuple[np.ndarray, list[_Placed]]:
        """The numbers and the nodes of each group that the batch is made of."""
        numbers, *groups = np.split(batch.rows, np.searchsorted(batch.rows, self._table.starts))[1:-1]
        counts = map(self.shapes.functions_of, self.shapes.groups)
        return numbers, [_placed(self._table, count, here) for count, here in zip(counts, groups, strict=True)]

    def _need(self, batch: Batch, numbers: np.ndarray, placed: Sequence[_Placed]) -> Capacity:
        groups = tuple((_up(int(here.counts.max()), 2), _up(len(here.rows))) for here in placed)
        return Capacity(_up(batch.pairs), _up(len(batch.examples.decoded)), _up(len(numbers)), groups)

    def _fill(self, batch: Batch, numbers: np.ndarray, placed: Sequence[_Placed]) -> np.ndarray:
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
        self._fill_examples(packed, layout, batch, position)
        return packed

    def _fill_group(self, packed, layout, group: Group, here: _Placed, position: np.ndarray, padded: int) -> None:
        """Where the children are, and where each node's gates are in the padded product."""
        count, gates = len(here.rows), self.shapes.gates_of(group)
        place = here.function * padded + here.slot
        below = position[self._table.children[here.rows, : group.arity]]  # (count, arity)
        layout["inputs", group].of(packed)[place] = below
        layout["gates", group].of(packed)[:, :count] = place * gates + np.arange(gates)[:, None]
        layout["children", group].of(packed)[:, :count] = below.T

    def _fill_examples(self, packed: np.ndarray, layout: dict, batch: Batch, position: np.ndarray) -> None:
        left, right, label, decoded, target = batch.examples
        pair_weight, decoded_weight = batch.weights
        values = {"left": position[left], "right": position[right], "label": label, "decoded": position[decoded]}
        values |= {"pair weight": np.full(len(left), pair_weight), "target": target}
        values |= {"decoded weight": np.full(len(decoded), decoded_weight)}
        for name, value in values.items():
            if len(value):
                layout[name,].of(packed)[: len(value)] = value
