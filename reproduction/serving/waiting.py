"""Lines of questions: bounded, with one thread for the networks and judges in processes of their own.

A hard equation keeps nobody waiting who does not ask about it; questions of departed visitors leave the line.
"""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from queue import SimpleQueue

from tornado.web import HTTPError

from ..errors import deaf_to_interrupts, end_with_parent
from ..judges.oracle import UNSURE, Judgement, Oracle
from ..language.expression import Equation
from ..language.parsing import parse_equation
from ..use.network import Found, Network
from .answers import completion

NETWORK_LINE, JUDGES_LINE = 256, 64  # questions of everybody
MOST_QUESTIONS, MOST_BLANKS, MOST_JUDGED = 64, 8, 8  # of a client; a blank takes as long as a hundred equations
JUDGES = 2
LIMIT_SECONDS = 15.0  # by the clock; Sympy's own limits are shorter and count CPU time
LEAST_SECONDS = 2.0  # for an equation whose visitor has gone: a new judge is no cheaper
REMEMBERED = 1000  # judgements
FIRST_EQUATION = parse_equation("sin(x)^2 + cos(x)^2 = 1")


class RefusedError(HTTPError):
    """A request that is not answered: the status and a sentence."""

    def __init__(self, status: int, sentence: str):
        super().__init__(status)
        self.sentence = sentence


class Line:
    """Threads and the questions that wait for them; `whom` is the word for them in refusals."""

    def __init__(self, whom: str, threads: int, longest: int):
        self._whom, self._longest = whom, longest
        self._waiting: Counter[str] = Counter()
        self.threads = ThreadPoolExecutor(threads, thread_name_prefix=whom)

    async def ask(self, client: str, most: int, answer: Callable, *arguments):
        """What `answer(departed, *arguments)` returns in a thread; the event is set when nobody wants it any more."""
        waiting, own = self._waiting.total(), self._waiting[client]
        if waiting >= self._longest:
            raise RefusedError(503, f"{waiting} questions are waiting for the {self._whom}; try again in a few seconds")
        if own >= most:
            sentence = f"{own} questions of yours are waiting for the {self._whom}; wait for their answers"
            raise RefusedError(429, sentence)
        self._waiting[client] += 1
        departed = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self.threads, answer, departed, *arguments)
        finally:
            departed.set()
            self._waiting -= Counter([client])

    def close(self) -> None:
        self.threads.shutdown(wait=True, cancel_futures=True)


class NetworkThread:
    """The networks that the page can switch between, each loaded when it is first asked for and then kept."""

    def __init__(self, found: dict[str, Found], default: str):
        self.found, self.default = found, default
        self._network = lru_cache(maxsize=None)(lambda name: Network(found[name]))
        self._line = Line("network", 1, NETWORK_LINE)

    def descriptions(self) -> list[dict]:
        """Name, title and accuracies of every network, on its own test set and on textbook equations."""
        return [
            {
                "name": name,
                "title": found.title,
                "decodes": found.run.configuration.decodes,
                "accuracy": found.run.results.test.symbolic.accuracy,
                "textbook_accuracy": found.textbook_accuracy,
            }
            for name, found in self.found.items()
        ]

    async def ask(self, client: str, name: str, question: Callable, *arguments):
        """What `question(network, *arguments)` returns."""
        most = MOST_BLANKS if question is completion else MOST_QUESTIONS
        who = f"{client} {question.__name__}"  # questions of one kind are counted by themselves
        return await self._line.ask(who, most, lambda departed: question(self._network(name), *arguments))

    def close(self) -> None:
        self._line.close()


def _serve(connection) -> None:
    """The work of a judge's process: equations in, judgements out, until the other end is gone."""
    parent = multiprocessing.parent_process()
    end_with_parent(parent.pid if parent and parent.pid else os.getppid())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with contextlib.suppress(EOFError), Oracle(thorough=True) as oracle:
        while True:
            connection.send(oracle.judge(connection.recv()))


class _Judge:
    """One process, not daemonic: it has a Sympy worker of its own."""

    def __init__(self):
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,))
        with deaf_to_interrupts():  # Ctrl-C is the server's
            self._process.start()
        theirs.close()

    def judge(self, equation: Equation, seconds: float, departed: threading.Event) -> Judgement | None:
        """The judgement; None when there is none in time, or nobody waits for it any more."""
        try:
            self._connection.send(equation)
            while seconds > 0:
                if self._connection.poll(min(seconds, LEAST_SECONDS)):
                    return self._connection.recv()
                seconds = 0 if departed.is_set() else seconds - LEAST_SECONDS
        except (EOFError, OSError):
            pass  # the process has ended
        return None

    def end(self) -> None:
        """Asks it to end, from any thread; whoever waits for its judgement gets none."""
        self._process.terminate()

    def close(self) -> None:
        self.end()
        self._process.join(2)
        self._process.kill()
        self._process.join()
        self._connection.close()


class Judges:
    """Judges that work side by side; one that does not answer in time is replaced. Close them at the end."""

    def __init__(self, count: int = JUDGES, seconds: float = LIMIT_SECONDS):
        self._seconds = seconds
        self._judges = {_Judge() for _ in range(count)}
        self._free: SimpleQueue[_Judge] = SimpleQueue()
        self._line = Line("judges", count, JUDGES_LINE)
        self._known: dict[Equation, Judgement] = {}
        self._closing = False
        for judge in self._judges:
            self._free.put(judge)
            # Sympy is imported before the first visitor asks
            self._line.threads.submit(self._ask, threading.Event(), FIRST_EQUATION)

    def _ask(self, departed: threading.Event, equation: Equation) -> Judgement | None:
        """In a thread: the judgement of a judge that is free; None if there is none in time."""
        judge = self._free.get()
        judgement = judge.judge(equation, self._seconds, departed)
        if judgement is None and not self._closing:
            judge.close()
            self._judges.discard(judge)
            judge = _Judge()
            self._judges.add(judge)
        self._free.put(judge)
        return judgement

    async def judge(self, client: str, equation: Equation) -> Judgement:
        """The judgement on an equation, remembered for the next who asks."""
        if equation in self._known:
            return self._known[equation]
        judgement = await self._line.ask(client, MOST_JUDGED, self._ask, equation)
        if judgement is None:
            return Judgement(UNSURE, {"judge": "clock", "reason": f"the judges did not finish in {self._seconds:g} s"})
        if len(self._known) >= REMEMBERED:
            self._known.clear()
        self._known[equation] = judgement
        return judgement

    def close(self) -> None:
        """Ends all processes; what they are working on is given up."""
        self._closing = True
        for judge in tuple(self._judges):
            judge.end()
        self._line.close()
        for judge in self._judges:
            judge.close()
