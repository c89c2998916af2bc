"""Trainings as values: what each is to do, where it lies, whether it is recorded, how it is done, and its row."""

import hashlib
import json
import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .. import artifacts, endings, extensions
from ..completion.store import read_completion, read_examples
from ..data import dataset
from ..data.dataset import SYMBOLIC, split_name
from ..data.manifest import read_manifest
from ..data.splits import stored_split
from ..errors import InputError
from ..locks import owned
from ..models import MODELS
from ..rows import BEST_ON_TEST, DEV, FINGERPRINT, Row, read_rows, rows_file
from ..rows import CHECKSUM as SPLIT_CHECKSUM
from ..training.configuration import Configuration, make_configuration
from ..training.records import Scores
from ..training.run_directory import CHECKPOINT, FinishedRun, is_finished, other_setting, read_run
from .core import Case

TRAININGS = "trainings"  # the directory of all trainings, beside the rows
DECIDING = ("language", "data", "networks", "training")  # the rooms whose code decides what a training gives
SOURCES = (".py", ".h", ".cc", ".txt", ".json")


@cache
def code_digest(*rooms: str) -> str:
    """A digest of the package's sources when this process first asked, or of those of some rooms."""
    digest, package = hashlib.sha256(), artifacts.ROOT / "reproduction"
    places = [package / room for room in rooms] or [package]
    for path in sorted(path for place in places for path in place.rglob("*") if path.suffix in SOURCES):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


class Data(NamedTuple):
    """A data set that trainings read: its directory, what is in it as a fingerprint, and its files with checksums."""

    directory: Path
    fingerprint: str
    files: tuple[tuple[str, str], ...] = ()

    def split_checksum(self, name: str, seed: int) -> str:
        """The SHA-256 of a split; nothing if there is no such split."""
        return dict(self.files).get(split_name(name, seed), "")

    def refuse_missing(self, split: str, seed: int) -> None:
        if not self.split_checksum(split, seed):
            raise InputError(
                f"{self.directory}: has no split {split} for seed {seed}; `python -m reproduction "
                f"generate --keep --out {self.directory} --split-seeds {seed + 1}` makes more of them"
            )


def data_at(directory: Path, split_seeds: Iterable[tuple[str, int]] = ()) -> Data:
    """The data set in a directory, without reading its equations; the splits of these names and seeds must be there."""
    directory = artifacts.resolved(directory)
    manifest = read_manifest(directory)
    manifest.check()
    data = Data(directory, manifest.fingerprint, tuple(manifest.files.items()))
    for split, seed in split_seeds:
        data.refuse_missing(split, seed)
    return data


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
    data: Data
    earlier: Path | None = None  # the directory of the same training with fewer epochs, which this one may continue
    is_continued: bool = False  # whether a longer one may continue it

    @property
    def is_recorded(self) -> bool:
        """Whether its directory holds the results of this very configuration on this very data; others are refused."""
        if not is_finished(self.directory):
            return False
        asked = self.configuration
        checksum = self.data.split_checksum(asked.split, asked.seed)
        origin = {"data_fingerprint": self.data.fingerprint, "split_checksum": checksum}
        if other := other_setting(read_run(self.directory).config, {**origin, **asked.as_row()}):
            raise InputError(f"{self.directory}: holds a finished run with {other}; remove it to train again")
        return True

    def run(self, tensorboard: bool = False, needs_earlier: bool = False) -> None:
        """Trains as the only one in the directory, from where it was stopped.

        Where the checkpoint of the shorter training is gone, it begins anew unless it needs that one.
        """
        from ..networks.backend import context
        from ..training.loop import train  # MXNet takes two seconds to import

        asked, place = self.configuration, self.data.directory
        with owned(self.directory):
            if self.is_recorded:  # by the process that was waited for
                return
            context(asked.device)
            records = dataset.load(place)
            split = stored_split(records, place, asked.split, asked.seed)
            is_there = self.earlier is not None and (self.earlier / CHECKPOINT).is_file()
            if self.earlier and needs_earlier and not is_there:
                raise InputError(f"{self.earlier}: holds no run with a checkpoint (train it with --keep-checkpoint)")
            earlier = self.earlier if is_there else None
            train(asked, records, split, self.directory, tensorboard, earlier, self.is_continued)


def main(request: bytes) -> int:
    """The life of a process that does a pickled training: the exit code."""
    extensions.load()
    return endings.ended(lambda: pickle.loads(request).run())


# ------------------------------------------------------------------------------------------------ a row


def row_of(run: FinishedRun, study: str, case: Case) -> Row:
    """All that is known of a finished training, flat."""
    results, head = run.results, case.head(study)
    best = results.best_on_test
    found = {
        **case.settings(),
        "best_epoch": results.best_epoch,
        "diverged": results.diverged,
        "parameters": results.parameters,
        **_measures(results.test, ""),
        **_numeric_equations(run),
        **_sizes(results.test),
        **_measures(results.dev, DEV),
        **({f"{BEST_ON_TEST}epoch": best.epoch, **_measures(best, BEST_ON_TEST)} if best else {}),
        **scored_later(run),
        "train_seconds": results.train_seconds,
        **{f"seconds_to_{goal}": results.seconds_to.get(goal) for goal in (90, 95, 97)},  # per cent on dev
        "equations_per_second": results.equations_per_second,
        "peak_memory_mb": results.peak_memory_mb,
        "engine": results.engine,
        "instead_of_fused": results.instead_of_fused,
        "compiler": results.compiler,
        "version": run.config.get("version"),
        "code": code_digest(*DECIDING),
        FINGERPRINT: run.data_fingerprint,
        SPLIT_CHECKSUM: run.split_checksum,
    }
    return {**head, **{name: value for name, value in found.items() if value is not None and name not in head}}


def _measures(scores: Scores, prefix: str) -> Row:
    return {f"{prefix}{measure.name}": value for measure, value in scores.measures.items()}


def _sizes(test: Scores) -> Row:
    """How many equations the test set has."""
    by_depth = {f"count_depth_{depth}": score.count for depth, score in test.symbolic.by_depth.items()}
    numeric = {"count_mse_all": test.evaluations.count_all} if test.evaluations else {}
    return {"count": sum(by_depth.values()), **by_depth, **numeric}


def _numeric_equations(run: FinishedRun) -> Row:
    """Per cent right of the numeric equations that are verified, and of them and the symbolic test equations together.

    With an unseen depth all numeric equations are for training or dev: those of dev stand in for those of test, as the
    epoch is not chosen by how they are verified.
    """
    numeric = run.results.test.numeric or run.results.dev.numeric
    if not numeric:
        return {}
    parts = (numeric, run.results.test.symbolic)
    counts = [sum(depth.count for depth in part.by_depth.values()) for part in parts]
    hits = sum(part.accuracy * count for part, count in zip(parts, counts, strict=True))
    return {"numeric_accuracy": 100 * numeric.accuracy, "together_accuracy": 100 * hits / sum(counts)}


def scored_later(run: FinishedRun) -> Row:
    """What other commands have scored since the training: deeper equations, and blanks."""
    row: Row = {}
    if deep := run.stored_deep:
        row |= {f"deep_{depth}": value for depth, value in deep.accuracies.items()}
        row |= {f"count_deep_{depth}": score.count for depth, score in deep.by_depth.items()}
        row["deep_fingerprint"] = deep.data_fingerprint
    if completion := read_completion(run):
        row |= {measure.name: value for measure, value in completion.measures.items()}
        row["mean_reciprocal_rank"] = completion.symbolic["mean_reciprocal_rank"]
    return row


# ------------------------------------------------------------------------------------------------ details


def curves(run: FinishedRun) -> Row:
    """Dev accuracy and loss by epoch."""
    epochs = run.history
    return {"dev_curve": [each.dev_accuracy for each in epochs], "loss_curve": [each.loss for each in epochs]}


def probabilities(run: FinishedRun) -> Row:
    """The probabilities of the symbolic test equations, in the order of the split."""
    tested = [each for each in run.predictions if each.part == "test" and each.id.startswith(SYMBOLIC[0])]
    return {"probabilities": [each.probability for each in tested]}


def filled_blanks(run: FinishedRun, with_examples: bool) -> Row:
    """What filling blanks scored, in groups, and the examples that a figure shows."""
    completion, examples = read_completion(run), read_examples(run) if with_examples else None
    if not completion:
        return {}
    numeric = {"numeric": completion.numeric} if completion.numeric else {}
    row: Row = {"blanks": {"symbolic": completion.symbolic, **numeric}}
    if examples:
        kept = ("symbolic", "numeric", "evaluations", "curves")
        row["examples"] = {name: value for name, value in examples.items() if name in kept}
    return row


# ------------------------------------------------------------------------------------------------ back to trainings


def configuration_of(row: Row) -> Configuration:
    """What the training of a row was asked for; the row's engine is the one that computed."""
    named = {name: row[name] for name in Configuration.__dataclass_fields__ if name in row and name != "engine"}
    model, split, seed = (named.pop(name) for name in ("model", "split", "seed"))
    return make_configuration(model, split, seed, **named)


def trained(runs: Path, study: str) -> Iterator[tuple[Row, FinishedRun]]:
    """The rows of a study whose trainings lie on this machine, with these."""
    for row in read_rows(rows_file(runs, study)):
        if row["model"] in MODELS and "seed" in row:
            directory = training_directory(runs, configuration_of(row), row[FINGERPRINT])
            if is_finished(directory):
                yield row, read_run(directory)
