"""Sympy's answers kept on disk, so that no question is asked twice, not even after a kill."""

import contextlib
import json
import sqlite3
import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from ..artifacts import SEAL, parse_json, seal_of
from ..errors import InputError
from ..language.expression import Equation
from ..language.printing import print_equation
from ..shapes import shaped
from .sympy_pool import TIME_LIMIT_SECONDS, Answer, SympyPool

SECONDS_TO_WAIT = 20.0  # for another process that writes
TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (equation TEXT, condition TEXT, answer TEXT, PRIMARY KEY (equation, condition))"
)


class CachedSympy(contextlib.AbstractContextManager):
    """A pool of Sympy workers behind a table of answers; without a path nothing is kept, nor are half answers.

    The table is a convenience: several processes may use it at once, and one that cannot be written, or that somebody
    else holds for long, is done without. Only a file that is no table of answers is refused.
    """

    def __init__(
        self, path: Path | None, workers: int = 1, seconds: float = TIME_LIMIT_SECONDS, simplifies: bool = True
    ):
        self._pool, self._keeps, self._path = SympyPool(workers, seconds, simplifies), simplifies, path
        self._condition = f"sympy {version('sympy')}, {seconds:g} s"
        self._database: sqlite3.Connection | None = None
        if path is not None:
            with self._trouble_in_a_sentence():
                path.parent.mkdir(parents=True, exist_ok=True)
                self._database = sqlite3.connect(path, timeout=SECONDS_TO_WAIT, isolation_level=None)
                self._database.execute("PRAGMA synchronous = OFF")  # a lost answer is asked again
                self._database.execute(TABLE)

    def __exit__(self, *exception):
        self._pool.__exit__(*exception)
        if self._database:
            self._database.close()

    @contextlib.contextmanager
    def _trouble_in_a_sentence(self):
        try:
            yield
        except (sqlite3.OperationalError, OSError) as error:
            self._database = None
            sys.stderr.write(f"{self._path}: Sympy's answers are not kept there ({error}); going on without\n")
        except sqlite3.DatabaseError as error:
            words = f"not a table of Sympy's answers that can be used ({error}); delete it, it will be made again"
            raise InputError(f"{self._path}: {words}") from None

    def _known(self, text: str) -> Answer | None:
        """The stored answer; one that is damaged, was changed or belongs to another question is asked again."""
        row = None
        if self._database:
            query = "SELECT answer FROM answers WHERE equation = ? AND condition = ?"
            with self._trouble_in_a_sentence():
                row = self._database.execute(query, (text, self._condition)).fetchone()
        with contextlib.suppress(InputError):
            stored = parse_json(str(row[0]), "a row") if row else None
            if isinstance(stored, dict) and stored.get(SEAL) == self._seal(stored, text):
                return shaped(Answer, stored, "a row")
        return None

    def _seal(self, row: dict, text: str) -> str:
        """A digest of a stored answer and of what it answers."""
        return seal_of({**row, "about": [text, self._condition]})

    def _remember(self, text: str, answer: Answer) -> None:
        if self._database and self._keeps:
            row = asdict(answer)
            stored = text, self._condition, json.dumps({**row, SEAL: self._seal(row, text)})
            with self._trouble_in_a_sentence():
                self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", stored)

    def start(self) -> None:
        """Starts a worker before there is a question."""
        self._pool.start(1)

    def prepare(self, equations: Iterable[Equation]) -> None:
        """Starts workers now, if any of these questions is a new one."""
        self._pool.start(sum(self._known(print_equation(equation)) is None for equation in equations))

    def answers(self, equations: Iterable[Equation], progress=lambda count: None) -> list[Answer]:
        """Sympy's answer to each equation, in their order; progress is told how many more are done."""
        equations = list(equations)
        texts = list(map(print_equation, equations))
        found = {index: known for index, text in enumerate(texts) if (known := self._known(text))}
        progress(len(found))
        missing = [index for index in range(len(equations)) if index not in found]
        with contextlib.closing(self._pool.answers([equations[index] for index in missing])) as fresh:
            for position, answer in fresh:
                index = missing[position]
                found[index] = answer
                self._remember(texts[index], answer)
                progress(1)
        return [found[index] for index in range(len(equations))]
