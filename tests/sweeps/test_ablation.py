"""The ablation of optimizers: what it runs, what it chooses, and what it says; with a stand-in for the training."""

from collections import Counter

import pytest
from support.stand_in_data import ClusterHere, notes, run_here, run_trials_here, write_stand_in_data
from support.stand_in_training import BEST_RATE

from reproduction.__main__ import main
from reproduction.commands import ablate as command
from reproduction.networks.optimizer_traits import OPTIMIZERS
from reproduction.report.figures.ablation import (
    OPTIMIZER_LOOKS,
    ablation_figure,
    ablation_table,
    adam_firsts,
    claim_sentence,
    ranking,
    trial_rows,
)
from reproduction.report.results import read_archive
from reproduction.report.sweeps import ablation_sweep, sweeps, write_sweep
from reproduction.report.tables.formats import to_latex, to_markdown
from reproduction.sweeps import runner
from reproduction.sweeps.ablation import (
    GRID,
    TUNED,
    TUNING,
    Ablation,
    entries,
    grid_points,
    rate,
    rates_to_try,
)
from reproduction.sweeps.study import Score, Study


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A whole ablation with two seeds."""
    directory = tmp_path_factory.mktemp("ablation")
    data = write_stand_in_data(directory / "data")
    ablation = Ablation("tree-lstm+data", "generalization", tuple(OPTIMIZERS), 2, 20, 5)
    study = Study(directory / "records", data, run_here)
    ablation.run(study)
    return ablation.summary(study)


def test_the_papers_grid():
    points = [dict(point) for point in grid_points(OPTIMIZERS)]
    counts = Counter(point["optimizer"] for point in points)
    with_momentum, without = ("sgd", "nag", "dcasgd"), ("adam", "rmsprop", "adagrad", "sgld")
    assert counts == {**dict.fromkeys(with_momentum, 4), **dict.fromkeys(without, 2), "adadelta": 1}
    assert {(point["dropout"], point["l2"]) for point in points} == {(0.2, 1e-5)}
    assert set(OPTIMIZER_LOOKS) == set(OPTIMIZERS)


def test_rates_are_half_decades_and_neighbours_of_the_best_are_tried():
    assert [rate(step) for step in range(-4, 3)] == [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
    assert rates_to_try({}, -4) == [-4, -5, -3]
    scores = {step: Score(True, 90.0 + step) for step in (-5, -4, -3)}
    assert rates_to_try(scores, -4) == [-2]
    assert rates_to_try({**scores, -2: Score(False, 99.0)}, -4) == []
    assert rates_to_try({1: Score(True, 80.0), 2: Score(True, 90.0)}, 0) == []  # nothing beyond the fastest


def test_every_optimizer_gets_the_rate_that_is_best_on_dev(content):
    tuned = {entry.optimizer: entry for entry in entries(content, TUNED)}
    assert {name: tuned[name].learning_rate for name in BEST_RATE} == BEST_RATE
    assert tuned["adadelta"].learning_rate is None
    assert {tuned[name].momentum for name in ("sgd", "nag", "dcasgd")} == {0.7}
    assert all(len(entry.rows) == 2 for entry in tuned.values())
    parts = Counter(row["part"] for row in content["rows"])
    assert parts[TUNED] == 8 * 2 and parts[GRID] == 21 + 8
    assert {(row["seed"], row["epochs"]) for row in content["rows"] if row["part"] == TUNING} == {(0, 5)}


def test_of_the_grid_the_best_point_of_each_optimizer_is_trained_with_all_seeds(content):
    for entry in entries(content, GRID):
        tried = [row for row in content["rows"] if row["part"] == GRID and row["optimizer"] == entry.optimizer]
        assert len(entry.rows) == 2
        assert entry.dev_accuracies[0] == max(row["dev_accuracy"] for row in tried if row["seed"] == 0)


def test_tuning_goes_on_until_the_best_is_not_at_an_end(tmp_path, data):
    """The stand-in's best rate for sgld is far from where this tuning begins."""
    ablation = Ablation("tree-lstm", "generalization", ("adam", "sgld"), 1, 5, 5)
    study = Study(tmp_path, data, run_here)
    assert ablation.tune(study) == {"adam": -4, "sgld": -8}
    tried = {row["learning_rate"] for row in study.rows if row["optimizer"] == "sgld"}
    assert tried == {3e-5, 1e-4, 3e-4}


def test_the_table_says_what_was_best_and_whether_the_paper_is_right(content):
    at_grid = [entry.optimizer for entry in ranking(content, GRID)]
    assert at_grid[:2] == ["adadelta", "rmsprop"]  # the stand-in likes them
    assert adam_firsts(content, GRID) == (0, 2)
    text = to_markdown(ablation_table(content))
    assert (
        "At the paper's grid this does not hold here: Adam is best on dev for 0 of 1 network (TreeLSTM + data)" in text
    )
    assert "Adam is number 3 of 8, and first in 0 of 2 seeds." in text
    assert r"\begin{table}" in to_latex(ablation_table(content))
    better = {**content, "rows": [{**row, "dev_accuracy": 99.0} if row["optimizer"] == "adam" else row
                                  for row in content["rows"]]}  # fmt: skip
    assert "this holds here: Adam is best on dev for 1 of 1" in claim_sentence([better])
    assert "does not hold here: Adam is best on dev for 1 of 2 networks" in claim_sentence([better, content])


def test_an_ablation_without_adam_says_nothing_about_it(content):
    others = {**content, "rows": [row for row in content["rows"] if row["optimizer"] != "adam"]}
    assert claim_sentence([]) is None and claim_sentence([others]) is None
    assert "Adam" not in "".join(ablation_table(others).notes)
    assert claim_sentence([others, content]) == claim_sentence([content])


def test_divergence_is_reported_with_its_epoch_and_comes_last(content):
    rows = [dict(row) for row in content["rows"]]
    for row in rows:
        if row["part"] == TUNED and row["optimizer"] == "sgd" and row["seed"] == 1:
            row |= {"diverged": 4, "curve": row["curve"][:3], "epochs_to_90": None}
    diverging = {**content, "rows": rows}
    assert ranking(diverging, TUNED)[-1].optimizer == "sgd"
    text = to_markdown(ablation_table(diverging))
    assert "epoch 4 (1 of 2 seeds)" in text
    assert ablation_sweep(diverging).plot.name == "ablation-tree-lstm+data" and ablation_figure(diverging).data


def test_a_run_that_diverged_at_once_is_drawn(content):
    rows = [{**row, "diverged": 1, "curve": []} if row["optimizer"] == "nag" else row for row in content["rows"]]
    assert len(ablation_figure({**content, "rows": rows}).figure.axes) == 2


def test_the_data_file_has_every_trial(content):
    rows = trial_rows(content)
    assert len(rows) == 1 + len(content["rows"]) and "curve" not in rows[0]


def test_the_command_goes_on_and_repeats_itself(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "Cluster", ClusterHere)
    places = ("--data", str(data.directory), "--out", str(tmp_path / "out"), "--figures", str(tmp_path / "figures"))
    words = [
        "ablate",
        "--models",
        "tree-nn",
        "--optimizers",
        "adam",
        "adadelta",
        "--epochs",
        "2",
        "--tuning-epochs",
        "1",
    ]
    assert main([*words, *places]) == 0
    assert "At the paper's grid" in capsys.readouterr().out
    written = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    name = "ablation-tree-nn"
    assert sorted(written) == [f"{name}.csv", f"{name}.png", f"{name}.svg",
                               f"table-{name}.csv", f"table-{name}.md", f"table-{name}.tex"]  # fmt: skip
    started = notes(tmp_path / "out" / "tree-nn", "start")
    assert len(started) == len(set(started)) == 3 + 2 + 3
    assert main([*words, *places]) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()} == written
    assert notes(tmp_path / "out" / "tree-nn", "start") == started
    (tmp_path / "out").rename(tmp_path / "ablation")
    archive = read_archive(tmp_path)
    (again,) = sweeps(archive)
    write_sweep(again, tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == written
    assert claim_sentence(archive.ablations).endswith("at tuned learning rates for 1 of 1.")
