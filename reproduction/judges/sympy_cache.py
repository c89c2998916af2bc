"""Sympy's answers kept on disk, so that no question is asked twice, not even after a kill."""

import contextlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path

from ..errors import InputError
from ..language.expression import Equation
from ..language.printing import print_equation
from .sympy_pool import TIME_LIMIT_SECONDS, Answer, SympyPool

COMMIT_SECONDS = 1.0


class CachedSympy(contextlib.AbstractContextManager):
    """A pool of Sympy workers behind a table of answers; without a path nothing is kept."""

    def __init__(self, path: Path | None, workers: int = 1, seconds: float = TIME_LIMIT_SECONDS):
        self._pool = SympyPool(workers, seconds)
        self._condition = f"sympy {version('sympy')}, {seconds:g} s"
        self._path = path
        if path is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with self._trouble_in_a_sentence():
            self._database = sqlite3.connect(path or ":memory:", timeout=60)
            with self._database:
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS answers"
                    " (equation TEXT, condition TEXT, answer TEXT, PRIMARY KEY (equation, condition))"
                )

    def __exit__(self, *exception):
        self._pool.__exit__(*exception)
        self._database.commit()
        self._database.close()

    @contextlib.contextmanager
    def _trouble_in_a_sentence(self):
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"{self._path}: not a table of Sympy's answers that can be used ({error}); "
                "delete it, it will be made again"
            ) from None

    def _known(self, text: str) -> Answer | None:
        query = "SELECT answer FROM answers WHERE equation = ? AND condition = ?"
        row = self._database.execute(query, (text, self._condition)).fetchone()
        return Answer(*json.loads(row[0])) if row else None

    def _remember(self, text: str, answer: Answer) -> None:
        row = (text, self._condition, json.dumps(astuple(answer)))
        self._database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)

    def _fresh(self, equations: Sequence[Equation]) -> Iterator[tuple[int, Answer]]:
        """Answers from the workers, committed to disk about once a second."""
        committed = time.monotonic()
        with contextlib.closing(self._pool.answers(equations)) as answers:
            for index, answer in answers:
                self._remember(print_equation(equations[index]), answer)
                if time.monotonic() - committed > COMMIT_SECONDS:
                    self._database.commit()
                    committed = time.monotonic()
                yield index, answer
        self._database.commit()

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
        with self._trouble_in_a_sentence():
            answers = [self._known(print_equation(equation)) for equation in equations]
            missing = [index for index, answer in enumerate(answers) if answer is None]
            progress(len(equations) - len(missing))
            for position, answer in self._fresh([equations[index] for index in missing]):
                answers[missing[position]] = answer
                progress(1)
        return answers
