"""What a figure is before it is written: the drawing, the numbers in it, and the sentence for when there are none."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

TRAIN = "`python -m reproduction experiments` makes the runs it needs."


class Picture(NamedTuple):
    """A drawn figure; data is the same as rows, the first of which is the header."""

    name: str
    title: str
    caption: str
    figure: Figure
    data: Sequence[Sequence]


class Missing(NamedTuple):
    """A figure that cannot be drawn yet, and what would make it possible."""

    name: str
    title: str
    reason: str


def rounded(number: float | None) -> str:
    """A number for a data file: six digits are more than any figure shows."""
    return "" if number is None else f"{number:.6g}"
