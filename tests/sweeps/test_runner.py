"""Trials on a Dask cluster: a real scheduler, real workers that are killed, and a stand-in for the training."""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import LocalCluster
from distributed.security import Security
from support.sealing import change_run
from support.stand_in_data import (
    ClusterHere,
    notes,
    run_here,
    run_trials_here,
    some_trials,
    write_stand_in_data,
)  # fmt: skip
from support.stand_in_training import PROGRAM

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import search as search_command
from reproduction.commands import train
from reproduction.errors import InputError
from reproduction.sweeps import cluster as cluster_module
from reproduction.sweeps import runner, starter
from reproduction.sweeps.cluster import Cluster
from reproduction.sweeps.progress import duration, exit_code, follow, seconds_left
from reproduction.sweeps.runner import TrialResult, run_trial, run_trials
from reproduction.sweeps.study import Study
from reproduction.sweeps.trials import Trial, data_at
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


class Machines:
    """A scheduler and two workers, as `python -m dask` starts them on machines of a cluster."""

    def __init__(self, directory: Path):
        self._directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self.start_scheduler()
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(directory))
        self.workers = [self._dask("worker", self.address, *options) for _ in range(2)]

    def _dask(self, *words: str) -> subprocess.Popen:
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
        log = open(self._directory / f"{words[0]}.log", "ab")  # noqa: SIM115 (the process keeps it)
        with log:
            command = [sys.executable, "-m", "dask", *words]
            return subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=log, stderr=log)

    def start_scheduler(self) -> None:
        port = self.address.rpartition(":")[2]
        self.scheduler = self._dask("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", int(port))) == 0:
                    return
            time.sleep(0.1)
        raise AssertionError("the scheduler does not answer")

    def stop(self) -> None:
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()


@pytest.fixture
def machines(tmp_path):
    directory = tmp_path / "machines"
    directory.mkdir()
    started = Machines(directory)
    yield started
    started.stop()


def results_of(trials) -> list[bytes]:
    return [(trial.directory / "results.json").read_bytes() for trial in trials]


def test_a_killed_worker_loses_nothing_and_a_lost_scheduler_is_said(machines, root, data, tmp_path):
    trials = some_trials(root, data, 10)
    (root / "slow").write_text("0.4")
    with Cluster(scheduler=machines.address) as cluster:
        cluster.client.wait_for_workers(2)
        seen = []
        for outcome in run_trials(trials[:7], cluster.client, PROGRAM):
            assert outcome.error is None
            seen.append(outcome.trial.name)
            if len(seen) == 2:
                machines.workers[0].send_signal(signal.SIGKILL)
        assert sorted(seen) == [trial.name for trial in trials[:7]]
        assert sorted(notes(root, "end")) == sorted(seen)  # each came to its end once
        starts = notes(root, "start")
        assert set(starts) == set(seen) and len(starts) <= len(seen) + 1  # and only one was interrupted

        going_on = run_trials(trials, cluster.client, PROGRAM)
        assert not any(outcome.error for _, outcome in zip(range(8), going_on, strict=False))
        machines.scheduler.send_signal(signal.SIGKILL)
        with pytest.raises(InputError, match="scheduler at .* is gone; what is finished is recorded"):
            list(going_on)

    undisturbed = [replace(trial, directory=tmp_path / "undisturbed" / trial.name) for trial in trials]
    (tmp_path / "undisturbed").mkdir()
    run_here(undisturbed)
    with Cluster(2) as cluster:  # the same command again, on this machine alone
        assert not any(outcome.error for outcome in run_trials(trials, cluster.client, PROGRAM))
    assert results_of(trials) == results_of(undisturbed)
    assert sorted(notes(root, "end")) == sorted(trial.name for trial in trials)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:8786", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1:port", "not of the form tcp://HOST:PORT"),
        ("http://127.0.0.1:8787", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1:1", "no Dask scheduler can be reached there (Connection refused)"),
    ],
)
def test_a_scheduler_that_is_not_there(address, said):
    with Cluster(scheduler=address) as cluster, pytest.raises(InputError) as refused:
        _ = cluster.client
    assert str(refused.value).startswith(f"--scheduler {address}: ")
    assert said in str(refused.value)


def test_a_server_that_is_no_scheduler(monkeypatch):
    monkeypatch.setattr(cluster_module, "SECONDS_TO_ANSWER", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with Cluster(scheduler=address) as cluster, pytest.raises(InputError, match=r"reached there \(no answer\)"):
            _ = cluster.client


# ------------------------------------------------------------------------------ TLS, and workers that are refused


def make_certificates(directory: Path) -> dict[str, Path]:
    """An authority, and a certificate of its own with a key, by the names of the options."""
    directory.mkdir()
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for words in (
        ("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"),
        ("req", *key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=machine"),
        ("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "own.pem"),
    ):
        subprocess.run(["openssl", *words], cwd=directory, check=True, capture_output=True)
    return {"ca": directory / "ca.pem", "cert": directory / "own.pem", "key": directory / "own.key"}


def asked(*words: str) -> Cluster:
    parser = argparse.ArgumentParser()
    cluster_module.add_arguments(parser)
    return cluster_module.asked_cluster(parser.parse_args(words))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes the certificates, is not installed")
def test_an_encrypted_cluster_and_a_worker_that_is_refused(root, data, tmp_path, monkeypatch):
    files, foreign = (make_certificates(tmp_path / name) for name in ("ours", "foreign"))
    sides = {f"tls_{side}_{what}": str(files[what]) for side in ("scheduler", "worker") for what in ("cert", "key")}
    security = Security(require_encryption=True, tls_ca_file=str(files["ca"]), **sides,
                        tls_client_cert=str(files["cert"]), tls_client_key=str(files["key"]))  # fmt: skip
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**options, protocol="tls://", security=security, host="127.0.0.1") as machines:
        address = machines.scheduler_address
        words = [word for name, path in files.items() for word in (f"--tls-{name}", str(path))]
        trials = some_trials(root, data, 2)
        with asked("--scheduler", address, *words) as cluster:
            (result,) = run_trials(trials[:1], cluster.client, PROGRAM, cluster.code)
            assert result.error is None and trials[0].is_recorded
            with pytest.raises(InputError, match="has another version of the code .*; stop or update it, and the same"):
                list(run_trials(trials, cluster.client, PROGRAM, "0123"))
            assert not trials[1].is_recorded
        with asked("--scheduler", address) as cluster, pytest.raises(InputError, match="needs --tls-ca, --tls-cert"):
            _ = cluster.client
        monkeypatch.setattr(cluster_module, "SECONDS_TO_ANSWER", 3)
        wrong = [word for name, path in foreign.items() for word in (f"--tls-{name}", str(path))]
        with asked("--scheduler", address, *wrong) as cluster, pytest.raises(InputError, match="--scheduler tls://"):
            _ = cluster.client


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tls-ca", "x"), "--tls-ca: is for a cluster with --scheduler tls://HOST:PORT"),
        (
            ("--scheduler", "tls://h:1", "--tls-ca", str(ROOT / "LICENSE")),
            "--tls-cert: is missing; the three TLS",
        ),
        (("--scheduler", "tls://h:1", "--tls-ca", "x"), "--tls-ca x: there is no such file"),
    ],
)
def test_tls_files_that_do_not_make_sense(words, said):
    with pytest.raises(InputError, match=re.escape(said)):
        asked(*words)


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


@pytest.mark.timeout(400)  # on a busy machine
def test_a_killed_driver_loses_nothing_and_what_is_recorded_is_not_run_again(tmp_path, data, monkeypatch):
    space = tmp_path / "space.json"
    space.write_text('{"learning_rate": [0.1, 0.01, 0.003], "hidden": [5, 50]}')
    code = DRIVER.format(tests=str(ROOT / "tests"), root=str(ROOT))
    words = ("search", "--model", "rnn", "--space", str(space), "--epochs", "9", "--fewest-epochs", "1",
             "--data", str(data.directory), "--figures", str(tmp_path / "figures"), "--out")  # fmt: skip
    root = tmp_path / "out" / "rnn"
    root.mkdir(parents=True)
    (root / "slow").write_text("0.2")
    command = [sys.executable, "-c", code, *words, str(tmp_path / "out")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as driver:
        while len(notes(root, "end")) < 3:
            assert driver.poll() is None
            time.sleep(0.05)
        driver.kill()
    assert not (root / artifacts.SUMMARY).exists()
    (root / "slow").unlink()
    monkeypatch.setattr(search_command, "asked_cluster", ClusterHere)
    monkeypatch.setattr(runner, "run_trials", lambda trials, *_: (run_trial(trial, PROGRAM) for trial in trials))
    assert main([*words, str(tmp_path / "out")]) == 0
    ends, starts = notes(root, "end"), notes(root, "start")
    assert len(ends) == len(set(ends)) == 6 + 2 + 1  # two rungs, and the paper's best; our defaults are among the six
    assert set(starts) == set(ends) and len(starts) <= len(ends) + 2
    assert len(notes(root, "continue")) == 2
    monkeypatch.setattr(runner, "run_trials", run_trials_here)
    assert main([*words, str(tmp_path / "undisturbed")]) == 0
    undisturbed = tmp_path / "undisturbed" / "rnn" / artifacts.SUMMARY
    assert (root / artifacts.SUMMARY).read_bytes() == undisturbed.read_bytes()


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
