"""The data set of the showcase network: true equations from several sources, their near misses, labels by values."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from .. import artifacts, shapes
from ..artifacts import owned
from ..data import manifest
from ..data.axioms import read_axioms
from ..data.dataset import GENERALIZATION, SYMBOLIC, Record, split_path, write_records
from ..data.function_evaluations import numeric_records
from ..data.manifest import NUMERIC_FILE, SYMBOLIC_FILE
from ..data.splits import renamed
from ..language.expression import Equation
from ..language.grammar import TABLE_1_FUNCTIONS
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


SUMMARY = "summary.json"  # written last: the data set is whole
LISTED = "on a list to be judged by"  # why an equation is left out
REPEATS = ((7, 5), (11, 3), (15, 2))  # nodes at most, how often in an epoch: short ones are few, and people type them


def excluded_twins(equations: Iterable[Equation]) -> frozenset[Equation]:
    """These equations, which must not be trained on, up to renaming of variables and order of sides."""
    return frozenset(renamed(each) for equation in equations for each in (equation, equation.mirrored()))


class Labelled:
    """Equations with their labels and origins, without the excluded ones, and how many were left out and why."""

    def __init__(self, excluded: frozenset[Equation]):
        self.excluded = excluded
        self.found: dict[Equation, tuple[int, str]] = {}
        self.counts: Counter = Counter()

    def add(self, candidates: Candidates, only: int | None = None) -> list[Equation]:
        """Takes the new candidates that values settle, only those of one label if given; returns the true ones."""
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
    """All equations of the data set, drawn from one random source, a source of equations after the other."""
    random, listed, forms, kept = Random(f"showcase {seed}"), identities(), read_forms(), Labelled(excluded)
    spelled = [(finished(equation, random), family) for equation, family in listed for _ in range(2)]
    rules = Rules(listed + spelled)

    def drawn(name: str, count: int, draw: Callable[[], Equation], only: int | None = TRUE) -> list[Equation]:
        bar = tqdm(range(count), desc=name, unit="equation", disable=None)
        return kept.add({equation: name for equation in (draw() for _ in bar) if fits(equation)}, only)

    def loosely(equation: Equation) -> Equation:
        return finished(instantiated(equation, random) if random.random() < 0.35 else equation, random)

    true = kept.add({equation: "identity" for equation, _ in listed}, TRUE)
    true += drawn("varied identity", plan.varied, lambda: varied(random.choice(listed)[0], random, rules))
    found = discovered(forms, random)
    true += drawn("equal values", plan.discovered, lambda: loosely(random.choice(found)))
    true += drawn("arithmetic", plan.arithmetic, Sums(random).draw)
    true += drawn("algebra", plan.algebra, lambda: finished(algebraic(random), random))
    stated = claims(forms, random, plan.claimed // 3)
    true += drawn("claim", plan.claimed, lambda: loosely(random.choice(stated)), only=None)
    families: dict[str, list[Equation]] = {}
    for equation, family in listed:
        families.setdefault(family, []).append(equation)
    several = [equations for equations in families.values() if len(equations) > 1]

    def crossed() -> Equation:
        """The left side of an identity with the right side of another of its family."""
        first, second = random.sample(random.choices(several, [*map(len, several)])[0], 2)
        return loosely(Equation(random.choice(first), random.choice(second)))

    true += drawn("crossed identities", plan.claimed // 2, crossed, only=None)
    true += kept.add(_between(true, plan.between, random), TRUE)
    kept.add(_misses(true, round(plan.misses * len(true)), random))
    return kept


def _between(true: list[Equation], count: int, random: Random) -> Candidates:
    """Pairs of sides of true equations that have the same values and have not met."""
    groups = by_value(list(dict.fromkeys(side for equation in true for side in equation)), least=3)
    chosen = random.choices(groups, [min(len(group), 30) for group in groups], k=count) if groups else []
    pairs = (Equation(*random.sample(group, 2)) for group in chosen)
    return {equation: "equal sides" for equation in pairs if fits(equation)}


def _misses(true: list[Equation], count: int, random: Random) -> Candidates:
    """Near misses; a third of them spelled anew, so that not all are one change from a true equation."""
    found: Candidates = {}
    for _ in tqdm(range(count), desc="near misses", unit="equation", disable=None):
        if made := mistaken(random.choice(true), random):
            equation = finished(made[0], random) if random.random() < 0.35 else made[0]
            if fits(equation):
                found.setdefault(equation, made[1])
    return found


def _split(records: list[Record], numeric: int, plan: Plan, random: Random) -> dict[str, list[str]]:
    """Ids by part: random ones for dev and test, all others for training, short equations several times."""
    order = random.sample(records, len(records))
    numbers = [f"n{number}" for number in random.sample(range(numeric), numeric)]
    held, tenth = min(plan.held_out, len(records) // 5), numeric // 10
    times = [next((often for largest, often in REPEATS if each.equation.size <= largest), 1) for each in order]
    ids = [record.id for record in order]
    trained = [name for name, often in zip(ids[2 * held :], times[2 * held :], strict=True) for _ in range(often)]
    return {
        "train": trained + numbers[2 * tenth :],
        "dev": ids[:held] + numbers[:tenth],
        "test": ids[held : 2 * held] + numbers[tenth : 2 * tenth],
    }


def _write(directory: Path, kept: Labelled, plan: Plan, seed: int) -> dict:
    """Writes the files of a data set, in the format that `train` reads; returns the card's numbers."""
    random = Random(f"showcase files {seed}")
    found = [(equation, *kept.found[equation]) for equation in random.sample(list(kept.found), len(kept.found))]
    records = [
        Record(f"s{number}", equation, label, SYMBOLIC, equation.depth, origin)
        for number, (equation, label, origin) in enumerate(found)
    ]
    numeric = numeric_records(plan.evaluations, plan.evaluations // 2, TABLE_1_FUNCTIONS, seed)
    manifest.begin(directory)
    write_records(directory / SYMBOLIC_FILE, records)
    write_records(directory / NUMERIC_FILE, numeric)
    split = _split(records, len(numeric), plan, random)
    artifacts.write_lines_gz(split_path(directory, GENERALIZATION, seed), [split])
    manifest.finish(manifest.manifest_of(directory, {"command": "showcase", "seed": seed}))
    by_origin = Counter(f"{each.origin}, {'correct' if each.label else 'incorrect'}" for each in records)
    return {
        "seed": seed,
        "plan": asdict(plan),
        "equations": len(records),
        "correct": sum(each.label for each in records),
        "evaluations": len(numeric),
        "identities": len(identities()),
        "by_origin": dict(sorted(by_origin.items())),
        "by_depth": {str(depth): count for depth, count in sorted(Counter(each.depth for each in records).items())},
        "left_out": dict(kept.counts),
        "excluded": len(kept.excluded) // 2,
    }


def build(directory: Path, plan: Plan, seed: int, excluded: frozenset[Equation]) -> dict:
    """Makes the data set in a directory, unless this very one is there; returns its summary."""
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
