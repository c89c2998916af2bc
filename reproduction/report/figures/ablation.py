"""Ablations of optimizers drawn: learning curves, accuracy over the learning rate, and all networks side by side."""

from collections.abc import Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...sweeps.ablation import MILESTONE
from ...sweeps.ablation_results import Entry, View, entries, regimes_of, tried_rates, views
from ..tables.ablation import view_title
from .drawing import (
    BLACK, BLUE, FAINT, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, Drawing, Look, draw_range, legend_below, panels,
    rounded,
)  # fmt: skip

# Colour, marker and line of the optimizers in their order; more of them begin again with other lines.
_COLOURS = (GREY, BLACK, ORANGE, VERMILION, SKY, GREEN, PURPLE, BLUE)
_MARKERS = ("o", "v", "s", "D", "^", "P", "x", "*")
_LINES = ("-", "--", "-", "-", "-", "--", ":", "-.", ":", "-.", ":", ":", ":", "-.", "-", "--")
OPTIMIZER_LOOKS = {
    name: Look(choice.title, *look)
    for (name, choice), *look in zip(
        OPTIMIZERS.items(), cycle(_COLOURS), cycle(_MARKERS), cycle(_LINES), strict=False
    )
}


def trial_rows(content: dict) -> list[tuple]:
    """Every trial as a row of a data file, below a header."""
    names = [name for name in content["rows"][0] if name != "curve"]
    rows = [tuple(names)]
    for row in content["rows"]:
        values = (row[name] for name in names)
        rows.append(tuple(rounded(value) if isinstance(value, float) or value is None else value for value in values))
    return rows


def _curves(axes: Axes, shown: Sequence[Entry]) -> None:
    """Mean accuracy on dev by epoch, with the range over seeds; a cross where a run diverged."""
    for entry in shown:
        look = OPTIMIZER_LOOKS[entry.optimizer]
        length = min(len(row["curve"]) for row in entry.rows)
        label = look.name if entry.learning_rate is None else f"{look.name} {entry.learning_rate:g}"
        draw_range(axes, np.array([row["curve"][:length] for row in entry.rows]), look, label)
        for row in entry.rows:
            if row["diverged"]:
                last = row["curve"][-1] if row["curve"] else 50.0
                axes.plot(row["diverged"], last, marker="x", color=look.colour, markersize=7, clip_on=False)
    axes.axhline(MILESTONE, color=FAINT, linewidth=0.8, linestyle=":")
    axes.set_xlabel("epoch")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, title="optimizer and learning rate")


def _sensitivity(axes: Axes, content: dict, batch_size: int) -> None:
    """Accuracy on dev over the learning rate, a line an optimizer; a large cross where the run diverged."""
    for name, rows in tried_rates(content, batch_size).items():
        look = OPTIMIZER_LOOKS[name]
        rates, accuracies = ([row[key] for row in rows] for key in ("learning_rate", "dev_accuracy"))
        axes.plot(rates, accuracies, **{**look.style, "markersize": 3.5})
        broken = [(row["learning_rate"], row["dev_accuracy"]) for row in rows if row["diverged"]]
        if broken:
            axes.plot(*zip(*broken, strict=True), "x", color=look.colour, markersize=9)
    axes.set_xscale("log")
    axes.set_xlabel("learning rate")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4)


def ablation_figure(content: dict) -> Drawing:
    """Learning curves of every optimizer at its best settings, and below them accuracy over the learning rate."""
    shown = views(content)
    regimes = [regime for regime in regimes_of(content) if tried_rates(content, regime.batch_size)]
    height, width = 1 + bool(regimes), max(len(shown), len(regimes))
    figure, axes = panels(height, width, width=4.7 * width, height=5.0 * height, sharey=True, squeeze=False)
    for panel, view in zip(axes[0], shown, strict=False):
        _curves(panel, entries(content, view))
        panel.set_title(view_title(view).lower())
    for panel, regime in zip(axes[-1], regimes, strict=False):
        _sensitivity(panel, content, regime.batch_size)
        panel.set_title(f"{regime.tuning_epochs} epochs with each rate, batches of {regime.batch_size}")
    for panel in (*axes[0][len(shown) :], *(axes[1][len(regimes) :] if regimes else ())):
        panel.set_axis_off()
    for row in axes:
        row[0].set_ylabel("accuracy on dev (%)")
    caption = (
        "Above: each optimizer with the settings that were best on dev, mean and range over seeds; a cross marks the "
        "epoch in which a run diverged. Below: how much each optimizer depends on its learning rate, with the trials "
        "that tuned it, one seed each; a cross marks a rate at which it diverged."
    )
    return Drawing(figure, caption, trial_rows(content))


def _comparisons(contents: Sequence[dict]) -> dict[str, list[tuple[dict, View]]]:
    """What is drawn beside each other: the same kind of comparison of all networks."""
    kinds: dict[str, list[tuple[dict, View]]] = {}
    for content in contents:
        paper = {regime.batch_size for regime in regimes_of(content) if regime.is_paper}
        for view in views(content):
            batches = "small batches" if view.batch_size in paper else "large batches"
            kinds.setdefault(f"{view.part}, {batches}", []).append((content, view))
    return kinds


def overall_figure(contents: Sequence[dict]) -> Drawing:
    """Accuracy on dev of every optimizer on every network, a panel a comparison."""
    kinds = _comparisons(contents)
    figure, axes = panels(1, len(kinds), width=4.2 * len(kinds), height=4.6, sharey=True, squeeze=False)
    data = [("comparison", "model", "optimizer", "batch_size", "learning_rate", "seeds", "dev_accuracy")]
    for panel, (kind, shown) in zip(axes[0], kinds.items(), strict=True):
        for place, (content, view) in enumerate(shown):
            for entry in entries(content, view):
                look, accuracy = OPTIMIZER_LOOKS[entry.optimizer], entry.score.dev_accuracy
                panel.plot(place, accuracy, color=look.colour, marker=look.marker, linestyle="", label=look.name)
                about = (kind, content["model"], entry.optimizer, view.batch_size, rounded(entry.learning_rate))
                data.append((*about, len(entry.rows), rounded(accuracy)))
        names = [MODELS[content["model"]].title.replace(" + ", "\n+ ") for content, _ in shown]
        panel.set_xticks(range(len(names)), names, fontsize=7.5)
        panel.set_title(kind)
    axes[0][0].set_ylabel("accuracy on dev (%)")
    most = max(kinds.values(), key=lambda shown: max(len(entries(*each)) for each in shown))
    first = next(panel for panel, shown in zip(axes[0], kinds.values(), strict=True) if shown is most)
    legend_below(figure, _named_once(first), 8)
    return Drawing(figure, "Each optimizer with the settings that were best on dev: the mean over seeds.", data)


def _named_once(axes: Axes) -> Axes:
    """The same axes, with every optimizer named by its first mark alone."""
    named = set()
    for line in axes.get_lines():
        if line.get_label() in named:
            line.set_label("_")
        named.add(line.get_label())
    return axes
