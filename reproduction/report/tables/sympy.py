"""Sympy judged by another oracle: the question that the paper leaves open, as a table."""

from ...language.grammar import FUNCTIONS
from ..results import Archive
from .formats import NOTHING, Column, Row, Section, Table
from .symbols import symbol_latex

MAKE = "`python -m reproduction baselines`"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part:,} of {whole:,})" if whole else NOTHING


def _open_row(name: str, counts: dict) -> Row:
    return Row(name, tuple(_share(counts[way], counts["count"]) for way in ("open_auto", "open_simplify")))


def _refuted_row(depth: int | None, answers: list[dict]) -> Row:
    """The share of incorrect equations that Sympy calls false."""
    here = [row for row in answers if not row["label"] and depth in (None, row["depth"])]
    shares = (
        _share(sum(row[way] for row in here if row["answer"] == "false"), sum(row[way] for row in here))
        for way in ("auto", "simplify")
    )
    return Row("all depths" if depth is None else f"depth {depth}", tuple(shares))


def _time_row(name: str, seconds: dict) -> Row:
    return Row(name, tuple(f"{1000 * seconds[way]:.1f} ms" for way in ("auto", "simplify")))


def sympy_table(archive: Archive) -> Table:
    """What Sympy leaves open of true identities by depth and function, what it refutes, and how long it takes."""
    title = "Sympy judged by another oracle"
    columns = (Column(""), Column("auto-evaluation"), Column("with simplify"))
    opened = archive.baselines.get("true_identities_left_open")
    if not opened:
        return Table("table-sympy", title, (Section("", columns, ()),), (f"Missing: {MAKE} makes it.",))
    depths = [_open_row("all depths", opened["all"])]
    depths += [_open_row(f"depth {depth}", counts) for depth, counts in opened["by_depth"].items()]
    names = [name for name in FUNCTIONS if name in opened["by_function"]]
    functions = [_open_row(symbol_latex(name), opened["by_function"][name]) for name in names]
    answers = archive.baselines["sympy_answers"]
    refuted = [_refuted_row(depth, answers) for depth in (None, *sorted({row["depth"] for row in answers}))]
    sections = [
        Section("True identities that Sympy does not decide, by depth", columns, tuple(depths)),
        Section("Incorrect equations that Sympy refutes, by depth", columns, tuple(refuted)),
        Section("True identities that Sympy does not decide, by function", columns, tuple(functions)),
    ]
    if archive.sympy_times:
        titles = {"all": "all depths"}
        rows = tuple(_time_row(titles.get(d, f"depth {d}"), row) for d, row in archive.sympy_times.items())
        sections.append(Section("CPU time an equation, all symbolic equations", columns, rows))
    notes = (
        "True identities are the correct equations of the data set and those that agree at every sample point in ball "
        "arithmetic while Sympy does not settle them (UNSURE). The correct ones had to be settled by Sympy to get into "
        "the data set, as in the paper: what it leaves open is the share of UNSURE.",
    )
    return Table("table-sympy", title, tuple(sections), notes)
