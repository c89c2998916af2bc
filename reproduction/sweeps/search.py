"""A search over configurations of one model, judged on dev alone: grid, random, and successive halving.

All three are rungs of trials (a grid is one rung): many configurations for a few epochs, and the best share of them
for more, again and again. A trial of a later rung goes on from the checkpoint of the rung before and has the results
of a training from the beginning; where its rate follows a schedule over all epochs, it begins anew.
"""

import random
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from ..models import MODELS
from ..training.configuration import PAPER, Configuration, make_configuration
from ..training.run_directory import FinishedRun
from .search_space import Point, Space, applicable, configuration, describe
from .study import Score, Study, best_first, scores_of, spearman
from .trials import Trial

GRID, RANDOM, HALVING = METHODS = ("grid", "random", "halving")
SHOWN = 10  # of the best configurations
# (epochs of the last rung, fewest of the first), so that the whole space takes less than 40 minutes. An epoch of the
# paper's batches is twelve thousand steps; how alike the rungs rank the configurations is said in the tables. The
# RNN is unsteady: its dev accuracy goes up and down by more than configurations differ, and it takes the most epochs.
LENGTHS = {
    "rnn": (108, 12),
    **{name: (27, 3) if model.is_lstm else (54, 6) for name, model in MODELS.items() if name != "rnn"},
}
PAPERS_BEST, OUR_DEFAULTS = "the paper's best", "our defaults"
# Section 4: "Most of the networks achieved their best performance using Adam …"; the other two varied.
PAPERS_SETTINGS = (("hidden", 50), ("optimizer", "adam"), ("dropout", 0.2), ("learning_rate", 1e-3), ("l2", 1e-5))


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


def covered(point: Point, epochs: int, split: str, seed: int) -> str:
    return f"{describe(point)} for {epochs} epochs, {split} split, seed {seed}"


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
    preset: str | None = None  # what a point does not state; None for the model's defaults
    batch_size: int | None = None  # None for that of the preset or the model

    def points(self) -> tuple[Point, ...]:
        """The configurations to begin with, drawn at random where not all are wanted."""
        points = self.space.points()
        if self.method == GRID or self.trials is None or self.trials >= len(points):
            return points
        drawn = random.Random(self.seed).sample(points, self.trials)
        if PAPERS_SETTINGS in points and PAPERS_SETTINGS not in drawn:
            drawn[-1] = PAPERS_SETTINGS  # or the best of those tried would be less than what is known
        return tuple(drawn)

    def covered(self) -> list[str]:
        """The first trials of all configurations that the summary will have."""
        return [covered(point, self.rungs()[0].epochs, self.split, self.seed) for point in self.points()]

    def rungs(self) -> tuple[Rung, ...]:
        count = len(self.points())
        if self.method != HALVING:
            return (Rung(count, self.epochs),)
        return rungs(count, self.epochs, self.fewest_epochs, self.factor)

    def run(self, study: Study) -> None:
        """A row a recorded trial, rung by rung; trials that failed are not promoted."""
        points, ladder, before = self.points(), self.rungs(), {}
        for place, rung in enumerate(ladder):
            is_last = rung == ladder[-1]
            asked = {point: self._trial(study, point, rung, before, is_last) for point in points[: rung.count]}
            runs = study.finished(asked)
            study.rows += [{"rung": place, "settings": dict(point), **scores_of(run)} for point, run in runs.items()]
            points = best_first({point: Score.of(run) for point, run in runs.items()})
            going_on = set() if is_last else set(points[: ladder[place + 1].count])
            _forget([*before.values(), *(trial for point, trial in asked.items() if point not in going_on)])
            before = asked

    def _trial(self, study: Study, point: Point, rung: Rung, before: Mapping[Point, Trial], is_last: bool) -> Trial:
        """The trial of a point on a rung, which may continue the one on the rung before."""
        wanted = self.configuration(point, rung.epochs)
        constant = wanted.schedule == "constant"
        earlier = before[point].directory if constant and point in before else None
        return study.trial(wanted, describe(point), earlier, constant and not is_last)

    def configuration(self, point: Point, epochs: int) -> Configuration:
        fixed = {"batch_size": self.batch_size} if self.batch_size else {}
        return configuration(point, self.model, self.split, self.seed, epochs, self.preset, **fixed)

    def compare(self, study: Study) -> list[dict]:
        """A row each for the paper's best settings and our defaults, with as many epochs as the last rung."""
        fixed = {"batch_size": self.batch_size} if self.batch_size else {}
        place = (self.model, self.split, self.seed, self.epochs)
        asked = {
            PAPERS_BEST: configuration(PAPERS_SETTINGS, *place, PAPER, **fixed),
            OUR_DEFAULTS: make_configuration(self.model, self.split, self.seed, epochs=self.epochs),
        }
        runs = study.finished({name: study.trial(wanted, name) for name, wanted in asked.items()})
        return [{"name": name, "settings": self._stated(run), **scores_of(run)} for name, run in runs.items()]

    def _stated(self, run: FinishedRun) -> dict:
        """What a run has for the settings that the space varies."""
        varied = tuple((name, run.config[name]) for name, _ in self.space.values)
        with_optimizer = applicable((*varied, ("optimizer", run.config["optimizer"])))
        return {name: value for name, value in dict(with_optimizer).items() if name in dict(varied)}

    def summary(self, study: Study, compared: Sequence[dict] = ()) -> dict:
        """Everything that the table and the figure are made of."""
        space = self.space.as_row()
        return {
            "model": self.model,
            "split": self.split,
            "seed": self.seed,
            "method": self.method,
            "batch_size": None if "batch_size" in space else self.configuration((), self.epochs).batch_size,
            "data_fingerprint": study.data.fingerprint,
            "space": space,
            "in_space": len(self.space.points()),
            "rungs": [rung._asdict() for rung in self.rungs()],
            "rank_correlations": rank_correlations(study.rows),
            "best": [row["trial"] for row in best_rows(study.rows)],
            "compared": list(compared),
            "marginals": marginals(space, study.rows),
            "trials": study.rows,
        }


def _forget(trials: Sequence[Trial]) -> None:
    for trial in trials:
        trial.forget_checkpoint()


def by_settings(rows: Sequence[dict], rung: int) -> dict[tuple, dict]:
    """The rows of a rung by their configurations."""
    return {tuple(row["settings"].items()): row for row in rows if row["rung"] == rung}


def rank_correlations(rows: Sequence[dict]) -> list[dict]:
    """For every two rungs that follow each other: how alike they rank the configurations of the later one."""
    found = []
    for rung in range(1, 1 + max((row["rung"] for row in rows), default=0)):
        earlier, later = by_settings(rows, rung - 1), by_settings(rows, rung)
        pairs = [(earlier[key]["dev_accuracy"], row["dev_accuracy"]) for key, row in later.items()]
        found.append({"rungs": [rung - 1, rung], "configurations": len(pairs), "spearman": spearman(pairs)})
    return found


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
