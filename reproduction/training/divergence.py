"""The step at which a training stops being made of numbers, and the examples of its batch.

An epoch may be one call, so it is looked at when it is over: losses, parameters and what the optimizer keeps. Where
something is not finite the epoch is made again from its beginning, with fewer steps, until the first one is found that
leaves something that is not. Everything is as it was before the epoch then.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..networks.backend import nd
from ..networks.batches import StepOutcomes
from ..networks.network import FlatParameters
from ..networks.optimizers import FlatOptimizer

LOSS, PARAMETERS, SCORES = "the loss", "the parameters", "the scores"


@dataclass(frozen=True)
class Divergence:
    """What was not finite, and when: the steps of an epoch count from 1; the scores belong to no batch."""

    what: str
    epoch: int
    step: int
    steps: int
    examples: tuple[str, ...]  # ids of the batch; a number stands for one that is encoded and decoded


def describe(divergence: Mapping) -> str:
    """A sentence without its end: where, and of what."""
    place = f"epoch {divergence['epoch']}, step {divergence['step']} of {divergence['steps']}"
    examples = divergence["examples"]
    batch = f" (batch: {', '.join(examples[:8])}{', …' if len(examples) > 8 else ''})" if examples else ""
    return f"{divergence['what']} stopped being finite in {place}{batch}"


class Snapshot:
    """Parameters and the optimizer's state, to be put back."""

    def __init__(self, flat: FlatParameters, optimizer: FlatOptimizer):
        self._flat, self._optimizer, self._steps = flat, optimizer, optimizer.steps
        self._parameters = flat.data.asnumpy()
        self._arrays = {name: array.asnumpy() for name, array in optimizer.arrays().items()}

    def put_back(self) -> None:
        self._flat.data[:] = nd.array(self._parameters, dtype=self._flat.data.dtype)
        self._optimizer.restore(self._arrays, self._steps)


def are_finite(arrays: Mapping[str, np.ndarray]) -> bool:
    return all(np.isfinite(array).all() for array in arrays.values())


def trouble(outcomes: StepOutcomes, flat: FlatParameters, optimizer: FlatOptimizer) -> str | None:
    """What is not finite after some steps, or None."""
    if not (np.isfinite(outcomes.logistic).all() and np.isfinite(outcomes.squared).all()):
        return LOSS
    kept = {"parameters": flat.data, **optimizer.arrays()}
    return None if are_finite({name: array.asnumpy() for name, array in kept.items()}) else PARAMETERS


def first_bad_step(steps: int, trouble_after: Callable[[int], str | None]) -> tuple[int, str]:
    """The fewest steps after which there is trouble, and which: what is not finite stays so."""
    low, high, found = 1, steps, trouble_after(steps)
    while low < high:
        middle = (low + high) // 2
        other = trouble_after(middle)
        low, high, found = (low, middle, other) if other else (middle + 1, high, found)
    return high, found or PARAMETERS
