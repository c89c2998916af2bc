"""What the files of a run say, as values: scores of its parts, results, epochs and predictions."""

from collections.abc import Mapping
from typing import NamedTuple

from ..measures import ACCURACY, EVALUATION_ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, Measure, depth_measure


class DepthScore(NamedTuple):
    """How the equations of one depth are told right from wrong."""

    accuracy: float
    count: int  # type: ignore[assignment]  # a tuple has a method of this name


class Verification(NamedTuple):
    """How symbolic equations are told right from wrong; shares from 0 to 1."""

    accuracy: float
    precision: float
    recall: float
    by_depth: dict[int, DepthScore]


class Evaluations(NamedTuple):
    """How numbers are decoded."""

    mse: float | None
    mse_all: float | None
    accuracy: float
    count_all: int


class Scores(NamedTuple):
    """A part of the data, dev or test, at one epoch."""

    symbolic: Verification
    evaluations: Evaluations | None = None
    numeric: Verification | None = None  # numeric equations that are verified like symbolic ones
    together: Verification | None = None  # symbolic and numeric ones
    epoch: int | None = None

    @property
    def measures(self) -> dict[Measure, float]:
        """Every score there is; accuracies in per cent."""
        symbolic, evaluations = self.symbolic, self.evaluations
        shares = {ACCURACY: symbolic.accuracy, PRECISION: symbolic.precision, RECALL: symbolic.recall}
        shares |= {depth_measure(depth): score.accuracy for depth, score in symbolic.by_depth.items()}
        errors = {}
        if evaluations:
            shares[EVALUATION_ACCURACY] = evaluations.accuracy
            errors = {MSE: evaluations.mse, MSE_ALL: evaluations.mse_all}
        per_cent = {measure: 100 * share for measure, share in shares.items()}
        return per_cent | {measure: error for measure, error in errors.items() if error is not None}


class Results(NamedTuple):
    """What results.json says, of which run, and the SHA-256 of the run's other files."""

    dev: Scores
    test: Scores
    best_on_test: Scores | None
    best_epoch: int
    diverged: int | None  # the epoch in which something stopped being finite
    train_seconds: float
    seconds_to: dict[int, float | None]  # by per cent of dev accuracy
    equations_per_second: float | None
    parameters: int
    peak_memory_mb: float
    engine: str | None = None  # that computed the network
    instead_of_fused: str | None = None  # why it was not the fused one
    compiler: str | None = None  # of the fused operators
    run: str = ""
    files: dict[str, str] = {}  # noqa: RUF012


class Deep(NamedTuple):
    """What deep.json says: scores on the equations of a data set that are deeper than any the run learned from."""

    run: str
    data_fingerprint: str
    by_depth: dict[int, DepthScore]

    @property
    def accuracies(self) -> dict[int, float]:
        """In per cent, by depth."""
        return {depth: 100 * score.accuracy for depth, score in self.by_depth.items()}


class Epoch(NamedTuple):
    """A line of history.jsonl."""

    epoch: int
    loss: float
    dev_accuracy: float
    test_accuracy: float | None = None
    train_accuracy: float | None = None
    squared_error: float | None = None
    dev_mse: float | None = None
    test_mse: float | None = None
    learning_rate: float | None = None
    seconds: float | None = None


class Prediction(NamedTuple):
    """A line of predictions.jsonl.gz, at the epoch that dev chose: verified records have a probability."""

    part: str
    id: str
    probability: float | None = None
    decoded: float | None = None


def describe(divergence: Mapping) -> str:
    """A sentence without its end: where, and of what."""
    place = f"epoch {divergence['epoch']}, step {divergence['step']} of {divergence['steps']}"
    examples = divergence["examples"]
    batch = f" (batch: {', '.join(examples[:8])}{', …' if len(examples) > 8 else ''})" if examples else ""
    return f"{divergence['what']} stopped being finite in {place}{batch}"
