"""The optimizers of the paper against each other on one model: at the paper's grid, and at tuned learning rates.

The paper trains on one equation at a time; here a batch is as large as in all other runs, so that its learning rates
make slow optimizers slower still. That is why every optimizer also gets a rate that is tuned on dev: a geometric list,
widened until its best is not at an end, with few epochs. Grid and rates are tried with one seed; the best of each
optimizer is then trained with all seeds.
"""

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from ..networks.optimizer_traits import OPTIMIZERS
from ..training.run_directory import FinishedRun
from .search_space import Point, Space, configuration, describe
from .study import Score, Study, best_first, scores_of

GRID, TUNING, TUNED = "grid", "tuning", "tuned"
MILESTONE = 90.0  # per cent of dev accuracy

# The paper's values; regularization and dropout at one of theirs, which the paper found best or could not tell apart.
GRID_VALUES = (("learning_rate", (1e-3, 1e-5)), ("momentum", (0.2, 0.7)), ("dropout", (0.2,)), ("l2", (1e-5,)))
TUNED_MOMENTUM = 0.7

# Where tuning begins, as the number of half decades from 1: -4 is 0.01, -3 is 0.03.
FIRST_RATES = {"sgd": -1, "nag": -1, "dcasgd": -1, "rmsprop": -5, "adam": -4, "adagrad": -2, "sgld": -8}
SLOWEST, FASTEST = -14, 2
TUNING_ROUNDS = 5


def grid_points(optimizers: Iterable[str]) -> tuple[Point, ...]:
    """The paper's grid for some optimizers."""
    return Space((("optimizer", tuple(optimizers)), *GRID_VALUES)).points()


def rate(half_decades: int) -> float:
    """…, 0.01, 0.03, 0.1, 0.3, 1, 3, …"""
    return float(f"{10.0 ** (half_decades // 2) * (3 if half_decades % 2 else 1):.0e}")


def rates_to_try(scores: Mapping[int, Score], first: int) -> list[int]:
    """The neighbours of the best rate so far, or of the first one, that have not been tried; none: it is found."""
    centre = best_first(scores)[0] if scores else first
    return [near for near in (centre, centre - 1, centre + 1) if SLOWEST <= near <= FASTEST and near not in scores]


def tuned_point(optimizer: str, half_decades: int | None) -> Point:
    point = {"optimizer": optimizer}
    point |= {"learning_rate": rate(half_decades)} if half_decades is not None else {}
    point |= {"momentum": TUNED_MOMENTUM} if OPTIMIZERS[optimizer].momentum else {}
    return tuple(point.items())


class Ablation(NamedTuple):
    """What is compared, and how long it is trained."""

    model: str
    split: str
    optimizers: tuple[str, ...]
    seeds: int
    epochs: int
    tuning_epochs: int
    cell: str | None = None  # of a tree, instead of the model's own

    def _finished(
        self, study: Study, part: str, points: Iterable[Point], seeds: Iterable[int], epochs: int
    ) -> dict[tuple[Point, int], FinishedRun]:
        """The runs of these points and seeds, those that failed left out; each gets a row."""
        pairs = [(point, seed) for seed in seeds for point in points]
        cell = (("cell", self.cell),) if self.cell else ()
        asked = {
            (point, seed): configuration((*point, *cell), self.model, self.split, seed, epochs) for point, seed in pairs
        }
        runs = study.finished(
            {pair: study.trial(each, f"{describe(pair[0])}, seed {pair[1]}") for pair, each in asked.items()}
        )
        study.rows += [_row(part, *pair, run) for pair, run in runs.items()]
        return runs

    def tune(self, study: Study) -> dict[str, int]:
        """The best learning rate of each optimizer that has one, as half decades; judged on dev with seed 0."""
        scores: dict[str, dict[int, Score]] = {name: {} for name in self.optimizers if OPTIMIZERS[name].learning_rate}
        for _ in range(TUNING_ROUNDS):
            wanted = {
                tuned_point(name, near): (name, near)
                for name, known in scores.items()
                for near in rates_to_try(known, FIRST_RATES[name])
            }
            if not wanted:
                break
            runs = self._finished(study, TUNING, tuple(wanted), range(1), self.tuning_epochs)
            for point, (name, near) in wanted.items():
                scores[name][near] = Score.of(runs[point, 0]) if (point, 0) in runs else Score(False, 0.0)
        return {name: best_first(known)[0] for name, known in scores.items()}

    def try_grid(self, study: Study) -> list[Point]:
        """The best point of the paper's grid for each optimizer; judged on dev with seed 0."""
        scores: dict[str, dict[Point, Score]] = {}
        for (point, _), run in self._finished(study, GRID, grid_points(self.optimizers), range(1), self.epochs).items():
            scores.setdefault(dict(point)["optimizer"], {})[point] = Score.of(run)
        return [best_first(known)[0] for known in scores.values()]

    def run(self, study: Study) -> None:
        """A row a recorded trial; the tuned rates first: they say most."""
        rates = self.tune(study)
        tuned = [tuned_point(name, rates.get(name)) for name in self.optimizers]
        self._finished(study, TUNED, tuned, range(self.seeds), self.epochs)
        self._finished(study, GRID, self.try_grid(study), range(1, self.seeds), self.epochs)

    def summary(self, study: Study) -> dict:
        """Everything that the table and the figure are made of."""
        return {
            **{name: value for name, value in self._asdict().items() if name != "optimizers"},
            "batch_size": configuration((), self.model, self.split, 0, self.epochs).batch_size,
            "grid": {name: values[0] for name, values in GRID_VALUES if len(values) == 1},
            "data_fingerprint": study.data.fingerprint,
            "rows": study.rows,
        }


def _row(part: str, point: Point, seed: int, run: FinishedRun) -> dict:
    """A trial as the summary keeps it; accuracies in per cent."""
    settings = {name: dict(point).get(name) for name in ("optimizer", "learning_rate", "momentum")}
    curve = [round(100 * epoch.dev_accuracy, 3) for epoch in run.history]
    reached = {"epochs_to_90": run.epochs_to(MILESTONE)}
    return {"part": part, **settings, "seed": seed, **scores_of(run), **reached, "curve": curve}


class Entry(NamedTuple):
    """An optimizer with the settings that did best on dev, and its rows, one a seed."""

    optimizer: str
    learning_rate: float | None
    momentum: float | None
    rows: tuple[dict, ...]

    @property
    def dev_accuracies(self) -> dict[int, float]:
        return {row["seed"]: row["dev_accuracy"] for row in self.rows}

    @property
    def score(self) -> Score:
        """Over seeds: whether none diverged, and the mean."""
        return Score(all(row["diverged"] is None for row in self.rows), fmean(self.dev_accuracies.values()))

    @property
    def rank(self) -> tuple[int, Score]:
        """What was chosen has more seeds than what was only tried."""
        return len(self.rows), self.score


def entries(content: dict, part: str) -> tuple[Entry, ...]:
    """The entry of every optimizer in one part that was trained with all seeds, in the paper's order."""
    groups: dict[tuple, list[dict]] = {}
    for row in content["rows"]:
        if row["part"] == part:
            groups.setdefault((row["optimizer"], row["learning_rate"], row["momentum"]), []).append(row)
    candidates = [Entry(*key, tuple(rows)) for key, rows in groups.items()]
    by_optimizer = ([entry for entry in candidates if entry.optimizer == name] for name in OPTIMIZERS)
    return tuple(max(group, key=lambda entry: entry.rank) for group in by_optimizer if group)


def final_parts(content: dict) -> tuple[str, ...]:
    """The parts that are shown, if any of their trials succeeded."""
    return tuple(part for part in (GRID, TUNED) if entries(content, part))
