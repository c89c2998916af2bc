"""The paper's own protocol: what it trains, in which order, and what its summary keeps; with a stand-in."""

import pytest
from support.stand_in_data import ClusterHere, notes, run_trials_here, write_stand_in_data
from support.synthetic_runs import completion_of

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import protocol as command
from reproduction.data.dataset import SPLIT_NAMES
from reproduction.models import MODELS
from reproduction.shapes import as_json, shaped
from reproduction.sweeps import runner
from reproduction.sweeps.protocol import trials
from reproduction.training.configuration import PRESETS, make_configuration
from reproduction.training.records import Results
from reproduction.training.run_directory import read_run


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


@pytest.fixture
def completed(monkeypatch):
    """Trainings and filled blanks are stand-ins; the directories whose blanks were filled, in order."""
    directories = []

    def complete_here(several, data):
        for directory in several:
            errors = [0.25, 0.125] if "+data" in directory.name else None
            artifacts.write_sealed(directory / "completion.json", completion_of(directory, [0.5, 0.75], errors))
            directories.append(directory.name)

    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "complete_runs", complete_here)
    return directories


def run_command(tmp_path, *words) -> int:
    return main(["protocol", "--data", str(tmp_path / "data"), "--out", str(tmp_path), *words])


def test_every_model_split_and_seed_as_the_paper_trains_it_trees_first(tmp_path, data):
    wanted = trials(tmp_path, data, 2)
    assert {each[:3] for each in wanted} == {
        (model, split, seed) for model in MODELS for split in SPLIT_NAMES for seed in range(2)
    }
    are_trees = [MODELS[each.model].is_tree for each in wanted]
    assert are_trees == sorted(are_trees, reverse=True)
    for kind in (True, False):
        seeds = [each.seed for each in wanted if MODELS[each.model].is_tree == kind]
        assert seeds == sorted(seeds)
    for (model, split, seed, _), trial in wanted.items():
        assert trial.configuration == make_configuration(model, split, seed, "paper")
        settings = trial.configuration.as_row()
        assert PRESETS["paper"].items() <= settings.items()
        assert trial.directory == tmp_path / trial.name


def test_the_command_trains_fills_blanks_and_writes_one_summary(tmp_path, data, completed, capsys):
    assert run_command(tmp_path, "--seeds", "2") == 0
    content = artifacts.read_json(tmp_path / artifacts.PROTOCOL)
    assert (content["preset"], content["settings"]) == ("paper", PRESETS["paper"])
    assert content["data_fingerprint"] == data.fingerprint
    rows = {(row["model"], row["split"], row["seed"]): row for row in content["rows"]}
    assert len(rows) == len(content["rows"]) == len(MODELS) * len(SPLIT_NAMES) * 2
    for (model, split, seed), row in rows.items():
        run = read_run(tmp_path / "protocol" / f"{model}-{split}-{seed}")
        assert shaped(Results, row["results"], "") == run.results._replace(files={})
        assert row["split_checksum"] == data.split_checksum(split, seed)
        filled = {"top_k": [0.5, 0.75], "top_k_mse": [0.25, 0.125] if MODELS[model].has_data else None}
        assert row["completion"] == (filled if split == "generalization" else None)
    assert [name.rpartition("-")[2] for name in completed] == ["0"] * 6 + ["1"] * 6  # the blanks of a seed are the same
    assert len(content["rows"]) == 48 and (tmp_path / artifacts.PROTOCOL).stat().st_size < 120_000
    assert f"written to {tmp_path / artifacts.PROTOCOL}" in capsys.readouterr().out


def test_what_is_finished_is_recognised_and_the_rest_trained(tmp_path, data, completed, capsys):
    words = ("--models", "tree-nn", "tree-nn+data", "--splits", "generalization", "--epochs", "3")
    assert run_command(tmp_path, *words) == 0
    content = artifacts.read_json(tmp_path / artifacts.PROTOCOL)
    assert content["settings"]["epochs"] == 3
    assert {row["model"] for row in content["rows"]} == {"tree-nn", "tree-nn+data"}
    capsys.readouterr()
    assert run_command(tmp_path, *words, "--seeds", "2") == 0
    assert "runs: 4, 2 of them finished before" in capsys.readouterr().out
    assert len(notes(tmp_path / "protocol", "start")) == 4
    assert len(artifacts.read_json(tmp_path / artifacts.PROTOCOL)["rows"]) == 4


def test_data_from_elsewhere_need_a_place_for_the_runs(tmp_path, data, completed, capsys):
    assert main(["protocol", "--data", str(tmp_path / "data")]) == 2
    assert "name the directory of the runs with --out" in capsys.readouterr().err
    assert run_command(tmp_path, "--seeds", "9") == 2
    assert "has no split generalization for seed 3" in capsys.readouterr().err
    assert not (tmp_path / "protocol").exists() and not (tmp_path / artifacts.PROTOCOL).exists()


def test_runs_with_other_settings_are_kept_and_so_is_their_summary(tmp_path, data, monkeypatch, capsys):
    from support.stand_in_training import PROGRAM

    from reproduction.sweeps import starter

    monkeypatch.setattr(starter, "PROGRAM", PROGRAM)
    monkeypatch.setattr(command, "complete_runs", lambda directories, data: None)
    words = ("--models", "tree-nn", "--splits", "strict")
    assert run_command(tmp_path, *words, "--epochs", "2") == 0
    before = (tmp_path / artifacts.PROTOCOL).read_bytes()
    assert run_command(tmp_path, *words) == 1
    assert "is of a run with epochs 2, not 100; remove it to train again" in capsys.readouterr().err
    assert (tmp_path / artifacts.PROTOCOL).read_bytes() == before


def test_records_become_objects_and_records_again(tmp_path, data, completed):
    run_command(tmp_path, "--models", "tree-nn+data", "--splits", "strict")
    results = read_run(tmp_path / "protocol" / "tree-nn+data-strict-0").results
    assert shaped(Results, as_json(results), "") == results
