"""The directory of a run: where it lies, when it is finished, whose it is, and what its files say.

Nothing else knows these; MXNet is not needed to read a run.
"""

import json
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .. import artifacts, shapes
from ..artifacts import LOCK, owned
from ..data.dataset import DEEPER, LEARNED_DEPTHS, split_name
from ..data.manifest import Manifest, read_manifest
from ..errors import InputError
from ..measures import ACCURACY, EVALUATION_ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, Measure, depth_measure
from .configuration import Configuration, read_configuration

CONFIG, RESULTS, HISTORY, PREDICTIONS, DEEP = (
    "config.json", "results.json", "history.jsonl", "predictions.jsonl.gz", "deep.json",
)  # fmt: skip
CHECKPOINT = "checkpoint.npz"  # until the run is finished, and beyond for one that is to be continued
PARAMETERS, CHECKSUM = "best.params", "best.params.sha256"  # results are kept where parameters may be gone
TRAININGS = "trainings"  # the directory of all runs that are rows, beside these

_DEFAULTS = {field.name: field.default for field in fields(Configuration) if field.default is not MISSING}


def is_finished(directory: Path) -> bool:
    """Whether the run in the directory is finished: its results are written last."""
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
    """The content of config.json: settings, the data's fingerprint, the vocabulary."""
    path = directory / CONFIG
    config = shapes.read(dict, path)
    shapes.shaped(_Origin, config, path)
    return config


def write_results(directory: Path, config: dict, results: dict) -> None:
    """Writes results.json: the results, the digest of config.json, and the checksums of the other files."""
    paths = [directory / name for name in (HISTORY, PREDICTIONS, PARAMETERS)]
    files = {path.name: artifacts.checksum(path.read_bytes()) for path in paths if path.is_file()}
    artifacts.write_sealed(directory / RESULTS, {"run": artifacts.seal_of(config), **results, "files": files})


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


# ------------------------------------------------------------------------------------------------ what files say


class DepthScore(NamedTuple):
    """Scores of the equations of one depth."""

    accuracy: float
    count: int  # type: ignore[assignment]  # a tuple has a method of this name


class Verification(NamedTuple):
    """Scores of verified equations, as shares from 0 to 1."""

    accuracy: float
    precision: float
    recall: float
    by_depth: dict[int, DepthScore]


class Evaluations(NamedTuple):
    """Scores of decoded numbers."""

    mse: float | None
    mse_all: float | None
    accuracy: float
    count_all: int


class Scores(NamedTuple):
    """A part of the data, dev or test, at one epoch."""

    symbolic: Verification
    evaluations: Evaluations | None = None
    numeric: Verification | None = None  # numeric equations that are verified like symbolic ones
    together: Verification | None = None  # symbolic and numeric ones
    epoch: int | None = None

    @property
    def measures(self) -> dict[Measure, float]:
        """Every score there is; accuracies in per cent."""
        symbolic, evaluations = self.symbolic, self.evaluations
        shares = {ACCURACY: symbolic.accuracy, PRECISION: symbolic.precision, RECALL: symbolic.recall}
        shares |= {depth_measure(depth): score.accuracy for depth, score in symbolic.by_depth.items()}
        errors = {}
        if evaluations:
            shares[EVALUATION_ACCURACY] = evaluations.accuracy
            errors = {MSE: evaluations.mse, MSE_ALL: evaluations.mse_all}
        per_cent = {measure: 100 * share for measure, share in shares.items()}
        return per_cent | {measure: error for measure, error in errors.items() if error is not None}


class Results(NamedTuple):
    """The content of results.json, with the digest of the run and the SHA-256 of its other files."""

    dev: Scores
    test: Scores
    best_on_test: Scores | None
    best_epoch: int
    diverged: int | None  # the epoch in which something stopped being finite
    train_seconds: float
    seconds_to: dict[int, float | None]  # by per cent of dev accuracy
    equations_per_second: float | None
    parameters: int
    peak_memory_mb: float
    engine: str | None = None  # that computed the network
    instead_of_fused: str | None = None  # why it was not the fused one
    compiler: str | None = None  # of the fused operators
    run: str = ""
    files: dict[str, str] = {}  # noqa: RUF012


class Deep(NamedTuple):
    """The content of deep.json: scores on equations that are deeper than any the run learned from."""

    run: str
    data_fingerprint: str
    by_depth: dict[int, DepthScore]


class Epoch(NamedTuple):
    """A line of history.jsonl, as far as it is read again."""

    epoch: int
    loss: float
    dev_accuracy: float
    test_accuracy: float | None = None
    squared_error: float | None = None


class Prediction(NamedTuple):
    """A line of predictions.jsonl.gz, at the epoch that dev chose: verified records have a probability."""

    part: str
    id: str
    probability: float | None = None
    decoded: float | None = None


def describe(divergence: dict) -> str:
    """`the loss stopped being finite in epoch 2, step 3 of 4 (batch: s0, s1)`."""
    place, examples = f"epoch {divergence['epoch']}", divergence["examples"]
    if examples:
        batch = f"{', '.join(examples[:8])}{', …' if len(examples) > 8 else ''}"
        place += f", step {divergence['step']} of {divergence['steps']} (batch: {batch})"
    return f"{divergence['what']} stopped being finite in {place}"


@dataclass(frozen=True)
class FinishedRun:
    """A finished run: its configuration, its results, and the directory with its other files."""

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
        """The epochs in order."""
        path = self.directory / HISTORY
        return tuple(shapes.read_rows(Epoch, artifacts.lines_of(self.content(HISTORY), path), path))

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """The predictions for dev and test; none where they were not kept."""
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
        """The content of deep.json; None if there is no such file."""
        path = self.directory / DEEP
        if not artifacts.is_there(path):
            return None
        deep = shapes.read(Deep, path, sealed=True)
        self.refuse_other(path, deep.run)
        return deep

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
    if results.run != artifacts.seal_of(config):
        raise InputError(f"{path}: of another run than the {CONFIG} beside it, or one of them was changed")
    return FinishedRun(directory, config, configuration, results)


def trained_run(directory: Path) -> FinishedRun:
    """The finished run in a directory that a person named."""
    for needed in (CONFIG, RESULTS, CHECKSUM):
        if not artifacts.is_there(directory / needed):
            raise InputError(f"{directory}: not a finished run, {needed} is missing (make one with `train`)")
    return read_run(directory)


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
    """The directory of a training: a name for people, and a digest of all that decides its results."""
    stated = {**configuration.as_row(), "data_fingerprint": fingerprint}
    digest = artifacts.fingerprint(json.dumps(stated, sort_keys=True).encode())[:10]
    return Path(runs) / TRAININGS / f"{configuration.run_name}-{digest}"


@dataclass(frozen=True)
class Training:
    """A training: its name for people, the directory of its run, its configuration and its data."""

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
