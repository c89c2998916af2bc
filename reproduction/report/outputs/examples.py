"""Single equations: as trees and with the network over them (Figures 1 and 2), and with candidates (Figure 4)."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ... import paper
from ...completion.store import PAPER
from ...data.dataset import GENERALIZATION, literal_value
from ...data.function_evaluations import decimal_tree
from ...judges.oracle import CORRECT
from ...language.expression import CONSTANT, FUNCTION, NUMBER, VARIABLE, Equation, Expression, number
from ...language.grammar import FUNCTIONS, GREEK_VARIABLES
from ...language.parsing import parse_equation
from ...rows import select
from ..drawing import LOOKS, Colour, Drawing, panels, rounded
from ..formats import Line, Table, section
from ..registry import figure, table
from ..results import Archive

EQUALITY, BLOCK, HEAD, VALUE = "equality", "block", "head", "value"
FILLS = dict.fromkeys((EQUALITY, FUNCTION, VALUE), "#ffffff")
FILLS |= {CONSTANT: "#e3e3e3", VARIABLE: "#bfe1f6", NUMBER: "#fbd9a5", BLOCK: "#d9f0e6", HEAD: "#f3c6b0"}
KIND_NAMES = {FUNCTION: "function", CONSTANT: "constant", VARIABLE: "variable", NUMBER: "number"}
SPELLING = {"*": "×", "pi": "π", "1/2": "½", "-1": "−1", **GREEK_VARIABLES}

# ------------------------------------------------------------------------------------------------ trees


class Node(NamedTuple):
    """What is drawn: a label, a kind that says how, the nodes below, and its place."""

    label: str
    kind: str
    children: tuple["Node", ...] = ()
    x: float = 0.0  # leaves from the left
    y: int = 0  # levels from the top, downwards


def place(node: Node, first_leaf: float = 0.0, level: int = 0) -> tuple[Node, float]:
    """The node with everything below it in place, and the x of the next free leaf; parents stand above the middle."""
    if not node.children:
        return node._replace(x=first_leaf, y=level), first_leaf + 1
    placed, free = [], first_leaf
    for child in node.children:
        child_placed, free = place(child, free, level + 1)
        placed.append(child_placed)
    return node._replace(x=(placed[0].x + placed[-1].x) / 2, y=level, children=tuple(placed)), free


def _draw_node(axes: Axes, node: Node, boxed: bool) -> None:
    for child in node.children:
        axes.plot([node.x, child.x], [-node.y, -child.y], color=Colour.FAINT, linewidth=1.1, zorder=1)
        _draw_node(axes, child, boxed)
    shape = "round,pad=0.35" if boxed or len(node.label) > 1 else "circle,pad=0.4"
    edge = "white" if node.kind == VALUE else Colour.INK
    axes.text(
        node.x, -node.y, node.label, ha="center", va="center", fontsize=8.5 if boxed else 10, zorder=2,
        linespacing=1.15, bbox={"boxstyle": shape, "facecolor": FILLS[node.kind], "edgecolor": edge, "linewidth": 0.9},
    )  # fmt: skip


def _draw_trees(trees: dict[str, Node], widths: Sequence[float], height: float, boxed: bool = False) -> Figure:
    """Trees side by side under their titles, all with room for the deepest."""

    def levels(node: Node) -> int:
        return 1 + max(map(levels, node.children)) if node.children else 0

    drawn, axes = panels(1, len(trees), width=9.0, height=height, width_ratios=widths)
    deepest = max(map(levels, trees.values()))
    for panel, (title, node) in zip(axes, trees.items(), strict=True):
        placed, free = place(node)
        _draw_node(panel, placed, boxed)
        panel.set(xlim=(-0.6, free - 0.4), ylim=(-deepest - 0.5, 0.5))
        panel.set_axis_off()
        panel.set_title(title, loc="center")
    return drawn


def figure_1_equations() -> tuple[Equation, ...]:
    """The paper's three: two equations as people type them, and 2.5 as our generator writes its decimal tree."""
    symbolic, numeric, _ = paper.FIGURE_1
    value = Decimal("2.5")
    return parse_equation(symbolic), parse_equation(numeric), Equation(number(value), decimal_tree(value))


def _label(expression: Expression) -> str:
    return SPELLING.get(expression.symbol, expression.symbol)


def equation_node(equation: Equation) -> Node:
    def of_side(side: Expression) -> Node:
        return Node(_label(side), side.kind, tuple(map(of_side, side.children)))

    return Node("=", EQUALITY, tuple(map(of_side, equation)))


@figure("figure-1", "Figure 1. Expression trees", "networks", [])
def figure_1(archive: Archive) -> Drawing:
    titles = ("(a) sin²(θ) + cos²(θ) = 1", "(b) sin(−2.5) = −0.6", "(c) decimal tree of 2.5")
    trees = map(equation_node, figure_1_equations())
    drawn = _draw_trees(dict(zip(titles, trees, strict=True)), (4, 3.2, 4), 3.6)
    style: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 9, "markeredgecolor": Colour.INK}
    handles = [Line2D([], [], markerfacecolor=FILLS[kind], **style) for kind in KIND_NAMES]
    drawn.legend(handles, KIND_NAMES.values(), loc="outside lower center", ncols=len(KIND_NAMES))
    return Drawing(drawn, "A symbolic equation, a function evaluation, and a number as a decimal tree.")


def network_node(expression: Expression) -> Node:
    """The block that the network puts in the place of an expression: a cell per function, a block per kind of leaf."""
    if expression.kind == FUNCTION:
        return Node(f"LSTM\n{_label(expression)}", BLOCK, tuple(map(network_node, expression.children)))
    kind, word = (NUMBER, "number") if expression.kind == NUMBER else (VARIABLE, "symbol")
    return Node(word, kind, (Node(_label(expression), VALUE),))


def verification_node(equation: Equation) -> Node:
    """Dot product of the two sides and the logistic function: the probability that the equation is correct."""
    return Node("logistic\n⟨left, right⟩ + b", HEAD, tuple(map(network_node, equation)))


def evaluation_node(equation: Equation) -> Node:
    """The left side decoded to a number, and its squared error against the number that is known."""
    known = f"{literal_value(equation.right):g}\n(known)".replace("-", "−")
    decoder = Node("decoder", HEAD, (network_node(equation.left),))
    return Node("squared error", HEAD, (decoder, Node(known, VALUE)))


@figure("figure-2", "Figure 2. The network over two trees", "networks", [])
def figure_2(archive: Archive) -> Drawing:
    symbolic, numeric, *_ = figure_1_equations()
    trees = {
        "verification: sin²(θ) + cos²(θ) = 1": verification_node(symbolic),
        "evaluation: sin(−2.5) = −0.6": evaluation_node(numeric),
    }
    caption = (
        "One block a node: an LSTM cell of its own for every function, shared wherever the function occurs; blocks for "
        "symbols and numbers at the leaves. The paper's figure decodes both sides of an evaluation."
    )
    return Drawing(_draw_trees(trees, (5, 3), 5.0, boxed=True), caption)


# ------------------------------------------------------------------------------------------------ candidates

MODEL = "tree-lstm+data"  # the paper's Figure 4 is of this one
TRUE_FUNCTIONS: dict[str, Callable] = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "cot": lambda x: 1 / np.tan(x)}
ROWS_SHOWN = 9  # as in the paper
GRID = np.arange(-314, 315) / 100
SYMBOLIC, NUMERIC = "symbolic", "numeric"
HEADS = {SYMBOLIC: ("pred", "prob"), NUMERIC: ("pred", "modelErr", "trueErr")}
TITLES = {SYMBOLIC: "Figure 4a. Symbolic completion", NUMERIC: "Figure 4b. Completion of function evaluations"}
Lines = Sequence[tuple[bool, tuple[str, ...]]]  # of each candidate whether it is right, and its columns


def _first(archive: Archive) -> tuple[str, dict] | None:
    """The network and the seed of the first examples of both kinds, and these."""
    for row in select(archive.details(archive.protocol), model=MODEL, split=GENERALIZATION):
        found = row.get("examples") or {}
        if found.get(SYMBOLIC) and found.get(NUMERIC):
            return f"{LOOKS[MODEL].name}, seed {row['seed']}", found
    return None


def scientific(error: float) -> str:
    """1.8e-5 as the paper writes it; 0 is 0."""
    digits, exponent = f"{error:.1e}".split("e")
    return f"{digits}e{int(exponent)}" if error else "0"


def lines_of(example: dict, kind: str, spelling: str = "text") -> Lines:
    """Candidates with their probabilities, or with the errors of the decoded number and of the exact value."""
    rows = example["predictions"]
    if kind == SYMBOLIC:
        return [(row["verdict"] == CORRECT, (row[spelling], f"{row['probability']:.4f}")) for row in rows]
    errors = ("model_error", "true_error")
    return [(row["fits"], (row["text"], *(scientific(row[name]) for name in errors))) for row in rows]


@figure("figure-4", "Figure 4. Examples of equation completion", "completion")
def figure_4(archive: Archive) -> Drawing | None:
    """The paper's two equations, which come first, and its cosine on the test set."""
    if (first := _first(archive)) is None:
        return None
    source, stored = first
    ratios: dict[str, Any] = {"height_ratios": (3, 1), "width_ratios": (0.75, 1, 1.6)}
    drawn, axes = panels(2, 3, sharex="col", width=10, height=3.9, **ratios)
    for panel in axes[:, :2].T.flat:
        panel.remove()
    for column, kind in enumerate(HEADS):
        panel = drawn.add_subplot(axes[0, 2].get_gridspec()[:, column], title="ab"[column])
        _draw_list(panel, stored[kind][0], kind)
    data: list[tuple] = [("function", "x", "exact", "decoded")]
    if rows := stored["evaluations"].get("cos"):
        _draw_function(axes[0, 2], axes[1, 2], "cos", rows, stored["curves"]["cos"])
        data += [("cos", row["arguments"][0], rounded(row["value"]), row["decoded"]) for row in rows]
        axes[0, 2].set_title("c")
        axes[0, 2].set_ylim(-1.4, 1.9)
        axes[0, 2].legend(loc="upper center", ncols=1, fontsize=7)
        axes[1, 2].set_ylabel("error")
    drawn.suptitle(source, fontsize=10)
    caption = (
        f"{source}: the paper's two equations with candidates by the model's confidence, correct ones bold; and the "
        "cosine on test arguments, with the exact curve and the errors below."
    )
    return Drawing(drawn, caption, data)


def _draw_list(axes: Axes, example: dict, kind: str) -> None:
    """A small table, correct candidates bold, under its equation."""
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(-ROWS_SHOWN - 0.7, 1.9))
    axes.text(0.5, 1.2, f"${example['latex']}$", ha="center", fontsize=12)
    for line in (0.9, -0.35, -ROWS_SHOWN - 0.5):
        axes.axhline(line, color=Colour.INK, linewidth=0.8)
    lines = enumerate(lines_of(example, kind)[:ROWS_SHOWN], 1)
    for height, correct, words in ((0.1, False, HEADS[kind]), *((-height, *each) for height, each in lines)):
        weight = "bold" if correct else "normal"
        for column, (x, word) in enumerate(zip(np.linspace(0.02, 0.98, len(words)), words, strict=True)):
            axes.text(x, height, word, ha="right" if column else "left", fontweight=weight, color=Colour.INK)


def _draw_function(axes: Axes, below: Axes, name: str, rows: Sequence[dict], curve: Sequence[float]) -> None:
    """The network's values of a function of one argument above, what is wrong with them below."""
    if name in TRUE_FUNCTIONS:
        with np.errstate(divide="ignore"):
            exact = TRUE_FUNCTIONS[name](GRID)
        exact[np.abs(exact) > 10] = np.nan  # broken at its poles
        axes.plot(GRID, exact, color=Colour.FAINT, linewidth=2.5, alpha=0.6, label=f"{name}(x)")
    axes.plot(GRID, curve, color=Colour.BLUE, linewidth=0.8, alpha=0.7, label="network, all two-decimal x")
    arguments = [row["arguments"][0] for row in rows]
    _draw_decoded(axes, below, "x", arguments, rows, markersize=4, label="network, test set")
    axes.set_ylim(-3.4, 3.4)
    axes.set_title(name, fontweight="normal")


def _draw_decoded(axes: Axes, below: Axes, words: str, places: Sequence[float], rows: Sequence[dict], **style) -> None:
    """Decoded values above, their errors below."""
    axes.plot(places, [row["decoded"] for row in rows], "o", color=Colour.BLUE, **style)
    below.axhline(0, color=Colour.FAINT, linewidth=1)
    below.plot(places, [row["decoded"] - row["value"] for row in rows], "o", color=Colour.BLUE, markersize=3)
    below.set_xlabel(words)


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
        else:  # decoded against exact values
            above.plot([-3.2, 3.2], [-3.2, 3.2], color=Colour.FAINT, linewidth=2.5, alpha=0.6)
            _draw_decoded(above, below, "exact value", [row["value"] for row in rows], rows, markersize=3)
            above.set_title(SPELLING.get(name, name), fontweight="normal")
        data += [(name, " ".join(map(str, row["arguments"])), rounded(row["value"]), row["decoded"]) for row in rows]
    axes[0, 0].set_ylabel("value")
    axes[1, 0].set_ylabel("error")
    caption = f"{source}, test set: dots are decoded values, the grey line is exact; errors below."
    return Drawing(drawn, caption, data)


def _lists(archive: Archive, kind: str, note: str) -> Table | None:
    """The paper's equation and more of the test set with their candidates, correct ones bold."""
    if (first := _first(archive)) is None:
        return None
    network, stored = first
    sections = []
    for example in stored[kind]:
        source = "the paper's example" if example["id"] == PAPER else f"test equation {example['id']}"
        lines = []
        for right, cells in lines_of(example, kind, "latex"):
            upright = (re.sub(r"(?<=\d)e(-?\d+)$", r"\\mathrm{e}{\1}", cell) for cell in cells)  # 1.8e-5
            maths = (rf"$\mathbf{{{cell}}}$" if right else f"${cell}$" for cell in upright)
            lines.append(Line("", [*maths, "yes" if right else "no"]))
        sections.append(section(f"${example['latex']}$ ({source})", (*HEADS[kind], "correct"), lines))
    return Table(sections, [note], f"{TITLES[kind]}, {network}")


@table("figure-4a", TITLES[SYMBOLIC], "completion", folded=True)
def figure_4a(archive: Archive) -> Table | None:
    return _lists(archive, SYMBOLIC, "Correct is what both judges, the numeric one and Sympy, confirm.")


@table("figure-4b", TITLES[NUMERIC], "completion", folded=True)
def figure_4b(archive: Archive) -> Table | None:
    note = "modelErr is the squared error of the decoded number, trueErr that of the exact value to two decimals."
    return _lists(archive, NUMERIC, note)
