"""The C++ operators of this directory: compiled and loaded into MXNet, and the engine of trees that calls them.

The shared object lies in the environment; its name contains a hash of everything that it is made from. Where it cannot
be had, `load_operators` says why, and another engine computes. Run as a module, this file compiles: set-up does so.
"""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from ..backend import autograd, mx, nd
from ..batches import NUMBER_LEAF, SYMBOL_LEAF, Batch, Engine, Epoch, StepOutcomes, SubtreeTable
from ..cells import TreeLSTMCell, TreeNNCell
from ..network import FlatOptimizer

HERE = Path(__file__).parent
SOURCES = tuple(sorted(path.name for pattern in ("*.cc", "*.h") for path in HERE.glob(pattern)))
OPERATORS = ("tree_network", "tree_train", "chain_network", "chain_train")
FLAGS = (
    *("-shared", "-fPIC", "-O3", "-std=c++17", "-mavx2", "-mfma"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),  # none of these hides a NaN
)
SWITCH = "REPRODUCTION_FUSED"
STEPS = ("sgd", "nag", "rmsprop", "adam", "adagrad", "adadelta", "dcasgd", "sgld")  # optimizers that the operators know
CELLS = {TreeNNCell: "tree-nn", TreeLSTMCell: "tree-lstm"}
TABLES_KEPT = 8  # as arrays; a process that answers questions sees a new table with each

# ------------------------------------------------------------------------------------------------ the library


def _compiler() -> str | None:
    candidates = (os.environ.get("CXX"), "c++", "g++", "clang++")
    return next((found for name in candidates if name and (found := shutil.which(name))), None)


def _processor_features() -> set[str]:
    """The features of the processor, as Linux or macOS lists them."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        return set(listed.read_text().lower().split())
    command = ("sysctl", "-n", "machdep.cpu.features", "machdep.cpu.leaf7_features")
    return set(subprocess.run(command, capture_output=True, text=True).stdout.lower().split())


def _library_path() -> Path:
    """The path of the library of these sources, this MXNet and these flags; MXNet demands `.so` on macOS, too."""
    parts = [*((HERE / name).read_bytes() for name in SOURCES), mx.__version__.encode(), " ".join(FLAGS).encode()]
    digest = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:16]
    return Path(sys.prefix) / "share" / "reproduction" / f"fused-{digest}.so"


def _compile(compiler: str, path: Path) -> str | None:
    """Makes the library, whole or not at all, whoever else is making it; None, or why it failed."""
    mxnet = Path(mx.__file__).parent
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as directory:
            made = Path(directory) / path.name
            mxnets = ("-isystem", mxnet / "include", "-isystem", mxnet / "src")  # whose warnings are not ours
            files = (*mxnets, *sorted(HERE.glob("*.cc")), "-o", made)
            result = subprocess.run([compiler, *FLAGS, *map(str, files)], capture_output=True, text=True)
            if result.returncode:
                complaint = (result.stderr.strip() or f"{compiler} ended with code {result.returncode}").splitlines()[0]
                return f"the C++ compiler {compiler} refused the operators: {complaint}"
            os.replace(made, path)
    except OSError as error:
        return f"{path.parent} cannot be written ({error.strerror})"
    return None


def _why_not(path: Path) -> str | None:
    """None when the library lies there, else why it does not."""
    if os.environ.get(SWITCH) == "0":
        return f"it is switched off ({SWITCH}=0)"
    if not {"avx2", "fma"} <= _processor_features():
        return "the processor has no AVX2 and FMA"
    if path.exists():
        return None
    compiler = _compiler()
    return _compile(compiler, path) if compiler else "there is no C++ compiler"


def _make_functions(root: str, module: str, make_function: Callable) -> None:
    """mx.nd.NAME or mx.sym.NAME of our operators, in the way of mxnet.base._init_op_module.

    MXNet itself would make the Python functions of all its thousand operators again, a second's work.
    """
    for name in OPERATORS:
        handle = mx.base.OpHandle()
        mx.base.check_call(mx.base._LIB.NNGetOpHandle(mx.base.c_str(name), ctypes.byref(handle)))
        setattr(sys.modules[f"{root}.{module}.op"], name, make_function(handle, name, name))


@functools.cache
def load_operators() -> str | None:
    """Makes the operators available in this process; None when they are, else a few words why not."""
    path = _library_path()
    reason = _why_not(path)
    if reason is None:
        before, mx.library._init_op_module = mx.library._init_op_module, _make_functions
        try:
            mx.library.load(str(path), verbose=False)
        except mx.MXNetError as error:
            reason = f"MXNet cannot load the operators: {str(error).strip().splitlines()[-1]}"
        finally:
            mx.library._init_op_module = before
    return reason


def compiled_by() -> str | None:
    """The compiler of the operators, `g++ 12.2.0`; None without operators."""
    if load_operators() is not None:
        return None
    name = ctypes.CDLL(str(_library_path())).fused_compiler
    name.restype = ctypes.c_char_p
    return name().decode()


# ------------------------------------------------------------------------------------------------ the engine


def reason_against(model) -> str | None:
    """Why a model cannot be computed by the fused operators, in a few words; None if it can."""
    if model.cell not in CELLS:
        return f"it knows the cells {' and '.join(CELLS.values())} only"
    if model.context != mx.cpu():
        return "it runs on a CPU only"
    return load_operators()


@functools.lru_cache(maxsize=TABLES_KEPT)
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
    """Calls one operator for a batch, differentiable, and one for an epoch of training, its steps included."""

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
    """The options of the operators that say how to step, and how many steps there were before."""
    settings = optimizer.settings
    return {
        "optimizer": settings.name,
        **{name: getattr(settings, name) for name in ("momentum", "clip", "l2", "averaging", "seed")},
        "steps": optimizer.steps,
        "sum_gradients": settings.gradient_scale,
    }


def merged(values: list[np.ndarray], places: list[np.ndarray]) -> np.ndarray:
    """All values sorted by their places; values of one place keep their order."""
    return np.concatenate(values)[np.argsort(np.concatenate(places), kind="stable")]


if __name__ == "__main__":
    reason = load_operators()
    print(f"No fused operators ({reason}): the generic engine computes." if reason else "Fused operators: ready.")
