"""Sympy in killable workers, and its answers on disk."""

import contextlib
import itertools
import json
import os
import resource
import signal
import sqlite3
import time
from pathlib import Path

import pytest
import sympy
from flint import arb

from reproduction.errors import InputError, MachineError
from reproduction.judges import sympy_pool as sympy_judge
from reproduction.judges.balls import Valuation, within_magnitude_bound
from reproduction.judges.sympy_pool import (
    AUTO_EVALUATION,
    FALSE,
    NOT_FINITE,
    SIMPLIFY,
    TIME_LIMIT,
    TRUE,
    UNDECIDED,
    SympyPool,
    to_sympy,
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


def _no_workers(questions):
    """Stands in place of the workers where they must not be needed."""
    assert not questions
    return ()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("values", [("0.7", "-1.3"), ("-2.5", "0.4")])
def test_sympy_and_the_balls_mean_the_same_function(name, values):
    """Two libraries, one convention: for every function, on both sides of 0."""
    arguments = [parse_expression(value) for value in values[: FUNCTIONS[name].arity]]
    expression = apply(name, *arguments)
    ball, exact = Valuation().value(expression, 0), to_sympy(expression).evalf(40)
    assert ball.real.overlaps(arb(str(sympy.re(exact)), 1e-30))
    assert ball.imag.overlaps(arb(str(sympy.im(exact)), 1e-30))


def test_the_replies_of_auto_evaluation_and_simplify():
    asked = {
        "atanh(1) = 2": NOT_FINITE, "2 = atanh(-1)": NOT_FINITE, "1 / 0 = 1": NOT_FINITE, "0 * 0^(-1) = 0": NOT_FINITE,
        "x + x = 2 * x": TRUE, "1 + 1 = 3": FALSE, "x = y": UNDECIDED,
    }  # fmt: skip
    assert {text: sympy_judge._compare(*map(to_sympy, parse_equation(text))) for text in asked} == asked
    replies = {"sin(x)^2 + cos(x)^2 = 1": TRUE, "sin(x)^2 + cos(x)^2 = 2": FALSE, "x^2 = x": UNDECIDED}
    assert {text: sympy_judge._simplify(*map(to_sympy, parse_equation(text))) for text in replies} == replies


def test_terminals_are_exact():
    exact = sympy.Rational(7, 10), sympy.Rational(257, 100), sympy.pi, -sympy.Rational(1, 2)
    assert tuple(to_sympy(parse_expression(text)) for text in ("0.7", "2.57", "pi", "-1/2")) == exact


def test_powers_that_sympy_would_write_out_are_bounded():
    within = {
        "10^10^8 = 1": False, "10^(-(10^4)) = 0": False, "10^(10^10)^10 = 1": False, "10^10^3 = 1": True,
        "x = 10^(-1 - 10^3)": False, "x^10^8 = 1": True, "0^10^8 = 0": True,
    }  # fmt: skip
    assert {text: within_magnitude_bound(parse_equation(text), Valuation()) for text in within} == within


def test_hangs_cost_no_more_than_the_limit_and_the_other_answers_arrive(monkeypatch):
    monkeypatch.setattr(sympy_judge, "print_equation", str)
    others = parse_equation("sin(x)^2 + cos(x)^2 = 1"), parse_equation("1 / 0 = 2")
    questions = [EASY, HANG, others[0], Equation(EndlessLoop(), variable("x")), others[1]]
    begin = time.monotonic()
    with SympyPool(seconds=0.5) as pool:
        answers = pool.answers(questions)
    assert time.monotonic() - begin < 40  # twice 0.5 s, 2 s more until the kernel acts, two starts, a busy machine
    assert (answers[0].auto, answers[0].route, answers[0].says_equal) == (TRUE, AUTO_EVALUATION, True)
    assert (answers[2].auto, answers[2].simplified, answers[2].route) == (UNDECIDED, TRUE, SIMPLIFY)
    assert answers[4].auto == NOT_FINITE
    for hang in (answers[1], answers[3]):
        assert (hang.auto, hang.simplified, hang.says_equal) == (TIME_LIMIT, TIME_LIMIT, False)
        assert hang.auto_seconds < 3


@pytest.mark.parametrize(
    ("number", "times", "auto"),
    [(signal.SIGKILL, 1, TRUE), (signal.SIGTERM, 1, TRUE), (signal.SIGXCPU, 1, TIME_LIMIT),
     (signal.SIGABRT, 1, TIME_LIMIT), (signal.SIGSEGV, 1, TIME_LIMIT)],
)  # fmt: skip
def test_what_ends_a_worker_decides_whether_it_is_asked_once_more(tmp_path, monkeypatch, number, times, auto):
    """A worker that somebody else killed is asked again; our limits close the question. The other answers arrive."""
    monkeypatch.setattr(sympy_judge, "print_equation", str)
    with SympyPool() as pool:
        answers = pool.answers([Equation(Deadly(tmp_path, number, times), variable("x")), EASY])
        processes = [worker.process for worker in pool._workers]
    assert (answers[0].auto, answers[0].simplified, answers[1].says_equal) == (auto, auto, True)
    assert not any(process.is_alive() for process in processes)


def test_a_worker_that_is_killed_again_and_again_is_an_error_and_no_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(sympy_judge, "print_equation", str)
    with SympyPool(tmp_path / "a.sqlite") as cache:
        with pytest.raises(MachineError, match="ended twice at the same question"):
            cache.answers([Equation(Deadly(tmp_path, signal.SIGKILL, 3), variable("x"))])
        assert cache._database.execute("SELECT count(*) FROM answers").fetchone() == (0,)
        assert cache.answers([EASY])[0].says_equal


def test_a_worker_that_cannot_start_is_an_error_and_not_an_answer(monkeypatch, capfd):
    monkeypatch.setattr(sympy_judge, "_serve", os.getpid)  # ends at once: it takes no arguments
    with SympyPool() as pool, pytest.raises(MachineError, match="worker"):
        list(pool.answers([EASY]))
    assert "TypeError" in capfd.readouterr().err


def test_workers_are_as_many_as_there_are_questions_and_a_killed_one_is_replaced():
    questions = [parse_equation(f"sin(x) + {index} = sin(x) + {index % 3}") for index in range(12)]
    with SympyPool(workers=2) as pool:
        pool.answers([EASY])
        (worker,) = pool._workers
        worker.process.kill()
        worker.process.join()
        assert pool.answers([EASY])[0].says_equal and len(pool._workers) == 1
        assert [answer.says_equal for answer in pool.answers(questions)] == [n < 3 for n in range(12)]
        assert len(pool._workers) == 2


def test_a_limit_is_never_above_the_hard_one(monkeypatch):
    told = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: told.append(limits))
    for hard in (50, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, hard=hard: (7, hard))
        for wanted in (10, 60, resource.RLIM_INFINITY):
            sympy_judge._limit(resource.RLIMIT_CPU, wanted)
    assert told == [(10, 50), (50, 50), (50, 50), (10, -1), (60, -1), (-1, -1)]


def test_questions_that_were_given_up_leave_no_answers_behind():
    told = []

    def give_up(count):
        told.append(count)
        if len(told) == 2:
            raise KeyboardInterrupt

    with SympyPool(workers=2, seconds=1) as pool:
        with pytest.raises(KeyboardInterrupt):
            pool.answers([EASY, HANG], give_up)
        assert [answer.says_equal for answer in pool.answers([EASY, EASY])] == [True, True]


def test_known_answers_need_no_worker(tmp_path):
    path, told = tmp_path / "deep" / "sympy.sqlite", []
    equations = [EASY, parse_equation("sin(x)^2 + cos(x)^2 = 1"), parse_equation("x = y")]
    with SympyPool(path, workers=1) as first:
        answers = first.answers(equations, told.append)
        assert first._condition == f"sympy {sympy.__version__}, {sympy_judge.TIME_LIMIT_SECONDS:g} s"
    with SympyPool(path) as second:
        second._asked = _no_workers
        assert second.answers(equations) == answers
    assert (sum(told), [answer.says_equal for answer in answers]) == (3, [True, True, False])
    with SympyPool(path, seconds=1.0) as other_limit:
        other_limit._asked = _no_workers
        with pytest.raises(AssertionError):
            other_limit.answers(equations)


def test_answers_without_simplify_are_not_kept_and_whole_ones_do_for_them(tmp_path):
    path, open_to_auto = tmp_path / "a.sqlite", parse_equation("sin(x)^2 + cos(x)^2 = 1")
    for _ in range(2):
        with SympyPool(path, simplifies=False) as half:
            assert [(each.auto, each.simplified) for each in half.answers([open_to_auto])] == [(UNDECIDED, UNDECIDED)]
    with SympyPool(path) as whole:
        (kept,) = whole.answers([open_to_auto])
    assert (kept.auto, kept.simplified) == (UNDECIDED, TRUE)
    with SympyPool(path, simplifies=False) as half:
        assert half.answers([open_to_auto]) == [kept]


def test_a_file_that_is_no_table_is_a_sentence(tmp_path):
    path = tmp_path / "sympy.sqlite"
    path.write_bytes(b"this is no table, whatever its name says" * 10)
    with pytest.raises(InputError, match=r"sympy\.sqlite: not a table of Sympy's answers.*delete it"):
        SympyPool(path)


@pytest.mark.parametrize("trouble", ["unable to open database file", "database is locked"])
def test_a_table_that_cannot_be_used_is_done_without(tmp_path, capfd, monkeypatch, trouble):
    monkeypatch.setattr(sympy_judge, "SECONDS_TO_WAIT", 0.1)
    path = tmp_path / "sympy.sqlite"
    with SympyPool(path), contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with SympyPool(path if "locked" in trouble else tmp_path) as cache:
            (answer,) = cache.answers([EASY])
    complaints = capfd.readouterr().err
    assert answer.says_equal and f"{trouble}); going on without" in complaints and complaints.count("\n") == 1


BAD_ROWS = {
    "no JSON": "{",
    "no list": "null",
    "no text": b"\xff",
    "without a seal": json.dumps([TRUE, TRUE, 0.0, 0.0]),
    "changed": lambda rows: rows["x = y"].replace(UNDECIDED, TRUE),
    "another's": lambda rows: rows["x + x = 2 * x"],
}


@pytest.mark.parametrize("row", BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_asked_again(tmp_path, row):
    path, other = tmp_path / "sympy.sqlite", parse_equation("x = y")
    for _ in range(2):
        with SympyPool(path) as cache:
            assert [answer.auto for answer in cache.answers([EASY, other])] == [TRUE, UNDECIDED]
            rows = dict(cache._database.execute("SELECT equation, answer FROM answers"))
            bad = row(rows) if callable(row) else row
            cache._database.execute("UPDATE answers SET answer = ? WHERE equation = 'x = y'", (bad,))


def test_two_programs_may_share_a_table(tmp_path):
    path = tmp_path / "sympy.sqlite"
    with SympyPool(path) as one, SympyPool(path) as two:
        one._remember("x = 1", sympy_judge.Answer(TRUE, TRUE))
        two._remember("x = 2", sympy_judge.Answer(TRUE, TRUE))
        assert one._known("x = 2") == two._known("x = 1") == sympy_judge.Answer(TRUE, TRUE)
