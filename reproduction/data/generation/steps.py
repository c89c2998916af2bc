"""Single steps from one equation to another: the paper's four local changes, and the steps that keep it true.

None in the place of an equation means that the step does not apply.
"""

from random import Random
from typing import Protocol

from ...language.expression import (
    FUNCTION,
    Equation,
    Expression,
    add,
    apply,
    multiply,
    power,
)
from ...language.grammar import FUNCTIONS
from ...language.printing import print_expression
from .matching import MathDictionary
from .recipes import Recipe

Made = tuple[Equation, str]  # an equation, and what was done in words


class Draw(Protocol):
    """What steps draw from, as the recipe says."""

    random: Random
    recipe: Recipe
    dictionary: MathDictionary

    def function(self, arity: int) -> str: ...

    def terminal(self) -> Expression: ...

    def number(self) -> Expression: ...

    def fresh(self, name: str) -> Expression: ...


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
    function = draw.function(1 if draw.random.random() < draw.recipe.grow_unary else 2)
    arguments = [node, *(draw.terminal() for _ in range(FUNCTIONS[function].arity - 1))]
    if len(arguments) > 1:
        draw.random.shuffle(arguments)
    return equation.replaced(path, apply(function, *arguments))


def grow_sides(equation: Equation, draw: Draw) -> Made:
    """A number added to both sides, both multiplied by it, or both raised to it."""
    name, operation = draw.random.choice((("add", add), ("multiply", multiply), ("power", power)))
    number = draw.number()
    return Equation(*(operation(side, number) for side in equation)), f"{name} {number.symbol}"


def mirror(equation: Equation, draw: Draw) -> Made:
    return equation.mirrored(), "left = right -> right = left"


def rewrite(equation: Equation, draw: Draw) -> Made | None:
    """A random subtree replaced by an equal one."""
    path, node = draw.random.choice(list(equation.positions()))
    drawn = draw.dictionary.draw(node, draw.random)
    if drawn is None:
        return None
    rule, binding = drawn
    binding = {**{name: draw.fresh(name) for name in rule.fresh}, **binding}
    return equation.replaced(path, rule.replacement.substituted(binding)), rule.text


def instantiate(equation: Equation, draw: Draw) -> Made | None:
    """One variable replaced everywhere by a terminal or a function of terminals; None without variables."""
    names = equation.variables()
    if not names:
        return None
    name, expression = draw.random.choice(names), draw.terminal()
    if draw.random.random() < draw.recipe.instantiate_with_function:
        function = draw.function(1 if draw.random.random() < draw.recipe.instantiate_with_unary else 2)
        arguments = [draw.terminal() for _ in range(FUNCTIONS[function].arity - 1)]
        expression = apply(function, expression, *arguments)
    return equation.substituted({name: expression}), f"{name} = {print_expression(expression)}"
