"""Recipes, every choice of the generator by name, and the steps from one equation to another that they choose among.

Section 2.2 of the paper says what is drawn "randomly" and leaves open how. The recipe `paper` draws evenly wherever
that can be meant; the rest was fixed by the fingerprints of the original's data (reproduction/paper.py), before any
network saw the result. `hard` is a second, harder benchmark.

The steps are the paper's four local changes, and those that keep an equation true. A step that does not apply returns
None.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import chain, product
from math import inf
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, Literal

from ..errors import InputError, excerpt
from ..language.expression import FUNCTION, VARIABLE, Equation, Expression, add, apply, multiply, power
from ..language.grammar import TABLE_1_CONSTANTS
from ..language.printing import print_expression
from ..shapes import read, shaped

if TYPE_CHECKING:
    from .generator import Generator

KEEPING_STEPS = ("instantiate", "grow_sides", "mirror")  # beside rewrite
LOCAL_CHANGES = ("shrink_node", "replace_node", "grow_node")  # the fourth, grow_sides, keeps an equation as it was
VARIABLES = ("x", "y", "z")
EVENLY: Final = "evenly"
BY_FAMILY: Final = "by family"
BY_DEPTH: Final = "by depth"
KEPT: Final = "kept"


@dataclass(frozen=True)
class Recipe:
    """How equations are made, by default as in `paper`. Shares are of 1; a node is drawn evenly from its equation."""

    name: str = "paper"
    marks: tuple[str, ...] = ("paper", "paper only")  # of the families of axioms that are used; "" is no mark
    # Where a step starts.
    from_axiom: float = 0.35  # share of the steps that start from an axiom; the others start from a known equation
    axioms: Literal["evenly", "by family"] = EVENLY  # by family: the family first, then one of it
    sources: Literal["evenly", "by depth"] = EVENLY  # from the known equations; by depth: the depth first
    deepest_first: float = 0.0  # share of the draws by depth that take the limiting depth, if it has any
    # What a step does.
    # Shares of the steps that keep an equation as it was, by name; the others rewrite.
    keeping: dict[str, float] = field(default_factory=lambda: {"grow_sides": 0.25})
    rules: Literal["evenly", "by family"] = EVENLY  # from all that match at the node
    fresh: Literal["kept", "drawn"] = KEPT  # variables that only a rule's replacement has; drawn: as terminals
    largest_pattern: int = 7  # nodes of a new equation's side that becomes a rule
    changes: tuple[str, ...] = LOCAL_CHANGES  # the local changes, drawn evenly
    changes_for_incorrect: float = 1.0  # share of the steps to incorrect equations that change a correct one
    changes_for_correct: float = 0.3  # share of the steps to correct equations that do so, and may keep it correct
    # What a step draws.
    functions: Literal["evenly", "by frequency"] = EVENLY  # by frequency: as the known equations have them
    grow_unary: float = 25 / 28  # share of GrowNode's functions that are unary
    # Terminals with their weights.
    terminals: dict[str, float] = field(default_factory=lambda: dict.fromkeys((*TABLE_1_CONSTANTS, "x"), 1.0))
    instantiate_with_function: float = 0.0  # else with a terminal
    instantiate_with_unary: float = 0.0  # of those with a function
    # What is kept.
    identical: float = 1.0  # share of the equations with identical sides
    patience: int = 5000  # proposals in a row that bring nothing new, before the depth limit rises


PAPER = Recipe()
HARD = Recipe(
    name="hard",
    marks=("", "paper"),
    from_axiom=0.4,
    axioms=BY_FAMILY,
    sources=BY_DEPTH,
    deepest_first=0.6,
    keeping={"instantiate": 0.22, "grow_sides": 0.08, "mirror": 0.03},
    rules=BY_FAMILY,
    fresh="drawn",
    changes_for_incorrect=0.06,
    changes_for_correct=0.0,
    functions="by frequency",
    grow_unary=0.5,
    # Most equations are about few terminals, so that a function's value at them can be learned.
    terminals={
        "x": 10, "y": 1.5, "z": 0.3,
        "0": 2, "1": 3, "2": 2, "-1": 2, "1/2": 0.7, "4": 0.7, "pi": 0.7, "3": 0.5, "10": 0.3, "0.4": 0.15, "0.7": 0.15,
    },
    instantiate_with_function=0.8,
    instantiate_with_unary=0.95,
    identical=0.3,
)  # fmt: skip
RECIPES = {recipe.name: recipe for recipe in (PAPER, HARD)}


def read_recipe(name: str) -> Recipe:
    """The recipe of this name, or the one in the JSON file of this name; it states its differences from `paper`."""
    if name in RECIPES:
        return RECIPES[name]
    if not name.endswith(".json"):
        raise InputError(f"--recipe: {excerpt(name)!r} is neither {' nor '.join(RECIPES)} nor the name of a JSON file")
    path = Path(name)
    stated = read(dict, path)
    if unknown := sorted(set(stated) - {each.name for each in fields(Recipe)}):
        raise InputError(f"{path}: {excerpt(unknown[0])} is no choice of a recipe")
    recipe = shaped(Recipe, {**as_row(PAPER), "name": path.stem, **stated}, path)
    for name, is_possible, words in _conditions(recipe):
        if not is_possible:
            raise InputError(f"{path}: {excerpt(name)} is {words}")
    return recipe


def as_row(recipe: Recipe) -> dict:
    """The recipe as JSON has it."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(recipe).items()}


def _conditions(recipe: Recipe) -> Iterator[tuple[str, bool, str]]:
    """The conditions on a recipe: a field, whether it fulfils its condition, and what is wrong with it if not."""
    row = vars(recipe)
    shares = {name: value for name, value in row.items() if isinstance(value, float)}
    for name, share in {**shares, "the sum of keeping": sum(recipe.keeping.values())}.items():
        yield name, 0 <= share <= 1, f"{share:g}, not from 0 to 1"
    all_known = {"keeping": KEEPING_STEPS, "changes": LOCAL_CHANGES, "terminals": (*TABLE_1_CONSTANTS, *VARIABLES)}
    for name, known in all_known.items():
        for each in row[name]:
            yield f"{name}.{each}", each in known, f"unknown (known: {', '.join(known)})"
    for name in ("keeping", "terminals"):
        for each, weight in row[name].items():
            yield f"{name}.{each}", 0 <= weight < inf, f"{weight:g}, not a weight"
    has_number = any(weight for name, weight in recipe.terminals.items() if name not in VARIABLES)
    yield "terminals", has_number, "without a number that could be drawn"
    yield "changes", bool(recipe.changes), "empty"
    yield "patience", recipe.patience >= 1, f"{recipe.patience}, not at least 1"


# ------------------------------------------------------------------------------------------------ steps

Binding = dict[str, Expression]
DERIVED, DERIVED_TRIES = "derived", 5  # the family of rules that are not axioms; how many are tried at a node


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
Made = tuple[Equation, str]  # an equation, and what was done in words


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
