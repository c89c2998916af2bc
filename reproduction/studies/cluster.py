"""Outcomes of many trainings on a Dask cluster: one in this process, or that of an address."""

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import logging
import pickle
import socket
import ssl
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, Future, LocalCluster, as_completed, rpc
from distributed.security import Security
from tqdm import tqdm

from ..errors import InputError, excerpt, whole_number
from ..training.run_directory import Training, read_run, remove_remains
from . import workers
from .workers import Outcome, code_digest

RETRIES = 2  # of a training that was killed; how often workers may die is Dask's setting allowed-failures
SECONDS_TO_ANSWER = 10
SECONDS_TO_APPEAR = 60.0  # network file systems show new files late
MOST_CHARACTERS = 400  # of what Dask says
MOST_WORKERS = 256
# Without a dashboard Dask need not watch its processes, which costs 6 % of two cores, nor serve pages about them.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "2s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
# Dask's files for TLS: by the end of our option's name, Dask's name and the help text.
TLS_FILES = {
    "ca": ("tls_ca_file", "certificate of the authority"),
    "cert": ("tls_client_cert", "own certificate"),
    "key": ("tls_client_key", "key of the certificate"),
}
DASHBOARD, ANY_PORT = "127.0.0.1:8787", "127.0.0.1:0"  # another port if the dashboard's own is taken


def add_arguments(parser) -> None:
    """The options of every study."""
    at_a_time, dashboard = "trainings at a time on this machine (default: 2)", "serve Dask's dashboard for them"
    parser.add_argument("--workers", type=whole_number(1, MOST_WORKERS), default=2, metavar="N", help=at_a_time)
    parser.add_argument("--dashboard", action="store_true", help=dashboard)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="use the Dask cluster at tcp://HOST:PORT instead")
    for name, (_, text) in TLS_FILES.items():
        parser.add_argument(f"--tls-{name}", type=Path, metavar="FILE", help=f"for tls://HOST:PORT: {text}")


def asked_cluster(arguments) -> "Cluster":
    """The cluster that the options of a command ask for."""
    if arguments.dashboard and not importlib.util.find_spec("bokeh"):
        raise InputError("--dashboard: needs the packages for checking; ./run_all.sh setup-checks installs them")
    files = {name: getattr(arguments, f"tls_{name}") for name in TLS_FILES}
    if not any(files.values()):
        return Cluster(arguments.workers, arguments.scheduler, arguments.dashboard)
    if not (arguments.scheduler or "").startswith("tls://"):
        raise InputError("--tls-ca, --tls-cert, --tls-key: are for a cluster with --scheduler tls://HOST:PORT")
    for name, path in files.items():
        if not (path and path.is_file()):
            raise InputError(f"--tls-{name}: {path or 'is missing'}, not a file; the three TLS files go together")
    given = {option: str(files[name]) for name, (option, _) in TLS_FILES.items()}
    security = Security(require_encryption=True, **given)
    return Cluster(arguments.workers, arguments.scheduler, arguments.dashboard, security)


class Cluster(contextlib.ExitStack):
    """A cluster that is started, or connected to, when a training first has to run on it."""

    def __init__(
        self, workers: int = 2, scheduler: str | None = None, dashboard: bool = False, security: Security | None = None
    ):
        super().__init__()
        self._workers, self._scheduler, self._dashboard, self._security = workers, scheduler, dashboard, security

    @cached_property
    def client(self) -> Client:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in our own sentences
        if self._scheduler is None:
            return self.enter_context(_local_client(self._workers, self._dashboard))
        return self.enter_context(_remote_client(self._scheduler, self._security))

    @property
    def code(self) -> str | None:
        """The version of the code that workers must have; None on this machine, where there is only one."""
        return None if self._scheduler is None else code_digest()

    @property
    def size(self) -> int:
        """The number of trainings at a time."""
        with scheduler_at(self.client.scheduler.address):
            return sum(self.client.nthreads(callback_timeout=SECONDS_TO_ANSWER).values())

    def description(self) -> str:
        """A sentence for the person who waits."""
        size, address = self.size, self.client.scheduler.address
        if not size:
            start = _how_to_start(f"worker {address} --nthreads 1")
            return f"no worker has joined {address} yet, start some with {start}"
        if not self._dashboard:
            return f"{size} at a time"
        link = urlsplit(self.client.dashboard_link)  # on this machine only the loopback interface has it
        place = link.netloc if self._scheduler else f"{DASHBOARD.split(':')[0]}:{link.port}"
        return f"{size} at a time; dashboard: {link._replace(netloc=place).geturl()}"


@contextlib.contextmanager
def scheduler_at(address: str) -> Iterator[None]:
    """Turns what Dask raises when the scheduler is gone into one sentence."""
    try:
        yield
    except (OSError, asyncio.TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
        raise InputError(
            f"the Dask scheduler at {address} is gone; what is finished is recorded, "
            "and the same command goes on from there"
        ) from None


def _how_to_start(words: str) -> str:
    """The command that starts a part of a cluster that can import the project."""
    return f"`.venv/bin/python -m dask {words}` in the project's directory"


@contextlib.contextmanager
def _local_client(workers: int, dashboard: bool) -> Iterator[Client]:
    """Scheduler and workers are threads of this process: there is no port through which others could have code run.

    Each training is a process of its own all the same.
    """
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        stack.enter_context(dask.config.set({"temporary-directory": directory, **({} if dashboard else UNWATCHED)}))
        options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": False, "memory_limit": 0}
        options |= {"dashboard_address": DASHBOARD if dashboard else ANY_PORT, "worker_dashboard_address": ANY_PORT}
        options |= {"protocol": "inproc", "silence_logs": logging.CRITICAL, "local_directory": directory}
        yield stack.enter_context(Client(stack.enter_context(LocalCluster(**options))))


def _remote_client(address: str, security: Security | None) -> Client:
    """A client of a scheduler that somebody else started; asked first, as a client waits for other servers forever."""
    scheme = "tls" if security else "tcp"
    try:
        parts = urlsplit(address)
        place = parts.hostname, parts.port
    except ValueError:  # a port that is no number
        parts, place = urlsplit(""), (None, None)
    if parts.scheme == "tls" and not security:
        raise InputError(f"--scheduler {address}: an encrypted cluster needs --tls-ca, --tls-cert and --tls-key")
    if parts.scheme != scheme or not all(place):
        raise InputError(f"--scheduler {address}: not of the form {scheme}://HOST:PORT")

    async def answer() -> None:
        async with rpc(address, connection_args=security.get_connection_args("client") if security else {}) as there:
            await there.identity()

    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), SECONDS_TO_ANSWER).close()
        asyncio.run(asyncio.wait_for(answer(), SECONDS_TO_ANSWER))
        return Client(address, timeout=SECONDS_TO_ANSWER, security=security)
    except ssl.SSLError as error:
        raise InputError(f"--scheduler {address}: TLS failed ({error.reason or error}); are the files right?") from None
    except (OSError, UnicodeError, asyncio.TimeoutError) as error:  # the second of a name that no host can have
        reason = getattr(error, "strerror", None) or "no answer"
        raise InputError(
            f"--scheduler {address}: no Dask scheduler can be reached there ({reason}); start one with "
            f"{_how_to_start('scheduler')}, or leave the option out to use this machine alone"
        ) from None


def _line(error: BaseException | None) -> str:
    return excerpt(" ".join(str(error).split()), MOST_CHARACTERS)


# ------------------------------------------------------------------------------------------------ who asks for them


def portable_task(module: str = workers.__name__) -> Callable[[bytes], Outcome | str]:
    """A task that runs a pickled training on any worker: its outcome, or a sentence if the worker must not train.

    Dask sends a nested function as code, not as a name: schedulers need not have the project, and a worker without it
    can say so.
    """
    start = _how_to_start("worker ADDRESS --nthreads 1")

    def task(request):
        import importlib
        import pickle
        import socket

        try:
            workers = importlib.import_module(module)
        except ImportError as error:
            here = f"the worker on {socket.gethostname()}"
            return f"{here} cannot import the project ({error}): stop it, and start it with {start}"
        return workers.train_here(*pickle.loads(request))

    return task


def outcomes_of(trainings: Sequence[Training], cluster: Cluster) -> Iterator[Outcome]:
    """Outcomes as they come; failures do not stop the others, a worker with other code or data is refused."""
    client, code = cluster.client, cluster.code
    address = client.scheduler.address  # which the client forgets when the scheduler is gone
    session = uuid.uuid4().hex[:8]  # a task is never taken for one of an earlier client
    keys = {(f"training-{session}", training.directory.name): training for training in trainings}
    requests = [pickle.dumps((training, code)) for training in trainings]
    futures = client.map(portable_task(), requests, key=list(keys), retries=RETRIES)
    for future in as_completed(futures):
        yield _outcome(keys[future.key], future, address)
        future.release()


def _outcome(training: Training, future: Future, scheduler: str) -> Outcome:
    """The outcome of a task; one that the scheduler no longer knows means that the scheduler is gone."""
    if future.status == "error":
        return Outcome(training, 0.0, _line(future.exception()))
    with scheduler_at(scheduler):
        outcome = future.result()
    if isinstance(outcome, str):
        raise InputError(f"{outcome}; stop or update it, and the same command goes on from what is recorded")
    deadline = time.monotonic() + SECONDS_TO_APPEAR
    while outcome.error is None and not training.is_recorded:
        if time.monotonic() > deadline:
            return outcome._replace(error=f"its results do not appear in {training.directory}, seen from here")
        time.sleep(0.5)
    return outcome


def follow(trainings: Iterable[Training], cluster: Cluster) -> list[Outcome]:
    """The outcomes of all trainings; prints a line for each, but only counts recorded ones.

    `[ 5/24] tree-lstm-strict-0: test 95.31 %, best epoch 90 of 100, 81 s; about 12 min left`.
    """
    waiting = {training.directory: training for training in trainings}
    total, outcomes = len(waiting), []
    for training in [each for each in waiting.values() if each.is_recorded]:
        outcomes.append(Outcome(waiting.pop(training.directory), 0.0, was_recorded=True))
        if not training.is_continued:
            remove_remains(training.directory)
    before = f", {len(outcomes)} of them finished before" if outcomes else ""
    say(f"trainings: {total}{before}" + (f"; {cluster.description()}" if waiting else ""))
    if not waiting:
        return outcomes
    with tqdm(total=total, initial=len(outcomes), unit="training", disable=None) as bar:
        for outcome in outcomes_of(tuple(waiting.values()), cluster):
            training = waiting.pop(outcome.training.directory)
            outcomes.append(outcome)
            said = f"failed, {outcome.error}" if outcome.error else read_run(training.directory).summary
            done = [each for each in outcomes if not each.error and not each.was_recorded]
            if done and waiting:
                said += f"; about {duration(seconds_left(done, waiting.values(), cluster.size))} left"
            say(f"[{len(outcomes):{len(str(total))}}/{total}] {training.name}: {said}")
            bar.update()
    return outcomes


def seconds_left(done: Iterable[Outcome], waiting: Collection[Training], at_a_time: int) -> float:
    """The seconds that the rest takes, judged by the epochs of finished trainings."""

    def cost(training: Training) -> float:  # scoring takes part of an epoch, however little is learned
        return training.configuration.epochs * (0.2 + 0.8 * training.configuration.fraction)

    seconds, paid = (sum(each) for each in zip(*((each.seconds, cost(each.training)) for each in done), strict=True))
    return seconds / paid * sum(map(cost, waiting)) / max(at_a_time, 1)


def duration(seconds: float) -> str:
    """`40 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def say(line: str) -> None:
    """Prints a line above the progress bar, at once even if it goes to a file."""
    tqdm.write(line)
    sys.stdout.flush()
