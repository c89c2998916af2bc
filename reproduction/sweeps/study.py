"""Trials of many configurations that are compared with each other on dev: who runs them, and what became of them."""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from .. import artifacts
from ..measures import ACCURACY, MSE
from ..training.configuration import Configuration
from ..training.run_directory import FinishedRun, read_run
from .runner import TrialResult
from .trials import Data, Trial

Key = TypeVar("Key", bound=Hashable)


class Score(NamedTuple):
    """What configurations are ranked by: one that diverged is worse than any that did not."""

    converged: bool
    dev_accuracy: float

    @classmethod
    def of(cls, run: FinishedRun) -> "Score":
        return cls(run.results.diverged is None, run.results.dev.measures[ACCURACY])


def best_first(scores: Mapping[Key, Score]) -> list[Key]:
    """The keys, that of the best score first; equal ones in the order in which they were given."""
    return sorted(scores, key=scores.get, reverse=True)


def _ranks(values: Sequence[float]) -> np.ndarray:
    """The rank of every value from 0; equal values have the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[places]


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """From -1 to 1: how alike two numbers of each pair rank the pairs; None where one of them ranks nothing.

    Equal numbers have the mean of their ranks.
    """
    ranks = [_ranks(column) for column in zip(*pairs, strict=True)]
    if any(len(set(column.tolist())) < 2 for column in ranks) or not ranks:
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def scores_of(run: FinishedRun) -> dict:
    """What the summary of a study says of a trial; accuracies in per cent."""
    results, test = run.results, run.measures()
    return {
        "trial": run.directory.name,
        "epochs": run.configuration.epochs,
        "dev_accuracy": results.dev.measures[ACCURACY],
        "test_accuracy": test[ACCURACY],
        "mse": test.get(MSE),
        "best_epoch": results.best_epoch,
        "diverged": results.diverged,
        "seconds": results.train_seconds,
    }


def compared_trial(root: Path, configuration: Configuration, data: Data, description: str) -> Trial:
    """A trial in a directory that is named after all that decides its results; the description is for people."""
    stated = {**configuration.as_row(), "data_fingerprint": data.fingerprint}
    name = artifacts.fingerprint(json.dumps(stated, sort_keys=True).encode("utf-8"))[:12]
    return Trial(f"{name} ({description})", artifacts.resolved(root) / name, configuration, data)


def finished_runs(trials: Mapping[Key, Trial], results: Sequence[TrialResult]) -> dict[Key, FinishedRun]:
    """The runs of these trials, those that failed left out."""
    failed = {result.trial for result in results if result.error}
    return {key: read_run(trial.directory) for key, trial in trials.items() if trial not in failed}


class Study:
    """The trials of an ablation or a search: their results so far, and a row of each that is recorded."""

    def __init__(self, root: Path, data: Data, run: Callable[[Sequence[Trial]], Sequence[TrialResult]]):
        self.data, self._root, self._run = data, root, run
        self.results: list[TrialResult] = []
        self.rows: list[dict] = []

    def trial(
        self, configuration: Configuration, description: str, earlier: Path | None = None, is_continued: bool = False
    ) -> Trial:
        trial = compared_trial(self._root, configuration, self.data, description)
        return replace(trial, earlier=earlier, is_continued=is_continued)

    def finished(self, trials: Mapping[Key, Trial]) -> dict[Key, FinishedRun]:
        """The runs of these trials, those that failed left out."""
        results = self._run(tuple(trials.values()))
        self.results += results
        return finished_runs(trials, results)
