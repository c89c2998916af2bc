"""Trainings as values: what each is to do, and whether the run in its directory is the one that it asks for."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..data.dataset import split_name
from ..data.manifest import read_manifest
from ..errors import InputError
from ..training.configuration import Configuration
from ..training.run_directory import CHECKPOINT, is_finished, other_setting, read_run


class Data(NamedTuple):
    """A data set that trainings read: its directory, what is in it as a fingerprint, and its files with checksums."""

    directory: Path
    fingerprint: str
    files: tuple[tuple[str, str], ...] = ()

    def split_checksum(self, name: str, seed: int) -> str:
        """The SHA-256 of a split; nothing if there is no such split."""
        return dict(self.files).get(split_name(name, seed), "")


def data_at(directory: Path, split_seeds: Iterable[tuple[str, int]] = ()) -> Data:
    """The data set in a directory, without reading its equations; the splits of these names and seeds must be there."""
    directory = artifacts.resolved(directory)
    manifest = read_manifest(directory)
    manifest.check()
    data = Data(directory, manifest.fingerprint, tuple(manifest.files.items()))
    for split, seed in split_seeds:
        if not data.split_checksum(split, seed):
            raise InputError(
                f"{directory}: has no split {split} for seed {seed}; "
                f"`python -m reproduction splits --data {directory} --split-seeds {seed + 1}` makes those of more seeds"
            )
    return data


@dataclass(frozen=True)
class Trial:
    """One training: its name, the directory of its run, and what it learns from what."""

    name: str
    directory: Path
    configuration: Configuration
    data: Data
    earlier: Path | None = None  # the directory of the same training with fewer epochs, which this one may continue
    is_continued: bool = False  # whether a longer one may continue it

    @property
    def words(self) -> tuple[str, ...]:
        """The command that trains it; every setting is stated, so that no default has to agree."""
        settings = {**self.configuration.as_row(), "data": self.data.directory, "out": self.directory}
        stated = {name: str(value) for name, value in settings.items() if value is not None}
        options = ((f"--{name.replace('_', '-')}", value) for name, value in stated.items())
        return ("train", *(word for option in options for word in option), *self._checkpoint_words)

    @property
    def _checkpoint_words(self) -> tuple[str, ...]:
        """Where the checkpoint to begin with is gone, a training from the beginning has the same results."""
        begins = self.earlier is not None and (self.earlier / CHECKPOINT).is_file()
        kept = ("--keep-checkpoint",) if self.is_continued else ()
        return (*(("--continue-from", str(self.earlier)) if begins else ()), *kept)

    def forget_checkpoint(self) -> None:
        """What no longer training needs; a record stays a record."""
        if is_finished(self.directory):
            (self.directory / CHECKPOINT).unlink(missing_ok=True)

    @property
    def other_setting(self) -> str | None:
        """What its directory was finished with instead, in words; None without results or with this trial's own."""
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
        """Whether its directory holds the results of this very configuration on this very data."""
        return is_finished(self.directory) and self.other_setting is None
