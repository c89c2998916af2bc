"""The chains in C++: an epoch of training is one call, and what sequences have in common is read once."""

from typing import NamedTuple

import numpy as np

from ..backend import mx, nd
from ..batches import StepOutcomes
from ..chains import ChainEngine, ChainEpoch, Equations, SequenceModel, Sequences
from ..optimizers import FlatOptimizer
from .engine import STEPS, kept_arrays, merged, step_options
from .library import load_operators


def reason_against(model: SequenceModel, optimizer: str = "adam") -> str | None:
    """Why a chain cannot be computed by the fused operators, in a few words; None if it can."""
    if model.context != mx.cpu():
        return "it runs on a CPU only"
    return load_operators() if optimizer in STEPS else f"for chains it does not know the optimizer {optimizer}"


class Prefixes(NamedTuple):
    """All distinct beginnings of some sequences, the short ones first, and which of them each sequence is."""

    rows: np.ndarray  # (token, row of the beginning that is one token shorter or -1, length)
    ends: np.ndarray


def find_prefixes(sequences: Sequences) -> Prefixes:
    """Length by length: a beginning is one that is known already, and a token."""
    tokens, lengths = sequences
    rows, ends, count = [], np.full(len(tokens), -1), 0
    for length in range(1, tokens.shape[1] + 1):
        reading = np.flatnonzero(lengths >= length)
        steps = np.stack([ends[reading], tokens[reading, length - 1]], axis=1)
        distinct, places = np.unique(steps, axis=0, return_inverse=True)
        ends[reading] = count + places.reshape(-1)
        rows.append(np.column_stack([distinct[:, 1], distinct[:, 0], np.full(len(distinct), length)]))
        count += len(distinct)
    return Prefixes(np.concatenate(rows), ends)


def _layout(model: SequenceModel) -> dict:
    cell = "lstm" if model.lstm else "rnn"
    return {"cell": cell, "hidden": model.hidden, "tokens": len(model.vocabulary), "reading": model.reading}


def table_logits(model: SequenceModel, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The logits of equations whose sequences end in these rows of a table: all left sides, then all right ones."""
    table, ends = nd.array(rows, dtype="int32"), nd.array(ends, dtype="int32")
    return nd.chain_network(model.flat.data, table, ends, **_layout(model)).asnumpy()


class FusedChains(ChainEngine):
    """One operator call for many equations, one for an epoch of training."""

    name = "fused"

    def __init__(self, model: SequenceModel, sequences: Sequences):
        super().__init__(model, sequences)
        load_operators()
        prefixes = find_prefixes(sequences)
        self._table, self._ends = nd.array(prefixes.rows, dtype="int32"), prefixes.ends
        self._layout = _layout(model)

    def logits(self, equations: Equations) -> np.ndarray:
        ends = nd.array(self._ends[equations.sequences.T.reshape(-1)], dtype="int32")
        return nd.chain_network(self.model.flat.data, self._table, ends, **self._layout).asnumpy()

    def train(self, epoch: ChainEpoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        steps, array = len(epoch.sizes), self.model.array
        step = np.repeat(np.arange(steps), epoch.sizes)
        columns = self._ends[epoch.equations.sequences.T]
        ends = merged(list(columns), [len(columns) * step + place for place in range(len(columns))])
        masks = np.ones((steps, 2, self.model.hidden)) if epoch.masks is None else epoch.masks
        report = nd.chain_train(
            self.model.flat.data,
            *kept_arrays(optimizer),
            self._table,
            nd.array(ends, dtype="int32"),
            nd.array(np.stack([epoch.sizes, np.zeros_like(epoch.sizes)], axis=1), dtype="int32"),
            array(epoch.equations.labels),
            array(masks),
            array(rates),
            numeric_weight=0.0,
            **step_options(optimizer),
            **self._layout,
        ).asnumpy()
        optimizer.steps += steps
        logistic, squared, hits = report.T
        return StepOutcomes(logistic, squared, hits, epoch.sizes, epoch.sizes)
