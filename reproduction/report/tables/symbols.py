"""Tables 1, 2 and 5: the symbols of the grammar and examples of generated equations."""

from collections.abc import Iterable

from ... import paper
from ...language.grammar import CONSTANTS, FUNCTIONS, TABLE_1_CONSTANTS
from ...language.printing import variable_latex
from ..results import Archive
from .formats import Column, Row, Section, Table


def symbol_latex(name: str) -> str:
    """A function, constant or variable as LaTeX in dollar signs."""
    if name in FUNCTIONS:
        return f"${FUNCTIONS[name].latex}$"
    if name in CONSTANTS:
        return f"${CONSTANTS[name].latex}$"
    return f"${name if name == '=' else variable_latex(name)}$"


def _grid(title: str, rows, heading: str = "") -> Section:
    width = max(map(len, rows))
    lines = (Row("", tuple(map(symbol_latex, row)) + ("",) * (width - len(row))) for row in rows)
    return Section(title, (Column(heading),) + (Column(""),) * (width - 1), tuple(lines))


def table_1() -> Table:
    """The paper's symbols, each looked up in our grammar, and the constants that ours has beyond them."""
    extra = [name for name in CONSTANTS if name not in TABLE_1_CONSTANTS]
    return Table(
        "table-1",
        "Table 1. Symbols of the grammar",
        (
            _grid("Unary functions", paper.TABLE_1_UNARY),
            _grid("Terminals", paper.TABLE_1_TERMINALS),
            _grid("Binary functions", (paper.TABLE_1_BINARY,)),
            _grid("Terminals beyond the paper's table", (tuple(extra),)),
        ),
        (
            "Axioms need the negative constants, decimal trees the digits 5 to 9. Variables: as many as needed. "
            "In function evaluations, terminals are also the two-decimal numbers of the range "
            f"[{paper.NUMBERS_RANGE[0]}, {paper.NUMBERS_RANGE[1]}].",
        ),
    )


def _examples(title: str, pairs: Iterable[tuple[str, str]]) -> Section:
    columns = (Column("Examples of correct identities"), Column("Examples of incorrect identities"))
    return Section(title, columns, tuple(Row("", (f"${correct}$", f"${incorrect}$")) for correct, incorrect in pairs))


def table_2(archive: Archive) -> Table:
    """Examples from our data set, drawn when it was made, and the paper's below them."""
    theirs = _examples("The paper's", zip(paper.TABLE_2_CORRECT, paper.TABLE_2_INCORRECT, strict=True))
    title, missing = "Table 2. Examples of generated equations", "`python -m reproduction generate` makes them."
    if not archive.examples:
        return Table("table-2", title, (theirs,), (f"Our examples are missing: {missing}",))
    return Table("table-2", title, (_examples("Ours", archive.examples), theirs))


def table_5() -> Table:
    """The appendix's list; it has log and atan2, which the count of 28 functions leaves out."""
    return Table(
        "table-5",
        "Table 5. Functions, symbols and constants of the appendix",
        (_grid("", paper.TABLE_5),),
        (
            "The paper's count of 28 functions does not include $\\log$ and $\\operatorname{atan2}$: in ours they are "
            "switched on by name, `--extra-functions log,atan2`.",
        ),
    )
