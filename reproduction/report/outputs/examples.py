"""Figure 4: two equations with the model's best candidates, and the functions as the network evaluates them."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...completion.store import PAPER
from ...data.dataset import GENERALIZATION
from ...judges.oracle import CORRECT
from ...language.grammar import FUNCTIONS
from ..drawing import BLUE, FAINT, INK, LOOKS, Drawing, panels, rounded
from ..formats import Column, Row, Section, Table
from ..registry import FIGURE, TABLE, Output, register
from ..results import Archive

MODEL = "tree-lstm+data"  # the paper's Figure 4 is of this one
COSINE = "cos"
TRUE_FUNCTIONS: dict[str, Callable] = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "cot": lambda x: 1 / np.tan(x)}
SYMBOLIC_HEAD, NUMERIC_HEAD = ("pred", "prob"), ("pred", "modelErr", "trueErr")
ROWS_SHOWN = 9  # as in the paper
GRID = np.arange(-314, 315) / 100


Lines = Iterable[tuple[bool, tuple[str, ...]]]  # (correct, columns) of each candidate


def _first(archive: Archive) -> tuple[str, dict] | None:
    """The network and the seed of the first examples of both kinds, and these."""
    for row in archive.details(archive.protocol):
        found = row.get("examples") or {}
        is_here = (row["model"], row["split"]) == (MODEL, GENERALIZATION)
        if is_here and found.get("symbolic") and found.get("numeric"):
            return f"{LOOKS[MODEL].name}, seed {row['seed']}", found
    return None


def scientific(error: float) -> str:
    """1.8e-5 as the paper writes it; 0 is 0."""
    if error == 0:
        return "0"
    digits, exponent = f"{error:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def symbolic_lines(example: dict, spelling: str = "text") -> Lines:
    """Candidates as text or as latex, with their probabilities."""
    return [(row["verdict"] == CORRECT, (row[spelling], f"{row['probability']:.4f}")) for row in example["predictions"]]


def numeric_lines(example: dict) -> Lines:
    return [
        (row["fits"], (row["text"], scientific(row["model_error"]), scientific(row["true_error"])))
        for row in example["predictions"]
    ]


def _draw_list(axes: Axes, letter: str, example: dict, head: Sequence[str], lines: Lines) -> None:
    """A small table, correct candidates bold, under its equation."""
    axes.set_title(letter)
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(-ROWS_SHOWN - 0.7, 1.9)
    places = np.linspace(0.02, 0.98, len(head))
    sides = ["left"] + ["right"] * (len(head) - 1)
    axes.text(0.5, 1.2, f"${example['latex']}$", ha="center", fontsize=12)
    for line in (0.9, -0.35, -ROWS_SHOWN - 0.5):
        axes.axhline(line, color=INK, linewidth=0.8)
    for x, side, word in zip(places, sides, head, strict=True):
        axes.text(x, 0.1, word, ha=side)
    for height, (correct, columns) in zip(range(1, ROWS_SHOWN + 1), lines, strict=False):
        for x, side, word in zip(places, sides, columns, strict=True):
            axes.text(x, -height, word, ha=side, fontweight="bold" if correct else "normal", color=INK)


def _true_curve(name: str) -> np.ndarray:
    """The function on the grid, broken at its poles."""
    with np.errstate(divide="ignore"):
        values = TRUE_FUNCTIONS[name](GRID)
    return np.where(np.abs(values) > 10, np.nan, values)


def _draw_errors(axes: Axes, label: str, places: Sequence[float], rows: Sequence[dict]) -> None:
    axes.axhline(0, color=FAINT, linewidth=1)
    axes.plot(places, [row["decoded"] - row["value"] for row in rows], "o", color=BLUE, markersize=3)
    axes.set_xlabel(label)


def _draw_function(axes: Axes, below: Axes, name: str, stored: dict) -> list[tuple]:
    """The network's values of a function of one argument above, what is wrong with them below; returns the data."""
    rows = stored["evaluations"][name]
    arguments = [row["arguments"][0] for row in rows]
    decoded = [row["decoded"] for row in rows]
    if name in TRUE_FUNCTIONS:
        axes.plot(GRID, _true_curve(name), color=FAINT, linewidth=2.5, alpha=0.6, label=f"{name}(x)")
    axes.plot(GRID, stored["curves"][name], color=BLUE, linewidth=0.8, alpha=0.7, label="network, all two-decimal x")
    axes.plot(arguments, decoded, "o", color=BLUE, markersize=4, label="network, test set")
    axes.set_ylim(-3.4, 3.4)
    axes.set_title(name, fontweight="normal")
    _draw_errors(below, "x", arguments, rows)
    return [(name, x, rounded(row["value"]), y) for x, row, y in zip(arguments, rows, decoded, strict=True)]


def figure_4(archive: Archive) -> Drawing | None:
    """The paper's two equations, and its cosine on the test set."""
    first = _first(archive)
    if first is None:
        return None
    source, stored = first
    symbolic, numeric = stored["symbolic"][0], stored["numeric"][0]  # the paper's own come first
    figure, axes = panels(
        2, 3, sharex="col", width=10, height=3.9, gridspec_kw={"height_ratios": (3, 1), "width_ratios": (0.75, 1, 1.6)}
    )
    for column in (0, 1):
        for panel in axes[:, column]:
            panel.remove()
    grid = axes[0, 0].get_gridspec()
    _draw_list(figure.add_subplot(grid[:, 0]), "a", symbolic, SYMBOLIC_HEAD, symbolic_lines(symbolic))
    _draw_list(figure.add_subplot(grid[:, 1]), "b", numeric, NUMERIC_HEAD, numeric_lines(numeric))
    data = []
    if COSINE in stored["evaluations"]:
        data = _draw_function(axes[0, 2], axes[1, 2], COSINE, stored)
        axes[0, 2].set_title("c")
        axes[0, 2].set_ylim(-1.4, 1.9)
        axes[0, 2].legend(loc="upper center", ncols=1, fontsize=7)
        axes[1, 2].set_ylabel("error")
    figure.suptitle(source, fontsize=10)
    caption = (
        f"{source}: the paper's two equations with candidates by the model's confidence, "
        "correct ones bold; and the cosine on test arguments, with the exact curve and the errors below."
    )
    return Drawing(figure, caption, [("function", "x", "exact", "decoded"), *data])


def _draw_pairs(axes: Axes, below: Axes, name: str, rows: list[dict]) -> None:
    """A function of two arguments: decoded against exact values, and the errors below."""
    exact = [row["value"] for row in rows]
    axes.plot([-3.2, 3.2], [-3.2, 3.2], color=FAINT, linewidth=2.5, alpha=0.6)
    axes.plot(exact, [row["decoded"] for row in rows], "o", color=BLUE, markersize=3)
    axes.set_title({"*": "×"}.get(name, name), fontweight="normal")
    _draw_errors(below, "exact value", exact, rows)


def figure_4c_all(archive: Archive) -> Drawing | None:
    """Beyond the paper: every function that is evaluated, as Figure 4c shows the cosine."""
    first = _first(archive)
    if first is None:
        return None
    source, stored = first
    functions = sorted(stored["evaluations"], key=list(FUNCTIONS).index)[:6]
    size: dict[str, Any] = {
        "width": 2.1 * len(functions) + 0.5,
        "height": 3.8,
        "gridspec_kw": {"height_ratios": (3, 1)},
    }
    figure, axes = panels(2, len(functions), sharex="col", sharey="row", squeeze=False, **size)
    data: list[tuple] = [("function", "arguments", "exact", "decoded")]
    for column, function in enumerate(functions):
        rows = stored["evaluations"][function]
        if FUNCTIONS[function].arity == 1:
            _draw_function(axes[0, column], axes[1, column], function, stored)
        else:
            _draw_pairs(axes[0, column], axes[1, column], function, rows)
        data += [
            (function, " ".join(map(str, row["arguments"])), rounded(row["value"]), row["decoded"]) for row in rows
        ]
    axes[0, 0].set_ylabel("value")
    axes[1, 0].set_ylabel("error")
    caption = f"{source}, test set: dots are decoded values, the grey line is exact; errors below."
    return Drawing(figure, caption, data)


def _math(latex: str, correct: bool) -> str:
    """LaTeX of a cell; 1.8e-5 with an upright e."""
    latex = re.sub(r"(?<=\d)e(-?\d+)$", r"\\mathrm{e}{\1}", latex)
    return rf"$\mathbf{{{latex}}}$" if correct else f"${latex}$"


def _section(example: dict, head: Sequence[str], lines: Lines) -> Section:
    """An equation and its candidates as a part of a table, correct ones bold."""
    rows = tuple(
        Row("", (*(_math(cell, correct) for cell in cells), "yes" if correct else "no")) for correct, cells in lines
    )
    source = "the paper's example" if example["id"] == PAPER else f"test equation {example['id']}"
    return Section(f"${example['latex']}$ ({source})", tuple(map(Column, (*head, "correct"))), rows)


def figure_4a(archive: Archive) -> Table | None:
    """Symbolic blanks with more equations of the test set."""
    first = _first(archive)
    if first is None:
        return None
    sections = tuple(_section(each, SYMBOLIC_HEAD, symbolic_lines(each, "latex")) for each in first[1]["symbolic"])
    note = "Correct is what both judges, the numeric one and Sympy, confirm."
    return Table("figure-4a", f"Figure 4a. Symbolic completion, {first[0]}", sections, (note,))


def figure_4b(archive: Archive) -> Table | None:
    """Function evaluations with more of the test set."""
    first = _first(archive)
    if first is None:
        return None
    sections = tuple(_section(each, NUMERIC_HEAD, numeric_lines(each)) for each in first[1]["numeric"])
    note = "modelErr is the squared error of the decoded number, trueErr that of the exact value to two decimals."
    return Table("figure-4b", f"Figure 4b. Completion of function evaluations, {first[0]}", sections, (note,))


register(
    Output("figure-4", "Figure 4. Examples of equation completion", FIGURE, figure_4, section="completion"),
    Output("figure-4c-all", "Figure 4c for every evaluated function", FIGURE, figure_4c_all, section="completion"),
    Output("figure-4a", "Figure 4a. Symbolic completion", TABLE, figure_4a, section="completion", folded=True),
    Output(
        "figure-4b",
        "Figure 4b. Completion of function evaluations",
        TABLE,
        figure_4b,
        section="completion",
        folded=True,
    ),
)
