"""Spaces, successive halving, and searches that are run by a stand-in for the training."""

import argparse
import json
import subprocess
import sys

import pytest
from support.stand_in_data import ClusterHere, notes, run_here, run_trials_here, write_stand_in_data

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import search as command
from reproduction.networks.optimizer_traits import PAPER_OPTIMIZERS
from reproduction.report.figures.search import heat_settings, overall_search_figure, search_figure, trial_rows
from reproduction.report.results import read_archive
from reproduction.report.sweeps import search_sweep, sweeps, write_sweep
from reproduction.report.tables.formats import to_latex, to_markdown
from reproduction.report.tables.search import hours, overall_search_table, search_table
from reproduction.sweeps import runner
from reproduction.sweeps.search import (
    GRID,
    HALVING,
    OUR_DEFAULTS,
    PAPERS_BEST,
    RANDOM,
    Rung,
    Search,
    best_rows,
    rank_correlations,
    rungs,
)  # fmt: skip
from reproduction.sweeps.search_space import (
    PAPER_SPACE,
    Space,
    configuration,
    read_space,
)
from reproduction.sweeps.study import Score, Study, best_first, spearman
from reproduction.training.configuration import PAPER, make_configuration

SMALL = Space(
    (("hidden", (5, 10, 20)), ("optimizer", ("sgd", "adam", "adadelta")), ("learning_rate", (0.01, 0.1, 3.0)))
)


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


def make_search(method=HALVING, trials=None, space=SMALL, epochs=9, fewest=1, factor=3, seed=0):
    return Search("tree-nn+data", "generalization", seed, space, method, trials, epochs, fewest, factor)


def search_of(*words: str) -> Search:
    """The search that a command line asks for."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.read_search(parser.parse_args(words))


def studied(search, directory, data, run=run_here):
    """The study that the search has made."""
    study = Study(directory, data, run)
    search.run(study)
    return study


# ------------------------------------------------------------------------------ the space


def test_the_papers_space():
    points = PAPER_SPACE.points()
    assert 3 * 8 * 2 * 2 * 2 * 2 == 384
    assert dict(PAPER_SPACE.values)["optimizer"] == PAPER_OPTIMIZERS
    assert len(points) == 3 * 3 * 16 + 4 * 3 * 8 + 3 * 4 == 252  # momentum, none, and no learning rate either
    for point in map(dict, points):
        assert ("momentum" in point) == (point["optimizer"] in ("sgd", "nag", "dcasgd"))
        assert ("learning_rate" in point) == (point["optimizer"] != "adadelta")


def test_a_point_becomes_a_configuration():
    made = configuration((("optimizer", "nag"), ("momentum", 0.7), ("hidden", 20)), "lstm", "strict", 4, 9)
    assert (made.optimizer, made.momentum, made.hidden, made.epochs, made.schedule) == ("nag", 0.7, 20, 9, "constant")
    default = make_configuration("lstm", "strict", 4)
    assert (made.batch_size, made.dropout) == (default.batch_size, default.dropout)


def test_the_papers_protocol_is_one_equation_at_a_time():
    tree, chain = (search_of("--model", model).configuration((), 5) for model in ("tree-nn", "rnn"))
    assert (tree.batch_size, tree.averaging, tree.dropout, tree.schedule) == (1, 0.0, 0.2, "constant")
    assert chain.batch_size == 1
    assert search_of("--batch-size", "16").configuration((), 5).batch_size == 16


@pytest.mark.parametrize("name", ["space.json", "space.toml"])
def test_a_file_of_ones_own(tmp_path, name):
    path = tmp_path / name
    rows = {"hidden": [8, 16], "learning_rate": [0.1, 1, 0.1], "optimizer": ["adam"]}
    is_json = name.endswith("json")
    path.write_text(json.dumps(rows) if is_json else "".join(f"{key} = {value}\n" for key, value in rows.items()))
    assert read_space(path).as_row() == {"hidden": [8, 16], "learning_rate": [0.1, 1], "optimizer": ["adam"]}
    assert len(read_space(path).points()) == 4


def test_the_example_in_the_documentation_is_a_space():
    space = read_space(artifacts.ROOT / "docs" / "example-space.json")
    assert set(space.as_row()) == {"hidden", "optimizer", "learning_rate", "batch_size", "cell"}
    assert len(space.points()) == 32
    assert {configuration(point, "tree-lstm", "strict", 0, 3).optimizer for point in space.points()} == {
        "adam",
        "nadam",
    }


def test_cells_can_be_searched(tmp_path):
    path = tmp_path / "cells.json"
    path.write_text('{"cell": ["tree-lstm", "tree-gru"]}')
    assert [dict(point)["cell"] for point in read_space(path).points()] == ["tree-lstm", "tree-gru"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"optimizer": ["adam", "adamm"]}',
            "key 'optimizer': optimizer 'adamm' is unknown (allowed: sgd, nag, rmsprop, adam, ",
        ),
        ('{"optimiser": ["adam"]}', "key 'optimiser': unknown (allowed: hidden, optimizer, learning_rate, "),
        ('{"epochs": [3]}', "key 'epochs': unknown (allowed: "),
        ('{"hidden": [0]}', "key 'hidden': hidden 0 is out of range (allowed: 1 to 4096)"),
        ('{"hidden": [2.5]}', "key 'hidden': 2.5 should be a whole number"),
        ('{"hidden": [true]}', "key 'hidden': true should be a whole number"),
        ('{"dropout": ["0.1"]}', "key 'dropout': \"0.1\" should be a number"),
        ('{"dropout": [NaN]}', "NaN is no number"),
        ('{"dropout": [[0.1]]}', "key 'dropout': [0.1] should be a number"),
        ('{"schedule": ["steps"]}', "key 'schedule': schedule 'steps' is unknown (allowed: constant, linear, "),
        ('{"dropout": 0.1}', "key 'dropout': should be a list of values, for instance [0.1, 0.2]"),
        ('{"dropout": []}', "key 'dropout': should be a list of values"),
        ("{}", "should hold lists of values for at least one of hidden, optimizer"),
        ("[1]", "should hold lists of values"),
        ('{"hidden": [1,', "line 1, column 15: not JSON"),
        (json.dumps({"hidden": list(range(1, 1000)), "batch_size": list(range(1, 200))}), "more than 100,000"),
    ],
)
def test_a_wrong_file_is_refused_with_file_key_and_what_is_allowed(tmp_path, data, capsys, text, said):
    path = tmp_path / "space.json"
    path.write_text(text)
    places = ("--data", str(data.directory), "--out", str(tmp_path / "out"), "--figures", str(tmp_path / "figures"))
    assert main(["search", "--space", str(path), *places]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"error: {path}") and said in shown
    assert not (tmp_path / "out").exists() and not (tmp_path / "figures").exists()


@pytest.mark.parametrize(("name", "text"), [("missing.json", None), ("bad.toml", "hidden = [1,\nx")])
def test_a_file_that_cannot_be_read(tmp_path, data, capsys, name, text):
    if text:
        (tmp_path / name).write_text(text)
    assert main(["search", "--space", str(tmp_path / name), "--data", str(data.directory)]) == 2
    assert name in capsys.readouterr().err


# ------------------------------------------------------------------------------ successive halving


def test_rungs():
    assert rungs(252, 81, 3, 3) == (Rung(252, 3), Rung(84, 9), Rung(28, 27), Rung(9, 81))
    assert rungs(5, 81, 3, 3) == (Rung(5, 27), Rung(1, 81))
    assert rungs(2, 81, 3, 3) == (Rung(2, 81),)
    assert rungs(100, 10, 1, 4) == (Rung(100, 2), Rung(25, 10))


def test_the_best_go_on_and_a_diverged_one_is_worse_than_any_other():
    scores = {"a": Score(True, 90.0), "b": Score(False, 99.0), "c": Score(True, 95.0), "d": Score(True, 90.0)}
    assert best_first(scores) == ["c", "a", "d", "b"]


def test_random_draws_are_repeatable_and_without_repetition():
    drawn = make_search(RANDOM, trials=7).points()
    assert drawn == make_search(RANDOM, trials=7).points() != make_search(RANDOM, trials=7, seed=1).points()
    assert len(set(drawn)) == 7
    assert set(make_search(RANDOM, trials=1000).points()) == set(SMALL.points())


def test_halving_finds_the_best_of_the_grid_with_fewer_epochs(tmp_path, data):
    by_grid, by_halving = (studied(make_search(method), tmp_path / method, data).rows for method in (GRID, HALVING))
    assert len(by_grid) == len(SMALL.points()) == 21
    assert [sum(row["rung"] == rung for row in by_halving) for rung in range(3)] == [21, 7, 2]
    assert best_rows(by_halving)[0]["settings"] == best_rows(by_grid)[0]["settings"]
    assert sum(row["epochs"] for row in by_halving) < sum(row["epochs"] for row in by_grid) / 2
    diverged = [row for row in by_grid if row["diverged"]]
    assert {row["settings"]["learning_rate"] for row in diverged} == {3.0}
    assert {row["diverged"] for row in diverged} == {2}


def test_nothing_that_is_recorded_is_run_again(tmp_path, data):
    for method in (HALVING, HALVING, GRID):
        studied(make_search(method), tmp_path / "out", data)
    started = notes(tmp_path / "out", "start")
    assert len(started) == len(set(started)) == 21 + 7 + 21  # the last rung of two is part of the grid


def test_rungs_go_on_from_the_checkpoints_of_the_rung_before_which_are_then_removed(tmp_path, data):
    studied(make_search(), tmp_path / "out", data)
    assert len(notes(tmp_path / "out", "continue")) == 7 + 2
    assert not list((tmp_path / "out").glob("*/checkpoint.npz"))


def test_a_rung_begins_anew_where_the_rate_follows_a_schedule_or_the_checkpoint_is_gone(tmp_path, data):
    studied(make_search(space=Space((("schedule", ("late",)), ("hidden", (5, 10, 20))))), tmp_path / "late", data)
    assert not notes(tmp_path / "late", "continue") and len(notes(tmp_path / "late", "start")) == 3 + 1

    def forgetful(trials):
        for path in (tmp_path / "gone").glob("*/checkpoint.npz"):
            path.unlink()
        return run_here(trials)

    kept, gone = (studied(make_search(), tmp_path / name, data, run).rows
                  for name, run in (("kept", run_here), ("gone", forgetful)))  # fmt: skip
    assert not notes(tmp_path / "gone", "continue") and gone == kept


def test_test_accuracy_chooses_nothing(tmp_path, data):
    rows = studied(make_search(), tmp_path / "out", data).rows
    turned = [{**row, "test_accuracy": -row["test_accuracy"]} for row in rows]
    assert [row["trial"] for row in best_rows(rows)] == [row["trial"] for row in best_rows(turned)]


def test_trials_that_fail_are_left_out(tmp_path, data):
    def run(trials):
        first, *others = run_here(trials)
        return [first._replace(error="failed"), *others]

    study = studied(make_search(), tmp_path / "out", data, run)
    assert len(study.rows) == len(study.results) - 3
    failed = [result.trial for result in study.results if result.error]
    assert len(failed) == 3
    assert not {trial.directory.name for trial in failed} & {row["trial"] for row in study.rows}


def test_the_summary_tells_the_effect_of_each_setting(tmp_path, data):
    search = make_search()
    study = studied(search, tmp_path / "out", data)
    rows, content = study.rows, search.summary(study)
    hidden = {row["value"]: row for row in content["marginals"]["hidden"]}
    assert [hidden[value]["configurations"] for value in (5, 10, 20)] == [7, 7, 7]
    assert hidden[20]["mean_dev_accuracy"] > hidden[5]["mean_dev_accuracy"]
    assert content["best"][0] == best_rows(rows)[0]["trial"]
    assert content["rungs"] == [{"count": 21, "epochs": 1}, {"count": 7, "epochs": 3}, {"count": 2, "epochs": 9}]
    table = search_table(content)
    text = to_markdown(table)
    assert "| 1 | 20 |" in text and "Successive halving: 21 for 1 epochs, then 7 for 3 epochs" in text
    assert to_latex(table).count(r"\midrule") >= 2
    assert len(trial_rows(content)) == 1 + len(rows)
    assert heat_settings(content) == ("optimizer", "learning_rate")
    assert search_sweep(content).plot.name == "search-tree-nn+data"
    assert len(search_figure(content).figure.axes) == 3
    assert "Rank correlation (Spearman)" in text and " over 7 configurations between 1 and 3 epochs" in text
    older = {key: content[key] for key in content if key not in ("rank_correlations", "compared", "in_space")}
    assert len(search_figure(older).figure.axes) == 2 and "Spearman" not in to_markdown(search_table(older))


def test_rank_correlation():
    assert spearman([(1, 10), (2, 20), (3, 40)]) == pytest.approx(1)
    assert spearman([(1, 3), (2, 2), (3, 1)]) == pytest.approx(-1)
    assert spearman([(1, 1), (1, 2), (2, 3), (3, 3)]) == pytest.approx(8 / 9)  # ranks 0.5 0.5 2 3, 0 1 2.5 2.5
    assert spearman([]) is None and spearman([(1, 2)]) is None and spearman([(1, 2), (1, 3)]) is None


def test_rungs_are_correlated_over_what_went_on():
    rows = [{"rung": 0, "settings": {"hidden": place}, "dev_accuracy": 50 + place} for place in range(4)]
    rows += [{"rung": 1, "settings": {"hidden": place}, "dev_accuracy": 90 - place} for place in (2, 3)]
    (found,) = rank_correlations(rows)
    assert (found["rungs"], found["configurations"]) == ([0, 1], 2) and found["spearman"] == pytest.approx(-1)


def test_the_best_stands_beside_the_papers_best_and_our_defaults(tmp_path, data):
    search = make_search(space=PAPER_SPACE, trials=9)._replace(preset=PAPER, batch_size=1)
    study = studied(search, tmp_path / "out", data)
    compared = search.compare(study)
    assert [row["name"] for row in compared] == [PAPERS_BEST, OUR_DEFAULTS]
    assert compared[0]["settings"] == {"hidden": 50, "optimizer": "adam", "dropout": 0.2, "learning_rate": 1e-3,
                                       "l2": 1e-5}  # fmt: skip
    assert compared[1]["settings"]["learning_rate"] == 0.02 and compared[1]["epochs"] == 9
    content = search.summary(study, compared)
    assert "| our defaults | 50 | adam | 0 | 0.02 |" in to_markdown(search_table(content))
    both = [content, {**content, "model": "rnn"}]
    text = to_markdown(overall_search_table(both))
    assert "TreeNN + data 9 of 252; RNN 9 of 252" in text and "| RNN | the paper's best | 50 | adam |" in text
    assert len(overall_search_figure(both).data) == 1 + 2 * 3


def test_the_hours_of_a_trial_that_goes_on_count_once():
    rows = [{"settings": {"hidden": 5}, "seconds": 3600.0 * epochs} for epochs in (1, 3)]
    rows += [{"settings": {"hidden": 6}, "seconds": 1800.0}]
    assert hours({"trials": rows, "rank_correlations": []}) == 3.5
    assert hours({"trials": rows}) == 4.5  # as when every rung began anew


def test_the_command_writes_table_and_figure_and_repeats_itself(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    space = tmp_path / "space.json"
    space.write_text('{"learning_rate": [0.1, 0.01], "hidden": [5, 50]}')
    places = ("--data", str(data.directory), "--out", str(tmp_path / "out"), "--figures", str(tmp_path / "figures"))
    words = ["search", "--model", "rnn", "--space", str(space), "--epochs", "4", "--factor", "2",
             "--fewest-epochs", "1", *places]  # fmt: skip
    assert main(words) == 0
    first = capsys.readouterr().out
    assert "trials: 4 for 1 epoch, then 2 for 2 epochs, then 1 for 4 epochs\n" in first
    assert "| 1 | 0.01 | 50 | 4 |" in first
    written = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert sorted(written) == ["search-rnn.csv", "search-rnn.png", "search-rnn.svg",
                               "table-search-rnn.csv", "table-search-rnn.md", "table-search-rnn.tex"]  # fmt: skip
    assert main(words) == 0
    (tmp_path / "out").rename(tmp_path / "search")
    (again,) = sweeps(read_archive(tmp_path))
    write_sweep(again, tmp_path / "again")
    for directory in ("figures", "again"):
        assert {path.name: path.read_bytes() for path in (tmp_path / directory).iterdir()} == written
    assert len(notes(tmp_path / "search" / "rnn", "start")) == 4 + 2 + 1 + 2  # and the two that it is compared with


def test_a_factor_of_one_would_never_end(data, capsys):
    assert main(["search", "--factor", "1", "--data", str(data.directory)]) == 2
    assert "--factor 1: should be at least 2" in capsys.readouterr().err


def test_a_search_does_not_load_the_networks():
    code = "import sys, reproduction.commands.search, reproduction.commands.ablate; assert 'mxnet' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=artifacts.ROOT)
