"""Tables as data, and the same table as Markdown, CSV and LaTeX."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .claims import BETTER, CLOSE, WORSE, Cell, Summary

MARKS = {CLOSE: "✓", BETTER: "▲", WORSE: "▼", None: ""}
NOTHING = "–"
PAPER, POSTER = "paper", "poster"


class Column(NamedTuple):
    """A heading, how many decimals its numbers have, and where the numbers beside ours come from."""

    title: str
    decimals: int = 2
    source: str = PAPER

    @property
    def named(self) -> str:
        return "" if self.source == PAPER else self.source


class Line(NamedTuple):
    """A line of a table; lines of another group than the one before stand apart."""

    name: str
    cells: Sequence[Cell | str]
    group: int = 0


class Section(NamedTuple):
    """Lines under one heading; beyond is the group from which on they are ours alone."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Line]
    beyond: int | None = None

    def cells(self, row: Line) -> list[tuple[Column, Cell | str]]:
        """The cells of a line with their columns; a line without a name has a cell in the first one, too."""
        return list(zip(self.columns[1:] if row.name else self.columns, row.cells, strict=True))

    def texts(self, row: Line) -> list[str]:
        """The name of a line, if it has one, and its cells."""
        return [*filter(None, [row.name]), *(cell_text(cell, column) for column, cell in self.cells(row))]


class Table(NamedTuple):
    """Sections, and sentences below them; without a title it has that of its output."""

    sections: Sequence[Section]
    notes: Sequence[str] = ()
    title: str = ""
    data: Sequence[Sequence] = ()  # the lines of its CSV file, where they are others than those that are shown


def section(title: str, columns: Iterable[Column | str], rows: Iterable[Line], beyond: int | None = None) -> Section:
    """A section; a column may be given by its heading."""
    return Section(title, [each if isinstance(each, Column) else Column(each) for each in columns], list(rows), beyond)


# ------------------------------------------------------------------------------------------------ text


def signed(number: float, decimals: int) -> str:
    return f"{number:+.{decimals}f}".replace("-", "−")


def summary_text(summary: Summary | None, decimals: int) -> str:
    """`97.12 ± 0.20`; a single seed has no spread, which a dash says."""
    if summary is None:
        return NOTHING
    spread = NOTHING if summary.std is None else f"{summary.std:,.{decimals}f}"
    return f"{summary.mean:,.{decimals}f} ± {spread}".replace("-", "−")


def mean_text(summary: Summary, decimals: int) -> str:
    """`97.12 ± 0.20`, or `97.12` where there is no spread."""
    return summary_text(summary, decimals).removesuffix(f" ± {NOTHING}")


def ours_text(cell: Cell, decimals: int) -> str:
    """`97.12 ± 0.20`, with `[3]` behind it if the seeds are to be told."""
    return summary_text(cell.ours, decimals) + (f" [{cell.ours.seeds}]" if cell.ours and cell.says_seeds else "")


def beside_text(cell: Cell, decimals: int, source: str = "") -> str:
    """`poster 97.20, −0.08 ✓`: the other number, the difference and whether it is close; nothing without a number."""
    if cell.paper is None:
        return ""
    difference = "" if cell.difference is None else f", {signed(cell.difference, decimals)}"
    return f"{source} {cell.paper:.{decimals}f}{difference} {MARKS[cell.closeness]}".strip()


def cell_text(cell: Cell | str, column: Column) -> str:
    """`97.12 ± 0.20 (97.20, −0.08 ✓)`: ours, and in brackets what stands beside it."""
    if isinstance(cell, str):
        return cell
    beside = beside_text(cell, column.decimals, column.named)
    return ours_text(cell, column.decimals) + (f" ({beside})" if beside else "")


def with_seeds(table: Table) -> Table:
    """The table with a note on seeds; where numbers have not equally many, those with fewer or more say how many."""
    cells = [cell for section in table.sections for row in section.rows for cell in row.cells]
    counts = Counter(cell.ours.seeds for cell in cells if isinstance(cell, Cell) and cell.ours)
    if not counts:
        return table
    usual = counts.most_common(1)[0][0]

    def marked(cell: Cell | str) -> Cell | str:
        if isinstance(cell, Cell) and cell.ours and cell.ours.seeds != usual:
            return cell._replace(says_seeds=True)
        return cell

    sections = [
        each._replace(rows=[row._replace(cells=[*map(marked, row.cells)]) for row in each.rows])
        for each in table.sections
    ]
    note = f"Seeds behind each number: {usual}{', or as many as stand in square brackets' if len(counts) > 1 else ''}."
    return table._replace(sections=sections, notes=(*table.notes[:-1], " ".join((*table.notes[-1:], note))))


# ------------------------------------------------------------------------------------------------ Markdown


def to_markdown(table: Table) -> str:
    lines = [f"### {table.title}", ""]
    for each in table.sections:
        more, is_announced = len(each.columns) - 1, each.beyond is None
        lines += [f"**{each.title}**", ""] if each.title else []
        lines += [f"| {' | '.join(column.title for column in each.columns)} |"]
        lines += ["|---" + ("|---" if each.beyond is None else "|---:") * more + "|"]
        for row in each.rows:
            if not is_announced and row.group >= (each.beyond or 0):
                lines += ["| *beyond the paper:* |" + " |" * more]
                is_announced = True
            lines += [f"| {' | '.join(each.texts(row))} |"]
        lines += [""]
    for note in table.notes:
        lines += [note, ""]
    return "\n".join(lines).rstrip() + "\n"


# ------------------------------------------------------------------------------------------------ CSV

CSV_HEADER = ("block", "row", "column", "paper", "ours_mean", "ours_std", "seeds", "difference", "tolerance", "verdict")


def _csv_rows(table: Table) -> Iterable[Sequence]:
    """One line a number where numbers are compared, else the grid as it is printed."""
    numbers, grid = [], []
    for each in table.sections:
        grid += [[column.title for column in each.columns], *map(each.texts, each.rows)]
        for row in each.rows:
            numbers += [
                [each.title, row.name, column.title, *_in_csv(cell, column.decimals + 2)]
                for column, cell in each.cells(row)
                if isinstance(cell, Cell)
            ]
    return [CSV_HEADER, *numbers] if numbers else grid


def _in_csv(cell: Cell, decimals: int) -> list:
    *ours, seeds = cell.ours or (None, None, 0)
    numbers = (*ours, cell.difference)
    mean, std, difference = ("" if number is None else f"{number:.{decimals}f}" for number in numbers)
    return [cell.paper, mean, std, seeds, difference, cell.tolerance, cell.closeness]


def rows_to_csv(rows: Iterable[Sequence]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def to_csv(table: Table) -> str:
    return rows_to_csv(table.data or _csv_rows(table))


# ------------------------------------------------------------------------------------------------ LaTeX

LATEX_CHARACTERS = {
    "–": "--", "−": "$-$", "×": r"$\times$", "±": r"$\pm$", "→": r"$\to$", "…": r"\dots{}", "`": "",
    "✓": r"$\checkmark$", "▲": r"$\blacktriangle$", "▼": r"$\blacktriangledown$", "□": r"$\square$",
    "★": r"$\bigstar$", "✔": r"$\checkmark$", "✘": r"$\times$", "◐": r"$\circ$", "²": "$^2$", "“": "``", "”": "''",
    "%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_",
}  # fmt: skip
_TO_LATEX = str.maketrans(LATEX_CHARACTERS)


def _latex_text(text: str) -> str:
    """Text for LaTeX; what stands between dollar signs is LaTeX already."""
    parts = text.split("$")
    parts[::2] = [part.translate(_TO_LATEX) for part in parts[::2]]
    return "$".join(parts)


def _latex_cell(cell: Cell | str, column: Column) -> str:
    """Ours, and the paper's in small print without the difference, for which a page has no room."""
    if isinstance(cell, str) or cell.paper is None:
        return _latex_text(cell_text(cell, column))
    beside = f"{column.named} {cell.paper:.{column.decimals}f} {MARKS[cell.closeness]}".strip()
    return rf"{_latex_text(ours_text(cell, column.decimals))} {{\scriptsize({_latex_text(beside)})}}"


def _latex_section(section: Section) -> list[str]:
    width, group = len(section.columns), section.rows[0].group if section.rows else 0
    lines = [rf"\multicolumn{{{width}}}{{l}}{{\textit{{{_latex_text(section.title)}}}}} \\"] if section.title else []
    if any(column.title for column in section.columns):
        titles = (rf"\textbf{{{_latex_text(column.title)}}}" if column.title else "" for column in section.columns)
        lines += [" & ".join(titles) + r" \\", r"\midrule"]
    for row in section.rows:
        if row.group != group:
            lines.append(r"\midrule" if row.group == section.beyond else r"\addlinespace")
            group = row.group
        cells = [_latex_text(row.name)] if row.name else []
        cells += [_latex_cell(cell, column) for column, cell in section.cells(row)]
        lines.append(" & ".join(cells) + r" \\")
    return lines


def to_latex(table: Table) -> str:
    """A table for a document that uses booktabs and amssymb."""
    alignment = "l" + "c" * (max(len(each.columns) for each in table.sections) - 1)
    notes = " ".join(map(_latex_text, table.notes))
    lines = ["% needs booktabs and amssymb", r"\begin{table}", rf"\caption{{{_latex_text(table.title)}. {notes}}}"]
    lines += [r"\centering", rf"\begin{{tabular}}{{{alignment}}}"]
    for position, each in enumerate(table.sections):
        lines += [r"\toprule" if position == 0 else r"\midrule", *_latex_section(each)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


WRITERS = {"md": to_markdown, "csv": to_csv, "tex": to_latex}  # by the suffix of the file
