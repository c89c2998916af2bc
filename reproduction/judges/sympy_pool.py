"""What Sympy says of an equation: asked in a worker process that can be killed, and kept on disk.

Sympy is given real symbols and our own trees, never text. Time is counted as the worker's own CPU time, so that a
busy machine does not change an answer. A kernel limit ends a worker even inside one long multiplication.
"""

import contextlib
import json
import multiprocessing
import os
import resource
import signal
import sqlite3
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from importlib.metadata import version
from multiprocessing.connection import wait
from pathlib import Path
from typing import Literal, get_args

from .. import errors
from ..artifacts import fingerprint
from ..errors import InputError, MachineError
from ..language.expression import FUNCTION, VARIABLE, Equation, Expression
from ..language.grammar import FUNCTIONS
from ..language.printing import print_equation

Reply = Literal["true", "false", "undecided", "not finite", "time limit", "too large"]
TRUE, FALSE, UNDECIDED, NOT_FINITE, TIME_LIMIT, TOO_LARGE = get_args(Reply)
AUTO_EVALUATION, SIMPLIFY = "auto-evaluation", "simplify"

TIME_LIMIT_SECONDS = 4.0  # for people
# For data. All 34,380 questions of the two committed data sets end by themselves, the slowest after 0.9 s: no label and
# no baseline depends on the speed of a machine.
PATIENT_SECONDS = 120.0
GRACE_SECONDS = 2  # of CPU time, between a worker's own timer and its end by the kernel
MEMORY_LIMIT_BYTES = 3 * 2**30
OUR_LIMITS = (-signal.SIGXCPU, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)  # how time and memory end a worker
SECONDS_TO_WAIT = 20.0  # for another process that writes the table of answers


@dataclass(frozen=True)
class Answer:
    """Sympy's replies to Eq(left, right) as it stands and after simplify, and the CPU seconds of each."""

    auto: Reply
    simplified: Reply
    auto_seconds: float = 0.0
    simplify_seconds: float = 0.0

    @property
    def says_equal(self) -> bool:
        return TRUE in (self.auto, self.simplified)

    @property
    def route(self) -> str:
        return AUTO_EVALUATION if self.auto == TRUE else SIMPLIFY


def to_sympy(expression: Expression):
    """The Sympy expression, auto-evaluated, of one of our trees."""
    import sympy

    if expression.kind == FUNCTION:
        children = [to_sympy(child) for child in expression.children]
        return getattr(sympy, FUNCTIONS[expression.symbol].sympy)(*children)
    if expression.kind == VARIABLE:
        return sympy.Symbol(expression.symbol, real=True)
    value = expression.value
    return sympy.pi if value is None else sympy.Rational(value.numerator, value.denominator)


class _TimeIsUp(BaseException):
    """Raised inside a worker by its own timer; not an Exception, so that Sympy cannot swallow it."""


def _raise_time_is_up(signum, frame):
    raise _TimeIsUp


def _compare(left, right) -> Reply:
    """What Sympy makes of Eq(left, right) without being asked to work."""
    import sympy

    if any(side.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo) for side in (left, right)):
        return NOT_FINITE
    relation = sympy.Eq(left, right)
    return TRUE if relation is sympy.true else FALSE if relation is sympy.false else UNDECIDED


def _simplify(left, right) -> Reply:
    """What Sympy makes of the difference of the sides when told to simplify it."""
    import sympy

    difference = sympy.simplify(left - right)
    if difference.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        return NOT_FINITE
    return TRUE if difference.is_zero else FALSE if difference.is_zero is False else UNDECIDED


def _limit(kind: int, wanted: int) -> None:
    """Sets a kernel limit, or the hard limit where that is lower; -1 is none."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY or 0 <= wanted < hard else hard, hard))


def _timed(question: Callable[[], Reply], seconds: float) -> tuple[Reply, float]:
    """The reply to a question and its CPU seconds; that Sympy fails at it is a reply as well."""
    begin = time.process_time()
    _limit(resource.RLIMIT_CPU, int(begin + seconds) + GRACE_SECONDS)  # ends what the timer cannot interrupt
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        reply = question()
    except _TimeIsUp:
        reply = TIME_LIMIT
    except (MemoryError, RecursionError, OverflowError):
        reply = TOO_LARGE
    except OSError:  # the machine's, not Sympy's
        raise
    except Exception:  # noqa: BLE001 (whatever Sympy failed at in its own work, it settles nothing)
        reply = UNDECIDED
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        _limit(resource.RLIMIT_CPU, resource.RLIM_INFINITY)
    return reply, time.process_time() - begin


def answer(equation: Equation, seconds: float, simplifies: bool = True) -> Answer:
    """Sympy's answer, in this process: simplify, if it is wanted, is asked when auto-evaluation leaves it open."""
    from sympy.core.cache import clear_cache

    clear_cache()
    sides: list = []

    def auto() -> Reply:
        sides.extend(map(to_sympy, equation))
        return _compare(*sides)

    first, first_seconds = _timed(auto, seconds)
    if len(sides) < 2 or first != UNDECIDED or not simplifies:
        return Answer(first, first, first_seconds)
    second, second_seconds = _timed(lambda: _simplify(*sides), seconds)
    return Answer(first, second, first_seconds, second_seconds)


def _serve(connection, seconds: float, simplifies: bool) -> None:
    """A worker's loop: equations in, answers out, until the other end is closed."""
    parent = multiprocessing.parent_process()
    assert parent and parent.pid, "a worker is a child"
    errors.end_with_parent(parent.pid)
    errors.leave_interrupts()
    signal.signal(signal.SIGPROF, _raise_time_is_up)
    _limit(resource.RLIMIT_AS, MEMORY_LIMIT_BYTES)
    _limit(resource.RLIMIT_CORE, 0)
    import sympy  # noqa: F401  (its import must not count against the first question)

    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(answer(connection.recv(), seconds, simplifies))


class _Worker:
    """One process and the question it is working on."""

    def __init__(self, seconds: float, simplifies: bool):
        context = multiprocessing.get_context("spawn")
        os.environ["PYTHONHASHSEED"] = "0"  # inherited: Sympy's order of work must not depend on the hash seed
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, seconds, simplifies), daemon=True)
        with errors.deaf_to_interrupts():
            self.process.start()
        theirs.close()
        self.question: int | None = None
        self._seconds = seconds

    def ask(self, index: int, equation: Equation) -> None:
        self.question = index
        with contextlib.suppress(ConnectionError):  # a worker that has ended is noticed by `answer`
            self.connection.send(equation)

    def answer(self) -> Answer | None:
        """The answer to its question: TIME_LIMIT if our limits ended the worker, None if something else ended it."""
        self.question = None
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
        return Answer(TIME_LIMIT, TIME_LIMIT, self._seconds) if self.process.exitcode in OUR_LIMITS else None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class SympyPool(contextlib.AbstractContextManager):
    """Workers that answer questions about equations, behind a table of answers on disk: no question is asked twice.

    A worker that exceeds its limits is replaced and its question closed. The question of one that something else
    ended, such as a machine that is short of memory, is asked once more. The table is a convenience: several processes
    may use it at once, and one that cannot be written, or that another process locks for long, is not used. Only a
    file that is no table of answers is refused. Without a path nothing is kept; neither are answers without simplify.
    """

    def __init__(self, path: Path | None = None, workers=1, seconds=TIME_LIMIT_SECONDS, simplifies=True):
        self._path, self._count, self._settings = path, workers, (seconds, simplifies)
        self._condition = f"sympy {version('sympy')}, {seconds:g} s"
        self._workers: list[_Worker] = []
        self._database: sqlite3.Connection | None = None
        self._rows("CREATE TABLE IF NOT EXISTS answers "
                   "(equation TEXT, condition TEXT, answer TEXT, PRIMARY KEY (equation, condition))")  # fmt: skip

    def __exit__(self, *exception):
        self._stop(self._workers)
        if self._database:
            self._database.close()

    def _rows(self, statement: str, *values: str) -> list[tuple[str]]:
        """The result of a statement; empty where there is no table, or none that can be used."""
        if self._path is None:
            return []
        try:
            if self._database is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._database = sqlite3.connect(self._path, timeout=SECONDS_TO_WAIT, isolation_level=None)
                self._database.execute("PRAGMA synchronous = OFF")  # a lost answer is asked again
            return self._database.execute(statement, values).fetchall()
        except (sqlite3.OperationalError, OSError) as error:
            sys.stderr.write(f"{self._path}: Sympy's answers are not kept there ({error}); going on without\n")
            self._path = None
            return []
        except sqlite3.DatabaseError as error:
            words = f"not a table of Sympy's answers that can be used ({error}); delete it, it will be made again"
            raise InputError(f"{self._path}: {words}") from None

    def _row(self, text: str, answer: Answer) -> str:
        """An answer as it is stored; the seal at its end tells a damaged row, or one of another question."""
        row = astuple(answer)
        seal = fingerprint(json.dumps([*row, text, self._condition]).encode("utf-8"))
        return json.dumps([*row, f"seal {seal}"])

    def _known(self, text: str) -> Answer | None:
        """The stored answer; a damaged one is asked again."""
        query = "SELECT answer FROM answers WHERE equation = ? AND condition = ?"
        for (row,) in self._rows(query, text, self._condition):
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                answer = Answer(*json.loads(row)[:4])
                return answer if row == self._row(text, answer) else None
        return None

    def _remember(self, text: str, answer: Answer) -> None:
        if self._settings[1]:
            row = self._row(text, answer)
            self._rows("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", text, self._condition, row)

    def _stop(self, workers: Iterable[_Worker]) -> None:
        for worker in list(workers):
            worker.stop()
            self._workers.remove(worker)

    def _start(self, questions: int) -> None:
        """Starts as many workers as these questions can use."""
        self._stop(worker for worker in self._workers if worker.question is None and not worker.process.is_alive())
        while len(self._workers) < min(self._count, questions):
            self._workers.append(_Worker(*self._settings))

    def prepare(self, equations: Iterable[Equation]) -> None:
        """Starts workers now if any of these questions is a new one; they get ready while the caller goes on."""
        self._start(sum(self._known(print_equation(equation)) is None for equation in equations))

    def answers(self, equations: Iterable[Equation], progress=lambda count: None) -> list[Answer]:
        """Sympy's answer to each equation, in their order; progress is told how many more are done."""
        equations = list(equations)
        texts = list(map(print_equation, equations))
        found = {index: known for index, text in enumerate(texts) if (known := self._known(text))}
        progress(len(found))
        try:
            for index, answer in self._asked({n: each for n, each in enumerate(equations) if n not in found}):
                found[index] = answer
                self._remember(texts[index], answer)
                progress(1)
        finally:  # after an error the answers that workers still owe belong to no question
            self._stop(self._busy())
        return [found[index] for index in range(len(equations))]

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.question is not None]

    def _asked(self, questions: dict[int, Equation]) -> Iterator[tuple[int, Answer]]:
        """The numbers of questions with the workers' answers, as they come."""
        waiting, lost = deque(questions), set()
        while waiting or self._busy():
            self._start(len(waiting) + len(self._busy()))
            for worker in self._workers:
                if worker.question is None and waiting:
                    worker.ask(waiting[0], questions[waiting.popleft()])
            ready = wait([worker.connection for worker in self._busy()])
            for worker in [each for each in self._busy() if each.connection in ready]:
                index = worker.question
                assert index is not None, "it is busy"
                answer = worker.answer()
                if answer is not None:
                    yield index, answer
                elif index in lost:
                    raise MachineError(
                        "a Sympy worker was ended twice at the same question, by this machine and not by our limits; "
                        "give it more memory or processor time (`ulimit -a` shows limits)"
                    )
                else:
                    lost.add(index)
                    waiting.appendleft(index)
