"""The readers of axioms.txt and of the textbook: one equation a line under `[family]` or `[family; mark]` headers.

`#` starts a comment. A line `functions: log` before the equations switches on a function beyond Table 1. Recipes choose
families by their marks. The textbook's identities and near misses judge networks: no network is trained, chosen or
calibrated on them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import artifacts
from ..errors import InputError, excerpt
from ..judges.balls import UNDEFINED, Valuation
from ..judges.oracle import DIFFERS, examine, explanation, numeric_judgement
from ..language.expression import Equation
from ..language.grammar import EXTRA_FUNCTIONS, FUNCTIONS
from ..language.parsing import ParseError, parse_equation
from .splits import twin_key

NO_FAMILY = "general"  # of equations before the first header
TEXTBOOK = artifacts.ROOT / "runs" / "textbook"  # committed, wherever a user's own runs are
LABELS = {"identities.txt": 1, "near-misses.txt": 0}

_SWITCH = "functions:"
_HEADER = re.compile(r"\[\s*([^\[\];]*[^\[\];\s])\s*(?:;\s*([^\[\];]*[^\[\];\s])\s*)?\]")


@dataclass(frozen=True)
class Axiom:
    """An equation that is taken to be true, the family it was listed in, its line, and the family's mark."""

    equation: Equation
    family: str
    line: int
    mark: str = ""
    text: str = field(default="", compare=False)  # as it stands in the file


def read_axioms(path: Path | str = artifacts.PROJECT_AXIOMS, extra: tuple[str, ...] = ()) -> tuple[Axiom, ...]:
    """The equations of a file in its order; `extra` names functions beyond Table 1 that it may use."""
    axioms: dict[Equation, Axiom] = {}
    family, mark = NO_FAMILY, ""
    for line, text in enumerate(artifacts.read_text(Path(path)).removeprefix("\ufeff").split("\n"), 1):
        text = text.partition("#")[0].rstrip()
        try:
            if text.lstrip().startswith("["):
                header = _HEADER.fullmatch(text.strip())
                if header is None:
                    wanted = (
                        "a family's header is wanted, in square brackets: [parity] or, with a mark, [parity; paper]"
                    )
                    raise ParseError(wanted, 1, text)
                family, mark = header[1], header[2] or ""
            elif text.lstrip().startswith(_SWITCH):
                names = text.strip().removeprefix(_SWITCH).replace(",", " ").split()
                for name in set(names) - set(EXTRA_FUNCTIONS):
                    raise ParseError(f"{name!r} cannot be switched on, only {' and '.join(EXTRA_FUNCTIONS)}", 1, text)
                extra += tuple(names)
            elif text:
                axiom = Axiom(parse_equation(text, extra), family, line, mark, text.strip())
                first = axioms.setdefault(axiom.equation, axiom)
                if first is not axiom:
                    raise ParseError(f"this equation stands at line {first.line} already", 1, text)
        except ParseError as error:
            raise InputError(f"{path}, line {line}, column {error.column}: {error.reason}") from None
    if not axioms:
        raise InputError(f"{path}, line 1, column 1: no equation in this file; one a line, as in x + 0 = x, is wanted")
    return tuple(axioms.values())


def check_axioms(path: Path, axioms: Iterable[Axiom]) -> None:
    """Refuses the first axiom that the numeric judge shows to be false or undefined, with its line and the evidence."""
    valuation = Valuation()
    for axiom in axioms:
        finding = examine(axiom.equation, valuation)
        if finding.outcome in (DIFFERS, UNDEFINED):
            judgement = numeric_judgement(finding)
            reason = explanation(judgement.evidence)
            raise InputError(f"{path}, line {axiom.line}, column 1: this axiom is {judgement.verdict}: {reason}")


def own_axioms(path: Path | str, axioms: Sequence[Axiom]) -> dict:
    """How many axioms and families a domain of one's own has; empty if the axioms are the project's."""
    if artifacts.read_text(Path(path)) == artifacts.read_text(artifacts.PROJECT_AXIOMS):
        return {}
    return {"count": len(axioms), "families": len({axiom.family for axiom in axioms})}


def functions_of(axioms: Iterable[Axiom]) -> tuple[str, ...]:
    """The functions that occur in axioms, in the grammar's order."""
    occurring = {name for axiom in axioms for name in axiom.equation.functions()}
    return tuple(name for name in FUNCTIONS if name in occurring)


def chosen(axioms: Sequence[Axiom], marks: Iterable[str], path: Path | str = artifacts.AXIOMS) -> tuple[Axiom, ...]:
    """The axioms of the families with these marks; all axioms where no family has a mark."""
    stated = {axiom.mark for axiom in axioms}
    found = tuple(axiom for axiom in axioms if axiom.mark in marks or stated == {""})
    if not found:
        has, takes = (", ".join(map(repr, each)) for each in (sorted(stated), marks))
        raise InputError(
            f"{path}, line {axioms[0].line}, column 1: no family of this file has a mark that the recipe takes "
            f"(marks: {excerpt(has, 200)}; the recipe takes: {takes or 'none'})"
        )
    return found


@dataclass(frozen=True)
class TextbookEquation:
    """An equation as a book or a student writes it, whether it is true (1 or 0), and its topic."""

    text: str
    equation: Equation
    label: int
    topic: str


def read_textbook(directory: Path | str = TEXTBOOK) -> tuple[TextbookEquation, ...]:
    """The equations of both lists, identities first; none is another's twin up to sides and names of variables."""
    places: dict[str, str] = {}
    listed = []
    for path, label in ((Path(directory) / name, label) for name, label in LABELS.items()):
        for axiom in read_axioms(path):
            place = f"{path}, line {axiom.line}"
            first = places.setdefault(twin_key(axiom.equation), place)
            if first != place:
                raise InputError(f"{place}: this stands at {first} already, up to sides and names of variables")
            listed.append(TextbookEquation(axiom.text, axiom.equation, label, axiom.family))
    return tuple(listed)
