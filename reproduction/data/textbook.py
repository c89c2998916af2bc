"""Textbook identities and near misses: what judges a network on equations that no generator made.

Two committed lists, written down from the mathematics, in the form of axioms.txt: one equation a line under `[topic]`
headers, `#` starts a comment. Nobody uses them for training, for choosing an epoch or for calibration.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import artifacts
from ..errors import InputError
from ..language.expression import Equation
from .generation.axioms import NO_FAMILY, Axiom, read_axioms
from .splits import twin_key

DIRECTORY = artifacts.ROOT / "runs" / "textbook"  # committed, wherever a user's own runs are
LABELS = {"identities.txt": 1, "near-misses.txt": 0}


@dataclass(frozen=True)
class TextbookEquation:
    """An equation as a book or a student writes it, whether it is true (1 or 0), and its topic."""

    text: str
    equation: Equation
    label: int
    topic: str


def read_textbook(directory: Path | str = DIRECTORY) -> tuple[TextbookEquation, ...]:
    """The equations of both lists, identities first; none is another's twin up to sides and names of variables."""
    places: dict[str, str] = {}
    listed = []
    for name, label in LABELS.items():
        for place, record in _read_list(Path(directory) / name, label):
            first = places.setdefault(twin_key(record.equation), place)
            if first != place:
                raise InputError(f"{place}: this stands at {first} already, up to sides and names of variables")
            listed.append(record)
    return tuple(listed)


def _read_list(path: Path, label: int) -> Iterator[tuple[str, TextbookEquation]]:
    """Every equation of one file with its place."""
    lines = artifacts.read_text(path).removeprefix("\ufeff").split("\n")
    for listed in read_axioms(path):
        place = f"{path}, line {listed.line}"
        yield place, _record(listed, lines[listed.line - 1], label, place)


def _record(listed: Axiom, line: str, label: int, place: str) -> TextbookEquation:
    if listed.family == NO_FAMILY:
        raise InputError(f"{place}: the equation has no topic; a line such as [fractions] is wanted before it")
    if listed.equation.left is listed.equation.right:
        raise InputError(f"{place}: both sides are the same expression, which says nothing")
    return TextbookEquation(line.partition("#")[0].strip(), listed.equation, label, listed.family)
