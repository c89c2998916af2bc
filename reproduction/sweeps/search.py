"""A search over configurations of one model, judged on dev alone: grid, random, and successive halving.

All three are rungs of trials (a grid is one rung): many configurations for a few epochs, and the best share of them
for more, again and again. A trial of a later rung is trained from the beginning: its learning rate may follow another
schedule, and its record then does not depend on the search that asked for it.
"""

import random
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from .search_space import Point, Space, configuration, describe
from .study import Score, Study, best_first, scores_of

GRID, RANDOM, HALVING = METHODS = ("grid", "random", "halving")
SHOWN = 10  # of the best configurations


class Rung(NamedTuple):
    """So many configurations, trained for so many epochs each."""

    count: int
    epochs: int


def rungs(count: int, most_epochs: int, fewest_epochs: int, factor: int) -> tuple[Rung, ...]:
    """From all configurations at few epochs to a few at the most: counts fall and epochs grow by the factor."""
    epochs = [most_epochs]
    while epochs[0] // factor >= fewest_epochs and count >= factor ** len(epochs):
        epochs.insert(0, epochs[0] // factor)
    return tuple(Rung(count // factor**place, each) for place, each in enumerate(epochs))


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

    def run(self, study: Study) -> None:
        """A row a recorded trial, rung by rung; trials that failed are not promoted."""
        points = self.points()
        for place, rung in enumerate(self.rungs()):
            asked = {point: self._configuration(point, rung.epochs) for point in points[: rung.count]}
            runs = study.finished({point: study.trial(each, describe(point)) for point, each in asked.items()})
            study.rows += [{"rung": place, "settings": dict(point), **scores_of(run)} for point, run in runs.items()]
            points = best_first({point: Score.of(run) for point, run in runs.items()})

    def _configuration(self, point: Point, epochs: int):
        return configuration(point, self.model, self.split, self.seed, epochs)

    def summary(self, study: Study) -> dict:
        """Everything that the table and the figure are made of."""
        return {
            "model": self.model,
            "split": self.split,
            "seed": self.seed,
            "method": self.method,
            "data_fingerprint": study.data.fingerprint,
            "space": self.space.as_row(),
            "rungs": [rung._asdict() for rung in self.rungs()],
            "best": [row["trial"] for row in best_rows(study.rows)],
            "marginals": marginals(self.space.as_row(), study.rows),
            "trials": study.rows,
        }


def best_rows(rows: Sequence[dict], count: int = SHOWN) -> list[dict]:
    """The best configurations on dev: those of the last rung first, each configuration once."""
    ordered = sorted(rows, key=lambda row: (-row["rung"], row["diverged"] is not None, -row["dev_accuracy"]))
    distinct = {tuple(row["settings"].items()): row for row in reversed(ordered)}
    return [row for row in ordered if distinct[tuple(row["settings"].items())] is row][:count]


def marginals(space: dict[str, list], rows: Sequence[dict]) -> dict[str, list[dict]]:
    """For every value of every setting: dev accuracy in the first rung, where all are trained alike, and counts."""
    groups = {
        name: [(value, [row for row in rows if row["settings"].get(name) == value]) for value in values]
        for name, values in space.items()
    }
    last = max((row["rung"] for row in rows), default=0)
    return {name: [_effect(value, here, last) for value, here in group if here] for name, group in groups.items()}


def _effect(value, rows: Sequence[dict], last_rung: int) -> dict:
    """What one value of a setting does; a trial of a later rung has one in the first."""
    first = [row for row in rows if row["rung"] == 0]
    accuracies = [row["dev_accuracy"] for row in first]
    return {
        "value": value,
        "mean_dev_accuracy": fmean(accuracies),
        "best_dev_accuracy": max(accuracies),
        "configurations": len(first),
        "in_last_rung": sum(row["rung"] == last_rung for row in rows),
        "diverged": sum(row["diverged"] is not None for row in first),
    }
