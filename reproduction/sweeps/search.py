"""A search over configurations of one model, judged on dev alone: grid, random, and successive halving.

All three are rungs of trials (a grid is one rung). A trial of a later rung is trained from the beginning: its learning
rate may follow another schedule, and its record then does not depend on the search that asked for it.
"""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from .halving import Rung, Score, best, rungs
from .runner import Outcome
from .search_space import Point, Space, configuration, describe
from .trials import Data, Record, Trial, hashed_trial

GRID, RANDOM, HALVING = METHODS = ("grid", "random", "halving")
SHOWN = 10  # of the best configurations


class Search(NamedTuple):
    """What is searched, and how; trials is a number for random and halving, None for the whole space."""

    model: str
    split: str
    seed: int
    space: Space
    method: str
    trials: int | None
    epochs: int
    fewest_epochs: int
    factor: int

    def points(self) -> tuple[Point, ...]:
        """The configurations to begin with, drawn at random where not all are wanted."""
        points = self.space.points()
        if self.method == GRID or self.trials is None or self.trials >= len(points):
            return points
        return tuple(random.Random(self.seed).sample(points, self.trials))

    def rungs(self) -> tuple[Rung, ...]:
        count = len(self.points())
        if self.method != HALVING:
            return (Rung(count, self.epochs),)
        return rungs(count, self.epochs, self.fewest_epochs, self.factor)

    def trial(self, point: Point, epochs: int, root: Path, data: Data) -> Trial:
        asked = configuration(point, self.model, self.split, self.seed, epochs)
        return hashed_trial(root, asked, data, describe(point))


def run_search(
    search: Search, root: Path, data: Data, run: Callable[[Sequence[Trial]], Sequence[Outcome]]
) -> tuple[list[dict], list[Outcome]]:
    """One row a recorded trial, rung by rung, and all outcomes; trials that failed are not promoted."""
    rows, outcomes, points = [], [], search.points()
    for place, rung in enumerate(search.rungs()):
        chosen = points[: rung.count]
        trials = {search.trial(point, rung.epochs, root, data): point for point in chosen}
        finished = run(tuple(trials))
        outcomes += finished
        recorded = {outcome.trial for outcome in finished if not outcome.error}
        records = {point: Record(trial) for trial, point in trials.items() if trial in recorded}
        rows += [_row(place, point, record) for point, record in records.items()]
        scores = {point: Score(record.diverged is None, record.dev_accuracy) for point, record in records.items()}
        points = best(scores, len(scores))
    return rows, outcomes


def _row(rung: int, point: Point, record: Record) -> dict:
    """A trial as the summary keeps it; accuracies in per cent."""
    return {
        "trial": record.trial.directory.name,
        "rung": rung,
        "epochs": record.trial.configuration.epochs,
        "settings": dict(point),
        "dev_accuracy": record.dev_accuracy,
        "test_accuracy": record.test_accuracy,
        "mse": record.mse,
        "best_epoch": record.results["best_epoch"],
        "diverged": record.diverged,
        "seconds": record.seconds,
    }


def summary(search: Search, data: Data, rows: Sequence[dict]) -> dict:
    """Everything that the table and the figure are made of."""
    return {
        "model": search.model,
        "split": search.split,
        "seed": search.seed,
        "method": search.method,
        "data_fingerprint": data.fingerprint,
        "space": search.space.as_row(),
        "rungs": [rung._asdict() for rung in search.rungs()],
        "best": [row["trial"] for row in best_rows(rows)],
        "marginals": marginals(search.space.as_row(), rows),
        "trials": list(rows),
    }


def best_rows(rows: Sequence[dict], count: int = SHOWN) -> list[dict]:
    """The best configurations on dev: those of the last rung first, each configuration once."""
    ordered = sorted(rows, key=lambda row: (-row["rung"], row["diverged"] is not None, -row["dev_accuracy"]))
    distinct = {tuple(row["settings"].items()): row for row in reversed(ordered)}
    return [row for row in ordered if distinct[tuple(row["settings"].items())] is row][:count]


def marginals(space: dict[str, list], rows: Sequence[dict]) -> dict[str, list[dict]]:
    """For every value of every setting: dev accuracy in the first rung, where all are trained alike, and counts."""
    last = max((row["rung"] for row in rows), default=0)
    found = {}
    for name, values in space.items():
        found[name] = []
        for value in values:
            here = [row for row in rows if row["settings"].get(name) == value]
            accuracies = [row["dev_accuracy"] for row in here if row["rung"] == 0]
            if accuracies:
                found[name].append(
                    {
                        "value": value,
                        "mean_dev_accuracy": sum(accuracies) / len(accuracies),
                        "best_dev_accuracy": max(accuracies),
                        "configurations": len(accuracies),
                        "in_last_rung": sum(row["rung"] == last for row in here),
                        "diverged": sum(row["diverged"] is not None for row in here if row["rung"] == 0),
                    }
                )
    return found
