"""The optimizers of the paper against each other on one model: at the paper's grid, and at tuned learning rates.

The paper trains on one equation at a time; here a batch is as large as in all other runs, so that its learning rates
make slow optimizers slower still. That is why every optimizer also gets a rate that is tuned on dev: a geometric list,
widened until its best is not at an end, with few epochs. Grid and rates are tried with one seed; the best of each
optimizer is then trained with all seeds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..networks.optimizer_traits import OPTIMIZERS
from .halving import Score, best
from .runner import Outcome
from .search_space import Point, Space, configuration, describe
from .trials import Data, Record, Trial, hashed_trial

GRID, TUNING, TUNED = "grid", "tuning", "tuned"
MILESTONE = 90.0  # per cent of dev accuracy

# The paper's values; regularization and dropout at one of theirs, which the paper found best or could not tell apart.
GRID_VALUES = (("learning_rate", (1e-3, 1e-5)), ("momentum", (0.2, 0.7)), ("dropout", (0.2,)), ("l2", (1e-5,)))
TUNED_MOMENTUM = 0.7

# Where tuning begins, as the number of half decades from 1: -4 is 0.01, -3 is 0.03.
FIRST_RATES = {"sgd": -1, "nag": -1, "dcasgd": -1, "rmsprop": -5, "adam": -4, "adagrad": -2, "sgld": -8}
SLOWEST, FASTEST = -14, 2
TUNING_ROUNDS = 5

Run = Callable[[Sequence[Trial]], Sequence[Outcome]]


class Ablation(NamedTuple):
    """What is compared, and how long it is trained."""

    model: str
    split: str
    optimizers: tuple[str, ...]
    seeds: int
    epochs: int
    tuning_epochs: int

    def trial(self, point: Point, seed: int, epochs: int, root: Path, data: Data) -> Trial:
        asked = configuration(point, self.model, self.split, seed, epochs)
        return hashed_trial(root, asked, data, f"{describe(point)}, seed {seed}")


def grid_points(optimizers: Iterable[str]) -> tuple[Point, ...]:
    """The paper's grid for some optimizers."""
    return Space((("optimizer", tuple(optimizers)), *GRID_VALUES)).points()


def rate(half_decades: int) -> float:
    """…, 0.01, 0.03, 0.1, 0.3, 1, 3, …"""
    return float(f"{10.0 ** (half_decades // 2) * (3 if half_decades % 2 else 1):.0e}")


def rates_to_try(scores: Mapping[int, Score], first: int) -> list[int]:
    """The neighbours of the best rate so far, or of the first one, that have not been tried; none: it is found."""
    centre = best(scores, 1)[0] if scores else first
    return [near for near in (centre, centre - 1, centre + 1) if SLOWEST <= near <= FASTEST and near not in scores]


def tuned_point(optimizer: str, half_decades: int | None) -> Point:
    point = {"optimizer": optimizer}
    point |= {"learning_rate": rate(half_decades)} if half_decades is not None else {}
    point |= {"momentum": TUNED_MOMENTUM} if OPTIMIZERS[optimizer].momentum else {}
    return tuple(point.items())


def _score(record: Record) -> Score:
    return Score(record.diverged is None, record.dev_accuracy)


class Sweep:
    """Runs the trials of an ablation and keeps a row of each that is recorded."""

    def __init__(self, ablation: Ablation, root: Path, data: Data, run: Run):
        self.ablation, self._root, self._data, self._run = ablation, root, data, run
        self.rows: list[dict] = []
        self.outcomes: list[Outcome] = []

    def records(
        self, part: str, points: Iterable[Point], seeds: Iterable[int], epochs: int
    ) -> dict[tuple[Point, int], Record]:
        """The records of these points and seeds, those that failed left out."""
        points = tuple(points)
        wanted = {
            self.ablation.trial(point, seed, epochs, self._root, self._data): (point, seed)
            for seed in seeds
            for point in points
        }
        finished = self._run(tuple(wanted))
        self.outcomes += finished
        recorded = {outcome.trial for outcome in finished if not outcome.error}
        found = {key: Record(trial) for trial, key in wanted.items() if trial in recorded}
        self.rows += [_row(part, point, seed, record) for (point, seed), record in found.items()]
        return found

    def tune(self) -> dict[str, int]:
        """The best learning rate of each optimizer that has one, as half decades; judged on dev with seed 0."""
        scores = {name: {} for name in self.ablation.optimizers if OPTIMIZERS[name].learning_rate}
        for _ in range(TUNING_ROUNDS):
            wanted = {
                tuned_point(name, near): (name, near)
                for name, found in scores.items()
                for near in rates_to_try(found, FIRST_RATES[name])
            }
            if not wanted:
                break
            records = self.records(TUNING, wanted, range(1), self.ablation.tuning_epochs)
            for point, (name, near) in wanted.items():
                record = records.get((point, 0))
                scores[name][near] = _score(record) if record else Score(False, 0.0)
        return {name: best(found, 1)[0] for name, found in scores.items()}

    def try_grid(self) -> list[Point]:
        """The best point of the paper's grid for each optimizer; judged on dev with seed 0."""
        records = self.records(GRID, grid_points(self.ablation.optimizers), range(1), self.ablation.epochs)
        scores: dict[str, dict[Point, Score]] = {}
        for (point, _), record in records.items():
            scores.setdefault(dict(point)["optimizer"], {})[point] = _score(record)
        return [best(found, 1)[0] for found in scores.values()]

    def run(self) -> None:
        """The tuned rates first: they say most."""
        ablation, rates = self.ablation, self.tune()
        tuned = [tuned_point(name, rates.get(name)) for name in ablation.optimizers]
        self.records(TUNED, tuned, range(ablation.seeds), ablation.epochs)
        self.records(GRID, self.try_grid(), range(1, ablation.seeds), ablation.epochs)


def _row(part: str, point: Point, seed: int, record: Record) -> dict:
    """A trial as the summary keeps it; accuracies in per cent."""
    settings = dict(point)
    return {
        "part": part,
        "optimizer": settings["optimizer"],
        "learning_rate": settings.get("learning_rate"),
        "momentum": settings.get("momentum"),
        "seed": seed,
        "epochs": record.trial.configuration.epochs,
        "dev_accuracy": record.dev_accuracy,
        "test_accuracy": record.test_accuracy,
        "mse": record.mse,
        "best_epoch": record.results["best_epoch"],
        "epochs_to_90": record.epochs_to(MILESTONE),
        "seconds": record.seconds,
        "diverged": record.diverged,
        "trial": record.trial.directory.name,
        "curve": [round(100 * row["dev_accuracy"], 3) for row in record.history],
    }


def summary(ablation: Ablation, data: Data, rows: Sequence[dict]) -> dict:
    """Everything that the table and the figure are made of."""
    shared = dict(GRID_VALUES[2:])
    return {
        "model": ablation.model,
        "split": ablation.split,
        "seeds": ablation.seeds,
        "epochs": ablation.epochs,
        "tuning_epochs": ablation.tuning_epochs,
        "batch_size": configuration((), ablation.model, ablation.split, 0, ablation.epochs).batch_size,
        "grid": {name: values[0] for name, values in shared.items()},
        "data_fingerprint": data.fingerprint,
        "rows": list(rows),
    }


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
        accuracies = self.dev_accuracies.values()
        return Score(all(row["diverged"] is None for row in self.rows), sum(accuracies) / len(accuracies))

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
    found = {}
    for key, rows in groups.items():
        entry = Entry(*key, tuple(rows))
        if key[0] not in found or entry.rank > found[key[0]].rank:
            found[key[0]] = entry
    return tuple(found[name] for name in OPTIMIZERS if name in found)


def final_parts(content: dict) -> tuple[str, ...]:
    """The parts that are shown, if any of their trials succeeded."""
    return tuple(part for part in (GRID, TUNED) if entries(content, part))
