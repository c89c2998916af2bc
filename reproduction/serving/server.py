"""A server that is bound, loaded, run until it is told to stop, and stopped."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path

from tornado.netutil import bind_sockets

from ..errors import InputError
from ..use.finding import Found, committed_networks, find_network
from .answers import completion, verification
from .application import make_application
from .connections import BoundedServer, log_trouble
from .handler import is_loopback
from .judging import Judges
from .network_thread import NetworkThread

STOPPING = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 2  # for answers under way


def found_networks(run: str | Path | None) -> tuple[dict[str, Found], str]:
    """The networks that can be asked, by name, and the name of the default one."""
    first = find_network(run)
    others = {name: find_network(name) for name in committed_networks()}
    return {first.name: first, **{name: found for name, found in others.items() if name != first.name}}, first.name


def listening_sockets(host: str, port: int):
    """Sockets bound to the address, or a sentence why it cannot be had."""
    if not host.strip():  # to the system that would be every address
        raise InputError("--host: the address is empty (127.0.0.1 is this machine only, 0.0.0.0 listens everywhere)")
    try:
        return bind_sockets(port, host)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--host {host} --port {port}: {reason.lower()} (take another --port, or --host)") from None


def address(host: str, sockets) -> str:
    """What to type into a browser; the port is the one that was really bound."""
    port = sockets[0].getsockname()[1]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


async def _serve(sockets, networks: NetworkThread, judges: Judges, loopback_only: bool, ready: Callable) -> int:
    """Answers until a signal comes, and returns its number."""
    server = BoundedServer(make_application(networks, judges, loopback_only))
    asyncio.get_running_loop().set_exception_handler(log_trouble)
    stopped = asyncio.get_running_loop().create_future()
    for number in STOPPING:
        asyncio.get_running_loop().add_signal_handler(number, lambda n=number: stopped.done() or stopped.set_result(n))
    for question, text in ((verification, "x + 0 = x"), (completion, "x + 0 = _")):
        await networks.ask(
            "server", networks.default, question, text
        )  # what is made once is made before the first visitor
    server.add_sockets(sockets)
    ready()
    number = await stopped
    server.stop()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(server.close_all_connections(), GRACE_SECONDS)
    given_up = asyncio.all_tasks() - {asyncio.current_task()}  # a task that asyncio itself cancels has a traceback
    if given_up:
        await asyncio.wait(given_up, timeout=GRACE_SECONDS)
    return number


def serve(host: str, port: int, run: str | Path | None, ready: Callable[[str], None]) -> int:
    """Serves until it is interrupted; `ready` gets the address. The signal's number."""
    found, default = found_networks(run)
    sockets = listening_sockets(host, port)
    with contextlib.ExitStack() as stack:
        for socket in sockets:
            stack.callback(socket.close)
        judges = Judges()
        stack.callback(judges.close)
        networks = NetworkThread(found, default)
        stack.callback(networks.close)
        return asyncio.run(_serve(sockets, networks, judges, is_loopback(host), lambda: ready(address(host, sockets))))
