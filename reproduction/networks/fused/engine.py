"""The paper's two cells in C++: a batch is one call, and so is an epoch of training."""

from functools import lru_cache

import numpy as np

from ..backend import autograd, mx, nd
from ..batches import NUMBER_LEAF, SYMBOL_LEAF, Batch, Epoch, StepOutcomes, SubtreeTable
from ..cells import TreeLSTMCell, TreeNNCell
from ..engine import Engine
from ..optimizers import FlatOptimizer
from .library import load_operators

STEPS = ("sgd", "nag", "rmsprop", "adam", "adagrad", "adadelta", "dcasgd", "sgld")  # optimizers that the operators know
CELLS = {TreeNNCell: "tree-nn", TreeLSTMCell: "tree-lstm"}
TABLES_KEPT = 8  # as arrays; a process that answers questions sees a new table with each


def reason_against(model) -> str | None:
    """Why a model cannot be computed by the fused operators, in a few words; None if it can."""
    if model.cell not in CELLS:
        return f"it knows the cells {' and '.join(CELLS.values())} only"
    if model.context != mx.cpu():
        return "it runs on a CPU only"
    return load_operators()


@lru_cache(maxsize=TABLES_KEPT)
def _table_arrays(table: SubtreeTable, dtype: str) -> tuple[nd.NDArray, nd.NDArray]:
    """The table as the operators read it: (function, first, second, height) of every row, and the numbers' values."""
    height, arity, function = table.keys.T
    unary = len(table.vocabulary.of_arity(1))
    function = np.where(arity == 2, unary + function, function)
    function = np.where(height == SYMBOL_LEAF, -2, np.where(height == NUMBER_LEAF, -1, function))
    first = np.where(height == SYMBOL_LEAF, table.symbol, table.children[:, 0])
    columns = np.stack([function, first, table.children[:, 1], np.maximum(height, 0)], axis=1)
    return nd.array(columns, dtype="int32"), nd.array(table.value, dtype=dtype)


class FusedEngine(Engine):
    """One operator call a batch, differentiable; one call an epoch in training, the gradient straight into the step."""

    name = "fused"

    def __init__(self, model):
        super().__init__(model)
        vocabulary, flat = model.vocabulary, model.flat
        autograd.mark_variables([flat.data], [flat.gradient], "write")
        self._layout = {
            "cell": CELLS[model.cell],
            "leaf": model.leaf,
            "hidden": model.hidden,
            "symbols": len(vocabulary.symbols),
            "unary": len(vocabulary.of_arity(1)),
            "binary": len(vocabulary.of_arity(2)),
            "numbers": int(model.number is not None),
            "decoder": int(model.decoder is not None),
        }

    def report(self, batch: Batch) -> nd.NDArray:
        left, right, label, decoded, target = batch.examples
        mask = np.ones(self.model.hidden) if batch.mask is None else batch.mask
        return nd.tree_network(
            self.model.flat.data,
            *_table_arrays(batch.table, self.model.dtype),
            nd.array(np.concatenate([left, right, decoded]), dtype="int32"),
            self.model.array(np.concatenate([label, target, batch.weights])),
            self.model.array(mask),
            pairs=batch.pairs,
            **self._layout,
        )

    def train(self, epoch: Epoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        if optimizer.settings.name not in STEPS:
            return super().train(epoch, rates, optimizer)
        masks = np.ones((epoch.steps, self.model.hidden)) if epoch.masks is None else epoch.masks
        rows, answers, sizes = _packed(epoch)
        table, values = _table_arrays(epoch.table, self.model.dtype)
        report = nd.tree_train(
            self.model.flat.data,
            *kept_arrays(optimizer),
            table,
            nd.array(rows, dtype="int32"),
            nd.array(sizes, dtype="int32"),
            self.model.array(answers),
            self.model.array(masks),
            self.model.array(rates),
            values,
            numeric_weight=epoch.numeric_weight,
            **step_options(optimizer),
            **self._layout,
        ).asnumpy()
        optimizer.steps += epoch.steps
        logistic, squared, hits = report.T
        return StepOutcomes(logistic, squared, hits, sizes[:, 0], sizes.sum(axis=1))


def _packed(epoch: Epoch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Batch after batch: the rows (left sides, right sides, decoded), the answers, and the sizes (pairs, decoded)."""
    examples, order = epoch.examples, epoch.order
    step = np.arange(len(order)) // epoch.batch_size
    is_pair = order < len(examples.left)
    pairs, decoded = order[is_pair], order[~is_pair] - len(examples.left)
    by_step = [np.bincount(step[chosen], minlength=epoch.steps) for chosen in (is_pair, ~is_pair)]
    rows = [examples.left[pairs], examples.right[pairs], examples.decoded[decoded]]
    places = [3 * step[is_pair], 3 * step[is_pair] + 1, 3 * step[~is_pair] + 2]
    answers = [examples.label[pairs], examples.target[decoded]]
    return merged(rows, places), merged(answers, places[::2]), np.stack(by_step, axis=1)


def kept_arrays(optimizer: FlatOptimizer) -> list[nd.NDArray]:
    """Two arrays of the optimizer's state and the average; absent ones become a single number."""
    unused = nd.zeros((1,), dtype=optimizer.flat.data.dtype)
    return [unused if array is None else array for array in (*[*optimizer.slots, None][:2], optimizer.average)]


def step_options(optimizer: FlatOptimizer) -> dict:
    """What a step does, and how many there were before."""
    settings = optimizer.settings
    return {
        "optimizer": settings.name,
        **{name: getattr(settings, name) for name in ("momentum", "clip", "l2", "averaging", "seed")},
        "steps": optimizer.steps,
        "sum_gradients": settings.gradient_scale,
    }


def merged(values: list[np.ndarray], places: list[np.ndarray]) -> np.ndarray:
    """All values by their places; those of one place in their order."""
    return np.concatenate(values)[np.argsort(np.concatenate(places), kind="stable")]
