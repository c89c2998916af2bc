"""Single steps from one equation to another: the paper's four local changes, and the steps that keep it true.

None in the place of an equation means that the step does not apply.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from random import Random
from typing import TYPE_CHECKING

from ..language.expression import FUNCTION, VARIABLE, Equation, Expression, add, apply, multiply, power
from ..language.printing import print_expression
from .recipes import EVENLY, Recipe

if TYPE_CHECKING:
    from .generator import Generator

Binding = dict[str, Expression]

DERIVED = "derived"  # the family of rules that are not axioms
DERIVED_TRIES = 5


def match(pattern: Expression, expression: Expression, binding: Binding | None = None) -> Binding | None:
    """What the pattern's variables stand for, in addition to a given binding; None where it does not match."""
    binding = {} if binding is None else binding
    if pattern.kind == VARIABLE:
        return binding if binding.setdefault(pattern.symbol, expression) is expression else None
    if pattern.closed:
        return binding if pattern is expression else None
    if pattern.symbol != expression.symbol or len(pattern.children) != len(expression.children):
        return None
    fits = all(match(*pair, binding) is not None for pair in zip(pattern.children, expression.children, strict=True))
    return binding if fits else None


@dataclass(frozen=True)
class Rule:
    """One direction of a known equality; fresh are the variables that only the replacement has."""

    pattern: Expression
    replacement: Expression
    family: str
    fresh: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """What an equation's origin says of this rule."""
        return f"{self.family}: {print_expression(self.pattern)} -> {print_expression(self.replacement)}"


Match = tuple[Rule, Binding]


def rules_of(equation: Equation, family: str) -> Iterator[Rule]:
    """Both directions of an equation."""
    for pattern, replacement in (equation, equation.mirrored()):
        if pattern is not replacement:
            known = pattern.variables()
            yield Rule(pattern, replacement, family, tuple(v for v in replacement.variables() if v not in known))


def shape(pattern: Expression) -> tuple:
    """The symbols of the root and its children; None where a variable stands."""
    return (pattern.symbol, *(None if child.kind == VARIABLE else child.symbol for child in pattern.children))


def shapes_matching(expression: Expression) -> Iterator[tuple]:
    """The shapes of all patterns that could match."""
    return product((expression.symbol,), *((child.symbol, None) for child in expression.children))


class MathDictionary:
    """Rules found by what they can match: the pattern itself when it has no variables, else its root symbol.

    Axioms are matched once for each distinct expression. Derived rules become many, so they are not all tried:
    one is drawn from those of a fitting shape and kept if it matches.
    """

    def __init__(self, axioms: Iterable[tuple[Equation, str]], recipe: Recipe):
        self._recipe = recipe
        self._axioms: dict[Expression | str | None, list[Rule]] = defaultdict(list)  # None: what matches everywhere
        self._derived: dict[Expression | tuple, list[Rule]] = defaultdict(list)
        self._known_matches: dict[Expression, dict[str, list[Match]]] = {}
        for rule in (rule for equation, family in axioms for rule in rules_of(equation, family)):
            pattern = rule.pattern
            key = pattern if pattern.closed else None if pattern.kind == VARIABLE else pattern.symbol
            self._axioms[key].append(rule)

    def add(self, equation: Equation) -> None:
        """Make a new equation a rule, in both directions."""
        for rule in rules_of(equation, DERIVED):
            if rule.pattern.kind != VARIABLE and rule.pattern.size <= self._recipe.largest_pattern:
                self._derived[rule.pattern if rule.pattern.closed else shape(rule.pattern)].append(rule)

    def matches(self, expression: Expression) -> dict[str, list[Match]]:
        """The axioms that match at this node, by family."""
        known = self._known_matches.get(expression)
        if known is None:
            known = self._known_matches[expression] = defaultdict(list)
            keys = (expression, expression.symbol, None)
            for rule in chain.from_iterable(self._axioms.get(key, ()) for key in keys):
                binding = match(rule.pattern, expression)
                if binding is not None:
                    known[rule.family].append((rule, binding))
        return known

    def draw(self, expression: Expression, random: Random) -> Match | None:
        """A rule that matches at this node: one of all, or the family first and then one of it.

        Rules such as x -> 1 * x match everywhere: drawn evenly they make much of the data set.
        """
        families = self.matches(expression)
        groups = [self._derived[key] for key in (expression, *shapes_matching(expression)) if key in self._derived]
        if self._recipe.rules == EVENLY:
            axioms = [rule for matches in families.values() for rule, _ in matches]
            groups = [axioms, *groups] if axioms else groups
        elif names := [*families, *([DERIVED] if groups else [])]:
            family = random.choice(names)
            if family != DERIVED:
                return random.choice(families[family])
        for _ in range(DERIVED_TRIES if groups else 0):
            rule = random.choice(random.choices(groups, [*map(len, groups)])[0])
            binding = match(rule.pattern, expression)
            if binding is not None:
                return rule, binding
        return None


Made = tuple[Equation, str]  # an equation, and what was done in words


def shrink_node(equation: Equation, path: tuple, node: Expression, draw: "Generator") -> Equation | None:
    """The node replaced by one of its children; None for a leaf."""
    return equation.replaced(path, draw.random.choice(node.children)) if node.children else None


def replace_node(equation: Equation, path: tuple, node: Expression, draw: "Generator") -> Equation | None:
    """The symbol at the node replaced by a compatible one; None when the same one was drawn."""
    is_function = node.kind == FUNCTION
    other = apply(draw.function(len(node.children)), *node.children) if is_function else draw.terminal()
    return None if other is node else equation.replaced(path, other)


def grow_node(equation: Equation, path: tuple, node: Expression, draw: "Generator") -> Equation:
    """The node made an argument of a function, whose other argument is a terminal, on a random side."""
    arity = 1 if draw.random.random() < draw.recipe.grow_unary else 2
    function = draw.function(arity)
    arguments = [node, *(draw.terminal() for _ in range(arity - 1))]
    draw.random.shuffle(arguments)
    return equation.replaced(path, apply(function, *arguments))


def grow_sides(equation: Equation, draw: "Generator") -> Made:
    """A number added to both sides, both multiplied by it, or both raised to it."""
    name, operation = draw.random.choice((("add", add), ("multiply", multiply), ("power", power)))
    number = draw.number()
    return Equation(*(operation(side, number) for side in equation)), f"{name} {number.symbol}"


def mirror(equation: Equation, _) -> Made:
    return equation.mirrored(), "left = right -> right = left"


def rewrite(equation: Equation, draw: "Generator") -> Made | None:
    """A random subtree replaced by an equal one."""
    path, node = draw.random.choice(list(equation.positions()))
    drawn = draw.dictionary.draw(node, draw.random)
    if drawn is None:
        return None
    rule, binding = drawn
    binding = {**{name: draw.fresh(name) for name in rule.fresh}, **binding}
    return equation.replaced(path, rule.replacement.substituted(binding)), rule.text


def instantiate(equation: Equation, draw: "Generator") -> Made | None:
    """One variable replaced everywhere by a terminal or a function of terminals; None without variables."""
    names = equation.variables()
    if not names:
        return None
    name, expression = draw.random.choice(names), draw.terminal()
    if draw.random.random() < draw.recipe.instantiate_with_function:
        arity = 1 if draw.random.random() < draw.recipe.instantiate_with_unary else 2
        function = draw.function(arity)
        expression = apply(function, expression, *(draw.terminal() for _ in range(arity - 1)))
    return equation.substituted({name: expression}), f"{name} = {print_expression(expression)}"
