"""What the data are: the symbols of the grammar, examples, sizes and fingerprints beside the original's, Sympy."""

from collections.abc import Iterable, Mapping

from ... import paper
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...language.grammar import CONSTANTS, FUNCTIONS, TABLE_1_CONSTANTS
from ...language.printing import variable_latex
from ..formats import NOTHING, Column, Row, Section, Table, plain_table
from ..registry import STATISTICS, TABLE, Output, register
from ..results import BASELINES, SYMPY_TIMES, Archive


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


# ------------------------------------------------------------------------------------------------ sizes


def _counts_row(name: str, ours: int, correct: int, reported: int | None, reported_correct: int | None = None) -> Row:
    texts = (NOTHING if number is None else f"{number:,}" for number in (ours, reported, correct, reported_correct))
    return Row(name, tuple(texts))


def data_table(archive: Archive) -> Table:
    """The size of the data set beside the paper's."""
    rows, notes = [], tuple(filter(None, [archive.own_axioms]))
    for kind, total, correct, by_depth in (
        ("symbolic", paper.SYMBOLIC_TOTAL, paper.SYMBOLIC_CORRECT, paper.SYMBOLIC_BY_DEPTH),
        ("numeric", paper.NUMERIC_TOTAL, paper.NUMERIC_CORRECT, paper.NUMERIC_BY_DEPTH),
    ):
        ours = archive.statistics.get(kind)
        if not ours:
            continue
        by_depth = {} if archive.own_axioms else by_depth
        theirs = (None, None) if archive.own_axioms else (total, correct)
        rows.append(_counts_row(f"{kind} equations", ours["total"], ours["correct"], *theirs))
        for depth in sorted({*map(int, ours["by_depth"]), *by_depth}):
            here = ours["by_depth"].get(str(depth), {"correct": 0, "incorrect": 0})
            rows.append(_counts_row(f"{kind}, depth {depth}", sum(here.values()), here["correct"], by_depth.get(depth)))
    headings = ("", "ours", "paper", "ours, correct", "paper, correct")
    return plain_table("table-data", "The data set", headings, rows, notes)


DEPTHS = (2, 3, 4)
TITLES = {
    "variable": "with a variable",
    "unary": "with a unary function",
    "trigonometric": "with one of the six trigonometric functions",
    "other_unary": "with another unary function",
    "same_root": "both sides with the same root",
    "shared_child": "sides that share a child of their roots",
    "nodes": "nodes, mean",
}
HEADINGS = ("fingerprint", "original", "ours")
NOTES = (
    "Shares of the symbolic equations in per cent, at depths 2 / 3 / 4. Sympy's row is about the paper's own data "
    "(Table 3; ours over all equations); the rest about the released sample of the authors' generator, 6,096 equations "
    "with 227 of depth 4. The recipe was fixed by these numbers, Sympy's first, before any network saw the data.",
    "Not to be met at once: Sympy decides nearly every incorrect equation without a variable and hardly one with, so "
    "that its row allows about 55 % of the incorrect equations of depth 4 a variable, where the sample has 89 %; the "
    "sample was filtered by Sympy, ours has two judges.",
)


def _by_depth(numbers, decimals: int = 0) -> str:
    return " / ".join(NOTHING if number is None else f"{number:.{decimals}f}" for number in numbers)


def _sympy_row(answers: list[dict]) -> Row:
    """Accuracy of auto-evaluation: correct equations called true and incorrect ones called false."""
    reported = (getattr(paper.TABLE_3["sympy"], f"depth_{depth}") for depth in DEPTHS)
    ours = []
    for depth in DEPTHS:
        here = [row for row in answers if row["depth"] == depth]
        right = sum(row["auto"] for row in here if row["answer"] == ("true" if row["label"] else "false"))
        ours.append(100 * right / sum(row["auto"] for row in here) if here else None)
    return Row("Sympy alone, accuracy", (_by_depth(reported, 1), _by_depth(ours, 1)))


def _measure_row(label: str, measure: str, ours: dict) -> Row:
    decimals, factor = (1, 1) if measure == "nodes" else (0, 100)
    here = (ours["by_depth"].get(str(depth), {}).get(label, {}).get(measure) for depth in DEPTHS)
    numbers = [None if number is None else factor * number for number in here]
    reported = _by_depth(paper.SAMPLE_BY_DEPTH[label][measure], decimals)
    return Row(f"{label}: {TITLES[measure]}", (reported, _by_depth(numbers, decimals)))


def _frequencies_row(title: str, reported: Mapping[str, float], ours: Mapping[str, float]) -> Row:
    texts = (
        ", ".join(f"{symbol} {shares.get(symbol, 0):.3g}" for symbol in reported)
        for shares in (reported, {symbol: round(100 * share, 1) for symbol, share in ours.items()})
    )
    return Row(title, tuple(texts))


def _range_row(title: str, reported: tuple[float, ...], ours: float | None) -> Row:
    return Row(title, ("–".join(f"{each:g}" for each in reported), NOTHING if ours is None else f"{ours:.1f}"))


def fingerprint_rows(statistics: dict, answers: list[dict]) -> list[Row]:
    """A row a fingerprint: the original's, then ours."""
    ours = statistics["fingerprints"]
    baselines = statistics["baselines"][GENERALIZATION]
    twins = 100 * statistics["twins_of_test_in_train"][GENERALIZATION]
    return [
        _sympy_row(answers),
        *(_measure_row(label, measure, ours) for label in paper.SAMPLE_BY_DEPTH for measure in TITLES),
        _frequencies_row("leaves, %", paper.SAMPLE_LEAVES, ours["leaves"]),
        _frequencies_row("functions, %", paper.SAMPLE_FUNCTIONS, ours["functions"]),
        _range_row("uses of a distinct subtree", paper.SAMPLE_USES, statistics["uses_of_a_distinct_subtree"]),
        _range_row("bag of symbols, accuracy", paper.SAMPLE_BAG_OF_SYMBOLS, baselines.get("bag_of_symbols")),
        _range_row("lookup, accuracy", paper.SAMPLE_LOOKUP, baselines.get("lookup")),
        _range_row("test equations with a twin in training, %", paper.SAMPLE_TWINS, twins),
    ]


def _twins(statistics: dict) -> tuple[str, ...]:
    """The share of test equations with a twin in training, in every split."""
    twins = statistics.get("twins_of_test_in_train", {})
    shares = ", ".join(f"{100 * share:.1f} % ({SPLIT_TITLES[split]})" for split, share in twins.items())
    return (f"Test equations with a mirrored or renamed twin in training: {shares}.",) if shares else ()


def fingerprint_table(archive: Archive) -> Table | None:
    """Every fingerprint, the original's and ours; Sympy's answers are those that `baselines` counts."""
    name, title = "table-fingerprints", "Fingerprints: how near the data set is to the original's"
    if archive.own_axioms:
        return plain_table(name, title, HEADINGS, (), (archive.own_axioms,))
    if not archive.statistics.get("fingerprints"):
        return None
    rows = fingerprint_rows(archive.statistics, archive.beside(BASELINES).get("sympy_answers", []))
    return plain_table(name, title, HEADINGS, rows, (*NOTES, *_twins(archive.statistics)))


# ------------------------------------------------------------------------------------------------ Sympy


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


def sympy_table(archive: Archive) -> Table | None:
    """What Sympy leaves open of true identities by depth and function, what it refutes, and how long it takes."""
    title = "Sympy judged by another oracle"
    columns = (Column(""), Column("auto-evaluation"), Column("with simplify"))
    opened = archive.beside(BASELINES).get("true_identities_left_open")
    if not opened:
        return None
    depths = [_open_row("all depths", opened["all"])]
    depths += [_open_row(f"depth {depth}", counts) for depth, counts in opened["by_depth"].items()]
    names = [name for name in FUNCTIONS if name in opened["by_function"]]
    functions = [_open_row(symbol_latex(name), opened["by_function"][name]) for name in names]
    answers = archive.beside(BASELINES)["sympy_answers"]
    refuted = [_refuted_row(depth, answers) for depth in (None, *sorted({row["depth"] for row in answers}))]
    sections = [
        Section("True identities that Sympy does not decide, by depth", columns, tuple(depths)),
        Section("Incorrect equations that Sympy refutes, by depth", columns, tuple(refuted)),
        Section("True identities that Sympy does not decide, by function", columns, tuple(functions)),
    ]
    if times := archive.beside(SYMPY_TIMES):
        titles = {"all": "all depths"}
        rows = tuple(_time_row(titles.get(d, f"depth {d}"), row) for d, row in times.items())
        sections.append(Section("CPU time an equation, all symbolic equations", columns, rows))
    notes = (
        "True identities are the correct equations of the data set and those that agree at every sample point in ball "
        "arithmetic while Sympy does not settle them (UNSURE). The correct ones had to be settled by Sympy to get into "
        "the data set, as in the paper: what it leaves open is the share of UNSURE.",
    )
    return Table("table-sympy", title, tuple(sections), notes)


register(
    Output("table-data", "The data set", TABLE, data_table, (STATISTICS,), "dataset"),
    Output(
        "table-fingerprints", "Fingerprints: how near the data set is to the original's", TABLE, fingerprint_table,
        (STATISTICS,), "dataset",
    ),
    Output("table-1", "Table 1. Symbols of the grammar", TABLE, lambda _: table_1(), (), "dataset"),
    Output("table-2", "Table 2. Examples of generated equations", TABLE, table_2, (), "dataset"),
    Output("table-5", "Table 5. Functions of the appendix", TABLE, lambda _: table_5(), (), "dataset", folded=True),
    Output("table-sympy", "Sympy judged by another oracle", TABLE, sympy_table, (BASELINES,), "sympy"),
)  # fmt: skip
