"""Ways to compute the network of a batch of trees. All of them give the same numbers, within rounding.

fused      C++ operators for the paper's two cells: the fastest, on a CPU with a compiler
generic    one cached graph for all batches, made of the cells' own equations: any cell, any device
recursive  every node by its own call, as in the released code: slow, and plain to see that it is right
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from .backend import autograd, nd
from .batches import Batch, Epoch, StepOutcomes
from .optimizers import FlatOptimizer


class Engine:
    """Computes batches for one model; what it gives is differentiable under autograd."""

    name = ""
    instead_of_fused: str | None = None  # why it is not the fused engine, if that was wanted
    capacity = None  # what a checkpoint has to keep so that a run goes on with the same bits

    def __init__(self, model):
        self.model = model
        self._both_losses = cache(self._both_losses)

    def report(self, batch: Batch) -> nd.NDArray:
        """The logistic losses added up, the squared errors added up, the logits, the decoded numbers: one vector."""
        raise NotImplementedError

    def padded_report(self, batch: Batch) -> nd.NDArray:
        """A report with anything behind its logits: enough to train with."""
        return self.report(batch)

    def prepare(self, epochs: Sequence[Epoch]) -> None:
        """Makes ready for epochs like these."""

    def train(self, epoch: Epoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        """A gradient and a step for every batch; MXNet computes on while the next batches are being planned."""
        computed = []
        for batch, rate in zip(epoch.batches(), rates, strict=True):
            with autograd.record():
                report = self.padded_report(batch)
            report.backward(self._both_losses(len(report)))
            optimizer.step(rate, self.model.absent(batch))
            computed.append((batch, report))
        return StepOutcomes(*map(np.array, zip(*(_outcome(*each) for each in computed), strict=True)))

    def _both_losses(self, size: int) -> nd.NDArray:
        """The gradient of the whole loss with respect to a report of this size: 1 for both losses."""
        return self.model.array(np.arange(size) < 2)


def _outcome(batch: Batch, report: nd.NDArray) -> tuple[float, float, int, int, int]:
    logistic, squared, *_ = values = report.asnumpy()
    said = values[2 : 2 + batch.pairs] > 0
    hits = int(np.sum(said == (batch.examples.label > 0.5)))
    return float(logistic), float(squared), hits, batch.pairs, batch.examples.count
