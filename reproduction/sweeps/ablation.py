"""Optimizers against each other on one model: at the paper's grid and batch size, and at tuned learning rates.

Small batches are the paper's protocol: one equation at a time, where its rates train. Large ones are those of all other
runs. Every optimizer also gets a rate that is tuned on dev: decades around a first guess, then half decades around the
best until it is not at an end, with few epochs; the best two rates, and the best of the grid, are then trained to the
end, and the best of those is the tuned one. All this is tried with one seed; what was best is trained with all seeds.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS
from ..training.configuration import PAPER, Configuration
from ..training.run_directory import FinishedRun
from .search_space import Point, Space, configuration, describe
from .study import Score, Study, best_first, scores_of

GRID, TUNING, CANDIDATE, TUNED = "grid", "tuning", "candidate", "tuned"
SMALL, LARGE = BATCHES = ("small", "large")
BATCH_SIZES = {SMALL: 1, LARGE: 256}
MILESTONE = 90.0  # per cent of dev accuracy

# The paper's values; regularization and dropout at one of theirs, which the paper found best or could not tell apart.
GRID_VALUES = (("learning_rate", (1e-3, 1e-5)), ("momentum", (0.2, 0.7)), ("dropout", (0.2,)), ("l2", (1e-5,)))
TUNED_MOMENTUM = 0.7
MOST_CANDIDATES = 2  # rates of an optimizer that few epochs cannot tell apart

SLOWER_WHEN_SMALL = 2  # half decades, of where tuning begins
SLOWEST, FASTEST = -14, 2
TUNING_ROUNDS = 6


class Regime(NamedTuple):
    """A batch size, and for how many epochs runs and the tuning of their rates take it."""

    batch_size: int
    epochs: int
    tuning_epochs: int
    is_paper: bool  # the paper's protocol, with its grid, or else the model's own settings


# (epochs, epochs of tuning) by whether cells are LSTMs, so that all networks together take less than 90 minutes.
LENGTHS = {False: {SMALL: (40, 4), LARGE: (30, 8)}, True: {SMALL: (16, 3), LARGE: (30, 8)}}


def regimes(model: str, batches: Iterable[str], epochs: int | None, tuning_epochs: int | None) -> tuple[Regime, ...]:
    """The regimes of these names for a model, with its own lengths where none are asked for."""
    lengths = LENGTHS[MODELS[model].is_lstm]
    return tuple(
        Regime(BATCH_SIZES[name], epochs or lengths[name][0], tuning_epochs or lengths[name][1], name == SMALL)
        for name in BATCHES
        if name in batches
    )


def grid_points(optimizers: Iterable[str]) -> tuple[Point, ...]:
    """The paper's grid for some optimizers."""
    return Space((("optimizer", tuple(optimizers)), *GRID_VALUES)).points()


def rate(half_decades: int) -> float:
    """…, 0.01, 0.03, 0.1, 0.3, 1, 3, …"""
    return float(f"{10.0 ** (half_decades // 2) * (3 if half_decades % 2 else 1):.0e}")


def rates_to_try(scores: Mapping[int, Score], first: int) -> list[int]:
    """Three decades to begin with, then the neighbours of the best that have not been tried; none: it is found."""
    centre, reach = (best_first(scores)[0], 1) if scores else (first, 2)
    wanted = (centre, centre - reach, centre + reach)
    return [near for near in wanted if SLOWEST <= near <= FASTEST and near not in scores]


def tuned_point(optimizer: str, half_decades: int | None) -> Point:
    point = {"optimizer": optimizer}
    point |= {"learning_rate": rate(half_decades)} if half_decades is not None else {}
    point |= {"momentum": TUNED_MOMENTUM} if OPTIMIZERS[optimizer].momentum else {}
    return tuple(point.items())


def covered(optimizer: str, batch_size: int | None, epochs: int, seed: int) -> str:
    """A comparison in words; a summary from before there were two batch sizes does not state its own."""
    return f"{optimizer} in batches of {batch_size} for {epochs} epochs with seed {seed}"


class Ablation(NamedTuple):
    """What is compared, and how long it is trained."""

    model: str
    split: str
    optimizers: tuple[str, ...]
    seeds: int
    regimes: tuple[Regime, ...]
    cell: str | None = None  # of a tree, instead of the model's own

    def covered(self) -> list[str]:
        """The comparisons that the summary will have."""
        return [
            covered(optimizer, regime.batch_size, regime.epochs, seed)
            for optimizer in self.optimizers
            for regime in self.regimes
            for seed in range(self.seeds)
        ]

    def _configuration(self, regime: Regime, point: Point, seed: int, epochs: int) -> Configuration:
        preset, cell = PAPER if regime.is_paper else None, (("cell", self.cell),) if self.cell else ()
        place = (self.model, self.split, seed, epochs, preset)
        return configuration((*point, *cell), *place, batch_size=regime.batch_size)

    def _finished(
        self, study: Study, regime: Regime, part: str, points: Iterable[Point], seeds: Iterable[int]
    ) -> dict[tuple[Point, int], FinishedRun]:
        """The runs of these points and seeds, those that failed left out; each gets a row."""
        epochs = regime.tuning_epochs if part == TUNING else regime.epochs
        pairs = [(point, seed) for seed in seeds for point in points]
        asked = {(point, seed): self._configuration(regime, point, seed, epochs) for point, seed in pairs}
        about = f"batch {regime.batch_size}, "
        runs = study.finished(
            {pair: study.trial(each, f"{about}{describe(pair[0])}, seed {pair[1]}") for pair, each in asked.items()}
        )
        study.rows += [_row(part, regime, *pair, run) for pair, run in runs.items()]
        return runs

    def tune(self, study: Study, regime: Regime) -> dict[str, list[int]]:
        """The learning rates of each optimizer that has one as half decades, the best first; judged on dev, seed 0."""
        scores: dict[str, dict[int, Score]] = {name: {} for name in self.optimizers if OPTIMIZERS[name].learning_rate}
        slower = SLOWER_WHEN_SMALL if regime.is_paper else 0
        for _ in range(TUNING_ROUNDS):
            wanted = {
                tuned_point(name, near): (name, near)
                for name, known in scores.items()
                for near in rates_to_try(known, OPTIMIZERS[name].first_rate - slower)
            }
            if not wanted:
                break
            runs = self._finished(study, regime, TUNING, tuple(wanted), range(1))
            for point, (name, near) in wanted.items():
                scores[name][near] = Score.of(runs[point, 0]) if (point, 0) in runs else Score(False, 0.0)
        return {name: best_first(known) for name, known in scores.items()}

    def _best(self, study: Study, regime: Regime, part: str, points: Iterable[Point]) -> list[Point]:
        """The best of these points for each optimizer; judged on dev with seed 0."""
        scores: dict[str, dict[Point, Score]] = {}
        for (point, _), run in self._finished(study, regime, part, points, range(1)).items():
            scores.setdefault(dict(point)["optimizer"], {})[point] = Score.of(run)
        return [best_first(known)[0] for known in scores.values()]

    def _candidates(self, study: Study, regime: Regime, of_grid: Iterable[Point]) -> list[Point]:
        """What may be the tuned settings of each optimizer; the grid's may, as few epochs can be misleading."""
        rates = self.tune(study, regime)
        nearest = {name: rates.get(name, [None])[:MOST_CANDIDATES] for name in self.optimizers}
        return [*(tuned_point(name, near) for name, found in nearest.items() for near in found), *of_grid]

    def run(self, study: Study) -> None:
        """A row a recorded trial."""
        for regime in self.regimes:
            of_grid = self._best(study, regime, GRID, grid_points(self.optimizers)) if regime.is_paper else []
            self._finished(study, regime, GRID, of_grid, range(1, self.seeds))
            candidates = self._candidates(study, regime, of_grid)
            tuned = self._best(study, regime, CANDIDATE, candidates)
            self._finished(study, regime, TUNED, tuned, range(self.seeds))

    def summary(self, study: Study) -> dict:
        """Everything that the tables and the figures are made of."""
        return {
            **{name: getattr(self, name) for name in ("model", "split", "seeds", "cell")},
            "regimes": [regime._asdict() for regime in self.regimes],
            "grid": {name: values[0] for name, values in GRID_VALUES if len(values) == 1},
            "data_fingerprint": study.data.fingerprint,
            "rows": study.rows,
        }


def _row(part: str, regime: Regime, point: Point, seed: int, run: FinishedRun) -> dict:
    """A trial as the summary keeps it; accuracies in per cent."""
    settings = {name: dict(point).get(name) for name in ("optimizer", "learning_rate", "momentum")}
    curve = [round(100 * epoch.dev_accuracy, 3) for epoch in run.history]
    reached = {"epochs_to_90": run.epochs_to(MILESTONE)}
    about = {"part": part, "batch_size": regime.batch_size}
    return {**about, **settings, "seed": seed, **scores_of(run), **reached, "curve": curve}
