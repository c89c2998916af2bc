"""A run that was killed, or continues a shorter one, is the run that was never interrupted; wrong files are refused."""

import json
import shutil

import pytest

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.training import loop
from reproduction.training.run_directory import CHECKPOINT

SAME_BYTES = ("best.params", "best.params.sha256", "predictions.jsonl.gz", "config.json")
TIMES = ("train_seconds", "seconds_to", "equations_per_second", "peak_memory_mb")
FATAL = ("--optimizer", "sgd", "--learning-rate", "0.05", "--numeric-weight", "30")


def train(data, out, epochs, *more, model="tree-lstm+data"):
    settings = ["--hidden", "5", "--batch-size", "4", "--dropout", "0.2", "--schedule", "constant"]
    places = ["--data", str(data), "--out", str(out)]
    return main(["train", "--model", model, *settings, *places, "--epochs", str(epochs), *more])


def without_times(directory):
    """Everything of a run that does not depend on the clock."""
    results = artifacts.read_json(directory / "results.json")
    history = [json.loads(line) for line in (directory / "history.jsonl").read_text().splitlines()]
    rows = [{name: value for name, value in row.items() if name != "seconds"} for row in history]
    kept = {name: value for name, value in results.items() if name not in TIMES}
    del kept["files"]["history.jsonl"]  # it has times
    return kept, rows, [(directory / name).read_bytes() for name in SAME_BYTES]


@pytest.mark.parametrize(
    ("model", "optimizer"), [("tree-lstm+data", "adam"), ("tree-nn", "sgld"), ("lstm", "nag"), ("tree-nn", "nadam")]
)
def test_three_rungs_and_a_killed_run_are_one_long_run_to_the_byte(data, tmp_path, monkeypatch, model, optimizer):
    settings = ("--optimizer", optimizer, "--learning-rate", "0.02", "--averaging", "0.9")
    assert train(data, tmp_path / "1", 1, *settings, "--keep-checkpoint", model=model) == 0
    for before, epochs in (("1", 3), ("3", 5)):
        more = ("--continue-from", str(tmp_path / before), "--keep-checkpoint")
        assert train(data, tmp_path / str(epochs), epochs, *settings, *more, model=model) == 0
    assert (tmp_path / "5" / CHECKPOINT).is_file()
    assert train(data, tmp_path / "whole", 5, *settings, model=model) == 0
    assert without_times(tmp_path / "5") == without_times(tmp_path / "whole")
    assert len(without_times(tmp_path / "3")[1]) == 3  # what was continued stays as it was

    score_epoch, stops = loop._score_epoch, [2, 4]

    def killed(run, row, started):
        if stops and row["epoch"] == stops[0]:
            raise KeyboardInterrupt
        return score_epoch(run, row, started)

    monkeypatch.setattr(loop, "CHECKPOINT_SECONDS", -1.0)
    monkeypatch.setattr(loop, "_score_epoch", killed)
    while stops:
        assert train(data, tmp_path / "killed", 5, *settings, model=model) == 130
        assert (tmp_path / "killed" / CHECKPOINT).is_file()
        stops.pop(0)
    assert train(data, tmp_path / "killed", 5, *settings, "--hidden", "6", model=model) == 2
    assert train(data, tmp_path / "killed", 5, *settings, model=model) == 0
    assert without_times(tmp_path / "killed") == without_times(tmp_path / "whole")


def test_a_run_that_diverged_stays_so(data, tmp_path):
    train(data, tmp_path / "short", 2, *FATAL, "--keep-checkpoint")
    train(data, tmp_path / "long", 4, *FATAL, "--continue-from", str(tmp_path / "short"))
    train(data, tmp_path / "whole", 4, *FATAL)
    assert artifacts.read_json(tmp_path / "whole" / "results.json")["diverged"] == 1
    assert without_times(tmp_path / "long") == without_times(tmp_path / "whole")


@pytest.fixture(scope="module")
def short(data, tmp_path_factory):
    place = tmp_path_factory.mktemp("short") / "run"
    assert train(data, place, 2, "--keep-checkpoint") == 0
    return place


@pytest.mark.parametrize(
    ("epochs", "more", "said"),
    [
        (3, ("--hidden", "6"), "made with hidden 5, not 6"),
        (3, ("--schedule", "late"), "cannot be continued with the schedule late, only constant"),
        (1, (), "has 2 epochs already, more than the 1 asked for"),
    ],
)
def test_another_run_is_not_continued(data, short, tmp_path, capsys, epochs, more, said):
    assert train(data, tmp_path / "long", epochs, *more, "--continue-from", str(short)) == 2
    assert said in capsys.readouterr().err and not (tmp_path / "long").exists()


def test_a_damaged_checkpoint_or_none_is_refused(data, short, tmp_path, capsys):
    path = shutil.copytree(short, tmp_path / "earlier") / CHECKPOINT
    whole = path.read_bytes()
    spoiled = bytearray(whole)
    spoiled[len(spoiled) // 2] ^= 1
    for content in (bytes(spoiled), whole[:-20], whole + b"junk", b""):
        path.write_bytes(content)
        assert train(data, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
        assert "damaged" in capsys.readouterr().err and not (tmp_path / "new").exists()
    path.unlink()
    assert train(data, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
    assert "holds no finished run with a checkpoint (train it with --keep-checkpoint)" in capsys.readouterr().err
