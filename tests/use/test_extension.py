"""A seventh network, in one file outside the package, does what the paper's six do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_data import write_small_dataset

from reproduction import load, models
from reproduction.__main__ import main
from reproduction.training.run_directory import read_run

FILE = Path(__file__).parents[1] / "support" / "bag_of_leaves.py"
DATA = ("--data", "data", "--split", "generalization", "--seed", "0")


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A directory with data; what an extension registers is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(models.EXTENSIONS, "")
    monkeypatch.setattr(models, "MODELS", models.MODELS)
    before = dict(models.MODELS)
    write_small_dataset(tmp_path / "data")
    yield tmp_path
    models.MODELS.clear()
    models.MODELS.update(before)
    for name in [name for name in sys.modules if name.startswith("reproduction_extension_")]:
        del sys.modules[name]


def command(*words: str) -> int:
    return main([*words, "--extension", str(FILE)])


def test_it_is_trained_verifies_completes_and_evaluates(workspace, capsys):
    assert command("train", "--model", "bag-of-leaves+data", *DATA, "--out", "run", "--epochs", "20") == 0
    run = read_run(workspace / "run")
    losses = [(epoch.loss, epoch.squared_error) for epoch in run.history]
    assert losses[-1][0] < 0.9 * losses[0][0] and losses[-1][1] < losses[0][1]
    assert run.results.test.evaluations is not None
    assert command("evaluate", "run", "--data", "data") == 0
    assert command("verify", "--run", "run", "x + y = y + x", "sin(x) = cos(x)") == 0
    assert command("complete", "--run", "run", "x + _ = 2") == 0
    assert command("complete", "--run", "run", "sin(_) = 0.5") == 0
    assert command("score", "run", "--data", "data") == 0
    network = load("run")
    same, other = network.verify(["x + y = y + x", "x + y = x + x"])
    assert same.probability != other.probability
    assert network.embed(["x", "sin(x)"]).shape == (2, 8)
    assert isinstance(network.evaluate("sin(1)").value, float)
    assert len(network.subtrees("sin(0) = 0").nodes) == 3


def test_its_rows_stand_in_a_table_of_their_own(workspace):
    words = ("study", "experiments", "--data", "data", "--runs", "runs", "--workers", "1", "--epochs", "1")
    asked = ("--splits", "generalization", "--fractions", "--models", "bag-of-leaves", "tree-nn")
    assert command(*words, *asked) == 0
    assert command("report", "table-beyond", "table-3", "--runs", "runs", "--out", "figures") == 0
    beyond, third = ((workspace / "figures" / f"{name}.md").read_text() for name in ("table-beyond", "table-3"))
    assert "| Bag of leaves |" in beyond and "| TreeNN |" not in beyond
    assert "| TreeNN |" in third and "Bag of leaves" not in third


def test_a_run_goes_on_with_the_same_bits_and_is_refused_without_its_extension(workspace, capsys):
    words = ("train", "--model", "bag-of-leaves", *DATA)
    assert command(*words, "--out", "whole", "--epochs", "4") == 0
    assert command(*words, "--out", "half", "--epochs", "2", "--keep-checkpoint") == 0
    assert command(*words, "--out", "rest", "--epochs", "4", "--continue-from", "half") == 0
    whole, rest = ((workspace / name / "best.params").read_bytes() for name in ("whole", "rest"))
    assert whole == rest
    models.MODELS.pop("bag-of-leaves")
    assert main(["verify", "--run", "rest", "x = x"]) == 2
    assert "model 'bag-of-leaves' is unknown" in capsys.readouterr().err


def test_processes_that_are_started_know_it(workspace):
    code = "from reproduction import models; models.load_extensions(); print(models.MODELS['bag-of-leaves'].title)"
    environment = {**os.environ, models.EXTENSIONS: str(FILE), "PYTHONPATH": str(FILE.parents[2])}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment, text=True) == "Bag of leaves\n"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "there is no such file"),
        ("1 / 0", "cannot be imported (ZeroDivisionError: division by zero)"),
        ("from reproduction.models import *; register(Model('rnn', 'RNN', print))", "there is one of this name"),
        ("from reproduction.models import *; register(Model('A b', 'AB', print))", "a name has small letters"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(workspace, capsys, content, complaint):
    file = workspace / "mine.py"
    if content:
        file.write_text(content)
    assert main(["verify", "x = x", "--extension", str(file)]) == 2
    assert complaint in capsys.readouterr().err
