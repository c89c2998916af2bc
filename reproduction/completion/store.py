"""What filling blanks scored, in the directory of a run: completion.json, and completion-examples.json beside it."""

from pathlib import Path
from typing import Any, NamedTuple

from .. import artifacts, shapes
from ..data.dataset import Dataset
from ..errors import InputError
from ..measures import TOP_K, TOP_K_MSE, Measure
from ..training.run_directory import PARAMETERS, FinishedRun, other_setting

RESULTS, EXAMPLES = "completion.json", "completion-examples.json"
RANDOM, MOST_FREQUENT, PERFECT = "random", "most_frequent", "perfect"
PAPER, TEST = "paper", "test"  # where an example is from


class _Head(NamedTuple):
    """What both files begin with; a limit means that they are about a part of the test set."""

    run: str
    limit: int | None


class Completion(NamedTuple):
    """What a run scores in filling blanks, as completion.json says it."""

    symbolic: dict[str, Any]
    numeric: dict[str, Any] | None

    @property
    def measures(self) -> dict[Measure, float]:
        """The averages over all blanks."""
        shares = dict(zip(TOP_K, (100 * share for share in self.symbolic["top_k"]), strict=False))
        return shares | dict(zip(TOP_K_MSE, (self.numeric or {}).get("top_k_mse", ()), strict=False))


def _read(run: FinishedRun, name: str, kind: type) -> Any:
    """What a file of a run says; None while it is not there, or is about a part of the test set."""
    path = run.directory / name
    if not artifacts.is_there(path) or shapes.read(_Head, path).limit:
        return None
    run.refuse_other(path, shapes.read(_Head, path, sealed=True).run)
    return shapes.read(kind, path)


def read_completion(run: FinishedRun) -> Completion | None:
    """The results of a run; None while it has none, or only some on a part of the test set."""
    return _read(run, RESULTS, Completion)


def read_examples(run: FinishedRun) -> dict[str, Any] | None:
    """The examples of a run; `evaluations` and `curves` are there where numbers were completed."""
    return _read(run, EXAMPLES, dict)


def heading(run: FinishedRun, dataset: Dataset, limit: int | None) -> dict[str, Any]:
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


def is_done(directory: Path, head: dict[str, Any]) -> bool:
    """Whether the directory holds results of this very model, data and limit."""
    if not all(artifacts.is_there(directory / name) for name in (RESULTS, EXAMPLES)):
        return False
    try:
        stored = (shapes.read(dict, directory / name, sealed=True) for name in (RESULTS, EXAMPLES))
        return all(other_setting(each, head) is None for each in stored)
    except InputError:
        return False


def write_results(directory: Path, head: dict[str, Any], results: dict, examples: dict) -> None:
    """Both files; completion.json comes last, it says that all is there."""
    artifacts.write_sealed(directory / EXAMPLES, {**head, **examples}, indent=None)
    artifacts.write_sealed(directory / RESULTS, {**head, **results})
