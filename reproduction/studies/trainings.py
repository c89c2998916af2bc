"""Trainings as values: what each is to do and where it lies, whether it is recorded already, and how it is done."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .. import artifacts, endings, extensions
from ..data import dataset
from ..data.dataset import split_name
from ..data.manifest import read_manifest
from ..data.splits import stored_split
from ..errors import InputError
from ..locks import owned
from ..training.configuration import Configuration
from ..training.run_directory import CHECKPOINT, is_finished, other_setting, read_run

TRAININGS = "trainings"  # the directory of all trainings, beside the rows


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
    def request(self) -> str:
        """All of it as text, for the process that trains."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def requested(cls, request: str) -> "Training":
        """The training that `request` states."""
        stated: dict[str, Any] = json.loads(request)
        directory, fingerprint, files = stated["data"]
        return cls(
            stated["name"],
            Path(stated["directory"]),
            Configuration(**stated["configuration"]),
            Data(Path(directory), fingerprint, tuple((name, checksum) for name, checksum in files)),
            stated["earlier"] and Path(stated["earlier"]),
            stated["is_continued"],
        )

    @property
    def other_setting(self) -> str | None:
        """What its directory was finished with instead, in words; None without results or with this training's own."""
        if not is_finished(self.directory):
            return None
        configuration, data = self.configuration, self.data
        origin = {
            "data_fingerprint": data.fingerprint,
            "split_checksum": data.split_checksum(configuration.split, configuration.seed),
        }
        return other_setting(read_run(self.directory).config, {**origin, **configuration.as_row()})

    @property
    def is_recorded(self) -> bool:
        """Whether its directory holds the results of this very configuration on this very data; others are refused."""
        if other := self.other_setting:
            raise InputError(f"{self.directory}: holds a finished run with {other}; remove it to train again")
        return is_finished(self.directory)

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

    def forget_checkpoint(self) -> None:
        """Removes what no longer training needs; a record stays a record."""
        if is_finished(self.directory):
            (self.directory / CHECKPOINT).unlink(missing_ok=True)


def training_directory(runs: Path, configuration: Configuration, fingerprint: str) -> Path:
    """Where a training lies: a name for people, and a digest of all that decides its results."""
    stated = {**configuration.as_row(), "data_fingerprint": fingerprint}
    digest = artifacts.fingerprint(json.dumps(stated, sort_keys=True).encode())[:10]
    return Path(runs) / TRAININGS / f"{configuration.run_name}-{digest}"


def training(
    runs: Path, configuration: Configuration, data: Data, words: str = "", earlier: Configuration | None = None,
    is_continued: bool = False,
) -> Training:  # fmt: skip
    """The training of a configuration in the directory of its name; the words say more to people."""
    directory = artifacts.resolved(training_directory(runs, configuration, data.fingerprint))
    before = artifacts.resolved(training_directory(runs, earlier, data.fingerprint)) if earlier else None
    name = configuration.run_name
    return Training(f"{name} ({words})" if words else name, directory, configuration, data, before, is_continued)


def main(request: str) -> int:
    """The life of a process that trains: the exit code."""
    extensions.load()
    return endings.ended(lambda: Training.requested(request).run())
