"""Batches of trees as rows of a table of subtrees, their losses, and the engines that compute them.

The table holds all distinct subtrees of a data set, children before parents; equal subtrees are computed once.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..data.dataset import Vocabulary
from ..errors import InputError
from ..language.expression import NUMBER, Expression
from .backend import autograd, nd
from .network import FlatOptimizer

SYMBOL_LEAF, NUMBER_LEAF = -2, -1  # stand for the height of leaves, so that symbols come first, then numbers


class Group(NamedTuple):
    """The functions of one arity at one height: what the generic engine computes together."""

    height: int
    arity: int


@dataclass(frozen=True, eq=False)
class SubtreeTable:
    """Rows in the order: symbols, numbers, then groups of ascending height, in a group by function."""

    vocabulary: Vocabulary
    nodes: Sequence[Expression]
    roots: np.ndarray  # the row of each expression that the table was made for
    keys: np.ndarray  # (rows, 3): height or kind of leaf, arity, the function's place among those of its arity
    symbol: np.ndarray  # for symbols, where they stand in the vocabulary; else 0
    value: np.ndarray  # for numbers, their value; else 0
    children: np.ndarray  # (rows, 2)
    groups: tuple[Group, ...]
    starts: np.ndarray  # the first rows of numbers and of each group, and the number of rows

    @cached_property
    def _below(self) -> tuple[np.ndarray, np.ndarray]:
        """(starts, rows): the distinct descendants of each row, itself included."""
        below: list[list[int]] = []
        for row, (height, arity, _) in enumerate(self.keys.tolist()):
            own = self.children[row, :arity].tolist() if height > 0 else []
            below.append([row, *(own and set().union(*(below[child] for child in own)))])
        starts = np.cumsum([0, *map(len, below)])
        return starts, np.array([row for rows in below for row in rows], dtype=np.int64)

    def distinct(self, roots: np.ndarray) -> np.ndarray:
        """The rows below these, themselves included, each once and ascending."""
        starts, below = self._below
        counts = starts[roots + 1] - starts[roots]
        ends = np.cumsum(counts)
        occurs = np.zeros(len(self.keys), dtype=bool)
        occurs[below[np.repeat(starts[roots] - (ends - counts), counts) + np.arange(ends[-1])]] = True
        return np.flatnonzero(occurs)


def _key(node: Expression, places: dict[str, int]) -> tuple[int, int, int]:
    if node.is_leaf:
        return (NUMBER_LEAF if node.kind == NUMBER else SYMBOL_LEAF, 0, 0)
    return node.height, len(node.children), places[node.symbol]


def _occurrences(expressions: Sequence[Expression], share: bool) -> tuple[list[Expression], list[tuple], list[int]]:
    """Nodes, the numbers of their children, and the numbers of the expressions; every node once if they share."""
    nodes: list[Expression] = []
    children: list[tuple] = []
    known: dict[Expression, int] = {}

    def visit(node: Expression) -> int:
        if share and node in known:
            return known[node]
        below = tuple(map(visit, node.children))
        nodes.append(node)
        children.append(below)
        known[node] = len(nodes) - 1
        return known[node]

    return nodes, children, list(map(visit, expressions))


def _places(nodes: Sequence[Expression], vocabulary: Vocabulary) -> tuple[dict[str, int], dict[str, int]]:
    """The places of functions and of symbols in the vocabulary; unknown ones are refused."""
    functions = {name: place for arity in (1, 2) for place, name in enumerate(vocabulary.of_arity(arity))}
    symbols = {name: place for place, name in enumerate(vocabulary.symbols)}
    for node in nodes:
        if node.kind != NUMBER and node.symbol not in (symbols if node.is_leaf else functions):
            known = ", ".join(vocabulary.symbols + vocabulary.functions)
            raise InputError(f"{node.symbol!r} is not known to this model (it knows {known})")
    return functions, symbols


def make_table(expressions: Sequence[Expression], vocabulary: Vocabulary, share: bool = True) -> SubtreeTable:
    """The table of these expressions; without sharing every occurrence of a subtree has its own row."""
    nodes, children, roots = _occurrences(expressions, share)
    functions, symbols = _places(nodes, vocabulary)
    keys = np.array([_key(node, functions) for node in nodes])
    order = np.lexsort((np.arange(len(nodes)), keys[:, 2], keys[:, 1], keys[:, 0]))
    rows = np.empty(len(nodes), dtype=np.int64)
    rows[order] = np.arange(len(nodes))
    keys, nodes = keys[order], [nodes[number] for number in order]
    groups = tuple(Group(*map(int, pair)) for pair in np.unique(keys[keys[:, 0] > 0][:, :2], axis=0))
    heights = keys[:, 0] * 4 + keys[:, 1]
    starts = np.searchsorted(heights, [4 * NUMBER_LEAF, *(4 * group.height + group.arity for group in groups)])
    is_symbol, is_number = keys[:, 0] == SYMBOL_LEAF, keys[:, 0] == NUMBER_LEAF
    return SubtreeTable(
        vocabulary,
        nodes,
        rows[np.array(roots, dtype=np.int64)],
        keys,
        np.array([symbols[node.symbol] if here else 0 for node, here in zip(nodes, is_symbol, strict=True)]),
        np.array([float(node.symbol) if here else 0.0 for node, here in zip(nodes, is_number, strict=True)]),
        rows[np.array([(*own, 0, 0)[:2] for own in children], dtype=np.int64)[order]],
        groups,
        np.append(starts, len(nodes)),
    )


class Examples(NamedTuple):
    """Rows of the table: pairs to verify with their labels, then rows to decode with the numbers they stand for."""

    left: np.ndarray
    right: np.ndarray
    label: np.ndarray
    decoded: np.ndarray
    target: np.ndarray

    @property
    def count(self) -> int:  # type: ignore[override]  # a tuple has a method of this name
        return len(self.left) + len(self.decoded)

    @property
    def roots(self) -> np.ndarray:
        return np.concatenate([self.left, self.right, self.decoded])

    def chosen(self, numbers: np.ndarray) -> "Examples":
        """The examples with these numbers; pairs are numbered first."""
        pairs = numbers[numbers < len(self.left)]
        rows = numbers[numbers >= len(self.left)] - len(self.left)
        return Examples(self.left[pairs], self.right[pairs], self.label[pairs], self.decoded[rows], self.target[rows])


@dataclass(frozen=True, eq=False)
class Batch:
    """Examples that are computed together."""

    table: SubtreeTable
    examples: Examples
    mask: np.ndarray | None = None  # of dropout, (hidden,), for the vectors of all functions
    numeric_weight: float = 1.0  # of a squared error against a logistic loss

    @property
    def pairs(self) -> int:
        return len(self.examples.left)

    @cached_property
    def rows(self) -> np.ndarray:
        """The distinct rows of the table that it needs."""
        return self.table.distinct(self.examples.roots)

    @property
    def weights(self) -> tuple[float, float]:
        """The weights of a logistic loss and of a squared error, so that a loss is a mean over the batch."""
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

    def batches(self) -> Iterator[Batch]:
        for step in range(self.steps):
            numbers = self.order[step * self.batch_size : (step + 1) * self.batch_size]
            mask = None if self.masks is None else self.masks[step]
            yield Batch(self.table, self.examples.chosen(numbers), mask, self.numeric_weight)


class StepOutcomes(NamedTuple):
    """For every step of an epoch: its losses as the optimizer saw them, how many pairs it got right, and its size."""

    logistic: np.ndarray
    squared: np.ndarray
    hits: np.ndarray
    pairs: np.ndarray
    examples: np.ndarray


# ------------------------------------------------------------------------------------------------ losses and engines


def logistic_losses(F, logits, labels):
    """log(1 + exp(logit)) - label * logit, one for each pair."""
    return F.Activation(logits, act_type="softrelu") - logits * labels


def squared_errors(F, numbers, targets):
    return F.square(numbers - targets)


def report_parts(F, zero, verified, decoded) -> list:
    """The parts of a report: both losses, summed with their weights; then the logits, then the decoded numbers.

    Verified is (logits, labels, weights), decoded (numbers, targets, weights), or None where there are none.
    """
    losses, outputs = [], []
    for parts, each_loss in ((verified, logistic_losses), (decoded, squared_errors)):
        if parts is None:
            losses.append(zero)
        else:
            values, wanted, weights = parts
            losses.append(F.reshape(F.dot(each_loss(F, values, wanted), weights), (1,)))
            outputs.append(values)
    return losses + outputs


class Engine:
    """Computes batches for one model; its reports are differentiable under autograd."""

    name = ""
    instead_of_fused: str | None = None  # why it is not the fused engine, if that was wanted
    capacity: Any = None  # what a checkpoint has to keep so that a run goes on with the same bits; or that as JSON

    def __init__(self, model):
        self.model = model

    def report(self, batch: Batch) -> nd.NDArray:
        """The sum of logistic losses, the sum of squared errors, the logits, the decoded numbers: one vector."""
        raise NotImplementedError

    def padded_report(self, batch: Batch) -> nd.NDArray:
        """A report with padding after its logits: enough to train with."""
        return self.report(batch)

    def prepare(self, epochs: Sequence[Epoch]) -> None:
        """Makes ready for epochs like these."""

    def train(self, epoch: Epoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        """A gradient and a step for every batch; MXNet computes while the next batches are planned."""
        computed = []
        for batch, rate in zip(epoch.batches(), rates, strict=True):
            with autograd.record():
                report = self.padded_report(batch)
            report.backward(self.model.array(np.arange(len(report)) < 2))  # the gradient of the sum of both losses
            optimizer.step(rate, self.model.absent(batch))
            computed.append((batch, report))
        return StepOutcomes(*map(np.array, zip(*(_outcome(*each) for each in computed), strict=True)))


def _outcome(batch: Batch, report: nd.NDArray) -> tuple[float, float, int, int, int]:
    logistic, squared, *_ = values = report.asnumpy()
    said = values[2 : 2 + batch.pairs] > 0
    hits = int(np.sum(said == (batch.examples.label > 0.5)))
    return float(logistic), float(squared), hits, batch.pairs, batch.examples.count


def chosen_engine(
    name: str | None, reason_against: Callable[[], str | None], known: Sequence[str]
) -> tuple[str, str | None]:
    """The engine to take, and why it is not the fused one, if that was wanted."""
    if name not in (None, *known):
        raise InputError(f"engine {name!r} is unknown (allowed: {', '.join(known)})")
    reason = reason_against() if name in (None, "fused") else None
    if reason and name:
        raise InputError(f"engine 'fused' cannot be used: {reason} (take --engine generic)")
    return name or ("generic" if reason else "fused"), reason
