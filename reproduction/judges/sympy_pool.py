"""What Sympy says of an equation: a question asked in a worker process that can be killed.

Sympy is given real symbols and our own trees, never text. Time is counted as the worker's own CPU time, so that a
busy machine does not change an answer. A kernel limit ends a worker even inside one long multiplication.
"""

import contextlib
import math
import multiprocessing
import os
import resource
import signal
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
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
READY = "ready"  # a worker's first words

TIME_LIMIT_SECONDS = 4.0  # for people
# For what is stored. All 34,380 questions of the two committed data sets end by themselves, the slowest after 0.9 s, so
# that this decides nothing: no label and no baseline depends on the speed of a machine.
PATIENT_SECONDS = 120.0
LARGEST_POWER_DIGITS = 1000
GRACE_SECONDS = 2  # of CPU time, between a worker's own timer and its end by the kernel
MEMORY_LIMIT_BYTES = 3 * 2**30
OUT_OF_MEMORY = (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS)  # how C code ends at the limit of memory
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
            if value is VAGUE or (not isinstance(value, str) and _has_too_many_digits(abs(value))):
                return False
    return True


def _has_too_many_digits(size) -> bool:
    return size > 10**LARGEST_POWER_DIGITS or (size > 0 and 1 / size > 10**LARGEST_POWER_DIGITS)


class _TimeIsUp(BaseException):
    """Raised inside a worker by its own timer; not an Exception, so that Sympy cannot swallow it."""


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


def _hard_limit(kind: int) -> float:
    """The most that this process and its children may ever have of something."""
    _, hard = resource.getrlimit(kind)
    return math.inf if hard == resource.RLIM_INFINITY else hard


def _limit(kind: int, wanted: float) -> None:
    """Sets a limit, as far as the hard one lets us: that one cannot be raised again."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (hard if wanted >= _hard_limit(kind) else int(wanted), hard))


def _has_time_for(seconds: float) -> bool:
    """Whether both questions about an equation can have their whole time before the hard limit ends this process."""
    needed = time.process_time() + 2 * (seconds + GRACE_SECONDS + 1)
    return needed < _hard_limit(resource.RLIMIT_CPU)


def _has_memory() -> bool:
    """Whether what is too large for a worker is so because of our limit, and not of a smaller one of this machine."""
    return _hard_limit(resource.RLIMIT_AS) >= MEMORY_LIMIT_BYTES


@contextlib.contextmanager
def _cpu_limit(seconds: float):
    """Raises _TimeIsUp after so much CPU time; the kernel ends the process a second later if that is not heard."""
    _limit(resource.RLIMIT_CPU, int(time.process_time() + seconds) + GRACE_SECONDS)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        _limit(resource.RLIMIT_CPU, math.inf)


def _forgiven(question, left, right) -> Reply:
    """The reply to a question; what Sympy fails at is a reply as well."""
    try:
        return question(left, right)
    except (MemoryError, RecursionError, OverflowError):
        return TOO_LARGE
    except OSError:  # the machine's, not Sympy's
        raise
    except Exception:  # noqa: BLE001 (whatever Sympy failed at in its own work, it settles nothing)
        return UNDECIDED


def _timed(question, left, right, seconds: float) -> tuple[Reply, float]:
    begin = time.process_time()
    try:
        with _cpu_limit(seconds):
            reply = _forgiven(question, left, right)
    except _TimeIsUp:
        reply = TIME_LIMIT
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


def _raise_time_is_up(signum, frame):
    raise _TimeIsUp


def _serve(connection, seconds: float, simplifies: bool) -> None:
    """A worker's life: equations in, answers out, until nobody is there to ask or to listen.

    It ends without an answer where limits of the machine, and not ours, would decide what the answer is.
    """
    with contextlib.suppress(EOFError, OSError):
        _answer_all(connection, seconds, simplifies)


def _answer_all(connection, seconds: float, simplifies: bool) -> None:
    parent = multiprocessing.parent_process()
    assert parent and parent.pid, "a worker is a child"
    errors.end_with_parent(parent.pid)
    errors.leave_interrupts()
    signal.signal(signal.SIGPROF, _raise_time_is_up)
    _limit(resource.RLIMIT_AS, MEMORY_LIMIT_BYTES)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import sympy  # noqa: F401  (its import must not count against the first question)

    connection.send(READY)
    while True:
        equation = connection.recv()
        if not _has_time_for(seconds):
            return
        given = answer(equation, seconds, simplifies)
        if TOO_LARGE in (given.auto, given.simplified) and not _has_memory():
            return
        connection.send(given)


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
        self._is_ready, self._seconds = False, seconds

    def ask(self, index: int, equation: Equation) -> None:
        """Give it a question; a worker that cannot even start is no answer of Sympy's but an error."""
        try:
            self._is_ready = self._is_ready or self.connection.recv() == READY
            self.connection.send(equation)
        except (EOFError, ConnectionError):
            raise MachineError("a Sympy worker ended before it was given a question") from None
        self.question = index

    def answer(self) -> Answer | None:
        """The answer to its question, also that of a worker that our limits ended; None if something else ended it."""
        self.question = None
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
        code = self.process.exitcode
        is_our_limit = code == -signal.SIGXCPU or (code in OUT_OF_MEMORY and _has_memory())
        return Answer(TIME_LIMIT, TIME_LIMIT, self._seconds) if is_our_limit else None

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


class SympyPool(contextlib.AbstractContextManager):
    """Workers that answer many equations; one that exceeds its limits is replaced and its question closed.

    The question of one that something else ended, such as a machine that is short of memory, is asked once more.
    """

    def __init__(self, workers: int = 1, seconds: float = TIME_LIMIT_SECONDS, simplifies: bool = True):
        self._count = workers
        self._seconds, self._simplifies = seconds, simplifies
        self._workers: list[_Worker] = []

    def __exit__(self, *exception):
        for worker in self._workers:
            worker.stop()
        self._workers = []

    def start(self, questions: int) -> None:
        """As many workers as these questions can use; they get ready while the caller does something else."""
        while len(self._workers) < min(self._count, questions):
            self._workers.append(_Worker(self._seconds, self._simplifies))

    def answers(self, equations: Sequence[Equation]) -> Generator[tuple[int, Answer], None, None]:
        """(index, answer) for every equation, as they come."""
        try:
            yield from self._answers(equations)
        finally:
            for worker in [worker for worker in self._workers if worker.question is not None]:
                worker.stop()  # the iteration was given up: what is still being worked on is no answer to come
                self._workers.remove(worker)

    def _answers(self, equations: Sequence[Equation]) -> Iterator[tuple[int, Answer]]:
        self.start(len(equations))
        waiting, lost = deque(range(len(equations))), set()
        for worker in [self._living(worker) for worker in tuple(self._workers)]:
            self._give(worker, equations, waiting)
        while busy := [worker for worker in self._workers if worker.question is not None]:
            ready = wait([worker.connection for worker in busy])
            for worker in [worker for worker in busy if worker.connection in ready]:
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
                self._give(self._living(worker), equations, waiting)

    def _living(self, worker: _Worker) -> _Worker:
        """The worker, or the one that takes the place of a dead one."""
        if worker.process.is_alive():
            return worker
        worker.stop()
        successor = _Worker(self._seconds, self._simplifies)
        self._workers[self._workers.index(worker)] = successor
        return successor

    @staticmethod
    def _give(worker: _Worker, equations: Sequence[Equation], waiting: deque[int]) -> None:
        if waiting:
            worker.ask(waiting[0], equations[waiting.popleft()])
