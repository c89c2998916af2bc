"""Clusters: on this machine, at an address, encrypted, and as the documentation starts them."""

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from distributed import CancelledError, LocalCluster
from distributed.comm import CommClosedError
from distributed.security import Security
from support.stand_in_data import some_trials, write_stand_in_data
from support.stand_in_machines import HOST, ROOT, Machines, wait_for_answer
from support.stand_in_training import PROGRAM

from reproduction import artifacts
from reproduction.errors import InputError
from reproduction.sweeps import cluster as cluster_module
from reproduction.sweeps import runner
from reproduction.sweeps.cluster import Cluster
from reproduction.sweeps.runner import run_trials

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl, which makes certificates, is missing"
)


@pytest.fixture
def trials(tmp_path):
    (tmp_path / "trials").mkdir()
    return some_trials(tmp_path / "trials", write_stand_in_data(tmp_path / "data"), 3)


def asked(*words: str) -> Cluster:
    """The cluster that these options ask for."""
    parser = argparse.ArgumentParser()
    cluster_module.add_arguments(parser)
    return cluster_module.asked_cluster(parser.parse_args(words))


def test_nothing_is_written_to_the_systems_temporary_directory(tmp_path, monkeypatch):
    """Workers have a directory of ours; Dask's scheduler would take one of the system's, and leave it after a kill."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Cluster(workers=1) as cluster:
        assert cluster.size == 1
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_one_left_is_removed_even_if_nothing_has_to_run(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path)
    with Cluster():
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "scratch" / "dask-old").mkdir(parents=True)
    (tmp_path / "scratch" / "dask-old" / ".lock").touch()
    with Cluster():
        assert list((tmp_path / "scratch").iterdir()) == []


# ------------------------------------------------------------------------------ a scheduler's address, and TLS


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:8786", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1:port", "not of the form tcp://HOST:PORT"),
        ("http://127.0.0.1:8787", "not of the form tcp://HOST:PORT"),
        ("tcp://127.0.0.1:1", "no Dask scheduler can be reached there (Connection refused)"),
        (f"tcp://{'a' * 300}:1", "no Dask scheduler can be reached there (no answer)"),
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


@needs_openssl
def test_an_encrypted_cluster_and_a_worker_that_is_refused(trials, tmp_path, monkeypatch):
    files, foreign = (make_certificates(tmp_path / name) for name in ("ours", "foreign"))
    sides = {f"tls_{side}_{what}": str(files[what]) for side in ("scheduler", "worker") for what in ("cert", "key")}
    security = Security(require_encryption=True, tls_ca_file=str(files["ca"]), **sides,
                        tls_client_cert=str(files["cert"]), tls_client_key=str(files["key"]))  # fmt: skip
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with LocalCluster(**options, protocol="tls://", security=security, host="127.0.0.1") as machines:
        address = machines.scheduler_address
        words = [word for name, path in files.items() for word in (f"--tls-{name}", str(path))]
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


@pytest.mark.parametrize("raised", [CommClosedError("closed"), TimeoutError(), CancelledError("trial")])
def test_a_scheduler_that_is_gone_is_said_whatever_dask_was_doing(raised):
    with pytest.raises(InputError, match="the Dask scheduler at tcp://h:1 is gone; .* goes on from there"):  # noqa: SIM117
        with cluster_module.scheduler_at("tcp://h:1"):
            raise raised


# ------------------------------------------------------------------------------ workers that cannot do the work

OLDER = "def run_trial(trial, program):\n    raise AssertionError\n"


@pytest.fixture
def start_machines(tmp_path):
    started = []

    def start(directory: Path = ROOT) -> Machines:
        started.append(Machines(tmp_path / f"machines-{len(started)}", directory))
        return started[-1]

    yield start
    for machines in started:
        machines.stop()


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            None,
            r"cannot import the project \(No module named 'reproduction'\): stop it, and start it with `\.venv/bin/py",
        ),
        (
            OLDER,
            "has loaded another version of the code: stop it, or start it again with the same sources; the same com",
        ),
    ],
)
def test_a_worker_without_the_project_or_with_an_older_one_is_refused(start_machines, trials, tmp_path, source, said):
    directory = tmp_path / "elsewhere"
    (directory / "reproduction" / "sweeps").mkdir(parents=True)
    if source:
        (directory / "reproduction" / "sweeps" / "runner.py").write_text(source)
    else:
        shutil.rmtree(directory / "reproduction")
    machines = start_machines(directory)
    machines.start_scheduler(), machines.start_worker()
    with Cluster(scheduler=machines.address) as cluster:
        with pytest.raises(InputError, match=f"^the worker on .* {said}"):
            list(run_trials(trials, cluster.client, PROGRAM, cluster.code))
        assert cluster.description() == "1 at a time"  # without the address of a dashboard that is off
    assert not any(trial.directory.exists() for trial in trials)


def test_a_scheduler_needs_no_project(start_machines, trials, tmp_path):
    scheduling, working = start_machines(tmp_path), start_machines()
    scheduling.start_scheduler()
    working.port = scheduling.port
    working.start_worker()
    with Cluster(scheduler=scheduling.address) as cluster:
        assert not any(result.error for result in run_trials(trials, cluster.client, PROGRAM, cluster.code))
    assert all(trial.is_recorded for trial in trials)


class Unreadable:
    """A task that cannot be read where it is sent, as that of another Python."""

    def __call__(self, request: bytes) -> None:
        raise AssertionError

    def __reduce__(self):
        return int, ("no number",)

    def __dask_tokenize__(self) -> str:
        return "unreadable"


def test_a_scheduler_that_cannot_read_a_task_is_refused_with_one_sentence(trials, monkeypatch):
    monkeypatch.setattr(runner, "portable_task", Unreadable)
    with Cluster(1) as cluster, pytest.raises(InputError) as refused:
        list(run_trials(trials, cluster.client, PROGRAM))
    said = str(refused.value)
    assert "cannot read what it is sent, as its Python or its packages are others: stop it, and start it with" in said
    assert "`.venv/bin/python -m dask scheduler` in the project's directory; the same command goes on" in said


def test_what_a_failure_says_is_one_whole_line(trials, monkeypatch):
    def failing_task():
        def task(request):
            raise RuntimeError("it begins\n    and goes on\n")

        return task

    monkeypatch.setattr(runner, "portable_task", failing_task)
    with Cluster(1) as cluster:
        (result,) = run_trials(trials[:1], cluster.client, PROGRAM)
    assert result.error == "it begins and goes on"


@pytest.mark.parametrize("word", ["0", "257", "-1", "two", "1.5", "9" * 5000])
def test_a_number_of_workers_that_is_refused(word, capsys):
    with pytest.raises(SystemExit):
        asked("--workers", word)
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith("is not a whole number from 1 to 256") and len(said) < 160


def test_a_dashboard_that_can_be_seen_is_named():
    with Cluster(1, dashboard=True) as cluster:
        assert re.fullmatch(r"1 at a time; dashboard: http://127\.0\.0\.1:\d+/status", cluster.description())


# ------------------------------------------------------------------------------ the words of the documentation


class Recipe:
    """The commands under a heading of docs/many-machines.md, with this machine's address and a port that is free."""

    def __init__(self, heading: str, port: int):
        text = (ROOT / "docs" / "many-machines.md").read_text("utf-8")
        section = text.split(f"\n## {heading}\n")[1].split("\n## ")[0].replace("\\\n", "")
        section = re.sub(r"\b(HOST|MACHINE)\b", HOST, section.replace("8786", str(port)).replace(":8787", ":0"))
        section = section.replace(".venv/bin/python", sys.executable)
        self._lines = [line.strip() for line in section.splitlines() if line.startswith("    ")]

    def preparation(self) -> str:
        """What comes before the first part of the cluster is started."""
        return "\n".join(line for line in self._lines if not line.startswith(sys.executable))

    def command(self, words: str, before: str = "exec") -> list[str]:
        """The one command that begins with these words, for a shell that has its variables."""
        (line,) = (line for line in self._lines if line.startswith(f"{sys.executable} -m {words} "))
        variables = (line for line in self._lines if re.match("[A-Z]+=", line))
        return ["sh", "-euc", "\n".join([*variables, f"{before} {line}"])]


@needs_openssl
@pytest.mark.parametrize("heading", ["By hand, or by SSH", "TLS"])
def test_the_documented_commands_make_a_cluster(heading, start_machines, trials, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))  # for the certificates
    machines = start_machines()
    recipe = Recipe(heading, machines.port)
    subprocess.run(["sh", "-euc", recipe.preparation()], cwd=ROOT, check=True, capture_output=True)
    machines.start(recipe.command("dask scheduler"))
    wait_for_answer(machines.port)
    machines.start(recipe.command("dask worker"))
    driver = recipe.command("reproduction search", before="printf '%s\\n'")
    words = subprocess.run(driver, check=True, capture_output=True, text=True).stdout.split()
    with asked(*words[words.index("search") + 1 :]) as cluster:
        cluster.client.wait_for_workers(2, timeout=60)
        assert [result.error for result in run_trials(trials, cluster.client, PROGRAM, cluster.code)] == [None] * 3
    assert all(trial.is_recorded for trial in trials)
