"""How every figure looks and is saved: one colour a model everywhere, the same bytes from the same numbers."""

import contextlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ... import artifacts
from ...models import MODELS
from ..comparison import Summary
from ..tables.formats import rows_to_csv

TRAIN = "`python -m reproduction experiments` makes the runs it needs."

WIDTH, HEIGHT = 6.4, 4.0  # inches: one panel; the report scales it
DOTS_PER_INCH = 150

INK, FAINT = "#222222", "#8a8a8a"

# Okabe and Ito's colours, which people with any kind of colour vision tell apart.
BLACK, GREY, ORANGE, SKY = "#000000", "#999999", "#e69f00", "#56b4e9"
GREEN, BLUE, VERMILION, PURPLE = "#009e73", "#0072b2", "#d55e00", "#cc79a7"


class Look(NamedTuple):
    """How a model is drawn: colour, marker and line style, so that none of them alone has to be told apart."""

    name: str
    colour: str
    marker: str
    line: str

    @property
    def style(self) -> dict:
        return {"color": self.colour, "marker": self.marker, "linestyle": self.line, "label": self.name}


LOOKS = {
    model: Look(MODELS[model].title, colour, marker, line)
    for model, colour, marker, line in (
        ("rnn", GREY, "v", ":"),
        ("lstm", ORANGE, "^", ":"),
        ("tree-nn", SKY, "s", "--"),
        ("tree-lstm", GREEN, "D", "--"),
        ("tree-nn+data", BLUE, "s", "-"),
        ("tree-lstm+data", VERMILION, "o", "-"),
    )
}

SETTINGS = Path(__file__).with_name("figures.mplstyle")


@contextlib.contextmanager
def style():
    """Draw inside this: our settings and nothing of the user's own."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        plt.style.use(SETTINGS)
        yield


def panels(rows: int = 1, columns: int = 1, width: float = WIDTH, height: float = HEIGHT, **options):
    """(figure, axes) of so many panels; width and height are those of the whole figure, in inches."""
    return plt.subplots(rows, columns, figsize=(width, height), **options)


class Drawing(NamedTuple):
    """A drawn figure, the sentences below it, and the same as rows, the first of which is the header."""

    figure: Figure
    caption: str
    data: Sequence[Sequence] = ()


class Plot(NamedTuple):
    """A figure that may be drawn: the name of its files, what it shows, and what makes the results it needs."""

    name: str
    title: str
    draw: Callable[[], Drawing | None]  # called inside style(); None while results are missing
    needs: str = TRAIN
    section: str = "figures"  # of the page


class Picture(NamedTuple):
    """A plot and what became of it."""

    plot: Plot
    drawing: Drawing | None

    @property
    def caption(self) -> str:
        return self.drawing.caption if self.drawing else self.plot.needs


def darker(colour: str) -> str:
    """The colour mixed with black, for small text on white."""
    return to_hex([0.65 * part for part in to_rgb(colour)])


def rounded(number: float | None) -> str:
    """A number for a data file: six digits are more than any figure shows."""
    return "" if number is None else f"{number:.6g}"


def in_numbers(summary: Summary | None) -> tuple[str, str, int]:
    """Mean, spread and seeds for a data file."""
    return (rounded(summary.mean), rounded(summary.std), summary.seeds) if summary else ("", "", 0)


def draw_means(axes: Axes, places: Iterable, summaries: Iterable[Summary], look: Look, capsize: float = 2) -> None:
    """A line through means over seeds, with their standard deviations as bars."""
    summaries = list(summaries)
    means, errors = [each.mean for each in summaries], [each.std or 0.0 for each in summaries]
    axes.errorbar(list(places), means, errors, capsize=capsize, **look.style)


def draw_band(axes: Axes, places: Iterable, low: Iterable[float], high: Iterable[float], colour: str, alpha: float):
    axes.fill_between(places, low, high, color=colour, alpha=alpha, linewidth=0)


def draw_range(axes: Axes, values: np.ndarray, look: Look, label: str, factor: float = 1) -> Iterator[tuple]:
    """By epoch the mean over seeds, in a band from the lowest to the highest; yields (epoch, mean, lowest, highest)."""
    epochs = np.arange(1, values.shape[1] + 1)  # values: (seeds, epochs)
    mean, low, high = (factor * part for part in (values.mean(axis=0), values.min(axis=0), values.max(axis=0)))
    axes.plot(epochs, mean, color=look.colour, linestyle=look.line, label=label)
    if len(epochs):
        draw_band(axes, epochs, low, high, look.colour, 0.15)
    return zip(epochs.tolist(), mean, low, high, strict=True)


def legend_below(figure: Figure, axes: Axes, ncols: int, *more: Line2D) -> None:
    """What the axes name, and more marks, in one legend below the whole figure."""
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(handles=[*handles, *more], loc="outside lower center", ncols=ncols)


def _bytes(figure: Figure, kind: str, metadata: dict) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """path.png and path.svg, without dates and versions, and the figure closed. Call it inside style()."""
    for kind, names in (("png", ("Software",)), ("svg", ("Date", "Creator", "Format"))):
        artifacts.write_bytes(Path(f"{path}.{kind}"), _bytes(figure, kind, dict.fromkeys(names)))
    plt.close(figure)


def write_plot(plot: Plot, directory: Path) -> Picture:
    """The figure's files and those of its numbers in the directory; none of one that cannot be drawn."""
    with style():
        drawing = plot.draw()
        for suffix in ("png", "svg", "csv"):  # an old figure would pass for a new one
            (directory / f"{plot.name}.{suffix}").unlink(missing_ok=True)
        if drawing:
            save(drawing.figure, directory / plot.name)
        if drawing and drawing.data:
            artifacts.write_text(directory / f"{plot.name}.csv", rows_to_csv(drawing.data))
    return Picture(plot, drawing)
