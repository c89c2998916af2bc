"""One module a command: HELP, add_arguments(parser) and run(arguments). Here is what several of them share."""

import argparse
import tempfile
import time
from pathlib import Path

import tqdm.std

from .. import artifacts
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..errors import InputError
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


def positive_integer(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


tqdm.std.time = time.monotonic  # bars and what they expect do not go back when the clock does
_COUNT = {"type": positive_integer, "metavar": "N"}
_DIRECTORY = {"type": place, "metavar": "DIR"}
OPTIONS = {
    "data": {**_DIRECTORY, "default": artifacts.DATA, "help": "the data set"},
    "runs": {**_DIRECTORY, "default": artifacts.RUNS, "help": "where experiments/ is"},
    "figures": {**_DIRECTORY, "default": artifacts.FIGURES, "help": "for table and figure"},
    "split": {"choices": SPLIT_NAMES, "default": GENERALIZATION},
    "seeds": {**_COUNT, "default": 1, "help": "seeds 0 to N-1 (default: 1)"},
    "cell": {"metavar": "NAME", "help": "of trees, instead of their own (`train --help` lists them); with an --out"},
    "epochs": {**_COUNT, "help": "instead of each model's default"},
    "split-seeds": {**_COUNT, "default": 5, "help": "how many splits of each kind to store (default: 5)"},
    "workers": {**_COUNT, "default": 2, "help": "Sympy processes (default: 2)"},
    "replace": {"action": "store_true", "help": "also where a finished data set lies: it is made anew"},
    "extra-functions": {"default": "", "metavar": "NAMES", "help": "switch on log, atan2 or log,atan2"},
}


def add_options(parser, *names: str, **changes) -> None:
    """The shared options of these names; changes are to what argparse is told of each."""
    for name in names:
        parser.add_argument(f"--{name}", **{**OPTIONS[name], **changes})


def extra_functions(arguments) -> tuple[str, ...]:
    """The functions beyond Table 1 that the command line switched on."""
    names = tuple(name.strip() for name in arguments.extra_functions.split(",") if name.strip())
    for name in names:
        if name not in EXTRA_FUNCTIONS:
            raise InputError(f"--extra-functions: {name!r} is not one of {', '.join(EXTRA_FUNCTIONS)}")
    return names


def sympy_answers() -> Path:
    """Where Sympy's answers are kept."""
    return artifacts.CACHE / "sympy.sqlite"


def refuse_file(out: Path) -> None:
    """Refuses a file where a directory is to be written, before the work is done."""
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: this is a file, not a directory")
