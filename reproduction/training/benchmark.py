"""How fast the engines are beside simpler ways to compute the same network, and how the cost grows.

All rivals train the same cells on the same batches with the same optimizer. Rounds of all rivals alternate, so that no
single rival suffers from a busy moment of the machine; speeds are medians over rounds.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from .. import artifacts
from ..data.dataset import GENERALIZATION, Dataset, Record, tree_vocabulary
from ..data.splits import Part, Parts
from ..networks.backend import autograd, nd
from ..networks.batches import Batch, Epoch, Examples, logistic_losses, make_table
from ..networks.network import FlatOptimizer, OptimizerSettings
from ..networks.tree_model import TreeModel, encode_by_function, encode_recursively
from .configuration import make_configuration
from .learners import new_learner
from .loop import peak_memory_mb
from .run_directory import read_run

ENGINE, GENERIC, WITHOUT_SHARING, PER_FUNCTION, RECURSION = RIVALS = (
    "engine", "generic", "without_sharing", "per_function", "recursion",
)  # fmt: skip
HIDDEN, BATCH_SIZE = 50, 256
LEARNING_RATE = 0.001
CHAINS = ("rnn", "lstm")
CHAIN_CASES = (
    ("batch 1", (1, None)),
    (f"batch {BATCH_SIZE}", (BATCH_SIZE, None)),
    (f"batch {BATCH_SIZE} by Gluon's layer", (BATCH_SIZE, "generic")),
)
KINDS = ("training", "inference")


class Effort(NamedTuple):
    """The effort of a benchmark: rounds, equations of each rival in a round, and the sizes that are tried."""

    rounds: int = 3
    equations: tuple[int, ...] = (8192, 4096, 4096, 512, 96)  # of each rival a round, in their order, at most
    batches: tuple[int, ...] = (10_000, 24, 10_000, 24, 24)  # likewise; one at least
    seconds: float = 10.0  # a rival that has taken so long is not measured again
    batch_sizes: tuple[int, ...] = (1, 16, 64, 256, 1024)
    hidden_sizes: tuple[int, ...] = (10, 20, 50, 100, 200)
    data_shares: tuple[float, ...] = (0.125, 0.25, 0.5, 1.0)
    processes_epochs: int = 60  # of the trainings that run one and two at a time
    goal_epochs: int = 100  # of the training that is to reach 90, 95 and 97 per cent
    starts: int = 3  # trainings of one epoch


QUICK = Effort(2, (512, 512, 512, 64, 16), (99, 2, 99, 1, 1), 1.0, (16, 256), (10, 50), (0.5, 1.0), 3, 3, 1)


def _seconds(work: Callable[[], object]) -> float:
    nd.waitall()
    started = time.perf_counter()
    work()
    nd.waitall()
    return time.perf_counter() - started


class EngineRival:
    """An engine, with or without sharing of subtrees."""

    def __init__(self, records: Sequence[Record], model: TreeModel, share: bool = True):
        self.model, self._optimizer = model, FlatOptimizer(model.flat, OptimizerSettings("adam"))
        table = make_table([side for record in records for side in record.equation], model.vocabulary, share)
        labels, none = np.array([record.label for record in records], dtype=float), np.zeros(0, dtype=int)
        examples = Examples(table.roots[::2], table.roots[1::2], labels, none, np.zeros(0))
        self._epoch = partial(Epoch, table, examples)  # of an order of equations and a batch size

    def prepare(self, order: np.ndarray, size: int) -> None:
        """Makes room for these batches and compiles the graphs, as the first steps of a training do."""
        self.model.engine.prepare([self._epoch(order, size)])
        self.train(order[:size], size)
        self.predict(order[:size], size)

    def train(self, order: np.ndarray, size: int) -> None:
        epoch = self._epoch(order, size)
        self.model.engine.train(epoch, np.full(epoch.steps, LEARNING_RATE), self._optimizer)

    def predict(self, order: np.ndarray, size: int) -> None:
        for batch in self._epoch(order, size).batches():
            self.model.engine.report(Batch(batch.table, batch.examples)).asnumpy()


class ComposedRival:
    """Cells composed by hand with recorded gradients: one call a level and function, or plain recursion."""

    def __init__(self, records: Sequence[Record], model: TreeModel, together: bool):
        self.model, self._records, self._together = model, records, together
        self._optimizer = FlatOptimizer(model.flat, OptimizerSettings("adam"))
        for cell in model.cells.values():
            cell.hybridize()  # as anyone would who composes them by hand

    def prepare(self, order: np.ndarray, size: int) -> None:
        self.predict(order[:8], size)

    def _batches(self, order: np.ndarray, size: int) -> Iterator[list[Record]]:
        for start in range(0, len(order), size):
            yield [self._records[number] for number in order[start : start + size]]

    def _logits(self, records: Sequence[Record]) -> nd.NDArray:
        sides = [side for record in records for side in record.equation]
        if self._together:
            h = encode_by_function(self.model, sides)[0]
        else:
            h = nd.concat(*(encode_recursively(self.model, side)[0] for side in sides), dim=0)
        pairs = h.reshape((-1, 2, self.model.hidden))
        left, right = (part.reshape((-1, self.model.hidden)) for part in nd.split(pairs, num_outputs=2, axis=1))
        return self.model.compare(left, right)

    def train(self, order: np.ndarray, size: int) -> None:
        for records in self._batches(order, size):
            labels = nd.array([record.label for record in records])
            with autograd.record():
                loss = nd.mean(logistic_losses(nd, self._logits(records), labels))
            loss.backward()
            used = {name for record in records for name in record.equation.functions()}
            self._optimizer.step(LEARNING_RATE, frozenset(self.model.vocabulary.functions) - used)

    def predict(self, order: np.ndarray, size: int) -> None:
        for records in self._batches(order, size):
            self._logits(records).asnumpy()


def _order(count: int, wanted: int) -> np.ndarray:
    """Numbers of equations in the random order of an epoch, or of several."""
    random = np.random.default_rng(0)
    return np.concatenate([random.permutation(count) for _ in range(-(-wanted // count))])[:wanted]


def _model(dataset: Dataset, hidden: int = HIDDEN, engine: str | None = None) -> TreeModel:
    model = TreeModel(tree_vocabulary(dataset)._replace(numbers=True), hidden, data=False, engine=engine)
    model.initialize_parameters(np.random.default_rng(0))
    return model


def _rivals(dataset: Dataset) -> dict[str, EngineRival | ComposedRival]:
    records = dataset.symbolic
    return {
        ENGINE: EngineRival(records, _model(dataset)),
        GENERIC: EngineRival(records, _model(dataset, engine="generic")),
        WITHOUT_SHARING: EngineRival(records, _model(dataset), share=False),
        PER_FUNCTION: ComposedRival(records, _model(dataset, engine="generic"), together=True),
        RECURSION: ComposedRival(records, _model(dataset, engine="generic"), together=False),
    }


def _speeds(dataset: Dataset, size: int, effort: Effort) -> dict[str, dict[str, float]]:
    """Equations per second of each rival, in training and in inference."""
    rivals, orders = _rivals(dataset), {}
    for (name, rival), equations, batches in zip(rivals.items(), effort.equations, effort.batches, strict=True):
        orders[name] = _order(len(dataset.symbolic), size * max(min(equations // size, batches), 1))
        rival.prepare(orders[name], size)
    seconds: dict[tuple[str, str], list[float]] = {(name, kind): [] for name in rivals for kind in KINDS}
    for _ in range(effort.rounds):
        for name, rival in rivals.items():
            taken = sum(sum(seconds[name, kind]) for kind in KINDS) * len(orders[name])
            if taken > effort.seconds:
                continue
            for kind, work in zip(KINDS, (rival.train, rival.predict), strict=True):
                seconds[name, kind].append(_seconds(partial(work, orders[name], size)) / len(orders[name]))
    return {kind: {name: float(1 / np.median(seconds[name, kind])) for name in rivals} for kind in KINDS}


def _engine_speed(effort: Effort, records: Sequence[Record], model: TreeModel, size: int) -> dict:
    """Training and inference speed of the default engine alone, and the seconds that its table takes."""
    rival: list[EngineRival] = []
    table_seconds = _seconds(lambda: rival.append(EngineRival(records, model)))
    order = _order(len(records), max(effort.equations[0], 2 * size))
    rival[0].prepare(order, size)
    training, inference = (
        float(np.median([_seconds(partial(work, order, size)) for _ in range(effort.rounds)]))
        for work in (rival[0].train, rival[0].predict)
    )
    speeds = {"training": len(order) / training, "inference": len(order) / inference}
    return {**speeds, "epoch_seconds": training / len(order) * len(records), "table_seconds": table_seconds}


def _growth(dataset: Dataset, effort: Effort) -> dict[str, list[dict]]:
    """The engine's speed by the sizes of batches, of vectors and of the data."""
    records = dataset.symbolic
    cases: list[tuple[str, int, tuple]]
    cases = [("batch_size", size, (records, _model(dataset), size)) for size in effort.batch_sizes]
    cases += [("hidden", size, (records, _model(dataset, size), BATCH_SIZE)) for size in effort.hidden_sizes]
    for share in effort.data_shares:
        some = records[:: round(1 / share)]  # the file is sorted by depth
        cases.append(("equations", len(some), (some, _model(dataset), min(BATCH_SIZE, len(some)))))
    tables: dict[str, list[dict]] = {"batch_size": [], "hidden": [], "equations": []}
    for name, value, case in tqdm(cases, disable=None, desc="growth"):
        tables[name].append({name: value, **_engine_speed(effort, *case)})
    return tables


def _chain_speed(dataset: Dataset, effort: Effort, name: str, size: int, engine: str | None) -> float:
    """Equations per second of a chain in training."""
    configuration = make_configuration(name, GENERALIZATION, 0, hidden=HIDDEN, batch_size=size, engine=engine)
    parts = Parts(*[Part(dataset.symbolic, ())] * 3)
    learner = new_learner(configuration, configuration.kind.part("vocabulary")(configuration, dataset, parts), parts)
    optimizer = FlatOptimizer(learner.flat, OptimizerSettings("adam", size))

    def epoch() -> None:
        learner.train_epoch(np.random.default_rng(0), lambda steps: np.full(steps, LEARNING_RATE), optimizer)

    return len(dataset.symbolic) / min(_seconds(epoch) for _ in range(max(effort.rounds // 2, 2)))


def measure_processes(data: Path, effort: Effort) -> dict:
    """A training of one epoch from start to exit, what two at a time are worth, and the time to a good network.

    The trainings are processes as a person starts them; call before this process is kept on one core.
    """
    with tempfile.TemporaryDirectory() as place:
        seconds = partial(_seconds_of_trainings, Path(data), Path(place))
        seconds(1, 1)  # makes what is made once for a data set
        one, two = (seconds(count, effort.processes_epochs) for count in (1, 2))
        start_seconds = min(seconds(1, 1) for _ in range(effort.starts))
        seconds(1, effort.goal_epochs)
        reached = read_run(Path(place) / "0").results.seconds_to
    return {
        "start_seconds": start_seconds,
        "workers_ratio": 2 * one / two,
        "seconds_to": {str(goal): at for goal, at in reached.items()},
    }


def _seconds_of_trainings(data: Path, place: Path, count: int, epochs: int) -> float:
    """The seconds that so many trainings at the same time take, from start to exit."""
    words = ["train", "--model", "tree-lstm", "--data", str(data), "--epochs", str(epochs), "--out"]
    command = [sys.executable, "-m", "reproduction", *words]
    outs = [place / str(number) for number in range(count)]
    for out in outs:
        shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    running = [subprocess.Popen([*command, str(out)], cwd=artifacts.ROOT, stdout=subprocess.DEVNULL) for out in outs]
    codes = [process.wait() for process in running]
    if any(codes):
        raise RuntimeError("a training that was to be timed failed")
    return time.perf_counter() - started


def run_benchmark(dataset: Dataset, effort: Effort) -> dict:
    """Everything that is measured in this process, ready to be stored."""
    records, before = dataset.symbolic, peak_memory_mb()
    rival = EngineRival(records, _model(dataset))
    rival.prepare(_order(len(records), 4 * BATCH_SIZE), BATCH_SIZE)
    memory = {"before_mb": before, "engine_mb": peak_memory_mb()}
    sizes = tqdm(effort.batch_sizes, disable=None, desc="rivals")
    by_batch_size = {str(size): _speeds(dataset, size, effort) for size in sizes}
    chains = {
        name: {title: _chain_speed(dataset, effort, name, *case) for title, case in CHAIN_CASES} for name in CHAINS
    }
    return {
        "equations": len(records),
        "batch_size": BATCH_SIZE,
        "hidden": HIDDEN,
        "engine": rival.model.engine.name,
        **by_batch_size[str(BATCH_SIZE)],
        "by_batch_size": by_batch_size,
        "chains": chains,
        "memory": memory,
        "growth": _growth(dataset, effort),
    }
