"""What the loop asks of a network with its data, whether it reads trees or chains."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ..networks.batches import StepOutcomes
from ..networks.network import FlatParameters
from ..networks.optimizers import FlatOptimizer


class Predictions(NamedTuple):
    """Of a part: the probabilities of its symbolic records; the decoded numbers of its numeric ones, and theirs."""

    probabilities: np.ndarray
    decoded: np.ndarray
    numeric: np.ndarray = np.zeros(0)  # probabilities, if numeric equations are verified


class Learner(Protocol):
    """A model and the examples that it learns from."""

    flat: FlatParameters
    train_size: int
    engine: str  # what computes the model
    instead_of_fused: str | None  # why that is not the fused engine, if it could have been
    capacity: object  # what a checkpoint has to keep so that a run goes on with the same bits, as JSON has it

    def train_epoch(
        self,
        random: np.random.Generator,
        rate_at: Callable[[float], float],
        optimizer: FlatOptimizer,
        steps: int | None = None,
    ) -> StepOutcomes:
        """All training examples once, in random order; the rate when this share of the epoch is done is rate_at's.

        With steps, only the first so many of the same epoch.
        """

    def batch_examples(self, random: np.random.Generator, step: int) -> tuple[str, ...]:
        """The ids of the training examples in a step of the epoch that this generator gives, from 0."""

    def predict(self, name: str) -> Predictions:
        """Probabilities and decoded numbers of dev or test, in the order of its records."""


def probabilities(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * logits.astype(float)))
