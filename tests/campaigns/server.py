"""The server under hostile visitors on loopback: slow, half-open, departed, deaf and greedy ones, and its own end.

Each step is one burst of connections. After it an honest visitor must be answered, the server must hold no more
descriptors than its bound allows, and its log must have no traceback. Now and then it is interrupted or killed under
load: it must then end without a traceback and leave no process behind. The default is about ten minutes.
"""

import atexit
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import lru_cache
from itertools import chain
from pathlib import Path
from random import Random

from campaigns.campaign import ROOT, Campaign, Step, left_behind, main

HARD = "sin(x+y+{0})*cos(x-y)^9*tan(z)^5 + {0} = tan(z)^5*cos(y-x)^9*sin({0}+y+x) + {0}"
SECONDS = 20  # in which an honest visitor is answered
DESCRIPTORS = 700  # 512 connections and what the server itself has open
LOG_BYTES = 20_000
MOST = 600  # connections of a burst
LEFT_ALONE = 4  # bursts whose connections stay open: the sockets of this process are bounded too


class Server:
    """A server process, its port and its log."""

    def __init__(self):
        self.log = tempfile.NamedTemporaryFile(prefix="server-campaign-")  # noqa: SIM115 (closed with the server)
        words = [sys.executable, "-m", "reproduction", "serve", "--port", "0"]
        self.process = subprocess.Popen(words, cwd=ROOT, stdout=-1, stderr=self.log, start_new_session=True)
        self.port = int(self.process.stdout.readline().split()[0].rstrip(b"/").rpartition(b":")[2])
        self.kept: list[list[socket.socket]] = []

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS)

    def keep(self, visitors: list[socket.socket]) -> None:
        self.kept.append(visitors)
        for visitor in self.kept.pop(0) if len(self.kept) > LEFT_ALONE else ():
            visitor.close()

    def said(self) -> str:
        return Path(self.log.name).read_text(errors="replace")

    def end(self, number: int) -> list[int]:
        """Sends it a signal, waits for its end, and returns the processes that are left behind."""
        os.kill(self.process.pid, number)
        self.process.wait(60)
        for visitor in chain(*self.kept):
            visitor.close()
        return left_behind(self.process.pid)


@lru_cache(maxsize=1)
def _server() -> Server:
    server = Server()
    atexit.register(lambda: server.process.poll() is None and server.end(signal.SIGTERM))
    return server


def _request(address: str, equation: str) -> bytes:
    body = json.dumps({"equation": equation})
    head = f"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    return f"POST /api/{address} HTTP/1.1\r\n{head}".encode()


def _cut(whole: bytes, random: Random, least: int, most: int) -> bytes:
    return whole[: random.randrange(least, most)]


SENT: dict[str, Callable[[Random], bytes]] = {
    "half-open": lambda random: b"",
    "slow header": lambda random: _cut(whole := _request("verify", "x = x"), random, 1, whole.index(b"\r\n\r\n")),
    "slow body": lambda random: _cut(whole := _request("judge", "x = x"), random, len(whole) - 9, len(whole)),
    "judges": lambda random: _request("judge", HARD.format(random.randrange(2, 10**6))),
    "network": lambda random: _request("verify", f"x + {random.randrange(4)} = {random.randrange(4)} + x"),
    "blanks": lambda random: _request("complete", f"(x + {random.randrange(99)})^2 = x^2 + _ + y"),
    "curves": lambda random: b"GET /api/curves HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "noise": lambda random: random.randbytes(random.randrange(1, 300)),
}


def _burst(server: Server, kind: str, random: Random) -> tuple[int, str]:
    """Connections of one kind, which stay open unread, or leave; how many, and how they ended."""
    departs = random.random() < 0.5
    visitors = []
    for _ in range(random.choice((10, 60, 200, MOST))):
        visitor = server.connect()
        visitors.append(visitor)
        with contextlib.suppress(ConnectionError):  # the server may have closed it to make room
            visitor.sendall(SENT[kind](random))
    if departs:
        for visitor in visitors:
            visitor.close()
    else:
        server.keep(visitors)
    return len(visitors), "departed" if departs else "left open"


def _honest(server: Server) -> str | None:
    """What is wrong with the answers to an honest visitor; one who is told to come again does so."""
    status, deadline = None, time.monotonic() + SECONDS
    while status != 200 and time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        with contextlib.closing(connection):
            try:
                body = json.dumps({"equation": "x + 0 = x"})
                connection.request("POST", "/api/verify", body, {"Content-Type": "application/json"})
                status = connection.getresponse().status
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
        time.sleep(0 if status == 200 else 0.2)
    return None if status == 200 else f"an honest visitor gets {status} for {SECONDS} s"


def _troubles(server: Server) -> list[str]:
    said = server.said()
    found = [f"traceback: {said[said.index('Traceback') :][:300]}"] if "Traceback" in said else []
    return found + ([f"a log of {len(said)} characters"] if len(said) > LOG_BYTES else [])


def _descriptors(server: Server) -> list[str]:
    count = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    return [f"{count} descriptors"] if count > DESCRIPTORS else []


def _end(server: Server, number: int) -> list[str]:
    left = server.end(number)
    _server.cache_clear()
    expected = -number if number == signal.SIGKILL else 128 + number
    code = server.process.returncode
    return [f"left behind: {left}"] * bool(left) + [f"exit code {code}"] * (code != expected) + _troubles(server)


def step(number: int, random: Random) -> Step:
    """One burst; after every twentieth the server is ended in the middle of it."""
    server, kind = _server(), random.choice(list(SENT))
    count, how = _burst(server, kind, random)
    if number % 20 == 19:
        ending = random.choice((signal.SIGINT, signal.SIGTERM, signal.SIGKILL))
        findings, how = _end(server, ending), f"{ending.name} under load"
    else:
        findings = [*filter(None, [_honest(server)]), *_descriptors(server), *_troubles(server)]
    return Step({f"{kind}: {how}": count}, tuple(f"{kind}, {how}: {each}" for each in findings))


CAMPAIGN = Campaign("server", 100_000, step)

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the server is ended with the campaign
    sys.exit(main(CAMPAIGN))
