"""Figures 1 and 2: expression trees, and the network that is built over them, drawn from our own expressions."""

from decimal import Decimal
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ...data.dataset import literal_value
from ...data.function_evaluations import decimal_tree
from ...language.expression import CONSTANT, FUNCTION, NUMBER, VARIABLE, Equation, Expression, number
from ...language.grammar import GREEK_VARIABLES
from ...language.parsing import parse_equation
from ..drawing import FAINT, INK, Drawing, panels
from ..registry import FIGURE, Output, register

EQUALITY, BLOCK, HEAD, VALUE = "equality", "block", "head", "value"
FILLS = {
    EQUALITY: "#ffffff",
    FUNCTION: "#ffffff",
    CONSTANT: "#e3e3e3",
    VARIABLE: "#bfe1f6",
    NUMBER: "#fbd9a5",
    BLOCK: "#d9f0e6",
    HEAD: "#f3c6b0",
    VALUE: "#ffffff",
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
        axes.plot([placed.x, child.x], [-placed.y, -child.y], color=FAINT, linewidth=1.1, zorder=1)
        _draw_node(axes, child, boxed)
    node = placed.node
    shape = "round,pad=0.35" if boxed or len(node.label) > 1 else "circle,pad=0.4"
    edge = "white" if node.kind == VALUE else INK
    axes.text(
        placed.x, -placed.y, node.label, ha="center", va="center", fontsize=8.5 if boxed else 10, zorder=2,
        linespacing=1.15, bbox={"boxstyle": shape, "facecolor": FILLS[node.kind], "edgecolor": edge, "linewidth": 0.9},
    )  # fmt: skip


def draw_tree(axes: Axes, node: Node, title: str, levels: int, boxed: bool = False) -> None:
    """One tree in its axes, which have room for so many levels below the root."""
    placed, _ = place(node)
    _draw_node(axes, placed, boxed)
    axes.set_xlim(-0.6, _right_edge(placed) + 0.6)
    axes.set_ylim(-levels - 0.5, 0.5)
    axes.set_axis_off()
    axes.set_title(title, loc="center")


def figure_1_equations() -> tuple[Equation, ...]:
    """The paper's three: two equations as people type them, and 2.5 as our generator writes its decimal tree."""
    symbolic, numeric, _ = paper.FIGURE_1
    value = Decimal("2.5")
    return parse_equation(symbolic), parse_equation(numeric), Equation(number(value), decimal_tree(value))


def figure_1() -> Drawing:
    figure, axes = panels(1, 3, width=9.0, height=3.6, width_ratios=(4, 3.2, 4))
    titles = ("(a) sin²(θ) + cos²(θ) = 1", "(b) sin(−2.5) = −0.6", "(c) decimal tree of 2.5")
    trees = [equation_node(equation) for equation in figure_1_equations()]
    for panel, tree, title in zip(axes, trees, titles, strict=True):
        draw_tree(panel, tree, title, max(map(_levels, trees)))
    handles = [
        Line2D([], [], marker="o", linestyle="", markersize=9, markerfacecolor=FILLS[kind], markeredgecolor=INK)
        for kind in KIND_NAMES
    ]
    figure.legend(handles, KIND_NAMES.values(), loc="outside lower center", ncols=len(KIND_NAMES))
    caption = "A symbolic equation, a function evaluation, and a number as a decimal tree (the paper's Figure 1)."
    return Drawing(figure, caption)


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


def figure_2() -> Drawing:
    figure, axes = panels(1, 2, width=9.0, height=5.0, width_ratios=(5, 3))
    symbolic, numeric, _ = figure_1_equations()
    trees = verification_node(symbolic), evaluation_node(numeric)
    titles = "verification: sin²(θ) + cos²(θ) = 1", "evaluation: sin(−2.5) = −0.6"
    for panel, tree, title in zip(axes, trees, titles, strict=True):
        draw_tree(panel, tree, title, max(map(_levels, trees)), boxed=True)
    caption = (
        "One block a node: an LSTM cell of its own for every function, shared wherever the function occurs; blocks for "
        "symbols and numbers at the leaves (the paper's Figure 2, which decodes both sides of an evaluation)."
    )
    return Drawing(figure, caption)


register(
    Output("figure-1", "Figure 1. Expression trees", FIGURE, lambda _: figure_1(), (), "networks"),
    Output("figure-2", "Figure 2. The network over two trees", FIGURE, lambda _: figure_2(), (), "networks"),
)
