"""Trainings as values: what each is to do, where its record lies, and what the record says.

A record is config.json, history.jsonl and results.json in the directory of a trial; `train` writes results.json last.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..errors import InputError
from ..training.configuration import Configuration


class Data(NamedTuple):
    """A data set that trainings read: its directory and what is in it, as a fingerprint."""

    directory: Path
    fingerprint: str


def data_at(directory: Path, split_seeds: Iterator[tuple[str, int]] = ()) -> Data:
    """The data set in a directory, without reading its equations; the splits of these names and seeds must be there."""
    directory = Path(directory).resolve()
    paths = [directory / "symbolic.jsonl.gz", directory / "numeric.jsonl.gz"]
    for path in paths:
        if not path.is_file():
            raise InputError(f"{directory}: not a data set, {path.name} is missing (make one with `generate`)")
    for split, seed in split_seeds:
        if not (directory / "splits" / f"{split}-{seed}.json").is_file():
            raise InputError(
                f"{directory}: has no split {split} for seed {seed}; "
                f"`python -m reproduction generate --split-seeds {seed + 1}` makes the splits of more seeds"
            )
    return Data(directory, artifacts.fingerprint(*(path.read_bytes() for path in paths)))


@dataclass(frozen=True)
class Trial:
    """One training: its name, the directory of its record, and what it learns from what."""

    name: str
    directory: Path
    configuration: Configuration
    data: Data

    @property
    def words(self) -> tuple[str, ...]:
        """The command that trains it; every setting is stated, so that no default has to agree."""
        settings = {**self.configuration.as_row(), "data": self.data.directory, "out": self.directory}
        options = ((f"--{name.replace('_', '-')}", str(value)) for name, value in settings.items())
        return ("train", *(word for option in options for word in option))

    @property
    def foreign_setting(self) -> str | None:
        """What its directory was finished with instead, in words; None without results or with this trial's own."""
        if not (self.directory / "results.json").is_file():
            return None
        wanted = {**self.configuration.as_row(), "data_fingerprint": self.data.fingerprint}
        stored = artifacts.read_json(self.directory / "config.json")
        for name, value in wanted.items():
            if stored.get(name) != value:
                return f"{name.replace('_', ' ')} {stored.get(name)} instead of {value}"
        return None

    @property
    def is_recorded(self) -> bool:
        """Whether its directory holds the results of this very configuration on this very data."""
        return (self.directory / "results.json").is_file() and self.foreign_setting is None


def hashed_trial(root: Path, configuration: Configuration, data: Data, description: str) -> Trial:
    """A trial in a directory that is named after all that decides its results; the description is for people."""
    stated = json.dumps({**configuration.as_row(), "data_fingerprint": data.fingerprint}, sort_keys=True)
    name = artifacts.fingerprint(stated.encode("utf-8"))[:12]
    return Trial(f"{name} ({description})", Path(root).resolve() / name, configuration, data)


class Record:
    """What a finished trial left behind; accuracies in per cent."""

    def __init__(self, trial: Trial):
        self.trial = trial
        self.results: dict = artifacts.read_json(trial.directory / "results.json")

    @cached_property
    def history(self) -> tuple[dict, ...]:
        """One row an epoch."""
        path = self.trial.directory / "history.jsonl"
        return tuple(map(json.loads, artifacts.read_text(path).splitlines())) if path.is_file() else ()

    @property
    def diverged(self) -> int | None:
        """The epoch in which the loss stopped being a number."""
        return self.results["diverged"]

    @property
    def dev_accuracy(self) -> float:
        """Of the best epoch on dev; of one that diverged before the first epoch's end, that of its first weights."""
        return 100 * self.results["dev"]["symbolic"]["accuracy"]

    @property
    def test_accuracy(self) -> float:
        return 100 * self.results["test"]["symbolic"]["accuracy"]

    @property
    def mse(self) -> float | None:
        return (self.results["test"].get("evaluations") or {}).get("mse")

    @property
    def seconds(self) -> float:
        return self.results["train_seconds"]

    def epochs_to(self, per_cent: float) -> int | None:
        """The first epoch that reaches this accuracy on dev."""
        return next((row["epoch"] for row in self.history if 100 * row["dev_accuracy"] >= per_cent), None)

    @property
    def summary(self) -> str:
        """`test 97.12 %, MSE 0.034, best epoch 88 of 100, 132 s`."""
        parts = [f"test {self.test_accuracy:.2f} %"]
        parts += [f"MSE {self.mse:.3f}"] if self.mse is not None else []
        parts += [f"best epoch {self.results['best_epoch']} of {self.trial.configuration.epochs}"]
        parts += [f"diverged in epoch {self.diverged}"] if self.diverged else []
        return ", ".join([*parts, f"{self.seconds:.0f} s"])
