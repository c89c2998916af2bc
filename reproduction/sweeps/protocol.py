"""The paper's own protocol: every network with the paper's settings and nothing that dev chose for it.

The tables are made with settings that dev chose. Here all six networks are trained as the paper describes it, one
equation at a time, on the same data, splits and seeds, so that each claim can be judged under both.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from .. import artifacts
from ..completion.store import read_completion
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..models import MODELS
from ..shapes import as_json
from ..training.configuration import PAPER, PRESETS, make_configuration
from ..training.run_directory import Experiment, FinishedRun
from .trials import Data, Trial

TREES_FIRST = tuple(sorted(MODELS, key=lambda name: not MODELS[name].is_tree))


def trials(
    root: Path,
    data: Data,
    seeds: int,
    models: Sequence[str] = TREES_FIRST,
    splits: Sequence[str] = SPLIT_NAMES,
    epochs: int | None = None,
) -> dict[Experiment, Trial]:
    """Every training: those of trees before those of chains, and all of one seed before the next."""
    wanted = [Experiment(model, split, seed) for seed in range(seeds) for model in models for split in splits]
    wanted.sort(key=lambda each: not MODELS[each.model].is_tree)
    return {each: _trial(each, artifacts.resolved(root), data, epochs) for each in wanted}


def _trial(experiment: Experiment, root: Path, data: Data, epochs: int | None) -> Trial:
    model, split, seed, _ = experiment
    configuration = make_configuration(model, split, seed, PAPER, epochs=epochs)
    return Trial(experiment.name, root / experiment.name, configuration, data)


def to_complete(runs: Iterable[FinishedRun]) -> list[FinishedRun]:
    """The runs that fill blanks: those of the random split, one seed after the other, as its blanks are the same."""
    return sorted((run for run in runs if run.split == GENERALIZATION), key=lambda run: run.seed)


def _row(run: FinishedRun) -> dict:
    """A run as the summary keeps it: its results, and how it fills blanks if it was asked."""
    completion = read_completion(run)
    filled = completion and {
        "top_k": completion.symbolic["top_k"],
        "top_k_mse": completion.numeric and completion.numeric["top_k_mse"],
    }
    return {
        "model": run.model,
        "split": run.split,
        "seed": run.seed,
        "split_checksum": run.split_checksum,
        "results": as_json(run.results._replace(files={})),
        "completion": filled,
    }


def summary(runs: Iterable[FinishedRun], data: Data, epochs: int | None = None) -> dict:
    """Everything that tables and verdicts are made of: the settings of all, and a row a run."""
    changed = {"epochs": epochs} if epochs else {}
    return {
        "preset": PAPER,
        "settings": {**PRESETS[PAPER], **changed},
        "data_fingerprint": data.fingerprint,
        "rows": [_row(run) for run in runs],
    }
