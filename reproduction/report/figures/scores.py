"""Figures of scores over seeds: the paper's beside ours, by depth, by training-set size, by epoch."""

from ...models import MODELS
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ..comparison import Summary, cell, summarise
from .drawing import INK, LOOKS, darker, panels
from .pictures import TRAIN, Missing, Picture, rounded
from ...measures import ACCURACY, depth_measure
from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES, STRICT
from ...training.run_directory import DEV_CHOSEN
from ..results import Archive

OVERVIEW_SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
PAPER_MARK = {"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK, "linestyle": "", "markersize": 6}


def _paper_handle() -> Line2D:
    return Line2D([], [], label="paper", **PAPER_MARK)


def _error(summary: Summary) -> float:
    return summary.std or 0.0


def _overview_panel(axes: Axes, archive: Archive, split: str) -> list[tuple]:
    """One split: a row a model, the paper's number above as a diamond, ours below with its spread; returns the data."""
    rows = []
    for height, model in enumerate(reversed(MODELS)):
        look, here = LOOKS[model], cell(archive, model, split, ACCURACY)
        ours = here.ours or Summary(None, None, 0)
        if here.ours:
            axes.errorbar(
                ours.mean, height - 0.17, xerr=_error(ours), color=look.colour, marker="o", markersize=7, capsize=3
            )
            _label(axes, ours.mean + _error(ours), height - 0.17, f"{ours.mean:.1f}", look.colour)
        if here.paper is not None:
            axes.plot(here.paper, height + 0.17, **PAPER_MARK)
            _label(axes, here.paper, height + 0.17, f"{here.paper:.1f}", INK)
        rows.append((split, look.name, rounded(here.paper), rounded(ours.mean), rounded(ours.std), ours.seeds))
    axes.set_yticks(range(len(LOOKS)), [LOOKS[model].name for model in reversed(MODELS)])
    axes.set_ylim(-0.6, len(LOOKS) - 0.4)
    axes.grid(visible=False, axis="y")
    axes.set_title(SPLIT_TITLES[split])
    axes.set_xlabel("accuracy on test (%)")
    return rows


def _label(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    """A number to the right of its mark."""
    place = {"xytext": (7, 0), "textcoords": "offset points", "va": "center"}
    axes.annotate(text, (x, y), color=darker(colour), fontsize=7.5, **place)


def overview(archive: Archive) -> Picture | Missing:
    """The main figure: every model's accuracy beside the paper's, in the three settings of Tables 3 and 4."""
    name, title = "overview", "Accuracy, ours beside the paper's"
    if not archive.whole:
        return Missing(name, title, TRAIN)
    figure, axes = panels(1, 3, width=9.6, height=4.2, sharey=True, sharex=True)
    data = [("split", "model", "paper", "ours_mean", "ours_std", "seeds")]
    for panel, split in zip(axes, OVERVIEW_SPLITS, strict=True):
        data += _overview_panel(panel, archive, split)
    axes[0].set_xlim(right=axes[0].get_xlim()[1] + 6)  # room for the numbers beside the marks
    ours = Line2D([], [], color=INK, marker="o", markersize=8, label="ours: mean and standard deviation over seeds")
    figure.legend(handles=[_paper_handle(), ours], loc="outside lower center", ncols=2)
    caption = "Accuracy on symbolic test equations, epoch chosen on dev."
    return Picture(name, title, caption, figure, data)


def _depth_summaries(archive: Archive, model: str, split: str) -> dict[int, Summary]:
    """Accuracy by depth over seeds: the depths of the data set, then the deeper ones that were made for this."""
    found = {}
    for depth in range(1, 5):
        values = archive.values(model, split, depth_measure(depth))
        if values:
            found[depth] = summarise(values)
    runs = archive.select(split, model)
    for depth in sorted({depth for run in runs for depth in run.deep}):
        found[depth] = summarise({run.seed: run.deep[depth] for run in runs if depth in run.deep})
    return found


def _depth_panel(axes: Axes, archive: Archive, split: str) -> list[tuple]:
    """One split: a line a model over the depths from 2 on; depth 1 is noise and stands in the data only."""
    rows, deepest = [], 4
    for position, (model, look) in enumerate(LOOKS.items()):
        shift = 0.05 * (position - 2.5)  # so that error bars stand side by side
        found = _depth_summaries(archive, model, split)
        reported = paper.TABLE_3[model] if split == GENERALIZATION else None
        for depth, summary in found.items():
            printed = getattr(reported, depth_measure(depth).name, None)
            rows.append((split, look.name, depth, *map(rounded, (printed, *summary[:2])), summary.seeds))
            if printed is not None and depth > 1:
                mark = {**PAPER_MARK, "markeredgecolor": look.colour, "markersize": 5, "zorder": 5}
                axes.plot(depth + shift, printed, **mark)
        drawn = {depth: summary for depth, summary in found.items() if depth > 1}
        if drawn:
            deepest = max(deepest, *drawn)
            means, errors = ([part(s) for s in drawn.values()] for part in (lambda s: s.mean, _error))
            options = {"color": look.colour, "marker": look.marker, "linestyle": look.line, "label": look.name}
            axes.errorbar([depth + shift for depth in drawn], means, errors, capsize=2, **options)
    if deepest > 4:
        axes.axvspan(4.5, deepest + 0.4, color="#f4f4f4", zorder=0)
        text = "deeper than any\ntraining equation"
        axes.annotate(text, (4.55, 0.02), xycoords=("data", "axes fraction"), fontsize=7.5)
        axes.margins(y=0.13)
    axes.set_xticks(range(2, deepest + 1))
    axes.set_xlabel("depth of the equation")
    axes.set_title(SPLIT_TITLES[split])
    return rows


def accuracy_by_depth(archive: Archive) -> Picture | Missing:
    name, title = "accuracy-by-depth", "Accuracy by depth"
    splits = [split for split in (GENERALIZATION, STRICT) if any(run.split == split for run in archive.whole)]
    if not splits:
        return Missing(name, title, TRAIN)
    figure, axes = panels(1, len(splits), width=4.8 * len(splits), height=4.2, sharey=True, squeeze=False)
    data = [("split", "model", "depth", "paper", "ours_mean", "ours_std", "seeds")]
    for panel, split in zip(axes[0], splits, strict=True):
        data += _depth_panel(panel, archive, split)
    axes[0][0].set_ylabel("accuracy on test (%)")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(
        [*handles, _paper_handle()], [*labels, "paper"], loc="outside lower center", ncols=7 if len(splits) > 1 else 4
    )
    caption = (
        "Mean and standard deviation over seeds, epoch chosen on dev; diamonds are the paper's numbers (Table 3). "
    )
    caption += "Depth 1, a handful of equations, is noise: it is in the data, not in the drawing."
    if any(run.deep for run in archive.whole):
        caption += " Depths 5 to 7 were generated after training and are in no training set."
    return Picture(name, title, caption, figure, data)


def learning_curves(archive: Archive) -> Picture | Missing:
    """Accuracy against the share of the training set, where runs on parts of it exist."""
    name, title = "learning-curves", "Accuracy by size of the training set"
    parts = [run for run in archive.runs if run.split == GENERALIZATION and run.configuration.fraction < 1]
    if not parts:
        return Missing(name, title, TRAIN)
    figure, axes = panels()
    data = [("model", "fraction_of_train", "ours_mean", "ours_std", "seeds")]
    for model in (model for model in LOOKS if any(run.model == model for run in parts)):
        look = LOOKS[model]
        runs = [run for run in archive.runs if (run.model, run.split) == (model, GENERALIZATION)]
        points = {}
        for fraction in sorted({run.configuration.fraction for run in runs}):
            here = {run.seed: run.measures(DEV_CHOSEN).get(ACCURACY) for run in runs if run.configuration.fraction == fraction}
            points[fraction] = summarise({seed: value for seed, value in here.items() if value is not None})
        points = {fraction: summary for fraction, summary in points.items() if summary}
        options = {
            "color": look.colour,
            "marker": look.marker,
            "linestyle": look.line,
            "capsize": 3,
            "label": look.name,
        }
        means, errors = ([part(summary) for summary in points.values()] for part in (lambda s: s.mean, _error))
        axes.errorbar([100 * fraction for fraction in points], means, errors, **options)
        data += [(look.name, f, rounded(s.mean), rounded(s.std), s.seeds) for f, s in points.items()]
    axes.set_xlabel("share of the training set (%)")
    axes.set_ylabel("accuracy on test (%)")
    axes.set_title("random split")
    axes.legend()
    return Picture(name, title, "Random split, mean and standard deviation over seeds.", figure, data)
