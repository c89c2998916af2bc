"""Train, dev and test: the paper's random split, a strict one without twins, unseen depths; and their records."""

from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..language.expression import NUMBER, Equation, Expression, negated, variable
from ..language.grammar import MAXIMUM_HEIGHT
from ..language.printing import print_equation
from . import dataset as datasets
from .dataset import DEEPER, LEARNED_DEPTHS, PARTS, STRICT, SYMBOLIC, Dataset, Record, Split, literal_value

TEST_SHARE, DEV_SHARE = 0.2, 0.1


def renamed(equation: Equation) -> Equation:
    """The equation with its variables called v1, v2, … in order of occurrence."""
    names = equation.variables()
    return equation.substituted({name: variable(f"v{index}") for index, name in enumerate(names, 1)})


@lru_cache(maxsize=200_000)
def twin_key(equation: Equation) -> str:
    """One text for all equations that are equal up to mirroring and renaming of variables."""
    return min(print_equation(renamed(equation)), print_equation(renamed(equation.mirrored())))


def _groups(records: Iterable[Record], strict: bool) -> list[list[str]]:
    """Ids that stay together: twins in the strict split, each record alone otherwise."""
    groups: dict[str, list[str]] = {}
    for record in records:
        groups.setdefault(twin_key(record.equation) if strict else record.id, []).append(record.id)
    return list(groups.values())


def _cut(groups: list[list[str]], share: float, random: Random) -> tuple[list[list[str]], list[list[str]]]:
    """Groups in random order, cut where the first part holds this share of the ids."""
    groups = random.sample(groups, len(groups))
    wanted = round(share * sum(map(len, groups)))
    taken = count = 0
    while count < wanted:
        count += len(groups[taken])
        taken += 1
    return groups[:taken], groups[taken:]


def depths_out(name: str) -> Container[int]:
    """The depths that a split of this name keeps for the test."""
    if name == DEEPER:
        return range(LEARNED_DEPTHS + 1, MAXIMUM_HEIGHT + 2)  # "=" is a level, too
    return (int(name.removeprefix("extrapolate-")),) if name.startswith("extrapolate-") else ()


def make_split(dataset: Dataset, name: str, seed: int) -> Split:
    """The split of this name; numeric records are split like symbolic ones, and all in training when a depth is out."""
    if name not in dataset.splits:
        raise InputError(f"split {name!r} is unknown (allowed: {', '.join(dataset.splits)})")
    random = Random(f"{name} {seed}")
    if out := depths_out(name):
        symbolic_test = _groups((record for record in dataset.symbolic if record.depth in out), strict=False)
        symbolic_rest = _groups((record for record in dataset.symbolic if record.depth not in out), strict=False)
        numeric_test, numeric_rest = _groups((), strict=False), _groups(dataset.numeric, strict=False)
    else:
        symbolic_test, symbolic_rest = _cut(_groups(dataset.symbolic, name == STRICT), TEST_SHARE, random)
        numeric_test, numeric_rest = _cut(_groups(dataset.numeric, name == STRICT), TEST_SHARE, random)
    symbolic_dev, symbolic_train = _cut(symbolic_rest, DEV_SHARE, random)
    numeric_dev, numeric_train = _cut(numeric_rest, DEV_SHARE, random)
    parts = symbolic_train + numeric_train, symbolic_dev + numeric_dev, symbolic_test + numeric_test
    train, dev, test = (tuple(identifier for group in part for identifier in group) for part in parts)
    return Split(train, dev, test)


def twin_share(records: Sequence[Record], split: Split) -> float:
    """The share of the symbolic test equations that have a mirrored or renamed twin in train or dev."""
    keys = {record.id: twin_key(record.equation) for record in records}
    known = {keys.get(identifier) for identifier in split.train + split.dev}
    hits = [keys[identifier] in known for identifier in split.test if identifier in keys]
    return sum(hits) / len(hits) if hits else 0.0


def stored_split(dataset: Dataset, directory: Path, name: str, seed: int) -> Split:
    """The split of a data set's directory; one that is not of this data set, or not what its name says, is refused.

    Every record is in one part, and a depth that is out is in test alone.
    """
    split = datasets.load_split(directory, name, seed)
    places = [(identifier, part) for part in PARTS for identifier in getattr(split, part)]
    found, out, trouble = dict(places), depths_out(name), None
    if found.keys() != dataset.by_id.keys() or len(found) < len(places):
        trouble = "does not have every record of the data set once"
    elif out and any((each.depth in out) != (found[each.id] == "test") for each in dataset.symbolic):
        trouble = f"not what its name says, {datasets.SPLIT_TITLES[name]}"
    if trouble:
        raise InputError(f"{datasets.split_path(directory, name, seed)}: {trouble}")
    return split


def twin_trouble(dataset: Dataset, split: Split, name: str) -> str | None:
    """What is wrong with a strict split, in words, or None; this takes seconds."""
    share = twin_share(dataset.symbolic, split) if name == STRICT else 0
    return f"{100 * share:.1f} % of its test equations have a twin in training: it is not strict" if share else None


class Part(NamedTuple):
    """Symbolic records, and numeric ones of both labels."""

    symbolic: tuple[Record, ...]
    numeric: tuple[Record, ...]

    @property
    def labels(self) -> np.ndarray:
        return np.array([record.label for record in self.symbolic], dtype=float)

    @property
    def numeric_labels(self) -> np.ndarray:
        return np.array([record.label for record in self.numeric], dtype=float)

    @property
    def depths(self) -> np.ndarray:
        return np.array([record.depth for record in self.symbolic])


class Parts(NamedTuple):
    """A split with its records."""

    train: Part
    dev: Part
    test: Part


def split_parts(
    dataset: Dataset, split: Split, fraction: float = 1.0, numeric_fraction: float = 1.0, seed: int = 0
) -> Parts:
    """The records of a split; with fractions, a random share of the symbolic and the numeric training records."""
    random = np.random.default_rng([seed, 1])

    def drawn(records: tuple[Record, ...], share: float) -> tuple[Record, ...]:
        order = random.permutation(len(records))
        return tuple(records[i] for i in sorted(order[: round(share * len(records))]))

    parts = {}
    for name, identifiers in split.as_row().items():
        records = [dataset.by_id[identifier] for identifier in identifiers]
        symbolic = tuple(record for record in records if record.kind == SYMBOLIC)
        numeric = tuple(record for record in records if record.kind != SYMBOLIC)
        if name == "train":
            symbolic, numeric = drawn(symbolic, fraction), drawn(numeric, numeric_fraction)
        if not symbolic:
            raise InputError(f"the {name.replace('train', 'training')} part of the split has no symbolic equation")
        parts[name] = Part(symbolic, numeric)
    return Parts(**parts)


def evaluation_target(record: Record) -> tuple[Expression, float]:
    """The side to decode and the number that it should give: the other side, a literal."""
    left, right = record.equation
    for side, other in ((left, right), (right, left)):
        value = literal_value(other)
        if value is not None:
            return side, value
    raise InputError(f"record {record.id}: neither side of a numeric equation is a number written out")


def autoencoder_targets(records: Sequence[Record]) -> list[tuple[Expression, float]]:
    """decode(n) = n and decode(-1 * n) = -n for every number n of some records, smallest first."""
    nodes = {node for record in records for node in record.equation.subexpressions() if node.kind == NUMBER}
    numbers = [(node, float(node.symbol)) for node in sorted(nodes, key=lambda node: Fraction(node.symbol))]
    return numbers + [(negated(node), -value) for node, value in numbers]
