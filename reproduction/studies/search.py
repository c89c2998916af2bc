"""A search over the settings of one network, judged on dev alone: grid, random, and successive halving.

All three are rounds of trainings (a grid is one round): many points for a few epochs, then the best share of them for
more, again and again. A training of a later round goes on from the checkpoint of the round before and has the same
results as one from the beginning; with a schedule over all epochs it begins anew.
"""

import itertools
import math
import random
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from .. import artifacts
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..errors import InputError, excerpt, place, positive_integer, whole_number
from ..models import MODELS, OPTIMIZERS, PAPER_OPTIMIZERS
from ..training.configuration import (
    LARGEST_SEED,
    MOST_EPOCHS,
    PAPER,
    Configuration,
    make_configuration,
    read_configuration,
)
from .core import Case, Plan, Study, add_models, best_first, register_study

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GRID, RANDOM, HALVING = METHODS = ("grid", "random", "halving")
# Parts: what is searched, its best trained to the end, and what these are compared with.
SEARCH, FINALISTS, COMPARED = "search", "finalists", "compared"
PAPERS_BEST, OUR_DEFAULTS = "the paper's best", "our defaults"

# The rest of a configuration is fixed by the search itself.
FIXED = ("model", "split", "seed", "epochs", "fraction", "numeric_fraction", "device")
VARIED = tuple(name for name in Configuration.__dataclass_fields__ if name not in FIXED)
PLAIN = {"optimizer": "adam", "momentum": 0.0, "schedule": "constant"}  # where a point does not say else
MOST_POINTS = 100_000

Space = Mapping[str, tuple]  # by setting the values that are tried
Point = tuple[tuple[str, int | float | str], ...]  # settings by name

# Section 4: "We have tuned for the hidden dimension …"
PAPER_SPACE: Space = {
    "hidden": (10, 20, 50),
    "optimizer": PAPER_OPTIMIZERS,
    "dropout": (0.2, 0.3),
    "learning_rate": (1e-3, 1e-5),
    "l2": (1e-4, 1e-5),
    "momentum": (0.2, 0.7),
}
# Section 4: "Most of the networks achieved their best performance using Adam …"; the other two varied.
PAPERS_SETTINGS: Point = (
    ("hidden", 50), ("optimizer", "adam"), ("dropout", 0.2), ("learning_rate", 1e-3), ("l2", 1e-5),
)  # fmt: skip
# (epochs of the last round, fewest of the first), so that the whole space takes less than 40 minutes. An epoch of the
# paper's batches is twelve thousand steps. The tables say how alike the rounds rank the points. The RNN takes the most
# epochs, because its dev accuracy goes up and down by more than points differ.
RNN_LENGTHS, LSTM_LENGTHS, OTHER_LENGTHS = (108, 12), (27, 3), (54, 6)
RANDOM_TRIALS = 20
FULL_LENGTH = 100  # epochs of the paper's networks


# ------------------------------------------------------------------------------------------------ points


def points_of(space: Space) -> tuple[Point, ...]:
    """Every configuration once: momentum and learning rate are left out where the optimizer has none."""
    combinations = itertools.product(*space.values())
    return tuple(dict.fromkeys(applicable(tuple(zip(space, each, strict=True))) for each in combinations))


def applicable(point: Point) -> Point:
    """The point without settings that its optimizer lacks."""
    traits = OPTIMIZERS[str(dict(point).get("optimizer", PLAIN["optimizer"]))]
    has = {"momentum": traits.momentum, "learning_rate": traits.learning_rate}
    return tuple((name, value) for name, value in point if has.get(name, True))


def configuration(
    point: Point, model: str, split: str, seed: int, epochs: int, preset: str | None = None, **fixed
) -> Configuration:
    """The training of a point; other settings are those fixed, PLAIN, the preset's, or else the model's defaults."""
    return make_configuration(model, split, seed, preset, **{**PLAIN, **fixed, **dict(point)}, epochs=epochs)


def read_space(path: Path) -> Space:
    """The space in a JSON or TOML file of a person's: `learning_rate = [0.01, 0.001]`, one line a setting."""
    content = _parse(path)
    if not isinstance(content, dict) or not content:
        raise InputError(f"{path}: should hold lists of values for at least one of {', '.join(VARIED)}")
    for name, values in content.items():
        where = f"{path}, key {excerpt(name)!r}"
        if name not in VARIED:
            raise InputError(f"{where}: unknown (allowed: {', '.join(VARIED)})")
        if not isinstance(values, list) or not values:
            raise InputError(f"{where}: should be a list of values, for instance [0.1, 0.2]")
        for value in values:  # with an optimizer that has all settings
            row = {"model": "tree-lstm", "split": GENERALIZATION, "seed": 0, "optimizer": "sgd", name: value}
            try:
                read_configuration(row, where)
            except OverflowError:
                raise InputError(f"{where}: {excerpt(str(value))} is out of range") from None
    if math.prod(map(len, content.values())) > MOST_POINTS:
        raise InputError(f"{path}: more than {MOST_POINTS:,} configurations; take fewer values")
    return {name: tuple(dict.fromkeys(values)) for name, values in content.items()}


def _parse(path: Path):
    if path.suffix != ".toml":
        return artifacts.read_json(path)
    try:
        return tomllib.loads(artifacts.read_text(path))
    except (ValueError, RecursionError) as error:  # nested too deep, or a number that is too long
        raise InputError(f"{path}: not TOML ({excerpt(str(error), 200)})") from None


# ------------------------------------------------------------------------------------------------ rounds


def rounds(count: int, most_epochs: int, fewest_epochs: int, factor: int) -> list[tuple[int, int]]:
    """(points, epochs): from all points at few epochs to a few at the most, by the same factor."""
    epochs = [most_epochs]
    while epochs[0] // factor >= fewest_epochs and count >= factor ** len(epochs):
        epochs.insert(0, epochs[0] // factor)
    return [(count // factor**number, each) for number, each in enumerate(epochs)]


def drawn(points: tuple[Point, ...], method: str, trials: int | None, seed: int) -> list[Point]:
    """The points to begin with, drawn at random where not all are wanted."""
    trials = trials or (RANDOM_TRIALS if method == RANDOM else None)
    if method == GRID or trials is None or trials >= len(points):
        return list(points)
    some = random.Random(seed).sample(points, trials)
    if PAPERS_SETTINGS in points and PAPERS_SETTINGS not in some:
        some[-1] = PAPERS_SETTINGS  # or the best of those tried would be less than what is known
    return some


def plan(arguments: Namespace) -> Plan:
    """One network after the other; wrong options are refused before the first."""
    space, preset = (read_space(arguments.space), None) if arguments.space else (PAPER_SPACE, PAPER)
    for model, lengths in {model: _lengths(arguments, model) for model in arguments.models}.items():
        yield from _searched(arguments, model, space, preset, *lengths)


def _lengths(arguments: Namespace, model: str) -> tuple[int, int]:
    """Epochs of the last trainings, and fewest of the first."""
    epochs, fewest = RNN_LENGTHS if model == "rnn" else LSTM_LENGTHS if MODELS[model].is_lstm else OTHER_LENGTHS
    epochs, fewest = arguments.epochs or epochs, arguments.fewest_epochs or min(fewest, arguments.epochs or fewest)
    if arguments.factor < 2:
        raise InputError(f"--factor {arguments.factor}: should be at least 2")
    if fewest > epochs:
        raise InputError(f"--fewest-epochs {fewest}: more than the {epochs} of the last trainings")
    return epochs, fewest if arguments.method == HALVING else epochs


def _searched(
    arguments: Namespace, model: str, space: Space, preset: str | None, most_epochs: int, fewest_epochs: int
) -> Plan:
    """A round a rung; points that failed do not go on. At last the paper's best settings and our defaults."""
    where, fixed = (model, arguments.split, arguments.seed), {"batch_size": arguments.batch_size}
    every = points_of(space)
    points = drawn(every, arguments.method, arguments.trials, arguments.seed)
    steps = [(SEARCH, *each) for each in rounds(len(points), most_epochs, fewest_epochs, arguments.factor)]
    steps += [(FINALISTS, arguments.finalists, FULL_LENGTH)] if arguments.finalists else []
    earlier: dict[Point, Configuration] = {}
    for rung, (part, count, epochs) in enumerate(steps):
        asked, keys = {}, {"part": part, "method": arguments.method, "in_space": len(every), "rung": rung}
        for number, point in enumerate(points[:count]):
            wanted = configuration(point, *where, epochs, preset, **fixed)
            goes_on = wanted.schedule == "constant"
            own = {**keys, "place": number, "preset": preset, **{name: dict(point).get(name) for name in space}}
            last = earlier.get(point) if goes_on else None
            asked[point] = Case(wanted, own, earlier=last, is_continued=goes_on and rung + 1 < len(steps))
        rows = yield list(asked.values())
        earlier = {point: case.configuration for point, case in asked.items()}
        points = best_first(dict(zip(asked, rows, strict=True)))
    papers = configuration(PAPERS_SETTINGS, *where, most_epochs, PAPER, **fixed)
    ways = {PAPERS_BEST: papers, OUR_DEFAULTS: make_configuration(*where, epochs=most_epochs)}
    names = dict.fromkeys((*space, "optimizer"))
    compared = []
    for number, (way, wanted) in enumerate(ways.items()):
        stated = dict(applicable(tuple((name, getattr(wanted, name)) for name in names)))
        own = {"part": COMPARED, "way": way, "place": number, **{name: stated.get(name) for name in space}}
        compared.append(Case(wanted, own))
    yield compared


def options(parser: ArgumentParser) -> None:
    add_models(parser, reversed(MODELS))
    space = "JSON or TOML, a list of values a setting (default: the paper's space)"
    parser.add_argument("--space", type=place, metavar="FILE", help=space)
    parser.add_argument("--method", choices=METHODS, default=HALVING, help="(default: halving)")
    some = f"draw so many points (default: all; for random {RANDOM_TRIALS})"
    parser.add_argument("--trials", type=positive_integer, metavar="N", help=some)
    fewest = "for halving: of the first trainings, at least (default: those of the network)"
    parser.add_argument("--fewest-epochs", type=whole_number(1, MOST_EPOCHS), metavar="N", help=fewest)
    factor = "for halving: one point in so many goes on, for so many times the epochs (default: 3)"
    parser.add_argument("--factor", type=positive_integer, default=3, metavar="N", help=factor)
    finalists = f"train so many of the best for {FULL_LENGTH} epochs at last (default: none)"
    parser.add_argument("--finalists", type=positive_integer, metavar="N", help=finalists)
    batch = "equations a batch (default: in the paper's space 1, else the network's own)"
    parser.add_argument("--batch-size", type=positive_integer, metavar="N", help=batch)
    parser.add_argument("--split", choices=SPLIT_NAMES, default=GENERALIZATION)
    seed = "of the draw, the split and the training (default: 0)"
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0, metavar="N", help=seed)


text = "search the paper's space of settings, or your own, judged on dev"
chosen = {"models": ("tree-lstm+data", "tree-nn+data"), "trials": 2, "epochs": 2, "fewest_epochs": 1, "factor": 2}
register_study(Study("search", text, plan, options, chosen, replaces=("model", "split", "seed"), seeds=0))
