"""Finished completion.json files of runs; measures leave here in per cent (accuracies) or as they are (errors)."""

from typing import NamedTuple, TypedDict

from .. import artifacts, shapes
from ..measures import TOP_K, TOP_K_MSE, Measure
from ..training.run_directory import FinishedRun

RESULTS, EXAMPLES = "completion.json", "completion-examples.json"
RANDOM, MOST_FREQUENT, PERFECT = "random", "most_frequent", "perfect"


class _Averages(TypedDict):
    equations: int
    top_k: list[float]
    mean_reciprocal_rank: float


class _Symbolic(_Averages):
    random: _Averages
    most_frequent: _Averages
    by_blank_height: dict[str, _Averages]
    by_blank_level: dict[str, _Averages]
    by_equation_depth: dict[str, _Averages]
    by_correct_candidates: dict[str, _Averages]


class _Errors(TypedDict):
    top_k_mse: list[float]


class _Numeric(_Errors):
    perfect: _Errors
    random: _Errors


class _Head(NamedTuple):
    """What both files begin with; a limit means that they are about a part of the test set."""

    run: str
    limit: int | None


class _Content(NamedTuple):
    """What the file says."""

    run: str
    limit: int | None
    symbolic: _Symbolic
    numeric: _Numeric | None


class Completion(NamedTuple):
    """What one run scores in filling blanks."""

    run: FinishedRun
    symbolic: dict
    numeric: dict | None

    @property
    def measures(self) -> dict[Measure, float]:
        """The averages over all blanks."""
        shares = dict(zip(TOP_K, (100 * share for share in self.symbolic["top_k"]), strict=False))
        return shares | dict(zip(TOP_K_MSE, (self.numeric or {}).get("top_k_mse", ()), strict=False))


def read_completion(run: FinishedRun) -> Completion | None:
    """The results of a run; None while it has none, or only some on a part of the test set."""
    path = run.directory / RESULTS
    artifacts.is_there(run.directory / EXAMPLES)  # which are read later, if at all
    if not artifacts.is_there(path) or shapes.read(_Head, path).limit:
        return None
    content = shapes.read(_Content, path, sealed=True)
    run.refuse_other(path, content.run)
    return Completion(run, content.symbolic, content.numeric)


class Examples(TypedDict):
    """What completion-examples.json says; `evaluations` and `curves` are there where numbers were completed."""

    run: str
    limit: int | None
    symbolic: list[dict]


def read_examples(run: FinishedRun) -> Examples | None:
    """The examples of a run; None while it has none, or only some of a part of the test set."""
    path = run.directory / EXAMPLES
    if not artifacts.is_there(path) or shapes.read(_Head, path).limit:
        return None
    examples = shapes.read(Examples, path, sealed=True)
    run.refuse_other(path, examples["run"])
    return examples
