"""Completion for run directories: the model as a scorer, and whether its results are there already."""

from pathlib import Path

from .. import artifacts, shapes
from ..data.dataset import Dataset
from ..errors import InputError
from ..training.run_directory import PARAMETERS, FinishedRun, other_setting
from .evaluation import Scorer
from .store import EXAMPLES, RESULTS


def load_network(run: FinishedRun):
    """The trained model of a run, on the CPU."""
    from ..training.loading import load_model  # MXNet takes two seconds to import

    return load_model(run.directory, {**run.config, "device": "cpu"})


def load_scorer(run: FinishedRun, functions: tuple[str, ...], model=None) -> Scorer:
    """The trained model of a run, read now or before; candidates are made of these functions."""
    from .sequence_scorer import SequenceScorer
    from .tree_scorer import TreeScorer

    model = model or load_network(run)
    if run.configuration.kind.is_tree:
        return TreeScorer(model, functions)
    return SequenceScorer(model, run.config["tokens"], functions)


def heading(run: FinishedRun, dataset: Dataset, limit: int | None) -> dict:
    """What the results are of: the first part of both files."""
    return {
        "run": run.results.run,
        "model": run.model,
        "split": run.split,
        "seed": run.seed,
        "data_fingerprint": dataset.fingerprint,
        "parameters": run.results.files.get(PARAMETERS),
        "limit": limit,
    }


def is_done(directory: Path, head: dict) -> bool:
    """Whether the directory holds results of this very model, data and limit."""
    if not all(artifacts.is_there(directory / name) for name in (RESULTS, EXAMPLES)):
        return False
    try:
        stored = (shapes.read(dict, directory / name, sealed=True) for name in (RESULTS, EXAMPLES))
        return all(other_setting(each, head) is None for each in stored)
    except InputError:
        return False


def write_results(directory: Path, head: dict, results: dict, examples: dict) -> None:
    """Both files; completion.json comes last, it says that all is there."""
    artifacts.write_sealed(directory / EXAMPLES, {**head, **examples}, indent=None)
    artifacts.write_sealed(directory / RESULTS, {**head, **results})
