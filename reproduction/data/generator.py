"""The symbolic equations of a data set: rewriting, the four local changes (paper, section 2.2), and what is kept.

Everything is done depth by depth: the limit is raised when a depth has the equations that were asked for, or when no
new ones come any more. Ball arithmetic sorts them; Sympy is asked later, about those whose sides agree.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil
from random import Random
from typing import NamedTuple

from .. import paper
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, CORRECT, DIFFERS, UNSURE, Oracle, Outcome, examine
from ..language.expression import CONSTANT, FUNCTION, Equation, Expression, OutOfBoundsError, variable
from ..language.grammar import ADD, FUNCTIONS, MULTIPLY, POWER, TABLE_1_FUNCTIONS
from ..language.parsing import parse_expression
from . import recipes
from .axioms import Axiom
from .dataset import SYMBOLIC, Record
from .recipes import BY_FAMILY, EVENLY, KEPT, Made, MathDictionary, Recipe

SURPLUS = 1.15  # candidates for every correct equation still missing: Sympy leaves some of them unsettled


class Candidate(NamedTuple):
    """An equation with its numeric finding (AGREES or DIFFERS) and the step that made it."""

    equation: Equation
    outcome: Outcome
    origin: str

    def record(self, identifier: str, label: int) -> Record:
        return Record(identifier, self.equation, label, SYMBOLIC, self.equation.depth, self.origin)


class Generator:
    """An endless source of candidates of at most a given depth; counts what it rejects and why."""

    def __init__(self, axioms: Iterable[Axiom], recipe: Recipe, random: Random):
        axioms = tuple(axioms)
        self.random, self.recipe = random, recipe
        self.dictionary = MathDictionary(((axiom.equation, axiom.family) for axiom in axioms), recipe)
        self.rejected: Counter = Counter()
        self._valuation = Valuation()
        self._axioms = [axiom.equation for axiom in axioms]
        self._families: dict[str, list[Equation]] = defaultdict(list)
        for axiom in axioms:
            self._families[axiom.family].append(axiom.equation)
        self._known: dict[Outcome, dict[int, list[Equation]]] = {AGREES: {}, DIFFERS: {}}  # by depth
        self._seen: set[Equation] = set()
        used = {name for axiom in axioms for name in axiom.equation.functions()} | {ADD, MULTIPLY, POWER}
        self._functions = [name for name in FUNCTIONS if name in used]
        self._terminals = {parse_expression(name): weight for name, weight in recipe.terminals.items()}
        self._numbers = {node: weight for node, weight in self._terminals.items() if node.kind == CONSTANT}

    def propose(self, wanted: Outcome, limit: int) -> Candidate | None:
        """A new equation, or None with the reason counted; the outcome is not always the wanted one."""
        try:
            made = self._step(wanted, limit) or "step does not apply"
        except OutOfBoundsError:
            made = "too deep"
        candidate = made if isinstance(made, str) else self._judged(*made, limit)
        if isinstance(candidate, str):
            self.rejected[candidate] += 1
            return None
        self.add(candidate.equation, candidate.outcome)
        return candidate

    def add(self, equation: Equation, outcome: Outcome) -> None:
        """Makes an equation a known one, which steps may start from."""
        self._seen.add(equation)
        self._known[outcome].setdefault(equation.depth, []).append(equation)
        if outcome == AGREES:
            self.dictionary.add(equation)

    def draw(self, outcome: Outcome, limit: float) -> Equation | None:
        """A known equation of any depth up to the limit, or None: evenly, or with the recipe's share of the limit."""
        known = self._known[outcome]
        depths = [depth for depth in sorted(known) if depth <= limit]
        if not depths:
            return None
        if self.recipe.sources == EVENLY:
            depth = self.random.choices(depths, [len(known[depth]) for depth in depths])[0]
        elif depths[-1] == limit and self.random.random() < self.recipe.deepest_first:
            depth = depths[-1]
        else:
            depth = self.random.choice(depths)
        return self.random.choice(known[depth])

    def _judged(self, equation: Equation, origin: str, limit: int) -> Candidate | str:
        """The equation with its outcome, or why it is rejected."""
        if equation.depth > limit:
            return "too deep"
        if equation in self._seen:
            return "known already"
        if equation.left is equation.right and self.random.random() > self.recipe.identical:
            return "identical sides"
        outcome = examine(equation, self._valuation).outcome
        return Candidate(equation, outcome, origin) if outcome in self._known else outcome

    def _axiom(self) -> Equation:
        if self.recipe.axioms == BY_FAMILY:
            return self.random.choice(self._families[self.random.choice(list(self._families))])
        return self.random.choice(self._axioms)

    def _source(self, outcome: Outcome, limit: int) -> Equation | None:
        if outcome == AGREES and self.random.random() < self.recipe.from_axiom:
            return self._axiom()
        return self.draw(outcome, limit) or (self._axiom() if outcome == AGREES else None)

    def _step(self, wanted: Outcome, limit: int) -> Made | None:
        """A local change of a correct equation, which may break it, or a step from a known one of this outcome."""
        random, recipe = self.random, self.recipe
        share = recipe.changes_for_correct if wanted == AGREES else recipe.changes_for_incorrect
        if (share or wanted == DIFFERS) and random.random() <= share:
            correct = self._source(AGREES, limit) or self._axiom()
            path, node = random.choice(list(correct.positions()))
            name = random.choice(recipe.changes)
            changed = getattr(recipes, name)(correct, path, node, self)
            return changed and (changed, name)
        source = self._source(wanted, limit)
        if source is None:
            return None
        drawn, bounds = random.random(), accumulate(recipe.keeping.values())
        name = next((name for name, bound in zip(recipe.keeping, bounds, strict=True) if drawn < bound), "rewrite")
        made = getattr(recipes, name)(source, self)
        return made and (made[0], f"{name}: {made[1]}")

    def function(self, arity: int) -> str:
        """The name of a function: of any of Table 1, or as often as known correct equations have it."""
        table_1 = [name for name in TABLE_1_FUNCTIONS if FUNCTIONS[name].arity == arity]
        if self.recipe.functions == EVENLY:
            return self.random.choice(table_1)
        for _ in range(20):
            equation = self.draw(AGREES, float("inf")) or self._axiom()
            node = self.random.choice(list(equation.subexpressions()))
            if node.kind == FUNCTION and len(node.children) == arity:
                return node.symbol
        return self.random.choice([name for name in self._functions if FUNCTIONS[name].arity == arity] or table_1)

    def terminal(self) -> Expression:
        return self.random.choices([*self._terminals], [*self._terminals.values()])[0]

    def number(self) -> Expression:
        return self.random.choices([*self._numbers], [*self._numbers.values()])[0]

    def fresh(self, name: str) -> Expression:
        """The expression in place of a variable that only a rule's replacement has."""
        return variable(name) if self.recipe.fresh == KEPT else self.terminal()


class Wish(NamedTuple):
    """How many equations of one depth, and how many of them correct."""

    total: int
    correct: int


def paper_wishes(factor: float = 1.0) -> dict[int, Wish]:
    """The paper's counts, or this share of them; correct ones that its percentages do not cover are of depth 1."""
    totals, shares = paper.SYMBOLIC_BY_DEPTH, paper.CORRECT_SHARE_BY_DEPTH
    correct = {depth: round(share * totals[depth]) for depth, share in shares.items()}
    correct[1] = paper.SYMBOLIC_CORRECT - sum(correct.values())
    return {
        depth: Wish(max(2, round(total * factor)), max(1, round(correct[depth] * factor)))
        for depth, total in totals.items()
    }


@dataclass(frozen=True)
class Built:
    """Symbolic records, unsure ones, what was counted, the recipe, and counts of axioms of one's own."""

    symbolic: tuple[Record, ...]
    unsure: tuple[Record, ...]
    verdicts: Counter
    routes: Counter
    rejected: Counter
    shortfall: dict[int, Wish]
    recipe: Recipe
    own_axioms: dict = field(default_factory=dict)


class SymbolicBuilder:
    """Fills the wishes depth by depth. The same axioms, recipe, wishes and seed give the same records."""

    def __init__(self, axioms: Iterable[Axiom], recipe: Recipe, seed: int, oracle: Oracle):
        self._random, self._recipe, self._oracle = Random(f"symbolic {seed}"), recipe, oracle
        self._generator = Generator(axioms, recipe, self._random)
        self._waiting: dict[tuple[int, Outcome], list[Candidate]] = defaultdict(list)
        self._unsure: list[Candidate] = []
        self._verdicts: Counter = Counter()
        self._routes: Counter = Counter()

    def build(self, wishes: dict[int, Wish], progress: Callable[[int], None] = lambda count: None) -> Built:
        chosen: list[tuple[Candidate, int]] = []
        shortfall = {}
        for depth, wish in sorted(wishes.items()):
            agreeing = self._collect(AGREES, depth, ceil(SURPLUS * wish.correct))
            incorrect = self._collect(DIFFERS, depth, wish.total - wish.correct)
            progress(len(incorrect))
            correct = self._correct(depth, wish.correct, agreeing, progress)
            labelled = [(candidate, 1) for candidate in correct] + [(candidate, 0) for candidate in incorrect]
            if len(labelled) < wish.total:
                shortfall[depth] = Wish(wish.total - len(labelled), wish.correct - len(correct))
            self._random.shuffle(labelled)
            chosen.extend(labelled)
        symbolic = tuple(candidate.record(f"s{index}", label) for index, (candidate, label) in enumerate(chosen))
        unsure = tuple(candidate.record(f"u{index}", 1) for index, candidate in enumerate(self._unsure))
        counted = (self._verdicts, self._routes, self._generator.rejected)
        return Built(symbolic, unsure, *counted, shortfall, self._recipe)

    def _collect(self, outcome: Outcome, depth: int, count: int) -> list[Candidate]:
        """So many candidates of this outcome and depth, fewer when nothing new comes any more."""
        waiting, fruitless = self._waiting[depth, outcome], 0
        while len(waiting) < count and fruitless < self._recipe.patience:
            candidate = self._generator.propose(outcome, depth)
            fruitless += 1
            if candidate:
                here = self._waiting[candidate.equation.depth, candidate.outcome]
                here.append(candidate)
                fruitless = 0 if here is waiting else fruitless
        taken, waiting[:] = waiting[:count], waiting[count:]
        return taken

    def _correct(self, depth: int, count: int, candidates: list[Candidate], progress) -> list[Candidate]:
        """So many equations of this depth that both judges call correct; the unsure ones are kept aside.

        They include the true equations that local changes made while incorrect ones were collected.
        """
        candidates = candidates + self._waiting.pop((depth, AGREES), [])
        by_verdict: dict[str, list[Candidate]] = {CORRECT: [], UNSURE: self._unsure}
        while candidates:
            self._random.shuffle(candidates)
            judgements = self._oracle.judge_many([candidate.equation for candidate in candidates], progress)
            for candidate, judgement in zip(candidates, judgements, strict=True):
                self._verdicts[judgement.verdict] += 1
                self._routes[judgement.evidence.get("route", judgement.evidence.get("reason"))] += 1
                by_verdict.setdefault(judgement.verdict, []).append(candidate)
            missing = count - len(by_verdict[CORRECT])
            candidates = self._collect(AGREES, depth, ceil(SURPLUS * missing)) if missing > 0 else []
        return by_verdict[CORRECT][:count]
