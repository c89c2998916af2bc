"""A search as a table, as rows of a data file, and as a figure; made from its summary alone."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...sweeps.search import HALVING, best_rows
from ..tables.formats import NOTHING, Column, Row, Section, Table
from .drawing import FAINT, INK, Drawing, panels, rounded

NAMES = {"l2": "L2", "hidden": "hidden units"}
COLOURS = colormaps["viridis"]


def setting_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def setting_text(value) -> str:
    """`0.001`, `adam`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def file_name(summary: dict) -> str:
    return f"search-{summary['model']}"


def title(summary: dict) -> str:
    return f"Search over configurations of {MODELS[summary['model']].title}"


def _best_section(summary: dict) -> Section:
    names = list(summary["space"])
    titles = ("", *map(setting_name, names), "epochs", "dev (%)", "test (%)", "MSE", "diverged")
    rows = []
    for rank, row in enumerate(best_rows(summary["trials"]), 1):
        settings = [setting_text(row["settings"].get(name)) for name in names]
        scores = [f"{row['dev_accuracy']:.2f}", f"{row['test_accuracy']:.2f}"]
        mse = NOTHING if row["mse"] is None else f"{row['mse']:.3f}"
        diverged = f"epoch {row['diverged']}" if row["diverged"] else NOTHING
        rows.append(Row(str(rank), (*settings, str(row["epochs"]), *scores, mse, diverged)))
    return Section("The best configurations, by accuracy on dev", tuple(map(Column, titles)), tuple(rows))


def _marginal_section(summary: dict) -> Section:
    titles = ("setting", "value", "mean dev (%)", "best dev (%)", "configurations", "diverged", "in the last rung")
    rows = []
    for group, (name, marginals) in enumerate(summary["marginals"].items()):
        for row in marginals:
            scores = [f"{row[key]:.2f}" for key in ("mean_dev_accuracy", "best_dev_accuracy")]
            counts = [str(row[key]) for key in ("configurations", "diverged", "in_last_rung")]
            rows.append(Row(setting_name(name), (setting_text(row["value"]), *scores, *counts), group))
    heading = f"The effect of each setting: all configurations, after {summary['rungs'][0]['epochs']} epochs"
    return Section(heading, tuple(map(Column, titles)), tuple(rows))


def search_table(summary: dict) -> Table:
    """The best configurations and the effect of each setting."""
    ladder = ", then ".join(f"{rung['count']} for {rung['epochs']} epochs" for rung in summary["rungs"])
    method = "successive halving" if summary["method"] == HALVING else f"{summary['method']} search"
    hours = sum(row["seconds"] for row in summary["trials"]) / 3600
    note = (
        f"{method.capitalize()}: {ladder}; {SPLIT_TITLES[summary['split']]}, seed {summary['seed']}, "
        f"{hours:.1f} hours of training in all. Everything is chosen on dev; test is shown and chose nothing."
    )
    sections = (_best_section(summary), _marginal_section(summary))
    return Table(f"table-{file_name(summary)}", title(summary), sections, (note,))


def trial_rows(summary: dict) -> list[tuple]:
    """Every trial as a row of a data file, below a header."""
    names = list(summary["space"])
    columns = ("trial", "rung", "epochs", "dev_accuracy", "test_accuracy", "mse", "best_epoch", "diverged", "seconds")
    rows = [(*columns[:3], *names, *columns[3:])]
    for row in summary["trials"]:
        values = [rounded(value) if isinstance(value := row[name], float) else value for name in columns]
        settings = [row["settings"].get(name, "") for name in names]
        rows.append((*values[:3], *settings, *("" if value is None else value for value in values[3:])))
    return rows


def _final_rows(rows: Sequence[dict]) -> list[dict]:
    """Each configuration once, as it was trained longest, worst first so that the best is drawn on top."""
    final = {tuple(row["settings"].items()): row for row in rows}
    return sorted(final.values(), key=lambda row: (row["rung"], row["dev_accuracy"]))


def _values(summary: dict, name: str) -> list:
    """The values of a setting that occur, with None last where some configuration has none."""
    occurring = [row["settings"].get(name) for row in summary["trials"]]
    return [value for value in (*summary["space"][name], None) if value in occurring]


def _coordinates(axes: Axes, summary: dict) -> None:
    """A line a configuration through its settings to its accuracy; configurations of the last rung are thick."""
    names, rows = list(summary["space"]), _final_rows(summary["trials"])
    colour_of = _colouring(rows)
    values = {name: _values(summary, name) for name in names}
    lowest, highest = (pick(row["dev_accuracy"] for row in rows) for pick in (min, max))
    last = max(row["rung"] for row in rows)
    spread = np.linspace(-0.05, 0.05, len(rows))  # lines through the same values stay apart
    for row, shift in zip(rows, spread, strict=True):
        heights = [_height(values[name], row["settings"].get(name)) + shift for name in names]
        heights.append((row["dev_accuracy"] - lowest) / ((highest - lowest) or 1))
        thick = {"linewidth": 1.8, "alpha": 0.95} if row["rung"] == last else {"linewidth": 0.7, "alpha": 0.45}
        axes.plot(range(len(heights)), heights, color=colour_of(row["dev_accuracy"]), **thick)
    for place, name in enumerate(names):
        axes.axvline(place, color=FAINT, linewidth=0.8)
        for value in values[name]:
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1}
            axes.text(place, _height(values[name], value), setting_text(value), ha="center", fontsize=7.5, bbox=box)
    axes.axvline(len(names), color=FAINT, linewidth=0.8)
    for height, value in ((0, lowest), (1, highest)):
        axes.text(len(names) + 0.05, height, f"{value:.1f}", va="center", fontsize=7.5)
    axes.set_xticks(range(len(names) + 1), [*map(setting_name, names), "dev (%)"])
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.set_title("one line a configuration")


def _height(values: list, value) -> float:
    return values.index(value) / (len(values) - 1) if len(values) > 1 else 0.5


def heat_settings(summary: dict) -> tuple[str, str]:
    """The settings of the two sides of the heat map: the optimizer and its learning rate if they are varied."""
    names = sorted(summary["space"], key=lambda name: name not in ("optimizer", "learning_rate"))
    return names[0], names[1] if len(names) > 1 else names[0]


def _heat_map(axes: Axes, summary: dict) -> None:
    """The best accuracy for every pair of values, all after as many epochs: those of the first rung."""
    down, across = heat_settings(summary)
    rows = [row for row in summary["trials"] if row["rung"] == 0]
    colour_of = _colouring(rows)
    scores: dict[tuple, list[float]] = {}
    for row in rows:
        scores.setdefault((row["settings"].get(down), row["settings"].get(across)), []).append(row["dev_accuracy"])
    downward, crosswise = _values(summary, down), _values(summary, across)
    for y, first in enumerate(downward):
        for x, second in enumerate(crosswise):
            best = max(scores.get((first, second), ()), default=None)
            if best is not None:
                colour = colour_of(best)
                axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
                ink = "white" if np.mean(colour[:3]) < 0.5 else INK
                axes.text(x, y, f"{best:.1f}", ha="center", va="center", fontsize=7.5, color=ink)
    axes.set_xlim(-0.5, len(crosswise) - 0.5)
    axes.set_ylim(len(downward) - 0.5, -0.5)
    axes.set_xticks(range(len(crosswise)), map(setting_text, crosswise))
    axes.set_yticks(range(len(downward)), map(setting_text, downward))
    axes.set_xlabel(setting_name(across))
    axes.grid(visible=False)
    axes.set_title(f"best dev (%) after {summary['rungs'][0]['epochs']} epochs")


def _colouring(rows: Sequence[dict]):
    """The colour of an accuracy, between the lowest and the highest of these rows."""
    scale = Normalize(*(pick(row["dev_accuracy"] for row in rows) for pick in (min, max)))
    return lambda accuracy: COLOURS(0.95 * float(scale(accuracy)))


def search_figure(summary: dict) -> Drawing:
    """Parallel coordinates of all configurations, and a heat map of two settings."""
    figure, axes = panels(1, 2, width=10.5, height=4.6, width_ratios=(2.6, 1))
    _coordinates(axes[0], summary)
    _heat_map(axes[1], summary)
    caption = (
        "Left: every configuration as it was trained longest, coloured by its accuracy on dev; thick lines reached the "
        "last rung. Right: the best of all configurations with these two values after the first rung."
    )
    return Drawing(figure, caption, trial_rows(summary))
