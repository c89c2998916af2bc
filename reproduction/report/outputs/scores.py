"""Figures of scores over seeds: the paper's beside ours, by depth, by training-set size, by epoch."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES, STRICT
from ...measures import ACCURACY, depth_measure
from ..comparison import Summary, averaged, cell
from ..drawing import (
    BLUE,
    INK,
    LOOKS,
    VERMILION,
    Drawing,
    Look,
    darker,
    draw_means,
    draw_range,
    in_numbers,
    legend_below,
    panels,
    rounded,
)  # fmt: skip
from ..registry import BENCHMARK, FIGURE, Output, register
from ..results import PROTOCOLS, Archive

DEEP = (5, 6, 7)  # depths of equations that were made after training
OVERVIEW_SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
PAPER_MARK: dict[str, Any] = {
    "marker": "D",
    "markerfacecolor": "white",
    "markeredgecolor": INK,
    "linestyle": "",
    "markersize": 6,
}


def _paper_handles(archive: Archive) -> list[Line2D]:
    """The diamond of the paper's numbers for a legend, where there are any."""
    return [] if archive.own_axioms else [Line2D([], [], label="paper", **PAPER_MARK)]


def _looks(archive: Archive) -> dict[str, Look]:
    """The models that have a row: all, on axioms of their own those that were trained."""
    trained = {row["model"] for row in archive.whole}
    return {model: look for model, look in LOOKS.items() if model in trained or not archive.own_axioms}


def _overview_panel(axes: Axes, archive: Archive, split: str) -> list[tuple]:
    """One split: a row a model, the paper's number above as a diamond, ours below with its spread; returns the data."""
    rows, looks = [], _looks(archive)
    for height, (model, look) in enumerate(reversed(looks.items())):
        here = cell(archive, model, split, ACCURACY)
        if here.ours:
            mean, spread = here.ours.mean, here.ours.std or 0.0
            axes.errorbar(mean, height - 0.17, xerr=spread, color=look.colour, marker="o", markersize=7, capsize=3)
            _label(axes, mean + spread, height - 0.17, f"{mean:.1f}", look.colour)
        if here.paper is not None:
            axes.plot(here.paper, height + 0.17, **PAPER_MARK)
            _label(axes, here.paper, height + 0.17, f"{here.paper:.1f}", INK)
        rows.append((split, look.name, rounded(here.paper), *in_numbers(here.ours)))
    axes.set_yticks(range(len(looks)), [look.name for look in reversed(looks.values())])
    axes.set_ylim(-0.6, len(looks) - 0.4)
    axes.grid(visible=False, axis="y")
    axes.set_title(SPLIT_TITLES[split])
    axes.set_xlabel("accuracy on test (%)")
    return rows


def _label(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    """A number to the right of its mark."""
    place: dict[str, Any] = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(text, (x, y), color=darker(colour), fontsize=7.5, **place)


def overview(archive: Archive) -> Drawing | None:
    """The main figure: every model's accuracy beside the paper's, in the three settings of Tables 3 and 4."""
    protocols = [name for name in archive.protocols if archive.under(name).whole]
    splits = archive.shown(*OVERVIEW_SPLITS)
    if not protocols or not splits:
        return None
    height = 4.2 * (len(_looks(archive)) + 1) / (len(LOOKS) + 1)
    size = {"width": round(3.2 * len(splits), 1), "height": height * len(protocols)}
    figure, axes = panels(len(protocols), len(splits), **size, sharey=True, sharex=True, squeeze=False)
    data: list[tuple] = [("split", "model", "paper", "ours_mean", "ours_std", "seeds")]
    for line, protocol in zip(axes, protocols, strict=True):
        for panel, split in zip(line, splits, strict=True):
            rows = _overview_panel(panel, archive.under(protocol), split)
            data += rows if len(protocols) == 1 else [(f"{split}, {protocol}", *row[1:]) for row in rows]
            if len(protocols) > 1:
                panel.set_title(f"{PROTOCOLS[protocol]}: {SPLIT_TITLES[split]}")
    axes[0][0].set_xlim(right=axes[0][0].get_xlim()[1] + 6)  # room for the numbers beside the marks
    ours = Line2D([], [], color=INK, marker="o", markersize=8, label="ours: mean and standard deviation over seeds")
    figure.legend(handles=[*_paper_handles(archive), ours], loc="outside lower center", ncols=2)
    return Drawing(figure, "Accuracy on symbolic test equations, epoch chosen on dev.", data)


def _deep(archive: Archive, model: str, split: str, depth: int) -> dict[int, float]:
    return {row["seed"]: row[f"deep_{depth}"] for row in archive.select(split, model) if f"deep_{depth}" in row}


def _depth_summaries(archive: Archive, model: str, split: str) -> dict[int, Summary]:
    """Accuracy by depth over seeds: the depths of the data set, then the deeper ones that were made for this."""
    by_depth = {depth: archive.values(model, split, depth_measure(depth)) for depth in range(1, 5)}
    by_depth |= {depth: _deep(archive, model, split, depth) for depth in DEEP}
    return {depth: averaged(values) for depth, values in by_depth.items() if values}


def _depth_panel(axes: Axes, archive: Archive, split: str) -> list[tuple]:
    """One split: a line a model over the depths from 2 on; depth 1 is noise and stands in the data only."""
    rows, deepest = [], 4
    for position, (model, look) in enumerate(LOOKS.items()):
        shift = 0.05 * (position - 2.5)  # so that error bars stand side by side
        summaries = _depth_summaries(archive, model, split)
        reported = paper.TABLE_3.get(model) if split == GENERALIZATION and not archive.own_axioms else None
        for depth, summary in summaries.items():
            printed = getattr(reported, depth_measure(depth).name, None)
            rows.append((split, look.name, depth, rounded(printed), *in_numbers(summary)))
            if printed is not None and depth > 1:
                mark = {**PAPER_MARK, "markeredgecolor": look.colour, "markersize": 5, "zorder": 5}
                axes.plot(depth + shift, printed, **mark)
        drawn = {depth: summary for depth, summary in summaries.items() if depth > 1}
        if drawn:
            deepest = max(deepest, *drawn)
            draw_means(axes, [depth + shift for depth in drawn], drawn.values(), look)
    if deepest > 4:
        axes.axvspan(4.5, deepest + 0.4, color="#f4f4f4", zorder=0)
        text = "deeper than any\ntraining equation"
        axes.annotate(text, (4.55, 0.02), xycoords=("data", "axes fraction"), fontsize=7.5)
        axes.margins(y=0.13)
    axes.set_xticks(range(2, deepest + 1))
    axes.set_xlabel("depth of the equation")
    axes.set_title(SPLIT_TITLES[split])
    return rows


def accuracy_by_depth(archive: Archive) -> Drawing | None:
    splits = [split for split in (GENERALIZATION, STRICT) if any(row["split"] == split for row in archive.whole)]
    if not splits:
        return None
    figure, axes = panels(1, len(splits), width=4.8 * len(splits), height=4.2, sharey=True, squeeze=False)
    data: list[tuple] = [("split", "model", "depth", "paper", "ours_mean", "ours_std", "seeds")]
    for panel, split in zip(axes[0], splits, strict=True):
        data += _depth_panel(panel, archive, split)
    axes[0][0].set_ylabel("accuracy on test (%)")
    legend_below(figure, axes[0][0], 7 if len(splits) > 1 else 4, *_paper_handles(archive))
    caption = (
        "Mean and standard deviation over seeds, epoch chosen on dev; diamonds are the paper's numbers (Table 3). "
        "Depth 1, a handful of equations, is noise: it is in the data, not in the drawing."
    )
    if any(f"deep_{depth}" in row for row in archive.whole for depth in DEEP):
        caption += " Depths 5 to 7 were generated after training and are in no training set."
    return Drawing(figure, caption, data)


def learning_curves(archive: Archive) -> Drawing | None:
    """Accuracy against the share of the training set, where runs on parts of it exist."""
    rows = [row for row in archive.rows(archive.protocol) if row["split"] == GENERALIZATION]
    models = {row["model"] for row in rows if row.get("fraction", 1) < 1}
    if not models:
        return None
    figure, axes = panels()
    data: list[tuple] = [("model", "fraction_of_train", "ours_mean", "ours_std", "seeds")]
    for model in (model for model in LOOKS if model in models):
        by_fraction: dict[float, dict[int, float]] = {}
        for row in (row for row in rows if row["model"] == model):
            by_fraction.setdefault(row.get("fraction", 1.0), {})[row["seed"]] = row[ACCURACY.name]
        points = {fraction: averaged(by_fraction[fraction]) for fraction in sorted(by_fraction)}
        draw_means(axes, [100 * fraction for fraction in points], points.values(), LOOKS[model], capsize=3)
        data += [(LOOKS[model].name, fraction, *in_numbers(summary)) for fraction, summary in points.items()]
    axes.set_xlabel("share of the training set (%)")
    axes.set_ylabel("accuracy on test (%)")
    axes.set_title("random split")
    axes.legend()
    return Drawing(figure, "Random split, mean and standard deviation over seeds.", data)


def _epoch_panel(axes: Axes, archive: Archive, key: str, column: str, factor: float) -> list[tuple]:
    """A curve by epoch, cut to the shortest: the mean over seeds in a band from the lowest to the highest."""
    rows = []
    for model, look in LOOKS.items():
        details = [row for row in archive.details(archive.protocol) if row["model"] == model and row.get(key)]
        curves = [row[key] for row in details if row["split"] == GENERALIZATION]
        if not curves:
            continue
        drawn = draw_range(axes, np.array(list(zip(*curves, strict=False))).T, look, look.name, factor)
        rows += [(look.name, epoch, column, *map(rounded, numbers)) for epoch, *numbers in drawn]
    axes.set_xlabel("epoch")
    return rows


def training_curves(archive: Archive) -> Drawing | None:
    if not any(row.get("dev_curve") for row in archive.details(archive.protocol) if row["split"] == GENERALIZATION):
        return None
    figure, axes = panels(1, 2, width=9.0, height=3.8)
    data: list[tuple] = [("model", "epoch", "value", "mean", "lowest", "highest")]
    data += _epoch_panel(axes[0], archive, "dev_curve", "dev_accuracy", 100)
    data += _epoch_panel(axes[1], archive, "loss_curve", "loss", 1)
    axes[0].set(ylabel="accuracy on dev (%)", title="accuracy")
    axes[1].set(ylabel="logistic loss on train", title="loss", yscale="log")
    legend_below(figure, axes[0], 6)
    return Drawing(figure, "Random split; mean over seeds, with a band from the lowest to the highest.", data)


# ------------------------------------------------------------------------------------------------ speed

WAYS = {
    "engine": "fused C++ operators\n(what is used)",
    "without_sharing": "the same, equal parts\ncomputed again",
    "per_function": "one call for each\nlevel and function",
    "recursion": "one call\nfor each node",
}
SIZES = {"batch_size": "equations in a batch", "hidden": "hidden units", "equations": "equations in the data set"}
COLOURS = {"training": VERMILION, "inference": BLUE}


def _draw_ways(axes: Axes, speeds: dict) -> None:
    """A bar a way of computing the network, the number beside it."""
    for shift, (kind, colour) in zip((-0.2, 0.2), COLOURS.items(), strict=True):
        for place, name in enumerate(WAYS):
            speed = speeds[kind][name]
            axes.barh(place + shift, speed, height=0.38, color=colour, label=kind if place == 0 else None)
            axes.text(speed * 1.08, place + shift, f"{speed:,.0f}", ha="left", va="center", fontsize=7.5, color=INK)
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 4)  # room for the numbers
    axes.set_yticks(range(len(WAYS)), list(WAYS.values()), fontsize=8)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(xlabel="equations per second", title="ways to compute the same network")


def _draw_growth(axes: Axes, name: str, rows: list[dict]) -> None:
    for kind, colour in COLOURS.items():
        axes.plot([row[name] for row in rows], [row[kind] / 1000 for row in rows], marker="o", color=colour)
    axes.set_xscale("log")
    axes.set_xticks([row[name] for row in rows], [f"{row[name]:,}" for row in rows], fontsize=7, rotation=35)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set(xlabel=SIZES[name], title="what is used, by size")


def _benchmark_rows(speeds: dict) -> list[tuple]:
    rows = [("varied", "value", *COLOURS)]
    rows += [("way", name, *(rounded(speeds[kind][name]) for kind in COLOURS)) for name in WAYS]
    for name, growth in speeds["growth"].items():
        rows += [(name, row[name], *(rounded(row[kind]) for kind in COLOURS)) for row in growth]
    return rows


def benchmark_figure(speeds: dict) -> Drawing:
    """What `benchmark --json` wrote, drawn."""
    figure, axes = panels(2, 2, width=10.0, height=6.6)
    _draw_ways(axes[0, 0], speeds)
    places = (axes[0, 1], axes[1, 0], axes[1, 1])
    for place, (varied, rows) in zip(places, speeds["growth"].items(), strict=True):
        _draw_growth(place, varied, rows)
        place.set_ylabel("thousand equations/s")
    legend_below(figure, axes[0, 0], 2)
    caption = "TreeLSTM on one core, equations per second; all ways compute the same numbers."
    return Drawing(figure, caption, _benchmark_rows(speeds))


register(
    Output("overview", "Accuracy, ours beside the paper's", FIGURE, overview, section="results"),
    Output("accuracy-by-depth", "Accuracy by depth", FIGURE, accuracy_by_depth, section="depth"),
    Output("learning-curves", "Accuracy by size of the training set", FIGURE, learning_curves, section="data"),
    Output("training-curves", "Training", FIGURE, training_curves, section="run"),
    Output(
        "benchmark", "Speed of the tree engine", FIGURE,
        lambda archive: benchmark_figure(archive.beside(BENCHMARK)), (BENCHMARK,), "run",
    ),
)  # fmt: skip
