"""Sympy in killable workers, and its answers on disk."""

import contextlib
import itertools
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sympy
from flint import arb

from reproduction import artifacts
from reproduction.errors import InputError, MachineError
from reproduction.judges import sympy_cache
from reproduction.judges import sympy_pool as sympy_judge
from reproduction.judges.balls import Valuation
from reproduction.judges.sympy_cache import CachedSympy
from reproduction.judges.sympy_pool import (
    AUTO_EVALUATION,
    FALSE,
    NOT_FINITE,
    SIMPLIFY,
    TIME_LIMIT,
    TOO_LARGE,
    TRUE,
    UNDECIDED,
    SympyPool,
    to_sympy,
    within_magnitude_bound,
)
from reproduction.language.expression import VARIABLE, Equation, apply, variable
from reproduction.language.grammar import FUNCTIONS
from reproduction.language.parsing import parse_equation, parse_expression

HANG = parse_equation("10^10^8 = 1")
EASY = parse_equation("x + x = 2 * x")


class EndlessLoop:
    """A node that keeps whoever asks for its kind inside one C function, where no Python signal handler runs."""

    @property
    def kind(self):
        return sum(itertools.repeat(0))


class Deadly:
    """The variable x, after so many processes that ask for its kind were ended by a signal."""

    symbol = "x"

    def __init__(self, directory: Path, number: int, times: int):
        self.directory, self.number, self.times = directory, number, times

    @property
    def kind(self):
        for place in (self.directory / f"death {count}" for count in range(self.times)):
            if not place.exists():
                place.touch()
                os.kill(os.getpid(), self.number)
        return VARIABLE


class TooLarge:
    """A node that does not fit into memory."""

    @property
    def kind(self):
        raise MemoryError


class NoPool:
    """Stands where workers must not be needed."""

    def answers(self, equations):
        assert not equations
        yield from ()

    def __exit__(self, *exception):
        pass


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("values", [("0.7", "-1.3"), ("-2.5", "0.4")])
def test_sympy_and_the_balls_mean_the_same_function(name, values):
    """Two libraries, one convention: for every function, on both sides of 0."""
    arguments = [parse_expression(value) for value in values[: FUNCTIONS[name].arity]]
    expression = apply(name, *arguments)
    ball, exact = Valuation().value(expression, 0), to_sympy(expression).evalf(40)
    assert ball.real.overlaps(arb(str(sympy.re(exact)), 1e-30))
    assert ball.imag.overlaps(arb(str(sympy.im(exact)), 1e-30))


@pytest.mark.parametrize("text", ["atanh(1) = 2", "2 = atanh(-1)", "1 / 0 = 1", "0 * 0^(-1) = 0"])
def test_infinities_of_every_kind_are_no_answer(text):
    assert sympy_judge._compare(*map(to_sympy, parse_equation(text))) == NOT_FINITE


@pytest.mark.parametrize(("text", "reply"), [("x + x = 2 * x", TRUE), ("1 + 1 = 3", FALSE), ("x = y", UNDECIDED)])
def test_auto_evaluation_has_three_more_replies(text, reply):
    assert sympy_judge._compare(*map(to_sympy, parse_equation(text))) == reply


def test_simplify_works_on_what_is_left_open():
    replies = {"sin(x)^2 + cos(x)^2 = 1": TRUE, "sin(x)^2 + cos(x)^2 = 2": FALSE, "x^2 = x": UNDECIDED}
    assert {text: sympy_judge._simplify(*map(to_sympy, parse_equation(text))) for text in replies} == replies


def test_terminals_are_exact():
    assert to_sympy(parse_expression("0.7")) == sympy.Rational(7, 10)
    assert to_sympy(parse_expression("2.57")) == sympy.Rational(257, 100)
    assert to_sympy(parse_expression("pi")) is sympy.pi
    assert to_sympy(parse_expression("-1/2")) == -sympy.Rational(1, 2)


@pytest.mark.parametrize(
    ("text", "is_within"),
    [
        ("10^10^8 = 1", False),
        ("x + 2^10^4 = 1", False),
        ("10^(-(10^4)) = 0", False),
        ("10^(10^10)^10 = 1", False),
        ("10^10^3 = 1", True),
        ("10^(10^3 + 1) = 1", False),
        ("x = 10^(-(10^3))", True),
        ("x = 10^(-1 - 10^3)", False),
        ("x^10^8 = 1", True),
        ("0^10^8 = 0", True),
        ("0^0 = 1", True),
    ],
)
def test_powers_that_sympy_would_write_out_are_bounded(text, is_within):
    assert within_magnitude_bound(parse_equation(text), Valuation()) is is_within


def test_hangs_cost_no_more_than_the_limit_and_the_other_answers_arrive():
    questions = [
        EASY,
        HANG,
        parse_equation("sin(x)^2 + cos(x)^2 = 1"),
        Equation(EndlessLoop(), variable("x")),
        parse_equation("1 / 0 = 2"),
    ]
    begin = time.monotonic()
    with SympyPool(workers=1, seconds=0.5) as pool:
        answers = dict(pool.answers(questions))
    assert time.monotonic() - begin < 40  # twice 0.5 s, 2 s more until the kernel acts, two starts, a busy machine
    assert (answers[0].auto, answers[0].route, answers[0].says_equal) == (TRUE, AUTO_EVALUATION, True)
    assert (answers[2].auto, answers[2].simplified, answers[2].route) == (UNDECIDED, TRUE, SIMPLIFY)
    assert answers[4].auto == NOT_FINITE
    for hang in (answers[1], answers[3]):
        assert (hang.auto, hang.simplified, hang.says_equal) == (TIME_LIMIT, TIME_LIMIT, False)
        assert hang.auto_seconds < 3


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_question_of_a_worker_that_was_killed_is_asked_once_more(tmp_path, number):
    with SympyPool(workers=1) as pool:
        answers = dict(pool.answers([Equation(Deadly(tmp_path, number, 1), variable("x")), EASY]))
        processes = [worker.process for worker in pool._workers]
    assert (answers[0].auto, answers[1].says_equal) == (TRUE, True)
    assert not any(process.is_alive() for process in processes)


def test_a_worker_that_is_killed_again_and_again_is_an_error_and_no_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(sympy_cache, "print_equation", str)
    with CachedSympy(tmp_path / "a.sqlite") as cache:
        with pytest.raises(MachineError, match="ended twice at the same question"):
            cache.answers([Equation(Deadly(tmp_path, signal.SIGKILL, 3), variable("x"))])
        cache._write()
        assert cache._database.execute("SELECT count(*) FROM answers").fetchone() == (0,)
        assert cache.answers([EASY])[0].says_equal


@pytest.mark.parametrize("number", [signal.SIGXCPU, signal.SIGABRT, signal.SIGSEGV])
def test_a_worker_that_ends_at_its_limits_closes_its_question(tmp_path, number):
    with SympyPool(workers=1) as pool:
        (answer,) = dict(pool.answers([Equation(Deadly(tmp_path, number, 1), variable("x"))])).values()
    assert (answer.auto, answer.simplified) == (TIME_LIMIT, TIME_LIMIT)


def test_an_idle_worker_that_was_killed_is_replaced():
    with SympyPool(workers=1) as pool:
        dict(pool.answers([EASY]))
        pool._workers[0].process.kill()
        pool._workers[0].process.join()
        assert dict(pool.answers([EASY]))[0].says_equal


QUESTION = """
import resource, sys
from reproduction.judges.sympy_pool import SympyPool
from reproduction.language.expression import Equation, variable
from reproduction.language.parsing import parse_equation
from tests.judges.test_sympy_pool import TooLarge
question = {"easy": parse_equation("sinh(x) + x^2 = x^2 + sinh(x)"), "large": Equation(TooLarge(), variable("x"))}
with SympyPool(seconds=float(sys.argv[4])) as pool:
    resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2)
    print(dict(pool.answers([question[sys.argv[3]]]))[0].auto)
"""


@pytest.mark.parametrize(
    ("kind", "hard", "question", "seconds", "said"),
    [
        ("RLIMIT_CPU", 3600, "easy", 4, TRUE),
        ("RLIMIT_CPU", 100, "easy", 60, "MachineError"),  # too little for the whole time of two questions
        ("RLIMIT_AS", 16 * 10**9, "easy", 4, TRUE),
        ("RLIMIT_AS", 2 * 10**9, "easy", 4, TRUE),
        ("RLIMIT_AS", 16 * 10**9, "large", 4, TOO_LARGE),
        ("RLIMIT_AS", 2 * 10**9, "large", 4, "MachineError"),  # more memory might be enough
    ],
)
def test_hard_limits_of_the_machine_change_no_answer(kind, hard, question, seconds, said):
    words = [sys.executable, "-c", QUESTION, kind, str(hard), question, str(seconds)]
    ended = subprocess.run(words, cwd=artifacts.ROOT, capture_output=True, text=True, check=False)
    assert said in (ended.stderr if said == "MachineError" else ended.stdout)
    assert ended.stderr.count("Traceback") == (said == "MachineError"), "the workers have none"


def test_only_sympy_is_forgiven(monkeypatch):
    """A limit that cannot be set is trouble of the machine and not a question that is left open."""

    def refuse(kind, limits):
        raise ValueError("not allowed")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    with pytest.raises(ValueError, match="not allowed"):
        sympy_judge.answer(EASY, 4)


def test_a_machine_that_sleeps_takes_nothing_from_the_time_limit():
    """A limit is processor time: a worker that was stopped for longer than it still answers."""
    with SympyPool(workers=1, seconds=1.0) as pool:
        dict(pool.answers([EASY]))
        asleep = pool._workers[0].process.pid
        os.kill(asleep, signal.SIGSTOP)
        waking = threading.Timer(2.0, os.kill, (asleep, signal.SIGCONT))
        waking.start()
        (answer,) = dict(pool.answers([parse_equation("sin(x)^2 + cos(x)^2 = 1")])).values()
        waking.join()
        assert (answer.simplified, pool._workers[0].process.pid) == (TRUE, asleep)


def test_no_more_workers_are_started_than_there_are_questions():
    with SympyPool(workers=3) as pool:
        list(pool.answers([EASY]))
        assert len(pool._workers) == 1
        list(pool.answers([]))
        assert len(pool._workers) == 1


def test_questions_that_were_given_up_leave_no_answers_behind():
    with SympyPool(workers=1) as pool:
        for index, answer in pool.answers([EASY, parse_equation("x = y"), parse_equation("x = y + 1")]):
            assert (index, answer.says_equal) == (0, True)
            break
        answers = dict(pool.answers([parse_equation("x = z"), EASY]))
        assert [answers[index].says_equal for index in (0, 1)] == [False, True]


def test_a_worker_that_cannot_start_is_an_error_and_not_an_answer(monkeypatch, capfd):
    monkeypatch.setattr(sympy_judge, "_serve", os.getpid)  # ends at once: it takes no arguments
    with SympyPool() as pool, pytest.raises(RuntimeError, match="worker"):
        list(pool.answers([EASY]))
    assert "TypeError" in capfd.readouterr().err


def test_known_answers_need_no_worker(tmp_path):
    path, told = tmp_path / "deep" / "sympy.sqlite", []
    equations = [EASY, parse_equation("sin(x)^2 + cos(x)^2 = 1"), parse_equation("x = y")]
    with CachedSympy(path, workers=1) as first:
        answers = first.answers(equations, told.append)
    with CachedSympy(path) as second:
        second._pool = NoPool()
        assert second.answers(equations) == answers
    assert (sum(told), [answer.says_equal for answer in answers]) == (3, [True, True, False])
    with CachedSympy(path, seconds=1.0) as other_limit:
        other_limit._pool = NoPool()
        with pytest.raises(AssertionError):
            other_limit.answers(equations)


def test_answers_without_simplify_are_not_kept_and_whole_ones_do_for_them(tmp_path):
    path, open_to_auto = tmp_path / "a.sqlite", parse_equation("sin(x)^2 + cos(x)^2 = 1")
    for _ in range(2):
        with CachedSympy(path, simplifies=False) as half:
            assert [(each.auto, each.simplified) for each in half.answers([open_to_auto])] == [(UNDECIDED, UNDECIDED)]
    with CachedSympy(path) as whole:
        (kept,) = whole.answers([open_to_auto])
    assert (kept.auto, kept.simplified) == (UNDECIDED, TRUE)
    with CachedSympy(path, simplifies=False) as half:
        assert half.answers([open_to_auto]) == [kept]


def test_an_answer_is_stored_with_the_version_and_the_time_limit(tmp_path):
    with CachedSympy(tmp_path / "a.sqlite") as cache:
        conditions = cache._condition
    assert sympy.__version__ in conditions
    assert f"{sympy_judge.TIME_LIMIT_SECONDS:g} s" in conditions


def _damage_start(path):
    path.write_bytes(b"this is no table, whatever its name says" * 10)


def _damage_inside(path):
    """The head stays sound; the pages of the table do not."""
    with CachedSympy(path) as cache:
        for index in range(2000):
            cache._remember(f"x = {index}", sympy_judge.Answer(TRUE, TRUE))
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x07" * (len(content) - 4096)
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [_damage_start, _damage_inside])
def test_a_damaged_table_is_a_sentence(tmp_path, damage):
    path = tmp_path / "sympy.sqlite"
    damage(path)
    with pytest.raises(InputError, match=r"sympy\.sqlite: not a table of Sympy's answers.*delete it") as caught:
        _ask_without_workers(path)
    assert "\n" not in str(caught.value)


def _ask_without_workers(path: Path):
    with CachedSympy(path) as cache:
        cache._pool = NoPool()
        cache.answers([parse_equation(f"x = {digit}") for digit in range(10)])


def _answers_without_the_table(path, capfd, said):
    """Whether Sympy is asked although the table cannot be used, and one sentence says so."""
    with CachedSympy(path) as cache:
        (answer,) = cache.answers([EASY])
    complaints = capfd.readouterr().err
    return answer.says_equal and said in complaints and complaints.count("\n") == 1


def test_a_directory_in_place_of_the_table_is_done_without(tmp_path, capfd):
    assert _answers_without_the_table(tmp_path, capfd, "unable to open database file); going on without")


def test_a_table_that_is_locked_is_done_without(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(sympy_cache, "SECONDS_TO_WAIT", 0.1)
    path = tmp_path / "sympy.sqlite"
    with CachedSympy(path), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert _answers_without_the_table(path, capfd, "database is locked); going on without")


BAD_ROWS = (
    "",
    "{",
    "null",
    "[]",
    '["true"]',
    '["maybe", "true", 0, 0]',
    '["true", "true", "0", 0]',
    "[" * 2000,
    b"\xff",
)


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_asked_again(tmp_path, capfd, row):
    path = tmp_path / "sympy.sqlite"
    with CachedSympy(path) as cache:
        (good,) = cache.answers([EASY])
        with cache._database:
            cache._database.execute("UPDATE answers SET answer = ?", (row,))
    assert _answers_without_the_table(path, capfd, "rows that are no answers of Sympy's; they are asked again")
    with CachedSympy(path) as cache:
        cache._pool = NoPool()
        assert cache.answers([EASY])[0].auto == good.auto


@pytest.mark.parametrize("change", ["false to true", "another's", "no seal"])
def test_an_answer_that_was_changed_by_hand_is_asked_again(tmp_path, capfd, change):
    path, other = tmp_path / "sympy.sqlite", parse_equation("x = y")
    with CachedSympy(path) as cache:
        assert [answer.auto for answer in cache.answers([EASY, other])] == [TRUE, UNDECIDED]
    database = sqlite3.connect(path)
    rows = dict(database.execute("SELECT equation, answer FROM answers"))
    row = {
        "false to true": rows["x = y"].replace(UNDECIDED, TRUE),
        "another's": rows["x + x = 2 * x"],
        "no seal": json.dumps([TRUE, TRUE, 0.0, 0.0]),
    }[change]
    with database:
        database.execute("UPDATE answers SET answer = ? WHERE equation = 'x = y'", (row,))
    database.close()
    with CachedSympy(path) as cache:
        assert [answer.auto for answer in cache.answers([EASY, other])] == [TRUE, UNDECIDED]
    assert "they are asked again" in capfd.readouterr().err


def test_two_programs_may_share_a_table(tmp_path):
    path = tmp_path / "sympy.sqlite"
    with CachedSympy(path) as one, CachedSympy(path) as two:
        one._remember("x = 1", sympy_judge.Answer(TRUE, TRUE))
        one._write()
        two._remember("x = 2", sympy_judge.Answer(TRUE, TRUE))
        two._write()
        assert one._known("x = 2") == two._known("x = 1") == sympy_judge.Answer(TRUE, TRUE)
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (2,)
