"""Where trainings run: under threads of this process that Dask hands them to, or on the cluster of an address."""

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import logging
import socket
import ssl
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster, rpc
from distributed.security import Security

from ..endings import GOES_ON
from ..errors import InputError, MachineError, excerpt
from ..locks import clear_scratch, scratch
from ..options import whole_number
from .trainings import code_digest

SECONDS_TO_ANSWER = 10
MOST_CHARACTERS = 200  # of what Dask says
MOST_WORKERS = 256
# Dask watches its processes for the dashboard, which costs 6 % of two cores, and serves what it sees.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "2s",
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
# What Dask needs for TLS, by the ends of our options' names.
TLS_FILES = {"ca": "certificate of the authority", "cert": "own certificate", "key": "key of the certificate"}
DASHBOARD, ANY_PORT = "127.0.0.1:8787", "127.0.0.1:0"  # another port if the dashboard's own is taken


def add_arguments(parser) -> None:
    """The options of every study."""
    workers, dashboard = "trainings at a time on this machine (default: 2)", "serve Dask's dashboard for them"
    parser.add_argument("--workers", type=whole_number(1, MOST_WORKERS), default=2, metavar="N", help=workers)
    parser.add_argument("--dashboard", action="store_true", help=dashboard)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="use the Dask cluster at tcp://HOST:PORT instead")
    for name, text in TLS_FILES.items():
        parser.add_argument(f"--tls-{name}", type=Path, metavar="FILE", help=f"for tls://HOST:PORT: {text}")


def how_to_start(words: str) -> str:
    """What a person has to do to start a part of a cluster that can import the project."""
    return f"`.venv/bin/python -m dask {words}` in the project's directory"


@contextlib.contextmanager
def scheduler_at(address: str) -> Iterator[None]:
    """Where Dask asks a scheduler: what it raises if that is gone is one sentence, in whichever moment it happens."""
    try:
        yield
    except (OSError, asyncio.TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError):
        raise InputError(
            f"the Dask scheduler at {address} is gone; what is finished is recorded, "
            "and the same command goes on from there"
        ) from None


def asked_cluster(arguments) -> "Cluster":
    """The cluster that the options of a command ask for."""
    if arguments.dashboard and not importlib.util.find_spec("bokeh"):
        raise InputError("--dashboard: needs the packages for checking; ./run_all.sh setup-checks installs them")
    files = {name: getattr(arguments, f"tls_{name}") for name in TLS_FILES}
    security = _security({name: path for name, path in files.items() if path}, arguments.scheduler)
    return Cluster(arguments.workers, arguments.scheduler, arguments.dashboard, security)


def _security(files: Mapping[str, Path], scheduler: str | None) -> Security | None:
    """Dask's settings for an encrypted connection; None where none is asked for."""
    if not files:
        return None
    if scheduler is None or not scheduler.startswith("tls://"):
        raise InputError(f"--tls-{next(iter(files))}: is for a cluster with --scheduler tls://HOST:PORT")
    for name in TLS_FILES:
        if name not in files:
            raise InputError(f"--tls-{name}: is missing; the three TLS files go together")
        if not files[name].is_file():
            raise InputError(f"--tls-{name} {files[name]}: there is no such file")
    names = {"tls_ca_file": "ca", "tls_client_cert": "cert", "tls_client_key": "key"}
    return Security(require_encryption=True, **{option: str(files[name]) for option, name in names.items()})


class Cluster(contextlib.ExitStack):
    """A cluster that is started or connected to when something first has to run on it."""

    def __init__(
        self, workers: int = 2, scheduler: str | None = None, dashboard: bool = False, security: Security | None = None
    ):
        super().__init__()
        self._workers, self._scheduler, self._dashboard, self._security = workers, scheduler, dashboard, security
        if scheduler is None:
            clear_scratch()  # of one that was killed; if all is recorded already, this one starts nothing

    @cached_property
    def client(self) -> Client:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in our own sentences
        if self._scheduler is None:
            return self.enter_context(_local_client(self._workers, self._dashboard))
        return self.enter_context(_remote_client(self._scheduler, self._security))

    @property
    def code(self) -> str | None:
        """The version that workers have to have; None on this machine, where there is only one."""
        return None if self._scheduler is None else code_digest()

    @property
    def size(self) -> int:
        """How many trainings run at a time."""
        with scheduler_at(self.client.scheduler.address):
            return sum(self.client.nthreads(callback_timeout=SECONDS_TO_ANSWER).values())

    def description(self) -> str:
        """A sentence for the person who waits."""
        size, address = self.size, self.client.scheduler.address
        if not size:
            start = how_to_start(f"worker {address} --nthreads 1")
            return f"no worker has joined {address} yet, start some with {start}"
        if not self._dashboard:
            return f"{size} at a time"
        link = urlsplit(self.client.dashboard_link)  # on this machine only the loopback interface has it
        place = link.netloc if self._scheduler else f"{DASHBOARD.split(':')[0]}:{link.port}"
        return f"{size} at a time; dashboard: {link._replace(netloc=place).geturl()}"


@contextlib.contextmanager
def _local_client(workers: int, dashboard: bool) -> Iterator[Client]:
    """Scheduler and workers are threads of this process: there is no port through which others could have code run.

    Each training is a process of its own all the same.
    """
    with scratch("dask") as directory:
        options: dict[str, Any] = {"n_workers": workers, "threads_per_worker": 1, "processes": False, "memory_limit": 0}
        options |= {"dashboard_address": DASHBOARD if dashboard else ANY_PORT, "worker_dashboard_address": ANY_PORT}
        options |= {"local_directory": str(directory)}
        with (
            dask.config.set({"temporary-directory": str(directory), **({} if dashboard else UNWATCHED)}),
            contextlib.ExitStack() as stack,
        ):
            try:
                cluster = LocalCluster(**options, protocol="inproc", silence_logs=logging.CRITICAL)
            except RuntimeError as error:
                reason = excerpt(" ".join(str(error).split()), MOST_CHARACTERS)
                raise MachineError(
                    f"this machine cannot start what hands out trainings ({reason}); {GOES_ON}"
                ) from None
            yield stack.enter_context(Client(stack.enter_context(cluster)))


def _place(address: str, security: Security | None) -> tuple[str, int]:
    """Host and port of a scheduler's address."""
    scheme = "tls" if security else "tcp"
    try:
        parts = urlsplit(address)
        if parts.scheme == "tls" and not security:
            raise InputError(f"--scheduler {address}: an encrypted cluster needs --tls-ca, --tls-cert and --tls-key")
        if parts.scheme == scheme and parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:  # a port that is no number
        pass
    raise InputError(f"--scheduler {address}: not of the form {scheme}://HOST:PORT")


def _remote_client(address: str, security: Security | None) -> Client:
    """A client of a scheduler that somebody else started; asked first, as a client waits for other servers forever."""
    place = _place(address, security)

    async def answer() -> None:
        async with rpc(address, connection_args=security.get_connection_args("client") if security else {}) as there:
            await there.identity()

    try:
        socket.create_connection(place, SECONDS_TO_ANSWER).close()
        asyncio.run(asyncio.wait_for(answer(), SECONDS_TO_ANSWER))
        return Client(address, timeout=SECONDS_TO_ANSWER, security=security)
    except ssl.SSLError as error:
        raise InputError(f"--scheduler {address}: TLS failed ({error.reason or error}); are the files right?") from None
    except (OSError, UnicodeError, asyncio.TimeoutError) as error:  # the second of a name that no host can have
        reason = getattr(error, "strerror", None) or "no answer"
        raise InputError(
            f"--scheduler {address}: no Dask scheduler can be reached there ({reason}); start one with "
            f"{how_to_start('scheduler')}, or leave the option out to use this machine alone"
        ) from None
