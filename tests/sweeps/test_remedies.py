"""Remedies: what they train, and what is said of them beside the reference runs."""

import pytest
from support.stand_in_data import ClusterHere, run_trials_here, write_stand_in_data
from support.stand_in_training import write_record
from support.synthetic_runs import completion_of

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import remedies as command
from reproduction.measures import MSE
from reproduction.report.claims import CLAIMS
from reproduction.report.remedies import outcome_text
from reproduction.report.results import read_archive
from reproduction.sweeps import runner
from reproduction.sweeps.experiments import experiments
from reproduction.sweeps.experiments import trial as reference_trial
from reproduction.sweeps.remedies import FIRST_GUESS, MORE_DATA, REFERENCE, REMEDIES, trial
from reproduction.training.configuration import make_configuration


@pytest.fixture
def data(tmp_path):
    return {name: write_stand_in_data(tmp_path / name) for name in (REFERENCE, MORE_DATA)}


def test_every_remedy_changes_something_and_belongs_to_a_claim(tmp_path, data):
    assert len({remedy.name for remedy in REMEDIES}) == len(REMEDIES)
    assert {remedy.claim for remedy in REMEDIES} <= {claim.key for claim in CLAIMS}
    for remedy in REMEDIES:
        made = trial(remedy, 1, tmp_path, data)
        usual = make_configuration(remedy.model, remedy.split, 1)
        assert made.configuration != usual or remedy.data == MORE_DATA
        assert made.directory.name == f"{remedy.name}-1"
        assert trial(remedy, 1, tmp_path, data, epochs=3).configuration.epochs == 3


def test_three_remedies_are_tried_for_every_claim_that_has_any():
    claims = [remedy.claim for remedy in REMEDIES]
    assert all(claims.count(claim) >= 3 for claim in claims)


def complete_here(directories, data):
    for directory in directories:
        artifacts.write_sealed(directory / "completion.json", completion_of(directory, [0.5, 0.75], None))


def test_the_command_sets_remedies_beside_the_runs_of_their_seeds(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "complete_runs", complete_here)
    for experiment in experiments(2, fractions=()):
        made = reference_trial(experiment, tmp_path / "experiments", data[REFERENCE])
        made.directory.mkdir(parents=True)
        write_record(made.configuration, made.data.directory, made.directory)
    complete_here([run.directory for run in read_archive(tmp_path).runs if run.split == "generalization"], None)

    assert main(["remedies", "--runs", str(tmp_path), "--seeds", "3"]) == 0
    rows = artifacts.read_json(tmp_path / "remedies.json")["remedies"]
    assert [row["remedy"].split(": ")[1] for row in rows] == [remedy.words for remedy in REMEDIES]
    assert all(row["seeds"] == [0, 1] for row in rows)  # the third has no reference
    more_dropout = rows[0]
    assert all(after < before for before, after in more_dropout["scores"])  # as the stand-in has it
    assert "(paper 96.17 %); 2 seeds" in more_dropout["outcome"]
    guess = next(row for row in rows if row["measure"] == FIRST_GUESS.name)
    assert guess["scores"] == [[50.0, 50.0]] * 2 and guess["rival_scores"] == [50.0, 50.0]
    assert "first guess 50.00 → 50.00 % (paper 65.00 %; LSTM 50.00 %)" in guess["outcome"]
    assert more_dropout["outcome"] in capsys.readouterr().out


def test_without_the_larger_data_set_nothing_is_trained(tmp_path, capsys):
    write_stand_in_data(tmp_path / REFERENCE)
    assert main(["remedies", "--runs", str(tmp_path)]) == 2
    assert "data-double: not a data set" in capsys.readouterr().err
    assert not (tmp_path / "remedies").exists()


def test_an_outcome_is_one_line():
    found = {
        "dev_accuracies": [[97.0, 98.0]],
        "scores": [[0.05, 0.0401]],
        "paper": 0.047,
        "rival": None,
        "rival_scores": [],
        "seeds": [0],
    }
    assert outcome_text(found, MSE) == "dev 97.00 → 98.00 %, MSE 0.050 → 0.040 (paper 0.047); one seed"
