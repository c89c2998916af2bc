"""What makes the benchmark hard, what was tried where a claim does not come back, what other data sets give."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from math import sqrt
from statistics import fmean, stdev, variance

from ...data.baselines import BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO
from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...data.scores import wilson
from ...measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ...models import MODELS
from ...rows import Row, by_seed, distinct, select
from ...studies.ladder import RUNGS
from ..claims import CLAIMS, Summary, paper_value, summarise
from ..drawing import LOOKS, Colour, Drawing, Look, draw_means, in_numbers, legend_below, panels
from ..formats import NOTHING, Line, Table, section, signed, summary_text
from ..registry import figure, table
from ..results import PROTOCOLS, Archive
from ..views import Number, View, seeds_of

LADDER, REMEDIES = "ladder", "remedies"
TITLE = "What makes the benchmark hard?"
MODEL, SPLITS = "tree-lstm", (GENERALIZATION, DEPTH_4_OUT)
WORDS: dict[str, str] = {rung.name: rung.words for rung in RUNGS}
APPROACHES = {
    MODEL: LOOKS[MODEL],
    BAG_OF_SYMBOLS: Look("bag of symbols", Colour.GREY, "v", ":"),
    LOOKUP: Look("lookup", Colour.PURPLE, "^", ":"),
    SYMPY_AUTO: Look("Sympy", Colour.BLUE, "x", "--"),
}


def rungs(archive: Archive) -> dict[str, str]:
    """The rungs in their order, with their words."""
    rows = sorted(archive.rows(LADDER), key=lambda row: row["place"])
    return {name: WORDS.get(name, name) for (name,) in distinct(rows, "rung")}


def _scores(archive: Archive, split: str, approach: str) -> dict[int, Summary]:
    """By the place of a rung the mean and the spread over seeds."""
    rows = select(archive.rows(LADDER), split=split, model=approach)
    found = (summarise(seeds_of(select(rows, rung=rung), ACCURACY.name, LADDER)) for rung in rungs(archive))
    return {place: each for place, each in enumerate(found) if each}


def sentence(archive: Archive, split: str) -> str:
    """From the first rung to the last, and the step that costs most."""
    words, means = [*rungs(archive).values()], [each.mean for each in _scores(archive, split, MODEL).values()]
    if len(means) < max(2, len(words)):
        return ""
    step, worst = min((after - before, place) for place, (before, after) in enumerate(pairwise(means), 1))
    return (
        f"{SPLIT_TITLES[split].capitalize()}: {MODELS[MODEL].title} goes from {means[0]:.1f} to {means[-1]:.1f} %; "
        f"the largest step is “{words[worst]}” ({signed(step, 1)} points)."
    )


@figure("ladder", TITLE, "depth", [LADDER])
def ladder_figure(archive: Archive) -> Drawing:
    """Accuracy on every rung, from the paper's recipe at the top to the hard one at the bottom."""
    drawn, axes = panels(1, len(SPLITS), width=10.5, height=4.4, sharey=True)
    data: list[tuple] = [("split", "rung", "approach", "mean", "std", "seeds")]
    steps = rungs(archive)
    for (panel, split), (approach, look) in product(zip(axes, SPLITS, strict=True), APPROACHES.items()):
        found = _scores(archive, split, approach)
        draw_means(panel, found, look, is_sideways=True)
        data += [(split, list(steps)[place], look.name, *in_numbers(each)) for place, each in found.items()]
        panel.set(title=SPLIT_TITLES[split], xlabel="accuracy on test (%)")
    axes[0].set_yticks(
        range(len(steps)), [f"{'+ ' if place else ''}{text}" for place, text in enumerate(steps.values())]
    )
    axes[0].invert_yaxis()
    legend_below(drawn, axes[0], len(APPROACHES))
    caption = (
        "From the paper's recipe (top) to the hard one (bottom): each line switches one choice of how the data are "
        "made, on top of all lines above it. Mean and standard deviation over seeds."
    )
    return Drawing(drawn, caption, data)


@table("table-ladder", TITLE, "depth", [LADDER], folded=True)
def ladder_table(archive: Archive) -> View:
    """A line a rung: the network on both splits, then what needs none, then how often parts are shared."""
    columns = [
        Number(f"{look.name}, {SPLIT_TITLES[split]}", ACCURACY, {"model": name, "split": split})
        for (name, look), split in product(APPROACHES.items(), SPLITS)
    ]
    where = {"model": MODEL, "split": GENERALIZATION}
    uses = Number("uses of a subtree", "uses_of_a_distinct_subtree", where, decimals=1)
    seeds = ", ".join(map(str, sorted({row["data_seed"] for row in archive.rows(LADDER)})))
    notes = (
        *filter(None, (sentence(archive, split) for split in reversed(SPLITS))),
        "Each row switches what it names on top of the rows above. Accuracy on symbolic test equations in per cent, "
        f"mean ± standard deviation over seeds of split and weights; one data set a row, all made with seed {seeds}. "
        "Uses of a subtree: how often a distinct one occurs on average.",
    )
    return View("rung", (*columns, uses), LADDER, lines=rungs(archive), notes=notes)


# ------------------------------------------------------------------------------------------------ remedies

REMEDY, REFERENCE, RIVAL = "remedy", "as in the tables", "rival"  # what a row of the study is
MEASURES = {ACCURACY: "test", MSE: "MSE", TOP_K[0]: "first guess", TOP_K_MSE[0]: "MSE of the first guess"}
_STATEMENTS = {claim.key: claim.statement for claim in CLAIMS}


@table("table-remedies", "What was tried for claims that do not come back", "results", [REMEDIES], folded=True)
def remedies_table(archive: Archive) -> Table:
    tried, lines = sorted(archive.rows(REMEDIES), key=lambda row: row["place"]), []
    names = ("place", "part", "remedy", "measure")
    for key in distinct(tried, *names):
        rows = select(tried, **dict(zip(names, key, strict=True)))
        _, claim, words, measure = key
        for first in select(rows, way=REMEDY)[:1]:
            described = f"{MODELS[first['model']].title}, {SPLIT_TITLES[first['split']]}: {words}"
            outcome = outcome_text(archive, rows, next(each for each in MEASURES if each.name == measure))
            lines.append(Line(_STATEMENTS.get(claim, claim), (described, outcome)))
    note = "Before → after, with the same seeds, on a data set of its own. Dev chooses, no score on test does."
    return Table([section("", ("Claim", "Remedy", "Outcome"), lines)], [note])


def outcome_text(archive: Archive, rows: list[Row], measure: Measure) -> str:
    """`dev 97.93 → 98.10 %, test 83.92 → 84.71 % (paper 96.17 %; TreeLSTM 96.45 %); 2 seeds`."""
    before, after, rival = (select(rows, way=way) for way in (REFERENCE, REMEDY, RIVAL))

    def change(name: str, decimals: int) -> str:
        old, new = (seeds_of(each, name, REMEDIES) for each in (before, after))
        both = [seed for seed in new if seed in old]
        return " → ".join(f"{fmean(each[seed] for seed in both):.{decimals}f}" for each in (old, new))

    reported = paper_value(archive, after[0]["model"], after[0]["split"], measure)
    beside = [] if reported is None else [f"paper {measure.text(reported)}"]
    if rivals := seeds_of(rival, measure.name, REMEDIES):
        beside.append(f"{MODELS[rival[0]['model']].title} {measure.text(fmean(rivals.values()))}")
    seeds = len({row["seed"] for row in before} & {row["seed"] for row in after})
    text = f"dev {change('dev_accuracy', ACCURACY.decimals)}{ACCURACY.unit}, "
    text += f"{MEASURES[measure]} {change(measure.name, measure.decimals)}{measure.unit}"
    text += f" ({'; '.join(beside)})" if beside else ""
    return f"{text}; {'one seed' if seeds == 1 else f'{seeds} seeds'}"


# ------------------------------------------------------------------------------------------------ further data sets

DATA_SEEDS = "data-seeds"
DATA_SEEDS_NOTE = (
    "Accuracy on symbolic test equations in per cent. The tables' data: mean ± standard deviation over seeds of split "
    "and weights. Further data sets were made alike with other seeds; each counts with its mean. Spread between is the "
    "standard deviation of these means; with one training a data set all of the spread within is in it. Spread within "
    "is pooled over all data sets with several trainings. ± by the test set: half of its 95 % interval (Wilson) with a "
    "depth unseen, where every seed has the same test equations."
)


@table("table-data-seeds", "How much depends on which data set was drawn", "results", [DATA_SEEDS], folded=True)
def data_seeds_table(archive: Archive) -> Table:
    """A line a network, a section a split under a protocol: the spread within data sets and between them."""
    headings = (
        "network", "the tables' data", "seeds", "further data sets", "sets", "trainings", "spread between",
        "spread within", "± by the test set",
    )  # fmt: skip
    sections = []
    for protocol, split in product(PROTOCOLS, (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)):
        here, further = archive.under(protocol), select(archive.rows(DATA_SEEDS), part=protocol, split=split)
        trained = [model for model in MODELS if select(further, model=model)]
        lines = [
            Line(MODELS[model].title, _spreads(here.select(split, model), select(further, model=model), split))
            for model in reversed(trained)
        ]
        if lines:
            sections.append(section(f"{PROTOCOLS[protocol]}: {SPLIT_TITLES[split]}", headings, lines))
    return Table(sections, [DATA_SEEDS_NOTE])


def _spreads(own: Sequence[Row], further: Sequence[Row], split: str) -> list[str]:
    """The cells of a network: the tables' data, further data sets, the spread between and within, the test set's."""
    name = ACCURACY.name
    here = by_seed(own, name)
    others = [by_seed(select(further, data=data), name) for (data,) in distinct(further, "data")]
    means = [fmean(each.values()) for each in others]
    numbers = [fmean(means), stdev(means) if len(means) > 1 else None, _pooled([here, *others]), None]
    if here and split != GENERALIZATION:
        low, high = wilson(fmean(here.values()) / 100, own[0]["count"])
        numbers[-1] = (high - low) / 2
    mean, *spreads = (NOTHING if number is None else f"{number:.2f}" for number in numbers)
    counts = (str(len(means)), str(sum(map(len, others))))
    return [summary_text(summarise(here), 2), str(len(here)), mean, *counts, *spreads]


def _pooled(groups: Iterable[Mapping[int, float]]) -> float | None:
    """The standard deviation within groups of seeds, over all that have several."""
    several = [list(each.values()) for each in groups if len(each) > 1]
    squares = sum((len(each) - 1) * variance(each) for each in several)
    return sqrt(squares / sum(len(each) - 1 for each in several)) if several else None
