"""The commands: `add_NAME(parser)` declares options, `NAME(arguments)` runs. Here is what several of them share."""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import tqdm.std

from .. import artifacts
from ..errors import InputError, place, whole_number
from ..training.configuration import LARGEST_SEED

SEEDS, ONE_SEED = whole_number(1, 9999), whole_number(0, 9998)

tqdm.std.time = time.monotonic  # bars and what they expect do not go back when the clock does
OPTIONS: dict[str, dict[str, Any]] = {
    "data": {"type": place, "metavar": "DIR", "help": "the data set (default: the workspace's runs/data)"},
    "runs": {"type": place, "metavar": "DIR", "help": "where experiments/ is"},
    "seed": {"type": whole_number(0, LARGEST_SEED), "metavar": "N", "default": 0, "help": "(default: 0)"},
    "seeds": {"type": SEEDS, "metavar": "N"},
    "split-seeds": {"type": SEEDS, "metavar": "N", "default": 5, "help": "how many splits of each kind (default: 5)"},
    "workers": {"type": whole_number(1, 256), "metavar": "N", "default": 2, "help": "Sympy processes (default: 2)"},
    "run": {
        "dest": "network",
        "type": place,
        "metavar": "RUN",
        "help": "a directory that `train` made, or a committed network by its name, as rnn (default: the best one)",
    },
    "replace": {"action": "store_true", "help": "also where a finished data set lies: it is made anew"},
    "json": {"action": "store_true", "help": "one JSON object a line"},
}


def seeds(text: str) -> tuple[int, ...]:
    """argparse type: `5` for the seeds 0 to 4, `5-9` for these seeds."""
    first, is_range, last = text.partition("-")
    if not is_range:
        return tuple(range(SEEDS(text)))
    found = range(ONE_SEED(first), ONE_SEED(last) + 1)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r}: the second seed is smaller than the first")
    return tuple(found)


def add_options(parser, *names: str, **changes) -> None:
    """The shared options of these names; changes are to what argparse is told of each."""
    places = {"data": artifacts.DATA, "runs": artifacts.RUNS}
    for name in names:
        place = {"default": places[name]} if name in places else {}
        parser.add_argument(f"--{name}", **{**OPTIONS[name], **place, **changes})


def check_writable(*directories: Path) -> None:
    """Refuses directories that cannot be made or written into, before the work is done."""
    for directory in directories:
        place = artifacts.resolved(directory)
        existing = next(each for each in (place, *place.parents) if each.exists() or each.is_symlink())
        if not existing.is_dir():
            raise InputError(f"{existing}: this is not a directory")
        try:
            tempfile.TemporaryFile(dir=existing).close()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(directory)) from None


def check_files(*paths: Path) -> None:
    """Refuses places where no files can be written, before the work is done."""
    check_writable(*(artifacts.written_place(path).parent for path in paths))


def refuse_other_data(data: Path, remedy: str) -> None:
    """Results on data from elsewhere must not come beside those on the workspace's own."""
    if artifacts.resolved(data) != artifacts.resolved(artifacts.DATA):
        remedy += "name the directory of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {remedy}")


def sympy_answers() -> Path:
    """Where Sympy's answers are kept."""
    return artifacts.CACHE / "sympy.sqlite"
