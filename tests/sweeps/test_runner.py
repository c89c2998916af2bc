"""Trials on a Dask cluster: a real scheduler, real workers that are killed, and a stand-in for the training."""

import argparse
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.sealing import change_run
from support.stand_in_data import (
    ClusterHere,
    notes,
    run_here,
    run_trials_here,
    some_trials,
    write_stand_in_data,
)  # fmt: skip
from support.stand_in_machines import Machines
from support.stand_in_training import PROGRAM

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import search as search_command
from reproduction.commands import train
from reproduction.errors import InputError
from reproduction.sweeps import runner, starter
from reproduction.sweeps.cluster import Cluster
from reproduction.sweeps.progress import duration, exit_code, follow, seconds_left
from reproduction.sweeps.runner import TrialResult, run_trial, run_trials
from reproduction.sweeps.study import Study
from reproduction.sweeps.trials import Data, Trial, data_at
from reproduction.sweeps.versions import code_digest
from reproduction.training.configuration import make_configuration
from reproduction.training.run_directory import read_run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data")


@pytest.fixture
def root(tmp_path):
    directory = tmp_path / "trials"
    directory.mkdir()
    return directory


@pytest.fixture
def stand_in(monkeypatch):
    monkeypatch.setattr(starter, "PROGRAM", PROGRAM)


def test_the_words_of_a_trial_mean_its_configuration(root, data):
    asked = make_configuration("tree-nn", "strict", 3, optimizer="nag", momentum=0.7, learning_rate=1e-5, fraction=0.25)
    trial = Trial("name", root / "name", asked, data)
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    arguments = vars(parser.parse_args(trial.words[1:]))
    assert trial.words[0] == "train"
    assert {name: arguments[name] for name in asked.as_row()} == asked.as_row()
    assert (arguments["data"], arguments["out"]) == (data.directory, trial.directory)


def test_a_record_is_recognised_by_configuration_and_data(root, data, tmp_path):
    (trial,) = some_trials(root, data, 1)
    assert not trial.is_recorded
    run_here([trial])
    assert trial.is_recorded
    other = replace(trial, configuration=replace(trial.configuration, hidden=20))
    assert not other.is_recorded and other.other_setting == "hidden 50, not 20"
    assert not replace(trial, data=data._replace(fingerprint="another")).is_recorded
    files = tuple((name, "another" if name == "splits/strict-0.json" else checksum) for name, checksum in data.files)
    other = replace(trial, data=data._replace(files=files))
    assert not other.is_recorded and "split checksum" in other.other_setting


def test_hashed_directories_differ_with_every_setting(root, data):
    base = make_configuration("rnn", "strict", 0)
    others = [replace(base, **change) for change in ({"seed": 1}, {"epochs": 7}, {"dropout": 0.1}, {})]
    names = {Study(root, data, run_here).trial(each, "").directory.name for each in others}
    assert len(names) == 4
    other_data = Study(root, data._replace(fingerprint="x"), run_here)
    assert other_data.trial(base, "").directory.name not in names


def test_data_that_is_not_there(tmp_path, data):
    with pytest.raises(InputError, match="not a data set, manifest.json is missing"):
        data_at(tmp_path)
    with pytest.raises(InputError, match="has no split strict for seed 7; .*--split-seeds 8"):
        data_at(data.directory, [("strict", 7)])


def test_two_at_a_time_failures_and_deaths_do_not_stop_the_others(root, data, stand_in, capsys):
    trials = some_trials(root, data, 6)
    (root / "failing").write_text("t3")
    (root / "dying").write_text("t4")
    run_here(trials[:1])
    foreign = replace(trials[0], name="foreign", configuration=replace(trials[0].configuration, hidden=9))
    with Cluster(2) as cluster:
        outcomes = {outcome.trial.name: outcome for outcome in follow([*trials, foreign], cluster)}
    assert outcomes["t0"].was_recorded
    assert all(trial.is_recorded for trial in (*trials[:3], trials[5]))
    assert re.search(r"exit code 2: error: this trial cannot be trained \(log: .*t3/train.log\)", outcomes["t3"].error)
    assert "killed by signal 9 again and again" in outcomes["t4"].error
    assert "is of a run with hidden 50, not 9; remove it" in outcomes["foreign"].error
    assert notes(root, "start").count("t4") == 1 + runner.RETRIES
    assert notes(root, "start").count("t0") == 1
    shown = capsys.readouterr().out
    assert exit_code(outcomes.values()) == 1
    assert {line.split()[0] for line in capsys.readouterr().err.splitlines()} == {"t3", "t4", "foreign"}
    assert "runs: 7, 1 of them finished before; 2 at a time" in shown
    assert re.search(r"\[\d/7\] t1: test \d\d\.\d\d %, MSE 0\.\d{3}, best epoch 3 of 3, \d+ s", shown)


def test_nothing_is_started_when_everything_is_recorded(root, data):
    trials = some_trials(root, data, 2)
    run_here(trials)
    with Cluster(2, scheduler="tcp://127.0.0.1:1") as cluster:
        assert all(outcome.was_recorded for outcome in follow(trials, cluster))


def test_a_trial_that_two_ask_for_at_once_is_trained_once(root, data):
    """As when the scheduler takes a worker for dead that is not."""
    (trial,) = some_trials(root, data, 1)
    (root / "slow").write_text("0.3")
    both = [threading.Thread(target=run_trial, args=(trial, PROGRAM)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert trial.is_recorded
    assert notes(root, "start") == ["t0"]


def test_a_worker_with_other_data_or_code_is_unfit(root, data, tmp_path):
    (trial,) = some_trials(root, data._replace(directory=tmp_path / "elsewhere"), 1)
    assert "does not see" in run_trial(trial, PROGRAM).error
    (other,) = some_trials(root, data._replace(fingerprint="0123"), 1)
    assert re.search(r"has other data in .*data \([0-9a-f]+, not 0123\)", run_trial(other, PROGRAM).error)
    (trial,) = some_trials(root, data, 1)
    result = run_trial(trial, PROGRAM, code="0123")
    assert re.search(r"has another version of the code \([0-9a-f]{12}, not 0123\)", result.error) and result.is_unfit
    assert not trial.directory.exists()
    assert run_trial(trial, PROGRAM, code_digest()).error is None and trial.is_recorded


def test_the_version_of_the_code_changes_with_any_source(tmp_path, monkeypatch):
    sources = tmp_path / "reproduction" / "networks"
    sources.mkdir(parents=True)
    monkeypatch.setattr(artifacts, "ROOT", tmp_path)
    digests = []
    for name, text in (("cells.py", "1"), ("cells.py", "2"), ("engine.h", ""), ("notes", "")):
        (sources / name).write_text(text)
        digests.append(code_digest())
    assert len(set(digests)) == 3 and digests[2] == digests[3]


# ------------------------------------------------------------------------------ a scheduler and workers of their own


@pytest.fixture
def machines(tmp_path):
    asked = Machines(tmp_path / "machines")
    yield asked
    asked.stop()


def results_of(trials) -> list[bytes]:
    return [(trial.directory / "results.json").read_bytes() for trial in trials]


def test_a_killed_worker_loses_nothing_and_a_lost_scheduler_is_said(machines, root, data, tmp_path):
    trials = some_trials(root, data, 10)
    (root / "slow").write_text("0.4")
    scheduler, worker, _ = machines.start_scheduler(), machines.start_worker(), machines.start_worker()
    with Cluster(scheduler=machines.address) as cluster:
        cluster.client.wait_for_workers(2)
        seen = []
        for outcome in run_trials(trials[:7], cluster.client, PROGRAM):
            assert outcome.error is None
            seen.append(outcome.trial.name)
            if len(seen) == 2:
                worker.kill()
        assert sorted(seen) == [trial.name for trial in trials[:7]]
        assert sorted(notes(root, "end")) == sorted(seen)  # each came to its end once
        starts = notes(root, "start")
        assert set(starts) == set(seen) and len(starts) <= len(seen) + 1  # and only one was interrupted

        going_on = run_trials(trials, cluster.client, PROGRAM)
        assert not any(outcome.error for _, outcome in zip(range(8), going_on, strict=False))
        scheduler.kill()
        with pytest.raises(InputError, match="scheduler at .* is gone; what is finished is recorded"):
            list(going_on)

    undisturbed = [replace(trial, directory=tmp_path / "undisturbed" / trial.name) for trial in trials]
    (tmp_path / "undisturbed").mkdir()
    run_here(undisturbed)
    with Cluster(2) as cluster:  # the same command again, on this machine alone
        assert not any(outcome.error for outcome in run_trials(trials, cluster.client, PROGRAM))
    assert results_of(trials) == results_of(undisturbed)
    assert sorted(notes(root, "end")) == sorted(trial.name for trial in trials)


# ------------------------------------------------------------------------------ a driver that is killed

DRIVER = """
import sys
sys.path[:0] = [{tests!r}, {root!r}]
from support.stand_in_training import PROGRAM
from reproduction.__main__ import main
from reproduction.sweeps import starter
starter.PROGRAM = PROGRAM
sys.exit(main(sys.argv[1:]))
"""


class Search:
    """A search with the stand-in: six configurations, the better two of them longer, and the paper's best."""

    TRIALS = 6 + 2 + 1

    def __init__(self, directory: Path, data: Data):
        self._directory = directory
        space = directory / "space.json"
        space.write_text('{"learning_rate": [0.1, 0.01, 0.003], "hidden": [5, 50]}')
        self._words = ("search", "--model", "rnn", "--space", str(space), "--epochs", "9", "--fewest-epochs", "1",
                       "--data", str(data.directory), "--figures", str(directory / "figures"))  # fmt: skip
        self.root = directory / "out" / "rnn"
        self.root.mkdir(parents=True)

    def words(self, out: str = "out", *more: str) -> list[str]:
        return [*self._words, "--out", str(self._directory / out), *more]

    def disturb(self, *more: str, kill: Callable[[subprocess.Popen], None]) -> str:
        """What a driver says that is in the middle of its work when something is killed."""
        (self.root / "slow").write_text("0.2")
        code = DRIVER.format(tests=str(ROOT / "tests"), root=str(ROOT))
        command = [sys.executable, "-c", code, *self.words("out", *more)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as driver:
            while len(notes(self.root, "end")) < 3:
                assert driver.poll() is None
                time.sleep(0.05)
            kill(driver)
            said = driver.communicate()[1].decode()
        assert not (self.root / artifacts.SUMMARY).exists()
        (self.root / "slow").unlink()
        return said

    def check(self, monkeypatch, interrupted: int) -> None:
        """Every trial came to its end once, so many were begun twice at most, and the results are the usual ones."""
        ends, starts = notes(self.root, "end"), notes(self.root, "start")
        assert len(ends) == len(set(ends)) == self.TRIALS
        assert set(starts) == set(ends) and len(starts) <= len(ends) + interrupted
        assert len(notes(self.root, "continue")) == 2
        monkeypatch.setattr(search_command, "asked_cluster", ClusterHere)
        monkeypatch.setattr(runner, "run_trials", run_trials_here)
        assert main(self.words("undisturbed")) == 0
        undisturbed = self._directory / "undisturbed" / "rnn" / artifacts.SUMMARY
        assert (self.root / artifacts.SUMMARY).read_bytes() == undisturbed.read_bytes()


@pytest.fixture
def search(tmp_path, data):
    return Search(tmp_path, data)


@pytest.mark.timeout(400)  # on a busy machine
def test_a_killed_driver_loses_nothing_and_what_is_recorded_is_not_run_again(search, monkeypatch):
    search.disturb(kill=lambda driver: driver.kill())
    with monkeypatch.context() as here:
        here.setattr(search_command, "asked_cluster", ClusterHere)
        here.setattr(runner, "run_trials", lambda trials, *_: (run_trial(trial, PROGRAM) for trial in trials))
        assert main(search.words()) == 0
    search.check(monkeypatch, interrupted=2)


@pytest.mark.timeout(400)
def test_a_killed_driver_of_an_outside_cluster_goes_on(search, machines, stand_in, monkeypatch):
    """The workers live on, and end what they have begun: nothing at all is begun twice."""
    machines.start_scheduler(), machines.start_worker(), machines.start_worker()
    outside = ("--scheduler", machines.address)
    search.disturb(*outside, kill=lambda driver: driver.kill())
    assert main(search.words("out", *outside)) == 0
    search.check(monkeypatch, interrupted=0)


@pytest.mark.timeout(400)
def test_a_killed_scheduler_that_is_started_again_is_used_again(search, machines, stand_in, monkeypatch):
    scheduler, worker = machines.start_scheduler(), machines.start_worker()
    outside = ("--scheduler", machines.address)
    said = search.disturb(*outside, kill=lambda driver: scheduler.kill())
    assert f"the Dask scheduler at {machines.address} is gone; what is finished is recorded" in said
    worker.wait(timeout=60)  # workers end with their scheduler
    scheduler.wait()
    machines.start_scheduler(), machines.start_worker()
    assert main(search.words("out", *outside)) == 0
    search.check(monkeypatch, interrupted=1)


# ------------------------------------------------------------------------------ what a person reads meanwhile


def test_the_time_left_is_judged_by_model(root, data):
    def trial(model, epochs):
        return Trial(f"{model}-{epochs}", root, make_configuration(model, "strict", 0, epochs=epochs), data)

    done = [TrialResult(trial("rnn", 10), 20.0), TrialResult(trial("lstm", 10), 40.0)]
    assert seconds_left(done, [trial("rnn", 20)], 1) == pytest.approx(40)
    assert seconds_left(done, [trial("lstm", 5)], 2) == pytest.approx(20 / 2)
    known, quick = (seconds_left(done, trials, 1) for trials in ([trial("lstm", 10)], [trial("tree-nn", 10)]))
    assert 0 < quick < known / 3  # a plain tree is known to be quicker than an LSTM before one was seen
    assert seconds_left([], [trial("rnn", 1)], 2) is None
    assert [duration(seconds) for seconds in (40, 600, 12600)] == ["40 s", "10 min", "3.5 h"]


def test_the_summary_of_a_record(root, data):
    (trial,) = some_trials(root, data, 1)
    run_here([trial])
    assert re.fullmatch(r"test \d\d\.\d\d %, MSE 0\.\d{3}, best epoch 3 of 3, 3 s", read_run(trial.directory).summary)
    change_run(trial.directory, results={"diverged": 2})
    assert "diverged in epoch 2" in read_run(trial.directory).summary
