"""The ladder from one recipe to the other: its rungs, what it trains, and what it says; with a stand-in."""

import pytest
from support.stand_in_data import ClusterHere, run_trials_here, write_stand_in_data

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import ladder as command
from reproduction.data.generation.recipes import HARD, PAPER
from reproduction.report.figures.ladder import sentence, steps
from reproduction.report.outputs import write_figures, write_tables
from reproduction.report.results import read_archive
from reproduction.sweeps import runner
from reproduction.sweeps.ladder import BESIDE, RUNGS, SPLITS, Beside, data_directory, recipes


def test_the_ladder_goes_from_paper_to_hard_one_choice_at_a_time():
    made = list(recipes().values())
    assert (made[0], made[-1]) == (PAPER, HARD)
    for rung, before, after in zip(RUNGS[1:-1], made, made[1:], strict=False):
        changed = {name for name, value in vars(after).items() if value != getattr(before, name)} - {"name"}
        assert changed == set(rung.switched)
    assert made[-2] != made[-1]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A place where data sets, trainings and what needs no network are stand-ins."""
    made = []

    def make(directory, recipe, arguments):
        if not directory.is_dir():
            write_stand_in_data(directory, content=recipe.name)
            made.append(recipe.name)

    scores = {split: {seed: dict.fromkeys(BESIDE, 70.0) for seed in range(3)} for split in SPLITS}
    monkeypatch.setattr(command, "_make_data", make)
    monkeypatch.setattr(command, "_beside", lambda directory, seeds: Beside("made up", scores, 12.5))
    monkeypatch.setattr(command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    return tmp_path, made


def test_the_command_trains_on_every_rung(here, capsys):
    runs, made = here
    words = ["ladder", "--runs", str(runs), "--figures", str(runs / "figures"), "--epochs", "2"]
    assert main(words) == 0
    assert made == [rung.name for rung in RUNGS]
    content = artifacts.read_json(runs / artifacts.LADDER)
    assert [row["rung"] for row in content["rows"]] == made
    for row in content["rows"]:
        for split in SPLITS:
            assert row["splits"][split]["seeds"] == [0, 1, 2]
            assert len(row["splits"][split]["tree-lstm"]) == 3
    assert data_directory(runs / "ladder", RUNGS[1]).is_dir()
    capsys.readouterr()
    assert main(words) == 0
    assert "runs: 42, 42 of them finished before" in capsys.readouterr().out
    archive = read_archive(runs)
    write_tables(archive, runs / "again", ["table-ladder"])
    (picture,) = write_figures(archive, runs / "again", ["ladder"])
    assert picture.drawing is not None
    assert "12.5" in (runs / "again" / "table-ladder.md").read_text()


def made_up(*levels: float) -> dict:
    rows = [
        {"words": f"step {place}", "splits": {"extrapolate-4": {"seeds": [0], "tree-lstm": [level]}}}
        for place, level in enumerate(levels)
    ]
    return {"rows": rows}


def test_the_largest_step_is_named():
    content = made_up(95.0, 94.0, 86.0, 87.0)
    assert steps(content, "extrapolate-4") == {"step 1": -1.0, "step 2": -8.0, "step 3": 1.0}
    said = sentence(content, "extrapolate-4")
    assert said == "Depth 4 unseen: TreeLSTM goes from 95.0 to 87.0 %; the largest step is “step 2” (−8.0 points)."
