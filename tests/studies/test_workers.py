"""Trainings on Dask: forked processes, failures, deaths, unfit workers, killed drivers and schedulers, TLS."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from support.small_data import write_small_dataset
from support.stand_in_data import notes, outcomes_here, some_trainings, write_stand_in_data
from support.stand_in_machines import ROOT, Machines
from support.stand_in_training import FILE

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.models import EXTENSIONS
from reproduction.studies import cluster as cluster_module
from reproduction.studies.cluster import RETRIES, Cluster, duration, follow, outcomes_of, seconds_left
from reproduction.studies.workers import Outcome, Starter, code_digest, exit_code_of, train_here
from reproduction.training.configuration import make_configuration
from reproduction.training.run_directory import PARAMETERS, Training, data_at, split_of

linux = pytest.mark.skipif(sys.platform != "linux", reason="trainings are forked on Linux only")


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Processes of trainings do not train."""
    monkeypatch.setenv(EXTENSIONS, FILE)


@pytest.fixture
def data(tmp_path):
    return write_stand_in_data(tmp_path / "data", seeds=10)


@pytest.fixture
def root(tmp_path):
    (tmp_path / "trainings").mkdir()
    return tmp_path / "trainings"


def asked(*words: str) -> Cluster:
    parser = argparse.ArgumentParser()
    cluster_module.add_arguments(parser)
    return cluster_module.asked_cluster(parser.parse_args(words))


def of_other_data(training):
    return replace(training, data=training.data._replace(files={**training.data.files, "symbolic.jsonl.gz": "00"}))


# ------------------------------------------------------------------------------ one training


def test_a_record_is_recognised_by_configuration_data_and_split(root, data):
    (training,) = some_trainings(root, data, 1)
    assert not training.is_recorded
    outcomes_here([training])
    assert training.is_recorded
    files = {**data.files, "splits/strict-0.json.gz": "another"}
    for other, said in (
        (replace(training, configuration=replace(training.configuration, hidden=20)), "hidden 50, not 20"),
        (of_other_data(training), "data fingerprint"),
        (replace(training, data=data._replace(files=files)), "split checksum"),
    ):
        with pytest.raises(InputError, match=f"holds a finished run with {said}"):
            _ = other.is_recorded
    with pytest.raises(InputError, match="not a data set"):
        data_at(root)
    with pytest.raises(InputError, match="has no split strict for seed 12; .*--split-seeds 13"):
        split_of(data, "strict", 12)


def test_a_training_that_two_ask_for_at_once_is_done_once(root, data):
    """As when the scheduler takes a worker for dead that is not."""
    (training,) = some_trainings(root, data, 1)
    (root / "slow").write_text("0.3")
    both = [threading.Thread(target=train_here, args=(training,)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert training.is_recorded and notes(root, "start") == ["t0"]


def test_a_worker_with_other_data_or_code_is_unfit(root, data, tmp_path):
    (training,) = some_trainings(root, data, 1)
    elsewhere = replace(training, data=data._replace(directory=tmp_path / "elsewhere"))
    found = [train_here(elsewhere), train_here(of_other_data(training)), train_here(training, "0123")]
    assert not training.directory.exists()
    for sentence, said in zip(found, ("does not see", "has other data", "another version of the code"), strict=True):
        assert isinstance(sentence, str) and said in sentence
    assert train_here(training, code_digest()).error is None and training.is_recorded


def test_the_digest_of_the_code_changes_with_any_source_of_the_rooms_that_count(tmp_path, monkeypatch):
    sources = tmp_path / "reproduction" / "networks"
    sources.mkdir(parents=True)
    monkeypatch.setattr(artifacts, "ROOT", tmp_path)
    digests = []
    for name, text in (("cells.py", "1"), ("cells.py", "2"), ("engine.h", ""), ("notes", "")):
        (sources / name).write_text(text)
        code_digest.cache_clear()
        digests.append((code_digest(), code_digest("networks"), code_digest("report")))
    code_digest.cache_clear()
    whole, room, other = (len(set(each)) for each in zip(*digests, strict=True))
    assert (whole, room, other) == (3, 3, 1)


# ------------------------------------------------------------------------------ processes


def eventually(condition) -> bool:
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@linux
def test_a_training_dies_with_the_process_that_started_it_and_another_takes_its_place(root, data):
    first, second = some_trainings(root, data, 2)
    for training in (first, second):
        training.directory.mkdir()
    (root / "slow").write_text("60")
    outcomes = []

    def ask():
        outcomes.append(exit_code_of(first))
        (root / "slow").unlink()
        outcomes.append(exit_code_of(second))

    others, asking = psutil.Process().children(), threading.Thread(target=ask)
    asking.start()
    assert eventually(lambda: notes(root, "start") == ["t0"])
    (process,) = (each for each in psutil.Process().children() if each not in others and each.children())
    (training,) = process.children()
    process.kill()
    asking.join()
    assert outcomes == [-signal.SIGKILL, 0] and notes(root, "end") == ["t1"]
    assert eventually(lambda: not training.is_running())


@linux
def test_a_forked_training_has_the_bits_of_one_that_is_not(tmp_path, monkeypatch):
    monkeypatch.delenv(EXTENSIONS)
    write_small_dataset(tmp_path / "data")
    found = data_at(tmp_path / "data")
    asked_for = make_configuration("tree-lstm+data", "generalization", 0, epochs=2, hidden=5)
    forking = Starter()
    for name, starter in (("first", forking), ("second", forking), ("alone", Starter(forks=False))):
        (tmp_path / name).mkdir()
        assert starter.run(Training(name, tmp_path / name, asked_for, found)) == 0
    forking.stop()
    assert len({(tmp_path / name / PARAMETERS).read_bytes() for name in ("alone", "first", "second")}) == 1


def test_a_gpu_is_never_used_after_a_fork(root, data):
    (training,) = some_trainings(root, data, 1)
    on_gpu = replace(training, configuration=replace(training.configuration, device="gpu"))
    assert train_here(on_gpu).error is None
    assert int((root / "asked-by").read_text()) == os.getpid()  # no process between them


# ------------------------------------------------------------------------------ on this machine


def test_failures_and_deaths_do_not_stop_the_others(root, data, capsys):
    trainings = some_trainings(root, data, 6)
    (root / "failing").write_text("t3")
    (root / "dying").write_text("t4")
    outcomes_here(trainings[:1])
    with Cluster(2) as cluster:
        outcomes = {outcome.training.name: outcome for outcome in follow([*trainings, trainings[1]], cluster)}
    assert outcomes["t0"].was_recorded and len(outcomes) == 6
    assert all(training.is_recorded for training in (*trainings[:3], trainings[5]))
    assert re.search(r"exit code 2: error: this training cannot be done \(log: .*t3/train.log\)", outcomes["t3"].error)
    assert "killed by signal 9 again and again" in outcomes["t4"].error
    starts = notes(root, "start")
    assert (starts.count("t4"), starts.count("t0"), starts.count("t1")) == (1 + RETRIES, 1, 1)
    assert "trainings: 6, 1 of them finished before; 2 at a time" in capsys.readouterr().out
    with Cluster(2, scheduler="tcp://127.0.0.1:1") as cluster:  # where all is recorded, nothing is started
        assert all(outcome.was_recorded for outcome in follow([*trainings[:3], trainings[5]], cluster))


def test_nobody_can_reach_the_scheduler_of_this_machine(root, data):
    before = {each.laddr for each in psutil.Process().net_connections() if each.status == "LISTEN"}
    with Cluster(1) as cluster:
        assert cluster.client.scheduler.address.startswith("inproc://")
        now = {each.laddr for each in psutil.Process().net_connections() if each.status == "LISTEN"}
        assert {place.ip for place in now - before} <= {"127.0.0.1"}  # pages without content


@pytest.mark.timeout(300)
def test_a_killed_driver_loses_nothing_and_its_trainings_end_with_it(root, data):
    trainings = some_trainings(root, data, 6)
    (root / "slow").write_text("0.3")
    code = f"""
import sys
sys.path[:0] = [{str(ROOT / "tests")!r}, {str(ROOT)!r}]
from pathlib import Path
from support.stand_in_data import some_trainings
from reproduction.studies.cluster import Cluster, outcomes_of
from reproduction.training.run_directory import data_at
with Cluster(2) as cluster:
    list(outcomes_of(some_trainings(Path({str(root)!r}), data_at({str(data.directory)!r}), 6), cluster))
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as driver:
        assert eventually(lambda: len(notes(root, "end")) >= 2)
        driver.kill()
    with Cluster(2) as cluster:
        assert not any(outcome.error for outcome in outcomes_of(trainings, cluster))
    ends, starts = notes(root, "end"), notes(root, "start")
    assert sorted(ends) == sorted(set(starts)) and len(starts) <= len(ends) + 2


# ------------------------------------------------------------------------------ other machines


@pytest.fixture
def machines(tmp_path):
    started = Machines(tmp_path / "machines")
    yield started
    started.stop()


@pytest.mark.timeout(300)
def test_a_killed_worker_loses_nothing_and_a_lost_scheduler_is_said(machines, root, data, monkeypatch):
    trainings = some_trainings(root, data, 8)
    (root / "slow").write_text("0.4")
    scheduler, worker, _ = machines.start_scheduler(), machines.start_worker(), machines.start_worker()
    with Cluster(scheduler=machines.address) as cluster:
        cluster.client.wait_for_workers(2)
        seen = []
        for outcome in outcomes_of(trainings[:6], cluster):
            assert outcome.error is None
            seen.append(outcome.training.name)
            if len(seen) == 2:
                worker.kill()
        assert sorted(seen) == sorted(notes(root, "end")) and len(notes(root, "start")) <= len(seen) + 1
        with monkeypatch.context() as patch:
            patch.setattr(Cluster, "code", "0123")
            with pytest.raises(InputError, match="has another version of the code .*; stop or update it"):
                list(outcomes_of(trainings[6:], cluster))
        going_on = outcomes_of(trainings[6:], cluster)
        scheduler.kill()
        with pytest.raises(InputError, match="scheduler at .* is gone; what is finished is recorded"):
            list(going_on)


def test_a_worker_without_the_project_is_refused(root, data, tmp_path):
    elsewhere = Machines(tmp_path / "logs", tmp_path)
    try:
        elsewhere.start_scheduler(), elsewhere.start_worker()
        with Cluster(scheduler=elsewhere.address) as cluster, pytest.raises(InputError, match="cannot import the"):
            list(outcomes_of(some_trainings(root, data, 1), cluster))
    finally:
        elsewhere.stop()
    assert not (root / "t0").exists()


def certificates(directory: Path) -> list[str]:
    """The three options of an authority, and a certificate of its own with a key."""
    directory.mkdir()
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for words in (
        ("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority"),
        ("req", *key, "-keyout", "own.key", "-out", "own.csr", "-subj", "/CN=machine"),
        ("x509", "-req", "-in", "own.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "own.pem"),
    ):
        subprocess.run(["openssl", *words], cwd=directory, check=True, capture_output=True)
    files = (("ca", "ca.pem"), ("cert", "own.pem"), ("key", "own.key"))
    return [f"--tls-{name}={directory / file}" for name, file in files]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl, which makes certificates, is missing")
def test_an_encrypted_cluster_takes_only_its_own_certificates(root, data, tmp_path, machines, monkeypatch):
    ours, foreign = certificates(tmp_path / "ours"), certificates(tmp_path / "foreign")
    files = [word.replace("--tls-ca=", "--tls-ca-file=") for word in ours]
    machines.scheme = "tls"
    machines.start_scheduler("--protocol", "tls", *files)
    machines.start_worker(*files)
    address = machines.address
    with asked("--scheduler", address, *ours) as cluster:
        (outcome,) = outcomes_of(some_trainings(root, data, 1), cluster)
        assert outcome.error is None
    monkeypatch.setattr(cluster_module, "SECONDS_TO_ANSWER", 3)
    for words in ((), foreign):
        with asked("--scheduler", address, *words) as cluster, pytest.raises(InputError, match="--scheduler tls://"):
            _ = cluster.client


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tls-ca", "x"), "are for a cluster with --scheduler"),
        (("--scheduler", "tls://h:1", "--tls-ca", "x"), "--tls-ca: x, not a file"),
        (("--scheduler", "tls://h:1", "--tls-ca", str(ROOT / "LICENSE")), "--tls-cert: is missing"),
        (("--scheduler", "127.0.0.1:8786"), "not of the form tcp://HOST:PORT"),
        (("--scheduler", "tcp://127.0.0.1:port"), "not of the form tcp://HOST:PORT"),
        (("--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler can be reached there"),
    ],
)
def test_clusters_that_cannot_be_are_refused(words, said):
    with pytest.raises(InputError, match=said), asked(*words) as cluster:
        _ = cluster.client


def test_the_time_left_is_judged_by_finished_epochs(root, data):
    def training(epochs):
        return Training(f"rnn-{epochs}", root, make_configuration("rnn", "strict", 0, epochs=epochs), data)

    done = [Outcome(training(10), 20.0), Outcome(training(30), 60.0)]
    assert seconds_left(done, [training(20), training(5)], 2) == pytest.approx(25)
    assert [duration(seconds) for seconds in (40, 600, 12600)] == ["40 s", "10 min", "3.5 h"]
