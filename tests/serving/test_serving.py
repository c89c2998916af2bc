"""The server as a process, and its judges: how they start, what they do when time is up, how they stop."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from reproduction.language.parsing import parse_equation
from reproduction.serving import judging
from reproduction.serving.handler import BusyError

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "reproduction", "serve", "--port"]


def children(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    found = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in found.read_text().split()] if found.is_file() else []


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_serves_until_it_is_told_to_stop(number, code):
    with subprocess.Popen(
        [*COMMAND, "0"], cwd=ROOT, stdout=-1, stderr=-1, text=True, start_new_session=True
    ) as process:
        address = process.stdout.readline().split()[0]
        with urllib.request.urlopen(address, timeout=20) as page:
            assert b"Equations" in page.read()
        helpers = children(process.pid)
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)  # as Ctrl-C does
        _, said = process.communicate(timeout=30)
    assert process.returncode == code
    assert said.splitlines() == ["loading the network ...", "stopped"]
    deadline = time.monotonic() + 10
    while any(map(is_running, helpers)):
        assert time.monotonic() < deadline, "a process is left behind"
        time.sleep(0.05)


def test_a_port_in_use_is_said_in_a_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run([*COMMAND, str(port)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: --host 127.0.0.1 --port {port}: address already in use")


@pytest.mark.parametrize("host", ["", " \t"])
def test_an_empty_host_is_not_every_address(host):
    words = [*COMMAND, "0", "--host", host]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("error: --host: the address is empty")


@pytest.fixture
def judges():
    made = judging.Judges(count=1)
    yield made
    made.close()


def test_a_judge_that_is_too_slow_is_replaced(judges):
    equation = parse_equation("sin(2*x) = 2*sin(x)")

    async def questions():
        await judges.judge(parse_equation("x = x"))  # it is at work
        for judge in judges._judges:
            os.kill(judge._process.pid, signal.SIGSTOP)
        judges._seconds = 0.1
        slow = await judges.judge(equation)
        for judge in judges._judges:
            os.kill(judge._process.pid, signal.SIGCONT)
        judges._seconds = 60
        return slow, await judges.judge(equation)

    slow, judged = asyncio.run(questions())
    assert slow.verdict == "UNSURE" and "did not finish" in slow.evidence["reason"]
    assert judged.verdict == "INCORRECT"


def test_judgements_are_remembered_up_to_a_bound_and_the_line_ends(judges, monkeypatch):
    monkeypatch.setattr(judging, "REMEMBERED", 2)
    equations = [parse_equation(f"x = x + {number}") for number in (1, 2, 3)]

    async def questions():
        for equation in equations:
            await judges.judge(equation)
        assert list(judges._known) == equations[1:]
        monkeypatch.setattr(judging, "LONGEST_LINE", 0)
        assert (await judges.judge(equations[2])).verdict == "INCORRECT"
        with pytest.raises(BusyError):
            await judges.judge(equations[0])

    asyncio.run(questions())
