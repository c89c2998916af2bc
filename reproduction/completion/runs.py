"""Completion for run directories: the model as a scorer, and whether its results are there already."""

from pathlib import Path

from .. import artifacts
from ..data.dataset import Dataset
from ..errors import InputError
from ..training.run_directory import CHECKSUM, CONFIG, FinishedRun, other_setting, read_run
from ..training.run_directory import RESULTS as RUN_RESULTS
from .evaluation import Scorer
from .store import EXAMPLES, RESULTS


def trained_run(directory: Path) -> FinishedRun:
    """The finished run in a directory."""
    for needed in (CONFIG, RUN_RESULTS, CHECKSUM):
        if not (directory / needed).is_file():
            raise InputError(f"{directory}: not a finished run, {needed} is missing (make one with `train`)")
    return read_run(directory)


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
    """What the results are of: the first part of completion.json."""
    return {
        "model": run.model,
        "split": run.split,
        "seed": run.seed,
        "data_fingerprint": dataset.fingerprint,
        "parameters": artifacts.read_text(run.directory / CHECKSUM).strip(),
        "limit": limit,
    }


def is_done(directory: Path, head: dict) -> bool:
    """Whether the directory holds results of this very model, data and limit."""
    if not all((directory / name).is_file() for name in (RESULTS, EXAMPLES)):
        return False
    try:
        return other_setting(artifacts.read_json(directory / RESULTS), head) is None
    except InputError:
        return False


def write_results(directory: Path, head: dict, results: dict, examples: dict) -> None:
    """Both files; completion.json comes last, it says that all is there."""
    artifacts.write_json(directory / EXAMPLES, examples, indent=None)
    artifacts.write_json(directory / RESULTS, {**head, **results})
