"""Examples as rows of a table of subtrees, and what an engine sees of them: a batch, or all batches of an epoch."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .subtrees import SubtreeTable


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

    @property
    def roots(self) -> np.ndarray:
        return np.concatenate([self.left, self.right, self.decoded])

    def chosen(self, numbers: np.ndarray) -> "Examples":
        """Some examples, by number; pairs come first."""
        pairs = numbers[numbers < len(self.left)]
        rows = numbers[numbers >= len(self.left)] - len(self.left)
        return Examples(self.left[pairs], self.right[pairs], self.label[pairs], self.decoded[rows], self.target[rows])


@dataclass(frozen=True, eq=False)
class Batch:
    """Some examples that are computed together."""

    table: SubtreeTable
    examples: Examples
    mask: np.ndarray | None = None  # of dropout, (hidden,), the same for every function's vectors; None for none
    numeric_weight: float = 1.0  # of a squared error against a logistic loss

    @property
    def pairs(self) -> int:
        return len(self.examples.left)

    @cached_property
    def rows(self) -> np.ndarray:
        """The distinct rows of the table that it is made of."""
        return self.table.distinct(self.examples.roots)

    @property
    def weights(self) -> tuple[float, float]:
        """What a logistic loss and a squared error count: means over the batch, if they count the same."""
        return 1 / self.examples.count, self.numeric_weight / self.examples.count


class Epoch(NamedTuple):
    """Examples in an order, cut into batches of one size, each with its mask."""

    table: SubtreeTable
    examples: Examples
    order: np.ndarray
    batch_size: int
    masks: np.ndarray | None = None  # (steps, hidden)
    numeric_weight: float = 1.0

    @property
    def steps(self) -> int:
        return -(-len(self.order) // self.batch_size)

    def first(self, steps: int) -> "Epoch":
        """The same epoch, ended after so many steps."""
        masks = None if self.masks is None else self.masks[:steps]
        return self._replace(order=self.order[: steps * self.batch_size], masks=masks)

    def batches(self) -> Iterator[Batch]:
        for step in range(self.steps):
            numbers = self.order[step * self.batch_size : (step + 1) * self.batch_size]
            mask = None if self.masks is None else self.masks[step]
            yield Batch(self.table, self.examples.chosen(numbers), mask, self.numeric_weight)


class StepOutcomes(NamedTuple):
    """Of every step of an epoch: its losses as the optimizer saw them, the pairs that it got right, and its size."""

    logistic: np.ndarray
    squared: np.ndarray
    hits: np.ndarray
    pairs: np.ndarray
    examples: np.ndarray
