"""Figures 1 and 2: expression trees, and the network that is built over them, drawn from our own expressions."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ... import paper
from ...data.dataset import literal_value
from ...data.function_evaluations import decimal_tree
from ...language.expression import CONSTANT, FUNCTION, NUMBER, VARIABLE, Equation, Expression, number
from ...language.grammar import GREEK_VARIABLES
from ...language.parsing import parse_equation
from ..drawing import Colour, Drawing, panels
from ..registry import figure
from ..results import Archive

EQUALITY, BLOCK, HEAD, VALUE = "equality", "block", "head", "value"
FILLS = {
    **dict.fromkeys((EQUALITY, FUNCTION, VALUE), "#ffffff"),
    CONSTANT: "#e3e3e3",
    VARIABLE: "#bfe1f6",
    NUMBER: "#fbd9a5",
    BLOCK: "#d9f0e6",
    HEAD: "#f3c6b0",
}
KIND_NAMES = {FUNCTION: "function", CONSTANT: "constant", VARIABLE: "variable", NUMBER: "number"}
SPELLING = {"*": "×", "pi": "π", "1/2": "½", "-1": "−1", **GREEK_VARIABLES}


class Node(NamedTuple):
    """What is drawn: a label, a kind that says how, and the nodes below."""

    label: str
    kind: str
    children: tuple["Node", ...] = ()


class Placed(NamedTuple):
    """A node with its place; x counts leaves from the left, y levels from the top, downwards."""

    node: Node
    x: float
    y: float
    children: tuple["Placed", ...]


def expression_node(expression: Expression) -> Node:
    children = tuple(map(expression_node, expression.children))
    return Node(SPELLING.get(expression.symbol, expression.symbol), expression.kind, children)


def equation_node(equation: Equation) -> Node:
    return Node("=", EQUALITY, tuple(map(expression_node, equation)))


def place(node: Node, first_leaf: float = 0.0, level: int = 0) -> tuple[Placed, float]:
    """The node with everything below it in place, and the x of the next free leaf; parents stand above the middle."""
    if not node.children:
        return Placed(node, first_leaf, level, ()), first_leaf + 1
    placed, free = [], first_leaf
    for child in node.children:
        child_placed, free = place(child, free, level + 1)
        placed.append(child_placed)
    return Placed(node, (placed[0].x + placed[-1].x) / 2, level, tuple(placed)), free


def _right_edge(placed: Placed) -> float:
    return max([placed.x, *map(_right_edge, placed.children)])


def _levels(node: Node) -> int:
    """Edges between the node and the deepest one below it."""
    return 1 + max(map(_levels, node.children)) if node.children else 0


def _draw_node(axes: Axes, placed: Placed, boxed: bool) -> None:
    for child in placed.children:
        axes.plot([placed.x, child.x], [-placed.y, -child.y], color=Colour.FAINT, linewidth=1.1, zorder=1)
        _draw_node(axes, child, boxed)
    node = placed.node
    shape = "round,pad=0.35" if boxed or len(node.label) > 1 else "circle,pad=0.4"
    edge = "white" if node.kind == VALUE else Colour.INK
    axes.text(
        placed.x, -placed.y, node.label, ha="center", va="center", fontsize=8.5 if boxed else 10, zorder=2,
        linespacing=1.15, bbox={"boxstyle": shape, "facecolor": FILLS[node.kind], "edgecolor": edge, "linewidth": 0.9},
    )  # fmt: skip


def _draw_trees(trees: dict[str, Node], widths: Sequence[float], height: float, boxed: bool = False) -> Figure:
    """Trees side by side under their titles, all with room for the deepest."""
    drawn, axes = panels(1, len(trees), width=9.0, height=height, width_ratios=widths)
    levels = max(map(_levels, trees.values()))
    for panel, (title, node) in zip(axes, trees.items(), strict=True):
        placed, _ = place(node)
        _draw_node(panel, placed, boxed)
        panel.set_xlim(-0.6, _right_edge(placed) + 0.6)
        panel.set_ylim(-levels - 0.5, 0.5)
        panel.set_axis_off()
        panel.set_title(title, loc="center")
    return drawn


def figure_1_equations() -> tuple[Equation, ...]:
    """The paper's three: two equations as people type them, and 2.5 as our generator writes its decimal tree."""
    symbolic, numeric, _ = paper.FIGURE_1
    value = Decimal("2.5")
    return parse_equation(symbolic), parse_equation(numeric), Equation(number(value), decimal_tree(value))


@figure("figure-1", "Figure 1. Expression trees", "networks", [])
def figure_1(archive: Archive) -> Drawing:
    titles = ("(a) sin²(θ) + cos²(θ) = 1", "(b) sin(−2.5) = −0.6", "(c) decimal tree of 2.5")
    trees = [equation_node(equation) for equation in figure_1_equations()]
    drawn = _draw_trees(dict(zip(titles, trees, strict=True)), (4, 3.2, 4), 3.6)
    style: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 9, "markeredgecolor": Colour.INK}
    handles = [Line2D([], [], markerfacecolor=FILLS[kind], **style) for kind in KIND_NAMES]
    drawn.legend(handles, KIND_NAMES.values(), loc="outside lower center", ncols=len(KIND_NAMES))
    caption = "A symbolic equation, a function evaluation, and a number as a decimal tree (the paper's Figure 1)."
    return Drawing(drawn, caption)


def network_node(expression: Expression) -> Node:
    """The block that the network puts in the place of an expression: a cell per function, a block per kind of leaf."""
    label = SPELLING.get(expression.symbol, expression.symbol)
    if expression.kind == FUNCTION:
        return Node(f"LSTM\n{label}", BLOCK, tuple(map(network_node, expression.children)))
    if expression.kind == NUMBER:
        return Node("number", NUMBER, (Node(label, VALUE),))
    return Node("symbol", VARIABLE, (Node(label, VALUE),))


def verification_node(equation: Equation) -> Node:
    """Dot product of the two sides and the logistic function: the probability that the equation is correct."""
    return Node("logistic\n⟨left, right⟩ + b", HEAD, tuple(map(network_node, equation)))


def evaluation_node(equation: Equation) -> Node:
    """The left side decoded to a number, and its squared error against the number that is known."""
    known = f"{literal_value(equation.right):g}".replace("-", "−")
    decoder = Node("decoder", HEAD, (network_node(equation.left),))
    return Node("squared error", HEAD, (decoder, Node(f"{known}\n(known)", VALUE)))


@figure("figure-2", "Figure 2. The network over two trees", "networks", [])
def figure_2(archive: Archive) -> Drawing:
    symbolic, numeric, *_ = figure_1_equations()
    trees = {
        "verification: sin²(θ) + cos²(θ) = 1": verification_node(symbolic),
        "evaluation: sin(−2.5) = −0.6": evaluation_node(numeric),
    }
    caption = (
        "One block a node: an LSTM cell of its own for every function, shared wherever the function occurs; blocks for "
        "symbols and numbers at the leaves (the paper's Figure 2, which decodes both sides of an evaluation)."
    )
    return Drawing(_draw_trees(trees, (5, 3), 5.0, boxed=True), caption)
