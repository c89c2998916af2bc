"""One module a command: HELP, add_arguments(parser) and run(arguments). Here is what several of them share."""

import argparse
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import tqdm.std

from .. import artifacts
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..data.generation.axioms import switched_on
from ..errors import InputError, excerpt
from ..language.grammar import EXTRA_FUNCTIONS


def place(text: str) -> Path:
    """The name of a file or a directory, for argparse; no name at all is refused."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name is no place (. is the current directory)")
    return Path(text)


def check_writable(*directories: Path) -> None:
    """Tries whether directories, or those that they will be made in, can be written: known before the work is done."""
    for directory in directories:
        refuse_file(directory)
        existing = next(each for each in (directory, *directory.absolute().parents) if each.is_dir())
        try:
            tempfile.TemporaryFile(dir=existing).close()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(directory)) from None


def refuse_to_lose(path: Path, kept: Iterable[str], asked: Iterable[str], replace: bool) -> None:
    """Refuses to write a summary anew without results that it holds, unless that is what a person wants."""
    wanted = set(asked)
    lost = [each for each in kept if each not in wanted]
    if lost and not replace:
        remedy = "--replace writes it anew, another place (--out or --workspace) leaves it as it is"
        raise InputError(f"{path}: holds what this command would not make again, such as {lost[0]}; {remedy}")


def _whole_number(text: str, least: int) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"{excerpt(text)!r} should be a whole number of at least {least}")
    return number


def positive_integer(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    return _whole_number(text, 1)


def natural_number(text: str) -> int:
    """A whole number of at least 0, for argparse."""
    return _whole_number(text, 0)


tqdm.std.time = time.monotonic  # bars and what they expect do not go back when the clock does
_COUNT = {"type": positive_integer, "metavar": "N"}
_DIRECTORY = {"type": place, "metavar": "DIR"}
OPTIONS = {
    "data": {**_DIRECTORY, "help": "the data set (default: the workspace's runs/data)"},
    "runs": {**_DIRECTORY, "help": "where experiments/ is"},
    "figures": {**_DIRECTORY, "help": "for table and figure"},
    "split": {"choices": SPLIT_NAMES, "default": GENERALIZATION},
    "seeds": {**_COUNT, "default": 1, "help": "seeds 0 to N-1 (default: 1)"},
    "cell": {"metavar": "NAME", "help": "of trees, instead of their own (`train --help` lists them); with an --out"},
    "epochs": {**_COUNT, "help": "instead of each model's default"},
    "split-seeds": {**_COUNT, "default": 5, "help": "how many splits of each kind to store (default: 5)"},
    "workers": {**_COUNT, "default": 2, "help": "Sympy processes (default: 2)"},
    "run": {
        "dest": "network",
        "metavar": "RUN",
        "help": "a directory that `train` made, or a committed network by its name, as rnn (default: the best one)",
    },
    "replace": {"action": "store_true", "help": "also where a finished data set lies: it is made anew"},
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


def runs_beside(data: Path) -> Path:
    """Where runs on this data set belong unless a person says else; there is no such place for data from elsewhere."""
    if artifacts.resolved(data) != artifacts.resolved(artifacts.DATA):
        both = "name the directory of the runs with --out, or that of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {both}")
    return artifacts.RUNS / "experiments"


def refuse_file(out: Path) -> None:
    """Refuses a file where a directory is to be written, before the work is done."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: this is a file, not a directory")
