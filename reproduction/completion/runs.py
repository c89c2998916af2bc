"""Completion for run directories: the model as a scorer, and whether its results are there already."""

from pathlib import Path
from typing import TYPE_CHECKING

from .. import artifacts, shapes
from ..data.dataset import Dataset
from ..errors import InputError
from ..training.run_directory import PARAMETERS, FinishedRun, other_setting
from .store import EXAMPLES, RESULTS

if TYPE_CHECKING:
    from ..networks.network import ExpressionNetwork
    from .scorers import Scorer


def load_network(run: FinishedRun) -> "ExpressionNetwork":
    """The trained network of a run, on the CPU."""
    from ..training.loading import load_model  # MXNet takes two seconds to import

    return load_model(run.directory, {**run.config, "device": "cpu"})


def load_scorer(run: FinishedRun, functions: tuple[str, ...], network: "ExpressionNetwork | None" = None) -> "Scorer":
    """The trained network of a run, read now or before; candidates are made of these functions."""
    return run.configuration.kind.part("scorer")(network or load_network(run), functions)


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
