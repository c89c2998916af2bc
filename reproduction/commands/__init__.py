"""The commands: `add_NAME(parser)` declares the options of each and what runs. Here is what several of them share."""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import tqdm.std

from .. import artifacts
from ..errors import InputError, place, whole_number
from ..training.configuration import LARGEST_SEED

MOST_SEEDS, MOST_WORKERS = 9999, 256

tqdm.std.time = time.monotonic  # bars and what they expect do not go back when the clock does
OPTIONS: dict[str, dict[str, Any]] = {
    "data": {"type": place, "metavar": "DIR", "help": "the data set (default: the workspace's runs/data)"},
    "runs": {"type": place, "metavar": "DIR", "help": "where experiments/ is"},
    "seed": {"type": whole_number(0, LARGEST_SEED), "metavar": "N", "default": 0, "help": "(default: 0)"},
    "seeds": {"type": whole_number(1, MOST_SEEDS), "metavar": "N"},
    "split-seeds": {
        "type": whole_number(1, MOST_SEEDS),
        "metavar": "N",
        "default": 5,
        "help": "how many splits of each kind to store (default: 5)",
    },
    "workers": {
        "type": whole_number(1, MOST_WORKERS),
        "metavar": "N",
        "default": 2,
        "help": "Sympy processes (default: 2)",
    },
    "run": {
        "dest": "network",
        "type": place,
        "metavar": "RUN",
        "help": "a directory that `train` made, or a committed network by its name, as rnn (default: the best one)",
    },
    "replace": {"action": "store_true", "help": "also where a finished data set lies: it is made anew"},
    "json": {"action": "store_true", "help": "one JSON object a line"},
}


def add_options(parser, *names: str, **changes) -> None:
    """The shared options of these names; changes are to what argparse is told of each."""
    places = {"data": artifacts.DATA, "runs": artifacts.RUNS}
    for name in names:
        place = {"default": places[name]} if name in places else {}
        parser.add_argument(f"--{name}", **{**OPTIONS[name], **place, **changes})


def check_writable(*directories: Path) -> None:
    """Tries whether directories, or those that they will be made in, can be written: known before the work is done."""
    for directory in directories:
        existing = refuse_file(directory)
        try:
            tempfile.TemporaryFile(dir=existing).close()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(directory)) from None


def check_files(*paths: Path) -> None:
    """Tries whether files can be written at these places: known before the work is done."""
    for path in paths:
        check_writable(path.parent, artifacts.written_place(path).parent)


def refuse_file(out: Path) -> Path:
    """Refuses what is no directory where one is to be written, before the work is done; gives that it will be made in.

    A link that leads nowhere is refused as well: nobody knows whether its place is to be made.
    """
    artifacts.resolved(out)
    existing = next(each for each in (out, *out.absolute().parents) if os.path.lexists(each))
    if not existing.exists():
        raise InputError(f"{out}: {existing} is a link that leads nowhere")
    if not existing.is_dir():
        raise InputError(f"{existing}: this is a file, not a directory")
    return existing


def refuse_other_data(data: Path, remedy: str) -> None:
    """Results on data from elsewhere must not come beside those on the workspace's own."""
    if artifacts.resolved(data) != artifacts.resolved(artifacts.DATA):
        remedy += "name the directory of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {remedy}")


def sympy_answers() -> Path:
    """Where Sympy's answers are kept."""
    return artifacts.CACHE / "sympy.sqlite"
