"""What makes the benchmark hard, rung by rung, as a table, a sentence and a figure; made from the summary alone."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from ...data.baselines import BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO
from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...models import MODELS
from ...sweeps.ladder import BESIDE, MODEL, SPLITS
from ..comparison import Cell, Summary, summarise
from ..tables.formats import Column, Row, Section, Table, signed
from .drawing import BLUE, GREY, LOOKS, PURPLE, Drawing, Look, draw_means, in_numbers, legend_below, panels

TITLE = "What makes the benchmark hard?"
ROW_LOOKS = {
    MODEL: LOOKS[MODEL],
    BAG_OF_SYMBOLS: Look("bag of symbols", GREY, "v", ":"),
    LOOKUP: Look("lookup", PURPLE, "^", ":"),
    SYMPY_AUTO: Look("Sympy", BLUE, "x", "--"),
}
APPROACHES = (MODEL, *BESIDE)


def score(row: dict, split: str, approach: str) -> Summary | None:
    """Mean and spread over the seeds of a rung."""
    here = row["splits"][split]
    return summarise(dict(zip(here["seeds"], here[approach], strict=True)))


def steps(content: dict, split: str) -> dict[str, float]:
    """By the words of each rung but the first, how many points the network is better than on the rung before."""
    scored = [(row["words"], score(row, split, MODEL)) for row in content["rows"]]
    pairs = zip(scored, scored[1:], strict=False)
    return {words: after.mean - before.mean for (_, before), (words, after) in pairs if before and after}


def sentence(content: dict, split: str) -> str:
    """From the first rung to the last, and the step that costs most."""
    first, last = (score(content["rows"][place], split, MODEL) for place in (0, -1))
    taken = steps(content, split)
    if not (first and last and taken):
        return ""
    worst = min(taken, key=taken.get)
    fall = f"{SPLIT_TITLES[split].capitalize()}: {MODELS[MODEL].title} goes from {first.mean:.1f} to {last.mean:.1f} %"
    return f"{fall}; the largest step is “{worst}” ({signed(taken[worst], 1)} points)."


def _rows(content: dict) -> Sequence[Row]:
    return tuple(
        Row(
            row["words"],
            (
                *(Cell(None, score(row, split, MODEL), None) for split in SPLITS),
                *(Cell(None, score(row, split, name), None) for name in BESIDE for split in SPLITS),
                f"{row['uses_of_a_distinct_subtree']:.1f}",
                str(max(len(row["splits"][split]["seeds"]) for split in SPLITS)),
            ),
        )
        for row in content["rows"]
    )


def ladder_table(content: dict) -> Table:
    titles = [f"{ROW_LOOKS[name].name}, {SPLIT_TITLES[split]}" for name in APPROACHES for split in SPLITS]
    columns = (Column("switched, on top of the rows above"), *map(Column, titles), Column("uses of a subtree"))
    notes = (
        *filter(None, (sentence(content, split) for split in (DEPTH_4_OUT, GENERALIZATION))),
        "Accuracy on symbolic test equations in per cent, mean ± standard deviation over seeds of split and weights; one "
        f"data set a row, all made with seed {content['data_seed']}. Uses of a subtree: how often a distinct one occurs "
        "in the data set on average.",
    )
    return Table("table-ladder", TITLE, (Section("", (*columns, Column("seeds")), tuple(_rows(content))),), notes)


def _draw_split(axes: Axes, content: dict, split: str) -> list[tuple]:
    """A line an approach over the rungs; returns the data."""
    data, heights = [], list(range(len(content["rows"])))
    for name in APPROACHES:
        found = [score(row, split, name) for row in content["rows"]]
        known = {place: each for place, each in zip(heights, found, strict=True) if each}
        draw_means(axes, known, known.values(), ROW_LOOKS[name])
        data += [
            (split, content["rows"][place]["rung"], ROW_LOOKS[name].name, *in_numbers(each))
            for place, each in known.items()
        ]
    axes.set_xticks(heights, [row["rung"] for row in content["rows"]], rotation=35, ha="right")
    axes.set_title(SPLIT_TITLES[split])
    return data


def ladder_figure(content: dict) -> Drawing:
    """Accuracy on every rung, of the network and of what needs none, on both splits."""
    figure, axes = panels(1, len(SPLITS), width=9.6, height=4.6, sharey=True)
    data = [("split", "rung", "approach", "mean", "std", "seeds")]
    for panel, split in zip(axes, SPLITS, strict=True):
        data += _draw_split(panel, content, split)
    axes[0].set_ylabel("accuracy on test (%)")
    legend_below(figure, axes[0], len(APPROACHES))
    listed = "; ".join(f"{row['rung']}: {row['words']}" for row in content["rows"])
    caption = f"From the paper's recipe to the hard one, each rung on top of those before it. {listed}."
    return Drawing(figure, caption, data)
