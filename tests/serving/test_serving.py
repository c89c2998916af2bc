"""The server as a process, and its judges: how they start, what they do when time is up, how they stop."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation
from reproduction.serving import waiting
from reproduction.serving.server import listening_sockets
from reproduction.serving.waiting import RefusedError

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "reproduction", "serve", "--port"]


def children(process: int) -> list[int]:
    """The processes that a process has started, from any of its threads, and that still run."""
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for each in found for child in each.read_text().split()]


def is_running(process: int) -> bool:
    """Whether it is there, and not only waiting to be forgotten by its parent."""
    state = Path(f"/proc/{process}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(happened, trouble: str) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, trouble
        time.sleep(0.05)


@pytest.fixture
def process():
    """A server of its own, in a session of its own, as a shell starts it."""
    with subprocess.Popen(
        [*COMMAND, "0"], cwd=ROOT, stdout=-1, stderr=-1, text=True, start_new_session=True
    ) as started:
        yield started
        started.kill()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_until_it_is_told_to_stop(process, number, code):
    with urllib.request.urlopen(process.stdout.readline().split()[0], timeout=20) as page:
        assert b"Equations" in page.read()
    helpers = children(process.pid)
    os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)  # as Ctrl-C does
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said.splitlines()) == (code, ["loading the network ...", "stopped"])
    wait_until(lambda: not any(map(is_running, helpers)), "a process is left behind")


def test_a_killed_server_leaves_no_judges(process):
    process.stdout.readline()
    judges = [each for each in children(process.pid) if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
    assert len(judges) == waiting.JUDGES
    wait_until(lambda: all(map(children, judges)), "a judge has no Sympy worker")
    workers = [worker for judge in judges for worker in children(judge)]
    for judge in judges:
        os.kill(judge, signal.SIGSTOP)  # as deaf to the end of its pipe as one that is working
    process.kill()
    try:
        wait_until(lambda: not any(map(is_running, judges + workers)), "a judge is left behind")
    finally:
        for each in filter(is_running, judges + workers):
            os.kill(each, signal.SIGKILL)


def test_half_open_connections_take_nobodys_place():
    few = ["/bin/sh", "-c", 'ulimit -n 128; exec "$@"', "sh", *COMMAND, "0"]
    with (
        subprocess.Popen(few, cwd=ROOT, stdout=-1, stderr=-1, text=True, start_new_session=True) as process,
        contextlib.ExitStack() as stack,
    ):
        address = process.stdout.readline().split()[0]
        for number in range(300):
            visitor = stack.enter_context(socket.create_connection(("127.0.0.1", urlsplit(address).port)))
            visitor.sendall(b"GET / HTTP/1.1\r\nHost:" if number % 2 else b"")
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"Equations" in page.read()
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said.splitlines()) == (143, ["loading the network ...", "stopped"])


def test_an_interrupt_under_load_is_quiet(process):
    port = urlsplit(process.stdout.readline().split()[0]).port
    body = '{"equation": "sin(x+y+z)*cos(x-y)^9*tan(z)^5 = tan(z)^5*cos(y-x)^9*sin(z+y+x)"}'
    head = f"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    with contextlib.ExitStack() as stack:
        for number in range(60):
            visitor = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            request = f"POST /api/{'verify' if number % 3 else 'judge'} HTTP/1.1\r\n{head}".encode()
            visitor.sendall(request[: -(number % 2) or None])  # half of them are not whole
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said.splitlines()) == (130, ["loading the network ...", "stopped"])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Tornado leaves its socket open
def test_an_address_that_cannot_be_had_is_said_in_a_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for host, number, words in (
            ("127.0.0.1", port, f"--host 127.0.0.1 --port {port}: address already in use"),
            (" ", 0, "--host: the address is empty"),
        ):
            with pytest.raises(InputError, match=words):
                listening_sockets(host, number)


@pytest.fixture
def judges():
    made = waiting.Judges(count=1)
    yield made
    made.close()


def test_a_judge_that_is_too_slow_is_replaced(judges):
    equation = parse_equation("sin(2*x) = 2*sin(x)")

    async def questions():
        await judges.judge("me", parse_equation("x = x"))  # it is at work
        for judge in judges._judges:
            os.kill(judge._process.pid, signal.SIGSTOP)
        judges._seconds = 0.1
        slow = await judges.judge("me", equation)
        for judge in judges._judges:
            os.kill(judge._process.pid, signal.SIGCONT)
        judges._seconds = 60
        return slow, await judges.judge("me", equation)

    slow, judged = asyncio.run(questions())
    assert slow.verdict == "UNSURE" and "did not finish" in slow.evidence["reason"]
    assert judged.verdict == "INCORRECT"


def test_judgements_are_remembered_up_to_a_bound_and_the_line_ends(judges, monkeypatch):
    monkeypatch.setattr(waiting, "REMEMBERED", 2)
    equations = [parse_equation(f"x = x + {number}") for number in (1, 2, 3)]

    async def questions():
        for equation in equations:
            await judges.judge("me", equation)
        assert list(judges._known) == equations[2:]
        judges._line._longest = 0
        assert (await judges.judge("me", equations[2])).verdict == "INCORRECT"
        with pytest.raises(RefusedError):
            await judges.judge("me", equations[0])

    asyncio.run(questions())


def test_questions_of_departed_visitors_are_dropped(judges, monkeypatch):
    monkeypatch.setattr(waiting, "LEAST_SECONDS", 0.05)
    hard = [parse_equation(f"sin(x) = x + {number}") for number in range(1, waiting.MOST_JUDGED + 1)]

    async def questions():
        await judges.judge("me", parse_equation("x = x"))
        for judge in judges._judges:
            os.kill(judge._process.pid, signal.SIGSTOP)
        judges._seconds = 10**6
        asked = [asyncio.ensure_future(judges.judge("me", equation)) for equation in hard]
        await asyncio.sleep(0)
        while not judges._free.empty():  # until the judge has the first of them
            await asyncio.sleep(0.01)
        with pytest.raises(RefusedError) as refused:
            await judges.judge("me", hard[0])
        for each in asked:
            each.cancel()
        await asyncio.wait(asked)
        return refused.value.status_code, await judges.judge("you", hard[0])

    status, judgement = asyncio.run(questions())
    assert (status, judgement.verdict) == (429, "INCORRECT")
    assert list(judges._known)[1:] == hard[:1]
