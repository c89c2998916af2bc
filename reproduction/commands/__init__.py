"""The commands, each with `add_NAME(parser)` for its options and `NAME(arguments)`; here is what several share."""

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

tqdm.std.time = time.monotonic  # progress bars go on when the clock is set back
OPTIONS: dict[str, dict[str, Any]] = {
    "data": {"type": place, "metavar": "DIR", "help": "the data set (default: the workspace's runs/data)"},
    "runs": {"type": place, "metavar": "DIR", "help": "where the results are (default: the workspace's runs)"},
    "seed": {"type": whole_number(0, LARGEST_SEED), "metavar": "N", "default": 0, "help": "(default: 0)"},
    "seeds": {"type": SEEDS, "metavar": "N"},
    "split-seeds": {"type": SEEDS, "metavar": "N", "default": 5, "help": "how many splits of each kind (default: 5)"},
    "workers": {"type": whole_number(1, 256), "metavar": "N", "default": 2, "help": "Sympy processes (default: 2)"},
    "run": {
        "dest": "network",
        "type": place,
        "metavar": "RUN",
        "help": "a directory that `train` made, or the name of a network, such as rnn (default: the best one)",
    },
    "replace": {"action": "store_true", "help": "make a finished data set anew"},
    "json": {"action": "store_true", "help": "one JSON object a line"},
    "network-only": {"action": "store_true", "help": "do not ask the judges, who take longer"},
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
    """Adds the shared options of these names, with changes to the arguments of `add_argument`."""
    places = {"data": artifacts.DATA, "runs": artifacts.RUNS}
    for name in names:
        default = {"default": places[name]} if name in places else {}
        parser.add_argument(f"--{name}", **{**OPTIONS[name], **default, **changes})


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
    """Refuses data from elsewhere, whose results must not lie beside those on the workspace's own."""
    if artifacts.resolved(data) != artifacts.resolved(artifacts.DATA):
        remedy += "name the directory of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {remedy}")


def progress(total: int) -> tqdm.std.tqdm:
    """A progress bar of equations, which is shown on terminals only."""
    return tqdm.std.tqdm(total=total, unit="eq", disable=None)


def sympy_answers() -> Path:
    """Where Sympy's answers are kept."""
    return artifacts.CACHE / "sympy.sqlite"
