"""One loop for all models: epochs of batches, the best epoch chosen on dev, and runs that can be killed at any time.

A run directory holds config.json, history.jsonl (a row an epoch), and at the end best.params, predictions.jsonl.gz and
results.json; until then also checkpoint.npz. Everything but times is the same after a kill as without one: the order of
batches and dropout depend on (seed, epoch) only, and checkpoints are written between epochs. For the same reason a run
with a constant rate may begin with the checkpoint of one that was asked for fewer epochs.

An epoch may be one call, so whether it diverged is looked at when it is over: losses, parameters and what the optimizer
keeps. Where something is not finite, everything is put back to the beginning of that epoch, and the run ends there.
"""

import json
import math
import re
import resource
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from .. import VERSION, artifacts, shapes
from ..artifacts import owned
from ..data.dataset import Dataset, Split, load
from ..data.splits import stored_split
from ..errors import InputError
from ..networks.backend import mx, nd
from ..networks.batches import StepOutcomes
from ..networks.fused.library import compiled_by
from ..networks.network import write_parameters
from ..networks.optimizers import FlatOptimizer, OptimizerSettings
from . import run_directory
from .configuration import Configuration
from .learners import configured_parts, new_learner
from .run_directory import CHECKPOINT, CONFIG, HISTORY, PARAMETERS, PREDICTIONS, Training, refuse_other_run
from .scoring import choose_threshold, part_scores, prediction_rows

CHECKPOINT_SECONDS = 5.0
MILESTONES = (90, 95, 97)  # per cent of dev accuracy
LOSS, LEARNED, SCORES = "the loss", "the parameters", "the scores"


class Divergence(NamedTuple):
    """What was not finite, and when; where it was a loss, in which step (from 1), and the ids of its batch."""

    what: str
    epoch: int
    step: int
    steps: int
    examples: list[str]  # a number stands for one that is encoded and decoded


@dataclass
class Progress:
    """How far a run has come; all of it goes into the checkpoint."""

    epoch: int = 0
    history: list[dict] = field(default_factory=list)
    best_epoch: int = 0
    best_score: float = -math.inf
    best_on_test: dict | None = None
    diverged: int | None = None  # the epoch in which something stopped being finite
    divergence: dict | None = None
    computing_seconds: float = 0.0
    peak_memory_mb: float = 0.0


class Run:
    """A run in its directory: its network, its optimizer, and how far it has come."""

    def __init__(self, configuration: Configuration, dataset: Dataset, split: Split, directory: Path):
        self.configuration, self.directory = configuration, Path(directory)
        self.parts = configured_parts(configuration, dataset, split)
        vocabulary = configuration.kind.part("vocabulary")(configuration, dataset, self.parts)
        self.learner = new_learner(configuration, vocabulary, self.parts)
        self.network = self.learner.network
        origin = {"version": VERSION, "data_fingerprint": dataset.fingerprint, "split_checksum": split.checksum}
        row = {**origin, **configuration.as_row(), **vocabulary._asdict()}
        self.row = json.loads(json.dumps(row))  # as it is read back: lists instead of tuples
        shared = ("batch_size", "momentum", "clip", "l2", "averaging", "seed")
        settings = {name: getattr(configuration, name) for name in shared}
        self.optimizer = FlatOptimizer(self.network.flat, OptimizerSettings(configuration.optimizer, **settings))
        self.progress = Progress()
        self.best = self.network.flat.data.asnumpy()
        self.checkpoint = self.directory / CHECKPOINT
        self.identity = {**self.row, "engine": self.learner.engine}  # what must be the same for a run to go on

    def arrays(self) -> dict[str, np.ndarray]:
        """The parameters, and what the optimizer keeps."""
        kept = {"parameters": self.network.flat.data, **self.optimizer.arrays()}
        return {name: array.asnumpy() for name, array in kept.items()}

    def take(self, arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Goes back, or on, to these after so many steps."""
        self.network.flat.data[:] = nd.array(arrays["parameters"], dtype=self.network.flat.data.dtype)
        self.optimizer.restore(arrays, steps)

    def save(self) -> None:
        arrays = {**self.arrays(), "best": self.best}
        if not are_finite(arrays):
            raise FloatingPointError(f"{self.checkpoint}: not written, it would hold something that is not finite")
        row = {"run": self.identity, "steps": self.optimizer.steps, "capacity": self.learner.capacity}
        run_directory.write_checkpoint(self.checkpoint, arrays, {**row, "progress": vars(self.progress)})

    def restore(self, earlier: Path | None = None) -> None:
        """Goes on where a checkpoint of this very run stopped, or else one of the same run with fewer epochs."""
        if self.checkpoint.is_file():
            self._read(self.checkpoint)
        elif earlier is not None:
            self._read(run_directory.shorter_run(self.configuration, earlier), epochs=self.configuration.epochs)

    def _read(self, path: Path, **asked) -> None:
        """Takes over a checkpoint; it has to be of this run, but for what is asked of it, and of its shapes."""
        arrays, row = run_directory.read_checkpoint(path)
        try:
            refuse_other_run(path, {**row["run"], **asked}, self.identity)
            own = {name: array.shape for name, array in {**self.arrays(), "best": self.best}.items()}
            if {name: arrays[name].shape for name in arrays} != own or re.search(r"\d{9}", str(row["capacity"])):
                raise ValueError  # of no shape of this run's, or with a size that no batch has
            self.progress = shapes.shaped(Progress, row["progress"], path)
            if row["capacity"] is not None:
                self.learner.capacity = row["capacity"]
            self.take(arrays, int(row["steps"]))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(f"{path}: {run_directory.NO_CHECKPOINT}") from None
        self.best = arrays["best"]


def peak_memory_mb() -> float:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def are_finite(arrays: Mapping[str, np.ndarray]) -> bool:
    return all(np.isfinite(array).all() for array in arrays.values())


# ------------------------------------------------------------------------------------------------ an epoch


def rate_factor(schedule: str, done: float) -> float:
    """What the learning rate is multiplied by when this share of the training is done."""
    return {
        "constant": 1.0,
        "linear": 1 - done,
        "cosine": 0.5 * (1 + math.cos(math.pi * done)),
        "late": min(1.0, 2 * (1 - done)),  # falls in the second half
    }[schedule]


def _rates(run: Run, steps: int) -> np.ndarray:
    """The learning rate of every step of the epoch."""
    asked, epoch = run.configuration, run.progress.epoch
    done = ((epoch + step / steps) / asked.epochs for step in range(steps))
    return np.array([asked.learning_rate * rate_factor(asked.schedule, each) for each in done])


def _order(run: Run) -> np.random.Generator:
    """The generator of the epoch's order and masks."""
    return np.random.default_rng([run.configuration.seed, run.progress.epoch])


def _train_epoch(run: Run) -> dict | Divergence:
    """One pass over the training examples; the part of the history row that tells about it, or what went wrong."""
    epoch, before, steps_before = run.progress.epoch, run.arrays(), run.optimizer.steps
    started = time.perf_counter()
    seed = np.random.SeedSequence([run.configuration.seed, epoch]).generate_state(1)[0] >> 1
    mx.random.seed(int(seed))
    steps = run.learner.train_epoch(_order(run), lambda count: _rates(run, count), run.optimizer)
    run.progress.computing_seconds += time.perf_counter() - started
    if divergence := _divergence(run, steps):
        run.take(before, steps_before)
        return divergence
    pairs, count = int(steps.pairs.sum()), len(steps.pairs)
    decoded = (steps.examples.sum() - pairs) * run.configuration.numeric_weight
    return {
        "epoch": epoch + 1,
        "learning_rate": float(_rates(run, count)[-1]),
        "loss": float(np.dot(steps.logistic, steps.examples)) / pairs,
        "squared_error": float(np.dot(steps.squared, steps.examples) / decoded) if decoded else None,
        "train_accuracy": int(steps.hits.sum()) / pairs,
    }


def _divergence(run: Run, steps: StepOutcomes) -> Divergence | None:
    """What is not finite after an epoch: a loss, and then the first, or only the parameters."""
    epoch, count = run.progress.epoch + 1, len(steps.pairs)
    bad = np.flatnonzero(~(np.isfinite(steps.logistic) & np.isfinite(steps.squared)))
    if len(bad):
        examples = run.learner.batch_examples(_order(run), int(bad[0]))
        return Divergence(LOSS, epoch, int(bad[0]) + 1, count, list(examples))
    return None if are_finite(run.arrays()) else Divergence(LEARNED, epoch, count, count, [])


def dev_score(dev: dict) -> float:
    """What the epoch is chosen by: the accuracy, less the mean squared error of evaluations if there are any."""
    return dev["symbolic"]["accuracy"] - (dev.get("evaluations", {}).get("mse") or 0.0)


def _score_epoch(run: Run, row: dict, started: float) -> dict | Divergence:
    """Scores dev and test, remembers the best epoch of each, and adds the row to the history, if all is finite."""
    progress = run.progress
    dev_predictions = run.learner.predict("dev")
    threshold = choose_threshold(run.parts.dev, dev_predictions)
    dev = part_scores(run.parts.dev, dev_predictions, threshold)
    seconds = time.perf_counter() - started  # scoring test is not part of training
    test = part_scores(run.parts.test, run.learner.predict("test"), threshold)
    if not (math.isfinite(dev_score(dev)) and math.isfinite(dev_score(test))):
        steps = run.optimizer.steps // (progress.epoch + 1)  # all epochs have as many
        return Divergence(SCORES, progress.epoch + 1, steps, steps, [])
    progress.epoch += 1
    if dev_score(dev) > progress.best_score:
        progress.best_score, progress.best_epoch = dev_score(dev), progress.epoch
        run.best = run.network.flat.data.asnumpy()
    if progress.best_on_test is None or test["symbolic"]["accuracy"] > progress.best_on_test["symbolic"]["accuracy"]:
        progress.best_on_test = {"epoch": progress.epoch, **test}
    row |= {"dev_accuracy": dev["symbolic"]["accuracy"], "test_accuracy": test["symbolic"]["accuracy"]}
    for name, scores in (("dev_mse", dev), ("test_mse", test)):
        row[name] = scores.get("evaluations", {}).get("mse")
    row["seconds"] = (progress.history[-1]["seconds"] if progress.history else 0.0) + seconds
    progress.history.append(row)
    progress.peak_memory_mb = max(progress.peak_memory_mb, peak_memory_mb())
    return row


# ------------------------------------------------------------------------------------------------ a run


def _seconds_to(history: list[dict], per_cent: int) -> float | None:
    """When dev accuracy first reached so much."""
    return next((row["seconds"] for row in history if 100 * row["dev_accuracy"] >= per_cent), None)


def _finish(run: Run) -> None:
    """Writes parameters, predictions and results of the epoch that dev chose; results.json says that all is there."""
    progress, parts = run.progress, run.parts
    run.network.flat.data[:] = nd.array(run.best)
    predictions = {name: run.learner.predict(name) for name in ("dev", "test")}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    rows = [row for name, found in predictions.items() for row in prediction_rows(name, getattr(parts, name), found)]
    write_parameters(run.directory / PARAMETERS, run.network)
    artifacts.write_lines_gz(run.directory / PREDICTIONS, rows)
    artifacts.write_lines(run.directory / HISTORY, progress.history)
    examples = run.learner.train_size * len(progress.history)
    results = {
        **{name: part_scores(getattr(parts, name), found, threshold) for name, found in predictions.items()},
        "best_on_test": progress.best_on_test,
        "best_epoch": progress.best_epoch,
        "epochs": len(progress.history),
        "diverged": progress.diverged,
        "divergence": progress.divergence,
        "train_seconds": progress.history[-1]["seconds"] if progress.history else 0.0,
        "seconds_to": {str(per_cent): _seconds_to(progress.history, per_cent) for per_cent in MILESTONES},
        "equations_per_second": examples / progress.computing_seconds if examples else None,
        "engine": run.learner.engine,
        "instead_of_fused": run.learner.instead_of_fused,
        "compiler": compiled_by() if run.learner.engine == "fused" else None,
        "parameters": len(run.network.flat),
        "peak_memory_mb": progress.peak_memory_mb,
    }
    run_directory.write_results(run.directory, run.row, results)


def train(
    configuration: Configuration,
    dataset: Dataset,
    split: Split,
    directory: Path,
    earlier: Path | None = None,  # a finished run of the same with fewer epochs, to begin with its checkpoint
    keep_checkpoint: bool = False,  # so that a run with more epochs can begin with it
) -> None:
    """Trains to the end, from the checkpoint if there is one, unless that is done already."""
    run = Run(configuration, dataset, split, directory)
    if (run.directory / CONFIG).is_file():
        stored = run_directory.read_config(run.directory)
        refuse_other_run(run.directory / CONFIG, {**stored, "version": VERSION}, run.row)  # a checkpoint's counts
    if run_directory.is_finished(run.directory):
        return
    run.restore(earlier)
    artifacts.write_json(run.directory / CONFIG, run.row)  # all input is known to be good now
    saved, progress = time.perf_counter(), run.progress
    bar = tqdm(total=configuration.epochs, initial=progress.epoch, unit="epoch", disable=None, desc=configuration.model)
    with bar:
        while progress.epoch < configuration.epochs and progress.diverged is None:
            started = time.perf_counter()
            row = _train_epoch(run)
            if isinstance(row, dict):
                with run.optimizer.scored_parameters():
                    row = _score_epoch(run, row, started)
            if isinstance(row, Divergence):
                progress.diverged, progress.divergence = row.epoch, row._asdict()
                break
            artifacts.write_lines(run.directory / HISTORY, progress.history)
            if time.perf_counter() - saved > CHECKPOINT_SECONDS:
                run.save()
                saved = time.perf_counter()
            bar.set_postfix(dev=f"{100 * progress.history[-1]['dev_accuracy']:.2f} %", best=progress.best_epoch)
            bar.update()
    if keep_checkpoint:
        run.save()
    _finish(run)
    if not keep_checkpoint:
        run.checkpoint.unlink(missing_ok=True)


def carry_out(training: Training, needs_earlier: bool = False) -> None:
    """Trains as the only one in the directory, from where it was stopped, unless it is recorded.

    Where the checkpoint of the shorter training is gone, it begins anew unless it needs that one.
    """
    asked, place, earlier = training.configuration, training.data.directory, training.earlier
    with owned(training.directory):
        if training.is_recorded:  # by the process that was waited for
            return
        records = load(place)
        split = stored_split(records, place, asked.split, asked.seed)
        if earlier and not (needs_earlier or (earlier / CHECKPOINT).is_file()):
            earlier = None
        train(asked, records, split, training.directory, earlier, training.is_continued)
