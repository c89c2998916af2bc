"""Ablations of optimizers drawn: learning curves, accuracy over the learning rate, and all networks side by side."""

from collections.abc import Iterator, Sequence
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import offset_copy

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...sweeps.ablation_results import Entry, Regime, View, entries, regimes_of, tried_rates, views
from ..comparison import summarise
from ..tables.ablation_notes import view_title
from .drawing import (
    BLACK, BLUE, FAINT, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, Drawing, Look, draw_range, in_numbers, legend_below,
    panels, rounded,
)  # fmt: skip

# Colour, marker and line of the optimizers in their order; more of them begin again with other lines.
_COLOURS = (GREY, BLACK, ORANGE, VERMILION, SKY, GREEN, PURPLE, BLUE)
_MARKERS = ("o", "v", "s", "D", "^", "P", ">", "*")
_LINES = ("-", "--", "-", "-", "-", "--", ":", "-.", ":", "-.", ":", ":", ":", "-.", "-", "--")
CROSS = 7  # points: the mark of a run that diverged, which no optimizer has
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
    broken = []
    for entry in shown:
        look = OPTIMIZER_LOOKS[entry.optimizer]
        length = min(len(row["curve"]) for row in entry.rows)
        label = look.name if entry.learning_rate is None else f"{look.name} {entry.learning_rate:g}"
        draw_range(axes, np.array([row["curve"][:length] for row in entry.rows]), look, label)
        for row in entry.rows:
            if row["diverged"]:
                last = row["curve"][-1] if row["curve"] else 50.0
                broken.append((row["diverged"], last, look.colour))
    _crosses(axes, broken)
    axes.set_xlabel("epoch")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3, title="optimizer and learning rate")


def _crosses(axes: Axes, broken: Sequence[tuple[float, float, str]]) -> None:
    """A cross each for (x, y, colour); those at one place stand above each other."""
    places = [(x, round(y)) for x, y, _ in broken]
    for number, (x, y, colour) in enumerate(broken):
        points = 1.2 * CROSS * places[:number].count(places[number])
        above = offset_copy(axes.transData, axes.figure, y=points, units="points")
        axes.plot(x, y, "x", color=colour, markersize=CROSS, markeredgewidth=1.6, transform=above, clip_on=False)


def _sensitivity(axes: Axes, content: dict, regime: Regime) -> None:
    """Accuracy on dev over the learning rate, a line an optimizer; a cross where the run diverged."""
    broken = []
    for name, tried in tried_rates(content, regime.batch_size).items():
        look = OPTIMIZER_LOOKS[name]
        rows = [row for row in tried if row["epochs"] == regime.tuning_epochs] or tried
        rates, accuracies = ([row[key] for row in rows] for key in ("learning_rate", "dev_accuracy"))
        whole = [place for place, row in enumerate(rows) if not row["diverged"]]
        axes.plot(rates, accuracies, **{**look.style, "markersize": 3.5, "markevery": whole})
        broken += [(row["learning_rate"], row["dev_accuracy"], look.colour) for row in rows if row["diverged"]]
    axes.set_xscale("log")
    _crosses(axes, broken)
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
        _sensitivity(panel, content, regime)
        panel.set_title(f"{regime.tuning_epochs} epochs with each rate, batches of {regime.batch_size}")
    for panel in (*axes[0][len(shown) :], *(axes[1][len(regimes) :] if regimes else ())):
        panel.set_axis_off()
    for row in axes:
        row[0].set_ylabel("accuracy on dev (%)")
    caption = (
        "Above: each optimizer with the settings that were best on dev, mean and range over seeds; a cross marks the "
        "epoch in which a run diverged. Below: how much each optimizer depends on its learning rate, with the trials "
        "that tuned it, one seed each; a cross marks a rate at which it diverged. Crosses at one "
        "place stand above each other."
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


def _overall_panel(axes: Axes, shown: Sequence[tuple[dict, View]], optimizers: Sequence[str]) -> None:
    """Mean and spread over seeds; optimizers stand beside each other, so that equal values are all seen."""
    shifts = dict(zip(optimizers, np.linspace(-0.36, 0.36, len(optimizers)), strict=True))
    for place, each in enumerate(shown):
        axes.axvline(place - 0.5, color=FAINT, linewidth=0.6)
        for entry in entries(*each):
            look, summary = OPTIMIZER_LOOKS[entry.optimizer], summarise(entry.dev_accuracies)
            where = place + shifts[entry.optimizer]
            axes.errorbar(
                where, summary.mean, summary.std or 0.0, color=look.colour, marker=look.marker, capsize=2, elinewidth=1
            )
    axes.set_xlim(-0.5, len(shown) - 0.5)
    axes.set_xticks(range(len(shown)), [MODELS[content["model"]].title for content, _ in shown])
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("accuracy on dev (%)")


def _overall_rows(kind: str, shown: Sequence[tuple[dict, View]]) -> Iterator[tuple]:
    for content, view in shown:
        for entry in entries(content, view):
            about = (kind, content["model"], entry.optimizer, view.batch_size, rounded(entry.learning_rate))
            mean, spread, seeds = in_numbers(summarise(entry.dev_accuracies))
            yield (*about, seeds, mean, spread)


def overall_figure(contents: Sequence[dict]) -> Drawing:
    """Accuracy on dev of every optimizer on every network, a panel a comparison."""
    kinds = _comparisons(contents)
    found = {entry.optimizer for shown in kinds.values() for each in shown for entry in entries(*each)}
    optimizers = [name for name in OPTIMIZERS if name in found]
    figure, axes = panels(len(kinds), 1, width=10.5, height=3.1 * len(kinds), sharey=True, squeeze=False)
    data = [("comparison", "model", "optimizer", "batch_size", "learning_rate", "seeds", "dev_accuracy", "dev_std")]
    for panel, (kind, shown) in zip(axes[:, 0], kinds.items(), strict=True):
        _overall_panel(panel, shown, optimizers)
        panel.set_title(kind)
        data += _overall_rows(kind, shown)
    marks = (Line2D([], [], **{**OPTIMIZER_LOOKS[name].style, "linestyle": ""}) for name in optimizers)
    legend_below(figure, axes[0, 0], 8, *marks)
    caption = "Each optimizer with the settings that were best on dev: mean and standard deviation over seeds."
    return Drawing(figure, caption, data)
