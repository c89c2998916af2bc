"""The second task, Figure 3: the numbers beside the poster's, the curves over k, and which blanks are hard."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ... import paper
from ...completion.store import MOST_FREQUENT, PERFECT, RANDOM
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...measures import TOP_K, TOP_K_MSE, Measure
from ...models import MODELS
from ...rows import Row as Training
from ..comparison import Cell, Summary, averaged, summarise
from ..drawing import INK, LOOKS, Drawing, draw_band, draw_means, in_numbers, legend_below, panels
from ..formats import POSTER, Column, Row, Section, Table
from ..registry import FIGURE, TABLE, Output, register
from ..results import PROTOCOLS, Archive

KS = (1, 2, 5, 10)
MODEL_ROWS, REFERENCE_ROWS = 0, 1  # groups of rows: the second one is beyond the paper
# Rankings without a network, of the same blanks; they stand among the details of the networks that were asked.
SYMBOLIC_REFERENCES = {MOST_FREQUENT: "most frequent first", RANDOM: "random order"}
NUMERIC_REFERENCES = {PERFECT: "exact values", RANDOM: "random order"}
LINES = {"most frequent first": (0, (4, 1, 1, 1)), "random order": (0, (1, 1.5)), "exact values": "-"}
GROUPINGS = {
    "by_blank_height": "height of the blank",
    "by_blank_level": "distance of the blank from “=”",
    "by_equation_depth": "depth of the equation",
    "by_correct_candidates": "correct candidates",
}
HEADER = ("ranking", "k", "poster", "ours_mean", "ours_std", "seeds")


def curve(archive: Archive, model: str, split: str, measures: Sequence[Measure] = TOP_K) -> list[Summary]:
    """Mean and spread over seeds for k = 1 to 10; nothing for a network that was not asked."""
    found = (summarise(archive.values(model, split, measure)) for measure in measures)
    return [summary for summary in found if summary]


def asked(archive: Archive, split: str, measures: Sequence[Measure] = TOP_K) -> dict[str, list[Summary]]:
    """The curve of every network that filled the blanks of a split."""
    curves = {model: curve(archive, model, split, measures) for model in MODELS}
    return {model: each for model, each in curves.items() if each}


def _blanks(archive: Archive, model: str, split: str, kind: str) -> dict[int, dict]:
    """By seed what was counted when a network filled symbolic or numeric blanks."""
    here = [row for row in archive.details(archive.protocol) if (row["model"], row["split"]) == (model, split)]
    found = {row["seed"]: row["blanks"].get(kind) for row in here if row.get("blanks")}
    return {seed: each for seed, each in sorted(found.items()) if each}


def _longest(archive: Archive, split: str, kind: str) -> dict[int, dict]:
    """The blanks of the network with the most seeds: what is known without a network is read from them."""
    return max((_blanks(archive, model, split, kind) for model in MODELS), key=len)


def reference(archive: Archive, split: str, ranking: str, numeric: bool = False) -> list[Summary]:
    """What a ranking without a network scores for k = 1 to 10."""
    key, factor = ("top_k_mse", 1) if numeric else ("top_k", 100)
    found = {seed: each[ranking][key] for seed, each in _longest(archive, split, _kind(numeric)).items()}
    length = min(map(len, found.values()), default=0)
    return [averaged({seed: factor * scores[k] for seed, scores in found.items()}) for k in range(length)]


def _kind(numeric: bool) -> str:
    return "numeric" if numeric else "symbolic"


# ------------------------------------------------------------------------------------------------ numbers


def _row(name: str, summaries: list[Summary], group: int, poster: Sequence[float] = (), *more: Cell) -> Row:
    cells = (Cell(poster[k - 1] if poster else None, summaries[k - 1], None) for k in KS)
    return Row(name, (*cells, *more), group)


def _accuracy_section(archive: Archive, split: str, title: str) -> Section:
    """A row a model, then the rankings without a network."""
    posters = paper.POSTER_COMPLETION if split == GENERALIZATION and not archive.own_axioms else {}
    rows = []
    for model, summaries in asked(archive, split).items():
        ranks = {row["seed"]: row["mean_reciprocal_rank"] for row in archive.select(split, model) if _has_ranks(row)}
        cell = Cell(None, summarise(ranks), None)
        rows.append(_row(MODELS[model].title, summaries, MODEL_ROWS, posters.get(model, ()), cell))
    for ranking, name in SYMBOLIC_REFERENCES.items():
        found = _longest(archive, split, "symbolic")
        ranks = {seed: each[ranking]["mean_reciprocal_rank"] for seed, each in found.items()}
        summaries = reference(archive, split, ranking)
        rows += [_row(name, summaries, REFERENCE_ROWS, (), Cell(None, summarise(ranks), None))] if summaries else []
    columns = (Column("Ranking"), *(Column(f"top-{k}", source=POSTER) for k in KS), Column("mean reciprocal rank", 3))
    return Section(f"{title}Symbolic equations, {SPLIT_TITLES[split]}", columns, tuple(rows), REFERENCE_ROWS)


def _has_ranks(row: Training) -> bool:
    return row.get("mean_reciprocal_rank") is not None


def _error_sections(archive: Archive, title: str) -> tuple[Section, ...]:
    """The top-k minimum error of the models that evaluate functions, if any has been scored."""
    curves = asked(archive, GENERALIZATION, TOP_K_MSE)
    rows = [_row(MODELS[model].title, summaries, MODEL_ROWS) for model, summaries in curves.items()]
    for ranking, name in NUMERIC_REFERENCES.items():
        summaries = reference(archive, GENERALIZATION, ranking, numeric=True)
        rows += [_row(name, summaries, REFERENCE_ROWS)] if summaries else []
    columns = (Column("Ranking"), *(Column(f"top-{k} MSE", 4) for k in KS))
    section = Section(f"{title}Function evaluations, random split", columns, tuple(rows), REFERENCE_ROWS)
    return (section,) if curves else ()


def figure_3(archive: Archive) -> Table | None:
    """The scores under each protocol that is shown."""
    sections: list[Section] = []
    for protocol in archive.protocols:
        here, title = archive.under(protocol), f"{PROTOCOLS[protocol]}: " if len(archive.protocols) > 1 else ""
        sections += [_accuracy_section(here, split, title) for split in SPLIT_TITLES if asked(here, split)]
        sections += _error_sections(here, title)
    notes = (
        "Share of blanks with a correct candidate among the first k, in per cent, mean ± standard deviation over "
        "seeds; in brackets what the authors' poster shows, read off its curves, and the difference. Candidates that "
        "leave the equation undefined are not ranked. Below the networks: rankings of the same blanks without one; "
        "most frequent first: by how often a candidate occurs in the training equations.",
        "MSE: squared distance between the number that was removed and the closest of the first k.",
    )
    return Table("figure-3", "Figure 3 in numbers. Equation completion", tuple(sections), notes) if sections else None


# ------------------------------------------------------------------------------------------------ curves


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


def _draw(axes: Axes, archive: Archive, posters: dict[str, tuple], numeric: bool = False) -> list[tuple]:
    """The networks, then what rankings without one score on the same blanks."""
    data = []
    for model, summaries in asked(archive, GENERALIZATION, TOP_K_MSE if numeric else TOP_K).items():
        style = {"color": LOOKS[model].colour, "marker": LOOKS[model].marker}
        data += _draw_curve(axes, LOOKS[model].name, summaries, posters.get(model, ()), **style)
    for ranking, name in (NUMERIC_REFERENCES if numeric else SYMBOLIC_REFERENCES).items():
        if summaries := reference(archive, GENERALIZATION, ranking, numeric):
            data += _draw_curve(axes, name, summaries, color=INK, linestyle=LINES[name], linewidth=1.1)
    axes.set_xticks(range(1, 11))
    axes.set_xlabel("k")
    return data


def figure_3a(archive: Archive) -> Drawing | None:
    """Top-k accuracy of all models on the random split, the poster's curves dashed; a panel a protocol."""
    shown = [name for name in archive.protocols if asked(archive.under(name), GENERALIZATION)]
    if not shown:
        return None
    figure, axes = panels(1, len(shown), width=2.2 + 5 * len(shown), height=4.6, sharey=True, squeeze=False)
    posters = {} if archive.own_axioms else paper.POSTER_COMPLETION
    data = []
    for panel, protocol in zip(axes[0], shown, strict=True):
        place = (GENERALIZATION,) if len(shown) == 1 else (f"{GENERALIZATION}, {protocol}",)
        data += [(*place, *row) for row in _draw(panel, archive.under(protocol), posters)]
        panel.set(ylim=(0, 101), title=SPLIT_TITLES[GENERALIZATION] if len(shown) == 1 else PROTOCOLS[protocol].lower())
    axes[0][0].set_ylabel("top-k accuracy (%)")
    handles, _ = axes[0][0].get_legend_handles_labels()
    poster = Line2D([], [], color=INK, linestyle="--", linewidth=1, label="the authors' poster")
    figure.legend(handles=handles if archive.own_axioms else [*handles, poster], loc="outside right center")
    caption = (
        "Share of blanks with a correct candidate among the first k. Solid: ours, mean and standard deviation over "
        "seeds; dashed, in the model's colour: read off the authors' poster; black: rankings without a network, "
        "of the same blanks."
    )
    return Drawing(figure, caption, [("split", *HEADER), *data])


def figure_3b(archive: Archive) -> Drawing | None:
    """Top-k minimum error of the two models that evaluate functions."""
    if not asked(archive, GENERALIZATION, TOP_K_MSE):
        return None
    figure, axes = panels()
    data = _draw(axes, archive, {}, numeric=True)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("top-k minimum MSE")
    axes.legend()
    caption = (
        "Squared distance between the number that was removed and the closest of the first k, mean over the test "
        "evaluations. Even exact values do not reach 0 at once, because other numbers fit, too: sin(0.64) = sin(2.5)."
    )
    return Drawing(figure, caption, [HEADER, *data])


# ------------------------------------------------------------------------------------------------ which blanks


def groups(archive: Archive, model: str, grouping: str) -> dict[str, Summary]:
    """First-guess accuracy over seeds for each value that blanks are grouped by."""
    by_seed = {seed: each[grouping] for seed, each in _blanks(archive, model, GENERALIZATION, "symbolic").items()}
    values = dict.fromkeys(value for here in by_seed.values() for value in here)
    return {
        value: averaged({seed: 100 * here[value]["top_k"][0] for seed, here in by_seed.items() if value in here})
        for value in sorted(values, key=lambda value: int(value.split()[0]))
    }


def completion_by_blank(archive: Archive) -> Drawing | None:
    """Beyond the paper: which blanks are hard."""
    models = [model for model in LOOKS if _blanks(archive, model, GENERALIZATION, "symbolic")]
    if not models:
        return None
    figure, axes = panels(1, len(GROUPINGS), width=11, height=3.6, sharey=True)
    data: list[tuple] = [("grouping", "value", "model", "top_1_mean", "top_1_std", "seeds")]
    for panel, (grouping, words) in zip(axes, GROUPINGS.items(), strict=True):
        for model in models:
            by_value = groups(archive, model, grouping)
            labels = [value.replace(" to ", "–").replace(" or more", "+") for value in by_value]
            draw_means(panel, labels, by_value.values(), LOOKS[model])
            data += [(grouping, value, LOOKS[model].name, *in_numbers(each)) for value, each in by_value.items()]
        panel.set_xlabel(words)
        panel.margins(x=0.12)
    axes[0].set_ylabel("top-1 accuracy (%)")
    axes[0].set_ylim(0, 101)
    legend_below(figure, axes[0], 6)
    return Drawing(figure, "Accuracy of the first guess on the random split, by what may make a blank hard.", data)


register(
    Output("figure-3a", "Figure 3a. Symbolic equation completion", FIGURE, figure_3a, section="completion"),
    Output("figure-3b", "Figure 3b. Function evaluation completion", FIGURE, figure_3b, section="completion"),
    Output("figure-3", "Figure 3 in numbers. Equation completion", TABLE, figure_3, section="completion"),
    Output("completion-by-blank", "Which blanks are hard", FIGURE, completion_by_blank, section="completion"),
)
