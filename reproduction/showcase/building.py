"""The data set of the showcase network: true equations from several sources, their near misses, labels by values."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from .. import artifacts, shapes
from ..artifacts import owned
from ..data import manifest
from ..data.axioms import read_axioms
from ..data.dataset import GENERALIZATION, SYMBOLIC, split_path, write_records
from ..data.function_evaluations import numeric_records
from ..data.manifest import NUMERIC_FILE, SYMBOLIC_FILE
from ..data.splits import renamed
from ..language.expression import Equation
from ..language.grammar import TABLE_1_FUNCTIONS
from ..language.printing import print_expression
from .mistakes import mistaken
from .school import Sums, algebraic
from .values import FALSE, FORMS, TRUE, by_value, claims, discovered, labels, read_forms
from .variation import Rules, finished, fits, instantiated, varied

IDENTITIES = Path(__file__).with_name("identities.txt")


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
    listed = (axiom for path in (artifacts.PROJECT_AXIOMS, IDENTITIES) for axiom in read_axioms(path))
    return [(axiom.equation, axiom.family) for axiom in listed]


class Sources:
    """Equations drawn from one random source, in a fixed order of steps."""

    def __init__(self, plan: Plan, seed: int):
        self.plan, self.random = plan, Random(f"showcase {seed}")
        self.identities = identities()
        spelled = [(finished(equation, self.random), family) for equation, family in self.identities for _ in range(2)]
        self.rules = Rules(self.identities + spelled)
        self.forms = read_forms()

    def _drawn(self, count: int, name: str, draw: Callable[[], Equation]) -> Candidates:
        bar = tqdm(range(count), desc=name, unit="equation", disable=None)
        return {equation: name for equation in (draw() for _ in bar) if fits(equation)}

    def listed(self) -> Candidates:
        return {equation: "identity" for equation, _ in self.identities}

    def varied(self) -> Candidates:
        def draw() -> Equation:
            return varied(self.random.choice(self.identities)[0], self.random, self.rules)

        return self._drawn(self.plan.varied, "varied identity", draw)

    def discovered(self) -> Candidates:
        found = discovered(self.forms, self.random)
        return self._drawn(self.plan.discovered, "equal values", lambda: self._loosely(self.random.choice(found)))

    def claimed(self) -> Candidates:
        found = claims(self.forms, self.random, self.plan.claimed // 3)
        return self._drawn(self.plan.claimed, "claim", lambda: self._loosely(self.random.choice(found)))

    def arithmetic(self) -> Candidates:
        return self._drawn(self.plan.arithmetic, "arithmetic", Sums(self.random).draw)

    def algebra(self) -> Candidates:
        return self._drawn(self.plan.algebra, "algebra", lambda: finished(algebraic(self.random), self.random))

    def between(self, true: Iterable[Equation]) -> Candidates:
        """Pairs of sides that have the same values and have not met."""
        sides = list(dict.fromkeys(side for equation in true for side in equation))
        groups = by_value(sides, least=3)
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
            if made := mistaken(self.random.choice(true), self.random):
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


SUMMARY = "summary.json"  # written last: the data set is whole
LISTED = "on a list to be judged by"  # why an equation is left out
REPEATS = ((7, 5), (11, 3), (15, 2))  # nodes at most, how often in an epoch: short ones are few, and people type them


def excluded_twins(equations: Iterable[Equation]) -> frozenset[Equation]:
    """What must not be trained on: these equations up to renaming of variables and order of sides."""
    return frozenset(renamed(each) for equation in equations for each in (equation, equation.mirrored()))


class Labelled:
    """Equations with their labels and origins, without those that are excluded, and what was counted on the way."""

    def __init__(self, excluded: frozenset[Equation]):
        self.excluded = excluded
        self.found: dict[Equation, tuple[int, str]] = {}
        self.counts: Counter = Counter()

    def add(self, candidates: Candidates, only: int | None = None) -> list[Equation]:
        """Takes in what is new and settled, of one label if that is said; the true equations among it."""
        new = [equation for equation in candidates if equation not in self.found]
        true = []
        for equation, label in zip(new, labels(new).tolist(), strict=True):
            if renamed(equation) in self.excluded:
                self.counts[LISTED] += 1
            elif label not in (TRUE, FALSE):
                self.counts["not settled by values"] += 1
            elif only is not None and label != only:
                self.counts["false against expectation"] += 1
            else:
                self.found[equation] = label, candidates[equation]
                true += [equation] if label == TRUE else []
        return true


def collect(plan: Plan, seed: int, excluded: frozenset[Equation]) -> Labelled:
    """All equations of the data set."""
    sources, kept = Sources(plan, seed), Labelled(excluded)
    true = kept.add(sources.listed(), TRUE)
    for source in (sources.varied, sources.discovered, sources.arithmetic, sources.algebra):
        true += kept.add(source(), TRUE)
    for source in (sources.claimed, sources.crossed):
        true += kept.add(source())
    true += kept.add(sources.between(true), TRUE)
    kept.add(sources.misses(true))
    return kept


def _split(repeats: list[int], numeric: int, plan: Plan, random: Random) -> dict[str, list[str]]:
    """Ids by part: random ones for dev and test, all the others for training, short equations several times."""
    records = len(repeats)
    order = random.sample(range(records), records)
    numbers = [f"n{number}" for number in random.sample(range(numeric), numeric)]
    held, tenth = min(plan.held_out, records // 5), numeric // 10
    symbolic = [f"s{number}" for number in order[: 2 * held]]
    trained = [f"s{number}" for number in order[2 * held :] for _ in range(repeats[number])]
    return {
        "train": trained + numbers[2 * tenth :],
        "dev": symbolic[:held] + numbers[:tenth],
        "test": symbolic[held:] + numbers[tenth : 2 * tenth],
    }


def _write(directory: Path, kept: Labelled, plan: Plan, seed: int) -> dict:
    """The files of a data set, in the format that `train` reads; what the card says of them."""
    random = Random(f"showcase files {seed}")
    equations = random.sample(list(kept.found), len(kept.found))
    texts = {side: print_expression(side) for equation in equations for side in equation}
    rows, repeats = [], []
    for number, equation in enumerate(equations):
        label, origin = kept.found[equation]
        text = " = ".join(texts[side] for side in equation)
        row = {"id": f"s{number}", "equation": text, "label": label, "kind": SYMBOLIC}
        rows.append({**row, "depth": equation.depth, "origin": origin})
        repeats.append(next((times for largest, times in REPEATS if equation.size <= largest), 1))
    manifest.begin(directory)
    artifacts.write_lines_gz(directory / SYMBOLIC_FILE, rows)
    numeric = numeric_records(plan.evaluations, plan.evaluations // 2, TABLE_1_FUNCTIONS, seed)
    write_records(directory / NUMERIC_FILE, numeric)
    split = _split(repeats, len(numeric), plan, random)
    artifacts.write_lines_gz(split_path(directory, GENERALIZATION, seed), [split])
    manifest.finish(manifest.manifest_of(directory, {"command": "showcase", "seed": seed}))
    labels_by_origin = Counter(f"{row['origin']}, {'correct' if row['label'] else 'incorrect'}" for row in rows)
    return {
        "seed": seed,
        "plan": asdict(plan),
        "equations": len(rows),
        "correct": sum(row["label"] for row in rows),
        "evaluations": len(numeric),
        "identities": len(identities()),
        "by_origin": dict(sorted(labels_by_origin.items())),
        "by_depth": {str(depth): count for depth, count in sorted(Counter(row["depth"] for row in rows).items())},
        "left_out": dict(kept.counts),
        "excluded": len(kept.excluded) // 2,
    }


def build(directory: Path, plan: Plan, seed: int, excluded: frozenset[Equation]) -> dict:
    """Makes the data set in a directory, unless this very one is there; its summary."""
    path = directory / SUMMARY
    files = [path.read_bytes() for path in (IDENTITIES, artifacts.PROJECT_AXIOMS, FORMS)]
    identity = artifacts.fingerprint(*files, repr((plan, seed, sorted(map(repr, excluded)))).encode())
    with owned(directory):
        if artifacts.is_there(path):
            summary = shapes.read(dict, path, sealed=True)
            if summary.get("identity") == identity:
                return summary
            path.unlink()
        summary = {"identity": identity, **_write(directory, collect(plan, seed, excluded), plan, seed)}
        artifacts.write_sealed(path, summary)
    return summary
