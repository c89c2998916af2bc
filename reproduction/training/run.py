"""A run while it trains: its network, its optimizer, how far it has come, and the checkpoint that it goes on from.

An epoch may be one call, so whether it diverged is looked at when it is over: losses, parameters and what the optimizer
keeps. Where something is not finite the epoch is made again from its beginning, with fewer steps, until the first one
is found that leaves something that is not. Everything is as it was before the epoch then.
"""

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import VERSION, artifacts
from ..data.dataset import Dataset, Split
from ..data.splits import Parts
from ..errors import InputError
from ..networks.backend import nd
from ..networks.batches import StepOutcomes
from ..networks.network import FlatParameters
from ..networks.optimizers import FlatOptimizer, OptimizerSettings
from .configuration import Configuration
from .loading import build_learner, build_network, configured_parts
from .run_directory import CHECKPOINT, is_finished, read_config, refuse_other_run

FORMAT = "neural programs checkpoint 1"
LOSS, PARAMETERS, SCORES = "the loss", "the parameters", "the scores"
LARGEST_CAPACITY = 2**24  # of anything in a batch


class Checkpoint(NamedTuple):
    """Arrays by name, and everything else as JSON."""

    arrays: dict[str, np.ndarray]
    row: dict[str, Any]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """One file: a line of JSON with the digest of the rest, and the arrays."""
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {"row": np.array(json.dumps(checkpoint.row)), **checkpoint.arrays}
    np.savez(buffer, **arrays)
    content = buffer.getvalue()
    artifacts.write_bytes(path, _head(content) + b"\n" + content)


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file; a damaged or foreign one is refused."""
    head, _, content = artifacts.read_bytes(path).partition(b"\n")
    if head != _head(content):
        if not head.startswith(_head(b"")[:40]):
            raise InputError(f"{path}: not a checkpoint of this program (remove it to start again)")
        raise InputError(f"{path}: damaged, its content does not have the stored SHA-256 (remove it to start again)")
    try:
        arrays = _arrays(content)
        return Checkpoint(arrays, json.loads(str(arrays.pop("row"))))  # our own words: a score may be minus infinity
    except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise _unusable(path) from error


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    """The arrays of an uncompressed archive, each as long as its part of the archive says."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_STORED:
                raise ValueError("compressed")
            with archive.open(entry) as file:
                np.lib.format.read_magic(file)
                shape, _, kind = np.lib.format.read_array_header_1_0(file)
                if file.tell() + math.prod(shape) * kind.itemsize != entry.file_size:
                    raise ValueError("too long or too short")
    with np.load(io.BytesIO(content), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _head(content: bytes) -> bytes:
    return json.dumps({"format": FORMAT, "sha256": artifacts.checksum(content)}).encode()


def _unusable(path: Path) -> InputError:
    return InputError(f"{path}: its content is not that of a checkpoint (remove it to start again)")


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
        try:
            refuse_other_run(path, {**row["run"], **asked}, self.identity)
            own = {"parameters": self.model.flat.data, "best": self.model.flat.data, **self.optimizer.arrays()}
            if _shapes(own) != _shapes(arrays):
                raise _unusable(path)
            self.progress = Progress(**row["progress"])
            if row["capacity"] is not None:
                self.learner.capacity = _capacity(row["capacity"])
            self.optimizer.restore(arrays, int(row["steps"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _unusable(path) from error
        self.model.flat.data[:] = nd.array(arrays["parameters"])
        self.best = arrays["best"]


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


def _shapes(arrays: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: array.shape for name, array in arrays.items()}


def _capacity(stored: list) -> list:
    """What a learner kept of its batches; sizes that no batch can have are refused."""
    for number in np.concatenate([np.ravel(each) for each in stored]):
        if not 0 <= number <= LARGEST_CAPACITY:
            raise ValueError("a size that no batch can have")
    return stored


@dataclass(frozen=True)
class Divergence:
    """What was not finite, and when: the steps of an epoch count from 1; the scores belong to no batch."""

    what: str
    epoch: int
    step: int
    steps: int
    examples: tuple[str, ...]  # ids of the batch; a number stands for one that is encoded and decoded


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
