"""The reader of axioms.txt: one equation a line under `[family]` or `[family; mark]` headers, `#` starts a comment.

Recipes choose families by their marks. Whether an axiom is true is not asked here: that is the oracle's.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import artifacts
from ...errors import InputError, excerpt
from ...language.expression import Equation
from ...language.parsing import ParseError, parse_equation

NO_FAMILY = "general"  # of equations before the first header

_HEADER = re.compile(r"\[\s*([^\[\];]*[^\[\];\s])\s*(?:;\s*([^\[\];]*[^\[\];\s])\s*)?\]")


@dataclass(frozen=True)
class Axiom:
    """An equation that is taken to be true, the family it was listed in, its line, and the family's mark."""

    equation: Equation
    family: str
    line: int
    mark: str = ""


def read_axioms(path: Path | str = artifacts.AXIOMS, extra: tuple[str, ...] = ()) -> tuple[Axiom, ...]:
    """The equations of a file in its order; `extra` names functions beyond Table 1 that it may use."""
    axioms: dict[Equation, Axiom] = {}
    family, mark = NO_FAMILY, ""
    for line, text in enumerate(artifacts.read_text(path).removeprefix("\ufeff").split("\n"), 1):
        text = text.partition("#")[0].rstrip()
        try:
            if text.lstrip().startswith("["):
                family, mark = _family(text)
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


def _error(text: str, reason: str) -> ParseError:
    """What is wrong with a line, at its first character that is not a space."""
    return ParseError(reason, len(text) - len(text.lstrip()) + 1, text)
