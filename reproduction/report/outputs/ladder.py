"""What makes the benchmark hard, rung by rung, and what was tried where a claim does not come back."""

import itertools
from collections.abc import Iterable, Mapping
from statistics import fmean

from matplotlib.axes import Axes

from ...data.baselines import BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO
from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ...models import MODELS
from ...rows import Row, select
from ...studies.ladder import RUNGS
from ..claims import CLAIMS, paper_value
from ..comparison import Summary, summarise
from ..drawing import BLUE, GREY, LOOKS, PURPLE, Drawing, Look, in_numbers, legend_below, panels
from ..formats import Row as Line
from ..formats import Table, plain_table, signed
from ..registry import FIGURE, TABLE, Output, register
from ..results import Archive
from ..views import Number, View, seeds_of, view_table

LADDER, REMEDIES = "ladder", "remedies"
TITLE = "What makes the benchmark hard?"
MODEL, SPLITS = "tree-lstm", (GENERALIZATION, DEPTH_4_OUT)
WORDS: dict[str, str] = {rung.name: rung.words for rung in RUNGS}
APPROACHES = {
    MODEL: LOOKS[MODEL],
    BAG_OF_SYMBOLS: Look("bag of symbols", GREY, "v", ":"),
    LOOKUP: Look("lookup", PURPLE, "^", ":"),
    SYMPY_AUTO: Look("Sympy", BLUE, "x", "--"),
}
_MODEL_FIRST = ((MODEL,), tuple(name for name in APPROACHES if name != MODEL))


def rungs(archive: Archive) -> dict[str, str]:
    """The rungs in their order, with their words."""
    rows = sorted(archive.rows(LADDER), key=lambda row: row["place"])
    names: list[str] = list(dict.fromkeys(row["rung"] for row in rows))
    return {name: WORDS.get(name, name) for name in names}


def score(archive: Archive, rung: str, split: str, approach: str) -> Summary | None:
    """Mean and spread over the seeds of a rung."""
    rows = select(archive.rows(LADDER), rung=rung, split=split, model=approach)
    return summarise(seeds_of(rows, ACCURACY.name, LADDER))


def sentence(archive: Archive, split: str) -> str:
    """From the first rung to the last, and the step that costs most."""
    scored = [(words, score(archive, rung, split, MODEL)) for rung, words in rungs(archive).items()]
    means = [(words, each.mean) for words, each in scored if each]
    steps = {words: after - before for (_, before), (words, after) in itertools.pairwise(means)}
    if not steps or len(means) < len(scored):
        return ""
    worst = min(steps, key=steps.__getitem__)
    fall = (
        f"{SPLIT_TITLES[split].capitalize()}: {MODELS[MODEL].title} goes from {means[0][1]:.1f} to {means[-1][1]:.1f} %"
    )
    return f"{fall}; the largest step is “{worst}” ({signed(steps[worst], 1)} points)."


def ladder_table(archive: Archive) -> Table | None:
    """A line a rung: the network on both splits, then what needs none, then how often parts are shared."""
    columns = [
        Number(f"{APPROACHES[name].name}, {SPLIT_TITLES[split]}", ACCURACY, {"model": name, "split": split})
        for names in _MODEL_FIRST
        for name in names
        for split in SPLITS
    ]
    uses = Number(
        "uses of a subtree", "uses_of_a_distinct_subtree", {"model": MODEL, "split": GENERALIZATION}, decimals=1
    )
    seeds = {row["data_seed"] for row in archive.rows(LADDER)}
    notes = (
        *filter(None, (sentence(archive, split) for split in (DEPTH_4_OUT, GENERALIZATION))),
        "Each row switches what it names on top of the rows above. Accuracy on symbolic test equations in per cent, "
        "mean ± standard deviation over seeds of split and weights; one data set a row, all made with seed "
        f"{', '.join(map(str, sorted(seeds)))}. Uses of a subtree: how often a distinct one occurs on average.",
    )
    return view_table(
        "table-ladder", TITLE, View("rung", (*columns, uses), LADDER, lines=rungs(archive), notes=notes), archive
    )


def _draw_split(axes: Axes, archive: Archive, split: str) -> list[tuple]:
    """A line an approach down the rungs; returns the data."""
    data, names = [], list(rungs(archive))
    for approach, look in APPROACHES.items():
        found = [score(archive, rung, split, approach) for rung in names]
        known = {place: each for place, each in enumerate(found) if each}
        means, spreads = [each.mean for each in known.values()], [each.std or 0.0 for each in known.values()]
        axes.errorbar(means, list(known), xerr=spreads, capsize=2, **look.style)
        data += [(split, names[place], look.name, *in_numbers(each)) for place, each in known.items()]
    axes.set_title(SPLIT_TITLES[split])
    axes.set_xlabel("accuracy on test (%)")
    return data


def ladder_figure(archive: Archive) -> Drawing:
    """Accuracy on every rung, from the paper's recipe at the top to the hard one at the bottom."""
    shown = rungs(archive)
    figure, axes = panels(1, len(SPLITS), width=10.5, height=4.4, sharey=True)
    data: list[tuple] = [("split", "rung", "approach", "mean", "std", "seeds")]
    for panel, split in zip(axes, SPLITS, strict=True):
        data += _draw_split(panel, archive, split)
    words = [f"{'' if place == 0 else '+ '}{text}" for place, text in enumerate(shown.values())]
    axes[0].set_yticks(range(len(shown)), words)
    axes[0].invert_yaxis()
    legend_below(figure, axes[0], len(APPROACHES))
    caption = (
        "From the paper's recipe (top) to the hard one (bottom): each line switches one choice of how the data are "
        "made, on top of all lines above it. Mean and standard deviation over seeds."
    )
    return Drawing(figure, caption, data)


# ------------------------------------------------------------------------------------------------ remedies

TRIED = "What was tried for claims that do not come back"
REMEDY, REFERENCE, RIVAL = "remedy", "as in the tables", "rival"  # what a row of the study is
MEASURES = {ACCURACY: "test", MSE: "MSE", TOP_K[0]: "first guess", TOP_K_MSE[0]: "MSE of the first guess"}
_STATEMENTS = {claim.key: claim.statement for claim in CLAIMS}


def remedies_table(archive: Archive) -> Table | None:
    """What was tried for claims that do not come back, and what it did; dev chooses, no score on test does."""
    remedies: dict[tuple, list[Row]] = {}
    for row in sorted(archive.rows(REMEDIES), key=lambda row: row["place"]):
        remedies.setdefault((row["place"], row["part"], row["remedy"], row["measure"]), []).append(row)
    lines = []
    for (_, claim, words, measure), rows in remedies.items():
        changed = select(rows, way=REMEDY)
        if changed:
            first = changed[0]
            described = f"{MODELS[first['model']].title}, {SPLIT_TITLES[first['split']]}: {words}"
            outcome = outcome_text(archive, rows, next(each for each in MEASURES if each.name == measure))
            lines.append(Line(_STATEMENTS.get(claim, claim), (described, outcome)))
    note = (
        "Before → after, with the same seeds, on a data set of its own. Dev chooses, no score on test does; none of it "
        "is part of the other tables."
    )
    headings = ("Claim", "Remedy", "Outcome")
    return plain_table("table-remedies", TRIED, headings, lines, (note,))


def _means(pairs: Iterable[tuple[float, float]], decimals: int) -> str:
    return " → ".join(f"{fmean(column):.{decimals}f}" for column in zip(*pairs, strict=True))


def _paired(before: Mapping[int, float], after: Mapping[int, float]) -> list[tuple[float, float]]:
    return [(before[seed], after[seed]) for seed in after if seed in before]


def outcome_text(archive: Archive, rows: list[Row], measure: Measure) -> str:
    """`dev 97.93 → 98.10 %, test 83.92 → 84.71 % (paper 96.17 %; TreeLSTM 96.45 %); 2 seeds`."""
    ways = {way: select(rows, way=way) for way in (REFERENCE, REMEDY, RIVAL)}
    dev, scores = (
        _paired(*(seeds_of(ways[way], name, REMEDIES) for way in (REFERENCE, REMEDY)))
        for name in (f"dev_{ACCURACY.name}", measure.name)
    )
    seeds = "one seed" if len(scores) == 1 else f"{len(scores)} seeds"
    first, rivals = ways[REMEDY][0], seeds_of(ways[RIVAL], measure.name, REMEDIES)
    reported = paper_value(archive, first["model"], first["split"], measure)
    beside = [] if reported is None else [f"paper {measure.text(reported)}"]
    if rivals:
        beside.append(f"{MODELS[ways[RIVAL][0]['model']].title} {measure.text(fmean(rivals.values()))}")
    text = f"dev {_means(dev, ACCURACY.decimals)}{ACCURACY.unit}, "
    text += f"{MEASURES[measure]} {_means(scores, measure.decimals)}{measure.unit}"
    return f"{text} ({'; '.join(beside)}); {seeds}" if beside else f"{text}; {seeds}"


register(
    Output("ladder", TITLE, FIGURE, ladder_figure, (LADDER,), "depth"),
    Output("table-ladder", TITLE, TABLE, ladder_table, (LADDER,), "depth", folded=True),
    Output("table-remedies", TRIED, TABLE, remedies_table, (REMEDIES,), "results", folded=True),
)  # fmt: skip
