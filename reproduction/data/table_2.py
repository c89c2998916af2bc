"""Table 2: pairs of a correct and an incorrect equation of the data set, drawn when it is made."""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from .. import artifacts
from ..language.printing import latex_equation
from .dataset import Record
from .manifest import Manifest

FILE = "table-2.json"
ROWS = 8


class ExamplePair(NamedTuple):
    """Two equations as LaTeX."""

    correct: str
    incorrect: str


def _drawn(records: Sequence[Record], label: int, random: Random) -> list[str]:
    """A few readable equations of this label, the small ones first."""
    fitting = [record for record in records if record.label == label and record.equation.size <= 14]
    drawn = sorted(random.sample(fitting, min(ROWS, len(fitting))), key=lambda record: record.equation.size)
    return [latex_equation(record.equation) for record in drawn]


def write_examples(directory: Path, records: Sequence[Record], seed: int) -> None:
    random = Random(f"table 2 {seed}")
    columns = [_drawn(records, label, random) for label in (1, 0)]
    pairs = [ExamplePair(*pair)._asdict() for pair in zip(*columns, strict=False)]
    artifacts.write_json(directory / FILE, pairs)


def read_examples(manifest: Manifest | None) -> tuple[ExamplePair, ...]:
    """The pairs of a data set; none if it has none."""
    return manifest.json(tuple[ExamplePair, ...], FILE) if manifest and FILE in manifest.files else ()
