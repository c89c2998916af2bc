"""What the data are: the symbols of the grammar, examples, sizes and fingerprints beside the original's, Sympy."""

from collections.abc import Iterable, Sequence

from ... import paper
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...language.grammar import CONSTANTS, FUNCTIONS, TABLE_1_CONSTANTS
from ...language.printing import variable_latex
from ...rows import select
from ..formats import NOTHING, Line, Section, Table, section
from ..registry import STATISTICS, table
from ..results import BASELINES, SYMPY_TIMES, Archive

# ------------------------------------------------------------------------------------------------ sizes


@table("table-data", "The data set", "dataset", [STATISTICS])
def data_table(archive: Archive) -> Table:
    """The size of the data set beside the paper's: all equations of a kind, then those of each depth."""
    counts: list[tuple] = []
    for kind, total, correct, reported in (
        ("symbolic", paper.SYMBOLIC_TOTAL, paper.SYMBOLIC_CORRECT, paper.SYMBOLIC_BY_DEPTH),
        ("numeric", paper.NUMERIC_TOTAL, paper.NUMERIC_CORRECT, paper.NUMERIC_BY_DEPTH),
    ):
        theirs = (None, None, {}) if archive.own_axioms else (total, correct, reported)
        if ours := archive.statistics.get(kind):
            counts.append((f"{kind} equations", ours["total"], theirs[0], ours["correct"], theirs[1]))
            for depth in sorted({*map(int, ours["by_depth"]), *theirs[2]}):
                here = ours["by_depth"].get(str(depth), {"correct": 0, "incorrect": 0})
                of_depth = (sum(here.values()), theirs[2].get(depth), here["correct"], None)
                counts.append((f"{kind}, depth {depth}", *of_depth))
    lines = (Line(name, [NOTHING if each is None else f"{each:,}" for each in numbers]) for name, *numbers in counts)
    headings = ("", "ours", "paper", "ours, correct", "paper, correct")
    return Table([section("", headings, lines)], [*filter(None, [archive.own_axioms])])


# ------------------------------------------------------------------------------------------------ fingerprints

DEPTHS = (2, 3, 4)
HEADINGS = ("fingerprint", "original", "ours")
TITLES = {
    "variable": "with a variable",
    "unary": "with a unary function",
    "trigonometric": "with one of the six trigonometric functions",
    "other_unary": "with another unary function",
    "same_root": "both sides with the same root",
    "shared_child": "sides that share a child of their roots",
    "nodes": "nodes, mean",
}
NOTES = (
    "Shares of the symbolic equations in per cent, at depths 2 / 3 / 4. Sympy's row is about the paper's own data "
    "(Table 3; ours over all equations); the rest about the released sample of the authors' generator, 6,096 equations "
    "with 227 of depth 4. The recipe was fixed by these numbers, Sympy's first, before any network saw the data.",
    "Not to be met at once: Sympy's row allows about 55 % of the incorrect equations of depth 4 a variable, where the "
    "sample, which Sympy filtered, has 89 %.",
)


@table("table-fingerprints", "Fingerprints: how near the data set is to the original's", "dataset", [STATISTICS])
def fingerprint_table(archive: Archive) -> Table | None:
    """Every fingerprint, the original's and ours; Sympy's answers are those that `baselines` counts."""
    if not archive.own_axioms and not archive.statistics.get("fingerprints"):
        return None
    if archive.own_axioms:
        return Table([section("", HEADINGS, ())], [archive.own_axioms])
    twins = archive.statistics.get("twins_of_test_in_train", {})
    shares = ", ".join(f"{100 * share:.1f} % ({SPLIT_TITLES[split]})" for split, share in twins.items())
    said = f"Test equations with a mirrored or renamed twin in training: {shares}." if shares else ""
    lines = fingerprint_lines(archive.statistics, archive.beside(BASELINES).get("sympy_answers", []))
    return Table([section("", HEADINGS, lines)], [*NOTES, *filter(None, [said])])


def fingerprint_lines(statistics: dict, answers: list[dict]) -> Iterable[Line]:
    """A line a fingerprint: the original's, then ours."""
    ours, baselines = statistics["fingerprints"], statistics["baselines"][GENERALIZATION]
    reported = [getattr(paper.TABLE_3["sympy"], f"depth_{depth}") for depth in DEPTHS]
    yield Line("Sympy alone, accuracy", (_slashed(reported, 1), _slashed(_sympy_accuracies(answers), 1)))
    for label, measures in paper.SAMPLE_BY_DEPTH.items():
        for measure, title in TITLES.items():
            decimals, factor = (1, 1) if measure == "nodes" else (0, 100)
            here = [ours["by_depth"].get(str(depth), {}).get(label, {}).get(measure) for depth in DEPTHS]
            numbers = [None if number is None else factor * number for number in here]
            yield Line(f"{label}: {title}", (_slashed(measures[measure], decimals), _slashed(numbers, decimals)))
    for kind, theirs in (("leaves", paper.SAMPLE_LEAVES), ("functions", paper.SAMPLE_FUNCTIONS)):
        own = {symbol: round(100 * share, 1) for symbol, share in ours[kind].items()}
        texts = [", ".join(f"{each} {shares.get(each, 0):.3g}" for each in theirs) for shares in (theirs, own)]
        yield Line(f"{kind}, %", texts)
    twins = 100 * statistics["twins_of_test_in_train"][GENERALIZATION]
    for title, bounds, number in (
        ("uses of a distinct subtree", paper.SAMPLE_USES, statistics["uses_of_a_distinct_subtree"]),
        ("bag of symbols, accuracy", paper.SAMPLE_BAG_OF_SYMBOLS, baselines.get("bag_of_symbols")),
        ("lookup, accuracy", paper.SAMPLE_LOOKUP, baselines.get("lookup")),
        ("test equations with a twin in training, %", paper.SAMPLE_TWINS, twins),
    ):
        yield Line(title, ("–".join(f"{each:g}" for each in bounds), NOTHING if number is None else f"{number:.1f}"))


def _slashed(numbers: Iterable[float | None], decimals: int) -> str:
    return " / ".join(NOTHING if number is None else f"{number:.{decimals}f}" for number in numbers)


def _sympy_accuracies(answers: list[dict]) -> Iterable[float | None]:
    """Of auto-evaluation by depth: correct equations called true and incorrect ones called false."""
    for depth in DEPTHS:
        here = select(answers, depth=depth)
        right = sum(row["auto"] for row in here if row["answer"] == ("true" if row["label"] else "false"))
        yield 100 * right / sum(row["auto"] for row in here) if here else None


# ------------------------------------------------------------------------------------------------ tables 1, 2 and 5


def symbol_latex(name: str) -> str:
    """A function, constant or variable as LaTeX in dollar signs."""
    known = FUNCTIONS.get(name) or CONSTANTS.get(name)
    return f"${known.latex if known else name if name == '=' else variable_latex(name)}$"


def _grid(title: str, rows: Sequence[Sequence[str]]) -> Section:
    width = max(map(len, rows))
    lines = (Line("", [*map(symbol_latex, row)] + [""] * (width - len(row))) for row in rows)
    return section(title, [""] * width, lines)


@table("table-1", "Table 1. Symbols of the grammar", "dataset", [])
def table_1(_: Archive) -> Table:
    """The paper's symbols, each looked up in our grammar, and the constants that ours has beyond them."""
    extra = [name for name in CONSTANTS if name not in TABLE_1_CONSTANTS]
    sections = (
        _grid("Unary functions", paper.TABLE_1_UNARY),
        _grid("Terminals", paper.TABLE_1_TERMINALS),
        _grid("Binary functions", [paper.TABLE_1_BINARY]),
        _grid("Terminals beyond the paper's table", [extra]),
    )
    note = (
        "Axioms need the negative constants, decimal trees the digits 5 to 9. Variables: as many as needed. "
        "In function evaluations, terminals are also the two-decimal numbers of the range "
        f"[{paper.NUMBERS_RANGE[0]}, {paper.NUMBERS_RANGE[1]}]."
    )
    return Table(sections, [note])


@table("table-2", "Table 2. Examples of generated equations", "dataset", [])
def table_2(archive: Archive) -> Table:
    """Examples from our data set, drawn when it was made, and the paper's below them."""
    theirs = zip(paper.TABLE_2_CORRECT, paper.TABLE_2_INCORRECT, strict=True)
    headings = ("Examples of correct identities", "Examples of incorrect identities")
    sections = [
        section(title, headings, (Line("", [f"${each}$" for each in pair]) for pair in pairs))
        for title, pairs in (("Ours", archive.examples), ("The paper's", theirs))
        if pairs
    ]
    missing = "Our examples are missing: `python -m reproduction generate` makes them."
    return Table(sections, [] if archive.examples else [missing])


@table("table-5", "Table 5. Functions of the appendix", "dataset", [], folded=True)
def table_5(_: Archive) -> Table:
    """The appendix's list; it has log and atan2, which the count of 28 functions leaves out."""
    note = (
        "The paper's count of 28 functions does not include $\\log$ and $\\operatorname{atan2}$: in ours they are "
        "switched on by name, `--extra-functions log,atan2`."
    )
    return Table([_grid("", paper.TABLE_5)], [note], "Table 5. Functions, symbols and constants of the appendix")


# ------------------------------------------------------------------------------------------------ Sympy


def _shares(*pairs: Sequence[int]) -> list[str]:
    return [f"{100 * part / whole:.1f} % ({part:,} of {whole:,})" if whole else NOTHING for part, whole in pairs]


def _opened(counts: dict) -> list[str]:
    """The share that Sympy does not decide."""
    return _shares(*((counts[way], counts["count"]) for way in ("open_auto", "open_simplify")))


def _refuted(rows: list[dict]) -> list[str]:
    """The share of incorrect equations that Sympy calls false."""
    sides = (select(rows, answer="false"), rows)
    return _shares(*([sum(row[way] for row in each) for each in sides] for way in ("auto", "simplify")))


@table("table-sympy", "Sympy judged by another oracle", "sympy", [BASELINES])
def sympy_table(archive: Archive) -> Table | None:
    """What Sympy leaves open of true identities by depth and function, what it refutes, and how long it takes."""
    baselines = archive.beside(BASELINES)
    if not (opened := baselines.get("true_identities_left_open")):
        return None
    every, wrong = "all depths", select(baselines["sympy_answers"], label=0)
    depths = sorted({row["depth"] for row in baselines["sympy_answers"]})
    by_depth = {every: opened["all"], **{f"depth {depth}": counts for depth, counts in opened["by_depth"].items()}}
    by_function = {symbol_latex(name): opened["by_function"].get(name) for name in FUNCTIONS}
    times = {
        every if depth == "all" else f"depth {depth}": [f"{1000 * seconds[way]:.1f} ms" for way in ("auto", "simplify")]
        for depth, seconds in archive.beside(SYMPY_TIMES).items()
    }
    refuted = {every: _refuted(wrong), **{f"depth {depth}": _refuted(select(wrong, depth=depth)) for depth in depths}}
    sections = [
        section(title, ("", "auto-evaluation", "with simplify"), [Line(*line) for line in lines.items()])
        for title, lines in {
            "True identities that Sympy does not decide, by depth": {key: _opened(by_depth[key]) for key in by_depth},
            "Incorrect equations that Sympy refutes, by depth": refuted,
            "True identities that Sympy does not decide, by function": {
                name: _opened(counts) for name, counts in by_function.items() if counts
            },
            "CPU time an equation, all symbolic equations": times,
        }.items()
        if lines
    ]
    return Table(sections, [SYMPY_NOTE])


SYMPY_NOTE = (
    "True identities are the correct equations of the data set, which Sympy had to settle, as in the paper, and those "
    "that agree at every sample point in ball arithmetic while Sympy does not settle them (UNSURE): what it leaves "
    "open is their share."
)
