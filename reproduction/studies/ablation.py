"""Optimizers against each other on one network: at the paper's grid and batch size, and at tuned learning rates.

Small batches are the paper's protocol: one equation at a time, where its rates train. Large ones are those of all other
trainings. Every optimizer also gets a rate that is tuned on dev: decades around a first guess, then half decades around
the best until it is not at an end, with few epochs; the best two rates, and the best of the grid, are then trained to
the end, and the best of those is the tuned one. All this is tried with one seed; what was best gets all seeds.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS, check_choice
from ..options import whole_number
from ..rows import Row
from ..training.configuration import MOST_EPOCHS, PAPER, check_cell
from ..training.run_directory import FinishedRun
from .core import Case, Plan, Study, add_choice, register_study
from .search import Point, best_first, configuration, points_of

GRID, TUNING, CANDIDATE, TUNED = "grid", "tuning", "candidate", "tuned"
SMALL, LARGE = BATCHES = ("small", "large")
BATCH_SIZES = {SMALL: 1, LARGE: 256}
MILESTONE = 90.0  # per cent of dev accuracy

# The paper's values; regularization and dropout at one of theirs, which the paper found best or could not tell apart.
GRID_VALUES = {"learning_rate": (1e-3, 1e-5), "momentum": (0.2, 0.7), "dropout": (0.2,), "l2": (1e-5,)}
TUNED_MOMENTUM = 0.7
MOST_CANDIDATES = 2  # rates of an optimizer that few epochs cannot tell apart

SLOWER_WHEN_SMALL = 2  # half decades, of where tuning begins
SLOWEST, FASTEST = -14, 2
TUNING_ROUNDS = 6

# (epochs, epochs of tuning) by whether cells are LSTMs, so that all networks together take less than 90 minutes.
LENGTHS = {False: {SMALL: (40, 4), LARGE: (30, 8)}, True: {SMALL: (16, 3), LARGE: (30, 8)}}

Rows = Sequence[Row | None]
Seeded = tuple[Point, int]  # a point and the seed that it is trained with


class Regime(NamedTuple):
    """A batch size, and for how many epochs trainings and the tuning of their rates take it."""

    batch_size: int
    epochs: int
    tuning_epochs: int
    is_paper: bool  # the paper's protocol, with its grid, or else the network's own settings


def regimes(model: str, batches: Iterable[str], epochs: int | None, tuning_epochs: int | None) -> tuple[Regime, ...]:
    """The regimes of these names for a network, with its own lengths where none are asked for."""
    lengths = LENGTHS[MODELS[model].is_lstm]
    return tuple(
        Regime(BATCH_SIZES[name], epochs or lengths[name][0], tuning_epochs or lengths[name][1], name == SMALL)
        for name in BATCHES
        if name in batches
    )


def grid_points(optimizers: Iterable[str]) -> tuple[Point, ...]:
    """The paper's grid for some optimizers."""
    return points_of({"optimizer": tuple(optimizers), **GRID_VALUES})


def rate(half_decades: int) -> float:
    """…, 0.01, 0.03, 0.1, 0.3, 1, 3, …"""
    return float(f"{10.0 ** (half_decades // 2) * (3 if half_decades % 2 else 1):.0e}")


def rates_to_try(rows: Mapping[int, Row | None], first: int) -> list[int]:
    """Three decades to begin with, then the neighbours of the best that have not been tried; none: it is found."""
    best = best_first(rows)
    centre, reach = (best[0], 1) if best else (first, 2)
    wanted = (centre, centre - reach, centre + reach)
    return [near for near in wanted if SLOWEST <= near <= FASTEST and near not in rows]


def tuned_point(optimizer: str, half_decades: int | None) -> Point:
    """An optimizer at a learning rate, if it has one."""
    point: dict[str, Any] = {"optimizer": optimizer}
    point |= {"learning_rate": rate(half_decades)} if half_decades is not None else {}
    point |= {"momentum": TUNED_MOMENTUM} if OPTIMIZERS[optimizer].momentum else {}
    return tuple(point.items())


class Ablation:
    """The plan of one network."""

    def __init__(self, model: str, arguments: Namespace):
        self._model, self._asked = model, arguments
        self._optimizers = tuple(dict.fromkeys(arguments.optimizers))
        self._regimes = regimes(model, arguments.batches, arguments.epochs, arguments.tuning_epochs)
        self._cell = (("cell", arguments.cell),) if arguments.cell and MODELS[model].is_tree else ()
        self._place = 0

    def plan(self) -> Plan:
        """A regime after the other: the grid, tuning, the candidates, and the tuned ones with all seeds."""
        for regime in self._regimes:
            of_grid: list[Point] = []
            if regime.is_paper:
                of_grid = yield from self._best(regime, GRID, grid_points(self._optimizers))
                if others := [(point, seed) for seed in range(1, self._asked.seeds) for point in of_grid]:
                    yield from self._trained(regime, GRID, others)
            rates = yield from self._tune(regime)
            near = {name: rates.get(name, [None])[:MOST_CANDIDATES] for name in self._optimizers}
            candidates = [tuned_point(name, each) for name, found in near.items() for each in found]
            tuned = yield from self._best(regime, CANDIDATE, [*candidates, *of_grid])
            yield from self._trained(
                regime, TUNED, [(point, seed) for seed in range(self._asked.seeds) for point in tuned]
            )

    def _tune(self, regime: Regime) -> Generator[Sequence[Case], Rows, dict[str, list[int | None]]]:
        """The learning rates of each optimizer that has one as half decades, the best first; judged on dev, seed 0."""
        known: dict[str, dict[int, Row | None]] = {
            name: {} for name in self._optimizers if OPTIMIZERS[name].learning_rate
        }
        slower = SLOWER_WHEN_SMALL if regime.is_paper else 0
        for _ in range(TUNING_ROUNDS):
            wanted = {
                (tuned_point(name, near), 0): (name, near)
                for name, tried in known.items()
                for near in rates_to_try(tried, (OPTIMIZERS[name].first_rate or 0) - slower)
            }
            if not wanted:
                break
            rows = yield from self._trained(regime, TUNING, list(wanted))
            for seeded, (name, near) in wanted.items():
                known[name][near] = rows[seeded]
        return {
            name: [*best_first(tried), *(near for near, row in tried.items() if row is None)]
            for name, tried in known.items()
        }

    def _best(self, regime: Regime, part: str, points: Iterable[Point]) -> Generator[Sequence[Case], Rows, list[Point]]:
        """The best of these points for each optimizer; judged on dev with seed 0."""
        rows = yield from self._trained(regime, part, [(point, 0) for point in dict.fromkeys(points)])
        by_optimizer: dict[str, dict[Point, Row | None]] = {}
        for (point, _), row in rows.items():
            by_optimizer.setdefault(str(dict(point)["optimizer"]), {})[point] = row
        return [best[0] for found in by_optimizer.values() if (best := best_first(found))]

    def _trained(
        self, regime: Regime, part: str, wanted: Sequence[Seeded]
    ) -> Generator[Sequence[Case], Rows, dict[Seeded, Row | None]]:
        """The rows of these points and seeds."""
        rows = yield [self._case(regime, part, *seeded) for seeded in wanted]
        return dict(zip(wanted, rows, strict=True))

    def _case(self, regime: Regime, part: str, point: Point, seed: int) -> Case:
        epochs, preset = regime.tuning_epochs if part == TUNING else regime.epochs, PAPER if regime.is_paper else None
        where = (self._model, self._asked.split, seed, epochs, preset)
        stated = {name: dict(point).get(name) for name in ("optimizer", "learning_rate", "momentum")}
        keys = {"part": part, "place": self._place, "batch_size": regime.batch_size, **stated, "preset": preset}
        self._place += 1
        return Case(configuration((*point, *self._cell), *where, batch_size=regime.batch_size), keys)


def plan(arguments: Namespace) -> Plan:
    """One network after the other."""
    for name in arguments.optimizers:
        check_choice(name, 0.0)
    for model in dict.fromkeys(arguments.models):
        yield from Ablation(model, arguments).plan()


def options(parser: ArgumentParser) -> None:
    more = [name for name in OPTIMIZERS if name not in PAPER_OPTIMIZERS]
    names = f"(default: the paper's eight; {', '.join(more)} are there, too)"
    batches = f"small: {BATCH_SIZES[SMALL]}, with the paper's grid; large: {BATCH_SIZES[LARGE]} (default: both)"
    add_choice(parser, "models", MODELS)
    parser.add_argument("--optimizers", nargs="+", default=PAPER_OPTIMIZERS, metavar="NAME", help=names)
    parser.add_argument("--batches", nargs="+", choices=BATCHES, default=BATCHES, help=batches)
    tuning = "to tune a learning rate"
    parser.add_argument("--tuning-epochs", type=whole_number(1, MOST_EPOCHS), metavar="N", help=tuning)
    parser.add_argument("--split", choices=SPLIT_NAMES, default=GENERALIZATION)
    parser.add_argument("--cell", type=check_cell, metavar="NAME", help="of trees, instead of their own")


def measures(run: FinishedRun) -> Row:
    return {"epochs_to_90": run.epochs_to(MILESTONE)}


register_study(
    Study(
        "ablation",
        "compare the paper's eight optimizers, at its grid and at learning rates tuned on dev",
        plan,
        options,
        smoke={"models": ("tree-lstm+data",), "optimizers": ("adam", "adadelta"), "epochs": 1, "tuning_epochs": 1},
        measures=measures,
        replaces=("model", "split"),
    )
)
