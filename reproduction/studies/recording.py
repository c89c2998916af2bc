"""Rows of finished trainings: everything that tables and figures are made of, read from the run's directory."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .. import artifacts
from ..completion.store import read_completion, read_examples
from ..data.dataset import SYMBOLIC
from ..models import MODELS
from ..rows import BEST_ON_TEST, DEV, FINGERPRINT, Row, read_rows, rows_file
from ..rows import CHECKSUM as SPLIT_CHECKSUM
from ..training.configuration import Configuration, make_configuration
from ..training.records import Scores, Verification
from ..training.run_directory import FinishedRun, is_finished, read_run
from .core import Case
from .trainings import training_directory

DECIDING = ("language", "data", "networks", "training")  # the rooms whose code decides what a training gives
SOURCES = (".py", ".h", ".cc", ".txt", ".json")
MILESTONES = ("90", "95", "97")  # per cent on dev


def code_digest(*rooms: str) -> str:
    """A digest of the package's sources as they lie on this machine's disk now, or of those of some rooms."""
    digest, package = hashlib.sha256(), artifacts.ROOT / "reproduction"
    places = [package / room for room in rooms] or [package]
    for path in sorted(path for place in places for path in place.rglob("*") if path.suffix in SOURCES):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


@cache
def _deciding_code() -> str:
    return code_digest(*DECIDING)


# ------------------------------------------------------------------------------------------------ a row


def row_of(run: FinishedRun, study: str, case: Case) -> Row:
    """All that is known of a finished training, flat."""
    results = run.results
    row = {
        **case.settings(),
        **case.head(study),
        "best_epoch": results.best_epoch,
        "diverged": results.diverged,
        "parameters": results.parameters,
        **_measures(results.test, ""),
        **_numeric_equations(run),
        **_sizes(results.test),
        **_measures(results.dev, DEV),
        **_best_on_test(results.best_on_test),
        **_deep(run),
        **_blanks(run),
        **_clock(run),
        FINGERPRINT: run.data_fingerprint,
        SPLIT_CHECKSUM: run.split_checksum,
    }
    head = case.head(study)
    return {**head, **{name: value for name, value in row.items() if value is not None and name not in head}}


def _measures(scores: Scores, prefix: str) -> Row:
    return {f"{prefix}{measure.name}": value for measure, value in scores.measures.items()}


def _best_on_test(scores: Scores | None) -> Row:
    return {f"{BEST_ON_TEST}epoch": scores.epoch, **_measures(scores, BEST_ON_TEST)} if scores else {}


def _sizes(test: Scores) -> Row:
    """How many equations the test set has."""
    by_depth = {f"count_depth_{depth}": score.count for depth, score in test.symbolic.by_depth.items()}
    numeric = {"count_mse_all": test.evaluations.count_all} if test.evaluations else {}
    return {"count": sum(by_depth.values()), **by_depth, **numeric}


def _numeric_equations(run: FinishedRun) -> Row:
    """Per cent right of the numeric equations that are verified, and of them and the symbolic test equations together.

    With an unseen depth all numeric equations are for training or dev: those of dev stand in for those of test, as the
    epoch is not chosen by how they are verified.
    """
    scored = [part for part in (run.results.test, run.results.dev) if part.numeric]
    if not scored or not scored[0].numeric:
        return {}
    numeric, symbolic = scored[0].numeric, run.results.test.symbolic
    hits, count = (sum(pair) for pair in zip(*map(_hits, (numeric, symbolic)), strict=True))
    return {"numeric_accuracy": 100 * numeric.accuracy, "together_accuracy": 100 * hits / count}


def _hits(scores: Verification) -> tuple[float, int]:
    count = sum(depth.count for depth in scores.by_depth.values())
    return scores.accuracy * count, count


def _deep(run: FinishedRun) -> Row:
    if not (deep := run.stored_deep):
        return {}
    accuracies = {f"deep_{depth}": value for depth, value in deep.accuracies.items()}
    counts = {f"count_deep_{depth}": score.count for depth, score in deep.by_depth.items()}
    return {**accuracies, **counts, "deep_fingerprint": deep.data_fingerprint}


def _blanks(run: FinishedRun) -> Row:
    completion = read_completion(run)
    if not completion:
        return {}
    averages = {measure.name: value for measure, value in completion.measures.items()}
    return {**averages, "mean_reciprocal_rank": completion.symbolic["mean_reciprocal_rank"]}


def _clock(run: FinishedRun) -> Row:
    """What a clock or the machine says."""
    results = run.results
    return {
        "train_seconds": results.train_seconds,
        **{f"seconds_to_{goal}": results.seconds_to.get(int(goal)) for goal in MILESTONES},
        "equations_per_second": results.equations_per_second,
        "peak_memory_mb": results.peak_memory_mb,
        "engine": results.engine,
        "instead_of_fused": results.instead_of_fused,
        "compiler": results.compiler,
        "version": run.config.get("version"),
        "code": _deciding_code(),
    }


# ------------------------------------------------------------------------------------------------ details


def curves(run: FinishedRun) -> Row:
    """Dev accuracy and loss by epoch."""
    return {
        "dev_curve": [epoch.dev_accuracy for epoch in run.history],
        "loss_curve": [epoch.loss for epoch in run.history],
    }


def probabilities(run: FinishedRun) -> Row:
    """The probabilities of the symbolic test equations, in the order of the split."""
    tested = [each for each in run.predictions if each.part == "test" and each.id.startswith(SYMBOLIC[0])]
    return {"probabilities": [each.probability for each in tested]}


def filled_blanks(run: FinishedRun, with_examples: bool) -> Row:
    """What filling blanks scored, in groups, and the examples that a figure shows."""
    completion, examples = read_completion(run), read_examples(run) if with_examples else None
    if not completion:
        return {}
    numeric = {"numeric": completion.numeric} if completion.numeric else {}
    row: Row = {"blanks": {"symbolic": completion.symbolic, **numeric}}
    if examples:
        kept = ("symbolic", "numeric", "evaluations", "curves")
        row["examples"] = {name: value for name, value in examples.items() if name in kept}
    return row


# ------------------------------------------------------------------------------------------------ back to trainings


def configuration_of(row: Row) -> Configuration:
    """What the training of a row was asked for."""
    named = {name: value for name, value in row.items() if name in Configuration.__dataclass_fields__}
    model, split, seed = (named.pop(name) for name in ("model", "split", "seed"))
    named.pop("engine", None)  # the one that computed
    return make_configuration(model, split, seed, **named)


def trained(runs: Path, study: str) -> Iterator[tuple[Row, FinishedRun]]:
    """The rows of a study whose trainings lie on this machine, with these."""
    for row in read_rows(rows_file(runs, study)):
        if row["model"] in MODELS and "seed" in row:
            directory = training_directory(runs, configuration_of(row), row[FINGERPRINT])
            if is_finished(directory):
                yield row, read_run(directory)


def scored_later(run: FinishedRun) -> Row:
    """What other commands have scored since the training."""
    return {**_deep(run), **_blanks(run)}
