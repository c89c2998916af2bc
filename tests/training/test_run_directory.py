"""The directory of a run: names, refusals, and files whose shape is wrong."""

import gzip
import json

import numpy as np
import pytest
from support import synthetic_runs
from support.sealing import change_run

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.measures import ACCURACY, MSE, depth_measure
from reproduction.studies.ablation import epochs_to
from reproduction.training.configuration import Configuration
from reproduction.training.learners import best_threshold, evaluation_scores
from reproduction.training.run_directory import (
    is_finished,
    other_setting,
    read_run,
    refuse_other_run,
)


@pytest.fixture
def directory(tmp_path):
    return synthetic_runs.write_run(tmp_path, synthetic_runs.tiny_dataset(1), "tree-lstm+data", "strict", 3, 0.5)


def test_the_first_setting_that_differs_is_named():
    assert other_setting({"model": "rnn", "seed": 1}, {"model": "rnn", "seed": 2}) == "seed 1, not 2"
    assert other_setting({"data_fingerprint": "a"}, {"data_fingerprint": "b"}) == "data fingerprint 'a', not 'b'"
    assert other_setting({"seed": 1, "symbols": ["x"]}, {"seed": 1}) is None


def test_a_setting_that_is_younger_than_the_run_had_its_default():
    wanted = Configuration("rnn", "strict", 0).as_row()
    old = {name: value for name, value in wanted.items() if name != "averaging"}
    assert other_setting(old, wanted) is None
    with pytest.raises(InputError, match=r"here: made with averaging 0.995, not 0.5 \(take another directory"):
        refuse_other_run("here", old, {**wanted, "averaging": 0.5})


def test_a_finished_run_is_read_as_it_was_written(directory):
    assert is_finished(directory) and not is_finished(directory.parent)
    run, results = read_run(directory), json.loads((directory / "results.json").read_text())
    assert (run.model, run.split, run.seed, run.configuration.fraction) == ("tree-lstm+data", "strict", 3, 0.5)
    symbolic = results["test"]["symbolic"]
    assert run.results.test.measures[ACCURACY] == 100 * symbolic["accuracy"]
    assert run.results.test.measures[depth_measure(2)] == 100 * symbolic["by_depth"]["2"]["accuracy"]
    assert run.results.best_on_test.measures[MSE] == results["best_on_test"]["evaluations"]["mse"]
    assert [epoch.epoch for epoch in run.history] == list(range(1, 101))
    assert epochs_to(run, 100 * run.history[40].dev_accuracy) == 41 and epochs_to(run, 100.1) is None
    assert set(run.stored_deep.by_depth) == {5, 6, 7} and run.predictions[0].part == "test"
    accuracy, error = 100 * symbolic["accuracy"], results["test"]["evaluations"]["mse"]
    scores = f"test {ACCURACY.text(accuracy)}, MSE {MSE.text(error)}"
    assert run.summary == f"{scores}, best epoch 80 of 100, 100 s"


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("config.json", lambda row: {**row, "hidden": "50"}, r"config.json: hidden is '50', not a whole number"),
        ("config.json", lambda row: [row], r"config.json: the content is .*, not an object"),
        ("results.json", lambda row: {**row, "dev": {}}, r"results.json: dev.symbolic is missing"),
    ],
)
def test_a_wrong_shape_is_refused_with_file_and_field(directory, name, change, said):
    artifacts.write_json(directory / name, change(artifacts.read_json(directory / name)))
    with pytest.raises(InputError, match=said):
        read_run(directory)


def test_wrong_lines_are_refused_with_their_number(directory):
    (directory / "history.jsonl").write_text('{"epoch": 1, "loss": 0.5, "dev_accuracy": 0.5}\n{"epoch": 2}\n')
    with pytest.raises(InputError, match=r"history.jsonl: damaged or of another run"):
        _ = read_run(directory).history
    change_run(directory)
    with pytest.raises(InputError, match=r"history.jsonl, line 2: loss is missing"):
        _ = read_run(directory).history
    with gzip.open(directory / "predictions.jsonl.gz", "wt") as file:
        file.write('{"part": "test", "id": 7}\n')
    change_run(directory)
    with pytest.raises(InputError, match=r"predictions.jsonl.gz, line 1: id is '7', not a text"):
        _ = read_run(directory).predictions
    (directory / "history.jsonl").unlink()
    with pytest.raises(InputError, match=r"history.jsonl: there is no such file"):
        _ = read_run(directory).history


def test_threshold_makes_the_fewest_mistakes():
    errors, labels = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([1, 1, 0, 1, 0])
    assert best_threshold(errors, labels) == pytest.approx(0.2)
    assert best_threshold(errors, np.array([1, 1, 1, 1, 1])) == pytest.approx(0.5)


def test_scores_of_evaluations_are_those_computed_by_hand():
    decoded, literals = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.1, 2.0, 5.0, 4.5])
    labels, kinds = np.array([1, 1, 0, 1]), ["evaluation", "decimal", "evaluation", "evaluation"]
    scores = evaluation_scores(decoded, literals, labels, kinds, threshold=0.2)
    assert scores["mse"] == pytest.approx((0.01 + 0.25) / 2)
    assert scores["mse_all"] == pytest.approx((0.01 + 0 + 0.25) / 3)
    assert scores["accuracy"] == pytest.approx(3 / 4)
    assert (scores["count"], scores["count_all"]) == (2, 4)
