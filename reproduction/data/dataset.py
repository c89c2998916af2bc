"""The data set as records, its files, and its splits."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from .. import artifacts
from ..errors import InputError
from ..language.expression import MINUS_ONE, NUMBER, VARIABLE, Equation, Expression
from ..language.grammar import CONSTANTS, EXTRA_FUNCTIONS, FUNCTIONS, MULTIPLY, TABLE_1_FUNCTIONS
from ..language.parsing import ParseError, parse_equation, parse_expression
from ..language.printing import print_equation
from .parsed import distinct_nodes, read_sides, write_sides

Kind = Literal["symbolic", "evaluation", "decimal"]
KINDS = SYMBOLIC, EVALUATION, DECIMAL = get_args(Kind)
RECORD_FILES = SYMBOLIC_FILE, NUMERIC_FILE = "symbolic.jsonl.gz", "numeric.jsonl.gz"
UNSURE_FILE = "unsure.jsonl.gz"  # equations that the judges do not settle
GENERALIZATION, STRICT, DEPTH_4_OUT, DEPTH_2_OUT = "generalization", "strict", "extrapolate-4", "extrapolate-2"
SPLIT_TITLES = {
    GENERALIZATION: "random split",
    STRICT: "strict split",
    DEPTH_4_OUT: "depth 4 unseen",
    DEPTH_2_OUT: "depth 2 unseen",
}
SPLIT_NAMES = tuple(SPLIT_TITLES)


@dataclass(frozen=True)
class Record:
    """One labelled equation: kind is symbolic, evaluation or decimal, origin what made it."""

    id: str
    equation: Equation
    label: int
    kind: Kind
    depth: int
    origin: str

    def as_row(self) -> dict:
        return {**vars(self), "equation": print_equation(self.equation)}


@dataclass(frozen=True)
class Split:
    """Ids of the records to learn from, to choose the epoch by, and to report on."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]


@dataclass(frozen=True)
class Dataset:
    """Symbolic and numeric records of one directory."""

    symbolic: tuple[Record, ...]
    numeric: tuple[Record, ...]
    fingerprint: str

    @cached_property
    def by_id(self) -> dict[str, Record]:
        return {record.id: record for record in self.symbolic + self.numeric}

    @cached_property
    def _nodes(self) -> dict[Expression, int]:
        return distinct_nodes(side for record in self.symbolic + self.numeric for side in record.equation)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The 28 functions of Table 1, and the extra ones that occur."""
        occurring = {node.symbol for node in self._nodes}
        return tuple(name for name in FUNCTIONS if name in TABLE_1_FUNCTIONS or name in occurring)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """Every terminal that the symbol block embeds: the constants, then the variables that occur."""
        variables = {node.symbol for node in self._nodes if node.kind == VARIABLE}
        return tuple(CONSTANTS) + tuple(sorted(variables))


def write_records(path: Path, records: Iterable[Record]) -> None:
    artifacts.write_lines_gz(path, (record.as_row() for record in records))


def _read_equation(text: str, known: dict[str, Expression]) -> Equation:
    """The trees of an equation; sides that occurred before, as most do, are not parsed again."""
    sides = str.split(text, " = ")
    try:
        for side in sides:
            if side not in known:
                known[side] = parse_expression(side, EXTRA_FUNCTIONS)
        return Equation(*(known[side] for side in sides))
    except (ParseError, TypeError):  # the message should be about the whole text
        return parse_equation(text, EXTRA_FUNCTIONS)


def read_records(path: Path, known: dict[str, Expression] | None = None) -> tuple[Record, ...]:
    """The records of a file; depth is computed from the equation, never believed. Known are sides by their text."""
    records, known = [], {} if known is None else known
    for line_number, row in enumerate(artifacts.read_lines_gz(path), 1):
        try:
            equation = _read_equation(row["equation"], known)
            label, kind = row["label"], row["kind"]
            record = Record(str(row["id"]), equation, label, kind, equation.depth, row["origin"])
        except (KeyError, TypeError) as error:
            raise InputError(f"{path}, line {line_number}: the field {error} is missing or of the wrong type") from None
        except InputError as error:
            raise InputError(f"{path}, line {line_number}: {error}") from None
        if label not in (0, 1) or kind not in KINDS:
            raise InputError(
                f"{path}, line {line_number}: label {label!r} or kind {kind!r} is unknown "
                f"(labels are 0 and 1, kinds {SYMBOLIC}, {EVALUATION} and {DECIMAL})"
            )
        records.append(record)
    return tuple(records)


def fingerprint_of(directory: Path) -> str:
    """A short name for what is in the data set of a directory; a directory without one is refused."""
    paths = [Path(directory) / name for name in RECORD_FILES]
    for path in paths:
        if not path.is_file():
            raise InputError(f"{directory}: not a data set, {path.name} is missing (make one with `generate`)")
    return artifacts.fingerprint(*(path.read_bytes() for path in paths))


def load(directory: Path) -> Dataset:
    """The data set in a directory that `generate` or `import-authors` wrote."""
    fingerprint = fingerprint_of(directory)
    known = read_sides(directory, fingerprint)
    stored = len(known)
    dataset = Dataset(*(read_records(Path(directory) / name, known) for name in RECORD_FILES), fingerprint)
    if len(known) > stored:
        write_sides(directory, fingerprint, known)
    return dataset


def split_path(directory: Path, name: str, seed: int) -> Path:
    return Path(directory) / "splits" / f"{name}-{seed}.json"


def write_split(directory: Path, name: str, seed: int, split: Split) -> None:
    artifacts.write_json(split_path(directory, name, seed), vars(split), indent=None)


def load_split(directory: Path, name: str, seed: int) -> Split:
    """A stored split of the data set in a directory."""
    path = split_path(directory, name, seed)
    try:
        row = artifacts.read_json(path)
        return Split(*(tuple(row[part]) for part in ("train", "dev", "test")))
    except (KeyError, TypeError):
        raise InputError(f"{path}: damaged, not a split with the lists train, dev and test") from None


def literal_value(expression: Expression) -> float | None:
    """The value of a number written out, 2.5, -1 * 2.5 or 2.5 * (-1); None for anything else."""
    if expression.kind == NUMBER:
        return float(expression.symbol)
    if expression.symbol == MULTIPLY and MINUS_ONE in expression.children:
        numbers = [float(child.symbol) for child in expression.children if child.kind == NUMBER]
        return -numbers[0] if numbers else None
    return None
