"""Matching of patterns, and the dictionary of known equalities (the paper's mathDictionary).

Variables of a pattern match any expression, the same one at every occurrence. Substitution exchanges all variables
at once, so that variables of the pattern and of the expression may share names.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from .expression import VARIABLE, Equation, Expression

Binding = dict[str, Expression]

DERIVED = "derived"  # the family of rules that are not axioms
LARGEST_DERIVED_PATTERN = 7  # nodes; a larger pattern matches little beyond the equation that it came from


def match(pattern: Expression, expression: Expression) -> Binding | None:
    """What the pattern's variables stand for, or None; {} is a yes."""
    binding: Binding = {}
    return binding if _bind(pattern, expression, binding) else None


def _bind(pattern: Expression, expression: Expression, binding: Binding) -> bool:
    if pattern.kind == VARIABLE:
        return binding.setdefault(pattern.symbol, expression) is expression
    if pattern.closed:
        return pattern is expression
    return (
        pattern.symbol == expression.symbol
        and len(pattern.children) == len(expression.children)
        and all(_bind(*pair, binding) for pair in zip(pattern.children, expression.children, strict=True))
    )


@dataclass(frozen=True)
class Rule:
    """One direction of a known equality; fresh are the variables that only the replacement has."""

    pattern: Expression
    replacement: Expression
    family: str
    fresh: tuple[str, ...]


def rules_of(equation: Equation, family: str) -> Iterator[Rule]:
    """Both directions of an equation."""
    for pattern, replacement in (equation, equation.mirrored()):
        if pattern is not replacement:
            known = pattern.variables()
            yield Rule(pattern, replacement, family, tuple(v for v in replacement.variables() if v not in known))


def _shape(pattern: Expression) -> tuple:
    """The symbols of the root and its children; None where a variable stands."""
    return (pattern.symbol, *(None if child.kind == VARIABLE else child.symbol for child in pattern.children))


def _shapes_matching(expression: Expression) -> Iterator[tuple]:
    """The shapes of all patterns that could match."""
    return product((expression.symbol,), *((child.symbol, None) for child in expression.children))


class MathDictionary:
    """Rules found by what they can match: themselves when they have no variables, else by their root symbol."""

    def __init__(self, axioms: Iterable[tuple[Equation, str]]):
        self._closed: dict[Expression, list[Rule]] = defaultdict(list)
        self._by_root: dict[str, list[Rule]] = defaultdict(list)
        self._everywhere: list[Rule] = []
        self._derived_by_shape: dict[tuple, list[Rule]] = defaultdict(list)
        self._axiom_matches: dict[Expression, tuple] = {}
        for equation, family in axioms:
            for rule in rules_of(equation, family):
                self._add_axiom(rule)

    def _add_axiom(self, rule: Rule) -> None:
        if rule.pattern.closed:
            self._closed[rule.pattern].append(rule)
        elif rule.pattern.kind == VARIABLE:
            self._everywhere.append(rule)
        else:
            self._by_root[rule.pattern.symbol].append(rule)

    def add(self, equation: Equation) -> None:
        """Make a new equation a rule, in both directions."""
        for rule in rules_of(equation, DERIVED):
            if rule.pattern.kind == VARIABLE or rule.pattern.size > LARGEST_DERIVED_PATTERN:
                continue
            if rule.pattern.closed:
                self._closed[rule.pattern].append(rule)
            else:
                self._derived_by_shape[_shape(rule.pattern)].append(rule)

    def _matching_axioms(self, expression: Expression) -> tuple[tuple[Rule, Binding], ...]:
        known = self._axiom_matches.get(expression)
        if known is None:
            rules = self._by_root.get(expression.symbol, []) + self._everywhere
            pairs = ((rule, match(rule.pattern, expression)) for rule in rules)
            known = self._axiom_matches[expression] = tuple(pair for pair in pairs if pair[1] is not None)
        return known

    def _matching_derived(self, expression: Expression) -> Iterator[tuple[Rule, Binding]]:
        for shape in _shapes_matching(expression):
            for rule in self._derived_by_shape.get(shape, ()):
                binding = match(rule.pattern, expression)
                if binding is not None:
                    yield rule, binding

    def matches(self, expression: Expression) -> dict[str, list[tuple[Rule, Binding]]]:
        """The rules that match at this node, by family."""
        families: dict[str, list[tuple[Rule, Binding]]] = defaultdict(list)
        for rule in self._closed.get(expression, ()):
            families[rule.family].append((rule, {}))
        for rule, binding in self._matching_axioms(expression):
            families[rule.family].append((rule, binding))
        for rule, binding in self._matching_derived(expression):
            families[rule.family].append((rule, binding))
        return families
