"""The directory of a run: where it lies, when it is finished, whose it is, and what its files say.

Nothing else knows these; MXNet is not needed to read a run.
"""

import io
import json
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from .. import artifacts, shapes
from ..artifacts import LOCK, owned
from ..data.dataset import DEEPER, LEARNED_DEPTHS, split_name
from ..data.manifest import Manifest, read_manifest
from ..errors import InputError
from ..measures import ACCURACY, MSE
from .configuration import Configuration, read_configuration
from .scoring import Deep, Epoch, Prediction, Results

CONFIG, RESULTS, HISTORY, PREDICTIONS, DEEP = (
    "config.json", "results.json", "history.jsonl", "predictions.jsonl.gz", "deep.json",
)  # fmt: skip
CHECKPOINT = "checkpoint.npz"  # until the run is finished, and beyond for one that is to be continued
PARAMETERS, CHECKSUM = "best.params", "best.params.sha256"  # results are kept where parameters may be gone
FORMAT = "neural programs checkpoint 1"
NO_CHECKPOINT = "damaged, or not a checkpoint of this program (remove it to start again)"
TRAININGS = "trainings"  # the directory of all runs that are rows, beside these

_DEFAULTS = {field.name: field.default for field in fields(Configuration) if field.default is not MISSING}


def is_finished(directory: Path) -> bool:
    """Whether the run in the directory came to its end: its results are written last."""
    return artifacts.is_there(directory / RESULTS)


def remove_remains(directory: Path) -> None:
    """Removes what is left of a finished run whose process was killed after its last file."""
    if (directory / CHECKPOINT).exists() or (directory / LOCK).exists():
        with owned(directory):
            (directory / CHECKPOINT).unlink(missing_ok=True)


class _Origin(NamedTuple):
    """What config.json says beside the settings: the code, the data and the split of the run."""

    version: str
    data_fingerprint: str
    split_checksum: str


def read_config(directory: Path) -> dict:
    """What the run in the directory was made with: settings, the data's fingerprint, the vocabulary."""
    path = directory / CONFIG
    config = shapes.read(dict, path)
    shapes.shaped(_Origin, config, path)
    return config


def run_digest(config: dict) -> str:
    """A short name for a run, from all that its config.json says; every file of the run has it."""
    return artifacts.seal_of(config)


def write_results(directory: Path, config: dict, results: dict) -> None:
    """Writes results.json: the results, the run that they are of, and the checksums of its other files."""
    paths = [directory / name for name in (HISTORY, PREDICTIONS, PARAMETERS)]
    files = {path.name: artifacts.checksum(path.read_bytes()) for path in paths if path.is_file()}
    artifacts.write_sealed(directory / RESULTS, {"run": run_digest(config), **results, "files": files})


def other_setting(stored: dict, wanted: dict) -> str | None:
    """`hidden 50, not 60`: the first setting in which a stored run differs from the wanted one; None if none does.

    A setting that is younger than the stored run had its default then.
    """
    for name, value in wanted.items():
        made_with = stored.get(name, _DEFAULTS.get(name))
        if made_with != value:
            return f"{name.replace('_', ' ')} {made_with!r}, not {value!r}"
    return None


def refuse_other_run(path: Path, stored: dict, wanted: dict) -> None:
    """Refuses a directory or file that was made with another configuration."""
    if other := other_setting(stored, wanted):
        raise InputError(f"{path}: made with {other} (take another directory, or remove this one to start again)")


@dataclass(frozen=True)
class FinishedRun:
    """One trained model: what was asked for, what came out, and the directory with the rest."""

    directory: Path
    config: dict
    configuration: Configuration
    results: Results

    @property
    def model(self) -> str:
        return self.configuration.model

    @property
    def split(self) -> str:
        return self.configuration.split

    @property
    def seed(self) -> int:
        return self.configuration.seed

    @property
    def data_fingerprint(self) -> str:
        return self.config["data_fingerprint"]

    @property
    def split_checksum(self) -> str:
        return self.config["split_checksum"]

    def content(self, name: str) -> bytes:
        """The content of a file of the run, if it is the one that the results name."""
        path = self.directory / name
        content = artifacts.read_bytes(path)
        if artifacts.checksum(content) != self.results.files.get(name):
            raise InputError(f"{path}: damaged or of another run, it is not the file that {RESULTS} names")
        return content

    @cached_property
    def history(self) -> tuple[Epoch, ...]:
        """One an epoch."""
        path = self.directory / HISTORY
        return tuple(shapes.read_rows(Epoch, artifacts.lines_of(self.content(HISTORY), path), path))

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """One a dev or test record; none where they were not kept."""
        path = self.directory / PREDICTIONS
        if not artifacts.is_there(path):
            return ()
        return tuple(shapes.read_rows(Prediction, artifacts.lines_of_gz(self.content(PREDICTIONS), path), path))

    def refuse_other(self, path: Path, stated: str) -> None:
        """Refuses a file that states that it is of another run."""
        if stated != self.results.run:
            raise InputError(f"{path}: of another run than the {RESULTS} beside it (remove it to make it again)")

    @cached_property
    def stored_deep(self) -> Deep | None:
        """What deep.json says; None if that was not measured."""
        path = self.directory / DEEP
        if not artifacts.is_there(path):
            return None
        deep = shapes.read(Deep, path, sealed=True)
        self.refuse_other(path, deep.run)
        return deep

    def epochs_to(self, per_cent: float) -> int | None:
        """The first epoch that reaches this accuracy on dev."""
        return next((epoch.epoch for epoch in self.history if 100 * epoch.dev_accuracy >= per_cent), None)

    @property
    def summary(self) -> str:
        """`test 97.12 %, MSE 0.034, best epoch 88 of 100, 132 s`."""
        measures, results = self.results.test.measures, self.results
        parts = [f"test {ACCURACY.text(measures[ACCURACY])}"]
        parts += [f"MSE {MSE.text(measures[MSE])}"] if MSE in measures else []
        parts += [f"best epoch {results.best_epoch} of {self.configuration.epochs}"]
        parts += [f"diverged in epoch {results.diverged}"] if results.diverged else []
        return ", ".join([*parts, f"{results.train_seconds:.0f} s"])


def read_run(directory: Path) -> FinishedRun:
    """The finished run in a directory; results of another run than that of config.json are refused."""
    config, path = read_config(directory), directory / RESULTS
    configuration = read_configuration(config, str(directory / CONFIG))
    results = shapes.read(Results, path, sealed=True)
    if results.run != run_digest(config):
        raise InputError(f"{path}: of another run than the {CONFIG} beside it, or one of them was changed")
    return FinishedRun(directory, config, configuration, results)


def trained_run(directory: Path) -> FinishedRun:
    """The finished run in a directory that a person named."""
    for needed in (CONFIG, RESULTS, CHECKSUM):
        if not artifacts.is_there(directory / needed):
            raise InputError(f"{directory}: not a finished run, {needed} is missing (make one with `train`)")
    return read_run(directory)


# ------------------------------------------------------------------------------------------------ checkpoints


def write_checkpoint(path: Path, arrays: dict[str, Any], row: dict) -> None:
    """One file: a line of JSON with the digest of the rest, and the arrays, with the row as JSON."""
    buffer = io.BytesIO()
    np.savez(buffer, **{"row": np.array(json.dumps(row)), **arrays})
    content = buffer.getvalue()
    artifacts.write_bytes(path, _head(content) + b"\n" + content)


def read_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and the row of a checkpoint; a damaged or foreign one is refused."""
    head, _, content = artifacts.read_bytes(path).partition(b"\n")
    try:
        if head != _head(content) or any(each.compress_type for each in ZipFile(io.BytesIO(content)).infolist()):
            raise ValueError
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays: dict[str, np.ndarray] = dict(stored)
        return arrays, json.loads(str(arrays.pop("row")))  # our own words: a score may be minus infinity
    except (BadZipFile, EOFError, KeyError, MemoryError, ValueError):
        raise InputError(f"{path}: {NO_CHECKPOINT}") from None


def _head(content: bytes) -> bytes:
    return json.dumps({"format": FORMAT, "sha256": artifacts.checksum(content)}).encode()


def shorter_run(configuration: Configuration, directory: Path) -> Path:
    """The checkpoint of a finished run that this one continues; refused where it cannot be continued."""
    path = directory / CHECKPOINT
    if not path.is_file() or not is_finished(directory):
        raise InputError(f"{directory}: holds no finished run with a checkpoint (train it with --keep-checkpoint)")
    if configuration.schedule != "constant":
        raise InputError(f"{directory}: cannot be continued with the schedule {configuration.schedule}, only constant")
    if (done := read_config(directory).get("epochs", 0)) > configuration.epochs:
        raise InputError(f"{directory}: has {done} epochs already, more than the {configuration.epochs} asked for")
    return path


# ------------------------------------------------------------------------------------------------ trainings


def data_at(directory: Path) -> Manifest:
    """The data set in a directory, without reading its equations; one with a missing or damaged file is refused."""
    manifest = read_manifest(artifacts.resolved(directory))
    manifest.check()
    return manifest


def split_of(data: Manifest, split: str, seed: int) -> str:
    """The SHA-256 of a split; one that the data set does not have is refused."""
    if checksum := data.files.get(split_name(split, seed)):
        return checksum
    if split == DEEPER and split_name(split, 0) not in data.files:
        raise InputError(f"{data.directory}: has no split {split}, which needs equations deeper than {LEARNED_DEPTHS}")
    raise InputError(
        f"{data.directory}: has no split {split} for seed {seed}; `python -m reproduction "
        f"generate --keep --out {data.directory} --split-seeds {seed + 1}` makes more of them"
    )


def training_directory(runs: Path, configuration: Configuration, fingerprint: str) -> Path:
    """Where a training lies: a name for people, and a digest of all that decides its results."""
    stated = {**configuration.as_row(), "data_fingerprint": fingerprint}
    digest = artifacts.fingerprint(json.dumps(stated, sort_keys=True).encode())[:10]
    return Path(runs) / TRAININGS / f"{configuration.run_name}-{digest}"


@dataclass(frozen=True)
class Training:
    """One training: its name for people, the directory of its run, and what it learns from what."""

    name: str
    directory: Path
    configuration: Configuration
    data: Manifest
    earlier: Path | None = None  # the directory of the same training with fewer epochs, which this one may continue
    is_continued: bool = False  # whether a longer one may continue it

    @property
    def is_recorded(self) -> bool:
        """Whether its directory holds the results of this very configuration on this very data; others are refused."""
        if not is_finished(self.directory):
            return False
        asked = self.configuration
        wanted = {"data_fingerprint": self.data.fingerprint, **asked.as_row()}
        wanted["split_checksum"] = split_of(self.data, asked.split, asked.seed)
        if other := other_setting(read_run(self.directory).config, wanted):
            raise InputError(f"{self.directory}: holds a finished run with {other}; remove it to train again")
        return True
