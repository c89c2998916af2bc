"""What models are trained and tested on: the records of a split, with the numbers that evaluations stand for."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..language.expression import NUMBER, Expression, negated, number
from .dataset import SYMBOLIC, Dataset, Record, Split, literal_value


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


def _part(dataset: Dataset, identifiers: Iterable[str]) -> Part:
    records = [dataset.by_id[identifier] for identifier in identifiers]
    symbolic = tuple(record for record in records if record.kind == SYMBOLIC)
    return Part(symbolic, tuple(record for record in records if record.kind != SYMBOLIC))


def _drawn(records: tuple[Record, ...], fraction: float, random: np.random.Generator) -> tuple[Record, ...]:
    """So much of some records, in their order."""
    order = random.permutation(len(records))
    return tuple(records[i] for i in sorted(order[: round(fraction * len(records))]))


def split_parts(
    dataset: Dataset, split: Split, fraction: float = 1.0, numeric_fraction: float = 1.0, seed: int = 0
) -> Parts:
    """The records of a split; with fractions, so much of the symbolic and the numeric training records, at random."""
    try:
        train, dev, test = (_part(dataset, identifiers) for identifiers in (split.train, split.dev, split.test))
    except KeyError as error:
        raise InputError(f"the split names record {error}, which the data set does not have") from None
    random = np.random.default_rng([seed, 1])
    train = Part(*(_drawn(*pair, random) for pair in zip(train, (fraction, numeric_fraction), strict=True)))
    for name, part in (("training", train), ("dev", dev), ("test", test)):
        if not part.symbolic:
            raise InputError(f"the {name} part of the split has no symbolic equation")
    return Parts(train, dev, test)


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
    numbers = {
        Decimal(node.symbol) for record in records for node in record.equation.subexpressions() if node.kind == NUMBER
    }
    ordered = sorted(numbers)
    return [(number(n), float(n)) for n in ordered] + [(negated(number(n)), -float(n)) for n in ordered]
