"""New equations from known ones: equal-for-equal rewriting and the four local changes (paper, section 2.2).

Everything is done depth by depth: the limit is raised when a depth has what was asked for, or when nothing new
comes any more. Ball arithmetic sorts what comes out; Sympy is asked later, about those that agree.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from ..judges.balls import Valuation
from ..judges.oracle import AGREES, DIFFERS, Outcome, examine
from ..language.expression import FUNCTION, Equation, Expression
from ..language.grammar import ADD, FUNCTIONS, MULTIPLY, POWER, TABLE_1_FUNCTIONS
from .axioms import Axiom
from .matching import MathDictionary
from .steps import LOCAL_CHANGES, draw_terminal, grow_sides, instantiate, mirror, rewrite

RESTART_FROM_AXIOM = 0.4  # how often a step starts from an axiom, its family drawn first
DEEPEST_FIRST = 0.6  # how often a step starts from an equation of the limiting depth, if there is one
IDENTICAL_SHARE = 0.3  # of the equations with identical sides that are kept
# Shares of the steps that keep an equation as it was, true or false; the others rewrite.
KEEPING_SHARES = {instantiate: 0.22, grow_sides: 0.08, mirror: 0.03}
CHANGE_OF_CORRECT = 0.06  # share of the steps to incorrect equations that break a correct one


@dataclass(frozen=True)
class Candidate:
    """An equation with its numeric finding (AGREES or DIFFERS) and the step that made it."""

    equation: Equation
    outcome: Outcome
    origin: str


class Pool:
    """Known equations of one outcome, by depth."""

    def __init__(self):
        self._by_depth: dict[int, list[Equation]] = {}

    def add(self, equation: Equation) -> None:
        self._by_depth.setdefault(equation.depth, []).append(equation)

    def draw(self, limit: int, random: Random) -> Equation | None:
        """One of the limiting depth more often than not, else of any depth up to it; None if there is none."""
        depths = [depth for depth in sorted(self._by_depth) if depth <= limit]
        if not depths:
            return None
        depth = limit if depths[-1] == limit and random.random() < DEEPEST_FIRST else random.choice(depths)
        return random.choice(self._by_depth[depth])


class Generator:
    """An endless source of candidates of at most a given depth; counts what it rejects and why."""

    def __init__(self, axioms: Iterable[Axiom], random: Random):
        axioms = tuple(axioms)
        self.random = random
        self._valuation = Valuation()
        self.dictionary = MathDictionary((axiom.equation, axiom.family) for axiom in axioms)
        self._families: dict[str, list[Equation]] = {}
        self._pools = {AGREES: Pool(), DIFFERS: Pool()}
        self._seen: set[Equation] = set()
        self.rejected: Counter = Counter()
        for axiom in axioms:
            self._families.setdefault(axiom.family, []).append(axiom.equation)
        self._functions = sorted(
            {name for axiom in axioms for name in axiom.equation.functions()} | {ADD, MULTIPLY, POWER},
            key=list(FUNCTIONS).index,
        )

    def propose(self, wanted: Outcome, limit: int) -> Candidate | None:
        """A new equation of the wanted outcome, or None with the reason counted."""
        step = self._keeping_step(AGREES, limit) if wanted == AGREES else self._step_to_incorrect(limit)
        if step is None:
            return self._reject("step does not apply")
        equation, origin = step
        if equation.depth > limit:
            return self._reject("too deep")
        if equation in self._seen:
            return self._reject("known already")
        if equation.left is equation.right and self.random.random() > IDENTICAL_SHARE:
            return self._reject("identical sides")
        outcome = examine(equation, self._valuation).outcome
        if outcome not in self._pools:
            return self._reject(outcome)
        self._seen.add(equation)
        self._pools[outcome].add(equation)
        if outcome == AGREES:
            self.dictionary.add(equation)
        return Candidate(equation, outcome, origin)

    def _reject(self, reason: str) -> None:
        self.rejected[reason] += 1

    def _axiom(self) -> Equation:
        return self.random.choice(self._families[self.random.choice(list(self._families))])

    def _source(self, outcome: Outcome, limit: int) -> Equation | None:
        if outcome == AGREES and self.random.random() < RESTART_FROM_AXIOM:
            return self._axiom()
        return self._pools[outcome].draw(limit, self.random) or (self._axiom() if outcome == AGREES else None)

    def _keeping_step(self, outcome: Outcome, limit: int) -> tuple[Equation, str] | None:
        """A step that keeps an equation true or, but for rare cases, false."""
        source = self._source(outcome, limit)
        if source is None:
            return None
        drawn, bounds = self.random.random(), accumulate(KEEPING_SHARES.values())
        step = next((step for step, bound in zip(KEEPING_SHARES, bounds, strict=True) if drawn < bound), rewrite)
        made = step(source, self)
        return made and (made[0], f"{step.__name__}: {made[1]}")

    def _step_to_incorrect(self, limit: int) -> tuple[Equation, str] | None:
        if self.random.random() > CHANGE_OF_CORRECT:
            return self._keeping_step(DIFFERS, limit)
        source = self._source(AGREES, limit)
        return source and self._local_change(source)

    def _local_change(self, source: Equation) -> tuple[Equation, str] | None:
        """One of the paper's changes that may break an equation, at a random node."""
        path, node = self.random.choice(list(source.positions()))
        change = self.random.choice(LOCAL_CHANGES)
        changed = change(source, path, node, self)
        return changed and (changed, change.__name__)

    def _random_node(self) -> Expression:
        """A node of a known correct equation: symbols are drawn as often as they occur, so they tell no label."""
        equation = self._pools[AGREES].draw(10**9, self.random) or self._axiom()
        return self.random.choice(list(equation.subexpressions()))

    def function(self, arity: int) -> str:
        """The name of a function that known equations use or, where they use none, of any of Table 1."""
        for _ in range(20):
            node = self._random_node()
            if node.kind == FUNCTION and len(node.children) == arity:
                return node.symbol
        known = [name for name in self._functions if FUNCTIONS[name].arity == arity]
        return self.random.choice(known or [name for name in TABLE_1_FUNCTIONS if FUNCTIONS[name].arity == arity])

    def terminal(self) -> Expression:
        return draw_terminal(self.random)
