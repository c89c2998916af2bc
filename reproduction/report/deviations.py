"""Where this reproduction departs from the paper or from the authors' release, and why; deviations.json lists it."""

from pathlib import Path
from typing import NamedTuple

from ..shapes import read
from .tables.formats import Row, Table, plain_table

LIST = Path(__file__).with_name("deviations.json")


class Deviation(NamedTuple):
    """A topic, what the paper or its release does, what we do, and the reason."""

    topic: str
    theirs: str
    ours: str
    reason: str


def read_deviations() -> tuple[Deviation, ...]:
    return read(tuple[Deviation, ...], LIST)


def deviations_table() -> Table:
    rows = (Row(deviation.topic, deviation[1:]) for deviation in read_deviations())
    columns = ("Topic", "The paper or its release", "Here", "Why")
    return plain_table("deviations", "Deviations from the paper", columns, rows)
