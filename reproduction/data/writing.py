"""A data set as files: all of them or none, and never over one that somebody may want to keep."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from .. import artifacts
from ..errors import InputError
from ..language.printing import latex_equation
from . import statistics
from .dataset import (
    GENERALIZATION,
    SPLIT_NAMES,
    STRICT,
    UNSURE_FILE,
    Dataset,
    Record,
    load,
    load_files,
    split_name,
    split_path,
    write_records,
)
from .generation.build import Built
from .manifest import (
    MANIFEST,
    NUMERIC_FILE,
    SYMBOLIC_FILE,
    UNFINISHED,
    Manifest,
    begin,
    finish,
    is_whole,
    manifest_of,
    read_manifest,
)
from .splits import make_split

STATISTICS = "statistics.json"


def is_made(directory: Path, made_with: dict) -> bool:
    """Whether the directory holds the data set that is made with this; one that may not be thrown away is refused."""
    if artifacts.is_there(directory / UNFINISHED):
        return False
    if is_whole(directory):
        manifest = read_manifest(directory)
        if other := _difference(manifest.made_with, made_with):
            raise InputError(f"{directory}: holds a data set made with {other} (--replace makes it anew)")
        manifest.check()
        return True
    if any((directory / name).exists() for name in (SYMBOLIC_FILE, NUMERIC_FILE)):
        raise InputError(f"{directory}: holds a data set without {MANIFEST} (--replace makes it anew)")
    return False


def _difference(stored: dict, wanted: dict) -> str | None:
    """`seed 1, not 0`: the first thing in which two data sets were made differently."""
    for name in dict.fromkeys([*wanted, *stored]):
        before, now = stored.get(name), wanted.get(name)
        if before != now:
            words = name.replace("_", " ")
            plain = all(isinstance(each, (int, float, str)) for each in (before, now)) and name != "axioms"
            return f"{words} {before}, not {now}" if plain else f"other {words}"
    return None


def write_dataset(
    out: Path,
    symbolic: Sequence[Record],
    numeric: Sequence[Record],
    unsure: Sequence[Record],
    built: Built | None,
    split_seeds: int,
    seed: int,
    made_with: dict | None = None,
    findings: Mapping[str, Iterable[dict]] | None = None,
) -> dict:
    """All files of a data set, its manifest last; returns the statistics. Findings are further lines by their file."""
    dataset = Dataset(tuple(symbolic), tuple(numeric), "")
    splits = {
        (name, number): make_split(dataset, name, number) for name in SPLIT_NAMES for number in range(split_seeds)
    }
    begin(out)
    for (name, number), split in splits.items():
        artifacts.write_json_gz(split_path(out, name, number), split.as_row())
    write_examples(out, symbolic, seed)
    for name, rows in (findings or {}).items():
        artifacts.write_lines(out / name, rows)
    for name, records in ((UNSURE_FILE, unsure), (NUMERIC_FILE, numeric), (SYMBOLIC_FILE, symbolic)):
        write_records(out / name, records)
    first = {name: splits[name, 0] for name in (GENERALIZATION, STRICT) if split_seeds}
    summary = statistics.collect(load_files(manifest_of(out, {})), built, first)
    artifacts.write_json(out / STATISTICS, summary)
    finish(manifest_of(out, made_with or {}))
    return summary


def add_splits(directory: Path, split_seeds: int) -> int:
    """Stores the splits of so many seeds in a whole data set, which stays as it is; returns how many were missing."""
    dataset, manifest = load(directory), read_manifest(directory)
    wanted = [(name, seed) for name in SPLIT_NAMES for seed in range(split_seeds)]
    missing = [(name, seed) for name, seed in wanted if split_name(name, seed) not in manifest.files]
    for name, seed in missing:
        artifacts.write_json_gz(split_path(directory, name, seed), make_split(dataset, name, seed).as_row())
    if missing:
        finish(manifest_of(directory, {**manifest.made_with, "split_seeds": split_seeds}))
    return len(missing)


FILE = "table-2.json"
ROWS = 8


class ExamplePair(NamedTuple):
    """Two equations as LaTeX."""

    correct: str
    incorrect: str


def _drawn(records: Sequence[Record], label: int, random: Random) -> list[str]:
    """A few readable equations of this label, the small ones first."""
    fitting = [record for record in records if record.label == label and record.equation.size <= 14]
    drawn = sorted(random.sample(fitting, min(ROWS, len(fitting))), key=lambda record: record.equation.size)
    return [latex_equation(record.equation) for record in drawn]


def write_examples(directory: Path, records: Sequence[Record], seed: int) -> None:
    random = Random(f"table 2 {seed}")
    columns = [_drawn(records, label, random) for label in (1, 0)]
    pairs = [ExamplePair(*pair)._asdict() for pair in zip(*columns, strict=False)]
    artifacts.write_json(directory / FILE, pairs)


def read_examples(manifest: Manifest | None) -> tuple[ExamplePair, ...]:
    """The pairs of a data set; none if it has none."""
    return manifest.json(tuple[ExamplePair, ...], FILE) if manifest and FILE in manifest.files else ()
