"""A study from its plan to its rows: trainings round by round, what is scored after them, and what is different now."""

from argparse import Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .. import rows as row_files
from ..errors import InputError
from ..rows import (
    DATA,
    FINGERPRINT,
    TELLING,
    Row,
    belong,
    details_file,
    differences,
    key_of,
    merged,
    read_details,
    read_rows,
    rows_file,
)  # fmt: skip
from ..training.configuration import Configuration
from ..training.run_directory import read_run
from .cluster import Cluster
from .core import Case, Study
from .recording import row_of, scored_later, trained
from .trainings import Data, Training, data_at, training
from .workers import Outcome, exit_code, follow, say

COORDINATES = ("study", "model", "split", "seed", DATA)
# What a row states of what was asked for; its engine is the one that computed.
SETTINGS = (*(name for name in Configuration.__dataclass_fields__ if name != "engine"), FINGERPRINT)
MORE_COORDINATES = ("fraction", "part", "way", "rung", "place")
MOST_SHOWN = 5  # rows that are different now

FillBlanks = Callable[[Sequence[Path], Path], None]  # of trainings on the data set in a directory


class Done(NamedTuple):
    """A case whose training is recorded."""

    case: Case
    training: Training


def run_study(study: Study, arguments: Namespace, cluster: Cluster, fill_blanks: FillBlanks) -> int:
    """Carries out the plan and writes its rows; the exit code."""
    work = _Work(study, arguments, cluster)
    work.train()
    for directory, wanted in work.blanks().items():
        fill_blanks(wanted, directory)
    work.write()
    return exit_code(work.outcomes)


class _Work:
    """The state of a study that is being carried out."""

    def __init__(self, study: Study, arguments: Namespace, cluster: Cluster):
        self._study, self._arguments, self._cluster = study, arguments, cluster
        self._runs = Path(arguments.runs)
        self._path = rows_file(self._runs, study.name)
        self._old = read_rows(self._path)
        self._data = cache(self._data_of)
        self._done: list[Done] = []
        self._asked: list[tuple[Row, Case]] = []
        self._names: dict[str, None] = dict.fromkeys(COORDINATES)
        self.outcomes: list[Outcome] = []

    def _data_of(self, name: str) -> Data:
        return data_at(self._arguments.data if name == DATA else self._runs / name)

    # -------------------------------------------------------------------------------------------- training

    def train(self) -> None:
        """Every round of the plan; what is recorded already is not done again."""
        plan, answer = self._study.plan(self._arguments), None
        before: list[Training] = []
        while True:
            try:
                cases = list(plan.send(answer))  # type: ignore[arg-type]  # the first is None, as generators want it
            except StopIteration:
                break
            answer, before = self._round(cases, before)
        _forget(before)

    def _round(self, cases: Sequence[Case], before: Sequence[Training]) -> tuple[list[Row | None], list[Training]]:
        """The rows of a round, None for those that failed; checkpoints of the round before are forgotten."""
        trainings = [self._training(case) for case in cases]
        self._names.update(dict.fromkeys(name for case in cases for name in case.keys))
        self._refuse_doubles(cases)
        self._refuse_to_lose(cases, is_first=not self._done)
        going_on = {each.earlier for each in trainings}
        _forget(each for each in before if each.directory not in going_on)
        outcomes = follow(trainings, self._cluster)
        _forget(before)
        self.outcomes += outcomes
        failed = {outcome.training.directory for outcome in outcomes if outcome.error}
        pairs = [Done(*pair) for pair in zip(cases, trainings, strict=True)]
        self._done += [each for each in pairs if each.training.directory not in failed]
        return [None if each.training.directory in failed else self._row(each) for each in pairs], trainings

    def _training(self, case: Case) -> Training:
        asked, data = case.configuration, self._data(case.data)
        data.refuse_missing(asked.split, asked.seed)
        return training(self._runs, asked, data, case.words(), case.earlier, case.is_continued)

    def _row(self, done: Done) -> Row:
        run = read_run(done.training.directory)
        return {**row_of(run, self._study.name, done.case), **self._study.measures(run)}

    # -------------------------------------------------------------------------------------------- keeping

    def _refuse_doubles(self, cases: Sequence[Case]) -> None:
        """Refuses a plan in which rows of different cases could not be told apart."""
        self._asked += [(case.head(self._study.name), case) for case in cases]
        found: set[tuple] = set()
        for head, case in self._asked:
            if self._key(head) in found:
                told = f"two of its cases are {_words(head)} {case.words()}"
                raise InputError(f"study {self._study.name}: {told}; what differs between them belongs into their keys")
            found.add(self._key(head))

    def _refuse_to_lose(self, cases: Sequence[Case], is_first: bool) -> None:
        """Refuses to take rows away that were asked for differently, unless that is what a person wants."""
        if self._arguments.replace:
            return
        old = {self._key(row): row for row in self._old}
        for case in cases:
            fingerprint = {FINGERPRINT: self._data(case.data).fingerprint}
            new = {**case.settings(), **case.head(self._study.name), **fingerprint}
            before = old.get(self._key(new))
            other = before and next((name for name in SETTINGS if before.get(name) != new.get(name)), None)
            if before and other:
                self._refuse(before, f"with {other.replace('_', ' ')} {before.get(other)}, not {new.get(other)}")
        if is_first and self._study.replaces is not None:
            self._refuse_to_leave_out({self._key(case.head(self._study.name)) for case in cases}, cases)
        seeds = len({case.configuration.seed for case in cases})
        renewed = {self._key({**case.head(self._study.name), "seed": None}) for case in cases}
        for row in self._old:
            if row.get("seeds", 0) > seeds and self._key(row) in renewed:
                self._refuse(row, f"that is a mean over {row['seeds']} seeds, not {seeds}")

    def _refuse_to_leave_out(self, keys: set[tuple], cases: Sequence[Case]) -> None:
        """Refuses a first round without trainings that the rows have of the same models, parts and rungs."""
        places = {self._place(case.head(self._study.name)) for case in cases}
        for row in self._old:
            if self._place(row) in places and self._key(row) not in keys:
                self._refuse(row, "which this command would not make again")

    def _place(self, row: Row) -> tuple:
        return key_of(row, (*(self._study.replaces or ()), "part", "rung"))

    def _refuse(self, row: Row, why: str) -> None:
        remedy = "--replace writes them anew, another place (--runs or --workspace) leaves them as they are"
        raise InputError(f"{self._path}: has a row ({_words(row)}) {why}; {remedy}")

    def _key(self, row: Row) -> tuple:
        return key_of(row, self._names)

    # -------------------------------------------------------------------------------------------- results

    def blanks(self) -> dict[Path, list[Path]]:
        """The trainings that fill blanks, by the directory of their data; those of a seed together."""
        wanted: dict[Path, list[Path]] = {}
        for each in sorted(self._done, key=lambda done: done.case.configuration.seed):
            here = wanted.setdefault(each.training.data.directory, [])
            if self._study.fills_blanks(each.case) and each.training.directory not in here:
                here.append(each.training.directory)
        return {data: directories for data, directories in wanted.items() if directories}

    def write(self) -> None:
        """Writes rows and details, and says how the rows differ from those that were there."""
        if not self._done:
            return
        new = [*map(self._row, self._done), *self._study.beside(self._arguments)]
        self._names.update(dict.fromkeys(name for row in new for name in ("rung", "part", "way") if name in row))
        for line in compared(self._old, new, self._names, self._path):
            say(line)
        row_files.write_rows(self._path, merged(self._kept(new), new, self._names))
        self._write_details()

    def _kept(self, new: Sequence[Row]) -> list[Row]:
        """The old rows that stay beside the new ones, or give way to those of the same coordinates."""
        fingerprints = {row[DATA]: row.get(FINGERPRINT) for row in new}
        kept = [row for row in self._old if row.get(FINGERPRINT) == fingerprints.get(row[DATA], row.get(FINGERPRINT))]
        if (names := self._study.replaces) is None:
            return kept
        keys, slices = set(map(self._key, new)), {key_of(row, names) for row in new}
        return [row for row in kept if key_of(row, names) not in slices or self._key(row) in keys]

    def _write_details(self) -> None:
        rows = {self._key(row): row for row in read_rows(self._path)}
        found = [(each.case.head(self._study.name), read_run(each.training.directory)) for each in self._done]
        new = [(rows[self._key(head)], self._study.details(run)) for head, run in found]
        _write_details(self._runs, self._study, new, rows.values(), self._names)


def record_scores(runs: Path, study: Study) -> None:
    """Writes what was scored since the trainings of a study into its rows and details."""
    path = rows_file(runs, study.name)
    found = list(trained(runs, study.name))
    if not found:
        return
    new = [{**row, **scored_later(run)} for row, run in found]
    old = read_rows(path)
    names = (*COORDINATES, *dict.fromkeys(name for row in old for name in row if name in MORE_COORDINATES))
    for line in compared(old, new, names, path):
        say(line)
    row_files.write_rows(path, merged(old, new, names))
    _write_details(runs, study, [(row, study.details(run)) for row, run in found], read_rows(path), names)


def _write_details(
    runs: Path, study: Study, new: Iterable[tuple[Row, Row]], rows: Iterable[Row], names: Collection[str]
) -> None:
    """Writes new details with what they state of their rows, and keeps the old ones that still are of one."""
    path, rows = details_file(runs, study.name), tuple(rows)
    stated = [({name: row.get(name) for name in (*names, *TELLING)}, details) for row, details in new if details]
    old = read_details(path) if path.is_file() else []
    kept = [each for each in old if any(belong(each, row) for row in rows)]
    row_files.write_details(path, merged(kept, [{**head, **details} for head, details in stated], names))


def _forget(trainings: Iterable[Training]) -> None:
    for each in trainings:
        if each.is_continued:
            each.forget_checkpoint()


# ------------------------------------------------------------------------------------------------ what is different


def compared(old: Iterable[Row], new: Sequence[Row], names: Iterable[str], path: Path) -> Iterator[str]:
    """A few lines: how many rows are those that were there, and how the others differ."""
    before = {key_of(row, names): row for row in old}
    pairs = [(before[key], row) for row in new if (key := key_of(row, names)) in before]
    if not pairs:
        yield f"{path}: {_count(len(new), 'row')}, none of them was there before"
        return
    same_data = all(one.get(FINGERPRINT) == other.get(FINGERPRINT) for one, other in pairs)
    yield f"{path}: the data set is {'the one' if same_data else 'not the one'} of the rows that were there"
    found = [(row, differences(was, row)) for was, row in pairs]
    other = [(row, different) for row, different in found if different]
    yield f"{len(pairs) - len(other)} of {_count(len(pairs), 'training')} identical to the rows that were there"
    for row, different in other[:MOST_SHOWN]:
        yield f"  {_words(row)}: {_change(different)}"
    if len(other) > MOST_SHOWN:
        yield f"  and {len(other) - MOST_SHOWN} more"
    if other:
        yield "the new rows have taken their place; another compiler or processor gives other last digits, no failure"
    if len(new) > len(pairs):
        yield f"{_count(len(new) - len(pairs), 'row')} more, that were not there before"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _change(different: dict[str, tuple[Any, Any]]) -> str:
    """The accuracy if it is another one, or else the first other key."""
    name = "accuracy" if "accuracy" in different else next(iter(different))
    was, now = (f"{value:.2f}" if isinstance(value, float) else str(value) for value in different[name])
    more = f" (and {len(different) - 1} more)" if len(different) > 1 else ""
    return f"{name.replace('_', ' ')} {was}, now {now}{more}"


def _words(row: Row) -> str:
    return ", ".join([row["model"], row["split"], f"seed {row.get('seed', 'all')}", *_more_words(row)])


def _more_words(row: Row) -> list[str]:
    return [f"{name} {row[name]}" for name in ("part", "way", "rung", "fraction") if row.get(name) is not None]
