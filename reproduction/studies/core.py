"""What a study is: a name, a sentence, options, and a plan that yields rounds of cases and is sent their rows."""

import importlib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..data.manifest import is_whole, read_manifest
from ..data.recipes import RECIPES
from ..errors import InputError
from ..paper import NUMERIC_TOTAL
from ..rows import DATA, Row
from ..training.configuration import Configuration, make_configuration
from ..training.run_directory import FinishedRun

BUILT_IN = ("experiments", "factors", "authors", "ablation", "search", "data_study", "ladder", "remedies")  # modules
NOT_SHOWN = ("place", "preset", "method", "in_space", "data_seed", "uses_of_a_distinct_subtree")
NOT_SETTINGS = ("model", "split", "seed", "epochs", "engine")  # these have keys of their own in every row


@dataclass(frozen=True, eq=False)
class Case:
    """One training of a study: its settings, its coordinates in the study, and the name of its data set.

    A coordinate that is None is not in the row, even if it is a setting: the learning rate of an optimizer without one.
    """

    configuration: Configuration
    keys: Mapping[str, Any] = field(default_factory=dict)
    data: str = DATA  # a directory beside the rows
    earlier: Configuration | None = None  # the same training with fewer epochs, whose checkpoint it may go on from
    is_continued: bool = False  # whether a longer one may continue it: its checkpoint is kept

    def head(self, study: str) -> Row:
        """The coordinates of its row."""
        asked = self.configuration
        place = {"study": study, "model": asked.model, "split": asked.split, "seed": asked.seed, DATA: self.data}
        return {**place, **{name: value for name, value in self.keys.items() if value is not None}}

    def words(self) -> str:
        """The coordinates for people."""
        shown = {name: value for name, value in self.keys.items() if value is not None and name not in NOT_SHOWN}
        return ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in shown.items())

    def settings(self) -> Row:
        """The settings that differ from the network's own, but for coordinates, and the number of epochs."""
        asked = self.configuration
        usual = make_configuration(asked.model, asked.split, asked.seed)
        names = [each.name for each in fields(asked) if each.name not in (*NOT_SETTINGS, *self.keys)]
        differing = {name: getattr(asked, name) for name in names if getattr(asked, name) != getattr(usual, name)}
        return {**differing, "epochs": asked.epochs}


# The rows of a round come in the order of its cases; None stands for a training that failed.
Plan = Generator[Sequence[Case], Sequence[Row | None], None]
DataSets = Mapping[str, Sequence[str]]  # by name the command that makes it, in words


@dataclass(frozen=True)
class Study:
    """A plan of trainings and what is kept of them."""

    name: str
    help: str
    plan: Callable[[Namespace], Plan]
    options: Callable[[ArgumentParser], Any] = lambda *_: {}
    smoke: Mapping[str, Any] = field(default_factory=dict)  # options of a small run through everything
    data_sets: Callable[[Namespace], DataSets] = lambda *_: {}  # that are made before, unless they are there
    measures: Callable[[FinishedRun], Row] = lambda *_: {}  # that only this study's rows have
    details: Callable[[FinishedRun], Row] = lambda *_: {}  # of a training, what a figure shows beyond its row
    fills_blanks: Callable[[Case], bool] = lambda case: False
    beside: Callable[[Namespace], Sequence[Row]] = lambda arguments: ()  # rows of what is no training
    replaces: tuple[str, ...] | None = None  # rows equal in these are written anew together; None: each alone
    seeds: int = 1  # how many are trained unless another number is asked for; 0 for a study that has its own


STUDIES: dict[str, Study] = {}


def register_study(study: Study) -> Study:
    """Makes a study known to `python -m reproduction study`."""
    if study.name in STUDIES:
        raise InputError(f"study {study.name!r}: there is one of this name already")
    STUDIES[study.name] = study
    return study


def studies() -> dict[str, Study]:
    """Every study by its name: our own and those that extensions have registered."""
    for name in BUILT_IN:
        importlib.import_module(f"{__package__}.{name}")
    return dict(STUDIES)


def add_choice(parser: ArgumentParser, name: str, allowed: Iterable, words: str = "", **options: Any) -> None:
    """An option that takes some of the allowed values; without it all are taken."""
    every = tuple(allowed)
    some = f"{words}only some of {', '.join(map(str, every))}"
    metavar = name.upper().removesuffix("S")
    parser.add_argument(f"--{name}", nargs="+", choices=every, default=every, metavar=metavar, help=some, **options)


# ------------------------------------------------------------------------------------------------ data sets of its own


def made_with(data: Path) -> dict[str, Any]:
    """What a data set was made with; nothing if it is not there, or was not generated."""
    return read_manifest(data).made_with if is_whole(data) else {}


def generate_words(data: Path, **changes: Any) -> list[str]:
    """The words of `generate` that make a data set like this one, with some of its seed, scale, …, changed."""
    found = made_with(data)
    options: dict[str, Any] = {"seed": found.get("seed", 0), "split-seeds": found.get("split_seeds", 5)}
    options |= {"scale": scale(found)}
    if (name := (found.get("recipe") or {}).get("name")) in RECIPES:
        options["recipe"] = name
    return ["generate", *(f"--{name}={value}" for name, value in {**options, **changes}.items())]


def scale(found: dict[str, Any]) -> str:
    """full, smoke or tiny, by the number of numeric equations."""
    share = (found.get("numeric") or [NUMERIC_TOTAL])[0] / NUMERIC_TOTAL
    return "full" if share > 0.5 else "smoke" if share > 0.05 else "tiny"
