"""New equations from known ones: equal-for-equal rewriting and the four local changes (paper, section 2.2).

Everything is done depth by depth: the limit is raised when a depth has what was asked for, or when nothing new
comes any more. Ball arithmetic sorts what comes out; Sympy is asked later, about those that agree.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from ...judges.balls import Valuation
from ...judges.oracle import AGREES, DIFFERS, Outcome, examine
from ...language.expression import CONSTANT, FUNCTION, Equation, Expression, OutOfBoundsError, variable
from ...language.grammar import ADD, FUNCTIONS, MULTIPLY, POWER, TABLE_1_FUNCTIONS
from ...language.parsing import parse_expression
from . import steps
from .axioms import Axiom
from .recipes import BY_FAMILY, EVENLY, KEPT, Recipe
from .steps import MathDictionary


@dataclass(frozen=True)
class Candidate:
    """An equation with its numeric finding (AGREES or DIFFERS) and the step that made it."""

    equation: Equation
    outcome: Outcome
    origin: str


class Pool:
    """Known equations of one outcome, by depth."""

    def __init__(self, recipe: Recipe):
        self._recipe = recipe
        self._by_depth: dict[int, list[Equation]] = {}

    def add(self, equation: Equation) -> None:
        self._by_depth.setdefault(equation.depth, []).append(equation)

    def draw(self, limit: int, random: Random) -> Equation | None:
        """One of any depth up to the limit, None if there is none: evenly, or with the recipe's share of the limit."""
        depths = [depth for depth in sorted(self._by_depth) if depth <= limit]
        if not depths:
            return None
        if self._recipe.sources == EVENLY:
            depth = random.choices(depths, [len(self._by_depth[depth]) for depth in depths])[0]
        else:
            at_limit = depths[-1] == limit and random.random() < self._recipe.deepest_first
            depth = limit if at_limit else random.choice(depths)
        return random.choice(self._by_depth[depth])


class Generator:
    """An endless source of candidates of at most a given depth; counts what it rejects and why."""

    def __init__(self, axioms: Iterable[Axiom], recipe: Recipe, random: Random):
        axioms = tuple(axioms)
        self.random, self.recipe = random, recipe
        self._valuation = Valuation()
        self.dictionary = MathDictionary(((axiom.equation, axiom.family) for axiom in axioms), recipe)
        self._axioms = [axiom.equation for axiom in axioms]
        self._families: dict[str, list[Equation]] = {}
        self._pools = {AGREES: Pool(recipe), DIFFERS: Pool(recipe)}
        self._seen: set[Equation] = set()
        self.rejected: Counter = Counter()
        for axiom in axioms:
            self._families.setdefault(axiom.family, []).append(axiom.equation)
        self._functions = sorted(
            {name for axiom in axioms for name in axiom.equation.functions()} | {ADD, MULTIPLY, POWER},
            key=list(FUNCTIONS).index,
        )
        self._terminals = {parse_expression(name): weight for name, weight in recipe.terminals.items()}
        self._numbers = {node: weight for node, weight in self._terminals.items() if node.kind == CONSTANT}

    def propose(self, wanted: Outcome, limit: int) -> Candidate | None:
        """A new equation of the wanted outcome, or None with the reason counted."""
        proposed = self._proposed(wanted, limit)
        if isinstance(proposed, str):
            self.rejected[proposed] += 1
            return None
        return proposed

    def _proposed(self, wanted: Outcome, limit: int) -> Candidate | str:
        """A new equation, or why there is none."""
        try:
            step = self._step_to_correct(limit) if wanted == AGREES else self._step_to_incorrect(limit)
        except OutOfBoundsError:
            return "too deep"
        if step is None:
            return "step does not apply"
        equation, origin = step
        if equation.depth > limit:
            return "too deep"
        if equation in self._seen:
            return "known already"
        if equation.left is equation.right and self.random.random() > self.recipe.identical:
            return "identical sides"
        outcome = examine(equation, self._valuation).outcome
        if outcome not in self._pools:
            return outcome
        self._seen.add(equation)
        self._pools[outcome].add(equation)
        if outcome == AGREES:
            self.dictionary.add(equation)
        return Candidate(equation, outcome, origin)

    def _axiom(self) -> Equation:
        if self.recipe.axioms == BY_FAMILY:
            return self.random.choice(self._families[self.random.choice(list(self._families))])
        return self.random.choice(self._axioms)

    def _source(self, outcome: Outcome, limit: int) -> Equation | None:
        if outcome == AGREES and self.random.random() < self.recipe.from_axiom:
            return self._axiom()
        return self._pools[outcome].draw(limit, self.random) or (self._axiom() if outcome == AGREES else None)

    def _keeping_step(self, outcome: Outcome, limit: int) -> tuple[Equation, str] | None:
        """A step that keeps an equation true or, but for rare cases, false."""
        source = self._source(outcome, limit)
        if source is None:
            return None
        shares = self.recipe.keeping
        drawn, bounds = self.random.random(), accumulate(shares.values())
        name = next((name for name, bound in zip(shares, bounds, strict=True) if drawn < bound), "rewrite")
        made = getattr(steps, name)(source, self)
        return made and (made[0], f"{name}: {made[1]}")

    def _step_to_correct(self, limit: int) -> tuple[Equation, str] | None:
        changes = self.recipe.changes_for_correct
        if changes and self.random.random() < changes:
            return self._local_change(limit)
        return self._keeping_step(AGREES, limit)

    def _step_to_incorrect(self, limit: int) -> tuple[Equation, str] | None:
        if self.random.random() > self.recipe.changes_for_incorrect:
            return self._keeping_step(DIFFERS, limit)
        return self._local_change(limit)

    def _local_change(self, limit: int) -> tuple[Equation, str] | None:
        """One of the paper's changes, which may break an equation, at a random node of a correct one."""
        source = self._source(AGREES, limit) or self._axiom()
        path, node = self.random.choice(list(source.positions()))
        name = self.random.choice(self.recipe.changes)
        changed = getattr(steps, name)(source, path, node, self)
        return changed and (changed, name)

    def _random_node(self) -> Expression:
        """A node of a known correct equation: symbols are drawn as often as they occur, so they tell no label."""
        equation = self._pools[AGREES].draw(10**9, self.random) or self._axiom()
        return self.random.choice(list(equation.subexpressions()))

    def function(self, arity: int) -> str:
        """The name of a function: of any of Table 1, or of one that known equations use, where they do."""
        if self.recipe.functions == EVENLY:
            return self.random.choice(_table_1(arity))
        for _ in range(20):
            node = self._random_node()
            if node.kind == FUNCTION and len(node.children) == arity:
                return node.symbol
        known = [name for name in self._functions if FUNCTIONS[name].arity == arity]
        return self.random.choice(known or _table_1(arity))

    def terminal(self) -> Expression:
        return self._drawn(self._terminals)

    def number(self) -> Expression:
        return self._drawn(self._numbers)

    def fresh(self, name: str) -> Expression:
        """What a variable becomes that only a rule's replacement has."""
        return variable(name) if self.recipe.fresh == KEPT else self.terminal()

    def _drawn(self, weights: dict[Expression, float]) -> Expression:
        return self.random.choices(list(weights), list(weights.values()))[0]


def _table_1(arity: int) -> list[str]:
    return [name for name in TABLE_1_FUNCTIONS if FUNCTIONS[name].arity == arity]
