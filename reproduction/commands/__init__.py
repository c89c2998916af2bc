"""One module a command: HELP, add_arguments(parser) and run(arguments). Here is what several of them share."""

import os
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tqdm.std

from .. import artifacts
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..data.generation.axioms import switched_on
from ..errors import InputError
from ..language.grammar import EXTRA_FUNCTIONS
from ..options import place, positive_integer, whole_number  # noqa: F401 (for the commands)
from ..training.configuration import LARGEST_SEED, MOST_EPOCHS, check_cell


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


def refuse_to_lose(path: Path, kept: Iterable[str], asked: Iterable[str], replace: bool) -> None:
    """Refuses to write a summary anew without results that it holds, unless that is what a person wants."""
    wanted = set(asked)
    lost = [each for each in kept if each not in wanted]
    if lost and not replace:
        remedy = "--replace writes it anew, another place (--out or --workspace) leaves it as it is"
        raise InputError(f"{path}: holds what this command would not make again, such as {lost[0]}; {remedy}")


number_of_epochs = whole_number(1, MOST_EPOCHS)
MOST_SEEDS, MOST_WORKERS = 9999, 256


tqdm.std.time = time.monotonic  # bars and what they expect do not go back when the clock does
_SEEDS = {"type": whole_number(1, MOST_SEEDS), "metavar": "N"}
_DIRECTORY = {"type": place, "metavar": "DIR"}
OPTIONS: dict[str, dict[str, Any]] = {
    "data": {**_DIRECTORY, "help": "the data set (default: the workspace's runs/data)"},
    "runs": {**_DIRECTORY, "help": "where experiments/ is"},
    "figures": {**_DIRECTORY, "help": "for table and figure"},
    "split": {"choices": SPLIT_NAMES, "default": GENERALIZATION},
    "seeds": {**_SEEDS, "default": 1, "help": "seeds 0 to N-1 (default: 1)"},
    "cell": {
        "type": check_cell,
        "metavar": "NAME",
        "help": "of trees, instead of their own (`train --help` lists them); with an --out",
    },
    "epochs": {"type": number_of_epochs, "metavar": "N", "help": "instead of each model's default"},
    "split-seeds": {**_SEEDS, "default": 5, "help": "how many splits of each kind to store (default: 5)"},
    "workers": {
        "type": whole_number(1, MOST_WORKERS),
        "metavar": "N",
        "default": 2,
        "help": "Sympy processes (default: 2)",
    },
    "seed": {"type": whole_number(0, LARGEST_SEED), "metavar": "N", "default": 0, "help": "(default: 0)"},
    "run": {
        "dest": "network",
        "type": place,
        "metavar": "RUN",
        "help": "a directory that `train` made, or a committed network by its name, as rnn (default: the best one)",
    },
    "replace": {"action": "store_true", "help": "also where a finished data set lies: it is made anew"},
    "json": {"action": "store_true", "help": "one JSON object a line"},
    "extra-functions": {"default": "", "metavar": "NAMES", "help": "switch on log, atan2 or log,atan2"},
}


def add_options(parser, *names: str, **changes) -> None:
    """The shared options of these names; changes are to what argparse is told of each."""
    places = {"data": artifacts.DATA, "runs": artifacts.RUNS, "figures": artifacts.FIGURES}
    for name in names:
        place = {"default": places[name]} if name in places else {}
        parser.add_argument(f"--{name}", **{**OPTIONS[name], **place, **changes})


def extra_functions(arguments) -> tuple[str, ...]:
    """The functions beyond Table 1 that the command line switched on, or the axioms of the workspace do."""
    names = tuple(name.strip() for name in arguments.extra_functions.split(",") if name.strip())
    for name in names:
        if name not in EXTRA_FUNCTIONS:
            raise InputError(f"--extra-functions: {name!r} is not one of {', '.join(EXTRA_FUNCTIONS)}")
    return names + switched_on(artifacts.AXIOMS)


def sympy_answers() -> Path:
    """Where Sympy's answers are kept."""
    return artifacts.CACHE / "sympy.sqlite"


def runs_beside(data: Path, out: str = "name the directory of the runs with --out, or ") -> Path:
    """Where runs on this data set belong unless a person says else; there is no such place for data from elsewhere."""
    if artifacts.resolved(data) != artifacts.resolved(artifacts.DATA):
        remedy = f"{out}name the directory of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {remedy}")
    return artifacts.RUNS


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
