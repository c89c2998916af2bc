"""Where the equations of the showcase network come from: listed identities, equal values, claims, school, mistakes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from .. import artifacts
from ..data.generation.axioms import read_axioms
from ..language.expression import Equation, Expression
from . import discovery
from .algebra import algebraic
from .arithmetic import Sums
from .mistakes import mistaken
from .values import signatures
from .variation import Rules, finished, fits, instantiated, varied

IDENTITIES = Path(__file__).with_name("identities.txt")
SPELLINGS_OF_RULES = 2


@dataclass(frozen=True)
class Plan:
    """How many equations are drawn from each source, before near misses are added and doubles are dropped."""

    varied: int = 290_000  # from the listed identities
    discovered: int = 75_000  # from groups of equal values
    claimed: int = 45_000  # claims about functions, mostly false
    between: int = 65_000  # sides of the above that have equal values
    arithmetic: int = 50_000
    algebra: int = 65_000
    misses: float = 1.3  # near misses of every true equation
    evaluations: int = 12_000
    held_out: int = 6_000  # for dev, and as many for test


SMOKE = Plan(300, 100, 60, 50, 60, 80, evaluations=120, held_out=60)
Candidates = dict[Equation, str]  # with what each was made by


def identities() -> list[tuple[Equation, str]]:
    """All listed identities with their families: axioms.txt and the showcase's own."""
    return [
        (axiom.equation, axiom.family) for path in (artifacts.PROJECT_AXIOMS, IDENTITIES) for axiom in read_axioms(path)
    ]


class Sources:
    """Equations drawn from one random source, in a fixed order of steps."""

    def __init__(self, plan: Plan, seed: int):
        self.plan, self.random = plan, Random(f"showcase {seed}")
        self.identities = identities()
        self.rules = Rules(self._spelled(self.identities))
        self.forms = discovery.read_forms()

    def _spelled(self, pairs: list[tuple[Equation, str]]) -> Iterator[tuple[Equation, str]]:
        yield from pairs
        for equation, family in pairs:
            yield from ((finished(equation, self.random), family) for _ in range(SPELLINGS_OF_RULES))

    def _drawn(self, count: int, name: str, draw: Callable[[], Equation]) -> Candidates:
        bar = tqdm(range(count), desc=name, unit="equation", disable=None)
        equations = (draw() for _ in bar)
        return {equation: name for equation in equations if fits(equation)}

    def listed(self) -> Candidates:
        return {equation: "identity" for equation, _ in self.identities}

    def varied(self) -> Candidates:
        draw = self.random.choice
        return self._drawn(
            self.plan.varied, "varied identity", lambda: varied(draw(self.identities)[0], self.random, self.rules)
        )

    def discovered(self) -> Candidates:
        found = discovery.discovered(self.forms, self.random)
        return self._drawn(self.plan.discovered, "equal values", lambda: self._loosely(self.random.choice(found)))

    def claimed(self) -> Candidates:
        found = discovery.claims(self.forms, self.random, self.plan.claimed // 3)
        return self._drawn(self.plan.claimed, "claim", lambda: self._loosely(self.random.choice(found)))

    def arithmetic(self) -> Candidates:
        return self._drawn(self.plan.arithmetic, "arithmetic", Sums(self.random).draw)

    def algebra(self) -> Candidates:
        return self._drawn(self.plan.algebra, "algebra", lambda: finished(algebraic(self.random), self.random))

    def between(self, true: Iterable[Equation]) -> Candidates:
        """Pairs of sides that have the same values and have not met."""
        sides = list(dict.fromkeys(side for equation in true for side in equation))
        by_value: dict[bytes, list[Expression]] = defaultdict(list)
        for side, signature in zip(sides, signatures(sides), strict=True):
            if signature:
                by_value[signature].append(side)
        groups = [group for group in by_value.values() if len(group) > 2]
        if not groups:
            return {}
        weights = [min(len(group), 30) for group in groups]
        chosen = self.random.choices(groups, weights, k=self.plan.between)
        pairs = (Equation(*self.random.sample(group, 2)) for group in chosen)
        return {equation: "equal sides" for equation in pairs if fits(equation)}

    def crossed(self) -> Candidates:
        """The left side of an identity with the right side of another of its family."""
        families = defaultdict(list)
        for equation, family in self.identities:
            families[family].append(equation)
        several = [equations for equations in families.values() if len(equations) > 1]

        def draw() -> Equation:
            first, second = self.random.sample(self.random.choices(several, [*map(len, several)])[0], 2)
            return self._loosely(Equation(self.random.choice(first), self.random.choice(second)))

        return self._drawn(self.plan.claimed // 2, "crossed identities", draw)

    def misses(self, true: list[Equation]) -> Candidates:
        """Near misses; a third of them varied once more, so that not all are one change from a true equation."""
        found: Candidates = {}
        for _ in tqdm(range(round(self.plan.misses * len(true))), desc="near misses", unit="equation", disable=None):
            made = mistaken(self.random.choice(true), self.random)
            if made is None:
                continue
            equation, name = made
            if self.random.random() < 0.35:
                equation = finished(equation, self.random)
            if fits(equation):
                found.setdefault(equation, name)
        return found

    def _loosely(self, equation: Equation) -> Equation:
        if self.random.random() < 0.35:
            equation = instantiated(equation, self.random)
        return finished(equation, self.random)
