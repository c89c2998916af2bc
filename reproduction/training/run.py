"""A run while it trains: its model, its optimizer, how far it has come, and the checkpoint that it goes on from."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from .. import VERSION
from ..data.dataset import Dataset, Split
from ..data.examples import Parts
from ..errors import InputError
from ..networks.backend import nd
from ..networks.optimizers import FlatOptimizer, OptimizerSettings
from .checkpoints import Checkpoint, read_checkpoint, write_checkpoint
from .configuration import Configuration
from .divergence import are_finite
from .loading import build_learner, build_network, configured_parts
from .run_directory import CHECKPOINT, is_finished, read_config, refuse_other_run


@dataclass
class Progress:
    """How far a run has come; all of it goes into the checkpoint."""

    epoch: int = 0
    history: list[dict] = field(default_factory=list)
    best_epoch: int = 0
    best_score: float = -math.inf
    best_on_test: dict | None = None
    diverged: int | None = None  # the epoch in which something stopped being finite
    divergence: dict | None = None  # what, in which step, and the examples of its batch
    computing_seconds: float = 0.0
    peak_memory_mb: float = 0.0


def _optimizer_settings(configuration: Configuration) -> OptimizerSettings:
    shared = ("batch_size", "momentum", "clip", "l2", "averaging", "seed")
    return OptimizerSettings(configuration.optimizer, **{name: getattr(configuration, name) for name in shared})


class Training:
    """A run in its directory: everything that `train` holds on to."""

    def __init__(self, configuration: Configuration, dataset: Dataset, split: Split, directory: Path):
        self.configuration, self.directory = configuration, Path(directory)
        self.parts: Parts = configured_parts(configuration, dataset, split)
        vocabulary = configuration.kind.part("vocabulary")(configuration, dataset, self.parts)
        origin = {"version": VERSION, "data_fingerprint": dataset.fingerprint, "split_checksum": split.checksum}
        row = {**origin, **configuration.as_row(), **vocabulary._asdict()}
        self.row = json.loads(json.dumps(row))  # as it is read back: lists instead of tuples
        self.model = build_network(configuration, vocabulary)
        self.learner = build_learner(configuration, self.model, self.parts)
        self.optimizer = FlatOptimizer(self.model.flat, _optimizer_settings(configuration))
        self.progress = Progress()
        self.best = self.model.flat.data.asnumpy()

    @property
    def checkpoint(self) -> Path:
        return self.directory / CHECKPOINT

    @property
    def identity(self) -> dict:
        """What has to be the same for a run to go on with the same bits."""
        return {**self.row, "engine": self.learner.engine}

    def save(self) -> None:
        arrays = {"parameters": self.model.flat.data.asnumpy(), "best": self.best}
        arrays |= {name: array.asnumpy() for name, array in self.optimizer.arrays().items()}
        if not are_finite(arrays):
            raise FloatingPointError(f"{self.checkpoint}: not written, it would hold something that is not finite")
        row = {"run": self.identity, "steps": self.optimizer.steps, "capacity": self.learner.capacity}
        write_checkpoint(self.checkpoint, Checkpoint(arrays, {**row, "progress": vars(self.progress)}))

    def restore(self, earlier: Path | None = None) -> None:
        """Goes on where a checkpoint of this very run stopped, or else one of the same run with fewer epochs."""
        if self.checkpoint.is_file():
            self._read(self.checkpoint, {})
        elif earlier is not None:
            self._read(_shorter_run(self.configuration, earlier), {"epochs": self.configuration.epochs})

    def _read(self, path: Path, asked: dict) -> None:
        """Takes over a checkpoint; it has to be of this run, but for what is asked of it."""
        arrays, row = read_checkpoint(path)
        refuse_other_run(path, {**row.get("run", {}), **asked}, self.identity)
        self.model.flat.data[:] = nd.array(arrays["parameters"])
        self.optimizer.restore(arrays, row["steps"])
        self.best, self.progress = arrays["best"], Progress(**row["progress"])
        if row["capacity"] is not None:
            self.learner.capacity = row["capacity"]


def _shorter_run(configuration: Configuration, directory: Path) -> Path:
    """The checkpoint of a finished run that this one continues; refused where it cannot be continued."""
    path = directory / CHECKPOINT
    if not path.is_file() or not is_finished(directory):
        raise InputError(f"{directory}: holds no finished run with a checkpoint (train it with --keep-checkpoint)")
    if configuration.schedule != "constant":
        raise InputError(f"{directory}: cannot be continued with the schedule {configuration.schedule}, only constant")
    if (done := read_config(directory).get("epochs", 0)) > configuration.epochs:
        raise InputError(f"{directory}: has {done} epochs already, more than the {configuration.epochs} asked for")
    return path
