"""How fast the engine is, against the obvious ways to compute the same network, and how its cost grows.

All rivals train the same cells on the same batches with the same optimizer. Rounds of all rivals alternate, so that a
busy moment of the machine does not fall on one of them; speeds are medians over rounds.
"""

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..data.dataset import Dataset, Record
from ..data.examples import model_language
from ..networks.backend import autograd, nd
from ..networks.optimizers import FlatOptimizer
from ..networks.reference import encode_by_function, encode_recursively
from ..networks.schedule import Examples, Planner, Schedule
from ..networks.subtrees import make_table
from ..networks.tree_model import TreeModel

ENGINE, WITHOUT_SHARING, PER_FUNCTION, RECURSION = RIVALS = (
    "engine", "without_sharing", "per_function", "recursion",
)  # fmt: skip
HIDDEN, BATCH_SIZE = 50, 256
LEARNING_RATE = 0.001


class Effort(NamedTuple):
    """How much is measured: rounds, batches a round for the engine and for its rivals, and what sizes are tried."""

    rounds: int = 7
    batches: int = 12
    rival_batches: dict = {WITHOUT_SHARING: 6, PER_FUNCTION: 2, RECURSION: 1}  # noqa: RUF012
    rival_rounds: dict = {WITHOUT_SHARING: 7, PER_FUNCTION: 5, RECURSION: 3}  # noqa: RUF012
    batch_sizes: tuple[int, ...] = (16, 32, 64, 128, 256, 512, 1024)
    hidden_sizes: tuple[int, ...] = (10, 20, 50, 100, 200)
    data_shares: tuple[float, ...] = (0.125, 0.25, 0.5, 1.0)


QUICK = Effort(
    2, 3, {WITHOUT_SHARING: 2, PER_FUNCTION: 1, RECURSION: 1}, {WITHOUT_SHARING: 2, PER_FUNCTION: 2, RECURSION: 1},
    (64, 256), (10, 50), (0.5, 1.0),
)  # fmt: skip


def memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _seconds(work: Callable[[], object]) -> float:
    nd.waitall()
    started = time.perf_counter()
    work()
    nd.waitall()
    return time.perf_counter() - started


class EngineRival:
    """The engine, with or without sharing of subtrees."""

    def __init__(self, records: Sequence[Record], model: TreeModel, share: bool = True):
        self.model = model
        expressions = [side for record in records for side in record.equation]
        table = make_table(expressions, model.language, share)
        labels, none = np.array([record.label for record in records], dtype=float), np.zeros(0, dtype=int)
        self._examples = Examples(table.roots[::2], table.roots[1::2], labels, none, np.zeros(0))
        self._trainer = Planner(table, model.language, model.lstm, True)
        self._predictor = Planner(table, model.language, model.lstm, False)
        self._optimizer = FlatOptimizer(model.flat, "adam", BATCH_SIZE)

    def prepare(self, batches: Sequence[np.ndarray]) -> None:
        """Makes room for these batches and compiles the graphs, as the first steps of a training do."""
        for planner in (self._trainer, self._predictor):
            planner.reserve(map(self._examples.chosen, batches))
        self.train(batches[:1])
        self.predict(batches[:1])

    def plans(self, batches: Sequence[np.ndarray], planner: Planner | None = None) -> Iterator[Schedule]:
        return (planner or self._trainer).schedules(map(self._examples.chosen, batches))

    def gradients(self, schedules: Iterator[Schedule]) -> None:
        for schedule in schedules:
            self.model.compute_gradient(self._trainer.shapes, schedule)

    def train(self, batches: Sequence[np.ndarray]) -> None:
        for schedule in self.plans(batches):
            self.model.compute_gradient(self._trainer.shapes, schedule)
            self._optimizer.step(LEARNING_RATE, self.model.absent(schedule))

    def predict(self, batches: Sequence[np.ndarray]) -> None:
        self.model.predict(self._predictor.shapes, self.plans(batches, self._predictor))


class RecordedRival:
    """A way to encode expressions with recorded gradients: one call a (level, function), or plain recursion."""

    def __init__(self, records: Sequence[Record], model: TreeModel, together: bool):
        self.model, self._records, self._together = model, records, together
        for cell in model.cells.values():
            cell.hybridize()  # as anyone would who composes them by hand
        self._optimizer = FlatOptimizer(model.flat, "adam", BATCH_SIZE)

    def prepare(self, batches: Sequence[np.ndarray]) -> None:
        self.predict([batches[0][:8]])

    def _logits(self, records: Sequence[Record]) -> nd.NDArray:
        if self._together:
            sides = [side for record in records for side in record.equation]
            h = encode_by_function(self.model, sides)[0].reshape((-1, 2, self.model.hidden))
            left, right = (part.reshape((-1, self.model.hidden)) for part in nd.split(h, num_outputs=2, axis=1))
            return self.model.compare(left, right)
        pairs = [[encode_recursively(self.model, side)[0] for side in record.equation] for record in records]
        return nd.concat(*(self.model.compare(*pair) for pair in pairs), dim=0)

    def train(self, batches: Sequence[np.ndarray]) -> None:
        for numbers in batches:
            records = [self._records[number] for number in numbers]
            labels = nd.array([record.label for record in records])
            with autograd.record():
                logits = self._logits(records)
                loss = nd.mean(nd.Activation(logits, act_type="softrelu") - logits * labels)
            loss.backward()
            used = {name for record in records for name in record.equation.functions()}
            self._optimizer.step(LEARNING_RATE, frozenset(self.model.language.functions) - used)

    def predict(self, batches: Sequence[np.ndarray]) -> None:
        for numbers in batches:
            self._logits([self._records[number] for number in numbers]).asnumpy()


def _batches(count: int, size: int, batches: int) -> list[np.ndarray]:
    """Batches of different equations, drawn like those of an epoch."""
    random, drawn = np.random.default_rng(0), []
    while len(drawn) < batches:
        order = random.permutation(count)
        drawn += [order[start : start + size] for start in range(0, max(count - size, 0) + 1, size)]
    return drawn[:batches]


def _model(dataset: Dataset, hidden: int = HIDDEN) -> TreeModel:
    model = TreeModel(model_language(dataset), hidden, lstm=True, data=False, numbers=True)
    model.initialize_parameters(np.random.default_rng(0))
    return model


def _speeds(rivals: dict, batches: Sequence[np.ndarray], effort: Effort, progress: Callable[[], None]) -> dict:
    """Equations per second of each rival, in training and in inference."""
    seconds = {(name, kind): [] for name in rivals for kind in ("training", "inference")}
    for number in range(effort.rounds):
        for name, rival in rivals.items():
            if number >= effort.rival_rounds.get(name, effort.rounds):
                continue
            chosen = batches[: effort.rival_batches.get(name, effort.batches)]
            equations = sum(map(len, chosen))
            seconds[name, "training"].append(_seconds(lambda: rival.train(chosen)) / equations)  # noqa: B023
            seconds[name, "inference"].append(_seconds(lambda: rival.predict(chosen)) / equations)  # noqa: B023
        progress()
    return {
        kind: {name: float(1 / np.median(seconds[name, kind])) for name in rivals} for kind in ("training", "inference")
    }


def _shares(rival: EngineRival, batches: Sequence[np.ndarray], rounds: int) -> dict[str, float]:
    """The share of a training step that planning, forward, backward and the update take."""
    plans = list(rival.plans(batches))
    forward_plans = list(rival.plans(batches, rival._predictor))
    found = {"planning": [], "forward": [], "gradient": [], "step": []}
    for _ in range(rounds):
        found["planning"].append(_seconds(lambda: list(rival.plans(batches))))
        found["forward"].append(_seconds(lambda: rival.model.predict(rival._predictor.shapes, forward_plans)))
        found["gradient"].append(_seconds(lambda: rival.gradients(plans)))
        found["step"].append(_seconds(lambda: rival.train(batches)))
    planning, forward, gradient, step = (float(np.median(times)) for times in found.values())
    update = max(step - planning - gradient, 0.0)
    whole = planning + gradient + update
    parts = {"planning": planning, "forward": forward, "backward": gradient - forward, "update": update}
    return {name: part / whole for name, part in parts.items()}


def _engine_speed(records: Sequence[Record], model: TreeModel, size: int, effort: Effort) -> dict:
    """Training and inference speed of the engine alone, and the seconds that its table takes."""
    rival: list[EngineRival] = []
    table_seconds = _seconds(lambda: rival.append(EngineRival(records, model)))
    batches = _batches(len(records), size, max(3, effort.batches * BATCH_SIZE // max(size, 64)))
    rival[0].prepare(batches)
    equations = sum(map(len, batches))
    training, inference = (
        float(np.median([_seconds(lambda: work(batches)) for _ in range(max(effort.rounds // 2, 1))]))  # noqa: B023
        for work in (rival[0].train, rival[0].predict)
    )
    return {
        "training": equations / training,
        "inference": equations / inference,
        "epoch_seconds": training / equations * len(records),
        "table_seconds": table_seconds,
    }


def _growth(dataset: Dataset, effort: Effort, progress: Callable[[], None]) -> dict[str, list[dict]]:
    """How the engine's speed depends on the sizes of batches, of vectors and of the data."""
    records, tables = dataset.symbolic, {"batch_size": [], "hidden": [], "equations": []}
    for size in effort.batch_sizes:
        tables["batch_size"].append({"batch_size": size, **_engine_speed(records, _model(dataset), size, effort)})
        progress()
    for hidden in effort.hidden_sizes:
        model = _model(dataset, hidden)
        tables["hidden"].append({"hidden": hidden, **_engine_speed(records, model, BATCH_SIZE, effort)})
        progress()
    for share in effort.data_shares:
        some = records[:: round(1 / share)]  # the file is sorted by depth
        tables["equations"].append(
            {"equations": len(some), **_engine_speed(some, _model(dataset), min(BATCH_SIZE, len(some)), effort)}
        )
        progress()
    return tables


def rounds_of(effort: Effort) -> int:
    """How often `progress` is called."""
    return effort.rounds + len(effort.batch_sizes) + len(effort.hidden_sizes) + len(effort.data_shares)


def run_benchmark(dataset: Dataset, effort: Effort, progress: Callable[[], None] = lambda: None) -> dict:
    """Everything that is measured, ready to be stored."""
    records = dataset.symbolic
    size = min(BATCH_SIZE, len(records))
    batches = _batches(len(records), size, effort.batches)
    before = memory_mb()
    engine = EngineRival(records, _model(dataset))
    engine.prepare(batches)
    engine.train(batches)
    memory = {"before_mb": before, "engine_mb": memory_mb()}
    rivals = {
        ENGINE: engine,
        WITHOUT_SHARING: EngineRival(records, _model(dataset), share=False),
        PER_FUNCTION: RecordedRival(records, _model(dataset), together=True),
        RECURSION: RecordedRival(records, _model(dataset), together=False),
    }
    for rival in list(rivals.values())[1:]:
        rival.prepare(batches)
    speeds = _speeds(rivals, batches, effort, progress)
    shares = _shares(engine, batches, effort.rounds)
    return {
        "equations": len(records),
        "batch_size": size,
        "hidden": HIDDEN,
        **speeds,
        "planning_share": shares["planning"],
        "shares": shares,
        "memory": memory,
        "growth": _growth(dataset, effort, progress),
    }
