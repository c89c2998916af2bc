"""Sympy's answers kept on disk, so that no question is asked twice, not even after a kill.

The file is a convenience: several processes may use it at once, and one that cannot be written, or that somebody else
holds for long, is done without. Only a file that is no table of answers is refused.
"""

import contextlib
import json
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path

from ..artifacts import fingerprint, parse_json
from ..errors import InputError
from ..language.expression import Equation
from ..language.printing import print_equation
from ..shapes import shaped
from .sympy_pool import TIME_LIMIT_SECONDS, Answer, SympyPool

COMMIT_SECONDS = 1.0
SECONDS_TO_WAIT = 20.0  # for another process that writes
TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (equation TEXT, condition TEXT, answer TEXT, PRIMARY KEY (equation, condition))"
)


class CachedSympy(contextlib.AbstractContextManager):
    """A pool of Sympy workers behind a table of answers; without a path nothing is kept, nor are half answers."""

    def __init__(
        self, path: Path | None, workers: int = 1, seconds: float = TIME_LIMIT_SECONDS, simplifies: bool = True
    ):
        self._pool, self._keeps = SympyPool(workers, seconds, simplifies), simplifies
        self._condition = f"sympy {version('sympy')}, {seconds:g} s"
        self._path = path
        self._new: list[tuple[str, str, str]] = []  # rows that are not on disk yet
        self._said: set[str] = set()
        self._database: sqlite3.Connection | None = None
        if path is not None:
            with self._trouble_in_a_sentence():
                self._database = _opened(Path(path))

    def __exit__(self, *exception):
        self._pool.__exit__(*exception)
        self._write()
        if self._database:
            self._database.close()

    @contextlib.contextmanager
    def _trouble_in_a_sentence(self):
        """Does without a table that cannot be used at the moment; refuses a file that is none."""
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            self._database = None
            self._say(f"{self._path}: Sympy's answers are not kept there ({error}); going on without")
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self._path}: not a table of Sympy's answers that can be used ({error}); "
                "delete it, it will be made again"
            ) from None

    def _say(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            sys.stderr.write(line + "\n")

    def _known(self, text: str) -> Answer | None:
        """The stored answer; a row that is none is passed over, and asked again."""
        if self._database is None:
            return None
        query = "SELECT answer FROM answers WHERE equation = ? AND condition = ?"
        row = self._database.execute(query, (text, self._condition)).fetchone()
        try:
            return _answer(row[0], text, self._condition) if row else None
        except InputError:
            self._say(f"{self._path}: has rows that are no answers of Sympy's; they are asked again")
            return None

    def _remember(self, text: str, answer: Answer) -> None:
        if not self._keeps:
            return
        row = astuple(answer)
        self._new.append((text, self._condition, json.dumps([*row, _seal(row, text, self._condition)])))

    def _write(self) -> None:
        """Puts new answers on disk, in a moment: others may be waiting for the table."""
        if self._database is None or not self._new:
            return
        with self._trouble_in_a_sentence(), self._database:
            self._database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", self._new)
        self._new.clear()

    def _fresh(self, equations: Sequence[Equation]) -> Iterator[tuple[int, Answer]]:
        """Answers from the workers, on disk about a second later."""
        written = time.monotonic()
        with contextlib.closing(self._pool.answers(equations)) as answers:
            for index, answer in answers:
                self._remember(print_equation(equations[index]), answer)
                if time.monotonic() - written > COMMIT_SECONDS:
                    self._write()
                    written = time.monotonic()
                yield index, answer
        self._write()

    def start(self) -> None:
        """Starts a worker before there is a question."""
        self._pool.start(1)

    def prepare(self, equations: Iterable[Equation]) -> None:
        """Starts workers now, if any of these questions is a new one."""
        with self._trouble_in_a_sentence():
            self._pool.start(sum(self._known(print_equation(equation)) is None for equation in equations))

    def answers(self, equations: Iterable[Equation], progress=lambda count: None) -> list[Answer]:
        """Sympy's answer to each equation, in their order; progress is told how many more are done."""
        equations = list(equations)
        answers: dict[int, Answer] = {}
        with self._trouble_in_a_sentence():
            for index, equation in enumerate(equations):
                if known := self._known(print_equation(equation)):
                    answers[index] = known
        progress(len(answers))
        missing = [index for index in range(len(equations)) if index not in answers]
        for position, answer in self._fresh([equations[index] for index in missing]):
            answers[missing[position]] = answer
            progress(1)
        return [answers[index] for index in range(len(equations))]


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path, timeout=SECONDS_TO_WAIT)
    with database:
        database.execute(TABLE)
    return database


def _seal(row: Sequence, *about: str) -> str:
    """A digest of a row and what it is about, the last thing in the row: an answer changed by hand is asked again."""
    return "seal " + fingerprint(json.dumps([*row, *about]).encode("utf-8"))


def _answer(text, *about: str) -> Answer:
    """An answer as it was stored: its fields in their order, and their seal."""
    values, names = parse_json(str(text), "a row"), tuple(Answer.__dataclass_fields__)
    if not isinstance(values, list) or len(values) != len(names) + 1:
        raise InputError("not an answer")
    if values.pop() != _seal(values, *about):
        raise InputError("damaged, or the answer to another question")
    return shaped(Answer, dict(zip(names, values, strict=True)), "a row")
