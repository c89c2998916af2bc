"""Machines of a cluster in tests: a scheduler and workers as processes of their own, on the loopback interface."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
SECONDS_TO_START = 60


def free_port() -> int:
    with socket.socket() as free:
        free.bind((HOST, 0))
        return free.getsockname()[1]


def wait_for_answer(port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        with socket.socket() as trying:
            if trying.connect_ex((HOST, port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the scheduler does not answer")


class Machines:
    """Processes that are started in a directory, as on other machines, and end together."""

    def __init__(self, logs: Path, directory: Path = ROOT):
        logs.mkdir()
        self._logs, self._directory = logs, directory
        self.port, self.scheme, self._started = free_port(), "tcp", []

    @property
    def address(self) -> str:
        return f"{self.scheme}://{HOST}:{self.port}"

    def start_scheduler(self, *words: str) -> subprocess.Popen:
        scheduler = self._dask("scheduler", "--port", str(self.port), *words)
        wait_for_answer(self.port)
        return scheduler

    def start_worker(self, *words: str) -> subprocess.Popen:
        scratch = ("--local-directory", str(self._logs))
        return self._dask("worker", self.address, "--nthreads", "1", "--no-nanny", *scratch, *words)

    def _dask(self, *words: str) -> subprocess.Popen:
        """A process that finds the project only if the directory makes it: the path of the tests is not its own."""
        surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        at_home = ("--host", HOST, "--dashboard-address", f"{HOST}:0", "--no-dashboard")
        command = [sys.executable, "-m", "dask", *words, *at_home]
        with open(self._logs / "log", "ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            options = {"cwd": self._directory, "env": surroundings, "start_new_session": True}
            self._started.append(subprocess.Popen(command, **streams, **options))
        return self._started[-1]

    def stop(self) -> None:
        for process in self._started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # with the workers that it watches
            process.wait()
