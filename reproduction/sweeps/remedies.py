"""What was tried where a number of ours was not close to the paper's: other settings, beside the reference runs.

A remedy is trained with the seeds of reference runs, on their splits, and compared with them seed by seed. Dev says
whether it is better; the test scores are shown beside it and choose nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from .. import artifacts
from ..paper import MODEL_NAMES
from ..report.claims import CLAIMS, paper_value
from ..report.results import (
    ACCURACY,
    COMPLETION,
    DEPTH_4_OUT,
    DEV_CHOSEN,
    GENERALIZATION,
    MSE,
    SPLIT_TITLES,
    Archive,
    Run,
    flat_measures,
)
from ..training.configuration import make_configuration
from .trials import Data, Trial

FIRST_GUESS = "top_1"
REFERENCE, MORE_DATA = "data", "data-double"  # the directories of two data sets
MEASURES = {ACCURACY: ("test", 2, " %"), MSE: ("MSE", 3, ""), FIRST_GUESS: ("first guess", 2, " %")}


class Remedy(NamedTuple):
    """One change to the reference training of a model, and the claim that it was hoped to help."""

    name: str
    claim: str  # its key
    model: str
    split: str
    measure: str
    words: str
    settings: Mapping[str, float | str] = {}
    data: str = REFERENCE
    rival: str | None = None  # the network that it should beat


_DEPTH = ("unseen-depths", "tree-lstm+data", DEPTH_4_OUT, ACCURACY)
_DATA = ("data-helps", "tree-lstm+data", GENERALIZATION, ACCURACY)
_DATA_PLAIN = ("data-helps", "tree-nn+data", GENERALIZATION, ACCURACY)
_ERROR = ("evaluation-error", "tree-lstm+data", GENERALIZATION, MSE)
_GUESS = ("completion-trees", "tree-nn", GENERALIZATION, FIRST_GUESS)
_LIKE_TREE_LSTM = {"learning_rate": 0.01, "schedule": "constant", "dropout": 0.2, "l2": 5e-5, "averaging": 0.995}

REMEDIES = (
    Remedy("depth-dropout", *_DEPTH, "Twice the dropout, 0.2", {"dropout": 0.2}),
    Remedy("depth-l2", *_DEPTH, "More L2, 2e-4", {"l2": 2e-4}),
    Remedy("depth-data", *_DEPTH, "Twice as many equations, in a data set made for this", data=MORE_DATA),
    Remedy("data-settings", *_DATA, "All settings as TreeLSTM has them", _LIKE_TREE_LSTM, rival="tree-lstm"),
    Remedy("data-weight", *_DATA, "Numbers weigh a tenth, 0.3", {"numeric_weight": 0.3}, rival="tree-lstm"),
    Remedy("data-plain-weight", *_DATA_PLAIN, "Numbers weigh a tenth, 0.1", {"numeric_weight": 0.1}, rival="tree-nn"),
    Remedy("data-plain-late", *_DATA_PLAIN, "A rate that falls at the end", {"schedule": "late"}, rival="tree-nn"),
    Remedy("error-weight", *_ERROR, "Numbers weigh more, 10", {"numeric_weight": 10.0}, rival="tree-nn+data"),
    Remedy("error-cosine", *_ERROR, "A rate that falls all the time", {"schedule": "cosine"}, rival="tree-nn+data"),
    Remedy("error-dropout", *_ERROR, "No dropout", {"dropout": 0.0}, rival="tree-nn+data"),
    Remedy("guess-dropout", *_GUESS, "Dropout, 0.1", {"dropout": 0.1}, rival="lstm"),
    Remedy("guess-l2", *_GUESS, "Some L2, 1e-5", {"l2": 1e-5}, rival="lstm"),
    Remedy("guess-state", *_GUESS, "A larger state, 100 instead of 50", {"hidden": 100}, rival="lstm"),
)


def trial(remedy: Remedy, seed: int, root: Path, data: Mapping[str, Data], epochs: int | None = None) -> Trial:
    """The training of a remedy with one seed, for the model's number of epochs unless another is asked for."""
    name = f"{remedy.name}-{seed}"
    configuration = make_configuration(remedy.model, remedy.split, seed, **remedy.settings, epochs=epochs)
    return Trial(name, Path(root).resolve() / name, configuration, data[remedy.data])


def finished(training: Trial) -> Run:
    """The run that a remedy's training left behind."""
    configuration, directory = training.configuration, training.directory
    config, results = (artifacts.read_json(directory / name) for name in ("config.json", "results.json"))
    return Run(configuration.model, configuration.split, configuration.seed, 1.0, directory, config, results)


def _score(run: Run, measure: str) -> float | None:
    return {**run.measures(DEV_CHOSEN), **run.completion}.get(measure)


def _dev_accuracy(run: Run) -> float:
    return flat_measures(run.results["dev"])[ACCURACY]


def row(remedy: Remedy, archive: Archive, trained: Sequence[Run]) -> dict | None:
    """What a remedy did in the seeds that have a reference run too, in numbers and in words; None without any."""
    references = {run.seed: run for run in archive.select(remedy.split, remedy.model)}
    pairs = [(references[run.seed], run) for run in trained if run.seed in references]
    pairs = [pair for pair in pairs if None not in (_score(each, remedy.measure) for each in pair)]
    if not pairs:
        return None
    seeds = [run.seed for _, run in pairs]
    place = COMPLETION if remedy.measure == FIRST_GUESS else remedy.split
    rivals = archive.values(remedy.rival, place, remedy.measure)
    found = {
        "claim": next(claim.statement for claim in CLAIMS if claim.key == remedy.claim),
        "remedy": f"{MODEL_NAMES[remedy.model]}, {SPLIT_TITLES[remedy.split]}: {remedy.words}",
        "settings": dict(remedy.settings),
        "data": remedy.data,
        "seeds": seeds,
        "measure": remedy.measure,
        "dev_accuracies": [[_dev_accuracy(run) for run in pair] for pair in pairs],
        "scores": [[_score(run, remedy.measure) for run in pair] for pair in pairs],
        "rival": MODEL_NAMES.get(remedy.rival),
        "rival_scores": [rivals[seed] for seed in seeds if seed in rivals],
        "paper": paper_value(remedy.model, place, remedy.measure),
    }
    return {**found, "outcome": outcome_text(found)}


def outcome_text(found: dict) -> str:
    """`dev 97.93 → 98.10 %, test 83.92 → 84.71 % (paper 96.17 %; TreeLSTM 96.45 %); 2 seeds`."""
    name, decimals, unit = MEASURES[found["measure"]]
    dev, scores = (
        " → ".join(f"{fmean(column):.{places}f}" for column in zip(*found[key], strict=True))
        for key, places in (("dev_accuracies", 2), ("scores", decimals))
    )
    beside = [f"paper {found['paper']:.{decimals}f}{unit}"] if found["paper"] is not None else []
    beside += [f"{found['rival']} {fmean(found['rival_scores']):.{decimals}f}{unit}"] if found["rival_scores"] else []
    seeds = "one seed" if len(found["seeds"]) == 1 else f"{len(found['seeds'])} seeds"
    text = f"dev {dev} %, {name} {scores}{unit}"
    return f"{text} ({'; '.join(beside)}); {seeds}" if beside else f"{text}; {seeds}"
