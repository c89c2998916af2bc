"""A study from its plan to its rows: trainings round by round, blanks, and how the rows differ from those before."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from .. import artifacts
from .. import rows as row_files
from ..errors import InputError
from ..rows import DATA, FINGERPRINT, TELLING, Row, belong, differences, key_of, merged, read_rows
from ..training import run_directory
from ..training.configuration import Configuration
from ..training.run_directory import CHECKPOINT, Training, is_finished, read_run
from .cluster import Cluster, follow, say
from .core import Case, Study, row_of, scored_later, trained
from .workers import Outcome

COORDINATES = ("study", "model", "split", "seed", DATA)
# Settings that a row states; its engine is the one that computed, whatever was asked for.
SETTINGS = (*(name for name in Configuration.__dataclass_fields__ if name != "engine"), FINGERPRINT)
MOST_SHOWN = 5  # rows that are different now

FillBlanks = Callable[[Sequence[Path], Path], None]  # of trainings on the data set in a directory


def run_study(study: Study, arguments: Namespace, cluster: Cluster, fill_blanks: FillBlanks) -> int:
    """Carries out the plan and writes its rows; the exit code."""
    work = _Work(study, arguments, cluster)
    work.train()
    for data, directories in work.blanks().items():
        fill_blanks(directories, data)
    work.write()
    failed = [each for each in work.outcomes if each.error]
    sys.stderr.writelines(f"{each.training.name} failed: {each.error}\n" for each in failed)
    return 1 if failed else 0


class _Work:
    """The state of a study that is being carried out."""

    def __init__(self, study: Study, arguments: Namespace, cluster: Cluster):
        self._study, self._arguments, self._cluster = study, arguments, cluster
        self._runs = artifacts.resolved(arguments.runs)
        self._path = row_files.rows_file(Path(arguments.runs), study.name)
        self._old = read_rows(self._path)
        self._data = cache(lambda name: run_directory.data_at(arguments.data if name == DATA else self._runs / name))
        self._done: list[tuple[Case, Training]] = []  # cases whose trainings are recorded
        self._asked: set[frozenset] = set()  # the coordinates of all cases
        self._names: dict[str, None] = dict.fromkeys(COORDINATES)
        self.outcomes: list[Outcome] = []

    def _key(self, row: Row) -> tuple:
        return key_of(row, self._names)

    # -------------------------------------------------------------------------------------------- training

    def train(self) -> None:
        """Every round of the plan; a checkpoint is removed after the round that may go on from it."""
        plan, rows = self._study.plan(self._arguments), None
        before: list[Training] = []
        while True:
            try:
                cases = list(plan.send(rows))  # type: ignore[arg-type]  # the first is None, as generators want it
            except StopIteration:
                return _forget(before)
            trainings = list(map(self._training, cases))
            self._refuse_wrong(cases)
            rows = self._round(cases, trainings)
            _forget(before)
            before = trainings

    def _round(self, cases: Sequence[Case], trainings: Sequence[Training]) -> list[Row | None]:
        """The rows of a round, None for those that failed."""
        outcomes = follow(trainings, self._cluster)
        self.outcomes += outcomes
        failed = {outcome.training.directory for outcome in outcomes if outcome.error}
        pairs = list(zip(cases, trainings, strict=True))
        self._done += [(case, training) for case, training in pairs if training.directory not in failed]
        return [None if training.directory in failed else self._row(case, training) for case, training in pairs]

    def _training(self, case: Case) -> Training:
        asked, data, words = case.configuration, self._data(case.data), case.words()
        run_directory.split_of(data, asked.split, asked.seed)
        place = partial(run_directory.training_directory, self._runs, fingerprint=data.fingerprint)
        name = f"{asked.run_name} ({words})" if words else asked.run_name
        earlier = place(case.earlier) if case.earlier else None
        return Training(name, place(asked), asked, data, earlier, case.is_continued)

    def _row(self, case: Case, training: Training) -> Row:
        run = read_run(training.directory)
        return {**row_of(run, self._study.name, case), **self._study.measures(run)}

    # -------------------------------------------------------------------------------------------- keeping

    def _refuse_wrong(self, cases: Sequence[Case]) -> None:
        """Refuses a plan whose rows cannot be told apart, or that would remove rows, unless --replace is given."""
        heads, is_first = [case.head(self._study.name) for case in cases], not self._asked
        for head in heads:
            if (key := frozenset(head.items())) in self._asked:
                told = f"two of its cases are {_words(head)}"
                raise InputError(f"study {self._study.name}: {told}; what differs between them belongs into their keys")
            self._asked.add(key)
        self._names.update(dict.fromkeys(name for case in cases for name in case.keys))
        if self._arguments.replace:
            return
        asked = {
            self._key(head): {**case.settings(), **head, FINGERPRINT: self._data(case.data).fingerprint}
            for case, head in zip(cases, heads, strict=True)
        }
        for row in self._old:
            if why := self._loss(row, asked, is_first):
                remedy = "--replace writes them anew, another place (--runs or --workspace) leaves them as they are"
                raise InputError(f"{self._path}: has a row ({_words(row)}) {why}; {remedy}")

    def _loss(self, row: Row, asked: dict[tuple, Row], is_first: bool) -> str:
        """Why a row would be lost: other settings, part of a slice that is made anew, or a mean over more seeds."""
        key = self._key(row)
        if new := asked.get(key):
            other = next((name for name in SETTINGS if row.get(name) != new.get(name)), None)
            return f"with {other.replace('_', ' ')} {row.get(other)}, not {new.get(other)}" if other else ""
        if is_first and self._study.replaces is not None:
            names = (*self._study.replaces, "part", "rung")
            if key_of(row, names) in {key_of(each, names) for each in asked.values()}:
                return "which this command would not make again"
        seeds = len({each["seed"] for each in asked.values()})
        if row.get("seeds", 0) > seeds and key in {self._key({**each, "seed": None}) for each in asked.values()}:
            return f"that is a mean over {row['seeds']} seeds, not {seeds}"
        return ""

    # -------------------------------------------------------------------------------------------- results

    def blanks(self) -> dict[Path, list[Path]]:
        """The trainings that fill blanks, by the directory of their data, ordered by seed."""
        wanted: dict[Path, dict[Path, None]] = {}
        for case, training in sorted(self._done, key=lambda done: done[0].configuration.seed):
            if self._study.fills_blanks(case):
                wanted.setdefault(training.data.directory, {})[training.directory] = None
        return {data: list(directories) for data, directories in wanted.items()}

    def write(self) -> None:
        """Writes rows and details, and says how the rows differ from those that were there.

        Old rows stay beside the new ones, except those of another data set of this name or of a slice made anew.
        """
        if not self._done:
            return
        new = [*(self._row(*done) for done in self._done), *self._study.beside(self._arguments)]
        self._names.update(dict.fromkeys(name for row in new for name in ("rung", "part", "way") if name in row))
        found = ((case.head(self._study.name), read_run(training.directory)) for case, training in self._done)
        details = [(head, own) for head, run in found if (own := self._study.details(run))]
        fingerprints = {row[DATA]: row.get(FINGERPRINT) for row in new}
        kept = [row for row in self._old if row.get(FINGERPRINT) == fingerprints.get(row[DATA], row.get(FINGERPRINT))]
        if (names := self._study.replaces) is not None:
            keys, slices = set(map(self._key, new)), {key_of(row, names) for row in new}
            kept = [row for row in kept if key_of(row, names) not in slices or self._key(row) in keys]
        _write(self._path, self._names, self._old, kept, new, details)


def record_scores(runs: Path, study: Study) -> None:
    """Adds what was scored since the trainings to the rows and details of a study that has no keys but `fraction`."""
    if found := list(trained(runs, study.name)):
        path = row_files.rows_file(runs, study.name)
        old, details = read_rows(path), [(row, own) for row, run in found if (own := study.details(run))]
        new = [{**row, **scored_later(run)} for row, run in found]
        _write(path, (*COORDINATES, "fraction"), old, old, new, details)


def _write(
    path: Path, names: Iterable[str], old: Sequence[Row], kept: Sequence[Row], new: Sequence[Row],
    details: Sequence[tuple[Row, Row]],
) -> None:  # fmt: skip
    """Writes the kept rows with the new ones in their places, and the details of all of them.

    `details` has the coordinates of a training and its details; in the file they also state what identifies their row.
    """
    names, beside = tuple(names), row_files.details_file(path.parent, path.stem)
    for line in compared(old, new, names, path):
        say(line)
    row_files.write_rows(path, merged(kept, new, names))
    rows = {key_of(row, names): row for row in read_rows(path)}
    stating = [
        {**{name: rows[key_of(head, names)].get(name) for name in (*names, *TELLING)}, **own} for head, own in details
    ]
    stay = [each for each in read_rows(beside) if any(belong(each, row) for row in rows.values())]
    row_files.write_rows(beside, merged(stay, stating, names))


def _forget(trainings: Iterable[Training]) -> None:
    """Removes the checkpoints of finished trainings that were kept for longer ones."""
    for each in trainings:
        if each.is_continued and is_finished(each.directory):
            (each.directory / CHECKPOINT).unlink(missing_ok=True)


# ------------------------------------------------------------------------------------------------ comparing


def compared(old: Iterable[Row], new: Sequence[Row], names: Sequence[str], path: Path) -> Iterator[str]:
    """A few lines: how many rows are those that were there, and how the others differ."""
    before = {key_of(row, names): row for row in old}
    pairs = [(before[key], row) for row in new if (key := key_of(row, names)) in before]
    if not pairs:
        yield f"{path}: {len(new)} new, none of them was there before"
        return
    same_data = all(one.get(FINGERPRINT) == other.get(FINGERPRINT) for one, other in pairs)
    yield f"{path}: the data set is {'the one' if same_data else 'not the one'} of the rows that were there"
    other = [(row, different) for was, row in pairs if (different := differences(was, row))]
    yield f"{len(pairs) - len(other)} of {len(pairs)} trainings identical to the rows that were there"
    yield from (f"  {_words(row)}: {_change(different)}" for row, different in other[:MOST_SHOWN])
    if len(other) > MOST_SHOWN:
        yield f"  and {len(other) - MOST_SHOWN} more"
    if other:
        yield "the new rows have taken their place; another compiler or processor gives other last digits, no failure"
    if len(new) > len(pairs):
        yield f"{len(new) - len(pairs)} more, not there before"


def _change(different: dict[str, tuple[Any, Any]]) -> str:
    """The accuracy before and now, or else the first other key that differs."""
    name = "accuracy" if "accuracy" in different else next(iter(different))
    was, now = (f"{value:.2f}" if isinstance(value, float) else str(value) for value in different[name])
    more = f" (and {len(different) - 1} more)" if len(different) > 1 else ""
    return f"{name.replace('_', ' ')} {was}, now {now}{more}"


def _words(row: Row) -> str:
    more = [f"{name} {row[name]}" for name in ("part", "way", "rung", "fraction") if row.get(name) is not None]
    return ", ".join([row["model"], row["split"], f"seed {row.get('seed', 'all')}", *more])
