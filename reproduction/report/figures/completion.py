"""Figure 3, completion curves, and what goes beyond it: which blanks are hard."""

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ...completion.store import Completion
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ..comparison import Summary
from ..completion import (
    ERRORS, GROUPINGS, NUMERIC_REFERENCES, SYMBOLIC_REFERENCES, by_model, curve, error_models, groups, longest,
)  # fmt: skip
from ..results import Archive
from .drawing import INK, LOOKS, Drawing, draw_band, draw_means, in_numbers, legend_below, panels

EVALUATE = "`python -m reproduction evaluate-completion RUN` makes the results it needs."
CURVE_HEADER = ("ranking", "k", "poster", "ours_mean", "ours_std", "seeds")
LINES = {"most frequent first": (0, (4, 1, 1, 1)), "random order": (0, (1, 1.5)), "exact values": "-"}


def _draw_curve(axes: Axes, name: str, summaries: list[Summary], poster=(), **options) -> list[tuple]:
    """A line through the means over k, and a band of one standard deviation if there are seeds; returns the data."""
    ks = range(1, len(summaries) + 1)
    axes.plot(ks, [summary.mean for summary in summaries], label=name, **options)
    if any(summary.std for summary in summaries):
        low, high = ([each.mean + sign * (each.std or 0) for each in summaries] for sign in (-1, 1))
        draw_band(axes, ks, low, high, options["color"], 0.18)
    if poster:
        axes.plot(ks, poster, color=options["color"], linestyle="--", linewidth=1, alpha=0.8)
    return [(name, k, poster[k - 1] if poster else "", *in_numbers(each)) for k, each in enumerate(summaries, 1)]


def _draw_models(axes: Axes, curves: dict[str, list[Summary]], posters: dict[str, tuple]) -> list[tuple]:
    data = []
    for model, summaries in curves.items():
        look = LOOKS[model]
        style = {"color": look.colour, "marker": look.marker}
        data += _draw_curve(axes, look.name, summaries, posters.get(model, ()), **style)
    axes.set_xticks(range(1, 11))
    axes.set_xlabel("k")
    return data


def _draw_references(axes: Axes, completions, references: dict[str, str], **options) -> list[tuple]:
    """What rankings without a network score on the same blanks."""
    data = []
    for ranking, name in references.items():
        summaries = curve(completions, ranking=ranking, **options)
        data += _draw_curve(axes, name, summaries, color=INK, linestyle=LINES[name], linewidth=1.1)
    return data


def figure_3a(archive: Archive) -> Drawing | None:
    """Top-k accuracy of all models on the random split, the poster's curves dashed."""
    models = by_model(archive, GENERALIZATION)
    if not models:
        return None
    figure, axes = panels(width=7.2, height=4.6)
    curves = {model: curve(completions) for model, completions in models.items()}
    data = _draw_models(axes, curves, {} if archive.own_axioms else paper.POSTER_COMPLETION)
    data += _draw_references(axes, longest(models), SYMBOLIC_REFERENCES)
    axes.set(ylim=(0, 101), ylabel="top-k accuracy (%)", title=SPLIT_TITLES[GENERALIZATION])
    handles, _ = axes.get_legend_handles_labels()
    poster = Line2D([], [], color=INK, linestyle="--", linewidth=1, label="the authors' poster")
    figure.legend(handles=handles if archive.own_axioms else [*handles, poster], loc="outside right center")
    caption = (
        "Share of blanks with a correct candidate among the first k. Solid: ours, mean and standard deviation over "
        "seeds; dashed, in the model's colour: read off the authors' poster; black: rankings without a network, "
        "of the same blanks."
    )
    return Drawing(figure, caption, [("split", *CURVE_HEADER), *((GENERALIZATION, *row) for row in data)])


def figure_3b(archive: Archive) -> Drawing | None:
    """Top-k minimum error of the two models that evaluate functions."""
    models = error_models(archive)
    if not models:
        return None
    figure, axes = panels()
    data = _draw_models(axes, {model: curve(completions, ERRORS) for model, completions in models.items()}, {})
    data += _draw_references(axes, longest(models), NUMERIC_REFERENCES, key=ERRORS)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("top-k minimum MSE")
    axes.legend()
    caption = (
        "Squared distance between the number that was removed and the closest of the first k, mean over the test "
        "evaluations. Even exact values do not reach 0 at once, because other numbers fit, too: sin(0.64) = sin(2.5)."
    )
    return Drawing(figure, caption, [CURVE_HEADER, *data])


def _group_panel(axes: Axes, models: dict[str, tuple[Completion, ...]], grouping: str) -> list[tuple]:
    data = []
    for model, completions in models.items():
        look, by_value = LOOKS[model], groups(completions, grouping)
        labels = [value.replace(" to ", "–").replace(" or more", "+") for value in by_value]
        draw_means(axes, labels, by_value.values(), look)
        data += [(grouping, value, look.name, *in_numbers(summary)) for value, summary in by_value.items()]
    axes.set_xlabel(GROUPINGS[grouping])
    axes.margins(x=0.12)
    return data


def completion_by_group(archive: Archive) -> Drawing | None:
    """Beyond the paper: which blanks are hard."""
    models = by_model(archive, GENERALIZATION)
    if not models:
        return None
    figure, axes = panels(1, len(GROUPINGS), width=11, height=3.6, sharey=True)
    data = [("grouping", "value", "model", "top_1_mean", "top_1_std", "seeds")]
    for panel, grouping in zip(axes, GROUPINGS, strict=True):
        data += _group_panel(panel, models, grouping)
    axes[0].set_ylabel("top-1 accuracy (%)")
    axes[0].set_ylim(0, 101)
    legend_below(figure, axes[0], 6)
    return Drawing(figure, "Accuracy of the first guess on the random split, by what may make a blank hard.", data)
