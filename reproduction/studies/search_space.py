"""The points that a search chooses from: the paper's, or those of a person's own file."""

import itertools
import json
import math
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import get_args

from .. import artifacts
from ..errors import InputError, excerpt
from ..networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS, check_choice
from ..training.configuration import Configuration, make_configuration

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# What a search may vary. The rest of a configuration is fixed by the search itself: model, split, seed, epochs.
FIXED = ("model", "split", "seed", "epochs", "fraction", "numeric_fraction", "device")
VARIED = {
    field.name: (get_args(field.type) or (field.type,))[0] for field in fields(Configuration) if field.name not in FIXED
}  # `str | None` is a text
KINDS = {int: ("a whole number", (int,)), float: ("a number", (int, float)), str: ("a text", (str,))}
PLAIN = {"optimizer": "adam", "momentum": 0.0, "schedule": "constant"}
MOST_POINTS = 100_000

Point = tuple[tuple[str, int | float | str], ...]  # settings by name


@dataclass(frozen=True)
class Space:
    """The values of every setting that is varied."""

    values: tuple[tuple[str, tuple], ...]

    def as_row(self) -> dict[str, list]:
        return {name: list(values) for name, values in self.values}

    def points(self) -> tuple[Point, ...]:
        """Every configuration once: momentum and learning rate are left out where the optimizer has none."""
        names = [name for name, _ in self.values]
        combinations = itertools.product(*(values for _, values in self.values))
        return tuple(dict.fromkeys(applicable(tuple(zip(names, each, strict=True))) for each in combinations))


# Section 4: "We have tuned for the hidden dimension …"
PAPER_SPACE = Space(
    (
        ("hidden", (10, 20, 50)),
        ("optimizer", PAPER_OPTIMIZERS),
        ("dropout", (0.2, 0.3)),
        ("learning_rate", (1e-3, 1e-5)),
        ("l2", (1e-4, 1e-5)),
        ("momentum", (0.2, 0.7)),
    )
)


def applicable(point: Point) -> Point:
    """A point without what its optimizer does not have."""
    traits = OPTIMIZERS[str(dict(point).get("optimizer", PLAIN["optimizer"]))]
    left_out = ["momentum"] if not traits.momentum else []
    left_out += ["learning_rate"] if not traits.learning_rate else []
    return tuple((name, value) for name, value in point if name not in left_out)


def describe(point: Point) -> str:
    """`hidden 20, adam, learning rate 0.001`."""
    return ", ".join(
        str(value) if name == "optimizer" else f"{name.replace('_', ' ')} {value}" for name, value in point
    )


def configuration(
    point: Point, model: str, split: str, seed: int, epochs: int, preset: str | None = None, **fixed
) -> Configuration:
    """The training of a point; what it does not state is fixed, PLAIN, the preset's, or else the model's default."""
    return make_configuration(model, split, seed, preset, **{**PLAIN, **fixed, **dict(point)}, epochs=epochs)


def read_space(path: Path) -> Space:
    """The space in a JSON or TOML file of a person's: `learning_rate = [0.01, 0.001]`, one line a setting."""
    content = _parse(path)
    if not isinstance(content, dict) or not content:
        raise InputError(f"{path}: should hold lists of values for at least one of {', '.join(VARIED)}")
    for name, values in content.items():
        if name not in VARIED:
            raise InputError(f"{path}, key {excerpt(name)!r}: unknown (allowed: {', '.join(VARIED)})")
        if not isinstance(values, list) or not values:
            raise InputError(f"{path}, key {name!r}: should be a list of values, for instance [0.1, 0.2]")
        for value in values:
            _check(path, name, value)
    space = Space(tuple((name, tuple(dict.fromkeys(values))) for name, values in content.items()))
    if math.prod(len(values) for _, values in space.values) > MOST_POINTS:
        raise InputError(f"{path}: more than {MOST_POINTS:,} configurations; take fewer values")
    return space


def _parse(path: Path):
    if path.suffix != ".toml":
        return artifacts.read_json(path)
    try:
        return tomllib.loads(artifacts.read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML ({excerpt(str(error), 200)})") from None
    except (ValueError, RecursionError):  # TOMLDecodeError is a ValueError, too
        raise InputError(f"{path}: this TOML is nested too deep, or has a number that is too long") from None


def _check(path: Path, name: str, value) -> None:
    """Refuses a value of the wrong type, an unknown name or a number out of range."""
    where, (kind, types) = f"{path}, key {name!r}", KINDS[VARIED[name]]
    if not isinstance(value, types) or isinstance(value, bool) or value != value:
        raise InputError(f"{where}: {excerpt(json.dumps(value, default=str))} should be {kind}")
    try:
        if name == "optimizer":
            check_choice(str(value), 0.0)
        configuration(((name, value),), "tree-lstm", "generalization", 0, 1)
    except InputError as error:
        raise InputError(f"{where}: {excerpt(str(error), 300)}") from None
