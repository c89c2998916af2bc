"""The data set as records, its files, the splits stored with it, and what a network for it has to know."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from .. import artifacts
from ..errors import InputError
from ..language.expression import MINUS_ONE, NUMBER, VARIABLE, Equation, Expression
from ..language.grammar import CONSTANTS, EXTRA_FUNCTIONS, FUNCTIONS, MULTIPLY, TABLE_1_FUNCTIONS
from ..language.parsing import ParseError, parse_equation, parse_expression
from ..language.printing import print_equation
from ..shapes import shaped
from .manifest import PACKED_JSON, RECORD_FILES, Manifest, read_manifest

Kind = Literal["symbolic", "evaluation", "decimal"]
KINDS = SYMBOLIC, EVALUATION, DECIMAL = get_args(Kind)
UNSURE_FILE = "unsure.jsonl.gz"  # equations that the judges do not settle
GENERALIZATION, STRICT, DEPTH_4_OUT, DEPTH_2_OUT = "generalization", "strict", "extrapolate-4", "extrapolate-2"
SPLIT_TITLES = {
    GENERALIZATION: "random split",
    STRICT: "strict split",
    DEPTH_4_OUT: "depth 4 unseen",
    DEPTH_2_OUT: "depth 2 unseen",
}
SPLIT_NAMES = tuple(SPLIT_TITLES)
PARTS = ("train", "dev", "test")


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
    """Ids of the records to learn from, to choose the epoch by, and to report on; and the SHA-256 of a stored one."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]
    checksum: str = field(default="", compare=False)

    def as_row(self) -> dict[str, tuple[str, ...]]:
        return {name: getattr(self, name) for name in PARTS}


def distinct_nodes(roots: Iterable[Expression]) -> dict[Expression, int]:
    """Every distinct subtree with its number, children before parents."""
    numbers: dict[Expression, int] = {}

    def visit(node: Expression) -> None:
        if node not in numbers:
            for child in node.children:
                visit(child)
            numbers[node] = len(numbers)

    for root in roots:
        visit(root)
    return numbers


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


class _Row(NamedTuple):
    """A line of a file of records; depth is computed from the equation, never believed."""

    id: str
    equation: str
    label: Literal[0, 1]
    kind: Kind
    origin: str


def _read_equation(text: str, known: dict[str, Expression]) -> Equation:
    """The trees of an equation; sides that occurred before, as most do, are not parsed again."""
    try:
        sides = text.split(" = ")
        known.update({side: parse_expression(side, EXTRA_FUNCTIONS) for side in sides if side not in known})
        return Equation(*(known[side] for side in sides))
    except (ParseError, TypeError):  # the message should be about the whole text
        return parse_equation(text, EXTRA_FUNCTIONS)


def read_records(path: Path, content: bytes | None = None) -> tuple[Record, ...]:
    """The records of a file, whose content may have been read already."""
    content = artifacts.read_bytes(path) if content is None else content
    records: dict[str, Record] = {}
    known: dict[str, Expression] = {}
    for number, line in enumerate(artifacts.lines_of_gz(content, path), 1):
        row: _Row = shaped(_Row, line, f"{path}, line {number}")
        try:
            equation = _read_equation(row.equation, known)
        except InputError as error:
            raise InputError(f"{path}, line {number}: {error}") from None
        if row.id in records:
            raise InputError(f"{path}, line {number}: the id {row.id[:40]!r} stands there twice")
        records[row.id] = Record(row.id, equation, row.label, row.kind, equation.depth, row.origin)
    return tuple(records.values())


def fingerprint_of(directory: Path) -> str:
    """A short name for what is in the data set of a directory; one that is not whole is refused."""
    manifest = read_manifest(directory)
    manifest.check()
    return manifest.fingerprint


def load(directory: Path) -> Dataset:
    """The data set in a directory that `generate` or `import-authors` wrote; the same one again is not read again."""
    manifest = read_manifest(directory)
    manifest.check()
    return _load(manifest.directory, *(manifest.files[name] for name in RECORD_FILES))


@lru_cache(maxsize=1)
def _load(directory: Path, *checksums: str) -> Dataset:
    return load_files(read_manifest(directory))


def load_files(manifest: Manifest) -> Dataset:
    """The data set of the files that a manifest names."""
    directory = manifest.directory
    symbolic, numeric = (read_records(directory / name, manifest.content(name)) for name in RECORD_FILES)
    dataset = Dataset(symbolic, numeric, manifest.fingerprint)
    if len(dataset.by_id) < len(dataset.symbolic) + len(dataset.numeric):
        raise InputError(f"{directory}: a symbolic and a numeric record have the same id")
    return dataset


def load_unsure(directory: Path) -> tuple[Record, ...]:
    """The equations of a data set that the judges do not settle."""
    return read_records(Path(directory) / UNSURE_FILE, read_manifest(directory).content(UNSURE_FILE))


def split_name(name: str, seed: int) -> str:
    """The file of a split in the directory of a data set."""
    return f"splits/{name}-{seed}{PACKED_JSON}"


def split_path(directory: Path, name: str, seed: int) -> Path:
    return Path(directory) / split_name(name, seed)


def stored_seeds(directory: Path, split: str) -> list[int]:
    """The seeds for which a data set's directory holds this split."""
    forms = (re.fullmatch(rf"splits/{split}-(\d{{1,9}})\.json\.gz", name) for name in read_manifest(directory).files)
    return sorted(int(form[1]) for form in forms if form)


def load_split(directory: Path, name: str, seed: int) -> Split:
    """A stored split of the data set in a directory, as it stands there; `splits.stored_split` compares the two."""
    manifest = read_manifest(directory)
    if split_name(name, seed) not in manifest.files:
        raise InputError(
            f"{directory}: has no split {name} for seed {seed}; `python -m reproduction generate --keep "
            f"--out {directory} --split-seeds {seed + 1}` makes the splits of more seeds"
        )
    return replace(manifest.json(Split, split_name(name, seed)), checksum=manifest.files[split_name(name, seed)])


def literal_value(expression: Expression) -> float | None:
    """The value of a number written out, 2.5, -1 * 2.5 or 2.5 * (-1); None for anything else."""
    if expression.kind == NUMBER:
        return float(expression.symbol)
    if expression.symbol == MULTIPLY and MINUS_ONE in expression.children:
        numbers = [float(child.symbol) for child in expression.children if child.kind == NUMBER]
        return -numbers[0] if numbers else None
    return None


class Vocabulary(NamedTuple):
    """Functions and symbols in the order of their parameters; tokens only for networks that read chains of them."""

    functions: tuple[str, ...]
    symbols: tuple[str, ...]
    numbers: bool = True  # whether there are numbers besides the symbols, for a number block
    tokens: tuple[str, ...] = ()

    def of_arity(self, arity: int) -> tuple[str, ...]:
        return tuple(name for name in self.functions if FUNCTIONS[name].arity == arity)


def tree_vocabulary(dataset: Dataset) -> Vocabulary:
    """What a tree network for this data set has to know."""
    nodes = distinct_nodes(side for record in dataset.symbolic for side in record.equation)
    return Vocabulary(dataset.functions, dataset.symbols, any(node.kind == NUMBER for node in nodes))


def read_vocabulary(row: dict, where: str) -> Vocabulary:
    """What the network of a run directory was built for, from its config.json."""
    vocabulary: Vocabulary = shaped(Vocabulary, row, where)
    for name in vocabulary.functions:
        if name not in FUNCTIONS:
            raise InputError(f"{where}: functions has {name[:40]!r}, which is no function")
    return vocabulary
