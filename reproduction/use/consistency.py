"""How often a network changes its mind where the truth does not: test equations, and what a change makes of them.

No judge is asked about them: every change keeps an equation as correct or incorrect as it was. The tests of
compositionality are those of Hupkes et al. (2020), which the paper's follow-up (arXiv 1911.01545) took over for
equations, in a simple form.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from ..data.axioms import Axiom
from ..data.dataset import GENERALIZATION, Dataset, Record
from ..data.recipes import PAPER, MathDictionary
from ..data.splits import split_parts, stored_split
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, examine
from ..language.expression import FUNCTION, NUMBER, Equation, Expression, add, apply, constant, multiply, variable
from ..language.grammar import ADD, MULTIPLY
from ..rows import CHECKSUM, DATA, FINGERPRINT, Row
from ..training.run_directory import FinishedRun
from .reading import Knowledge

CONSISTENCY = "consistency"  # the study whose rows these are
SHALLOW = 1  # levels at most of what localism replaces
FURTHER = (1, 2, 3)  # levels beyond the deepest equation of the training
UNMOVED = 1e-4  # by less than this a probability differs when the same numbers are added in another order
ZERO, ONE = constant("0"), constant("1")
SYSTEMATICITY, PRODUCTIVITY = "systematicity", "productivity"

Ask = Callable[[Sequence[Equation]], Sequence[float | None]]  # the probabilities that equations are correct


@dataclass(frozen=True)
class Means:
    """What changes are made with: what the network knows, the rules of the axioms, and how deep an equation may get."""

    knowledge: Knowledge
    rules: MathDictionary
    deepest: int  # equation of the training, or of the test where that is deeper

    @cached_property
    def _symbols(self) -> frozenset[str]:
        return frozenset((*self.knowledge.functions, *self.knowledge.constants, *self.knowledge.variables))

    @cached_property
    def steps(self) -> list[tuple[str, Expression]]:
        """Sums and products with a number that are as free as the variable in them: they take every value once."""
        trivial = {ADD: (None, 0), MULTIPLY: (None, 0, 1)}
        numbers = [constant(name) for name in sorted(self.knowledge.constants)]
        pairs = [(name, each) for name in trivial for each in numbers if each.value not in trivial[name]]
        return [(name, each) for name, each in pairs if name in self._symbols]

    def reads(self, nodes: Expression | Equation) -> bool:
        """Whether the network has met all that is in an expression or equation."""
        numbers = self.knowledge.compares_numbers
        return all(each.symbol in self._symbols or (numbers and each.kind == NUMBER) for each in nodes.subexpressions())

    @cached_property
    def _agree(self) -> Callable[[Expression, Expression], bool]:
        """Whether two terms that an axiom equates are defined at the same points: 0 and 1 / (1 / 0) are not."""
        valuation = Valuation()
        return cache(lambda *terms: examine(Equation(*terms), valuation).outcome == AGREES)

    def synonyms(self, node: Expression) -> Iterator[Expression]:
        """What an axiom says is equal; swapped operands, + 0 and * 1 are left out, they are tests of their own."""
        others = {node, *commuted(node), *plus_zero(node), *times_one(node)}
        for rule, binding in (match for family in self.rules.matches(node).values() for match in family):
            synonym = rule.replacement.substituted(binding)
            if synonym not in others and self._agree(node, synonym):
                yield synonym


Make = Callable[[Equation, Means, Random], Equation | None]  # None: the change does not apply


class Change(NamedTuple):
    """A change that keeps the truth, what it is called, and a sentence on it."""

    title: str
    sentence: str
    make: Make


def plus_zero(node: Expression) -> list[Expression]:
    return [add(node, ZERO), add(ZERO, node)]


def times_one(node: Expression) -> list[Expression]:
    return [multiply(node, ONE), multiply(ONE, node)]


def commuted(node: Expression) -> list[Expression]:
    return [apply(node.symbol, *reversed(node.children))] if node.symbol in (ADD, MULTIPLY) else []


def renamed(equation: Equation, means: Means, random: Random) -> Equation | None:
    """Every variable as the one so many names further on; None without variables."""
    names, known = equation.variables(), sorted(means.knowledge.variables)
    if not names or len(known) < 2:
        return None
    shift = random.randrange(1, len(known))
    return equation.substituted({each: variable(known[(known.index(each) + shift) % len(known)]) for each in names})


def somewhere(options: Callable[[Means, Expression], Iterable[Expression]]) -> Make:
    """The change of one node, drawn from those that have an option which the network can read."""

    def make(equation: Equation, means: Means, random: Random) -> Equation | None:
        places = list(equation.positions())
        for path, node in random.sample(places, len(places)):
            found = [each for each in options(means, node) if each is not node and means.reads(each)]
            for each in random.sample(found, len(found)):
                if (changed := equation.replaced(path, each)).depth <= means.deepest:
                    return changed
        return None

    return make


def no_deeper(means: Means, node: Expression) -> Iterator[Expression]:
    return (each for each in means.synonyms(node) if each.height <= node.height)


def deeper(means: Means, node: Expression) -> Iterator[Expression]:
    return (each for each in means.synonyms(node) if node.height <= min(SHALLOW, each.height - 1))


def deepened(levels: int) -> Make:
    """One variable replaced by nested sums and products until the equation has so many levels beyond the training."""

    def make(equation: Equation, means: Means, random: Random) -> Equation | None:
        names, changed = sorted(equation.variables()), equation
        if not names or not means.steps:
            return None
        name = random.choice(names)
        term = variable(name)
        while changed.depth < means.deepest + levels:
            function, number = random.choice(means.steps)
            term = apply(function, *random.sample([term, number], 2))
            changed = equation.substituted({name: term})
        return changed

    return make


CHANGES = {
    "swapped": Change("sides swapped", "a = b becomes b = a", lambda equation, *_: equation.mirrored()),
    "renamed": Change("variables renamed", "every variable becomes another one that the network knows", renamed),
    "plus-zero": Change("+ 0", "0 is added to a subterm or a side", somewhere(lambda _, node: plus_zero(node))),
    "times-one": Change("× 1", "a subterm or a side is multiplied by 1", somewhere(lambda _, node: times_one(node))),
    "commuted": Change(
        "operands swapped", "those of one + or × are exchanged", somewhere(lambda _, node: commuted(node))
    ),
    "substitutivity": Change(
        "substitutivity", "a subterm becomes a synonym by an axiom that is no deeper", somewhere(no_deeper)
    ),
    "localism": Change(
        "localism",
        "a subterm of at most one function becomes a deeper synonym by an axiom, below the same top",
        somewhere(deeper),
    ),
    **{
        f"{PRODUCTIVITY}-{levels}": Change(
            f"{PRODUCTIVITY} +{levels}",
            "a variable becomes nested sums and products with numbers, which take every value once, and the equation "
            f"as many levels deeper than any of the training: {levels}",
            deepened(levels),
        )
        for levels in FURTHER
    },
}


def outcomes(
    ask: Ask, knowledge: Knowledge, test: Sequence[Record], axioms: Iterable[Axiom], train: Sequence[Record] = ()
) -> Iterator[dict]:
    """For each change how many equations it was made of, were judged rightly before it, and lost or won by it.

    With the training equations also systematicity.
    """
    rules = MathDictionary(((axiom.equation, axiom.family) for axiom in axioms), PAPER)
    means = Means(knowledge, rules, max([knowledge.deepest, *(record.depth for record in test)]))
    test = [record for record in test if means.reads(record.equation)]
    before = np.array(ask([record.equation for record in test]), float)
    labels = np.array([record.label for record in test], bool)
    for name, change in CHANGES.items():
        drawn = (change.make(record.equation, means, Random(f"{name} {record.id}")) for record in test)
        changed = {place: each for place, each in enumerate(drawn) if each not in (None, test[place].equation)}
        if places := list(changed):
            after = np.array(ask(list(changed.values())), float)
            yield {"part": name, **_counts(before[places], after, labels[places])}
    if train:
        yield {"part": SYSTEMATICITY, **systematicity(test, (before >= 0.5) == labels, train)}


def _counts(before: np.ndarray, after: np.ndarray, labels: np.ndarray) -> dict:
    """`fixed` where no probability moves: built as it is, the network cannot tell such a change."""
    was, stays = (before >= 0.5) == labels, (after >= 0.5) == labels
    counts = {"right": was, "lost": was & ~stays, "won": ~was & stays}
    fixed = {"fixed": True} if np.abs(before - after).max() < UNMOVED else {}
    return {"count": len(labels), **{name: int(np.sum(each)) for name, each in counts.items()}, **fixed}


def nested_pairs(equation: Equation) -> frozenset[tuple[str, str]]:
    """(parent function, child function) for every function that stands directly in another."""
    nodes = ((node, child) for node in equation.subexpressions() for child in node.children)
    return frozenset((node.symbol, child.symbol) for node, child in nodes if child.kind == FUNCTION)


def systematicity(test: Sequence[Record], is_right: Sequence[bool], train: Iterable[Record]) -> dict:
    """How many test equations have a nested pair that is new, of functions that are not; how many are judged rightly.

    `others` is how many would be at the accuracy of the other test equations of the same depths and labels.
    """
    pairs, functions = set[tuple[str, str]](), set[str]()
    for record in train:
        pairs |= nested_pairs(record.equation)
        functions |= set(record.equation.functions())
    new, other = list[tuple[Record, bool]](), defaultdict[tuple[int, int], list[bool]](list)
    for record, right in zip(test, is_right, strict=True):
        if nested_pairs(record.equation) <= pairs:
            other[record.depth, record.label].append(right)
        elif functions.issuperset(record.equation.functions()):
            new.append((record, right))
    new = [(record, right) for record, right in new if (record.depth, record.label) in other]
    expected = sum(float(np.mean(other[record.depth, record.label])) for record, _ in new)
    return {"count": len(new), "right": sum(bool(right) for _, right in new), "others": round(expected, 6)}


def rows_of(
    run: FinishedRun, knowledge: Knowledge, ask: Ask, dataset: Dataset, data: Path, axioms: Iterable[Axiom]
) -> list[Row]:
    """A row for each change, on the test part of the run's own split.

    A network of other data is asked about that of the random split; what it has learned from is not known here.
    """
    settings = run.configuration
    is_own = run.data_fingerprint == dataset.fingerprint
    name, seed = (run.split, run.seed) if is_own else (GENERALIZATION, 0)
    split = stored_split(dataset, data, name, seed)
    if is_own and split.checksum != run.split_checksum:
        raise InputError(f"{data}: the split {name}-{seed} there is not that of {run.directory}")
    parts = split_parts(dataset, split, settings.fraction, settings.numeric_fraction, settings.seed)
    head = {"study": CONSISTENCY, "model": run.model, "split": name, "seed": seed, DATA: DATA}
    head |= {FINGERPRINT: dataset.fingerprint, CHECKSUM: split.checksum}
    train = parts.train.symbolic if is_own else ()
    return [{**head, **each} for each in outcomes(ask, knowledge, parts.test.symbolic, axioms, train)]
