"""Completion for run directories: the model as a scorer, and whether its results are there already."""

from pathlib import Path

from .. import artifacts
from ..data.dataset import Dataset
from ..errors import InputError
from ..training.configuration import Configuration, read_configuration
from .evaluation import Scorer
from .store import EXAMPLES, RESULTS

PARAMETERS, CHECKSUM = "best.params", "best.params.sha256"  # results are kept where parameters may be gone


def read_run(directory: Path) -> tuple[dict, Configuration]:
    """The config.json of a finished run as it is, and what it says of the model."""
    path = directory / "config.json"
    for needed in (path, directory / CHECKSUM):
        if not needed.is_file():
            raise InputError(f"{directory}: not a finished run, {needed.name} is missing (make one with `train`)")
    row = artifacts.read_json(path)
    return row, read_configuration(row, str(path))


def load_scorer(directory: Path, row: dict, functions: tuple[str, ...]) -> Scorer:
    """The trained model of a run; candidates are made of these functions."""
    from ..training.loading import load_model
    from .sequence_scorer import SequenceScorer
    from .tree_scorer import TreeScorer  # MXNet takes two seconds to import

    model = load_model(directory, {**row, "device": "cpu"})
    if row["tokens"]:
        return SequenceScorer(model, row["tokens"], functions)
    return TreeScorer(model, functions)


def heading(directory: Path, configuration: Configuration, dataset: Dataset, limit: int | None) -> dict:
    """What the results are of: the first part of completion.json."""
    return {
        "model": configuration.model,
        "split": configuration.split,
        "seed": configuration.seed,
        "data_fingerprint": dataset.fingerprint,
        "parameters": artifacts.read_text(directory / CHECKSUM).strip(),
        "limit": limit,
    }


def is_done(directory: Path, head: dict) -> bool:
    """Whether the directory holds results of this very model, data and limit."""
    if not all((directory / name).is_file() for name in (RESULTS, EXAMPLES)):
        return False
    try:
        stored = artifacts.read_json(directory / RESULTS)
    except InputError:
        return False
    return all(name in stored and stored[name] == value for name, value in head.items())


def write_results(directory: Path, head: dict, results: dict, examples: dict) -> None:
    """Both files; completion.json comes last, it says that all is there."""
    artifacts.write_json(directory / EXAMPLES, examples, indent=None)
    artifacts.write_json(directory / RESULTS, {**head, **results})
