"""A stand-in for `training.loop`: takes a training, a moment, and writes a made-up record.

Processes of trainings have it where REPRODUCTION_EXTENSIONS names this file, and then need not import MXNet.

Dev and test run against each other: whoever chooses by test chooses the worst. It notes the start and the end of every
training, and whether it goes on from another, in the file `notes` beside the training's directory. Files beside that
make it behave: `slow` holds the seconds a training takes, `failing` and `dying` the names of directories.
"""

import json
import math
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reproduction import artifacts
from reproduction.artifacts import owned
from reproduction.errors import InputError
from reproduction.training.run_directory import CHECKPOINT, Training, split_of, write_results

BEST_RATE = {"adam": 0.01, "rmsprop": 0.003, "adagrad": 0.1, "sgd": 1.0, "nag": 1.0, "dcasgd": 1.0, "sgld": 1e-4}
DIVERGES_AT = 3.0  # of the learning rates of all optimizers but adam
FILE = str(Path(__file__).resolve())


def note(directory: Path, what: str) -> None:
    with open(directory.parent / "notes", "a") as file:
        file.write(f"{what} {directory.name}\n")


def beside(directory: Path, name: str) -> str:
    path = directory.parent / name
    return path.read_text() if path.is_file() else ""


def dev_accuracy(configuration, epoch: int) -> float:
    """Better with more epochs, more units, a rate near the optimizer's best, and numbers of weight 0.3."""
    away = math.log10(configuration.learning_rate / BEST_RATE.get(configuration.optimizer, configuration.learning_rate))
    level = math.exp(-(away**2) / 2) * (1 - 0.2 * configuration.dropout) * (1 - 1 / configuration.hidden)
    level *= 1 - 0.02 * abs(math.log10(configuration.numeric_weight / 0.3)) - 1e-4 * configuration.batch_size
    return 0.5 + 0.49 * level * (1 - 0.8**epoch) - 0.001 * configuration.seed


def part(value: float, with_data: bool) -> dict:
    scores = {"symbolic": {"accuracy": value, "precision": value, "recall": value, "count": 9, "by_depth": {}}}
    numbers = {"mse": 1 - value, "mse_all": 1 - value, "accuracy": value, "count_all": 4}
    return scores | ({"evaluations": numbers} if with_data else {})


def write_record(training: Training) -> None:
    asked, directory = training.configuration, training.directory
    if training.earlier is not None and (training.earlier / CHECKPOINT).is_file():
        note(directory, "continue")
    diverged = 2 if asked.optimizer != "adam" and asked.learning_rate >= DIVERGES_AT else None
    values = [dev_accuracy(asked, epoch) for epoch in range(1, (diverged or asked.epochs) + 1)]
    if diverged:
        values = [0.999] * len(values)  # on dev better than all, until something was infinite
    history = [{"epoch": epoch, "loss": 1 - value, "dev_accuracy": value} for epoch, value in enumerate(values, 1)]
    results = {
        name: part(value, asked.kind.has_data) for name, value in (("dev", values[-1]), ("test", 1.4 - values[-1]))
    }
    results |= {
        "best_on_test": None, "best_epoch": len(values), "diverged": diverged, "train_seconds": float(len(values)),
        "seconds_to": {}, "equations_per_second": None, "parameters": 9, "peak_memory_mb": 1.0,
    }  # fmt: skip
    origin = {"data_fingerprint": training.data.fingerprint, "version": "1"}
    origin["split_checksum"] = split_of(training.data, asked.split, asked.seed)
    config = {**asked.as_row(), **origin}
    artifacts.write_json(directory / "config.json", config)
    artifacts.write_text(directory / "history.jsonl", "".join(json.dumps(row) + "\n" for row in history))
    if training.is_continued:
        (directory / CHECKPOINT).write_text(str(asked.epochs))
    write_results(directory, config, results)


def carry_out(training: Training) -> None:
    with owned(training.directory):
        if not training.is_recorded:
            train(training)


def train(training: Training) -> None:
    directory = training.directory
    note(directory, "start")
    if training.configuration.device == "gpu":
        (directory.parent / "asked-by").write_text(str(os.getppid()))
    time.sleep(float(beside(directory, "slow") or 0))
    if directory.name in beside(directory, "dying").split():
        os.kill(os.getpid(), signal.SIGKILL)
    if directory.name in beside(directory, "failing").split():
        raise InputError("this training cannot be done")
    write_record(training)
    note(directory, "end")


if __name__.startswith("reproduction_extension"):
    sys.modules["reproduction.training.loop"] = sys.modules[__name__]
