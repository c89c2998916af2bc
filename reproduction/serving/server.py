"""The life of the server, from binding its address to its end; connections and their time are bounded."""

import asyncio
import contextlib
import logging
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.netutil import bind_sockets
from tornado.web import Application

from ..errors import InputError
from ..use.network import Found, find_network, known_networks
from .answers import completion, verification
from .application import is_loopback, make_application
from .waiting import Judges, NetworkThread

LARGEST_BODY = 64 * 1024  # bytes
IDLE_SECONDS, BODY_SECONDS = 15, 10  # after which a connection without a whole request is closed
MOST_CONNECTIONS = 512  # more than all lines of questions together

STOPPING = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 2  # for answers under way

log = logging.getLogger(__name__)


class BoundedServer(HTTPServer):
    """When all places are taken, the oldest connection that waits for no answer makes room for a new one."""

    def initialize(self, application: Application) -> None:  # type: ignore[override]  # Tornado's takes anything
        super().initialize(
            application, max_body_size=LARGEST_BODY, idle_connection_timeout=IDLE_SECONDS, body_timeout=BODY_SECONDS
        )
        self._answering = application.settings["answering"]
        self._streams: list[IOStream] = []  # the oldest first
        self._most = min(MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)

    def handle_stream(self, stream: IOStream, address: tuple) -> None:
        self._streams = [each for each in self._streams if not each.closed()]
        if len(self._streams) >= self._most:
            next((each for each in self._streams if each not in self._answering), stream).close()
        self._streams.append(stream)
        if not stream.closed():
            super().handle_stream(stream, address)


def log_trouble(loop: asyncio.AbstractEventLoop, context: dict) -> None:
    """One line about an error outside of any request, in place of asyncio's traceback."""
    log.error("%s: %r", context["message"], context.get("exception"))


def found_networks(run: str | Path | None) -> tuple[dict[str, Found], str]:
    """The networks that can be asked, by name, and the name of the default one."""
    first = find_network(run)
    return {
        first.name: first,
        **{name: find_network(name) for name in known_networks() if name != first.name},
    }, first.name


def listening_sockets(host: str, port: int):
    """Sockets bound to the address; an address that is taken or unknown is refused."""
    if not host.strip():  # to the system that would be every address
        raise InputError("--host: the address is empty (127.0.0.1 is this machine only, 0.0.0.0 listens everywhere)")
    try:
        return bind_sockets(port, host)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--host {host} --port {port}: {reason.lower()} (take another --port, or --host)") from None


def address(host: str, sockets) -> str:
    """The URL for a browser, with the port that was really bound."""
    port = sockets[0].getsockname()[1]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


async def _serve(sockets, networks: NetworkThread, judges: Judges, loopback_only: bool, ready: Callable) -> int:
    """Answers until a signal comes, and returns its number."""
    server = BoundedServer(make_application(networks, judges, loopback_only))
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_trouble)
    told: asyncio.Queue[int] = asyncio.Queue()
    for number in STOPPING:
        loop.add_signal_handler(number, told.put_nowait, number)
    for question, text in ((verification, "x + 0 = x"), (completion, "x + 0 = _")):
        # what is made once is made before the first visitor
        await networks.ask("server", networks.default, question, text)
    server.add_sockets(sockets)
    ready()
    ended_by = await told.get()
    server.stop()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(server.close_all_connections(), GRACE_SECONDS)
    given_up = asyncio.all_tasks() - {asyncio.current_task()}  # a task that asyncio itself cancels has a traceback
    if given_up:
        await asyncio.wait(given_up, timeout=GRACE_SECONDS)
    return ended_by


def serve(host: str, port: int, run: str | Path | None, ready: Callable[[str], None]) -> int:
    """Serves until it is interrupted; `ready` gets the address. The signal's number."""
    found, default = found_networks(run)
    sockets = listening_sockets(host, port)
    with contextlib.closing(Judges()) as judges, contextlib.closing(NetworkThread(found, default)) as networks:
        return asyncio.run(_serve(sockets, networks, judges, is_loopback(host), lambda: ready(address(host, sockets))))
