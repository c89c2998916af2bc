"""The ablation of optimizers: what it runs, what it chooses, and what it says; with a stand-in for the training."""

from collections import Counter

import pytest
from support.stand_in_data import ClusterHere, notes, run_here, run_trials_here, write_stand_in_data
from support.stand_in_training import BEST_RATE

from reproduction.__main__ import main
from reproduction.commands import ablate as command
from reproduction.models import MODELS
from reproduction.networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS
from reproduction.report.figures.ablation import OPTIMIZER_LOOKS, ablation_figure, overall_figure, trial_rows
from reproduction.report.results import read_archive
from reproduction.report.sweeps import ablation_sweep, sweeps, write_sweep
from reproduction.report.tables.ablation import (
    ablation_table,
    adam_firsts,
    claim_sentence,
    delay_sentence,
    overall_table,
)
from reproduction.report.tables.formats import to_latex, to_markdown
from reproduction.sweeps import runner
from reproduction.sweeps.ablation import (
    BATCHES,
    CANDIDATE,
    GRID,
    TUNED,
    TUNING,
    Ablation,
    Regime,
    grid_points,
    rate,
    rates_to_try,
    regimes,
)
from reproduction.sweeps.ablation_results import View, diverged, entries, ranking, tried_rates, views
from reproduction.sweeps.study import Score, Study

AT_GRID, AT_TUNED, AT_LARGE = View(GRID, 1), View(TUNED, 1), View(TUNED, 256)
REGIMES = (Regime(1, 20, 5, True), Regime(256, 10, 3, False))


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A whole ablation with two seeds."""
    directory = tmp_path_factory.mktemp("ablation")
    data = write_stand_in_data(directory / "data")
    ablation = Ablation("tree-lstm+data", "generalization", PAPER_OPTIMIZERS, 2, REGIMES)
    study = Study(directory / "records", data, run_here)
    ablation.run(study)
    return ablation.summary(study)


def test_the_papers_grid():
    points = [dict(point) for point in grid_points(PAPER_OPTIMIZERS)]
    counts = Counter(point["optimizer"] for point in points)
    with_momentum, without = ("sgd", "nag", "dcasgd"), ("adam", "rmsprop", "adagrad", "sgld")
    assert counts == {**dict.fromkeys(with_momentum, 4), **dict.fromkeys(without, 2), "adadelta": 1}
    assert {(point["dropout"], point["l2"]) for point in points} == {(0.2, 1e-5)}
    assert len({look[1:] for look in OPTIMIZER_LOOKS.values()}) == len(OPTIMIZERS)


def test_every_network_has_the_papers_batches_and_ours():
    for model in MODELS:
        small, large = regimes(model, BATCHES, None, None)
        assert (small.batch_size, large.batch_size) == (1, 256)
        assert small.is_paper and not large.is_paper
    assert regimes("rnn", ("large",), 7, 3) == (Regime(256, 7, 3, False),)


def test_small_batches_are_the_papers_protocol_and_large_ones_the_models_own():
    ablation = Ablation("tree-lstm", "strict", ("adam",), 1, REGIMES)
    small, large = (ablation._configuration(regime, (("optimizer", "adam"),), 0, 5) for regime in REGIMES)
    assert (small.batch_size, small.averaging, small.dropout, small.l2) == (1, 0.0, 0.2, 1e-5)
    assert (large.batch_size, large.averaging, large.l2, large.schedule) == (256, 0.998, 5e-5, "constant")


def test_rates_are_half_decades_and_neighbours_of_the_best_are_tried():
    assert [rate(step) for step in range(-4, 3)] == [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0]
    assert rates_to_try({}, -4) == [-4, -6, -2]
    scores = {step: Score(True, 90.0 + step) for step in (-6, -4, -2)}
    assert rates_to_try(scores, -4) == [-3, -1]
    scores |= {-3: Score(True, 80.0), -1: Score(False, 99.0)}
    assert rates_to_try(scores, -4) == []
    assert rates_to_try({1: Score(True, 80.0), 2: Score(True, 90.0)}, 0) == []  # nothing beyond the fastest


def test_every_optimizer_gets_the_rate_that_is_best_on_dev(content):
    tuned = {entry.optimizer: entry for entry in entries(content, AT_TUNED)}
    assert {name: tuned[name].learning_rate for name in BEST_RATE} == BEST_RATE
    assert {
        entry.optimizer: entry.learning_rate for entry in entries(content, AT_LARGE) if entry.learning_rate
    } == BEST_RATE
    assert tuned["adadelta"].learning_rate is None
    assert {tuned[name].momentum for name in ("sgd", "nag", "dcasgd")} == {0.7}
    assert all(len(entry.rows) == 2 for entry in tuned.values())
    parts = Counter(row["part"] for row in content["rows"])
    assert parts[TUNED] == 2 * 8 * 2 and parts[GRID] == 21 + 8
    tuning = {(row["batch_size"], row["seed"], row["epochs"]) for row in content["rows"] if row["part"] == TUNING}
    assert tuning == {(1, 0, 5), (256, 0, 3)}


def test_of_the_grid_the_best_point_of_each_optimizer_is_trained_with_all_seeds(content):
    assert views(content) == (AT_GRID, AT_TUNED, AT_LARGE)
    for entry in entries(content, AT_GRID):
        tried = [row for row in content["rows"] if row["part"] == GRID and row["optimizer"] == entry.optimizer]
        assert len(entry.rows) == 2
        assert entry.dev_accuracies[0] == max(row["dev_accuracy"] for row in tried if row["seed"] == 0)


def test_tuning_goes_on_until_the_best_is_not_at_an_end(tmp_path, data):
    """The stand-in's best rate for sgd is far from where this tuning begins."""
    regime = Regime(1, 5, 5, True)
    ablation = Ablation("tree-lstm", "generalization", ("adam", "sgd"), 1, (regime,))
    study = Study(tmp_path, data, run_here)
    assert {name: found[0] for name, found in ablation.tune(study, regime).items()} == {"adam": -4, "sgd": 0}
    tried = tried_rates(ablation.summary(study), 1)
    assert [row["learning_rate"] for row in tried["sgd"]] == [0.003, 0.03, 0.1, 0.3, 1.0, 3.0]


def test_the_table_says_what_was_best_and_whether_the_paper_is_right(content):
    at_grid = [entry.optimizer for entry in ranking(content, AT_GRID)]
    assert at_grid[:2] == ["adadelta", "rmsprop"]  # the stand-in likes them
    assert adam_firsts(content, AT_GRID) == (0, 2)
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


def test_all_networks_stand_beside_each_other(content):
    both = [{**content, "model": "tree-nn"}, content]
    text = to_markdown(overall_table(both))
    assert "TreeNN, 1 a batch" in text and "TreeLSTM + data, 256 a batch" in text
    assert text.count("★") == 2 * (1 + 8 + 8) + 1  # at tuned rates all are tied; and the note
    figure = overall_figure(both)
    assert len(figure.figure.axes) == 3 and len(figure.data) == 1 + 2 * 3 * 8


def test_why_dcasgd_has_the_numbers_of_sgd_is_said_with_how_far_they_are_apart(content):
    assert "at most 0.00 points apart on dev here" in delay_sentence([content])
    rows = [{**row, "dev_accuracy": row["dev_accuracy"] + 0.5} if row["optimizer"] == "dcasgd" else row
            for row in content["rows"]]  # fmt: skip
    assert "at most 0.50 points" in to_markdown(ablation_table({**content, "rows": rows}))
    others = [row for row in content["rows"] if row["optimizer"] != "sgd"]
    assert delay_sentence([{**content, "rows": others}]) is None


def test_a_summary_of_one_batch_size_can_still_be_read(content):
    """As it was written before there were two."""
    rows = [{name: value for name, value in row.items() if name != "batch_size"}
            for row in content["rows"] if row["batch_size"] == 1]  # fmt: skip
    older = {"batch_size": 256, "epochs": 20, "tuning_epochs": 5, **content, "rows": rows}
    del older["regimes"]
    assert views(older) == (View(GRID, 256), View(TUNED, 256))
    assert "At the paper's grid, batches of 256" in to_markdown(ablation_table(older))
    assert len(ablation_figure(older).figure.axes) == 4


def test_the_papers_claim_without_large_batches(content):
    rows = [row for row in content["rows"] if row["batch_size"] == 1]
    small, both = claim_sentence([{**content, "rows": rows}]), claim_sentence([content])
    assert small.endswith("DCASGD and SGLD tied for 1, and best or so near for 1.") and "large batches" not in small
    assert both.startswith(small.removesuffix(".")) and "; in large batches, after 10 epochs, for 0 of 1, SGD, " in both


def test_an_ablation_without_adam_says_nothing_about_it(content):
    others = {**content, "rows": [row for row in content["rows"] if row["optimizer"] != "adam"]}
    assert claim_sentence([]) is None and claim_sentence([others]) is None
    assert "Adam" not in "".join(ablation_table(others).notes)
    assert claim_sentence([others, content]) == claim_sentence([content])


def test_divergence_is_reported_with_its_epoch_and_comes_last(content):
    rows = [dict(row) for row in content["rows"]]
    for row in rows:
        if (row["part"], row["batch_size"]) == AT_TUNED and row["optimizer"] == "sgd" and row["seed"] == 1:
            row |= {"diverged": 4, "curve": row["curve"][:3], "epochs_to_90": None}
    diverging = {**content, "rows": rows}
    assert ranking(diverging, AT_TUNED)[-1].optimizer == "sgd"
    assert len(diverged(diverging)) == len(diverged(content)) + 1
    text = to_markdown(ablation_table(diverging))
    assert "epoch 4 (1 of 2 seeds)" in text
    assert "What diverged, and in which epoch" in text and "| SGD | 1 | 1 | 0.7 | tuned | 1 | 4 |" in text
    assert ablation_sweep(diverging).plot.name == "ablation-tree-lstm+data" and ablation_figure(diverging).data


def test_a_run_that_diverged_at_once_is_drawn(content):
    rows = [{**row, "diverged": 1, "curve": []} if row["optimizer"] == "nag" else row for row in content["rows"]]
    assert len(ablation_figure({**content, "rows": rows}).figure.axes) == 6


def test_the_data_file_has_every_trial(content):
    rows = trial_rows(content)
    assert len(rows) == 1 + len(content["rows"]) and "curve" not in rows[0]


def test_the_command_goes_on_and_repeats_itself(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
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
        "--batches",
        "small",
    ]
    assert main([*words, *places]) == 0
    assert "At the paper's grid" in capsys.readouterr().out
    written = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    name = "ablation-tree-nn"
    assert sorted(written) == [f"{name}.csv", f"{name}.png", f"{name}.svg",
                               f"table-{name}.csv", f"table-{name}.md", f"table-{name}.tex"]  # fmt: skip
    started = notes(tmp_path / "out" / "tree-nn", "start")
    assert len(started) == len(set(started)) == 5 + 2 + 3  # adadelta is tuned as it stands in the grid
    assert main([*words, *places]) == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()} == written
    assert notes(tmp_path / "out" / "tree-nn", "start") == started
    (tmp_path / "out").rename(tmp_path / "ablation")
    archive = read_archive(tmp_path)
    (again,) = sweeps(archive)
    write_sweep(again, tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == written
    assert claim_sentence(archive.ablations).endswith("needs all eight of its optimizers at its grid.")


def test_what_few_epochs_ranked_wrongly_is_put_right_by_all_of_them(tmp_path, data, monkeypatch):
    """The best rate of the tuning is no longer the best when it is trained to the end."""
    regime = Regime(1, 5, 3, True)
    ablation = Ablation("tree-lstm", "generalization", ("adam",), 2, (regime,))
    of = Score.of

    def misled(run):
        is_short = run.configuration.epochs == regime.tuning_epochs
        return Score(True, run.configuration.learning_rate) if is_short else of(run)

    monkeypatch.setattr(Score, "of", misled)
    study = Study(tmp_path, data, run_here)
    ablation.run(study)
    rows = study.rows
    tuned = {row["learning_rate"] for row in rows if row["part"] == TUNED}
    full = {row["learning_rate"]: row["dev_accuracy"] for row in rows if row["part"] == CANDIDATE}
    assert tuned == {max(full, key=full.get)} and len(full) == 3
    assert max(row["learning_rate"] for row in rows if row["part"] == TUNING) not in tuned
