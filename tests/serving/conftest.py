"""A server of the page in a thread of the tests, and the browser of its check."""

import asyncio
import http.client
import json
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.chromium import browser, pytest_sessionstart  # noqa: F401

from reproduction.serving import server
from reproduction.serving.application import make_application
from reproduction.serving.waiting import Judges, NetworkThread


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def row(self) -> dict:
        return json.loads(self.body)


class Site(NamedTuple):
    """A running server; `post` and `request` ask it."""

    port: int
    networks: NetworkThread
    judges: Judges

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def request(self, method: str, path: str, body=None, headers=None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.request("GET", path, headers=headers)

    def post(self, path: str, row) -> Answer:
        return self.request("POST", path, json.dumps(row), {"Content-Type": "application/json"})


def _serve(sockets, application, loop, started, stop) -> None:
    async def main():
        site = server.BoundedServer(application)
        site.add_sockets(sockets)
        started.set()
        await stop.wait()
        site.stop()
        await site.close_all_connections()

    loop.run_until_complete(main())


@pytest.fixture(scope="session")
def site():
    """The server with the committed networks and two judges."""
    networks, judges = NetworkThread(*server.found_networks("tree-lstm+data")), Judges()
    sockets = server.listening_sockets("127.0.0.1", 0)
    loop, started, stop = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    application = make_application(networks, judges, loopback_only=True)
    thread = threading.Thread(target=_serve, args=(sockets, application, loop, started, stop))
    thread.start()
    started.wait(10)
    yield Site(sockets[0].getsockname()[1], networks, judges)
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    networks.close()
    judges.close()
    loop.close()
