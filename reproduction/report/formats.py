"""Tables as data, and the same table as Markdown, CSV and LaTeX."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from .comparison import BETTER, CLOSE, WORSE, Cell, Summary

MARKS = {CLOSE: "✓", BETTER: "▲", WORSE: "▼", None: ""}
NOTHING = "–"
PAPER, POSTER = "paper", "poster"


class Column(NamedTuple):
    """A heading, how many decimals its numbers have, and where the numbers beside ours come from."""

    title: str
    decimals: int = 2
    source: str = PAPER


class Row(NamedTuple):
    """A line of a table; rows of another group than the one before stand apart."""

    name: str
    cells: tuple[Cell | str, ...]
    group: int = 0


class Section(NamedTuple):
    """Rows under one heading; beyond is the group from which on rows are ours alone."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    beyond: int | None = None


class Table(NamedTuple):
    """A table of the paper's: name is that of its files, notes are sentences below it."""

    name: str
    title: str
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    data: tuple[Sequence, ...] = ()  # the lines of its CSV file, where they are others than those that are shown


def plain_table(
    name: str, title: str, headings: Iterable[str], rows: Iterable[Row], notes: tuple[str, ...] = ()
) -> Table:
    """A table of one section without a title."""
    return Table(name, title, (Section("", tuple(map(Column, headings)), tuple(rows)),), notes)


def summary_text(summary: Summary | None, decimals: int) -> str:
    """`97.12 ± 0.20`; a single seed has no spread, which a dash says."""
    if summary is None:
        return NOTHING
    spread = NOTHING if summary.std is None else f"{summary.std:,.{decimals}f}"
    return f"{summary.mean:,.{decimals}f} ± {spread}"


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
    """`97.12 ± 0.20 (97.20, −0.08 ✓)`: ours, and in brackets what stands beside it; the paper is not named."""
    if isinstance(cell, str):
        return cell
    beside = beside_text(cell, column.decimals, "" if column.source == PAPER else column.source)
    return ours_text(cell, column.decimals) + (f" ({beside})" if beside else "")


def signed(number: float, decimals: int) -> str:
    return f"{number:+.{decimals}f}".replace("-", "−")


def with_seeds(table: Table) -> Table:
    """The table; where not all numbers have as many seeds behind them, those with fewer or more say how many."""
    cells = [cell for section in table.sections for row in section.rows for cell in row.cells]
    counts = Counter(cell.ours.seeds for cell in cells if isinstance(cell, Cell) and cell.ours)
    if len(counts) < 2:
        return table
    usual = counts.most_common(1)[0][0]

    def marked(cell: Cell | str) -> Cell | str:
        if isinstance(cell, str) or cell.ours is None:
            return cell
        return cell._replace(says_seeds=cell.ours.seeds != usual)

    sections = (
        section._replace(rows=tuple(row._replace(cells=tuple(map(marked, row.cells))) for row in section.rows))
        for section in table.sections
    )
    note = f"Behind a number there are {usual} seeds, or as many as stand in square brackets."
    return table._replace(sections=tuple(sections), notes=(*table.notes, note))


# ------------------------------------------------------------------------------------------------ Markdown


def _markdown_line(texts: Iterable[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _markdown_section(section: Section) -> list[str]:
    lines = [f"**{section.title}**", ""] if section.title else []
    more = len(section.columns) - 1
    lines.append(_markdown_line(column.title for column in section.columns))
    lines.append("|---" + ("|---" if section.beyond is None else "|---:") * more + "|")
    announced = section.beyond is None
    for row in section.rows:
        if not announced and row.group >= (section.beyond or 0):
            lines.append("| *beyond the paper:* |" + " |" * more)
            announced = True
        lines.append(_markdown_line(_texts(section, row, row.name, cell_text)))
    return lines


def _texts(section: Section, row: Row, name: str, text_of: Callable[[Cell | str, Column], str]) -> list[str]:
    """The name of a row, if it has one, and its cells."""
    columns = section.columns[1:] if row.name else section.columns
    return ([name] if name else []) + [text_of(*pair) for pair in zip(row.cells, columns, strict=True)]


def to_markdown(table: Table) -> str:
    lines = [f"### {table.title}", ""]
    for section in table.sections:
        lines += [*_markdown_section(section), ""]
    for note in table.notes:
        lines += [note, ""]
    return "\n".join(lines).rstrip() + "\n"


# ------------------------------------------------------------------------------------------------ CSV

CSV_HEADER = ("block", "row", "column", "paper", "ours_mean", "ours_std", "seeds", "difference", "tolerance", "verdict")


def _csv_row(section: Section, row: Row, column: Column, cell: Cell) -> list:
    def rounded(number):
        return "" if number is None else f"{number:.{column.decimals + 2}f}"

    mean, std, seeds = cell.ours or (None, None, 0)
    numbers = (rounded(mean), rounded(std), seeds, rounded(cell.difference))
    paper, tolerance = ("" if number is None else number for number in (cell.paper, cell.tolerance))
    return [section.title, row.name, column.title, paper, *numbers, tolerance, cell.closeness or ""]


def _csv_rows(table: Table) -> Iterable[Sequence]:
    """One line a number where numbers are compared, else the grid as it is printed."""
    numbers = [
        _csv_row(section, row, column, cell)
        for section in table.sections
        for row in section.rows
        for column, cell in zip(section.columns[1:] if row.name else section.columns, row.cells, strict=True)
        if isinstance(cell, Cell)
    ]
    if numbers:
        return [CSV_HEADER, *numbers]
    grid: list[Sequence] = []
    for section in table.sections:
        grid.append([column.title for column in section.columns])
        grid += [[row.name, *row.cells] if row.name else row.cells for row in section.rows]
    return grid


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
}  # fmt: skip


def _latex_text(text: str) -> str:
    """Text for LaTeX; what stands between dollar signs is LaTeX already."""
    parts = text.split("$")
    for index in range(0, len(parts), 2):
        for character in "%&#_":
            parts[index] = parts[index].replace(character, "\\" + character)
        for character, command in LATEX_CHARACTERS.items():
            parts[index] = parts[index].replace(character, command)
    return "$".join(parts)


def _latex_cell(cell: Cell | str, column: Column) -> str:
    if isinstance(cell, str):
        return _latex_text(cell)
    decimals, source, ours = column.decimals, "" if column.source == PAPER else f"{column.source} ", "--"
    if cell.ours:
        spread = "" if cell.ours.std is None else rf" \pm {cell.ours.std:.{decimals}f}"
        ours = f"${cell.ours.mean:.{decimals}f}{spread}$" + (f" [{cell.ours.seeds}]" if cell.says_seeds else "")
    if cell.paper is None:
        return ours
    beside = f"{source}{cell.paper:.{decimals}f} {LATEX_CHARACTERS.get(MARKS[cell.closeness], '')}".strip()
    return rf"{ours} {{\scriptsize({beside})}}"


def _latex_section(section: Section) -> list[str]:
    width = len(section.columns)
    lines = [rf"\multicolumn{{{width}}}{{l}}{{\textit{{{_latex_text(section.title)}}}}} \\"] if section.title else []
    if any(column.title for column in section.columns):
        titles = (rf"\textbf{{{_latex_text(column.title)}}}" if column.title else "" for column in section.columns)
        lines += [" & ".join(titles) + r" \\", r"\midrule"]
    previous = section.rows[0].group if section.rows else 0
    for row in section.rows:
        if row.group != previous:
            lines.append(r"\midrule" if row.group == section.beyond else r"\addlinespace")
            previous = row.group
        lines.append(" & ".join(_texts(section, row, _latex_text(row.name), _latex_cell)) + r" \\")
    return lines


def to_latex(table: Table) -> str:
    """A table for a document that uses booktabs and amssymb."""
    alignment = "l" + "c" * (max(len(section.columns) for section in table.sections) - 1)
    body = []
    for position, section in enumerate(table.sections):
        body += [r"\toprule" if position == 0 else r"\midrule", *_latex_section(section)]
    notes = " ".join(_latex_text(note) for note in table.notes)
    head = ["% needs booktabs and amssymb", r"\begin{table}", rf"\caption{{{_latex_text(table.title)}. {notes}}}"]
    head += [r"\centering", rf"\begin{{tabular}}{{{alignment}}}"]
    return "\n".join([*head, *body, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"


def write_table(table: Table, directory: Path) -> None:
    for suffix, render in (("md", to_markdown), ("csv", to_csv), ("tex", to_latex)):
        artifacts.write_text(directory / f"{table.name}.{suffix}", render(table))
