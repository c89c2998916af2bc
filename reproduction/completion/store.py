"""Finished completion.json files of runs; measures leave here in per cent (accuracies) or as they are (errors)."""

from typing import NamedTuple

from .. import artifacts
from ..measures import TOP_K, TOP_K_MSE, Measure
from ..shapes import shaped
from ..training.run_directory import FinishedRun

RESULTS, EXAMPLES = "completion.json", "completion-examples.json"
RANDOM, MOST_FREQUENT, PERFECT = "random", "most_frequent", "perfect"


class _Content(NamedTuple):
    """What the file says; a limit means that it is about a part of the test set."""

    limit: int | None
    symbolic: dict = {}  # noqa: RUF012
    numeric: dict | None = None


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
    if not path.is_file():
        return None
    limit, *scores = shaped(_Content, artifacts.read_json(path), path)
    return None if limit else Completion(run, *scores)
