"""Figure 4: two equations with the model's best candidates, and the functions as the network evaluates them."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from ...completion.store import PAPER
from ...data.dataset import GENERALIZATION
from ...judges.oracle import CORRECT
from ...language.grammar import FUNCTIONS
from ...rows import select
from ..drawing import LOOKS, Colour, Drawing, panels, rounded
from ..formats import Line, Table, section
from ..registry import figure, table
from ..results import Archive

MODEL = "tree-lstm+data"  # the paper's Figure 4 is of this one
COSINE = "cos"
TRUE_FUNCTIONS: dict[str, Callable] = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "cot": lambda x: 1 / np.tan(x)}
ROWS_SHOWN = 9  # as in the paper
GRID = np.arange(-314, 315) / 100


class Listed(NamedTuple):
    """An equation with a blank and what fills it: headings, and of each candidate the columns and if it is right."""

    example: dict
    head: tuple[str, ...]
    lines: Sequence[tuple[bool, tuple[str, ...]]]


def _first(archive: Archive) -> tuple[str, dict] | None:
    """The network and the seed of the first examples of both kinds, and these."""
    for row in select(archive.details(archive.protocol), model=MODEL, split=GENERALIZATION):
        found = row.get("examples") or {}
        if found.get("symbolic") and found.get("numeric"):
            return f"{LOOKS[MODEL].name}, seed {row['seed']}", found
    return None


def scientific(error: float) -> str:
    """1.8e-5 as the paper writes it; 0 is 0."""
    digits, exponent = f"{error:.1e}".split("e")
    return f"{digits}e{int(exponent)}" if error else "0"


def symbolic(example: dict, spelling: str = "text") -> Listed:
    """Candidates as text or as latex, with their probabilities."""
    found = example["predictions"]
    lines = [(row["verdict"] == CORRECT, (row[spelling], f"{row['probability']:.4f}")) for row in found]
    return Listed(example, ("pred", "prob"), lines)


def numeric(example: dict) -> Listed:
    """Candidates with the error of the decoded number and of the exact value."""
    errors = ("model_error", "true_error")
    found = example["predictions"]
    lines = [(row["fits"], (row["text"], *(scientific(row[name]) for name in errors))) for row in found]
    return Listed(example, ("pred", "modelErr", "trueErr"), lines)


# ------------------------------------------------------------------------------------------------ figures


@figure("figure-4", "Figure 4. Examples of equation completion", "completion")
def figure_4(archive: Archive) -> Drawing | None:
    """The paper's two equations, which come first, and its cosine on the test set."""
    if (first := _first(archive)) is None:
        return None
    source, stored = first
    ratios = {"height_ratios": (3, 1), "width_ratios": (0.75, 1, 1.6)}
    drawn, axes = panels(2, 3, sharex="col", width=10, height=3.9, gridspec_kw=ratios)
    for panel in axes[:, :2].T.flat:
        panel.remove()
    grid = axes[0, 0].get_gridspec()
    for column, listed in enumerate((symbolic(stored["symbolic"][0]), numeric(stored["numeric"][0]))):
        _draw_list(drawn.add_subplot(grid[:, column]), "ab"[column], listed)
    data: list[tuple] = [("function", "x", "exact", "decoded")]
    if rows := stored["evaluations"].get(COSINE):
        _draw_function(axes[0, 2], axes[1, 2], COSINE, rows, stored["curves"][COSINE])
        data += [(COSINE, row["arguments"][0], rounded(row["value"]), row["decoded"]) for row in rows]
        axes[0, 2].set_title("c")
        axes[0, 2].set_ylim(-1.4, 1.9)
        axes[0, 2].legend(loc="upper center", ncols=1, fontsize=7)
        axes[1, 2].set_ylabel("error")
    drawn.suptitle(source, fontsize=10)
    caption = (
        f"{source}: the paper's two equations with candidates by the model's confidence, "
        "correct ones bold; and the cosine on test arguments, with the exact curve and the errors below."
    )
    return Drawing(drawn, caption, data)


def _draw_list(axes: Axes, letter: str, listed: Listed) -> None:
    """A small table, correct candidates bold, under its equation."""
    axes.set_title(letter)
    axes.set_axis_off()
    axes.set_xlim(0, 1)
    axes.set_ylim(-ROWS_SHOWN - 0.7, 1.9)
    places = np.linspace(0.02, 0.98, len(listed.head))
    sides = ["left"] + ["right"] * (len(listed.head) - 1)
    axes.text(0.5, 1.2, f"${listed.example['latex']}$", ha="center", fontsize=12)
    for line in (0.9, -0.35, -ROWS_SHOWN - 0.5):
        axes.axhline(line, color=Colour.INK, linewidth=0.8)
    for x, side, word in zip(places, sides, listed.head, strict=True):
        axes.text(x, 0.1, word, ha=side)
    for height, (correct, columns) in enumerate(listed.lines[:ROWS_SHOWN], 1):
        for x, side, word in zip(places, sides, columns, strict=True):
            axes.text(x, -height, word, ha=side, fontweight="bold" if correct else "normal", color=Colour.INK)


def _draw_function(axes: Axes, below: Axes, name: str, rows: Sequence[dict], curve: Sequence[float]) -> None:
    """The network's values of a function of one argument above, what is wrong with them below."""
    arguments = [row["arguments"][0] for row in rows]
    if name in TRUE_FUNCTIONS:
        with np.errstate(divide="ignore"):
            exact = TRUE_FUNCTIONS[name](GRID)
        exact = np.where(np.abs(exact) > 10, np.nan, exact)  # broken at its poles
        axes.plot(GRID, exact, color=Colour.FAINT, linewidth=2.5, alpha=0.6, label=f"{name}(x)")
    axes.plot(GRID, curve, color=Colour.BLUE, linewidth=0.8, alpha=0.7, label="network, all two-decimal x")
    decoded = [row["decoded"] for row in rows]
    axes.plot(arguments, decoded, "o", color=Colour.BLUE, markersize=4, label="network, test set")
    axes.set_ylim(-3.4, 3.4)
    axes.set_title(name, fontweight="normal")
    _draw_errors(below, "x", arguments, rows)


def _draw_pairs(axes: Axes, below: Axes, name: str, rows: Sequence[dict]) -> None:
    """A function of two arguments: decoded against exact values, and the errors below."""
    exact = [row["value"] for row in rows]
    axes.plot([-3.2, 3.2], [-3.2, 3.2], color=Colour.FAINT, linewidth=2.5, alpha=0.6)
    axes.plot(exact, [row["decoded"] for row in rows], "o", color=Colour.BLUE, markersize=3)
    axes.set_title({"*": "×"}.get(name, name), fontweight="normal")
    _draw_errors(below, "exact value", exact, rows)


def _draw_errors(axes: Axes, label: str, places: Sequence[float], rows: Sequence[dict]) -> None:
    axes.axhline(0, color=Colour.FAINT, linewidth=1)
    axes.plot(places, [row["decoded"] - row["value"] for row in rows], "o", color=Colour.BLUE, markersize=3)
    axes.set_xlabel(label)


@figure("figure-4c-all", "Figure 4c for every evaluated function", "completion")
def figure_4c_all(archive: Archive) -> Drawing | None:
    """Beyond the paper: every function that is evaluated, as Figure 4c shows the cosine."""
    if (first := _first(archive)) is None:
        return None
    source, stored = first
    functions = sorted(stored["evaluations"], key=list(FUNCTIONS).index)[:6]
    size: dict[str, Any] = {"width": 2.1 * len(functions) + 0.5, "height": 3.8, "height_ratios": (3, 1)}
    drawn, axes = panels(2, len(functions), sharex="col", sharey="row", squeeze=False, **size)
    data: list[tuple] = [("function", "arguments", "exact", "decoded")]
    for name, above, below in zip(functions, *axes, strict=True):
        rows = stored["evaluations"][name]
        if FUNCTIONS[name].arity == 1:
            _draw_function(above, below, name, rows, stored["curves"][name])
        else:
            _draw_pairs(above, below, name, rows)
        arguments = (" ".join(map(str, row["arguments"])) for row in rows)
        data += [(name, each, rounded(row["value"]), row["decoded"]) for each, row in zip(arguments, rows, strict=True)]
    axes[0, 0].set_ylabel("value")
    axes[1, 0].set_ylabel("error")
    caption = f"{source}, test set: dots are decoded values, the grey line is exact; errors below."
    return Drawing(drawn, caption, data)


# ------------------------------------------------------------------------------------------------ tables


def _math(latex: str, correct: bool) -> str:
    """LaTeX of a cell; 1.8e-5 with an upright e."""
    latex = re.sub(r"(?<=\d)e(-?\d+)$", r"\\mathrm{e}{\1}", latex)
    return rf"$\mathbf{{{latex}}}$" if correct else f"${latex}$"


def _lists(archive: Archive, title: str, kind: str, listed_of: Callable[[dict], Listed], note: str) -> Table | None:
    """The paper's equation and more of the test set with their candidates, correct ones bold."""
    if (first := _first(archive)) is None:
        return None
    network, stored = first
    sections = []
    for example, head, lines in map(listed_of, stored[kind]):
        source = "the paper's example" if example["id"] == PAPER else f"test equation {example['id']}"
        cells = ([*(_math(cell, right) for cell in each), "yes" if right else "no"] for right, each in lines)
        body = (Line("", each) for each in cells)
        sections.append(section(f"${example['latex']}$ ({source})", (*head, "correct"), body))
    return Table(sections, [note], f"{title}, {network}")


TITLES = {"symbolic": "Figure 4a. Symbolic completion", "numeric": "Figure 4b. Completion of function evaluations"}


@table("figure-4a", TITLES["symbolic"], "completion", folded=True)
def figure_4a(archive: Archive) -> Table | None:
    """Symbolic blanks."""
    note = "Correct is what both judges, the numeric one and Sympy, confirm."
    return _lists(archive, TITLES["symbolic"], "symbolic", lambda each: symbolic(each, "latex"), note)


@table("figure-4b", TITLES["numeric"], "completion", folded=True)
def figure_4b(archive: Archive) -> Table | None:
    """Function evaluations."""
    note = "modelErr is the squared error of the decoded number, trueErr that of the exact value to two decimals."
    return _lists(archive, TITLES["numeric"], "numeric", numeric, note)
