"""The study of function-evaluation data: what it trains, what dev chooses, and what it says; with a stand-in."""

import math
from dataclasses import replace

import pytest
from support.stand_in_data import ClusterHere, run_trials_here, write_stand_in_data

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import data_study as command
from reproduction.report.figures.data_study import HARM, HELP, NO_DIFFERENCE, UNDECIDED, outcome, verdict
from reproduction.report.outputs import write_figures, write_tables
from reproduction.report.results import read_archive
from reproduction.sweeps import runner
from reproduction.sweeps.data_study import (
    ALL_FUNCTIONS,
    EPOCHS,
    LONGER,
    POSTER,
    REFERENCE,
    SAME,
    SHARES,
    SMALLER,
    WEIGHTS,
    conditions,
    trials,
)
from reproduction.sweeps.trials import data_at


@pytest.fixture
def data(tmp_path):
    write_stand_in_data(tmp_path / REFERENCE)
    write_stand_in_data(tmp_path / ALL_FUNCTIONS, content="other evaluations")
    return {name: data_at(tmp_path / name) for name in (REFERENCE, ALL_FUNCTIONS)}


def test_twins_differ_in_nothing_but_the_data():
    for condition in conditions():
        without, other = condition.without(1), condition.with_data(0.3, 1)
        assert other.model == f"{without.model}+data"
        assert other.numeric_fraction == 1.0
        same = {"model": without.model, "numeric_weight": without.numeric_weight, "numeric_task": without.numeric_task}
        assert replace(other, **same) == without


def test_a_twin_may_take_as_many_steps_as_with_data():
    """2 % of the equations are 254, and 1,310 numbers are decoded beside them: six times the steps."""
    (few,) = conditions([SHARES], [0.02], [1.0], ["tree-nn"])
    same, smaller, longer = (few.without(0, twin=twin) for twin in (SAME, SMALLER, LONGER))
    with_data = math.ceil((254 + 1310) / same.batch_size) * same.epochs
    assert math.ceil(254 / same.batch_size) * same.epochs < with_data / 5
    assert math.ceil(254 / smaller.batch_size) * smaller.epochs == pytest.approx(with_data, rel=0.1)
    assert math.ceil(254 / longer.batch_size) * longer.epochs == pytest.approx(with_data, rel=0.1)
    assert replace(smaller, batch_size=same.batch_size) == replace(longer, epochs=same.epochs) == same


def test_conditions_of_the_study():
    every = list(conditions())
    assert len(set(every)) == len(every)
    shares = [each for each in conditions([SHARES]) if each.model == "tree-nn"]
    assert {(each.split, each.fraction) for each in shares} == {
        *(("generalization", fraction) for fraction in EPOCHS), ("extrapolate-4", 1.0),
    }  # fmt: skip
    (small,) = conditions([SHARES], [0.5], [1.0, 7.0], ["tree-nn"])
    assert (small.model, small.weights) == ("tree-nn", (1.0,))
    assert {each.numeric_task for each in conditions([POSTER])} == {"verify", "both"}


def test_the_same_training_is_asked_for_once(data, tmp_path):
    asked = tuple(conditions())
    wanted = trials(asked, 2, tmp_path, data)
    assert len(wanted) == sum(2 * (len(each.twins) + len(each.weights)) for each in asked)
    assert len(set(wanted.values())) < len(wanted)  # twins without data of the poster's are those of the shares
    assert len({trial.directory for trial in wanted.values()}) == len(set(wanted.values()))


def test_the_command_writes_a_row_a_condition(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    words = ["data-study", "--runs", str(tmp_path), "--figures", str(tmp_path / "figures"), "--seeds", "2"]
    assert main([*words, "--epochs", "3"]) == 0
    content = artifacts.read_json(tmp_path / artifacts.DATA_STUDY)
    assert len(content["rows"]) == len(list(conditions()))
    for row in content["rows"]:
        assert row["seeds"] == [0, 1]
        assert len(row["with"]) == len(row["without"]) == 2
        assert str(row["weight"]) in row["dev_accuracy_by_weight"]
        assert row["twin"] in row["dev_accuracy_by_twin"]
    assert content["rows"][0]["weight"] == WEIGHTS[0]  # the stand-in does not know weights: the first of equals
    assert "no clear difference" in capsys.readouterr().out
    assert main([*words, "--epochs", "3"]) == 0
    assert "finished before" in capsys.readouterr().out
    archive = read_archive(tmp_path)
    write_tables(archive, tmp_path / "again", ["table-data-study"])
    (picture,) = write_figures(archive, tmp_path / "again", ["data-study"])
    assert picture.drawing is not None
    for name in ("table-data-study.md", "data-study.csv"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "figures" / name).read_bytes()


def made_up(*differences: float, **more) -> dict:
    """A row of the summary in which data make these differences."""
    row = {
        "twin": SAME,
        "part": SHARES,
        "model": "tree-nn",
        "split": "generalization",
        "fraction": 0.1,
        "numeric_task": "decode",
    }
    values = {"without": [90.0] * len(differences), "with": [90 + each for each in differences]}
    return {**row, "seeds": list(range(len(differences))), **values, **more}


@pytest.mark.parametrize(
    ("differences", "word"),
    [
        ((1, 2, 1, 1, -0.1), HELP),
        ((1, 1, 1, 1, -1), NO_DIFFERENCE),  # four wins of five
        ((2, 2, 2, -0.1, -0.1), NO_DIFFERENCE),
        ((-1, -1, -1, -1, 0), HARM),
        ((1, 1, 2), NO_DIFFERENCE),  # of three seeds the interval is wide
        ((1, 1, 1.2), HELP),
        ((1, 1, 0), NO_DIFFERENCE),
        ((5,), UNDECIDED),
    ],
)
def test_an_outcome_needs_an_interval_without_zero(differences, word):
    assert outcome(made_up(*differences)) == word


def test_the_verdict_is_made_of_the_numbers():
    rows = [made_up(1.5, 1.5, 1.5, 1.2, -0.2), made_up(-1, -1, -1, -1, -1, fraction=1.0)]
    counts, helps, harms, shares = verdict({"rows": rows})
    assert "help under 1 of 2 conditions, harm under 1 and make no clear difference under 0" in counts
    assert helps == "They help: TreeNN, random split, 10 % of the equations (+1.10, 4 of 5 seeds)."
    assert "100 % of the equations (−1.00, 0 of 5 seeds)" in harms
    assert "+1.10 points with at most 10 %" in shares and "−1.00 with more" in shares
