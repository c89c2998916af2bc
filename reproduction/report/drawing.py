"""How every figure looks and is saved: one colour a model everywhere, the same bytes from the same numbers."""

import contextlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from PIL import Image

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .. import artifacts
from ..models import MODELS
from .claims import Summary

WIDTH, HEIGHT = 6.4, 4.0  # inches: one panel; the report scales it
DOTS_PER_INCH, COLOURS = 150, 128  # of a PNG


class Colour:
    """Okabe and Ito's colours, which people with any kind of colour vision tell apart; and those of lines and text."""

    BLACK, GREY, ORANGE, SKY = "#000000", "#999999", "#e69f00", "#56b4e9"
    GREEN, BLUE, VERMILION, PURPLE = "#009e73", "#0072b2", "#d55e00", "#cc79a7"
    INK, FAINT = "#222222", "#8a8a8a"


class Look(NamedTuple):
    """How a line is called and drawn; colours, markers and styles differ, so that none of them is needed alone."""

    name: str
    colour: str
    marker: str
    line: str

    @property
    def style(self) -> dict[str, Any]:
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line, "label": self.name}


LOOKS = {name: Look(model.title, *model.look) for name, model in MODELS.items()}


@contextlib.contextmanager
def style():
    """Draw inside this: our settings and nothing of the user's own."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        plt.style.use(Path(__file__).with_name("figures.mplstyle"))
        yield


def panels(rows: int = 1, columns: int = 1, width: float = WIDTH, height: float = HEIGHT, **options):
    """(figure, axes) of so many panels; width and height are those of the whole figure, in inches."""
    return plt.subplots(rows, columns, figsize=(width, height), **options)


class Drawing(NamedTuple):
    """A drawn figure, the sentences below it, and the same as rows, the first of which is the header."""

    figure: Figure
    caption: str
    data: Sequence[Sequence] = ()


def rounded(number: float | None) -> str:
    """A number for a data file: six digits are more than any figure shows."""
    return "" if number is None else f"{number:.6g}"


def in_numbers(summary: Summary | None) -> tuple[str, str, int]:
    """Mean, spread and seeds for a data file."""
    return (rounded(summary.mean), rounded(summary.std), summary.seeds) if summary else ("", "", 0)


def draw_means(axes: Axes, points: Mapping[Any, Summary], look: Look, is_sideways: bool = False, capsize: float = 2):
    """A line through means over seeds, by their places, with standard deviations as bars."""
    means, spreads = [each.mean for each in points.values()], [each.std or 0.0 for each in points.values()]
    places = (means, list(points)) if is_sideways else (list(points), means)
    axes.errorbar(*places, *((None, spreads) if is_sideways else (spreads, None)), capsize=capsize, **look.style)


def draw_means_in_band(axes: Axes, points: Mapping[Any, Summary], color: str, **style: Any) -> None:
    """A line through means over seeds in a band of one standard deviation."""
    axes.plot(list(points), [each.mean for each in points.values()], color=color, **style)
    if any(each.std for each in points.values()):
        low, high = ([each.mean + sign * (each.std or 0) for each in points.values()] for sign in (-1, 1))
        draw_band(axes, list(points), low, high, color, 0.18)


def draw_band(axes: Axes, places: Any, low: Any, high: Any, colour: str, alpha: float = 0.15) -> None:
    axes.fill_between(places, low, high, color=colour, alpha=alpha, linewidth=0)


def legend_below(figure: Figure, axes: Axes, ncols: int, *more: Line2D) -> None:
    """What the axes name, and more marks, in one legend below the whole figure."""
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(handles=[*handles, *more], loc="outside lower center", ncols=ncols)


def save(figure: Figure, path: Path) -> None:
    """path.png and path.svg, without dates and versions, and the figure closed. Call it inside style()."""
    full, small, vector = io.BytesIO(), io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    palette = Image.open(full).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)  # a third of the bytes
    palette.save(small, "PNG", optimize=True)
    figure.savefig(vector, format="svg", dpi=DOTS_PER_INCH, metadata=dict.fromkeys(("Date", "Creator", "Format")))
    artifacts.write_bytes(Path(f"{path}.png"), small.getvalue())
    artifacts.write_bytes(Path(f"{path}.svg"), vector.getvalue())
    plt.close(figure)
