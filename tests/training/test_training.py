"""Runs of every model on a small data set: results, repeatability, kills, and files that are not what they seem."""

import json

import numpy as np
import pytest
from support.small_data import write_small_dataset

from reproduction import artifacts, load
from reproduction.__main__ import main
from reproduction.data import dataset
from reproduction.data.manifest import finish, manifest_of
from reproduction.data.splits import split_parts
from reproduction.errors import InputError
from reproduction.models import MODELS
from reproduction.training import loop as training
from reproduction.training.configuration import make_configuration
from reproduction.training.run_directory import read_run

EPOCHS = 4


def start(data, directory, model="tree-lstm+data", **options):
    settings = {"hidden": 6, "batch_size": 16, "epochs": EPOCHS, "dropout": 0.2, **options}
    configuration = make_configuration(model, "generalization", 0, **settings)
    split = dataset.load_split(data, "generalization", 0)
    training.train(training.Run(configuration, dataset.load(data), split, directory))
    path = directory / "results.json"
    return artifacts.read_json(path) if path.is_file() else {}


def history_of(directory):
    return [json.loads(line) for line in (directory / "history.jsonl").read_text().splitlines()]


def scores_of(run, data):
    """What `evaluate` writes."""
    assert main(["evaluate", str(run), "--data", str(data), "--json", str(run / "scores.json")]) == 0
    return artifacts.read_json(run / "scores.json")


def words(data, out, model="tree-nn", *more):
    common = ["--hidden", "4", "--batch-size", "16", "--epochs", "2", "--seed", "0"]
    return ["train", "--model", model, "--data", str(data), "--out", str(out), *common, *more]


@pytest.mark.parametrize("model", MODELS)
def test_every_model_trains(model, data, tmp_path):
    results = start(data, tmp_path, model, learning_rate=0.03, dropout=0.0, epochs=15)
    history = history_of(tmp_path)
    assert [row["epoch"] for row in history] == list(range(1, 16))
    assert history[-1]["loss"] < 0.9 * history[0]["loss"]
    assert results["diverged"] is None
    scores = [row["dev_accuracy"] - (row["dev_mse"] or 0.0) for row in history]
    assert results["best_epoch"] == 1 + int(np.argmax(scores))
    assert results["dev"]["symbolic"]["accuracy"] == history[results["best_epoch"] - 1]["dev_accuracy"]
    assert results["best_on_test"]["symbolic"]["accuracy"] == max(row["test_accuracy"] for row in history)
    assert sum(row["count"] for row in results["test"]["symbolic"]["by_depth"].values()) == 19
    assert ("evaluations" in results["test"]) == model.endswith("+data")
    assert set(results["seconds_to"]) == {"90", "95", "97"} and results["equations_per_second"] > 0
    seconds = [row["seconds"] for row in history]
    assert [0.0, *seconds] == sorted({0.0, *seconds}) and results["train_seconds"] == seconds[-1]
    if model.endswith("+data"):
        assert history[-1]["squared_error"] < 0.5 * history[0]["squared_error"]
    assert not (tmp_path / "checkpoint.npz").exists()


def test_the_average_is_scored_and_learning_goes_on_without_it(data, tmp_path):
    averaged = start(data, tmp_path / "averaged", "tree-lstm", averaging=0.9)
    plain = start(data, tmp_path / "plain", "tree-lstm", averaging=0.0)
    one, other = ([row["loss"] for row in history_of(tmp_path / name)] for name in ("averaged", "plain"))
    assert one == other and averaged["epochs"] == plain["epochs"]
    assert averaged["files"]["best.params"] != plain["files"]["best.params"]


SCHEDULES = {
    "constant": (1, 1, 1, 1),
    "linear": (1, 0.5, 0.25, 0),
    "cosine": (1, 0.5, 0.5 - 0.5**1.5, 0),
    "late": (1, 1, 0.5, 0),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_how_learning_rates_fall(schedule):
    found = [training.rate_factor(schedule, done) for done in (0, 0.5, 0.75, 1)]
    assert found == pytest.approx(SCHEDULES[schedule])


def test_another_configuration_and_other_data_are_refused(data, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_finish", lambda run: None)
    start(data, tmp_path, epochs=1)
    assert (tmp_path / "config.json").is_file() and not (tmp_path / "results.json").exists()
    with pytest.raises(InputError, match="made with hidden 6, not 7"):
        start(data, tmp_path, epochs=1, hidden=7)
    write_small_dataset(tmp_path / "data", copies=5)
    with pytest.raises(InputError, match="made with data fingerprint"):
        start(tmp_path / "data", tmp_path, epochs=1)


def test_every_setting_does_something(data, tmp_path):
    settings = {"numeric_weight": 3.0, "dropout": 0.0, "l2": 0.01, "fraction": 0.5, "numeric_fraction": 0.5,
                "numeric_task": "both", "seed": None}  # fmt: skip
    for name, value in settings.items():
        start(data, tmp_path / name, epochs=1, **({} if value is None else {name: value}))
    assert len({(tmp_path / name / "best.params").read_bytes() for name in settings}) == len(settings)


def test_a_fraction_takes_so_many_training_records(data):
    records, split = dataset.load(data), dataset.load_split(data, "generalization", 0)
    whole, half, again, other = (
        split_parts(records, split, fraction, fraction, seed)
        for fraction, seed in ((1.0, 0), (0.5, 0), (0.5, 0), (0.5, 1))
    )
    for kind in ("symbolic", "numeric"):
        every, some = (getattr(parts.train, kind) for parts in (whole, half))
        assert len(some) == round(len(every) / 2)
        assert set(some) < set(every)
    assert half == again != other
    assert (half.dev, half.test) == (whole.dev, whole.test)
    few = split_parts(records, split, 0.5, 1.0, 0).train  # symbolic records alone
    assert (few.symbolic, few.numeric) == (half.train.symbolic, whole.train.numeric)


@pytest.mark.parametrize("task", ["verify", "both"])
def test_numeric_equations_can_be_verified_like_symbolic_ones(task, data, tmp_path):
    results = start(data, tmp_path, numeric_task=task)
    test = results["test"]
    assert ("evaluations" in test) == (task == "both")
    assert test["together"]["count"] == test["symbolic"]["count"] + test["numeric"]["count"]
    hits = sum(test[part]["accuracy"] * test[part]["count"] for part in ("symbolic", "numeric"))
    assert test["together"]["accuracy"] == pytest.approx(hits / test["together"]["count"])
    path = tmp_path / "predictions.jsonl.gz"
    rows = [*artifacts.lines_of_gz(path.read_bytes(), path)]
    assert all("probability" in row for row in rows)
    assert any("decoded" in row for row in rows) == (task == "both")
    assert read_run(tmp_path).results.test.together.accuracy == test["together"]["accuracy"]
    assert scores_of(tmp_path, data)["test"] == test


def test_presets_have_settings_of_trees_and_of_chains_and_options_win_over_them():
    tree, chain = (make_configuration(name, "generalization", 0, "release") for name in ("tree-lstm", "lstm"))
    assert (tree.leaf, tree.reading, chain.leaf, chain.reading) == ("sigmoid", "sides", None, "equation")
    assert (tree.dropout, tree.batch_size, tree.l2, tree.epochs) == (0.0, 1, 1e-5, 100)
    made = make_configuration("tree-lstm+data", "generalization", 0, "paper", dropout=0.3)
    assert (made.batch_size, made.learning_rate, made.averaging, made.dropout) == (1, 1e-3, 0.0, 0.3)


@pytest.mark.parametrize("model", ["rnn", "lstm", "tree-nn+data"])
def test_a_network_of_the_release_is_used_like_any_other(data, tmp_path, model):
    out = tmp_path / "run"
    assert main(words(data, out, model, "--preset", "release", "--epochs", "2")) == 0
    network = load(out)
    probability = network.verify(["x + 1 = sin(x)"])[0].probability
    filled = {each.equation: each.probability for each in network.complete("x + _ = sin(x)", top=2000).fillings}
    assert filled["x + 1 = sin(x)"] == pytest.approx(probability, rel=1e-4)
    assert network.embed(["x + 1", "x"]).shape == (2, 4)
    assert network.subtrees("x + 1 = sin(x)").nodes[0].probability == pytest.approx(probability, rel=1e-4)


def test_commands(data, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(words(data, out, "tree-nn+data", "--tensorboard")) == 0
    assert "chosen on dev" in capsys.readouterr().out and list((out / "tensorboard").iterdir())
    results = artifacts.read_json(out / "results.json")
    assert scores_of(out, data) == {name: results[name] for name in ("dev", "test")}
    capsys.readouterr()
    assert main(words(data, out, "tree-nn+data")) == 0
    assert "finished already" in capsys.readouterr().out
    assert main(words(data, out, "tree-nn+data", "--learning-rate", "0.5")) == 2
    assert "holds a finished run with learning rate" in capsys.readouterr().err
    write_small_dataset(tmp_path / "other", copies=5)
    assert main(words(tmp_path / "other", out, "tree-nn+data")) == 2
    assert "holds a finished run with data fingerprint" in capsys.readouterr().err


def test_another_cell_is_trained_stored_and_refused_elsewhere(data, tmp_path, capsys):
    out = tmp_path / "run"
    assert main(words(data, out, "tree-lstm+data", "--cell", "tree-gru")) == 0
    assert artifacts.read_json(out / "config.json")["cell"] == "tree-gru"
    assert "computed by the generic engine" in capsys.readouterr().out
    assert scores_of(out, data)["test"] == artifacts.read_json(out / "results.json")["test"]
    for cell in ("tree-quadratic", "tree-lstm"):
        assert main(words(data, out, "tree-lstm+data", "--cell", cell)) == 2
        assert "holds a finished run with cell 'tree-gru'" in capsys.readouterr().err
    assert main(words(data, tmp_path / "other", "lstm", "--cell", "tree-gru")) == 2
    assert "lstm has no cell to choose" in capsys.readouterr().err
    row = artifacts.read_json(out / "config.json")
    artifacts.write_json(out / "config.json", {**row, "cell": "tree-lstm"})
    assert main(["evaluate", str(out), "--data", str(data)]) == 2
    assert "of another run than the config.json beside it" in capsys.readouterr().err


def test_evaluate_on_other_data(data, tmp_path, capsys):
    assert main(words(data, tmp_path / "run", "tree-lstm")) == 0
    other = tmp_path / "other"

    def evaluated(directory="run"):
        capsys.readouterr()
        code, told = main(["evaluate", str(tmp_path / directory), "--data", str(other)]), capsys.readouterr()
        return code, told.out + told.err

    write_small_dataset(other, copies=2)
    code, told = evaluated()
    assert code == 0 and "all: accuracy" in told
    path = other / "symbolic.jsonl.gz"
    lines = [*artifacts.lines_of_gz(path.read_bytes(), path)]
    artifacts.write_lines_gz(other / "symbolic.jsonl.gz", [{**lines[0], "equation": "x + 2.57 = 2.57 + x"}, *lines[1:]])
    finish(manifest_of(other, {}))
    code, told = evaluated()
    assert code == 2 and "without a number block" in told
    (tmp_path / "run" / "best.params").write_bytes(b"something else")
    for directory, said in (("run", "damaged"), ("nowhere", "not a finished run")):
        code, told = evaluated(directory)
        assert code == 2 and said in told


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--optimizer", "adamm"), "optimizer 'adamm' is unknown"),
        (("--momentum", "0.5"), "'adam' has no momentum"),
        (("--dropout", "1.5"), "dropout 1.5 is out of range"),
        (("--hidden", "0"), "hidden 0 is out of range"),
        (("--learning-rate", "nan"), "learning rate nan is out of range"),
        (("--seed", "7"), "has no split generalization for seed 7"),
        (("--numeric-task", "verify"), "no numeric task to choose"),
        (("--reading", "equation"), "has no reading to choose"),
        (("--leaf", "x"), "leaf 'x' is unknown"),
        (
            ("--cell", "mine"),
            "cell 'mine' is unknown (allowed: tree-nn, tree-lstm, tree-gru, tree-quadratic, tree-smu)",
        ),
    ],
)
def test_settings_that_cannot_be_used(more, sentence, data, tmp_path, capsys):
    assert main(words(data, tmp_path, "tree-nn", *more)) == 2
    assert sentence in capsys.readouterr().err


def test_a_milestone_counts_when_it_is_reached():
    history = [{"seconds": 1.0, "dev_accuracy": 0.75}, {"seconds": 2.0, "dev_accuracy": 0.875}]
    assert [training._seconds_to(history, per_cent) for per_cent in (75, 80, 87.5, 90)] == [1.0, 2.0, 2.0, None]
