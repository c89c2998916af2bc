"""The list of runs, and the command that works it off with a stand-in for the training."""

from collections import Counter

import pytest
from support.stand_in_data import notes, write_stand_in_data
from support.stand_in_training import PROGRAM
from support.synthetic_runs import tiny_dataset, write_dataset, write_run

from reproduction.__main__ import main
from reproduction.data.dataset import SPLIT_NAMES, Record
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation
from reproduction.models import MODELS
from reproduction.report.results import read_archive
from reproduction.sweeps import starter
from reproduction.sweeps.experiments import CURVE_FRACTIONS, LONGEST_FIRST, Experiment, experiments, trial
from reproduction.training.configuration import make_configuration


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


def test_every_model_split_and_seed_once_and_one_seed_before_the_next():
    wanted = list(experiments(3))
    whole = [experiment for experiment in wanted if experiment.fraction == 1]
    assert Counter(whole) == Counter(
        Experiment(model, split, seed) for model in MODELS for split in SPLIT_NAMES for seed in range(3)
    )
    assert [experiment.seed for experiment in wanted] == sorted(experiment.seed for experiment in wanted)
    curves = [experiment for experiment in wanted if experiment.fraction < 1]
    assert {experiment.split for experiment in curves} == {"generalization"}
    assert {experiment.fraction for experiment in curves} == set(CURVE_FRACTIONS)
    assert len({experiment.name for experiment in wanted}) == len(wanted)


def test_names_are_those_that_the_tables_look_for():
    for experiment in experiments(2):
        assert Experiment.named(experiment.name) == experiment


def test_a_trial_has_the_defaults_of_its_model(tmp_path, data):
    made = trial(Experiment("tree-nn+data", "strict", 2), tmp_path, data)
    assert made.configuration == make_configuration("tree-nn+data", "strict", 2)
    assert trial(Experiment("rnn", "strict", 0, 0.5), tmp_path, data, epochs=7).configuration.epochs == 7


def run_command(tmp_path, data, *words):
    places = ("--data", str(data.directory), "--out", str(tmp_path / "experiments"))
    return main(["experiments", "--epochs", "2", *places, *words])


def test_the_command_trains_what_is_missing_and_says_what_failed(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(starter, "PROGRAM", PROGRAM)
    out = tmp_path / "experiments"
    out.mkdir()
    (out / "failing").write_text("lstm-strict-0")
    words = ("--models", "rnn", "lstm", "--splits", "strict", "generalization", "--fractions", "0.5")
    assert run_command(tmp_path, data, *words) == 1
    shown = capsys.readouterr()
    assert "lstm-strict-0 failed: exit code 2: error: this trial cannot be trained" in shown.err
    assert "5 of 6 runs are finished" in shown.out
    (out / "failing").unlink()
    assert run_command(tmp_path, data, *words, "--seeds", "2") == 0
    shown = capsys.readouterr()
    assert "runs: 12, 5 of them finished before" in shown.out and "12 of 12 runs are finished" in shown.out
    assert Counter(notes(out, "end")) == Counter(
        {each.name: 1 for each in experiments(2, ("rnn", "lstm"), words[4:6], [0.5])}
    )
    assert len(read_archive(tmp_path).runs) == 12


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--seeds", "9"), "has no split strict for seed 3; `python -m reproduction splits --data "),
        (("--cell", "nosuch"), "cell 'nosuch' is unknown (allowed: tree-nn, tree-lstm, "),
        (("--cell", ""), "cell '' is unknown"),
        (("--fractions", "2"), "fraction 2.0 is out of range"),
        (("--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler can be reached there"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path, data, capsys, words, said):
    assert run_command(tmp_path, data, "--models", "tree-lstm", "--splits", "strict", "generalization", *words) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "experiments").exists()


def deep_dataset(directory):
    """A few equations of depths 4 and 5."""
    texts = ("sin(cos(tan(exp(x)))) = y", "sin(cos(tan(exp(x)))) = sin(cos(tan(exp(x))))", "sin(cos(tan(x))) = x")
    dataset = tiny_dataset(1)
    equations = [parse_equation(text) for text in texts]
    records = [Record(f"d{place}", each, 0, "symbolic", each.depth, "") for place, each in enumerate(equations)]
    write_dataset(directory, type(dataset)(tuple(records), dataset.numeric, ""), range(1))


def test_deep_equations_are_scored_once_and_runs_without_parameters_are_named(tmp_path, monkeypatch, capsys):
    from reproduction.commands import deep

    deep_dataset(tmp_path / "deep")
    for model in ("tree-lstm", "rnn"):
        directory = write_run(tmp_path / "experiments", tiny_dataset(1), model, "strict", 0)
        (directory / "deep.json").unlink()
    (directory.parent / "tree-lstm-strict-0" / "best.params").touch()
    scored = []

    def scores(run, records, data):
        scored.append(run.model)
        by_depth = {"5": {"accuracy": 0.5, "count": 2}}
        return {"run": run.results.run, "data_fingerprint": records.fingerprint, "by_depth": by_depth}

    monkeypatch.setattr(deep, "deep_scores", scores)
    for _ in range(2):
        assert main(["deep", "--runs", str(tmp_path), "--data", str(tmp_path / "deep")]) == 0
    assert scored == ["tree-lstm"]
    shown = capsys.readouterr().out
    assert "rnn-strict-0 is left out" in shown and "1 of 2 runs are scored" in shown
    assert {run.model: run.deep for run in read_archive(tmp_path).runs} == {"tree-lstm": {5: 50.0}, "rnn": {}}


def test_shallow_equations_are_refused_as_deep_ones(tmp_path, capsys):
    write_dataset(tmp_path / "shallow", tiny_dataset(1), range(1))
    assert main(["deep", "--runs", str(tmp_path), "--data", str(tmp_path / "shallow")]) == 2
    assert "no equation there is deeper than 4" in capsys.readouterr().err


def test_runs_that_are_not_there_are_not_scored(tmp_path, capsys):
    deep_dataset(tmp_path / "deep")
    assert main(["deep", "--runs", str(tmp_path / "none"), "--data", str(tmp_path / "deep")]) == 2
    assert "none: there is no such directory" in capsys.readouterr().err


def test_trees_can_have_another_cell(data, tmp_path):
    cells = [trial(Experiment(model, "strict", 0), tmp_path, data, cell="tree-gru").configuration.cell
             for model in ("tree-nn", "tree-lstm+data", "lstm")]  # fmt: skip
    assert cells == ["tree-gru", "tree-gru", None]


def test_settings_beside_the_data_are_those_of_its_experiments(data, tmp_path):
    (data.directory / "settings.json").write_text('{"tree-nn": {"learning_rate": 0.5}}')
    rates = [trial(Experiment(model, "strict", 0), tmp_path, data).configuration.learning_rate
             for model in ("tree-nn", "tree-lstm")]  # fmt: skip
    assert rates == [0.5, make_configuration("tree-lstm", "strict", 0).learning_rate]
    (data.directory / "settings.json").write_text('{"tree-nn": 3}')
    with pytest.raises(InputError, match=r"settings.json: tree-nn is '3', not an object"):
        trial(Experiment("tree-nn", "strict", 0), tmp_path, data)


def test_the_longest_trainings_come_first():
    assert set(LONGEST_FIRST) == set(MODELS)
    assert [MODELS[name].is_lstm for name in LONGEST_FIRST] == [True, True, True, False, False, False]
