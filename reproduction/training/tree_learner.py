"""A tree model with the data it learns from: batches, gradients and predictions."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..data.examples import Part, Parts, autoencoder_targets, evaluation_target
from ..errors import InputError
from ..language.expression import Expression
from ..networks.backend import nd
from ..networks.schedule import Capacity, Examples, Planner, Schedule
from ..networks.subtrees import SubtreeTable, make_table
from ..networks.tree_model import TreeModel

PREDICTED_AT_ONCE = 2048
RESERVED_EPOCHS = 2  # whose batches the first capacity is made for


class Predictions(NamedTuple):
    """Of a part: the probabilities of its symbolic records and the decoded numbers of its numeric ones."""

    probabilities: np.ndarray
    decoded: np.ndarray


class Outcome(NamedTuple):
    """Of a batch: its losses (means over the batch) and how many of its pairs were right."""

    logistic: float
    squared: float
    hits: int
    pairs: int
    examples: int


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logits.astype(float)))


class _Pool:
    """Collects expressions for one table of subtrees."""

    def __init__(self):
        self.expressions: list[Expression] = []

    def add(self, expressions: Sequence[Expression]) -> slice:
        start = len(self.expressions)
        self.expressions += expressions
        return slice(start, len(self.expressions))


class _Wanted(NamedTuple):
    """Examples before the table exists: where their expressions are in the pool."""

    left: slice
    right: slice
    decoded: slice
    labels: np.ndarray
    targets: np.ndarray

    def examples(self, table: SubtreeTable) -> Examples:
        left, right, decoded = (table.roots[place] for place in self[:3])
        return Examples(left, right, self.labels, decoded, self.targets)


def _wanted(pool: _Pool, part: Part, targets: Sequence[tuple[Expression, float]]) -> _Wanted:
    equations = [record.equation for record in part.symbolic]
    return _Wanted(
        pool.add([equation.left for equation in equations]),
        pool.add([equation.right for equation in equations]),
        pool.add([side for side, _ in targets]),
        part.labels,
        np.array([value for _, value in targets]),
    )


class TreeLearner:
    """Batches of equations, and of evaluations if the model takes data, for one model."""

    def __init__(self, model: TreeModel, parts: Parts, batch_size: int, seed: int, numeric_weight: float = 1.0):
        self.model, self.flat, self._batch_size = model, model.flat, batch_size
        pool = _Pool()
        correct = [record for record in parts.train.numeric if record.label == 1]
        targets = [*map(evaluation_target, correct), *autoencoder_targets(correct)] if model.data else []
        train = _wanted(pool, parts.train, targets)
        others = {
            name: _wanted(pool, part, [evaluation_target(record) for record in part.numeric] if model.data else [])
            for name, part in (("dev", parts.dev), ("test", parts.test))
        }
        table = make_table(pool.expressions, model.language)
        if model.number is None and table.starts[1] > table.starts[0]:
            raise InputError("the equations contain numbers, and this model was trained without a number block")
        self._train = train.examples(table)
        self.train_size = self._train.count
        self._planner = Planner(table, model.language, model.lstm, True, numeric_weight)
        self._predictor = Planner(table, model.language, model.lstm, False)
        self._parts = self._fixed_schedules({name: wanted.examples(table) for name, wanted in others.items()})
        for epoch in range(RESERVED_EPOCHS):
            self._planner.reserve(self._shuffled(np.random.default_rng([seed, epoch])))

    @property
    def capacity(self) -> Capacity:
        """The shapes of the batches; the same shapes give the same bits."""
        return self._planner.capacity

    @capacity.setter
    def capacity(self, capacity: Capacity) -> None:
        self._planner.capacity = capacity

    def _chunks(self, examples: Examples, order: np.ndarray, size: int) -> Iterator[Examples]:
        for start in range(0, len(order), size):
            yield examples.chosen(order[start : start + size])

    def _shuffled(self, random: np.random.Generator) -> Iterator[Examples]:
        return self._chunks(self._train, random.permutation(self.train_size), self._batch_size)

    def _fixed_schedules(self, parts: dict[str, Examples]) -> dict[str, list[Schedule]]:
        """The schedules of parts that are predicted again and again, all with the same shapes."""
        batches = {
            name: list(self._chunks(examples, np.arange(examples.count), PREDICTED_AT_ONCE))
            for name, examples in parts.items()
        }
        for each in batches.values():
            self._predictor.reserve(each)
        return {name: list(self._predictor.schedules(each)) for name, each in batches.items()}

    def batches(self, random: np.random.Generator) -> Iterator[Schedule]:
        """All training examples in random order."""
        return self._planner.schedules(self._shuffled(random))

    def gradient(self, schedule: Schedule) -> nd.NDArray:
        """Computes the gradient of a batch; what comes back is for `outcome`."""
        return self.model.compute_gradient(self._planner.shapes, schedule)

    def absent(self, schedule: Schedule) -> frozenset[str]:
        return self.model.absent(schedule)

    def outcome(self, schedule: Schedule, report: nd.NDArray) -> Outcome:
        """Waits for a batch and reads how it went."""
        logistic, squared, *_ = values = report.asnumpy()
        said = values[2 : 2 + schedule.pairs] > 0
        hits = np.sum(said == (schedule.labels > 0.5))
        return Outcome(float(logistic), float(squared), int(hits), schedule.pairs, schedule.pairs + schedule.decoded)

    def predict(self, name: str) -> Predictions:
        """Probabilities and decoded numbers of dev or test, in the order of its records."""
        logits, decoded = self.model.predict(self._predictor.shapes, self._parts[name])
        return Predictions(sigmoid(logits), decoded.astype(float))
