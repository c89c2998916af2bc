"""Ways to compute the network of a batch of trees. All of them give the same numbers, within rounding.

fused      C++ operators for the paper's two cells: the fastest, on a CPU with a compiler
generic    one cached graph for all batches, made of the cells' own equations: any cell, any device
recursive  every node by its own call, as in the released code: slow, and plain to see that it is right
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ..errors import InputError
from .backend import autograd, nd
from .batches import NUMBER_LEAF, SYMBOL_LEAF, Batch, Epoch, StepOutcomes
from .optimizers import FlatOptimizer


def logistic_losses(F, logits, labels):
    """log(1 + exp(logit)) - label * logit, one for each pair."""
    return F.Activation(logits, act_type="softrelu") - logits * labels


def squared_errors(F, numbers, targets):
    return F.square(numbers - targets)


def report_parts(F, zero, verified, decoded) -> list:
    """What a report is put together from: both losses added up with their weights, logits, decoded numbers.

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
    """Computes batches for one model; what it gives is differentiable under autograd."""

    name = ""
    instead_of_fused: str | None = None  # why it is not the fused engine, if that was wanted
    capacity: Any = None  # what a checkpoint has to keep so that a run goes on with the same bits

    def __init__(self, model):
        self.model = model
        self._both_losses = cache(self._both_losses)

    def read_capacity(self, stored) -> Any:
        """The capacity that a checkpoint holds as JSON."""
        return None

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


class RecursiveEngine(Engine):
    """Every occurrence of every node by its own call."""

    name = "recursive"

    def _state(self, batch: Batch, row: int, mask: nd.NDArray | None):
        table, model = batch.table, self.model
        height, arity, _ = table.keys[row]
        if height == SYMBOL_LEAF:
            return model.leaf_state(model.symbol(model.array([table.symbol[row]])))
        if height == NUMBER_LEAF:
            return model.leaf_state(model.number(model.array([[table.value[row]]])))
        children = (self._state(batch, child, mask) for child in table.children[row, :arity])
        return model.apply_function(table.function_name(row), *children, mask=mask)

    def report(self, batch: Batch) -> nd.NDArray:
        mask = None if batch.mask is None else self.model.array(batch.mask)
        left, right, label, decoded, target = batch.examples
        vectors = [[self._state(batch, row, mask)[0] for row in rows] for rows in (left, right, decoded)]
        h_left, h_right, h_decoded = (nd.concat(*each, dim=0) if each else None for each in vectors)
        array, (pair_weight, decoded_weight) = self.model.array, batch.weights
        pairs = numbers = None
        if h_left is not None:
            pairs = self.model.compare(h_left, h_right), array(label), array(np.full(len(label), pair_weight))
        if h_decoded is not None:
            numbers = self.model.decode(h_decoded), array(target), array(np.full(len(target), decoded_weight))
        return nd.concat(*report_parts(nd, array([0]), pairs, numbers), dim=0)


def _chosen(name: str | None, reason_against: Callable[[], str | None], known: Sequence[str]) -> tuple[str, str | None]:
    """The engine to take, and why it is not the fused one, if that was wanted."""
    if name not in (None, *known):
        raise InputError(f"engine {name!r} is unknown (allowed: {', '.join(known)})")
    reason = reason_against() if name in (None, "fused") else None
    if reason and name:
        raise InputError(f"engine 'fused' cannot be used: {reason} (take --engine generic)")
    return name or ("generic" if reason else "fused"), reason


def make_engine(name: str | None, model) -> Engine:
    """What computes a tree model: the engine that is asked for, or the fastest that this machine and cell allow."""
    from .fused import engine as fused

    name, reason = _chosen(name, lambda: fused.reason_against(model), ("fused", "generic", "recursive"))
    engine: Engine
    if name == "generic":
        from .generic import GenericEngine

        engine = GenericEngine(model)
    else:
        engine = fused.FusedEngine(model) if name == "fused" else RecursiveEngine(model)
    engine.instead_of_fused = reason
    return engine


def make_chain_engine(name: str | None, model, sequences, optimizer: str = "adam"):
    """What computes a chain on these sequences, and trains it by this optimizer."""
    from .chains import GluonChains
    from .fused import chains as fused

    name, reason = _chosen(name, lambda: fused.reason_against(model, optimizer), ("fused", "generic"))
    engine = (fused.FusedChains if name == "fused" else GluonChains)(model, sequences)
    engine.instead_of_fused = reason
    return engine
