"""What can be had without a network: majority, a lookup of known equalities, and a bag of symbols."""

from collections.abc import Sequence

import numpy as np

from ..language.expression import Expression
from .dataset import Record

# The approaches that are no networks, by the names of their scores.
MAJORITY_OF_TRAIN, MAJORITY_OF_COLUMN = "majority-train", "majority-column"
SYMPY_AUTO, SYMPY_SIMPLIFY = "sympy-auto", "sympy-simplify"
BAG_OF_SYMBOLS, LOOKUP = "bag-of-symbols", "lookup"

BAG_PENALTY = 1e-3  # of the squared weights, relative to the mean loss
NEWTON_STEPS = 50


def accuracy(predicted: Sequence[int], records: Sequence[Record]) -> float:
    return sum(guess == record.label for guess, record in zip(predicted, records, strict=True)) / len(records)


def majority(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """The label that train has more of, for every test equation."""
    label = int(2 * sum(record.label for record in train) >= len(train))
    return [label] * len(test)


class _Partition:
    """Expressions joined into classes (union-find with path halving)."""

    def __init__(self):
        self._parent: dict[Expression, Expression] = {}

    def find(self, node: Expression) -> Expression:
        parent = self._parent
        while parent.get(node, node) is not node:
            parent[node] = parent.get(parent[node], parent[node])
            node = parent[node]
        return node

    def join(self, left: Expression, right: Expression) -> None:
        self._parent[self.find(left)] = self.find(right)


def lookup(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """Correct exactly when the sides are the same or connected by equalities of the training set."""
    classes = _Partition()
    for record in train:
        if record.label:
            classes.join(*record.equation)
    return [int(classes.find(record.equation.left) is classes.find(record.equation.right)) for record in test]


def _counts(records: Sequence[Record], columns: dict[str, int]) -> np.ndarray:
    """How often each symbol occurs in each equation, and a column of ones."""
    counts = np.zeros((len(records), len(columns) + 1))
    counts[:, -1] = 1
    for row, record in enumerate(records):
        for node in record.equation.subexpressions():
            if node.symbol in columns:
                counts[row, columns[node.symbol]] += 1
    return counts  # (records, symbols + 1)


def _logistic_regression(inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The weights of the penalised fit, by Newton's method: the problem is convex, so they are the only ones."""
    penalty = np.full(inputs.shape[1], BAG_PENALTY * len(labels))
    penalty[-1] = 1e-9
    weights = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (probability - labels) + penalty * weights
        hessian = (inputs * (probability * (1 - probability))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-10:
            break
    return weights


def bag_of_symbols(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """Predictions of a logistic regression on how often each symbol occurs."""
    symbols = sorted({node.symbol for record in train for node in record.equation.subexpressions()})
    columns = {symbol: index for index, symbol in enumerate(symbols)}
    labels = np.array([record.label for record in train], dtype=float)
    weights = _logistic_regression(_counts(train, columns), labels)
    return [int(logit > 0) for logit in _counts(test, columns) @ weights]
