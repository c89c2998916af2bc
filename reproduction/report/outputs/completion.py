"""The second task, Figure 3: the numbers beside the poster's, the curves over k, and which blanks are hard."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ...completion.store import MOST_FREQUENT, PERFECT, RANDOM
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...measures import TOP_K, TOP_K_MSE
from ...models import MODELS
from ...rows import by_seed, select
from ..claims import Cell, Summary, averaged, paper_value, summarise
from ..drawing import LOOKS, Colour, Drawing, draw_means, draw_means_in_band, in_numbers, legend_below, panels
from ..formats import POSTER, Column, Line, Section, Table, section
from ..registry import figure, table
from ..results import PROTOCOLS, Archive

KS = (1, 2, 5, 10)
RANK = "mean_reciprocal_rank"
REFERENCES = 1  # the group of lines that is beyond the paper
SYMBOLIC, NUMERIC = "symbolic", "numeric"
MEASURES = {SYMBOLIC: TOP_K, NUMERIC: TOP_K_MSE}
# By kind of blank rankings of the same blanks without a network: name and line. They stand in the networks' details.
IN_ANY_ORDER = ("random order", (0, (1, 1.5)))
WITHOUT_NETWORK: dict[str, dict[str, tuple[str, Any]]] = {
    SYMBOLIC: {MOST_FREQUENT: ("most frequent first", (0, (4, 1, 1, 1))), RANDOM: IN_ANY_ORDER},
    NUMERIC: {PERFECT: ("exact values", "-"), RANDOM: IN_ANY_ORDER},
}
GROUPINGS = {
    "by_blank_height": "height of the blank",
    "by_blank_level": "distance of the blank from “=”",
    "by_equation_depth": "depth of the equation",
    "by_correct_candidates": "correct candidates",
}
HEADER = ("ranking", "k", "poster", "ours_mean", "ours_std", "seeds")


class Ranking(NamedTuple):
    """A way to rank candidates and what it scores over seeds."""

    name: str
    style: dict[str, Any]
    curve: list[Summary]  # for k = 1 to 10
    rank: Summary | None  # mean reciprocal one, of symbolic blanks
    poster: Sequence[Any]  # numbers, or None for each k
    group: int = 0

    def line(self, *more: Cell) -> Line:
        return Line(self.name, (*(Cell(self.poster[k - 1], self.curve[k - 1]) for k in KS), *more), self.group)


def _blanks(archive: Archive, model: str, split: str, kind: str) -> dict[int, dict]:
    """By seed what was counted when a network filled the blanks of a kind."""
    here = select(archive.details(archive.protocol), model=model, split=split)
    found = {row["seed"]: (row.get("blanks") or {}).get(kind) for row in here}
    return {seed: each for seed, each in sorted(found.items()) if each}


def rankings(archive: Archive, split: str, kind: str) -> list[Ranking]:
    """The networks that filled the blanks of a split, then rankings of the same blanks without one."""
    found = []
    for model in MODELS:
        curve = [summary for each in MEASURES[kind] if (summary := summarise(archive.values(model, split, each)))]
        posters = [paper_value(archive, model, split, each) for each in MEASURES[kind]]
        rank = summarise(by_seed(archive.select(split, model), RANK))
        if curve:
            style: dict[str, Any] = {"color": LOOKS[model].colour, "marker": LOOKS[model].marker}
            found.append(Ranking(MODELS[model].title, style, curve, rank, posters))
    # Those of the network with the most seeds: rankings without a network are the same for all.
    by_ranking = max((_blanks(archive, model, split, kind) for model in MODELS), key=len) if found else {}
    key, factor = ("top_k", 100) if kind == SYMBOLIC else ("top_k_mse", 1)
    for ranking, (name, line) in WITHOUT_NETWORK[kind].items() if by_ranking else ():
        scores = {seed: each[ranking] for seed, each in by_ranking.items()}
        length = min(len(each[key]) for each in scores.values())
        curve = [averaged({seed: factor * each[key][k] for seed, each in scores.items()}) for k in range(length)]
        rank = summarise({seed: each[RANK] for seed, each in scores.items() if RANK in each})
        style = {"color": Colour.INK, "linestyle": line, "linewidth": 1.1}
        found.append(Ranking(name, style, curve, rank, [None] * length, REFERENCES))
    return found


@figure("figure-3a", "Figure 3a. Symbolic equation completion", "completion")
def figure_3a(archive: Archive) -> Drawing | None:
    """Top-k accuracy of all models on the random split, the poster's curves dashed; a panel a protocol."""
    every = {name: rankings(archive.under(name), GENERALIZATION, SYMBOLIC) for name in archive.protocols}
    shown = {name: found for name, found in every.items() if found}
    if not shown:
        return None
    drawn, axes = panels(1, len(shown), width=2.2 + 5 * len(shown), height=4.6, sharey=True, squeeze=False)
    data: list[tuple] = [("split", *HEADER)]
    for panel, (protocol, found) in zip(axes[0], shown.items(), strict=True):
        place = GENERALIZATION if len(shown) == 1 else f"{GENERALIZATION}, {protocol}"
        data += [(place, *row) for row in _draw(panel, found)]
        panel.set(ylim=(0, 101), title=SPLIT_TITLES[GENERALIZATION] if len(shown) == 1 else PROTOCOLS[protocol].lower())
    axes[0][0].set_ylabel("top-k accuracy (%)")
    handles, _ = max((panel.get_legend_handles_labels() for panel in axes[0]), key=lambda named: len(named[0]))
    poster = Line2D([], [], color=Colour.INK, linestyle="--", linewidth=1, label="the authors' poster")
    drawn.legend(handles=handles if archive.own_axioms else [*handles, poster], loc="outside right center")
    caption = (
        "Share of blanks with a correct candidate among the first k, mean and standard deviation over seeds; dashed: "
        "read off the authors' poster; black: rankings of the same blanks without a network."
    )
    return Drawing(drawn, caption, data)


@figure("figure-3b", "Figure 3b. Function evaluation completion", "completion")
def figure_3b(archive: Archive) -> Drawing | None:
    """Top-k minimum error of the two models that evaluate functions."""
    found = rankings(archive, GENERALIZATION, NUMERIC)
    if not found:
        return None
    drawn, axes = panels()
    data = [HEADER, *_draw(axes, found)]
    axes.set_ylim(bottom=0)
    axes.set_ylabel("top-k minimum MSE")
    axes.legend()
    caption = (
        "Squared distance between the number that was removed and the closest of the first k, mean over the test "
        "evaluations. Exact values do not reach 0 at once, because other numbers fit, too: sin(0.64) = sin(2.5)."
    )
    return Drawing(drawn, caption + _beside_references(found), data)


def _beside_references(found: Sequence[Ranking]) -> str:
    """Where exact values begin, and from which k on random order has a smaller error than every network."""
    means = {each.name: [summary.mean for summary in each.curve] for each in found}
    networks = [means[each.name] for each in found if each.group != REFERENCES]
    exact, random = (means.get(name) for name, _ in WITHOUT_NETWORK[NUMERIC].values())
    if not (exact and random):
        return ""
    others = [k for k, error in enumerate(random, 1) if error >= min(each[k - 1] for each in networks)]
    said = f" Exact values have {exact[0]:.3f} at k = 1."
    if (first := max(others, default=0) + 1) <= len(random):
        said += f" From k = {first} on, random order is ahead of all networks."
    return said


def _draw(axes: Axes, found: Sequence[Ranking]) -> Iterator[tuple]:
    """A line a ranking over k, in a band of one standard deviation; gives the data."""
    axes.set_xticks(range(1, 11))
    axes.set_xlabel("k")
    for each in found:
        draw_means_in_band(axes, dict(enumerate(each.curve, 1)), label=each.name, **each.style)
        if None not in each.poster:
            dashed: dict[str, Any] = {"linestyle": "--", "linewidth": 1, "alpha": 0.8}
            axes.plot(range(1, len(each.curve) + 1), each.poster, color=each.style["color"], **dashed)
        for k, (poster, summary) in enumerate(zip(each.poster, each.curve, strict=True), 1):
            yield each.name, k, "" if poster is None else f"{poster:g}", *in_numbers(summary)


@table("figure-3", "Figure 3 in numbers. Equation completion", "completion")
def figure_3(archive: Archive) -> Table | None:
    """The scores under each protocol that is shown."""
    sections: list[Section] = []
    columns = [*(Column(f"top-{k}", source=POSTER) for k in KS), Column("mean reciprocal rank", 3)]
    for protocol in archive.protocols:
        here, title = archive.under(protocol), f"{PROTOCOLS[protocol]}: " if len(archive.protocols) > 1 else ""
        for split in SPLIT_TITLES:
            if found := rankings(here, split, SYMBOLIC):
                lines = [each.line(Cell(ours=each.rank)) for each in found]
                heading = f"{title}Symbolic equations, {SPLIT_TITLES[split]}"
                sections.append(section(heading, ("Ranking", *columns), lines, REFERENCES))
        if found := rankings(here, GENERALIZATION, NUMERIC):
            errors, lines = (Column(f"top-{k} MSE", 4) for k in KS), [each.line() for each in found]
            heading = f"{title}Function evaluations, random split"
            sections.append(section(heading, ("Ranking", *errors), lines, REFERENCES))
    notes = (
        "Share of blanks with a correct candidate among the first k, in per cent, mean ± standard deviation over "
        "seeds; in brackets what the authors' poster shows, read off its curves, and the difference. Candidates that "
        "leave the equation undefined are not ranked. Below the networks: rankings of the same blanks without one; "
        "most frequent first: by how often a candidate occurs in the training equations.",
        "MSE: squared distance between the number that was removed and the closest of the first k.",
    )
    return Table(sections, notes) if sections else None


@figure("completion-by-blank", "Which blanks are hard", "completion")
def completion_by_blank(archive: Archive) -> Drawing | None:
    """Beyond the paper: the accuracy of the first guess for each value that blanks are grouped by."""
    filled = {model: _blanks(archive, model, GENERALIZATION, SYMBOLIC) for model in LOOKS}
    if not any(filled.values()):
        return None
    drawn, axes = panels(1, len(GROUPINGS), width=11, height=3.6, sharey=True)
    data: list[tuple] = [("grouping", "value", "model", "top_1_mean", "top_1_std", "seeds")]
    for panel, (grouping, words) in zip(axes, GROUPINGS.items(), strict=True):
        for model, by_blank in filled.items():
            first: dict[str, dict[int, float]] = {}
            for seed, each in by_blank.items():
                for value, scores in each[grouping].items():
                    first.setdefault(value, {})[seed] = 100 * scores["top_k"][0]
            points = {value: averaged(first[value]) for value in sorted(first, key=lambda value: int(value.split()[0]))}
            if points:
                labels = (value.replace(" to ", "–").replace(" or more", "+") for value in points)
                draw_means(panel, dict(zip(labels, points.values(), strict=True)), LOOKS[model])
            data += [(grouping, value, LOOKS[model].name, *in_numbers(each)) for value, each in points.items()]
        panel.set_xlabel(words)
        panel.margins(x=0.12)
    axes[0].set(ylabel="top-1 accuracy (%)", ylim=(0, 101))
    legend_below(drawn, axes[0], 6)
    caption = "Accuracy of the first guess on the random split, by what may make a blank hard."
    hardest = {row[2]: float(row[3]) for row in data if row[:2] == ("by_correct_candidates", "1") and row[3]}
    if hardest:
        best = max(hardest, key=lambda name: hardest[name])
        caption += f" Where only one candidate is correct, no network has more than {hardest[best]:.0f} % ({best})."
    return Drawing(drawn, caption, data)
