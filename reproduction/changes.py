"""Single steps from one equation to another: the paper's four local changes, and the steps that keep it true."""

from collections.abc import Callable
from random import Random

from .expression import FUNCTION, Equation, Expression, add, apply, constant, multiply, power, variable
from .grammar import FUNCTIONS, TABLE_1_CONSTANTS
from .matching import MathDictionary
from .printing import print_expression

VARIABLES = tuple(map(variable, ("x", "y", "z")))
CONSTANTS = tuple(map(constant, TABLE_1_CONSTANTS))

# Draws a function's name, so that its frequency can follow the equations that are changed.
DrawFunction = Callable[[int], str]
DrawTerminal = Callable[[], Expression]


def shrink_node(equation: Equation, path: tuple, node: Expression, random: Random) -> Equation | None:
    """The node replaced by one of its children; None for a leaf."""
    return equation.replaced(path, random.choice(node.children)) if node.children else None


def replace_node(
    equation: Equation, path: tuple, node: Expression, draw_function: DrawFunction, draw_terminal: DrawTerminal
) -> Equation | None:
    """The symbol at the node replaced by a compatible one; None when the same one was drawn."""
    if node.kind == FUNCTION:
        other = apply(draw_function(len(node.children)), *node.children)
    else:
        other = draw_terminal()
    return None if other is node else equation.replaced(path, other)


def grow_node(
    equation: Equation, path: tuple, node: Expression, function: str, draw_terminal: DrawTerminal, random: Random
) -> Equation:
    """The node made an argument of a function, whose other argument is a terminal, on a random side."""
    if FUNCTIONS[function].arity == 1:
        return equation.replaced(path, apply(function, node))
    arguments = [node, draw_terminal()]
    random.shuffle(arguments)
    return equation.replaced(path, apply(function, *arguments))


def grow_sides(equation: Equation, random: Random) -> tuple[Equation, str]:
    """A number added to both sides, both multiplied by it, or both raised to it; and which of them."""
    name, operation = random.choice((("add", add), ("multiply", multiply), ("power", power)))
    number = random.choice(CONSTANTS)
    sides = [operation(side, number) for side in equation]
    return Equation(*sides), f"{name} {number.symbol}"


def rewrite(
    equation: Equation, dictionary: MathDictionary, draw_terminal: DrawTerminal, random: Random
) -> tuple[Equation, str] | None:
    """A random subtree replaced by an equal one, and the rule; the rule's family is drawn before the rule.

    Rules such as x -> 1 * x match everywhere: drawn with equal chances they would fill the data set.
    """
    path, node = random.choice(list(equation.positions()))
    drawn = dictionary.draw(node, random)
    if drawn is None:
        return None
    rule, binding = drawn
    binding = {**binding, **{name: draw_terminal() for name in rule.fresh}}
    return equation.replaced(path, rule.replacement.substituted(binding)), rule.text


def instantiate(
    equation: Equation, draw_function: DrawFunction, draw_terminal: DrawTerminal, random: Random
) -> tuple[Equation, str] | None:
    """One variable replaced everywhere by a terminal or a function of terminals; None without variables."""
    names = equation.variables()
    if not names:
        return None
    name, expression = random.choice(names), draw_terminal()
    if random.random() < 0.4:
        function = draw_function(1 if random.random() < 0.7 else 2)
        arguments = [draw_terminal() for _ in range(FUNCTIONS[function].arity - 1)]
        expression = apply(function, expression, *arguments)
    return equation.substituted({name: expression}), f"{name} = {print_expression(expression)}"
