"""Studies carried out: their rows, what is said about other ones, what is kept, and a study of a person's own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_data import write_small_dataset
from support.stand_in_data import ClusterHere, notes, outcomes_here, write_stand_in_data

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import study as command
from reproduction.rows import details_file, read_rows, rows_file, write_rows
from reproduction.studies import cluster
from reproduction.studies.core import configuration_of, studies, trained
from reproduction.studies.running import record_scores
from reproduction.training.run_directory import read_run


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.setattr(command.cluster, "asked_cluster", lambda arguments: ClusterHere())
    monkeypatch.setattr(cluster, "outcomes_of", outcomes_here)
    write_stand_in_data(tmp_path / "data", seed=1)
    return tmp_path


def words(runs, name, *more):
    return ["study", name, "--runs", str(runs), "--data", str(runs / "data"), *more]


EXPERIMENTS = ("experiments", "--models", "tree-nn", "rnn", "--splits", "generalization", "--fractions", "0.5")


def rows_of(runs, name="experiments"):
    return read_rows(rows_file(runs, name))


def test_a_row_has_what_was_asked_for_what_was_measured_and_whose_it_is(runs):
    assert main(words(runs, *EXPERIMENTS)) == 0
    rows = rows_of(runs)
    found = [(row["model"], row.get("fraction")) for row in rows]
    assert found == [("rnn", None), ("rnn", 0.5), ("tree-nn", None), ("tree-nn", 0.5)]
    for row in rows:
        assert row["dev_accuracy"] + row["accuracy"] == pytest.approx(140) and row["data"] == "data"
        assert row["best_epoch"] == row["epochs"] and {"data_fingerprint", "split_checksum", "seal", "code"} <= set(row)
        assert "hidden" not in row and "learning_rate" not in row  # the network's own
    for row, run in trained(runs, "experiments"):
        assert configuration_of(row) == run.configuration and run.directory.parent == runs / "trainings"
    assert len(list(trained(runs, "experiments"))) == 4
    details = read_rows(details_file(runs, "experiments"))
    assert [each["model"] for each in details] == ["rnn", "tree-nn"] and all(
        len(each["dev_curve"]) == 50 * (1 + (each["model"] != "rnn")) for each in details
    )


def test_a_second_run_recognises_its_trainings_and_a_third_without_them_makes_the_same_bytes(runs, capsys):
    main(words(runs, *EXPERIMENTS))
    written = {path.name: path.read_bytes() for path in runs.glob("experiments.*")}
    assert len(written) == 2
    assert main(words(runs, *EXPERIMENTS)) == 0
    assert "4 of them finished before" in capsys.readouterr().out
    assert len(notes(runs / "trainings", "start")) == 4
    (runs / "trainings").rename(runs / "elsewhere")
    assert main(words(runs, *EXPERIMENTS)) == 0
    assert "4 of 4 trainings identical" in capsys.readouterr().out
    assert len(notes(runs / "trainings", "start")) == 4
    assert {path.name: path.read_bytes() for path in runs.glob("experiments.*")} == written


def test_other_results_are_said_and_take_the_place_of_the_committed_ones(runs, capsys):
    main(words(runs, *EXPERIMENTS, "--seeds", "2"))
    (rnn, *others) = rows_of(runs)
    changed = {**rnn, "accuracy": 12.345, "train_seconds": 1e6, "top_1": 50.0}
    write_rows(rows_file(runs, "experiments"), [changed, *others])
    capsys.readouterr()
    assert main(words(runs, *EXPERIMENTS)) == 0
    said = capsys.readouterr().out
    assert "3 of 4 trainings identical" in said and "rnn, generalization, seed 0: accuracy 12.35, now" in said
    assert rows_of(runs) == [rnn, *others]  # seed 1 was not asked for and stays; blanks of the other network are gone


def test_rows_that_were_asked_for_differently_or_of_other_data_are_not_taken_away(runs, capsys):
    main(words(runs, *EXPERIMENTS))
    before = rows_of(runs)
    assert main(words(runs, *EXPERIMENTS, "--epochs", "2")) == 2
    assert "with epochs" in capsys.readouterr().err and not list((runs / "trainings").glob("*/.lock"))
    assert main(words(runs, *EXPERIMENTS, "--epochs", "2", "--replace")) == 0
    assert {row["epochs"] for row in rows_of(runs)} == {2}
    (runs / "data").rename(runs / "old")
    write_stand_in_data(runs / "data", content="other")
    assert main(words(runs, *EXPERIMENTS, "--epochs", "2")) == 2
    assert "--replace" in capsys.readouterr().err
    assert main(words(runs, *EXPERIMENTS, "--models", "rnn", "--replace")) == 0
    assert {row["model"] for row in rows_of(runs)} == {"rnn"}  # none of the other data set stays beside them
    assert before[0]["data_fingerprint"] not in {row["data_fingerprint"] for row in rows_of(runs)}


def test_a_search_of_another_space_is_no_part_of_the_first(runs, tmp_path, capsys):
    space = tmp_path / "space.json"
    search = (*"search --models rnn --epochs 4 --factor 2 --fewest-epochs 1 --space".split(), str(space))
    space.write_text('{"learning_rate": [0.1, 0.01], "hidden": [5, 50]}')
    assert main(words(runs, *search)) == 0
    rungs = [row.get("rung", "compared") for row in rows_of(runs, "search")]
    assert rungs == ["compared", "compared", 0, 0, 0, 0, 1, 1, 2]
    best = rows_of(runs, "search")[-1]
    assert (best["learning_rate"], best["hidden"], best["epochs"]) == (0.01, 50, 4)
    assert not list((runs / "trainings").glob("*/checkpoint.npz"))
    assert len(notes(runs / "trainings", "continue")) == 2 + 1
    space.write_text('{"learning_rate": [0.1], "hidden": [5, 50]}')
    assert main(words(runs, *search)) == 2
    assert "would not make again" in capsys.readouterr().err
    assert main(words(runs, *search, "--replace")) == 0
    assert {row["learning_rate"] for row in rows_of(runs, "search") if "rung" in row} == {0.1}


def test_a_checkpoint_that_is_gone_changes_no_row(runs, monkeypatch):
    search = ("search", "--models", "rnn", "--trials", "4", "--epochs", "4", "--factor", "2", "--fewest-epochs", "1")
    assert main(words(runs, *search)) == 0
    kept, _ = rows_of(runs, "search"), (runs / "trainings").rename(runs / "first")

    def forgetful(trainings, *more):
        for path in (runs / "trainings").glob("*/checkpoint.npz"):
            path.unlink()
        return outcomes_here(trainings)

    monkeypatch.setattr(cluster, "outcomes_of", forgetful)
    assert main(words(runs, *search)) == 0
    assert not notes(runs / "trainings", "continue") and rows_of(runs, "search") == kept


def test_a_training_that_fails_leaves_the_others_and_their_rows(runs, capsys):
    main(words(runs, *EXPERIMENTS))
    whole = [(row["model"], run) for row, run in trained(runs, "experiments") if "fraction" not in row]
    directories, rows = {model: run.directory.name for model, run in whole}, rows_of(runs)
    for path in (runs / "trainings").iterdir():
        path.rename(runs / path.name)
    (runs / "trainings" / "failing").write_text(directories["rnn"])
    capsys.readouterr()
    assert main(words(runs, *EXPERIMENTS)) == 1
    told = capsys.readouterr()
    assert "rnn-generalization-0 failed" in told.err and "3 of 3 trainings identical" in told.out
    assert rows_of(runs) == rows


def test_a_row_of_a_mean_over_more_seeds_is_not_taken_away(runs, capsys):
    small = ("data-study", "--parts", "shares", "--shares", "0.5", "--models", "tree-nn", "--epochs", "2")
    assert main(words(runs, *small, "--seeds", "2")) == 0
    rows = [row for row in rows_of(runs, "data-study") if row["way"] != "weight 1"]
    of_way = next(row for row in rows_of(runs, "data-study") if row["way"] == "weight 1")
    mean = {name: value for name, value in of_way.items() if name not in ("seed", "seal")}
    write_rows(rows_file(runs, "data-study"), [*rows, {**mean, "seeds": 5, "mean_dev_accuracy": 70.0}])
    assert main(words(runs, *small, "--seeds", "2")) == 2
    assert "mean over 5 seeds" in capsys.readouterr().err
    assert main(words(runs, *small, "--seeds", "2", "--replace")) == 0
    assert all("seed" in row for row in rows_of(runs, "data-study"))


def test_what_was_scored_later_comes_into_the_rows_of_the_trainings_that_are_here(runs):
    main(words(runs, *EXPERIMENTS, "--seeds", "2"))
    before, details = rows_of(runs), read_rows(details_file(runs, "experiments"))
    for row, run in trained(runs, "experiments"):
        if row["seed"] == 1:
            run.directory.rename(runs / run.directory.name)
        else:
            scores = {"run": run.results.run, "data_fingerprint": "x", "by_depth": {"5": {"accuracy": 0.5, "count": 4}}}
            artifacts.write_sealed(run.directory / "deep.json", scores)
    for _ in range(2):
        record_scores(runs, studies()["experiments"])
        assert [row.get("deep_5") for row in rows_of(runs)] == [50.0 if row["seed"] == 0 else None for row in before]
        assert read_rows(details_file(runs, "experiments")) == details
    assert main(words(runs, *EXPERIMENTS)) == 0
    assert rows_of(runs)[0]["deep_5"] == 50.0  # and stay there when the training is recognised


def test_the_training_that_is_best_on_dev_is_kept(runs, capsys):
    assert main(["keep-best", "--runs", str(runs), "--out", str(runs / "kept")]) == 2
    assert "there is no finished training on the random split" in capsys.readouterr().err
    main(words(runs, *EXPERIMENTS, "--seeds", "3"))
    for _, run in trained(runs, "experiments"):
        for name in ("best.params", "best.params.sha256"):
            (run.directory / name).write_text(run.directory.name)
    assert main(["keep-best", "--runs", str(runs), "--out", str(runs / "kept")]) == 0
    kept = {path.name: read_run(path) for path in (runs / "kept").iterdir()}
    found = {name: (run.seed, run.configuration.fraction) for name, run in kept.items()}
    assert found == {"rnn": (0, 1), "tree-nn": (0, 1)}
    assert (runs / "kept" / "rnn" / "best.params").read_text().startswith("rnn-generalization-0-")


@pytest.mark.parametrize("more", [("--seeds", "9"), ("--data", "/nowhere"), ("--models", "none"), ("--workers", "0")])
def test_bad_input_is_one_sentence_and_writes_nothing(runs, capsys, more):
    before = sorted(runs.iterdir())
    try:
        code = main([*words(runs, "experiments"), *more])
    except SystemExit as ending:
        code = ending.code
    assert code == 2 and "Traceback" not in capsys.readouterr().err and sorted(runs.iterdir()) == before


def test_a_study_does_not_load_the_networks():
    code = "import sys, reproduction.commands.study; assert 'mxnet' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=artifacts.ROOT)


OWN_STUDY = """
from reproduction.rows import select
from reproduction.studies.core import Case, Study, register_study
from reproduction.training.configuration import make_configuration

def plan(arguments):
    def case(width, epochs):
        made = make_configuration("tree-nn", "strict", 0, hidden=width, epochs=epochs)
        return Case(made, {"rung": epochs, "hidden": width})
    rows = yield [case(width, 1) for width in arguments.widths]
    best = max((row for row in rows if row), key=lambda row: row["dev_accuracy"])
    yield [case(best["hidden"], 2)]

def options(parser):
    parser.add_argument("--widths", nargs="+", type=int, default=[4, 6])

register_study(Study("widths", "how wide a network has to be", plan, options))
"""


def test_a_study_from_a_file_outside_the_package_runs_end_to_end(tmp_path):
    """Trained for real, in processes of their own under Dask, with its rows and a second run that recognises them."""
    write_small_dataset(tmp_path / "runs" / "data")
    (tmp_path / "own.py").write_text(OWN_STUDY)
    base = [sys.executable, "-m", "reproduction", "study"]
    more = ["--extension", str(tmp_path / "own.py"), "--workspace", str(tmp_path)]

    def run(*words):
        return subprocess.run([*base, *words, *more], cwd=artifacts.ROOT, capture_output=True, text=True)

    assert "how wide a network has to be" in run("--help").stdout
    first = run("widths")
    assert first.returncode == 0, first.stderr
    rows = [json.loads(line) for line in (tmp_path / "runs" / "widths.jsonl").read_text().splitlines()]
    assert [(row["rung"], row["epochs"]) for row in rows] == [(1, 1), (1, 1), (2, 2)]
    assert {row["hidden"] for row in rows[:2]} == {4, 6} and rows[2]["hidden"] in (4, 6)
    assert all(
        read_run(path).configuration.model == "tree-nn" for path in Path(tmp_path / "runs" / "trainings").iterdir()
    )
    again = run("widths")
    assert "3 of 3 trainings identical" in again.stdout and "2, 2 of them finished before" in again.stdout
    (tmp_path / "own.py").write_text(OWN_STUDY.replace(', "hidden": width', ""))
    assert "belongs into their keys" in run("widths").stderr
