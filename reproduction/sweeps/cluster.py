"""Where trials run: a Dask cluster of one-thread workers on this machine, or the cluster of a scheduler's address."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import urlsplit

import dask
from distributed import Client, LocalCluster, WorkerPlugin, rpc

from ..errors import InputError
from ..locks import scratch

SECONDS_TO_ANSWER = 10
# Dask watches its processes for the dashboard, which costs 6 % of two cores.
UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "2s",
}
DASHBOARD, ANY_PORT = "127.0.0.1:8787", "127.0.0.1:0"  # another port if the dashboard's own is taken


def add_arguments(parser) -> None:
    """The options of every command that runs trials."""
    workers, dashboard = "trials at a time on this machine (default: 2)", "serve Dask's dashboard for them"
    parser.add_argument("--workers", type=int, choices=range(1, 257), default=2, metavar="N", help=workers)
    parser.add_argument("--dashboard", action="store_true", help=dashboard)
    parser.add_argument("--scheduler", metavar="ADDRESS", help="use the Dask cluster at tcp://HOST:PORT instead")


class Cluster(contextlib.AbstractContextManager):
    """A cluster that is started or connected to when something first has to run on it."""

    def __init__(self, workers: int = 2, scheduler: str | None = None, dashboard: bool = False):
        self._workers, self._scheduler, self._dashboard = workers, scheduler, dashboard
        self._stack = contextlib.ExitStack()

    def __exit__(self, *details) -> None:
        self._stack.__exit__(*details)

    @cached_property
    def client(self) -> Client:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said in our own sentences
        if self._scheduler is None:
            return self._stack.enter_context(_local_client(self._workers, self._dashboard))
        return self._stack.enter_context(_remote_client(self._scheduler))

    @property
    def size(self) -> int:
        """How many trials run at a time."""
        return sum(self.client.nthreads().values())

    def description(self) -> str:
        """A sentence for the person who waits."""
        size, address = self.size, self.client.scheduler.address
        dashboard = f"; dashboard: {self.client.dashboard_link}" if self._dashboard or self._scheduler else ""
        if not size:
            return f"no worker has joined {address} yet, start some with `python -m dask worker {address}`{dashboard}"
        return f"{size} at a time{dashboard}"


class LeaveInterrupts(WorkerPlugin):
    """Control-C at the terminal reaches the workers as well; they leave it to the client, which ends them."""

    def setup(self, worker) -> None:
        signal.signal(signal.SIGINT, lambda *_: None)


@contextlib.contextmanager
def _local_client(workers: int, dashboard: bool) -> Iterator[Client]:
    """Workers are watched by Dask, which starts another one in the place of one that dies."""
    with scratch("dask") as directory:
        options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "memory_limit": 0}
        options |= {"dashboard_address": DASHBOARD if dashboard else ANY_PORT, "local_directory": str(directory)}
        options |= {"scheduler_kwargs": {"dashboard": dashboard}}
        with (
            dask.config.set({} if dashboard else UNWATCHED),
            LocalCluster(**options, silence_logs=logging.CRITICAL) as cluster,
            Client(cluster) as client,
        ):
            client.register_plugin(LeaveInterrupts())
            yield client


def _place(address: str) -> tuple[str, int]:
    """Host and port of a scheduler's address."""
    try:
        parts = urlsplit(address)
        if parts.scheme == "tcp" and parts.hostname and parts.port:
            return parts.hostname, parts.port
    except ValueError:  # a port that is no number
        pass
    raise InputError(f"--scheduler {address}: not of the form tcp://HOST:PORT")


async def _identity(address: str) -> dict:
    """What a scheduler says about itself; other servers do not answer this in time."""
    async with rpc(address) as scheduler:
        return await asyncio.wait_for(scheduler.identity(), SECONDS_TO_ANSWER)


def _remote_client(address: str) -> Client:
    """A client of a scheduler that somebody else started; asked first, as a client waits for other servers forever."""
    place = _place(address)
    try:
        socket.create_connection(place, SECONDS_TO_ANSWER).close()
        asyncio.run(_identity(address))
        return Client(address, timeout=SECONDS_TO_ANSWER)
    except (OSError, asyncio.TimeoutError) as error:
        reason = getattr(error, "strerror", None) or "no answer"
        raise InputError(
            f"--scheduler {address}: no Dask scheduler can be reached there ({reason}); start one with "
            "`python -m dask scheduler`, or leave the option out to use this machine alone"
        ) from None
