"""Trainings that are forked from a process that has imported what they need: as if each had its own interpreter."""

import os
import signal
import sys
import threading
import time
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path

import pytest
from support.small_data import write_small_dataset
from support.stand_in_data import notes, some_trials, write_stand_in_data
from support.stand_in_training import PROGRAM

from reproduction.sweeps import runner, starter
from reproduction.sweeps.runner import TrainingKilledError, run_trial
from reproduction.sweeps.starter import Starter, StarterGoneError, run_anew, run_forked
from reproduction.training.run_directory import PARAMETERS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="trainings are forked on Linux only")


@pytest.fixture
def trials(tmp_path):
    root = tmp_path / "trials"
    root.mkdir()
    return some_trials(root, write_stand_in_data(tmp_path / "data"), 4)


@pytest.fixture
def log(tmp_path):
    with (tmp_path / "log").open("ab") as file:
        yield file


@pytest.fixture
def stand_in_starter():
    started = Starter(PROGRAM)
    yield started
    started.stop()


def set_up(trial) -> tuple[str, ...]:
    trial.directory.mkdir()
    return trial.words


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def children(process: int) -> list[int]:
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(word) for each in lists for word in each.read_text().split()]


def eventually(condition) -> bool:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_exit_codes_signals_and_words_are_those_of_the_program(trials, log, stand_in_starter):
    root = trials[0].directory.parent
    (root / "failing").write_text("t1")
    (root / "dying").write_text("t2")
    codes = [stand_in_starter.run(set_up(trial), log) for trial in trials]
    assert codes == [0, 2, -signal.SIGKILL, 0]
    assert trials[3].is_recorded and notes(root, "end") == ["t0", "t3"]
    assert Path(log.name).read_text() == "error: this trial cannot be trained\n"


def test_an_exception_is_a_traceback_in_the_log(log, stand_in_starter):
    assert stand_in_starter.run(("train", "--data", "nowhere"), log) == 1
    assert "KeyError: 'out'" in Path(log.name).read_text()


def test_a_training_dies_with_the_process_that_started_it_and_another_takes_its_place(trials, log):
    root = trials[0].directory.parent
    (root / "slow").write_text("60")
    words = set_up(trials[0])
    outcomes = []

    def ask():
        try:
            run_forked(PROGRAM, words, log)
        except StarterGoneError:
            outcomes.append("gone")
        (root / "slow").unlink()
        outcomes.append(run_forked(PROGRAM, set_up(trials[1]), log))

    resource_tracker.ensure_running()  # or the first test of a process would see it begin
    before = set(children(os.getpid()))
    asking = threading.Thread(target=ask)
    asking.start()
    assert eventually(lambda: notes(root, "start") == ["t0"])
    (process,) = set(children(os.getpid())) - before
    (training,) = children(process)
    os.kill(process, signal.SIGKILL)
    asking.join()
    assert outcomes == ["gone", 0] and notes(root, "end") == ["t1"]
    assert eventually(lambda: not is_alive(training))


def test_a_worker_takes_a_lost_starter_for_a_killed_training(trials, monkeypatch):
    def lost(*_):
        raise StarterGoneError

    monkeypatch.setattr(runner, "run_forked", lost)
    with pytest.raises(TrainingKilledError, match="killed by signal 9"):
        run_trial(trials[0], PROGRAM)


def test_another_version_of_the_code_is_imported_anew(tmp_path, log):
    program = tmp_path / "program.py"
    for version in ("1", "2", "2"):
        program.write_text(f"def main(words):\n    print({version}, *words)\n    return 0\n")
        assert run_forked(str(program), ["words"], log, version) == 0
    program.write_text("not Python")
    assert run_forked(str(program), ["again"], log, "2") == 0
    assert Path(log.name).read_text().splitlines() == ["1 words", "2 words", "2 words", "2 again"]


def test_a_gpu_is_never_used_after_a_fork(trials, monkeypatch):
    ways = []
    monkeypatch.setattr(runner, "run_forked", lambda *_: ways.append("forked") or 0)
    monkeypatch.setattr(runner, "run_anew", lambda *_: ways.append("anew") or 0)
    on_gpu = replace(trials[0], configuration=replace(trials[0].configuration, device="gpu"))
    for trial in (trials[0], on_gpu):
        run_trial(trial, PROGRAM)
    assert ways == ["forked", "anew"]


def test_forked_trainings_have_the_bits_of_others(tmp_path, log):
    write_small_dataset(tmp_path / "data")
    parameters = {}
    for name, run in (("anew", run_anew), ("first", run_forked), ("second", run_forked)):
        directory = tmp_path / name
        words = ("train", "--model", "tree-lstm+data", "--epochs", "2", "--hidden", "5")
        words += ("--data", str(tmp_path / "data"), "--out", str(directory))
        assert run(starter.PROGRAM, words, log) == 0, Path(log.name).read_text()
        parameters[name] = (directory / PARAMETERS).read_bytes()
    assert len(set(parameters.values())) == 1


def test_what_dask_asks_of_its_workers_memory_is_not_asked_of_trainings(monkeypatch):
    """Its workers give memory back early; a training would do so at every step, half of its time."""
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    started = Starter(PROGRAM)
    deadline, surroundings = time.monotonic() + 10, b""
    while not surroundings and time.monotonic() < deadline:  # empty at the moment in which the program starts
        surroundings = Path(f"/proc/{started._process.pid}/environ").read_bytes()
    started.stop()
    assert b"OMP_NUM_THREADS=1" in surroundings and b"MALLOC_TRIM_THRESHOLD_" not in surroundings
