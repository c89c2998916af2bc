"""The data set from axioms and wishes: candidates, verdicts, and as many of each depth and label as asked for."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from random import Random

from ... import paper
from ...errors import InputError
from ...judges.balls import UNDEFINED, Valuation
from ...judges.oracle import AGREES, CORRECT, DIFFERS, UNSURE, Oracle, Outcome, examine, explanation, numeric_judgement
from ..dataset import SYMBOLIC, Record
from ..function_evaluations import make_evaluations
from .axioms import Axiom
from .generator import Candidate, Generator
from .recipes import Recipe

SURPLUS = 1.15  # candidates for every correct equation still missing: Sympy leaves some of them unsettled


@dataclass(frozen=True)
class Wish:
    """How many equations of one depth, and how many of them correct."""

    total: int
    correct: int


def paper_wishes() -> dict[int, Wish]:
    """The paper's counts; what its percentages leave over of the correct ones falls to depth 1."""
    correct = {
        depth: round(share * paper.SYMBOLIC_BY_DEPTH[depth]) for depth, share in paper.CORRECT_SHARE_BY_DEPTH.items()
    }
    correct[1] = paper.SYMBOLIC_CORRECT - sum(correct.values())
    return {depth: Wish(total, correct[depth]) for depth, total in paper.SYMBOLIC_BY_DEPTH.items()}


def scaled(wishes: dict[int, Wish], factor: float) -> dict[int, Wish]:
    return {
        depth: Wish(max(2, round(wish.total * factor)), max(1, round(wish.correct * factor)))
        for depth, wish in wishes.items()
    }


@dataclass(frozen=True)
class Built:
    """Symbolic records, the unsure ones, what was counted on the way, the recipe, and what is said of own axioms."""

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
        self._random = Random(f"symbolic {seed}")
        self._recipe = recipe
        self._generator = Generator(axioms, recipe, self._random)
        self._oracle = oracle
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
            missing = Wish(wish.total - len(correct) - len(incorrect), wish.correct - len(correct))
            if missing.total:
                shortfall[depth] = missing
            labelled = [(candidate, 1) for candidate in correct] + [(candidate, 0) for candidate in incorrect]
            self._random.shuffle(labelled)
            chosen.extend(labelled)
        symbolic = tuple(_record(f"s{index}", candidate, label) for index, (candidate, label) in enumerate(chosen))
        unsure = tuple(_record(f"u{index}", candidate, 1) for index, candidate in enumerate(self._unsure))
        counted = (self._verdicts, self._routes, self._generator.rejected)
        return Built(symbolic, unsure, *counted, shortfall, self._recipe)

    def _collect(self, outcome: Outcome, depth: int, count: int) -> list[Candidate]:
        """So many candidates of this outcome and depth, fewer when nothing new comes any more."""
        waiting = self._waiting[depth, outcome]
        fruitless = 0
        while len(waiting) < count and fruitless < self._recipe.patience:
            candidate = self._generator.propose(outcome, depth)
            fruitless += 1
            if candidate:
                self._waiting[candidate.equation.depth, candidate.outcome].append(candidate)
                if (candidate.equation.depth, candidate.outcome) == (depth, outcome):
                    fruitless = 0
        taken, waiting[:] = waiting[:count], waiting[count:]
        return taken

    def _correct(self, depth: int, count: int, candidates: list[Candidate], progress) -> list[Candidate]:
        """So many equations of this depth that both judges call correct.

        The local changes of the incorrect ones have met true equations as well: those are mixed in.
        """
        candidates = candidates + self._waiting.pop((depth, AGREES), [])
        confirmed: list[Candidate] = []
        while candidates:
            self._random.shuffle(candidates)
            confirmed += self._confirmed(candidates, progress)
            missing = count - len(confirmed)
            candidates = self._collect(AGREES, depth, ceil(SURPLUS * missing)) if missing > 0 else []
        return confirmed[:count]

    def _confirmed(self, candidates: list[Candidate], progress) -> list[Candidate]:
        """Those of the candidates that Sympy confirms; the unsure ones are kept aside."""
        judgements = self._oracle.judge_many([candidate.equation for candidate in candidates], progress)
        for candidate, judgement in zip(candidates, judgements, strict=True):
            self._verdicts[judgement.verdict] += 1
            self._routes[judgement.evidence.get("route", judgement.evidence.get("reason"))] += 1
            if judgement.verdict == UNSURE:
                self._unsure.append(candidate)
        return [c for c, judgement in zip(candidates, judgements, strict=True) if judgement.verdict == CORRECT]


def _record(identifier: str, candidate: Candidate, label: int) -> Record:
    return Record(identifier, candidate.equation, label, SYMBOLIC, candidate.equation.depth, candidate.origin)


def check_axioms(path: Path, axioms: Iterable[Axiom]) -> None:
    """Refuse the first axiom that the numeric judge shows to be false or undefined, with its line and the evidence."""
    valuation = Valuation()
    for axiom in axioms:
        finding = examine(axiom.equation, valuation)
        if finding.outcome in (DIFFERS, UNDEFINED):
            judgement = numeric_judgement(finding)
            reason = explanation(judgement.evidence)
            raise InputError(f"{path}, line {axiom.line}, column 1: this axiom is {judgement.verdict}: {reason}")


def numeric_records(total: int, correct: int, functions: tuple[str, ...], seed: int) -> tuple[Record, ...]:
    """Evaluations of these functions and decimal trees, in random order."""
    random = Random(f"numeric {seed}")
    evaluations = make_evaluations(functions, total, correct, random)
    random.shuffle(evaluations)
    return tuple(replace(record, id=f"n{index}") for index, record in enumerate(evaluations))
