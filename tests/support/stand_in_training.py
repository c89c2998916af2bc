"""A stand-in for `python -m reproduction` in tests: takes the words of `train`, a moment, and writes a made-up record.

It notes the start and the end of every training, and whether it continues another, in the file `notes` beside the
trial's directory. Files beside that
make it behave: `slow` holds the seconds a training takes, `failing` and `dying` the names of directories.
"""

import json
import math
import os
import signal
import sys
import time
from dataclasses import fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reproduction import artifacts
from reproduction.sweeps.trials import data_at
from reproduction.training.configuration import Configuration
from reproduction.training.run_directory import CHECKPOINT, write_results

BEST_RATE = {"adam": 0.01, "rmsprop": 0.003, "adagrad": 0.1, "sgd": 1.0, "nag": 1.0, "dcasgd": 1.0, "sgld": 1e-4}
DIVERGES_AT = 3.0  # of the learning rates of sgd, nag and dcasgd
PROGRAM = str(Path(__file__).resolve())


def note(directory: Path, what: str) -> None:
    with open(directory.parent / "notes", "a") as file:
        file.write(f"{what} {directory.name}\n")


def beside(directory: Path, name: str) -> str:
    path = directory.parent / name
    return path.read_text() if path.is_file() else ""


def read_words(words: list[str]) -> dict:
    """The options of `train` that have values, with numbers as numbers."""
    names = [word.removeprefix("--").replace("-", "_") for word in words[::2]]
    kinds = {field.name: field.type for field in fields(Configuration)}
    return {name: kinds.get(name, str)(word) for name, word in zip(names, words[1::2], strict=True)}


def accuracy(configuration: Configuration, epoch: int) -> float:
    """Better with more epochs, more units and a learning rate near the optimizer's best."""
    away = math.log10(configuration.learning_rate / BEST_RATE.get(configuration.optimizer, configuration.learning_rate))
    level = math.exp(-(away**2) / 2) * (1 - 0.2 * configuration.dropout) * (1 - 1 / configuration.hidden)
    return 0.5 + 0.49 * level * (1 - 0.8**epoch) - 0.001 * configuration.seed


def part(value: float, with_data: bool) -> dict:
    scores = {"symbolic": {"accuracy": value, "precision": value, "recall": value, "count": 9, "by_depth": {}}}
    numbers = {"mse": 1 - value, "mse_all": 1 - value, "accuracy": value, "count_all": 4}
    return scores | ({"evaluations": numbers} if with_data else {})


def write_record(
    configuration: Configuration, data: Path, directory: Path, earlier: Path | None = None, keeps: bool = False
) -> None:
    if earlier is not None:
        assert (earlier / CHECKPOINT).is_file()
        note(directory, "continue")
    diverged = 2 if configuration.optimizer != "adam" and configuration.learning_rate >= DIVERGES_AT else None
    values = [accuracy(configuration, epoch) for epoch in range(1, diverged or configuration.epochs + 1)]
    history = [
        {"epoch": place, "loss": 1 - value, "dev_accuracy": value, "seconds": place}
        for place, value in enumerate(values, 1)
    ]
    best = max(values)
    results = {name: part(best - loss, configuration.kind.has_data) for name, loss in (("dev", 0), ("test", 0.01))}
    results |= {
        "best_on_test": None, "best_epoch": len(values), "diverged": diverged, "train_seconds": float(len(values)),
        "seconds_to": {}, "equations_per_second": None, "parameters": 9, "peak_memory_mb": 1.0,
    }  # fmt: skip
    found = data_at(data)
    checksum = found.split_checksum(configuration.split, configuration.seed)
    row = {**configuration.as_row(), "data_fingerprint": found.fingerprint, "split_checksum": checksum, "version": "1"}
    artifacts.write_json(directory / "config.json", row)
    artifacts.write_text(directory / "history.jsonl", "".join(json.dumps(row) + "\n" for row in history))
    if keeps:
        (directory / CHECKPOINT).write_text(str(configuration.epochs))
    write_results(directory, row, results)


def main(words: list[str]) -> int:
    keeps = "--keep-checkpoint" in words
    options = read_words([word for word in words[1:] if word != "--keep-checkpoint"])
    earlier = options.pop("continue_from", None)
    data, directory = Path(options.pop("data")), Path(options.pop("out"))
    note(directory, "start")
    time.sleep(float(beside(directory, "slow") or 0))
    if directory.name in beside(directory, "dying").split():
        os.kill(os.getpid(), signal.SIGKILL)
    if directory.name in beside(directory, "failing").split():
        sys.stderr.write("error: this trial cannot be trained\n")
        return 2
    write_record(Configuration(**options), data, directory, earlier and Path(earlier), keeps)
    note(directory, "end")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
