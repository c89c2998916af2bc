"""Whether function-evaluation data help, as a table, a verdict in words and a figure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import Any, NamedTuple

from matplotlib.axes import Axes

from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...measures import ACCURACY, MSE
from ...models import MODELS
from ...rows import Row, select
from ...studies.effect import PARTS, SAME, SHARES
from ...training.configuration import BOTH, DECODE, VERIFY, make_configuration
from ..claims import Cell, Interval, averaged, differences, interval, mean_cell, paper_value
from ..drawing import LOOKS, Colour, Drawing, draw_means_in_band, in_numbers, legend_below, panels
from ..formats import NOTHING, Column, Line, Table, section, signed
from ..registry import figure, table
from ..results import PAPERS, Archive
from ..views import seeds_of

STUDY, PROTOCOL = "data-study", "protocol"
CELLS = ("tree-lstm", "tree-nn")
TITLE = "Does function-evaluation data help?"
HELP, HARM, NO_DIFFERENCE, UNDECIDED = "help", "harm", "no clear difference", "one seed"
SECTIONS = {**PARTS, PROTOCOL: "the paper's protocol: one equation at a time"}
FEW = 0.1  # of the symbolic equations
TASKS = {DECODE: "decoded", VERIFY: "verified", BOTH: "decoded and verified"}


class Condition(NamedTuple):
    """Rows of a network without data and with them, otherwise alike; dev chose how each is trained."""

    part: str
    model: str  # the one without data
    split: str
    fraction: float  # of the symbolic equations
    task: str
    without: Sequence[Row]
    trained: Sequence[Row]  # with data
    paper: float | None  # its difference

    @property
    def twin(self) -> str:
        return self.without[0].get("way", SAME)

    @property
    def weight(self) -> float:
        """Of the squared error against the logistic loss."""
        first = self.trained[0]
        own = make_configuration(first["model"], first["split"], first["seed"]).numeric_weight
        return first.get("numeric_weight", own)

    def values(self, has_data: bool, name: str = ACCURACY.name) -> dict[int, float]:
        return seeds_of(self.trained if has_data else self.without, name, STUDY)

    @property
    def differences(self) -> dict[int, float]:
        """By seed, how many points the network with data is better."""
        return differences(self.values(True), self.values(False))

    @property
    def interval(self) -> Interval | None:
        return interval(list(self.differences.values()))

    @property
    def outcome(self) -> str:
        """What the data do: something, if the 95 % interval of the mean difference does not contain 0."""
        if not (found := self.interval):
            return UNDECIDED
        return HELP if found.low > 0 else HARM if found.high < 0 else NO_DIFFERENCE

    @property
    def size(self) -> str:
        """The outcome, and whether the paper's difference is excluded."""
        if self.paper is None or self.interval is None or self.interval.high >= self.paper:
            return self.outcome
        return f"{self.outcome}, the paper's {signed(self.paper, 2)} is excluded"

    @property
    def better_in(self) -> str:
        return f"{sum(each > 0 for each in self.differences.values())} of {len(self.differences)}"


def chosen_on_dev(rows: Iterable[Row]) -> list[Row]:
    """The rows of the way with the best mean on dev over the seeds that all ways have; of equal ways the first."""
    ways: dict[str, list[Row]] = {}
    for row in rows:
        ways.setdefault(row.get("way", SAME), []).append(row)
    by_seed = [{row["seed"] for row in each if "seed" in row} for each in ways.values()]
    common = set.intersection(*filter(None, by_seed)) if any(by_seed) else set()

    def mean(way: str) -> float:
        first = ways[way][0]  # some rows are the mean of seeds that were not kept one by one
        own = (row["dev_accuracy"] for row in select(ways[way], seed=common))
        return first["mean_dev_accuracy"] if "mean_dev_accuracy" in first else fmean(own)

    best = max(sorted(ways, key=lambda way: (way != SAME, way)), key=mean) if common else ""
    return select(ways.get(best, ()), seed=common)


def conditions(archive: Archive) -> list[Condition]:
    """Every condition of the study in its order, and what the paper's protocol says of the same question.

    One without a seed in common with its twin is left out.
    """
    groups: dict[tuple, list[Row]] = {}
    for row in sorted(archive.rows(STUDY), key=lambda row: row["place"]):
        place = (row["part"], row["network"], row["split"], row.get("fraction", 1.0), row["task"])
        groups.setdefault((*place, row["data"]), []).append(row)
    for model, split in product(CELLS, (GENERALIZATION, DEPTH_4_OUT)) if groups else ():
        groups[PROTOCOL, model, split, 1.0, DECODE, PROTOCOL] = select(archive.rows(PAPERS), split=split)
    found = []
    for (part, model, split, fraction, task, _), rows in groups.items():
        names = (model, f"{model}+data")
        sides = [chosen_on_dev(select(rows, model=name)) for name in names]
        both = set.intersection(*({row["seed"] for row in side} for side in sides))
        below, above = (paper_value(archive, name, split, ACCURACY) for name in names)
        papers = above - below if fraction == 1 and above is not None and below is not None else None
        if both:
            without, trained = (select(side, seed=both) for side in sides)
            found.append(Condition(part, model, split, fraction, task, without, trained, papers))
    return found


# ------------------------------------------------------------------------------------------------ in words


def verdict(rows: Sequence[Condition]) -> str:
    """What the numbers say, in sentences."""
    found = Counter(row.outcome for row in rows)
    counts = f"Function-evaluation data help under {found[HELP]} of {len(rows)} conditions, harm under {found[HARM]} "
    counts += f"and make no clear difference under {found[NO_DIFFERENCE]}"
    counts += f"; {found[UNDECIDED]} have one seed only, which decides nothing." if found[UNDECIDED] else "."
    return f"{counts} {_by_share(rows)}".strip()


def _by_share(rows: Sequence[Condition]) -> str:
    """A sentence on few symbolic equations against many, where both were tried."""
    here = [row for row in rows if row.part == SHARES and row.split == GENERALIZATION]
    few, many = (
        [each for row in here if (row.fraction <= FEW) == small for each in row.differences.values()]
        for small in (True, False)
    )
    if not few or not many:
        return ""
    return (
        f"On the random split the mean difference is {signed(fmean(few), 2)} points with at most "
        f"{100 * FEW:g} % of the symbolic equations, and {signed(fmean(many), 2)} with more."
    )


# ------------------------------------------------------------------------------------------------ figure and table


@figure("data-study", TITLE, "data", [STUDY])
def data_study_figure(archive: Archive) -> Drawing | None:
    """Accuracy over the share of symbolic equations on the random split, with and without data."""
    here = [row for row in conditions(archive) if row.part == SHARES and row.split == GENERALIZATION]
    here.sort(key=lambda row: row.fraction)
    models = [model for model in reversed(CELLS) if any(row.model == model for row in here)]
    if not models:
        return None
    size: dict[str, Any] = {"width": 1 + 4 * len(models), "height": 5.6, "height_ratios": (2, 1)}
    drawn, axes = panels(2, len(models), sharex=True, sharey="row", squeeze=False, **size)
    data: list[tuple] = [("curve", "share_of_equations", "mean", "std", "seeds")]
    for model, above, below in zip(models, *axes, strict=True):
        data += _draw_model(above, below, model, [row for row in here if row.model == model])
    axes[0][0].set_ylabel("accuracy on test (%)")
    axes[1][0].set_ylabel("with − without (points)")
    handles = [handle for panel in axes[0] for handle in panel.get_legend_handles_labels()[0]]
    legend_below(drawn, axes[1][0], 4, *handles)
    caption = (
        "Random split, all function evaluations kept; mean over seeds in a band of one standard deviation, below it "
        f"the paired difference. {_by_share(here)}"
    )
    return Drawing(drawn, caption.strip(), data)


def _draw_model(above: Axes, below: Axes, model: str, rows: Sequence[Condition]) -> Iterator[tuple]:
    """With and without data over the share of equations, and the difference below; gives the data."""
    without, trained = LOOKS[model], LOOKS[f"{model}+data"]
    difference = {"color": trained.colour, "marker": "o"}
    for axes, name, values, style in (
        (above, without.name, [row.values(False) for row in rows], without.style),
        (above, trained.name, [row.values(True) for row in rows], trained.style),
        (below, f"{without.name}, difference", [row.differences for row in rows], difference),
    ):
        points = {100 * row.fraction: averaged(each) for row, each in zip(rows, values, strict=True)}
        draw_means_in_band(axes, points, **style)
        yield from ((name, row.fraction, *in_numbers(each)) for row, each in zip(rows, points.values(), strict=True))
    below.axhline(0, color=Colour.FAINT, linewidth=1)
    above.set_title(without.name)
    shares = [100 * row.fraction for row in rows]
    below.set(xscale="log", xlabel="share of the symbolic equations (%)")
    below.set_xticks(shares, [f"{share:g}" for share in shares])
    below.minorticks_off()


# What stands in each column of a condition: a heading, and what makes its cell.
COLUMNS: dict[Column, Callable[[Condition], Cell | str]] = {
    Column("split"): lambda row: SPLIT_TITLES[row.split],
    Column("equations"): lambda row: f"{100 * row.fraction:g} %",
    Column("numeric equations"): lambda row: TASKS[row.task],
    Column("weight"): lambda row: NOTHING if row.task == VERIFY else f"{row.weight:g}",
    Column("twin without data"): lambda row: row.twin,
    Column("without data (%)"): lambda row: mean_cell(row.values(False)),
    Column("with data (%)"): lambda row: mean_cell(row.values(True)),
    Column("difference"): lambda row: mean_cell(row.differences),
    Column("better in seeds"): lambda row: row.better_in,
    Column("outcome"): lambda row: row.size,
    Column("MSE", 3): lambda row: mean_cell(row.values(True, MSE.name)),
    Column("numeric verified (%)"): lambda row: mean_cell(row.values(True, "numeric_accuracy")),
    Column("both verified (%)"): lambda row: mean_cell(row.values(True, "together_accuracy")),
}
NOTES = (
    "Accuracy on symbolic test equations, mean ± standard deviation over seeds. Differences are paired within seeds; "
    "all else is alike but for what dev chose: the weight of the squared error, and how the twin without data is "
    "trained, as with data an epoch has more steps (smaller batches, more epochs or neither). Data help or harm when "
    "the 95 % interval of the mean difference (Student's t) does not contain 0.",
    "With depth 4 unseen all numeric equations are for training and dev; those of dev stand in for those of test in "
    "the last two columns.",
)


@table("table-data-study", TITLE, "data", [STUDY], folded=True)
def data_study_table(archive: Archive) -> Table:
    """A line a condition, a section a part of the study."""
    found, sections = conditions(archive), []
    for part, title in SECTIONS.items():
        if here := [row for row in found if row.part == part]:
            lines = (
                Line(MODELS[row.model].title, [make(row) for make in COLUMNS.values()], CELLS.index(row.model))
                for row in here
            )
            sections.append(section(title.capitalize(), ("network", *COLUMNS), lines))
    return Table(sections, (verdict(found), *NOTES))
