"""The reader of axioms.txt: one equation a line under `[family]` or `[family; mark]` headers, `#` starts a comment.

A line `functions: log` before the equations switches on what is not in Table 1. Recipes choose families by their
marks. Whether an axiom is true is not asked here: that is the oracle's.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import artifacts
from ...errors import InputError, excerpt
from ...language.expression import Equation
from ...language.grammar import EXTRA_FUNCTIONS, FUNCTIONS
from ...language.parsing import ParseError, parse_equation

NO_FAMILY = "general"  # of equations before the first header

_SWITCH = "functions:"
_HEADER = re.compile(r"\[\s*([^\[\];]*[^\[\];\s])\s*(?:;\s*([^\[\];]*[^\[\];\s])\s*)?\]")


@dataclass(frozen=True)
class Axiom:
    """An equation that is taken to be true, the family it was listed in, its line, and the family's mark."""

    equation: Equation
    family: str
    line: int
    mark: str = ""


def read_axioms(path: Path | str = artifacts.PROJECT_AXIOMS, extra: tuple[str, ...] = ()) -> tuple[Axiom, ...]:
    """The equations of a file in its order; `extra` names functions beyond Table 1 that it may use."""
    axioms: dict[Equation, Axiom] = {}
    family, mark = NO_FAMILY, ""
    for line, text in _lines(path):
        try:
            if text.lstrip().startswith("["):
                family, mark = _family(text)
            elif text.lstrip().startswith(_SWITCH):
                extra += _switched_on(text)
            elif text:
                axiom = Axiom(parse_equation(text, extra), family, line, mark)
                first = axioms.setdefault(axiom.equation, axiom)
                if first is not axiom:
                    raise _error(text, f"this equation stands at line {first.line} already")
        except ParseError as error:
            raise InputError(f"{path}, line {line}, column {error.column}: {error.reason}") from None
    if not axioms:
        raise InputError(f"{path}, line 1, column 1: no equation in this file; one a line, as in x + 0 = x, is wanted")
    return tuple(axioms.values())


def _lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without comments."""
    for line, text in enumerate(artifacts.read_text(Path(path)).removeprefix("\ufeff").split("\n"), 1):
        yield line, text.partition("#")[0].rstrip()


def switched_on(path: Path | str) -> tuple[str, ...]:
    """The functions beyond Table 1 that a file switches on."""
    texts = (text for _, text in _lines(path) if text.lstrip().startswith(_SWITCH))
    return tuple(name for text in texts for name in _switched_on(text))


def own_axioms(path: Path | str, axioms: Sequence[Axiom]) -> dict:
    """How many axioms and families a domain of its own has; nothing where the axioms are the project's."""
    if artifacts.read_text(Path(path)) == artifacts.read_text(artifacts.PROJECT_AXIOMS):
        return {}
    return {"count": len(axioms), "families": len({axiom.family for axiom in axioms})}


def functions_of(axioms: Iterable[Axiom]) -> tuple[str, ...]:
    """The functions that occur in axioms, in the grammar's order."""
    occurring = {name for axiom in axioms for name in axiom.equation.functions()}
    return tuple(name for name in FUNCTIONS if name in occurring)


def chosen(axioms: Sequence[Axiom], marks: Iterable[str], path: Path | str = artifacts.AXIOMS) -> tuple[Axiom, ...]:
    """Those of the families with these marks; all of them where no family has a mark."""
    found = [axiom for axiom in axioms if axiom.mark in marks] if any(axiom.mark for axiom in axioms) else axioms
    if not found:
        stated = excerpt(", ".join(sorted({repr(axiom.mark) for axiom in axioms})), 200)
        wanted = ", ".join(map(repr, marks))
        raise InputError(
            f"{path}, line {axioms[0].line}, column 1: no family of this file has a mark that the recipe takes "
            f"(marks: {stated}; the recipe takes: {wanted or 'none'})"
        )
    return tuple(found)


def _family(text: str) -> tuple[str, str]:
    """The name and the mark that a header states."""
    header = _HEADER.fullmatch(text.strip())
    if header is None:
        raise _error(text, "a family's header is wanted, in square brackets: [parity] or, with a mark, [parity; paper]")
    return header[1], header[2] or ""


def _switched_on(text: str) -> tuple[str, ...]:
    """The functions beyond Table 1 that a line names."""
    names = tuple(text.strip().removeprefix(_SWITCH).replace(",", " ").split())
    for name in names:
        if name not in EXTRA_FUNCTIONS:
            raise _error(text, f"{name!r} cannot be switched on, only {' and '.join(EXTRA_FUNCTIONS)}")
    return names


def _error(text: str, reason: str) -> ParseError:
    """What is wrong with a line, at its first character that is not a space."""
    return ParseError(reason, len(text) - len(text.lstrip()) + 1, text)
