"""Records from a file in the authors' released format: a JSON list of groups, one a depth, of labelled equations.

Depths, node numbers and whatever else the file derives from its trees is not believed but computed again. The first
equation of a file is artificial, there to make the released program allocate the weights of every function.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...artifacts import read_text
from ...errors import InputError
from ...language.expression import Equation
from ...strict_json import parse_json
from ..dataset import SYMBOLIC, Record
from .trees import FUNCTION_NAMES, Node, interpret, read_tree

ORIGIN = "authors"
ARTIFICIAL_FUNCTIONS = 20  # different ones in one equation: no real one has so many


@dataclass(frozen=True)
class Release:
    """The distinct equations of a file, and how many were left out and why."""

    records: tuple[Record, ...]
    artificial: int
    duplicates: int
    conflicts: int  # met again with the other label; the first one is kept


def read_release(path: Path) -> Release:
    """The records of a file. What is wrong with it is told with the group and the place in it, both from 0."""
    known: dict[Equation, tuple[int, str]] = {}
    artificial = duplicates = conflicts = 0
    for place, entry in _entries(path):
        try:
            tree, label = _tree(entry), _label(entry)
            if _is_artificial(tree):
                artificial += 1
                continue
            equation, kind = interpret(tree)
        except InputError as error:
            raise InputError(f"{path}, {place}: {error}") from None
        if equation not in known:
            known[equation] = label, kind
        elif known[equation] == (label, kind):
            duplicates += 1
        else:
            conflicts += 1
    if not known:
        raise InputError(f"{path}: no equation in this file")
    return Release(_records(known), artificial, duplicates, conflicts)


def _entries(path: Path) -> Iterator[tuple[str, object]]:
    """Every equation as it stands in the file, with its place."""
    groups = parse_json(read_text(path).removeprefix("\ufeff"), path)
    if not isinstance(groups, list):
        raise InputError(f"{path}: a list of groups of equations is wanted, one a depth")
    for number, group in enumerate(groups):
        if not isinstance(group, list):
            raise InputError(f"{path}, group {number}: a list of equations is wanted")
        for index, entry in enumerate(group):
            yield f"group {number}, equation {index}", entry


def _tree(entry) -> Node:
    equation = entry.get("equation") if isinstance(entry, dict) else None
    texts = [equation.get(key) for key in ("func", "vars")] if isinstance(equation, dict) else [None]
    if not all(isinstance(text, str) for text in texts):
        raise InputError('an object is wanted: {"equation": {"func": TEXT, "vars": TEXT}, "label": "0" or "1"}')
    return read_tree(*texts)


def _label(entry: dict) -> int:
    label = entry.get("label")
    if str(label) not in ("0", "1"):
        raise InputError(f"the label is {str(label)[:40]!r}; it must be 0 or 1")
    return int(label)


def _is_artificial(tree: Node) -> bool:
    return len(set(tree.names()) & set(FUNCTION_NAMES)) >= ARTIFICIAL_FUNCTIONS


def _records(known: dict[Equation, tuple[int, str]]) -> tuple[Record, ...]:
    """Records in the order of the file; symbolic and numeric ones are counted apart, as in our own data."""
    count = {"s": 0, "n": 0}
    records = []
    for equation, (label, kind) in known.items():
        letter = "s" if kind == SYMBOLIC else "n"
        records.append(Record(f"{letter}{count[letter]}", equation, label, kind, equation.depth, ORIGIN))
        count[letter] += 1
    return tuple(records)
