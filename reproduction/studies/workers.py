"""Trainings on a worker: whether it may train, and a process for each, forked from one that has imported MXNet.

Importing takes two seconds, and reading the data another one. The process that forks lives no longer than the thread of
the worker that started it, and its trainings die with it. A recorded training is never done again, because its process
locks the directory: if the scheduler takes a worker for dead and gives its training to another one, that one waits and
then finds the record. All machines have to see the same files under the same paths.
"""

import contextlib
import hashlib
import importlib
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
import traceback
import warnings
from functools import cache
from typing import IO, NamedTuple, cast

from .. import artifacts, errors, models
from ..data import dataset
from ..data.manifest import Manifest
from ..errors import InputError
from ..training.run_directory import Training

LOG = "train.log"
LOOP = "reproduction.training.loop"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
NOT_FOR_TRAININGS = ("MALLOC_TRIM_THRESHOLD_",)  # Dask's, for its workers: memory would be given back at every step
SOURCES = (".py", ".h", ".cc", ".txt", ".json")


class Outcome(NamedTuple):
    """What became of a training: recorded before it was asked for, recorded now, or failed with a sentence."""

    training: Training
    seconds: float
    error: str | None = None
    was_recorded: bool = False


class TrainingKilledError(Exception):
    """The process of a training was killed; Dask tries again."""


@cache
def code_digest(*rooms: str) -> str:
    """A digest of the package's sources when this process first asked, or of those of some rooms."""
    digest, package = hashlib.sha256(), artifacts.ROOT / "reproduction"
    places = [package / room for room in rooms] or [package]
    for path in sorted(path for place in places for path in place.rglob("*") if path.suffix in SOURCES):
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def why_unfit(data: Manifest, code: str | None) -> str | None:
    """A sentence if this machine has other code or other data than a training needs; else None.

    A worker that started before a change of the sources is unfit, too, as the code is what this process has loaded.
    """
    here = f"the worker on {socket.gethostname()}"
    if code is not None and (own := code_digest()) != code:
        return f"{here} has another version of the code ({own}, not {code}): all machines need the same sources"
    try:
        found = dataset.fingerprint_of(data.directory)
    except InputError:
        return f"{here} does not see {data.directory}: all machines need the same files under the same paths"
    if found != data.fingerprint:
        return f"{here} has other data in {data.directory} ({found}, not {data.fingerprint})"
    return None


def train_here(training: Training, code: str | None = None) -> Outcome | str:
    """The outcome of a training; a sentence instead if this worker must not train."""
    if sentence := why_unfit(training.data, code):
        return sentence
    started = time.monotonic()
    training.directory.mkdir(parents=True, exist_ok=True)
    path = training.directory / LOG
    with path.open("ab") as log:
        before = log.tell()
    ended = exit_code_of(training)
    if ended < 0:
        raise TrainingKilledError(f"killed by signal {-ended} again and again (log: {path})")
    if not ended:
        return Outcome(training, time.monotonic() - started)
    said = path.read_bytes()[before:].decode("utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(said) if line.strip()), "it said nothing")
    return Outcome(training, 0.0, f"exit code {ended}: {last} (log: {path})")


# ------------------------------------------------------------------------------------------------ processes

_of_thread = threading.local()  # each thread of a worker asks for one training at a time


def exit_code_of(training: Training) -> int:
    """The exit code of a training in a process of its own, below 0 for a signal."""
    forks = sys.platform == "linux" and training.configuration.device == "cpu"  # elsewhere forking is not safe
    starter: Starter | None = getattr(_of_thread, "starter", None)
    if starter is not None and (starter.forks != forks or starter.process.poll() is not None):
        starter.stop()
        starter = None
    if starter is None:
        starter = _of_thread.starter = Starter(forks)
    return starter.run(training)


class Starter:
    """A process that forks another one for each training, or carries out a single training itself."""

    def __init__(self, forks: bool = True):
        self.forks = forks
        inherited = {name: value for name, value in os.environ.items() if name not in NOT_FOR_TRAININGS}
        environment, pipe = {**inherited, **ONE_THREAD}, subprocess.PIPE
        command = [sys.executable, "-m", __name__, str(os.getpid()), *(["forks"] if forks else [])]
        with errors.deaf_to_interrupts():
            self.process = subprocess.Popen(command, cwd=artifacts.ROOT, env=environment, stdin=pipe, stdout=pipe)
        self._requests, self._answers = cast(IO, self.process.stdin), cast(IO, self.process.stdout)

    def run(self, training: Training) -> int:
        """The exit code of a training; that of this process if it is gone."""
        with contextlib.suppress(OSError, EOFError):
            self._requests.write(pickle.dumps(training))
            self._requests.flush()
            return pickle.load(self._answers)
        return self.stop()

    def stop(self) -> int:
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                pipe.close()
        return self.process.wait()


def serve(forks: bool) -> None:
    """The life of that process: carries out trainings one after another, until its standard input ends."""
    errors.leave_interrupts()
    warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside MXNet's sleeping threads
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with contextlib.suppress(Exception):  # a training will run into it again and report it
        models.load_extensions()
        importlib.import_module(LOOP)
    with contextlib.suppress(EOFError):
        while training := pickle.load(requests):
            if not forks:
                os._exit(_train(training))
            with contextlib.suppress(Exception):  # the data of the next trainings are mostly the same
                dataset.load(training.data.directory)
            parent, child = os.getpid(), os.fork()
            if child == 0:
                errors.end_with_parent(parent)
                os._exit(_train(training))
            pickle.dump(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), answers)
            answers.flush()


def _train(training: Training) -> int:
    """The exit code of a training, whose messages go to its log."""
    log = os.open(training.directory / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for place, file in enumerate((os.open(os.devnull, os.O_RDONLY), log, log)):
        os.dup2(file, place)

    def carry_out() -> None:
        models.load_extensions()
        importlib.import_module(LOOP).carry_out(training)

    try:
        code = errors.watched(lambda: errors.ended(carry_out))
    except BaseException:  # noqa: BLE001 (an interpreter would print it, too)
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    started_by, *forking = sys.argv[1:]
    errors.end_with_parent(int(started_by))
    serve(bool(forking))
