"""Remedies: what they train, and what is said of them beside the networks as they are in the tables."""

import pytest
from support.stand_in_data import ClusterHere, run_trials_here, write_stand_in_data
from support.synthetic_runs import completion_of

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import remedies as command
from reproduction.measures import MSE
from reproduction.report.claims import CLAIMS
from reproduction.report.remedies import outcome_text
from reproduction.sweeps import runner
from reproduction.sweeps.remedies import DATA, FIRST_GUESS, REMEDIES, references, trial
from reproduction.training.configuration import make_configuration


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / DATA)


def test_every_remedy_changes_something_and_belongs_to_a_claim(tmp_path, data):
    assert {remedy.claim for remedy in REMEDIES} <= {claim.key for claim in CLAIMS}
    for remedy in REMEDIES:
        made = trial(remedy, 1, tmp_path, data)
        assert made.configuration != make_configuration(remedy.model, remedy.split, 1)
        assert made.directory.name == f"{remedy.name}-1"
        assert trial(remedy, 1, tmp_path, data, epochs=3).configuration.epochs == 3


def test_remedies_share_a_training_only_where_it_is_the_same(tmp_path, data):
    made = {trial(remedy, 0, tmp_path, data).directory: trial(remedy, 0, tmp_path, data) for remedy in REMEDIES}
    assert all(made[trial(each, 0, tmp_path, data).directory] == trial(each, 0, tmp_path, data) for each in REMEDIES)
    assert len(made) < len(REMEDIES)


def test_three_remedies_are_tried_for_every_claim_that_has_any():
    claims = [remedy.claim for remedy in REMEDIES]
    assert all(claims.count(claim) >= 3 for claim in claims)


def complete_here(directories, data):
    for directory in directories:
        artifacts.write_sealed(directory / "completion.json", completion_of(directory, [0.5, 0.75], [0.25, 0.125]))


def test_the_command_sets_remedies_beside_networks_of_their_seeds(tmp_path, data, monkeypatch, capsys):
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "complete_runs", complete_here)

    assert main(["remedies", "--runs", str(tmp_path), "--seeds", "2"]) == 0
    trained = {path.name for path in (tmp_path / "remedies" / "experiments").iterdir() if path.is_dir()}
    assert trained == {each.name for seed in range(2) for each in references(REMEDIES, seed)}
    content = artifacts.read_json(tmp_path / "remedies.json")
    rows = content["remedies"]
    assert content["data_fingerprint"] == data.fingerprint
    assert [row["remedy"].split(": ")[1] for row in rows] == [remedy.words for remedy in REMEDIES]
    assert all(row["seeds"] == [0, 1] and len(row["rival_scores"]) == 2 for row in rows)
    assert "(paper 97.20 %; TreeLSTM " in rows[0]["outcome"]
    guess = next(row for row in rows if row["measure"] == FIRST_GUESS.name)
    assert guess["scores"] == [[50.0, 50.0]] * 2 and guess["rival_scores"] == [50.0, 50.0]
    assert "first guess 50.00 → 50.00 % (paper 95.00 %; TreeLSTM 50.00 %)" in guess["outcome"]
    assert "MSE of the first guess 0.250 → 0.250 (TreeNN + data 0.250); 2 seeds" in rows[-1]["outcome"]
    assert guess["outcome"] in capsys.readouterr().out


def test_only_the_remedies_of_some_claims(tmp_path, data, monkeypatch):
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    monkeypatch.setattr(command, "complete_runs", complete_here)
    assert main(["remedies", "--runs", str(tmp_path), "--claims", "evaluation-error"]) == 0
    rows = artifacts.read_json(tmp_path / "remedies.json")["remedies"]
    assert {row["measure"] for row in rows} == {MSE.name}
    trained = {path.name for path in (tmp_path / "remedies" / "experiments").iterdir() if path.is_dir()}
    assert trained == {"tree-lstm+data-generalization-0", "tree-nn+data-generalization-0"}


def test_without_its_data_set_nothing_is_trained(tmp_path, capsys):
    assert main(["remedies", "--runs", str(tmp_path)]) == 2
    assert f"{DATA}: not a data set" in capsys.readouterr().err
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
