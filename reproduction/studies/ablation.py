"""Optimizers against each other on one network: at the paper's grid and batch size, and at tuned learning rates.

Small batches are the paper's protocol: one equation at a time, where its rates train. Large ones are those of all other
trainings. Every optimizer also gets a rate that is tuned on dev: decades around a first guess, then half decades around
the best until it is not at an end, with few epochs; the best two rates, and the best of the grid, are then trained to
the end, and the best of those is the tuned one. Settings are chosen with seed 0; the best are trained with all seeds.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..errors import whole_number
from ..models import MODELS, OPTIMIZERS, PAPER_OPTIMIZERS, check_choice
from ..networks.cells import CELLS
from ..rows import Row
from ..training.configuration import MOST_EPOCHS, PAPER
from ..training.run_directory import FinishedRun
from .core import Case, Plan, Study, add_choice, add_models, best_first, register_study
from .search import Point, configuration, points_of

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

Seeded = tuple[Point, int]  # a point and the seed that it is trained with
Answer = Generator[Sequence[Case], Sequence[Row | None], Any]  # rounds of a plan that end with a value


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


class Regime(NamedTuple):
    """A network at a batch size, where small is the paper's protocol."""

    model: str
    name: str
    asked: Namespace
    places: Iterator[int]  # of cases among those of the network

    @property
    def is_paper(self) -> bool:
        return self.name == SMALL

    def plan(self) -> Plan:
        """The grid, tuning, the candidates, and the tuned ones with all seeds."""
        optimizers = tuple(dict.fromkeys(self.asked.optimizers))
        of_grid: list[Point] = []
        if self.is_paper:
            of_grid = yield from self._best(GRID, points_of({"optimizer": optimizers, **GRID_VALUES}))
            if others := [(point, seed) for seed in self.asked.seeds if seed for point in of_grid]:
                yield from self._trained(GRID, others)
        rates = yield from self._tune(optimizers)
        near = {name: rates.get(name, [None])[:MOST_CANDIDATES] for name in optimizers}
        candidates = [tuned_point(name, each) for name, found in near.items() for each in found]
        tuned = yield from self._best(CANDIDATE, [*candidates, *of_grid])
        yield from self._trained(TUNED, [(point, seed) for seed in self.asked.seeds for point in tuned])

    def _tune(self, optimizers: Iterable[str]) -> Answer:
        """By optimizer, the learning rates in half decades, the best first; judged on dev with seed 0."""
        known: dict[str, dict[int, Row | None]] = {name: {} for name in optimizers if OPTIMIZERS[name].learning_rate}
        slower = SLOWER_WHEN_SMALL if self.is_paper else 0
        for _ in range(TUNING_ROUNDS):
            wanted = {
                (tuned_point(name, near), 0): (name, near)
                for name, tried in known.items()
                for near in rates_to_try(tried, (OPTIMIZERS[name].first_rate or 0) - slower)
            }
            if not wanted:
                break
            rows = yield from self._trained(TUNING, list(wanted))
            for seeded, (name, near) in wanted.items():
                known[name][near] = rows[seeded]
        failed = {name: [near for near, row in tried.items() if row is None] for name, tried in known.items()}
        return {name: [*best_first(tried), *failed[name]] for name, tried in known.items()}

    def _best(self, part: str, points: Iterable[Point]) -> Answer:
        """The best of these points for each optimizer; judged on dev with seed 0."""
        rows = yield from self._trained(part, [(point, 0) for point in dict.fromkeys(points)])
        by_optimizer: dict[str, dict[Point, Row | None]] = {}
        for (point, _), row in rows.items():
            by_optimizer.setdefault(str(dict(point)["optimizer"]), {})[point] = row
        return [best[0] for found in by_optimizer.values() if (best := best_first(found))]

    def _trained(self, part: str, wanted: Sequence[Seeded]) -> Answer:
        """The rows of these points and seeds."""
        rows = yield [self._case(part, *seeded) for seeded in wanted]
        return dict(zip(wanted, rows, strict=True))

    def _case(self, part: str, point: Point, seed: int) -> Case:
        epochs, tuning_epochs = LENGTHS[MODELS[self.model].is_lstm][self.name]
        wanted = self.asked.tuning_epochs or tuning_epochs if part == TUNING else self.asked.epochs or epochs
        preset, size = PAPER if self.is_paper else None, BATCH_SIZES[self.name]
        cell = (("cell", self.asked.cell),) if self.asked.cell and MODELS[self.model].is_tree else ()
        stated = {name: dict(point).get(name) for name in ("optimizer", "learning_rate", "momentum")}
        keys = {"part": part, "place": next(self.places), "batch_size": size, **stated, "preset": preset}
        where = (self.model, self.asked.split, seed, wanted, preset)
        return Case(configuration((*point, *cell), *where, batch_size=size), keys)


def epochs_to(run: FinishedRun, per_cent: float) -> int | None:
    """The first epoch that reaches this accuracy on dev."""
    return next((epoch.epoch for epoch in run.history if 100 * epoch.dev_accuracy >= per_cent), None)


def plan(arguments: Namespace) -> Plan:
    """One network after the other, small batches before large ones."""
    for name in arguments.optimizers:
        check_choice(name, 0.0)
    for model in dict.fromkeys(arguments.models):
        places = count()
        for name in BATCHES:
            if name in arguments.batches:
                yield from Regime(model, name, arguments, places).plan()


def options(parser: ArgumentParser) -> None:
    more = [name for name in OPTIMIZERS if name not in PAPER_OPTIMIZERS]
    names = f"(default: the paper's eight; {', '.join(more)} are there, too)"
    add_models(parser, MODELS)
    parser.add_argument("--optimizers", nargs="+", default=PAPER_OPTIMIZERS, metavar="NAME", help=names)
    add_choice(parser, "batches", BATCHES, f"small: {BATCH_SIZES[SMALL]}, at the paper's grid; large: 256; ")
    parser.add_argument("--tuning-epochs", type=whole_number(1, MOST_EPOCHS), metavar="N", help="to tune a rate")
    parser.add_argument("--split", choices=SPLIT_NAMES, default=GENERALIZATION)
    parser.add_argument("--cell", choices=tuple(CELLS), metavar="NAME", help="of trees, instead of their own")


study = Study(
    "ablation",
    "compare the paper's eight optimizers, at its grid and at learning rates tuned on dev",
    plan,
    options,
    smoke={"models": ("tree-lstm+data",), "optimizers": ("adam", "adadelta"), "epochs": 1, "tuning_epochs": 1},
    measures=lambda run: {"epochs_to_90": epochs_to(run, MILESTONE)},
    replaces=("model", "split", "seed"),
)
register_study(study)
