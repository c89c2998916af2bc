"""Results that are not with the data set, the split, the model, the cell or the vocabulary that they lie with."""

import shutil

import pytest
from support import synthetic_runs
from support.sealing import change_run

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.report.figures.completion_examples import example_tables
from reproduction.report.results import read_archive


@pytest.fixture
def runs(tmp_path):
    dataset = synthetic_runs.write_dataset(tmp_path / "data", synthetic_runs.tiny_dataset(2), range(2))
    for model in ("tree-lstm", "tree-lstm+data", "rnn"):
        for seed in (0, 1):
            directory = synthetic_runs.write_run(tmp_path / "experiments", dataset, model, "generalization", seed)
            synthetic_runs.write_completion(directory)
    synthetic_runs.write_sweeps(tmp_path)
    synthetic_runs.write_beside(tmp_path)
    return tmp_path


def run_of(runs, name):
    return runs / "experiments" / f"{name}-generalization-0"


def read_everything(runs):
    archive = read_archive(runs)
    return [run.deep for run in archive.runs], example_tables(archive)


@pytest.mark.parametrize("name", ["results.json", "completion.json", "completion-examples.json", "deep.json"])
def test_a_file_of_another_run_is_refused(runs, name):
    shutil.copy(run_of(runs, "rnn") / name, run_of(runs, "tree-lstm+data") / name)
    with pytest.raises(InputError, match=f"tree-lstm.data-generalization-0/{name}: of another run"):
        read_everything(runs)


@pytest.mark.parametrize("name", ["history.jsonl", "predictions.jsonl.gz"])
def test_lines_of_another_run_are_refused(runs, name):
    shutil.copy(run_of(runs, "rnn") / name, run_of(runs, "tree-lstm") / name)
    with pytest.raises(InputError, match=f"{name}: damaged or of another run"):
        _ = [(run.history, run.predictions) for run in read_archive(runs).runs]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data_fingerprint": "another"}, "with the data set another, and .*data is"),
        ({"split_checksum": "another"}, "learned from another split"),
        ({"cell": "tree-gru"}, "its cell is not that of tree-lstm"),
        ({"symbols": ["x", "y", "z"]}, "its symbols is not that of tree-lstm"),
    ],
)
def test_a_run_that_is_not_comparable_is_refused(runs, change, said):
    assert len(read_archive(runs).runs) == 6
    change_run(run_of(runs, "tree-lstm+data"), change)
    with pytest.raises(InputError, match=said):
        read_archive(runs)


def test_runs_of_an_earlier_data_set_are_refused(runs):
    synthetic_runs.write_dataset(runs / "data", synthetic_runs.tiny_dataset(3), range(2))
    with pytest.raises(InputError, match="rnn-generalization-0: made with the data set .*; make it again"):
        read_archive(runs)


@pytest.mark.parametrize(
    "name", ["baselines.json", "protocol.json", "ablation/tree-nn/summary.json", "search/rnn/summary.json"]
)
def test_what_lies_beside_the_runs_is_of_their_data(runs, name):
    content = artifacts.read_json(runs / name)
    artifacts.write_sealed(runs / name, {**content, "data_fingerprint": "another"})
    with pytest.raises(InputError, match="with the data set another"):
        read_archive(runs)


def test_the_summary_of_another_model_is_refused(runs):
    shutil.copy(runs / "ablation" / "tree-nn" / "summary.json", runs / "ablation" / "tree-lstm+data" / "summary.json")
    with pytest.raises(InputError, match="model is tree-nn, and its directory is that of another one"):
        read_archive(runs)
