"""Single steps from one equation to another: the paper's four local changes, and the steps that keep it true.

None in the place of an equation means that the step does not apply.
"""

from random import Random
from typing import Protocol

from ..language.expression import (
    CONSTANT,
    FUNCTION,
    Equation,
    Expression,
    add,
    apply,
    constant,
    multiply,
    power,
    variable,
)
from ..language.grammar import FUNCTIONS, TABLE_1_CONSTANTS
from ..language.printing import print_expression
from .matching import MathDictionary

# How often each terminal is drawn. Most equations are about few terminals, so that a function's value at them can be
# learned; every terminal of Table 1 occurs.
TERMINAL_WEIGHTS = {
    "x": 10, "y": 1.5, "z": 0.3,
    "0": 2, "1": 3, "2": 2, "-1": 2, "1/2": 0.7, "4": 0.7, "pi": 0.7, "3": 0.5, "10": 0.3, "0.4": 0.15, "0.7": 0.15,
}  # fmt: skip
TERMINALS = tuple(constant(name) if name in TABLE_1_CONSTANTS else variable(name) for name in TERMINAL_WEIGHTS)
CONSTANTS = tuple(node for node in TERMINALS if node.kind == CONSTANT)
INSTANTIATE_WITH_FUNCTION, INSTANTIATE_WITH_UNARY = 0.8, 0.95  # shares, the second of the first

Made = tuple[Equation, str]  # an equation, and what was done in words


class Draw(Protocol):
    """What steps draw from: symbols as often as the equations that are changed have them."""

    random: Random
    dictionary: MathDictionary

    def function(self, arity: int) -> str: ...

    def terminal(self) -> Expression: ...


def shrink_node(equation: Equation, path: tuple, node: Expression, draw: Draw) -> Equation | None:
    """The node replaced by one of its children; None for a leaf."""
    return equation.replaced(path, draw.random.choice(node.children)) if node.children else None


def replace_node(equation: Equation, path: tuple, node: Expression, draw: Draw) -> Equation | None:
    """The symbol at the node replaced by a compatible one; None when the same one was drawn."""
    is_function = node.kind == FUNCTION
    other = apply(draw.function(len(node.children)), *node.children) if is_function else draw.terminal()
    return None if other is node else equation.replaced(path, other)


def grow_node(equation: Equation, path: tuple, node: Expression, draw: Draw) -> Equation:
    """The node made an argument of a function, whose other argument is a terminal, on a random side."""
    function = draw.function(1 if draw.random.random() < 0.5 else 2)
    arguments = [node, *(draw.terminal() for _ in range(FUNCTIONS[function].arity - 1))]
    if len(arguments) > 1:
        draw.random.shuffle(arguments)
    return equation.replaced(path, apply(function, *arguments))


LOCAL_CHANGES = (shrink_node, replace_node, grow_node)  # the fourth, grow_sides, keeps an equation as it was


def draw_terminal(random: Random, among: tuple[Expression, ...] = TERMINALS) -> Expression:
    return random.choices(among, [TERMINAL_WEIGHTS[node.symbol] for node in among])[0]


def grow_sides(equation: Equation, draw: Draw) -> Made:
    """A number added to both sides, both multiplied by it, or both raised to it."""
    name, operation = draw.random.choice((("add", add), ("multiply", multiply), ("power", power)))
    number = draw_terminal(draw.random, CONSTANTS)
    return Equation(*(operation(side, number) for side in equation)), f"{name} {number.symbol}"


def mirror(equation: Equation, draw: Draw) -> Made:
    return equation.mirrored(), "left = right -> right = left"


def rewrite(equation: Equation, draw: Draw) -> Made | None:
    """A random subtree replaced by an equal one; the rule's family is drawn before the rule.

    Rules such as x -> 1 * x match everywhere: drawn with equal chances they would fill the data set.
    """
    path, node = draw.random.choice(list(equation.positions()))
    drawn = draw.dictionary.draw(node, draw.random)
    if drawn is None:
        return None
    rule, binding = drawn
    binding = {**binding, **{name: draw.terminal() for name in rule.fresh}}
    return equation.replaced(path, rule.replacement.substituted(binding)), rule.text


def instantiate(equation: Equation, draw: Draw) -> Made | None:
    """One variable replaced everywhere by a terminal or a function of terminals; None without variables."""
    names = equation.variables()
    if not names:
        return None
    name, expression = draw.random.choice(names), draw.terminal()
    if draw.random.random() < INSTANTIATE_WITH_FUNCTION:
        function = draw.function(1 if draw.random.random() < INSTANTIATE_WITH_UNARY else 2)
        arguments = [draw.terminal() for _ in range(FUNCTIONS[function].arity - 1)]
        expression = apply(function, expression, *arguments)
    return equation.substituted({name: expression}), f"{name} = {print_expression(expression)}"
