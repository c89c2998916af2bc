"""The data set of the showcase network: true equations from several sources, their near misses, labels by values."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from random import Random

from .. import artifacts, shapes
from ..data import manifest
from ..data.dataset import (
    GENERALIZATION,
    SYMBOLIC,
    Record,
    fingerprint_of,
    split_path,
    write_records,
)
from ..data.generation.build import numeric_records
from ..data.manifest import NUMERIC_FILE, SYMBOLIC_FILE
from ..data.parsed import write_sides
from ..data.splits import renamed
from ..language.expression import Equation
from ..language.grammar import TABLE_1_FUNCTIONS
from ..language.printing import print_expression
from ..locks import owned
from .discovery import FORMS
from .sources import IDENTITIES, Candidates, Plan, Sources, identities
from .values import FALSE, TRUE, labels

SUMMARY = "summary.json"  # written last: the data set is whole
LISTED = "on a list to be judged by"  # why an equation is left out
REPEATS = ((7, 5), (11, 3), (15, 2))  # nodes at most, and how often in an epoch


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
            reason = self._reason_against(equation, label, only)
            if reason:
                self.counts[reason] += 1
                continue
            self.found[equation] = label, candidates[equation]
            if label == TRUE:
                true.append(equation)
        return true

    def _reason_against(self, equation: Equation, label: int, only: int | None) -> str | None:
        if renamed(equation) in self.excluded:
            return LISTED
        if label not in (TRUE, FALSE):
            return "not settled by values"
        return "false against expectation" if only is not None and label != only else None


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


def _repeats(size: int) -> int:
    """How often an equation of this size is seen in an epoch: there are few short ones, and people type them."""
    return next((times for largest, times in REPEATS if size <= largest), 1)


def _split(sizes: list[int], numeric: int, plan: Plan, random: Random) -> dict[str, list[str]]:
    """Ids by part: random ones for dev and test, all the others for training, short equations several times."""
    records = len(sizes)
    order = random.sample(range(records), records)
    numbers = [f"n{number}" for number in random.sample(range(numeric), numeric)]
    held, tenth = min(plan.held_out, records // 5), numeric // 10
    symbolic = [f"s{number}" for number in order[: 2 * held]]
    trained = [f"s{number}" for number in order[2 * held :] for _ in range(_repeats(sizes[number]))]
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
    rows = []
    for number, equation in enumerate(equations):
        label, origin = kept.found[equation]
        text = " = ".join(texts[side] for side in equation)
        row = {"id": f"s{number}", "equation": text, "label": label, "kind": SYMBOLIC}
        rows.append({**row, "depth": equation.depth, "origin": origin})
    manifest.begin(directory)
    artifacts.write_lines_gz(directory / SYMBOLIC_FILE, rows)
    numeric = numeric_records(plan.evaluations, plan.evaluations // 2, TABLE_1_FUNCTIONS, seed)
    write_records(directory / NUMERIC_FILE, numeric)
    split = _split([equation.size for equation in equations], len(numeric), plan, random)
    artifacts.write_json(split_path(directory, GENERALIZATION, seed), split, None)
    manifest.finish(manifest.manifest_of(directory, {"command": "showcase", "seed": seed}))
    write_sides(directory, fingerprint_of(directory), {text: side for side, text in texts.items()})
    return _summary(rows, numeric, kept, plan, seed)


def _summary(rows: list[dict], numeric: tuple[Record, ...], kept: Labelled, plan: Plan, seed: int) -> dict:
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


def _identity(plan: Plan, seed: int, excluded: frozenset[Equation]) -> str:
    """What a data set depends on, in short, beside the program."""
    files = [path.read_bytes() for path in (IDENTITIES, artifacts.PROJECT_AXIOMS, FORMS)]
    return artifacts.fingerprint(*files, repr((plan, seed, sorted(map(repr, excluded)))).encode())


def build(directory: Path, plan: Plan, seed: int, excluded: frozenset[Equation]) -> dict:
    """Makes the data set in a directory, unless this very one is there; its summary."""
    path, identity = directory / SUMMARY, _identity(plan, seed, excluded)
    with owned(directory):
        if artifacts.is_there(path):
            summary = shapes.read(dict, path, sealed=True)
            if summary.get("identity") == identity:
                return summary
            path.unlink()
        summary = {"identity": identity, **_write(directory, collect(plan, seed, excluded), plan, seed)}
        artifacts.write_sealed(path, summary)
    return summary
