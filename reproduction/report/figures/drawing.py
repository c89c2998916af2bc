"""How every figure looks and is saved: one colour a model everywhere, the same bytes from the same numbers."""

import contextlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from ... import artifacts
from ...models import MODELS
from .pictures import Missing, Picture
from ..tables.formats import rows_to_csv

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

SETTINGS = {
    "figure.figsize": (WIDTH, HEIGHT),
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "path",
    "svg.hashsalt": "reproduction",
    "path.simplify": False,
}


@contextlib.contextmanager
def style():
    """Draw inside this: our settings and nothing of the user's own."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        yield


def panels(rows: int = 1, columns: int = 1, width: float = WIDTH, height: float = HEIGHT, **options):
    """(figure, axes) of so many panels; width and height are those of the whole figure, in inches."""
    return plt.subplots(rows, columns, figsize=(width, height), **options)


def darker(colour: str) -> str:
    """The colour mixed with black, for small text on white."""
    return to_hex([0.65 * part for part in to_rgb(colour)])


def _bytes(figure: Figure, kind: str, metadata: dict) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=DOTS_PER_INCH, metadata=metadata)
    return buffer.getvalue()


def save(figure: Figure, path: Path) -> None:
    """path.png and path.svg, without dates and versions, and the figure closed. Call it inside style()."""
    path = Path(path)
    artifacts.write_bytes(path.with_name(path.name + ".png"), _bytes(figure, "png", {"Software": None}))
    artifacts.write_bytes(
        path.with_name(path.name + ".svg"), _bytes(figure, "svg", {"Date": None, "Creator": None, "Format": None})
    )
    plt.close(figure)


def write_picture(draw: Callable[[], Picture | Missing], directory: Path) -> Picture | Missing:
    """What was drawn, its files and those of its numbers in the directory; or what is missing, without any files."""
    with style():
        picture = draw()
        if isinstance(picture, Missing):
            remove(picture, directory)
        else:
            save(picture.figure, directory / picture.name)
            if picture.data:
                artifacts.write_text(directory / f"{picture.name}.csv", rows_to_csv(picture.data))
    return picture


def remove(missing: Missing, directory: Path) -> None:
    """No files of a figure that can no longer be drawn: an old one would pass for a new one."""
    for suffix in ("png", "svg", "csv"):
        (directory / f"{missing.name}.{suffix}").unlink(missing_ok=True)
