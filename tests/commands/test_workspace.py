"""A workspace: one word for where data, runs and figures are, and a domain of one's own in it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reproduction import __main__ as command_line
from reproduction import artifacts
from reproduction.artifacts import ROOT
from reproduction.data.manifest import read_manifest

AXIOMS = """functions: log
[neutral elements]
x + 0 = x
x * 1 = x
x * 0 = 0
[order]
x + y = y + x
x * y = y * x
[inverse functions]
log(exp(x)) = x
exp(log(x)) = x
"""
SIZE = ("--counts", "1=2", "2=30", "3=60", "4=30", "--scale", "tiny", "--split-seeds", "1")


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Runs a command in this process, which has no workspace before and after; gives its exit code and what it said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(artifacts.WORKSPACE, str(ROOT))

    def run(*words):
        code = command_line.main(list(map(str, words)))
        return code, *capsys.readouterr()

    yield run
    artifacts.enter(ROOT)


@pytest.fixture(scope="module")
def domain(tmp_path_factory):
    """A workspace with axioms of its own, a data set and a run: made from elsewhere, under a relative name."""
    place = tmp_path_factory.mktemp("place")
    (place / "mine").mkdir()
    (place / "mine" / "axioms.txt").write_text(AXIOMS)
    training = ("--models", "tree-nn", "--splits", "generalization", "--epochs", "1", "--fractions", "--workers", "1")
    _program(place, "--workspace", "mine", "generate", *SIZE)
    _program(place, "study", "experiments", "--workspace=mine", *training)
    return place / "mine"


def _program(place: Path, *words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REPRODUCTION_")}
    command = [sys.executable, "-m", "reproduction", *words]
    done = subprocess.run(
        command, cwd=place, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [["check", "x = x"], ["report", "table-3"]])
def test_what_only_reads_refuses_a_workspace_that_is_not_there(run, monkeypatch, tmp_path, words):
    for variable, option in ((ROOT, ("--workspace", "nowhere")), ("nowhere", ())):
        monkeypatch.setenv(artifacts.WORKSPACE, str(variable))
        code, output, complaint = run(*words, *option)
        assert (code, output) == (2, "")
        assert complaint.startswith("error: --workspace nowhere: there is no such directory; ")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_begin_is_refused_and_makes_nothing(run, tmp_path):
    code, _, complaint = run("train", "--model", "tree-nn", "--workspace", "new")
    assert code == 2 and f"{tmp_path}/new/runs/data: not a data set" in complaint
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    assert run("generate", "--workspace", "file")[::2] == (2, "error: --workspace 'file': not a directory\n")


def test_data_runs_and_statistics_are_all_in_the_workspace(run, domain):
    assert {path.name for path in domain.iterdir()} == {"axioms.txt", "runs"}
    (row,) = map(json.loads, (domain / "runs" / "experiments.jsonl").read_text().splitlines())
    statistics = json.loads((domain / "runs" / "data" / "statistics.json").read_text())
    assert row["data_fingerprint"] == statistics["fingerprint"]
    assert statistics["axioms"] == {"count": 7, "families": 3}
    assert statistics["by_function"]["log"]["correct"] > 0
    assert run("check", "log(exp(x)) = x", "--workspace", domain)[1].startswith("log(exp(x)) = x\nCORRECT")


def test_tables_of_a_domain_of_its_own_leave_the_papers_numbers_out(run, domain):
    assert run("report", "table-3", "table-data", "verdicts", "--workspace", domain)[0] == 0
    table = (domain / "figures" / "table-3.md").read_text()
    assert "axioms of their own (7 in 3 families)" in table
    assert "92.06" not in table and "| RNN |" not in table
    assert "17,632" not in (domain / "figures" / "table-data.md").read_text()
    assert "97.20" not in (domain / "figures" / "verdicts.md").read_text()
    shutil.rmtree(domain / "figures")


def test_a_run_is_asked_for_with_its_own_data(run, domain):
    words = ("train", "--model", "tree-nn", "--epochs", "1")
    assert run(*words, "--workspace", domain)[0] == 0
    code, output, _ = run(*words, "--workspace", domain)
    assert code == 0 and "finished already" in output
    code, _, complaint = run(*words, "--workspace", ROOT, "--data", domain / "runs" / "data")
    assert code == 2 and "not the workspace's data set" in complaint and "--out" in complaint
    code, _, complaint = run("baselines", "--workspace", ROOT, "--data", domain / "runs" / "data")
    assert code == 2 and "not the workspace's data set" in complaint and "--out" not in complaint
    finished = next((domain / "runs").glob("*/tree-nn-generalization-0*/results.json")).parent
    code, _, complaint = run(*words, "--data", ROOT / "runs" / "data", "--out", finished)
    assert code == 2 and "holds a finished run with data fingerprint" in complaint


def test_the_splits_of_more_seeds_leave_the_others_as_they_are(run, domain, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(domain / "runs" / "data", data)
    before = {path.name: path.read_bytes() for path in (data / "splits").iterdir()}
    code, output, _ = run("generate", "--keep", "--out", data, "--split-seeds", "2")
    assert code == 0 and "8 splits are stored, 4 made now" in output
    after = {path.name: path.read_bytes() for path in (data / "splits").iterdir()}
    assert len(after) == 8 and after | before == after
    assert {f"splits/{name}" for name in after} < set(read_manifest(data).files)


def test_what_a_workspace_does_not_have_is_the_projects(run, tmp_path):
    artifacts.enter(tmp_path)
    assert (artifacts.AXIOMS, artifacts.RECIPE) == (artifacts.PROJECT_AXIOMS, None)
    (tmp_path / "recipe.json").write_text("{}")
    artifacts.enter(tmp_path)
    assert tmp_path / "recipe.json" == artifacts.RECIPE
