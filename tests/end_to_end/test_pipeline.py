"""Everything through the command line on a tiny data set, no stand-ins: numbers are the same wherever they stand."""

import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("tree-lstm+data", "tree-nn", "lstm")
STUDY = ("--models", *MODELS, "--splits", "generalization", "--fractions", "--epochs", "3")


class Project:
    """A place of its own for data, runs and figures."""

    def __init__(self, place: Path):
        self.place, self.runs, self.figures = place, place / "runs", place / "figures"

    def run(self, *words: str) -> str:
        command = [sys.executable, "-m", "reproduction", "--workspace", str(self.place), *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not done.stderr, done.stderr
        return done.stdout

    def training(self, model: str) -> Path:
        """The directory of a network's training."""
        (directory,) = self.runs.glob(f"trainings/{model}-generalization-0-*")
        return directory

    def json(self, *parts: str | Path):
        return json.loads(self.runs.joinpath(*parts).read_text())

    def lines(self, *parts: str | Path) -> list[dict]:
        return [json.loads(line) for line in gzip.open(self.runs.joinpath(*parts), "rt")]

    def cell(self, table: str, block: str, row: str, column: str) -> float:
        with open(self.figures / f"{table}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        (value,) = [
            each["ours_mean"]
            for each in rows
            if each["block"].startswith(block) and (each["row"], each["column"]) == (row, column)
        ]
        return float(value)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("project"))
    project.run("generate", "--counts", "1=8", "2=60/30", "3=120/60", "--seed", "5", "--split-seeds", "1")
    project.run("study", "experiments", *STUDY)
    project.run("baselines")
    project.run("score", str(project.training("tree-lstm+data")))
    project.run("report")
    return project


@pytest.mark.timeout(300)
def test_the_data_set_is_what_was_asked_for_and_its_labels_stand(project):
    records = project.lines("data", "symbolic.jsonl.gz")
    counts = {depth: sum(each["depth"] == depth for each in records) for depth in (2, 3)}
    assert counts == {2: 60, 3: 120}
    assert sum(each["label"] for each in records if each["depth"] == 3) == 60
    assert "labels stand" in project.run("recheck")


@pytest.mark.parametrize("model", MODELS)
def test_accuracies_are_those_of_the_predictions(project, model):
    run = project.training(model)
    results = project.json(run, "results.json")
    labels = {each["id"]: each["label"] for each in project.lines("data", "symbolic.jsonl.gz")}
    rows = project.lines(run, "predictions.jsonl.gz")
    for part in ("dev", "test"):
        mine = [each for each in rows if each["part"] == part and "probability" in each]
        hits = [(each["probability"] > 0.5) == (labels[each["id"]] == 1) for each in mine]
        assert results[part]["symbolic"]["accuracy"] == pytest.approx(np.mean(hits))
    (split,) = project.lines("data", "splits", "generalization-0.json.gz")
    assert {each["id"] for each in rows if each["part"] == "test" and "probability" in each} == set(
        split["test"]
    ) & set(labels)
    titles = {"tree-lstm+data": "TreeLSTM + data", "tree-nn": "TreeNN", "lstm": "LSTM"}
    shown = project.cell("table-3", "Random split, epoch chosen on dev", titles[model], "Sym")
    assert shown == pytest.approx(100 * results["test"]["symbolic"]["accuracy"], abs=1e-3)


def test_completion_and_the_errors_of_evaluations_reach_the_report(project):
    run = project.training("tree-lstm+data")
    completion, results = project.json(run, "completion.json"), project.json(run, "results.json")
    top = completion["symbolic"]["top_k"]
    assert top == sorted(top)
    assert len(top) == 10
    decoded = {each["id"]: each["decoded"] for each in project.lines(run, "predictions.jsonl.gz") if "decoded" in each}
    records = {each["id"]: each for each in project.lines("data", "numeric.jsonl.gz")}
    (split,) = project.lines("data", "splits", "generalization-0.json.gz")
    correct = [name for name in split["test"] if name in records and records[name]["label"] == 1]
    evaluations = [name for name in correct if records[name]["kind"] == "evaluation"]
    assert set(evaluations) <= set(decoded)
    assert results["test"]["evaluations"]["count"] == len(evaluations)
    page = (project.figures / "report.html").read_text()
    assert f"{100 * results['test']['symbolic']['accuracy']:.2f}" in page
    assert f"{100 * top[0]:.2f}" in (project.figures / "figure-3.md").read_text()
    assert (project.figures / "figure-3a.png").stat().st_size > 10_000


def test_started_again_nothing_is_done_twice(project):
    results = project.training("tree-nn") / "results.json"
    before = results.stat().st_mtime_ns
    assert "finished already" in project.run("train", "--model", "tree-nn", "--epochs", "3")
    assert "3 of 3 trainings identical" in project.run("study", "experiments", *STUDY)
    assert results.stat().st_mtime_ns == before
    figures = {path.name: path.read_bytes() for path in project.figures.iterdir()}
    project.run("report")
    assert {path.name: path.read_bytes() for path in project.figures.iterdir()} == figures
