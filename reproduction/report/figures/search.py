"""A search as rows of a data file and as a figure; made from its summary alone."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from ...models import MODELS
from ...sweeps.search import by_settings
from ..tables.search_words import BEST_NAMES, best_name, compared_rows, correlation_text, setting_name, setting_text
from .drawing import BLUE, FAINT, INK, ORANGE, VERMILION, Drawing, legend_below, panels, rounded

COLOURS = colormaps["viridis"]
MARKS = ("o", "s", "^")
SHIFTS = (-0.12, 0.0, 0.12)  # so that equal accuracies are all seen


def _value_text(value) -> str:
    """`none` where an optimizer has no such setting: a dash would pass for a value."""
    return "none" if value is None else setting_text(value)


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
            axes.text(place, _height(values[name], value), _value_text(value), ha="center", fontsize=7.5, bbox=box)
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
    axes.set_xticks(range(len(crosswise)), map(_value_text, crosswise))
    axes.set_yticks(range(len(downward)), map(_value_text, downward))
    axes.set_xlabel(setting_name(across))
    axes.grid(visible=False)
    axes.set_title(f"best dev (%) after {summary['rungs'][0]['epochs']} epochs")


def _colouring(rows: Sequence[dict]):
    """The colour of an accuracy, between the lowest and the highest of these rows."""
    scale = Normalize(*(pick(row["dev_accuracy"] for row in rows) for pick in (min, max)))
    return lambda accuracy: COLOURS(0.95 * float(scale(accuracy)))


def _from_rung_to_rung(axes: Axes, summary: dict) -> None:
    """Accuracy on a rung over that on the rung before, for the configurations that went on."""
    epochs = [rung["epochs"] for rung in summary["rungs"]]
    for each, colour, mark in zip(summary["rank_correlations"], (BLUE, ORANGE, VERMILION) * 9, MARKS * 9, strict=False):
        first, second = each["rungs"]
        earlier, later = by_settings(summary["trials"], first), by_settings(summary["trials"], second)
        pairs = [(earlier[key]["dev_accuracy"], row["dev_accuracy"]) for key, row in later.items()]
        label = f"{epochs[first]} → {epochs[second]} epochs: {correlation_text(each)}"
        axes.plot(*zip(*pairs, strict=True), mark, color=colour, markersize=4, alpha=0.8, label=label)
        axes.axline((pairs[0][0], pairs[0][0]), slope=1, color=FAINT, linewidth=0.8)
    axes.set_xlabel("dev (%) on a rung")
    axes.set_ylabel("dev (%) on the next")
    axes.set_title("from rung to rung")
    axes.legend(loc="lower right", fontsize=7, title="rank correlation")


def search_figure(summary: dict) -> Drawing:
    """Parallel coordinates of all configurations, a heat map of two settings, and how rungs agree."""
    has_rungs = bool(summary.get("rank_correlations"))
    ratios = (2.6, 1, 1.4) if has_rungs else (2.6, 1)
    sizes = {"width": 10.5 + 4 * has_rungs, "height": 4.6, "width_ratios": ratios}
    figure, axes = panels(1, len(ratios), layout="constrained", **sizes)
    figure.get_layout_engine().set(wspace=0.06)  # labels of a panel stay away from the one before
    _coordinates(axes[0], summary)
    _heat_map(axes[1], summary)
    caption = (
        "Left: every configuration as it was trained longest, coloured by its accuracy on dev; thick lines reached the "
        "last rung. Heat map: the best of all configurations with these two values after the first rung."
    )
    if has_rungs:
        _from_rung_to_rung(axes[2], summary)
        caption += " Right: the configurations that went on, before and after, with the correlation of their ranks."
    return Drawing(figure, caption, trial_rows(summary))


def overall_search_figure(summaries: Sequence[dict]) -> Drawing:
    """Test accuracy of the best configuration, of the paper's best and of our defaults, by network."""
    figure, axes = panels(width=7.5)
    data = [("model", "configuration", "dev_accuracy", "test_accuracy")]
    for place, summary in enumerate(summaries):
        for (name, row), colour, mark, shift in zip(
            compared_rows(summary), (VERMILION, ORANGE, BLUE), MARKS, SHIFTS, strict=False
        ):
            label = "_" if place else best_name(summaries) if name in BEST_NAMES else name
            axes.plot(place + shift, row["test_accuracy"], mark, color=colour, label=label)
            data.append((summary["model"], name, *(rounded(row[key]) for key in data[0][2:])))
    axes.set_xticks(range(len(summaries)), [MODELS[summary["model"]].title for summary in summaries])
    axes.set_ylabel("accuracy on test (%)")
    legend_below(figure, axes, 3)
    return Drawing(figure, "One run each; dev chose the configuration and the epoch.", data)
