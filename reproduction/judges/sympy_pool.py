"""What Sympy says of an equation: a question asked in a worker process that can be killed.

Sympy is given real symbols and our own trees, never text. Time is counted as the worker's own CPU time, so that a
busy machine does not change an answer. A kernel limit ends a worker even inside one long multiplication.
"""

import contextlib
import multiprocessing
import os
import resource
import signal
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Literal, get_args

from .. import errors
from ..errors import MachineError
from ..language.expression import FUNCTION, VARIABLE, Equation, Expression
from ..language.grammar import FUNCTIONS, POWER
from .balls import VAGUE, Valuation

Reply = Literal["true", "false", "undecided", "not finite", "time limit", "too large"]
TRUE, FALSE, UNDECIDED, NOT_FINITE, TIME_LIMIT, TOO_LARGE = get_args(Reply)
AUTO_EVALUATION, SIMPLIFY = "auto-evaluation", "simplify"

TIME_LIMIT_SECONDS = 4.0  # for people
# For what is stored. All 34,380 questions of the two committed data sets end by themselves, the slowest after 0.9 s, so
# that this decides nothing: no label and no baseline depends on the speed of a machine.
PATIENT_SECONDS = 120.0
LARGEST_POWER = 10**1000
GRACE_SECONDS = 2  # of CPU time, between a worker's own timer and its end by the kernel
MEMORY_LIMIT_BYTES = 3 * 2**30
OUR_LIMITS = (-signal.SIGXCPU, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)  # how time and memory end a worker
LOST = (
    "a Sympy worker was ended twice at the same question, by this machine and not by our limits; "
    "give it more memory or processor time (`ulimit -a` shows limits)"
)


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


# ------------------------------------------------------------------------------------------------ one question


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


def within_magnitude_bound(equation: Equation, valuation: Valuation) -> bool:
    """Whether no variable-free power in the equation has more digits than Sympy should ever write out."""
    for node in equation.subexpressions():
        if node.symbol == POWER and node.closed and node.kind == FUNCTION:
            value = valuation.value(node, 0)
            size = 0 if isinstance(value, str) else abs(value)
            if value is VAGUE or size > LARGEST_POWER or (size > 0 and 1 / size > LARGEST_POWER):
                return False
    return True


class _TimeIsUp(BaseException):
    """Raised inside a worker by its own timer; not an Exception, so that Sympy cannot swallow it."""


def _raise_time_is_up(signum, frame):
    raise _TimeIsUp


def _is_finite(*sides) -> bool:
    import sympy

    return not any(side.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo) for side in sides)


def _compare(left, right) -> Reply:
    """What Sympy makes of Eq(left, right) without being asked to work."""
    import sympy

    if not _is_finite(left, right):
        return NOT_FINITE
    relation = sympy.Eq(left, right)
    return TRUE if relation is sympy.true else FALSE if relation is sympy.false else UNDECIDED


def _simplify(left, right) -> Reply:
    """What Sympy makes of the difference of the sides when told to simplify it."""
    import sympy

    difference = sympy.simplify(left - right)
    if not _is_finite(difference):
        return NOT_FINITE
    return TRUE if difference.is_zero else FALSE if difference.is_zero is False else UNDECIDED


def _limit(kind: int, wanted: int) -> None:
    """Sets a limit of the kernel's, or the hard one where that is lower; -1 is none."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY or 0 <= wanted < hard else hard, hard))


def _timed(question, left, right, seconds: float) -> tuple[Reply, float]:
    """The reply to a question and its CPU seconds; what Sympy fails at is a reply as well."""
    begin = time.process_time()
    _limit(resource.RLIMIT_CPU, int(begin + seconds) + GRACE_SECONDS)  # ends what does not hear the timer
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        reply = question(left, right)
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
    sides = []

    def auto(left, right):
        sides.extend((to_sympy(left), to_sympy(right)))
        return _compare(*sides)

    first, first_seconds = _timed(auto, equation.left, equation.right, seconds)
    if len(sides) < 2 or first != UNDECIDED or not simplifies:
        return Answer(first, first, first_seconds)
    second, second_seconds = _timed(_simplify, sides[0], sides[1], seconds)
    return Answer(first, second, first_seconds, second_seconds)


# ------------------------------------------------------------------------------------------------ workers


def _serve(connection, seconds: float, simplifies: bool) -> None:
    """A worker's life: equations in, answers out, until nobody is there to ask or to listen."""
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
        with contextlib.suppress(ConnectionError):  # it has ended, which is seen when its answer is wanted
            self.connection.send(equation)

    def answer(self) -> Answer | None:
        """The answer to its question, also that of a worker that our limits ended; None if something else ended it."""
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
    """Workers that answer many equations; one that exceeds its limits is replaced and its question closed.

    The question of one that something else ended, such as a machine that is short of memory, is asked once more.
    """

    def __init__(self, workers: int = 1, seconds: float = TIME_LIMIT_SECONDS, simplifies: bool = True):
        self._count, self._settings = workers, (seconds, simplifies)
        self._workers: list[_Worker] = []

    def __exit__(self, *exception):
        self._stop(self._workers)

    def _stop(self, workers: Iterable[_Worker]) -> None:
        for worker in list(workers):
            worker.stop()
            self._workers.remove(worker)

    def start(self, questions: int) -> None:
        """As many workers as these questions can use; they get ready while the caller does something else."""
        self._stop(worker for worker in self._workers if worker.question is None and not worker.process.is_alive())
        while len(self._workers) < min(self._count, questions):
            self._workers.append(_Worker(*self._settings))

    def _busy(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.question is not None]

    def answers(self, equations: Sequence[Equation]) -> Generator[tuple[int, Answer], None, None]:
        """(index, answer) for every equation, as they come."""
        try:
            yield from self._answers(equations)
        finally:  # where the iteration was given up, what is still being worked on is no answer to come
            self._stop(self._busy())

    def _answers(self, equations: Sequence[Equation]) -> Iterator[tuple[int, Answer]]:
        waiting, lost = deque(range(len(equations))), set()
        while waiting or self._busy():
            self.start(len(waiting) + len(self._busy()))
            for worker in self._workers:
                if worker.question is None and waiting:
                    worker.ask(waiting[0], equations[waiting.popleft()])
            ready = wait([worker.connection for worker in self._busy()])
            for worker in [each for each in self._busy() if each.connection in ready]:
                index = worker.question
                assert index is not None, "it is busy"
                answer = worker.answer()
                if answer is not None:
                    yield index, answer
                elif index in lost:
                    raise MachineError(LOST)
                else:
                    lost.add(index)
                    waiting.appendleft(index)
