"""Figure 3, completion curves, and what goes beyond it: other splits, and which blanks are hard."""

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ..comparison import Summary
from ...completion.store import MOST_FREQUENT, PERFECT, RANDOM, Completion
from ..completion import GROUPINGS, completions, curve, groups, numeric_rows, symbolic_rows
from .drawing import INK, LOOKS, panels
from .pictures import Missing, Picture, rounded
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ..results import Archive

EVALUATE = "`python -m reproduction evaluate-completion RUN` makes the results it needs."
REFERENCES = {MOST_FREQUENT: ("most frequent first", (0, (4, 1, 1, 1))), RANDOM: ("random order", (0, (1, 1.5)))}
SEQUENCE_HEADER = ("k", "poster", "ours_mean", "ours_std", "seeds")


def by_model(archive: Archive, split: str) -> dict[str, tuple[Completion, ...]]:
    """The finished completions of each model that has some, in the order of the legend."""
    found = {model: completions(archive, split, model) for model in LOOKS}
    return {model: here for model, here in found.items() if here}


def draw_curve(axes: Axes, summaries: list[Summary], **options) -> None:
    """A line through the means, and a band of one standard deviation where there are several seeds."""
    ks = range(1, len(summaries) + 1)
    means = [summary.mean for summary in summaries]
    axes.plot(ks, means, **options)
    spreads = [summary.std or 0 for summary in summaries]
    if any(spreads):
        low, high = ([m + sign * s for m, s in zip(means, spreads, strict=True)] for sign in (-1, 1))
        axes.fill_between(ks, low, high, color=options["color"], alpha=0.18, linewidth=0)


def curve_data(*place, summaries: list[Summary], poster=()) -> list[tuple]:
    """The curve as rows for the data file."""
    return [
        (*place, k, poster[k - 1] if poster else "", rounded(summary.mean), rounded(summary.std), summary.seeds)
        for k, summary in enumerate(summaries, 1)
    ]


def _reference_lines(axes: Axes, found: tuple[Completion, ...], split: str) -> list[tuple]:
    """What rankings without a network score on the same blanks."""
    data = []
    for ranking, (name, line) in REFERENCES.items():
        summaries = curve(symbolic_rows(found, ranking))
        draw_curve(axes, summaries, color=INK, linestyle=line, linewidth=1.1, label=name)
        data += curve_data(split, name, summaries=summaries)
    return data


def _accuracy_panel(axes: Axes, archive: Archive, split: str, poster: bool) -> list[tuple]:
    data, models = [], by_model(archive, split)
    for model, found in models.items():
        look, summaries = LOOKS[model], curve(symbolic_rows(found))
        draw_curve(axes, summaries, color=look.colour, marker=look.marker, label=look.name)
        printed = paper.POSTER_COMPLETION[model] if poster else ()
        if printed:
            axes.plot(range(1, 11), printed, color=look.colour, linestyle="--", linewidth=1, alpha=0.8)
        data += curve_data(split, look.name, summaries=summaries, poster=printed)
    data += _reference_lines(axes, max(models.values(), key=len), split)
    axes.set_xticks(range(1, 11))
    axes.set_ylim(0, 101)
    axes.set_xlabel("k")
    axes.set_title(SPLIT_TITLES[split])
    return data


def figure_3a(archive: Archive) -> Picture | Missing:
    """Top-k accuracy of all models on the random split, the poster's curves dashed."""
    name, title = "figure-3a", "Figure 3a. Symbolic equation completion"
    if not by_model(archive, GENERALIZATION):
        return Missing(name, title, EVALUATE)
    figure, axes = panels(width=7.2, height=4.6)
    data = _accuracy_panel(axes, archive, GENERALIZATION, poster=True)
    axes.set_ylabel("top-k accuracy (%)")
    handles, _ = axes.get_legend_handles_labels()
    poster = Line2D([], [], color=INK, linestyle="--", linewidth=1, label="the authors' poster")
    figure.legend(handles=[*handles, poster], loc="outside right center")
    caption = (
        "Share of blanks with a correct candidate among the first k. Solid: ours, mean and standard deviation over "
        "seeds; dashed, in the model's colour: read off the authors' poster; black: rankings without a network."
    )
    return Picture(name, title, caption, figure, [("split", "ranking", *SEQUENCE_HEADER), *data])


def figure_3b(archive: Archive) -> Picture | Missing:
    """Top-k minimum error of the two models that evaluate functions."""
    name, title = "figure-3b", "Figure 3b. Function evaluation completion"
    models = {model: found for model, found in by_model(archive, GENERALIZATION).items() if numeric_rows(found)}
    if not models:
        return Missing(name, title, EVALUATE)
    figure, axes = panels()
    data = [("ranking", *SEQUENCE_HEADER)]
    for model, found in models.items():
        look, summaries = LOOKS[model], curve(numeric_rows(found), "top_k_mse")
        draw_curve(axes, summaries, color=look.colour, marker=look.marker, label=look.name)
        data += curve_data(look.name, summaries=summaries)
    longest = max(models.values(), key=len)
    for ranking, label, line in ((PERFECT, "exact values", "-"), (RANDOM, *REFERENCES[RANDOM])):
        summaries = curve(numeric_rows(longest, ranking), "top_k_mse")
        draw_curve(axes, summaries, color=INK, linestyle=line, linewidth=1.1, label=label)
        data += curve_data(label, summaries=summaries)
    axes.set_xticks(range(1, 11))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("k")
    axes.set_ylabel("top-k minimum MSE")
    axes.legend()
    caption = (
        "Squared distance between the number that was removed and the closest of the first k, mean over the test "
        "evaluations. Even exact values do not reach 0 at once, because other numbers fit, too: sin(0.64) = sin(2.5)."
    )
    return Picture(name, title, caption, figure, data)


def completion_by_split(archive: Archive) -> Picture | Missing:
    """Beyond the paper: completion without leakage, and at depths that were held out."""
    name, title = "completion-by-split", "Completion on all splits"
    splits = [split for split in SPLIT_TITLES if by_model(archive, split)]
    if not splits:
        return Missing(name, title, EVALUATE)
    figure, axes = panels(1, len(splits), width=1.4 + 2.6 * len(splits), height=3.8, sharey=True, squeeze=False)
    data = [("split", "ranking", *SEQUENCE_HEADER)]
    for panel, split in zip(axes[0], splits, strict=True):
        data += _accuracy_panel(panel, archive, split, poster=False)
    axes[0][0].set_ylabel("top-k accuracy (%)")
    handles = {
        label: handle for panel in axes[0] for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=4)
    caption = "Top-k accuracy by split: random, strict (no twins of test equations in training), one depth held out."
    return Picture(name, title, caption, figure, data)


def _group_panel(axes: Axes, models: dict[str, tuple[Completion, ...]], grouping: str) -> list[tuple]:
    data = []
    for model, found in models.items():
        look, here = LOOKS[model], groups(found, grouping)
        options = {
            "color": look.colour,
            "marker": look.marker,
            "linestyle": look.line,
            "label": look.name,
            "capsize": 2,
        }
        labels = [key.replace(" to ", "–").replace(" or more", "+") for key in here]
        axes.errorbar(labels, [s.mean for s in here.values()], [s.std or 0 for s in here.values()], **options)
        data += [(grouping, key, look.name, rounded(s.mean), rounded(s.std), s.seeds) for key, s in here.items()]
    axes.set_xlabel(GROUPINGS[grouping])
    axes.margins(x=0.12)
    return data


def completion_by_group(archive: Archive) -> Picture | Missing:
    """Beyond the paper: which blanks are hard."""
    name, title = "completion-by-blank", "Which blanks are hard"
    models = by_model(archive, GENERALIZATION)
    if not models:
        return Missing(name, title, EVALUATE)
    figure, axes = panels(1, len(GROUPINGS), width=11, height=3.6, sharey=True)
    data = [("grouping", "value", "model", "top_1_mean", "top_1_std", "seeds")]
    for panel, grouping in zip(axes, GROUPINGS, strict=True):
        data += _group_panel(panel, models, grouping)
    axes[0].set_ylabel("top-1 accuracy (%)")
    axes[0].set_ylim(0, 101)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6)
    caption = "Accuracy of the first guess on the random split, by what may make a blank hard."
    return Picture(name, title, caption, figure, data)
