"""Every network on every split, and on parts of the training set: the trainings behind the tables."""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from .. import artifacts
from ..data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_NAMES
from ..errors import InputError
from ..models import MODELS
from ..rows import Row
from ..shapes import read, shaped
from ..training.configuration import Configuration, check_cell, make_configuration
from ..training.run_directory import FinishedRun
from .core import Case, Plan, Study, register_study
from .recording import curves, filled_blanks, probabilities
from .search import VARIED

SETTINGS = "settings.json"  # beside a data set: what its dev part chose for a network, where it is not the default
# Learning curves over the size of the training set (the whole of it is in the tables already).
CURVE_FRACTIONS = (0.5, 0.25, 0.1)


def longest_first() -> tuple[str, ...]:
    """All networks, those with LSTM cells before plain ones, so that no long training is left over at the end."""
    return tuple(sorted(MODELS, key=lambda name: not MODELS[name].is_lstm))


def read_settings(directory: Path) -> dict[str, dict]:
    """The settings of each network that belong to the data set in a directory; none unless they are stored there."""
    path = Path(directory) / SETTINGS
    settings = read(dict[str, dict], path) if artifacts.is_there(path) else {}
    for model, stated in settings.items():
        unknown = next((name for name in stated if name not in VARIED), None)
        if model not in MODELS or unknown:
            allowed: Collection[str] = VARIED if model in MODELS else MODELS
            raise InputError(f"{path}: {unknown or model} is unknown (allowed: {', '.join(allowed)})")
        shaped(Configuration, {"model": model, "split": GENERALIZATION, "seed": 0, **stated}, path)
    return settings


def configured(
    settings: Mapping[str, Mapping[str, Any]], model: str, split: str, seed: int, fraction: float = 1.0,
    epochs: int | None = None, cell: str | None = None,
) -> Configuration:  # fmt: skip
    """The training of a network with the data's settings or its defaults; trees may have another cell."""
    own = {**settings.get(model, {}), "fraction": fraction, "numeric_fraction": fraction}
    own |= {"epochs": epochs} if epochs else {}
    own |= {"cell": cell} if cell and MODELS[model].is_tree else {}
    return make_configuration(model, split, seed, **own)


def plan(arguments: Namespace) -> Plan:
    """One round, all of a seed before the next: the trainings of Tables 3 and 4, then those of the learning curves."""
    settings = read_settings(arguments.data)
    wanted = []
    for seed in range(arguments.seeds):
        wanted += [(model, split, seed, 1.0) for model in arguments.models for split in arguments.splits]
        if GENERALIZATION in arguments.splits:
            parts = [(model, fraction) for model in arguments.models for fraction in arguments.fractions]
            wanted += [(model, GENERALIZATION, seed, fraction) for model, fraction in parts]
    yield [
        Case(
            configured(settings, *each, epochs=arguments.epochs, cell=arguments.cell),
            {"fraction": each[-1] if each[-1] != 1 else None},
        )
        for each in dict.fromkeys(wanted)
    ]


def options(parser: ArgumentParser) -> None:
    some: dict[str, Any] = {"nargs": "+", "metavar": "NAME"}
    models = longest_first()
    parser.add_argument("--models", choices=models, default=models, help=f"(default: {', '.join(models)})", **some)
    splits = f"(default: {', '.join(SPLIT_NAMES)})"
    parser.add_argument("--splits", choices=SPLIT_NAMES, default=SPLIT_NAMES, help=splits, **some)
    shares = "parts of the training set for the learning curves (none: no learning curves)"
    parser.add_argument("--fractions", nargs="*", type=float, default=CURVE_FRACTIONS, metavar="SHARE", help=shares)
    parser.add_argument("--cell", type=check_cell, metavar="NAME", help="of trees, instead of their own")


def details(run: FinishedRun) -> Row:
    """What figures show of trainings on the whole training set."""
    asked = run.configuration
    found: Row = {}
    if asked.fraction != 1:
        return found
    if asked.split == GENERALIZATION:
        found |= {**curves(run), **filled_blanks(run, with_examples=asked.seed == 0)}
    if asked.split in (GENERALIZATION, DEPTH_4_OUT):
        found |= probabilities(run)
    return {name: value for name, value in found.items() if value}


register_study(
    Study(
        "experiments",
        "train every network on every split, and on parts of the training set",
        plan,
        options,
        smoke={"epochs": 2, "fractions": (0.5,)},
        details=details,
    )
)
