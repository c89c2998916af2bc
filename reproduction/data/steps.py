"""Single steps from one equation to another: the paper's four local changes, and the steps that keep it true."""

from collections.abc import Callable
from random import Random

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

# Draws a function's name, so that its frequency can follow the equations that are changed.
DrawFunction = Callable[[int], str]
DrawTerminal = Callable[[], Expression]


def shrink_node(equation: Equation, path: tuple, node: Expression, random: Random) -> Equation | None:
    """The node replaced by one of its children; None for a leaf."""
    return equation.replaced(path, random.choice(node.children)) if node.children else None


def replace_node(
    equation: Equation, path: tuple, node: Expression, draw_function: DrawFunction, terminal: DrawTerminal
) -> Equation | None:
    """The symbol at the node replaced by a compatible one; None when the same one was drawn."""
    if node.kind == FUNCTION:
        other = apply(draw_function(len(node.children)), *node.children)
    else:
        other = terminal()
    return None if other is node else equation.replaced(path, other)


def grow_node(
    equation: Equation, path: tuple, node: Expression, function: str, terminal: DrawTerminal, random: Random
) -> Equation:
    """The node made an argument of a function, whose other argument is a terminal, on a random side."""
    if FUNCTIONS[function].arity == 1:
        return equation.replaced(path, apply(function, node))
    arguments = [node, terminal()]
    random.shuffle(arguments)
    return equation.replaced(path, apply(function, *arguments))


def draw_terminal(random: Random, among: tuple[Expression, ...] = TERMINALS) -> Expression:
    return random.choices(among, [TERMINAL_WEIGHTS[node.symbol] for node in among])[0]


def grow_sides(equation: Equation, random: Random) -> tuple[Equation, str]:
    """A number added to both sides, both multiplied by it, or both raised to it; and which of them."""
    name, operation = random.choice((("add", add), ("multiply", multiply), ("power", power)))
    number = draw_terminal(random, CONSTANTS)
    sides = [operation(side, number) for side in equation]
    return Equation(*sides), f"{name} {number.symbol}"


def rewrite(
    equation: Equation, dictionary: MathDictionary, terminal: DrawTerminal, random: Random
) -> tuple[Equation, str] | None:
    """A random subtree replaced by an equal one, and the rule; the rule's family is drawn before the rule.

    Rules such as x -> 1 * x match everywhere: drawn with equal chances they would fill the data set.
    """
    path, node = random.choice(list(equation.positions()))
    drawn = dictionary.draw(node, random)
    if drawn is None:
        return None
    rule, binding = drawn
    binding = {**binding, **{name: terminal() for name in rule.fresh}}
    return equation.replaced(path, rule.replacement.substituted(binding)), rule.text


def instantiate(
    equation: Equation, draw_function: DrawFunction, terminal: DrawTerminal, random: Random
) -> tuple[Equation, str] | None:
    """One variable replaced everywhere by a terminal or a function of terminals; None without variables."""
    names = equation.variables()
    if not names:
        return None
    name, expression = random.choice(names), terminal()
    if random.random() < INSTANTIATE_WITH_FUNCTION:
        function = draw_function(1 if random.random() < INSTANTIATE_WITH_UNARY else 2)
        arguments = [terminal() for _ in range(FUNCTIONS[function].arity - 1)]
        expression = apply(function, expression, *arguments)
    return equation.substituted({name: expression}), f"{name} = {print_expression(expression)}"
