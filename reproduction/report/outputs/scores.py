"""Figures of scores over seeds: the paper's beside ours, by depth, by training-set size, by epoch; and speeds."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES, STRICT
from ...measures import ACCURACY, depth_measure
from ...models import paper_models
from ...rows import by_seed, select
from ..claims import averaged, paper_value, summarise
from ..drawing import LOOKS, Colour, Drawing, Look, draw_band, draw_means, in_numbers, legend_below, panels, rounded
from ..registry import BENCHMARK, figure
from ..results import PROTOCOLS, Archive

DEPTHS, DEEP = (1, 2, 3, 4), (5, 6, 7)  # of the data set, and of equations that were made after training
OVERVIEW_SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
PAPER_MARK: dict[str, Any] = {
    "marker": "D", "markerfacecolor": "white", "markeredgecolor": Colour.INK, "linestyle": "", "markersize": 6,
}  # fmt: skip


def _paper_handles(archive: Archive) -> list[Line2D]:
    """The diamond of the paper's numbers for a legend, where there are any."""
    return [] if archive.own_axioms else [Line2D([], [], label="paper", **PAPER_MARK)]


@figure("overview", "Accuracy, ours beside the paper's", "results")
def overview(archive: Archive) -> Drawing | None:
    """The main figure: every model's accuracy beside the paper's, in the three settings of Tables 3 and 4."""
    protocols = [name for name in archive.protocols if archive.under(name).whole]
    splits, trained = archive.shown(*OVERVIEW_SPLITS), {row["model"] for row in archive.whole}
    if not protocols or not splits:
        return None
    papers = [model.name for model in paper_models()]
    wanted = trained if archive.own_axioms else trained.union(papers)
    looks = {model: look for model, look in LOOKS.items() if model in wanted}
    height = 4.2 * (len(looks) + 1) / (len(papers) + 1)
    size = {"width": round(3.2 * len(splits), 1), "height": height * len(protocols)}
    drawn, axes = panels(len(protocols), len(splits), **size, sharey=True, sharex=True, squeeze=False)
    data: list[tuple] = [("split", "model", "paper", "ours_mean", "ours_std", "seeds")]
    for line, protocol in zip(axes, protocols, strict=True):
        for panel, split in zip(line, splits, strict=True):
            place = split if len(protocols) == 1 else f"{split}, {protocol}"
            data += [(place, *row) for row in _overview_panel(panel, archive.under(protocol), split, looks)]
        if len(protocols) > 1:
            line[0].set_ylabel(PROTOCOLS[protocol], fontweight="bold")
    axes[0][0].set_xlim(right=axes[0][0].get_xlim()[1] + 6)  # room for the numbers beside the marks
    words = "ours: mean and standard deviation over seeds"
    ours = Line2D([], [], color=Colour.INK, marker="o", markersize=8, label=words)
    drawn.legend(handles=[*_paper_handles(archive), ours], loc="outside lower center", ncols=2)
    return Drawing(drawn, "Accuracy on symbolic test equations, epoch chosen on dev.", data)


def _overview_panel(axes: Axes, archive: Archive, split: str, looks: dict[str, Look]) -> Iterator[tuple]:
    """A row a model, the paper's number above as a diamond, ours below with its spread; gives the data."""

    def labelled(x: float, y: float, number: float, colour: str) -> None:
        place: dict[str, Any] = {"xytext": (7, 0), "textcoords": "offset points", "va": "center", "fontsize": 7.5}
        axes.annotate(f"{number:.1f}", (x, y), color=tuple(0.65 * part for part in to_rgb(colour)), **place)

    for height, (model, look) in enumerate(reversed(looks.items())):
        ours, reported = summarise(archive.values(model, split, ACCURACY)), paper_value(archive, model, split, ACCURACY)
        if ours:
            mean, spread = ours.mean, ours.std or 0.0
            axes.errorbar(mean, height - 0.17, xerr=spread, color=look.colour, marker="o", markersize=7, capsize=3)
            labelled(mean + spread, height - 0.17, mean, look.colour)
        if reported is not None:
            axes.plot(reported, height + 0.17, **PAPER_MARK)
            labelled(reported, height + 0.17, reported, Colour.INK)
        yield look.name, rounded(reported), *in_numbers(ours)
    axes.set_yticks(range(len(looks)), [look.name for look in reversed(looks.values())])
    axes.grid(visible=False, axis="y")
    axes.set(ylim=(-0.6, len(looks) - 0.4), xlabel="accuracy on test (%)", title=SPLIT_TITLES[split])


@figure("accuracy-by-depth", "Accuracy by depth", "depth")
def accuracy_by_depth(archive: Archive) -> Drawing | None:
    """Over the depths of the data set, and of the deeper equations that were made for this."""
    splits = [split for split in (GENERALIZATION, STRICT) if select(archive.whole, split=split)]
    if not splits:
        return None
    drawn, axes = panels(1, len(splits), width=4.8 * len(splits), height=4.2, sharey=True, squeeze=False)
    data: list[tuple] = [("split", "model", "depth", "paper", "ours_mean", "ours_std", "seeds")]
    for panel, split in zip(axes[0], splits, strict=True):
        data += _depth_panel(panel, archive, split)
    axes[0][0].set_ylabel("accuracy on test (%)")
    legend_below(drawn, axes[0][0], 7 if len(splits) > 1 else 4, *_paper_handles(archive))
    caption = (
        "Mean and standard deviation over seeds; diamonds are the paper's numbers. Depth 1, a handful of equations, is "
        "not drawn. Deeper equations than 4 were generated after training."
    )
    return Drawing(drawn, caption, data)


def _depth_panel(axes: Axes, archive: Archive, split: str) -> Iterator[tuple]:
    """A line a model over the depths from 2 on; depth 1 is noise and stands in the data only."""
    deepest = max(DEPTHS)
    for position, (model, look) in enumerate(LOOKS.items()):
        shift, points = 0.05 * (position - 2.5), {}  # so that error bars stand side by side
        values = {depth: archive.values(model, split, depth_measure(depth)) for depth in DEPTHS}
        values |= {depth: by_seed(archive.select(split, model), f"deep_{depth}") for depth in DEEP}
        for depth, summary in ((depth, averaged(each)) for depth, each in values.items() if each):
            printed = paper_value(archive, model, split, depth_measure(depth))
            yield split, look.name, depth, rounded(printed), *in_numbers(summary)
            if depth > 1:
                points[depth + shift], deepest = summary, max(deepest, depth)
            if printed is not None and depth > 1:
                mark = {**PAPER_MARK, "markeredgecolor": look.colour, "markersize": 5, "zorder": 5}
                axes.plot(depth + shift, printed, **mark)
        if points:
            draw_means(axes, points, look)
    if deepest > max(DEPTHS):
        axes.axvspan(4.5, deepest + 0.4, color="#f4f4f4", zorder=0)
        text = "deeper than any\ntraining equation"
        axes.annotate(text, (4.55, 0.02), xycoords=("data", "axes fraction"), fontsize=7.5)
        axes.margins(y=0.13)
    axes.set_xticks(range(2, deepest + 1))
    axes.set(xlabel="depth of the equation", title=SPLIT_TITLES[split])


@figure("learning-curves", "Accuracy by size of the training set", "data")
def learning_curves(archive: Archive) -> Drawing | None:
    """Accuracy against the share of the training set, where runs on parts of it exist."""
    rows = select(archive.rows(archive.protocol), split=GENERALIZATION)
    models = {row["model"] for row in rows if row.get("fraction", 1) < 1}
    if not models:
        return None
    drawn, axes = panels()
    data: list[tuple] = [("model", "fraction_of_train", "ours_mean", "ours_std", "seeds")]
    for model, look in LOOKS.items():
        shares: dict[float, list] = {}
        for row in select(rows, model=model) if model in models else ():
            shares.setdefault(row.get("fraction", 1.0), []).append(row)
        points = {100 * share: averaged(by_seed(shares[share], ACCURACY.name)) for share in sorted(shares)}
        if points:
            draw_means(axes, points, look, capsize=3)
        data += [(look.name, share, *in_numbers(points[100 * share])) for share in sorted(shares)]
    axes.set(xlabel="share of the training set (%)", ylabel="accuracy on test (%)", title="random split")
    axes.legend()
    return Drawing(drawn, "Random split, mean and standard deviation over seeds.", data)


@figure("training-curves", "Training", "run")
def training_curves(archive: Archive) -> Drawing | None:
    """Accuracy on dev and loss by epoch."""
    details = select(archive.details(archive.protocol), split=GENERALIZATION)
    if not any(row.get("dev_curve") for row in details):
        return None
    drawn, axes = panels(1, 2, width=9.0, height=3.8)
    data: list[tuple] = [("model", "epoch", "value", "mean", "lowest", "highest")]
    shown = (("dev_curve", "dev_accuracy", 100), ("loss_curve", "loss", 1))
    for panel, (key, name, factor) in zip(axes, shown, strict=True):
        for model, look in LOOKS.items():
            if curves := [row[key] for row in select(details, model=model) if row.get(key)]:
                here = factor * np.array(list(zip(*curves, strict=False)))  # (epochs of the shortest, seeds)
                epochs, mean, low, high = range(1, len(here) + 1), here.mean(axis=1), here.min(axis=1), here.max(axis=1)
                panel.plot(epochs, mean, color=look.colour, linestyle=look.line, label=look.name)
                draw_band(panel, epochs, low, high, look.colour)
                rows = zip(epochs, mean, low, high, strict=True)
                data += [(look.name, epoch, name, *map(rounded, each)) for epoch, *each in rows]
        panel.set_xlabel("epoch")
    axes[0].set(ylabel="accuracy on dev (%)", title="accuracy")
    axes[1].set(ylabel="logistic loss on train", title="loss", yscale="log")
    legend_below(drawn, axes[0], 6)
    return Drawing(drawn, "Random split; mean over seeds, with a band from the lowest to the highest.", data)


# ------------------------------------------------------------------------------------------------ speed

WAYS = {
    "engine": "fused C++ operators\n(what is used)",
    "without_sharing": "the same, equal parts\ncomputed again",
    "per_function": "one call for each\nlevel and function",
    "recursion": "one call\nfor each node",
}
SIZES = {"batch_size": "equations in a batch", "hidden": "hidden units", "equations": "equations in the data set"}
COLOURS = {"training": Colour.VERMILION, "inference": Colour.BLUE}


@figure("benchmark", "Speed of the tree engine", "run", [BENCHMARK])
def benchmark(archive: Archive) -> Drawing:
    return benchmark_figure(archive.beside(BENCHMARK))


def benchmark_figure(speeds: dict) -> Drawing:
    """What `benchmark --json` wrote, drawn."""
    drawn, axes = panels(2, 2, width=10.0, height=6.6)
    data: list[tuple] = [("varied", "value", *COLOURS)]
    data += [("way", name, *(rounded(speeds[kind][name]) for kind in COLOURS)) for name in WAYS]
    _draw_ways(axes[0, 0], speeds)
    for panel, (varied, rows) in zip(axes.flat[1:], speeds["growth"].items(), strict=True):
        for kind, colour in COLOURS.items():
            panel.plot([row[varied] for row in rows], [row[kind] / 1000 for row in rows], marker="o", color=colour)
        panel.set_xscale("log")
        panel.set_xticks([row[varied] for row in rows], [f"{row[varied]:,}" for row in rows], fontsize=7, rotation=35)
        panel.minorticks_off()
        panel.set_ylim(bottom=0)
        panel.set(xlabel=SIZES[varied], title="what is used, by size", ylabel="thousand equations/s")
        data += [(varied, row[varied], *(rounded(row[kind]) for kind in COLOURS)) for row in rows]
    legend_below(drawn, axes[0, 0], 2)
    caption = "TreeLSTM on one core, equations per second; all ways compute the same numbers."
    return Drawing(drawn, caption, data)


def _draw_ways(axes: Axes, speeds: dict) -> None:
    """A bar a way of computing the network, the number beside it."""
    for shift, (kind, colour) in zip((-0.2, 0.2), COLOURS.items(), strict=True):
        for place, name in enumerate(WAYS):
            speed = speeds[kind][name]
            axes.barh(place + shift, speed, height=0.38, color=colour, label=kind if place == 0 else None)
            axes.text(speed * 1.08, place + shift, f"{speed:,.0f}", va="center", fontsize=7.5, color=Colour.INK)
    axes.set_xscale("log")
    axes.set_xlim(right=axes.get_xlim()[1] * 4)  # room for the numbers
    axes.set_yticks(range(len(WAYS)), list(WAYS.values()), fontsize=8)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(xlabel="equations per second", title="ways to compute the same network")
