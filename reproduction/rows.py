"""Rows: every training is one flat record, and results are files of them, one JSON object a line.

`pandas.read_json("runs/experiments.jsonl", lines=True)` reads such a file. A row has the coordinates of the training
(study, model, split, seed, data, …), the settings that differ from the network's defaults, what was measured, and whose
results these are. What a figure shows beyond single numbers (curves, predictions, filled blanks) is beside it, in
`runs/experiments.details.jsonl.gz`, with the coordinates and scores of its row.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import artifacts
from .errors import InputError

Row = dict[str, Any]

DATA, FINGERPRINT, CHECKSUM = "data", "data_fingerprint", "split_checksum"
DEV, BEST_ON_TEST = "dev_", "best_on_test_"  # prefixes of measures: of dev, and in the epoch that is best on test
ROWS, DETAILS = ".jsonl", ".details.jsonl.gz"

# What a clock, a machine or the version of the code says: two trainings that differ only in these are the same.
CLOCK = frozenset(
    (
        "train_seconds", "seconds_to_90", "seconds_to_95", "seconds_to_97", "equations_per_second", "peak_memory_mb",
        "engine", "instead_of_fused", "compiler", "version", "code", "sympy_seconds", artifacts.SEAL,
    )
)  # fmt: skip
# What tells a training from another one of the same coordinates; its details state the same.
TELLING = (FINGERPRINT, CHECKSUM, "best_epoch", f"{DEV}accuracy", "accuracy")
DIVERGED = "diverged"  # the epoch in which something stopped being finite; no such key in the row of a sound training
# Rows lie in this order, then in that of their text; `place` is the number of a case in its plan.
SORTED_BY = ("study", DATA, "part", "model", "split", "fraction", "rung", "place", "seed")


def rows_file(runs: Path, study: str) -> Path:
    """Where the rows of a study lie."""
    return Path(runs) / f"{study}{ROWS}"


def details_file(runs: Path, study: str) -> Path:
    """Where the curves, predictions and filled blanks of a study lie."""
    return Path(runs) / f"{study}{DETAILS}"


# ------------------------------------------------------------------------------------------------ files


def read_rows(path: Path) -> list[Row]:
    """The rows of a file, or details; none if there is no such file. A row that was changed is refused."""
    if not artifacts.is_there(path):
        return []
    lines = artifacts.lines_of_gz if path.suffix == ".gz" else artifacts.lines_of
    rows = [_checked(row, path, number) for number, row in enumerate(lines(artifacts.read_bytes(path), path), 1)]
    if not rows:
        raise InputError(f"{path}: empty or damaged, there is no row of results in it (remove it if that is meant)")
    return rows


def belong(details: Row, row: Row) -> bool:
    """Whether details are of the training of this row: every single value that they state is the row's, too."""
    stated = {name for name, value in details.items() if not isinstance(value, (list, dict)) and name != artifacts.SEAL}
    return all(details.get(name) == row.get(name) for name in stated.union(TELLING))


def refuse_other_details(path: Path, details: Iterable[Row], rows: Sequence[Row]) -> None:
    """Refuses details of trainings that none of these rows is of: of another study, data set, split or result."""
    for each in details:
        if not any(belong(each, row) for row in rows):
            whose = f"{each['study']}, {each['model']}, {each['split']}, seed {each.get('seed')}"
            raise InputError(f"{path}: of another training than the rows beside it ({whose}); make both again")


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Writes rows or details, sorted and sealed; a file that says the same is left alone, one of no rows is removed."""
    lines = [sealed(row) for row in sorted(rows, key=_order)]
    try:
        if lines == read_rows(path):
            return
    except InputError:  # a damaged file is written anew
        pass
    if lines:
        (artifacts.write_lines_gz if path.suffix == ".gz" else artifacts.write_lines)(path, lines)
    else:
        path.unlink(missing_ok=True)


def sealed(row: Row) -> Row:
    """The row without empty values, with its seal."""
    kept = {name: value for name, value in row.items() if value is not None and name != artifacts.SEAL}
    return {**kept, artifacts.SEAL: artifacts.seal_of(kept)}


def _checked(row: Any, path: Path, number: int) -> Row:
    where = f"{path}, line {number}"
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("study", "model", "split")):
        raise InputError(f"{where}: not a row of results, which has a study, a model and a split")
    if row["study"] != path.name.removesuffix(DETAILS).removesuffix(ROWS):
        raise InputError(f"{where}: a row of another study ({row['study'][:40]}) than the file's")
    if row.get(artifacts.SEAL) != artifacts.seal_of(row):
        raise InputError(f"{where}: changed or damaged, its {artifacts.SEAL} is not that of its content")
    return row


def _order(row: Row) -> tuple:
    """Numbers before texts, nothing before both."""
    stated = {name: value for name, value in row.items() if value is not None}
    places = ((isinstance(stated.get(name), str), stated.get(name, -1)) for name in SORTED_BY)
    return (*places, json.dumps(stated, sort_keys=True))


# ------------------------------------------------------------------------------------------------ choosing


def select(rows: Iterable[Row], **coordinates) -> list[Row]:
    """The rows with these coordinates; a collection stands for any of its values, None for a key that is not there."""

    def fits(value, wanted) -> bool:
        return value in wanted if isinstance(wanted, set | frozenset | list | tuple) else value == wanted

    return [row for row in rows if all(fits(row.get(name), wanted) for name, wanted in coordinates.items())]


def by_seed(rows: Iterable[Row], name: str) -> dict[int, float]:
    """A measure of each seed that has it, in the order of seeds."""
    found = {row["seed"]: row[name] for row in rows if row.get(name) is not None and "seed" in row}
    return dict(sorted(found.items()))


def distinct(rows: Iterable[Row], *names: str) -> list[tuple]:
    """The different values of these keys, in the order in which they occur."""
    return list(dict.fromkeys(tuple(row.get(name) for name in names) for row in rows))


# ------------------------------------------------------------------------------------------------ comparing


def differences(old: Row, new: Row) -> dict[str, tuple[Any, Any]]:
    """The keys in which two rows of one training differ, with both values.

    What a clock says does not count, nor what only one of them has (blanks may be filled later), but for divergence.
    """
    both = {name: (old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new)) if name not in CLOCK}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1] and (None not in pair or name == DIVERGED)}


def merged(old: Sequence[Row], new: Iterable[Row], coordinates: Collection[str]) -> list[Row]:
    """The old rows, with the new ones in the place of those of the same coordinates.

    An equal row stays, with what the new one has more. A mean over seeds gives way to rows of seeds.
    """
    found = {key_of(row, coordinates): row for row in old}
    for row in new:
        key = key_of(row, coordinates)
        before = found.get(key)
        is_other = before is None or bool(differences(before, row))
        stays = before or {}
        more = {name: value for name, value in row.items() if name not in CLOCK and name not in stays}
        found[key] = row if is_other else {**stays, **more}
        if "seed" in row:
            found.pop(key_of({**row, "seed": None}, coordinates), None)
    return list(found.values())


def key_of(row: Row, coordinates: Iterable[str]) -> tuple:
    return tuple(row.get(name) for name in coordinates)


def refuse_other_data(path: Path, rows: Iterable[Row], data: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
    """Refuses rows of another data set than the one of their name, or of another split of it.

    `data` has the fingerprint of each data set by its name, and the checksums of its splits by `SPLIT-SEED`.
    """
    for row in rows:
        if row.get(DATA) not in data:
            continue
        fingerprint, splits = data[row[DATA]]
        if row.get(FINGERPRINT) != fingerprint:
            stated = str(row.get(FINGERPRINT))[:40]
            raise InputError(
                f"{path}: made with the data set {stated}, and {row[DATA]} is {fingerprint}; make it again"
            )
        checksum = splits.get(f"{row['split']}-{row.get('seed')}")
        if row.get(CHECKSUM) is not None and checksum is not None and row[CHECKSUM] != checksum:
            raise InputError(
                f"{path}: a row of seed {row['seed']} learned from another {row['split']} split than the data's"
            )
