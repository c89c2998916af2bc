"""One loop for all models: epochs of batches, the best epoch chosen on dev, and runs that can be killed at any time.

A run directory holds config.json, history.jsonl (a row an epoch), and at the end best.params, predictions.jsonl.gz and
results.json; until then also checkpoint.npz. Everything but times is the same after a kill as without one: the order of
batches and dropout depend on (seed, epoch) only, and checkpoints are written between epochs. For the same reason a run
with a constant rate may begin with the checkpoint of one that was asked for fewer epochs.
"""

import math
import time
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from .. import artifacts, shapes
from ..data.dataset import Dataset, Split
from ..machine import peak_memory_mb
from ..networks.backend import mx, nd
from ..networks.batches import StepOutcomes
from ..networks.fused.library import compiled_by
from .configuration import Configuration
from .loading import write_parameters
from .run import SCORES, Divergence, Snapshot, Training, first_bad_step, trouble
from .run_directory import (
    CONFIG,
    HISTORY,
    PARAMETERS,
    PREDICTIONS,
    RESULTS,
    is_finished,
    read_config,
    read_run,
    refuse_other_run,
    write_results,
)
from .scoring import choose_threshold, part_scores, prediction_rows

CHECKPOINT_SECONDS = 5.0
MILESTONES = (90, 95, 97)  # per cent of dev accuracy


def rate_factor(schedule: str, done: float) -> float:
    """What the learning rate is multiplied by when this share of the training is done."""
    return {
        "constant": 1.0,
        "linear": 1 - done,
        "cosine": 0.5 * (1 + math.cos(math.pi * done)),
        "late": min(1.0, 2 * (1 - done)),  # falls in the second half
    }[schedule]


def _rate(run: Training, done: float) -> float:
    """The learning rate when this share of the epoch is done."""
    configuration = run.configuration
    factor = rate_factor(configuration.schedule, (run.progress.epoch + done) / configuration.epochs)
    return configuration.learning_rate * factor


def _order(run: Training) -> np.random.Generator:
    """The generator of the epoch's order and masks."""
    return np.random.default_rng([run.configuration.seed, run.progress.epoch])


def _steps(run: Training, steps: int | None = None) -> StepOutcomes:
    """The epoch, or its first steps; the same ones from the same parameters."""
    seed = np.random.SeedSequence([run.configuration.seed, run.progress.epoch]).generate_state(1)[0] >> 1
    mx.random.seed(int(seed))
    return run.learner.train_epoch(_order(run), partial(_rate, run), run.optimizer, steps)


def _diverged(run: Training, before: Snapshot, count: int) -> Divergence:
    """Where the epoch that was just made went wrong; parameters and optimizer are put back to its beginning."""

    def trouble_after(steps: int) -> str | None:
        before.put_back()
        return trouble(_steps(run, steps), run.model.flat, run.optimizer)

    step, what = first_bad_step(count, trouble_after)
    before.put_back()
    examples = run.learner.batch_examples(_order(run), step - 1)
    return Divergence(what, run.progress.epoch + 1, step, count, examples)


def _train_epoch(run: Training) -> dict | Divergence:
    """One pass over the training examples; the part of the history row that tells about it, or what went wrong."""
    configuration, epoch = run.configuration, run.progress.epoch
    before = Snapshot(run.model.flat, run.optimizer)
    started = time.perf_counter()
    steps = _steps(run)
    run.progress.computing_seconds += time.perf_counter() - started
    pairs, count = int(steps.pairs.sum()), len(steps.pairs)
    if trouble(steps, run.model.flat, run.optimizer):
        return _diverged(run, before, count)
    decoded = (steps.examples.sum() - pairs) * configuration.numeric_weight
    return {
        "epoch": epoch + 1,
        "learning_rate": _rate(run, (count - 1) / count),
        "loss": float(np.dot(steps.logistic, steps.examples)) / pairs,
        "squared_error": float(np.dot(steps.squared, steps.examples) / decoded) if decoded else None,
        "train_accuracy": int(steps.hits.sum()) / pairs,
    }


def dev_score(dev: dict) -> float:
    """What the epoch is chosen by: the accuracy, less the mean squared error of evaluations if there are any."""
    return dev["symbolic"]["accuracy"] - (dev.get("evaluations", {}).get("mse") or 0.0)


def _score_epoch(run: Training, row: dict, seconds: float) -> Divergence | None:
    """Scores dev and test, remembers the best epoch of each, and adds the row to the history, if all is finite."""
    progress, started = run.progress, time.perf_counter()
    dev_predictions = run.learner.predict("dev")
    threshold = choose_threshold(run.parts.dev, dev_predictions)
    dev = part_scores(run.parts.dev, dev_predictions, threshold)
    seconds += time.perf_counter() - started  # scoring test is not part of training
    test = part_scores(run.parts.test, run.learner.predict("test"), threshold)
    if not (math.isfinite(dev_score(dev)) and math.isfinite(dev_score(test))):
        steps = run.optimizer.steps // (progress.epoch + 1)  # all epochs have as many
        return Divergence(SCORES, progress.epoch + 1, steps, steps, ())
    progress.epoch += 1
    if dev_score(dev) > progress.best_score:
        progress.best_score, progress.best_epoch = dev_score(dev), progress.epoch
        run.best = run.model.flat.data.asnumpy()
    if progress.best_on_test is None or test["symbolic"]["accuracy"] > progress.best_on_test["symbolic"]["accuracy"]:
        progress.best_on_test = {"epoch": progress.epoch, **test}
    row |= {"dev_accuracy": dev["symbolic"]["accuracy"], "test_accuracy": test["symbolic"]["accuracy"]}
    for name, scores in (("dev_mse", dev), ("test_mse", test)):
        row[name] = scores.get("evaluations", {}).get("mse")
    row["seconds"] = (progress.history[-1]["seconds"] if progress.history else 0.0) + seconds
    progress.history.append(row)
    progress.peak_memory_mb = max(progress.peak_memory_mb, peak_memory_mb())
    return None


def _epoch(run: Training, started: float) -> Divergence | None:
    """An epoch of training and its scores; what went wrong, if something did."""
    row = _train_epoch(run)
    if isinstance(row, Divergence):
        return row
    with run.optimizer.scored_parameters():
        return _score_epoch(run, row, time.perf_counter() - started)


def _write_history(run: Training) -> None:
    artifacts.write_lines(run.directory / HISTORY, run.progress.history)


def _seconds_to(history: list[dict], per_cent: int) -> float | None:
    return next((row["seconds"] for row in history if 100 * row["dev_accuracy"] >= per_cent), None)


def _finish(run: Training, keep_checkpoint: bool) -> dict:
    """Writes parameters, predictions and results of the epoch that dev chose; results.json says that all is there."""
    progress, parts = run.progress, run.parts
    run.model.flat.data[:] = nd.array(run.best)
    predictions = {name: run.learner.predict(name) for name in ("dev", "test")}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    rows = [row for name, found in predictions.items() for row in prediction_rows(name, getattr(parts, name), found)]
    write_parameters(run.directory / PARAMETERS, run.model)
    artifacts.write_lines_gz(run.directory / PREDICTIONS, rows)
    seconds = progress.history[-1]["seconds"] if progress.history else 0.0
    examples = run.learner.train_size * len(progress.history)
    results = {
        **{name: part_scores(getattr(parts, name), found, threshold) for name, found in predictions.items()},
        "best_on_test": progress.best_on_test,
        "best_epoch": progress.best_epoch,
        "epochs": len(progress.history),
        "diverged": progress.diverged,
        "divergence": progress.divergence,
        "train_seconds": seconds,
        "seconds_to": {str(per_cent): _seconds_to(progress.history, per_cent) for per_cent in MILESTONES},
        "equations_per_second": examples / progress.computing_seconds if examples else None,
        "engine": run.learner.engine,
        "instead_of_fused": run.learner.instead_of_fused,
        "compiler": compiled_by() if run.learner.engine == "fused" else None,
        "parameters": len(run.model.flat),
        "peak_memory_mb": progress.peak_memory_mb,
    }
    _write_history(run)
    results = write_results(run.directory, run.row, results)
    if not keep_checkpoint:
        run.checkpoint.unlink(missing_ok=True)
    return results


def _refuse_other(directory: Path, row: dict) -> None:
    """Refuses the directory of another run. A checkpoint of other code is refused later."""
    wanted = {name: value for name, value in row.items() if name != "version"}
    if (directory / CONFIG).is_file():
        refuse_other_run(directory / CONFIG, read_config(directory), wanted)


def stored_results(directory: Path) -> dict:
    """What results.json of a finished run says, as `train` gives it."""
    read_run(directory)
    return shapes.read(dict, directory / RESULTS)


def train(
    configuration: Configuration,
    dataset: Dataset,
    split: Split,
    directory: Path,
    tensorboard: bool = False,
    earlier: Path | None = None,  # a finished run of the same with fewer epochs, to begin with its checkpoint
    keep_checkpoint: bool = False,  # so that a run with more epochs can begin with it
) -> dict:
    """Trains to the end, from the checkpoint if there is one; the content of results.json."""
    run = Training(configuration, dataset, split, directory)
    _refuse_other(run.directory, run.row)
    if is_finished(run.directory):
        return stored_results(run.directory)
    run.restore(earlier)
    artifacts.write_json(run.directory / CONFIG, run.row)  # all input is known to be good now
    saved, progress = time.perf_counter(), run.progress
    bar = tqdm(total=configuration.epochs, initial=progress.epoch, unit="epoch", disable=None, desc=configuration.model)
    with bar:
        while progress.epoch < configuration.epochs and progress.diverged is None:
            started = time.perf_counter()
            divergence = _epoch(run, started)
            if divergence:
                progress.diverged = divergence.epoch
                progress.divergence = {**asdict(divergence), "examples": list(divergence.examples)}
                break
            _write_history(run)
            if time.perf_counter() - saved > CHECKPOINT_SECONDS:
                run.save()
                saved = time.perf_counter()
            bar.set_postfix(dev=f"{100 * progress.history[-1]['dev_accuracy']:.2f} %", best=progress.best_epoch)
            bar.update()
    if tensorboard:
        write_tensorboard(run.directory, progress.history)
    if keep_checkpoint:
        run.save()
    return _finish(run, keep_checkpoint)


def write_tensorboard(directory: Path, history: list[dict]) -> None:
    """The history as event files for TensorBoard."""
    from tensorboardX import SummaryWriter

    with SummaryWriter(str(directory / "tensorboard")) as writer:
        for row in history:
            for name, value in row.items():
                if name != "epoch" and value is not None:
                    writer.add_scalar(name, value, row["epoch"])
