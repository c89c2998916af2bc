"""Whether function-evaluation data help, as a table, a verdict in words and a figure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes

from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...measures import ACCURACY, MSE
from ...models import MODELS
from ...rows import Row, select
from ...studies.effect import PARTS, SAME, SHARES
from ...training.configuration import BOTH, DECODE, VERIFY, make_configuration
from ..claims import Cell, averaged, differences, interval, paper_value, summarise
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


@dataclass(frozen=True)
class Place:
    """What rows of a condition have in common."""

    part: str
    model: str  # the one without data
    split: str
    fraction: float  # of the symbolic equations
    task: str


@dataclass(frozen=True)
class Condition(Place):
    """Rows of a network without data and with them, otherwise alike; dev chose how each is trained."""

    without: Sequence[Row]
    trained: Sequence[Row]  # with data
    paper: float | None = None  # its difference

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
    def outcome(self) -> str:
        """What the data do: something, if the 95 % interval of the mean difference does not contain 0."""
        if not (found := interval(list(self.differences.values()))):
            return UNDECIDED
        return HELP if found.low > 0 else HARM if found.high < 0 else NO_DIFFERENCE

    @property
    def size(self) -> str:
        """The outcome, and whether the paper's difference is excluded."""
        found = interval(list(self.differences.values()))
        is_excluded = self.paper is not None and found is not None and found.high < self.paper
        return f"{self.outcome}, the paper's {signed(self.paper or 0, 2)} is excluded" if is_excluded else self.outcome

    @property
    def better_in(self) -> str:
        return f"{sum(each > 0 for each in self.differences.values())} of {len(self.differences)}"


def chosen_on_dev(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows of the way with the best mean on dev over the seeds that all ways have; of equal ways the first."""
    ways: dict[str, list[Row]] = {}
    for row in rows:
        ways.setdefault(row.get("way", SAME), []).append(row)
    by_seed = [{row["seed"] for row in each if "seed" in row} for each in ways.values()]
    common = set.intersection(*filter(None, by_seed)) if any(by_seed) else set()

    def mean(way: str) -> float:
        stated = [row["mean_dev_accuracy"] for row in ways[way] if "mean_dev_accuracy" in row]
        return stated[0] if stated else fmean(row["dev_accuracy"] for row in ways[way] if row["seed"] in common)

    best = max(sorted(ways, key=lambda way: (way != SAME, way)), key=mean) if common else None
    return tuple(row for row in ways.get(best or "", ()) if row.get("seed") in common)


def _condition(archive: Archive, place: Place, rows: Sequence[Row]) -> Iterable[Condition]:
    """The condition of some rows; nothing while a side has no seed in common with the other."""
    names = (place.model, f"{place.model}+data")
    sides = [chosen_on_dev(select(rows, model=name)) for name in names]
    both = set.intersection(*({row["seed"] for row in side} for side in sides))
    below, above = (paper_value(archive, name, place.split, ACCURACY) for name in names)
    papers = above - below if place.fraction == 1 and above is not None and below is not None else None
    if both:
        without, trained = (select(side, seed=both) for side in sides)
        yield Condition(**vars(place), without=without, trained=trained, paper=papers)


def conditions(archive: Archive) -> list[Condition]:
    """Every condition of the study in its order, and what the paper's protocol says of the same question."""
    groups: dict[tuple[Place, str], list[Row]] = {}
    for row in sorted(archive.rows(STUDY), key=lambda row: row["place"]):
        place = Place(row["part"], row["network"], row["split"], row.get("fraction", 1.0), row["task"])
        groups.setdefault((place, row["data"]), []).append(row)
    places = [(place, rows) for (place, _), rows in groups.items()]
    for model, split in product(CELLS, (GENERALIZATION, DEPTH_4_OUT)) if groups else ():
        places.append((Place(PROTOCOL, model, split, 1.0, DECODE), select(archive.rows(PAPERS), split=split)))
    return [found for place, rows in places for found in _condition(archive, place, rows)]


# ------------------------------------------------------------------------------------------------ in words


def _named(row: Condition) -> str:
    """`TreeNN, random split, 10 % of the equations (+1.90, 5 of 5 seeds)`."""
    where = f"{MODELS[row.model].title}, {SPLIT_TITLES[row.split]}, {100 * row.fraction:g} % of the equations"
    where += "" if row.part == SHARES else f", {SECTIONS[row.part].partition(':')[0]}"
    return f"{where} ({signed(fmean(row.differences.values()), 2)}, {row.better_in} seeds)"


def verdict(rows: Sequence[Condition]) -> tuple[str, ...]:
    """What the numbers say, in sentences."""
    found = {word: [row for row in rows if row.outcome == word] for word in (HELP, HARM, NO_DIFFERENCE, UNDECIDED)}
    counts = f"Function-evaluation data help under {len(found[HELP])} of {len(rows)} conditions, harm under "
    counts += f"{len(found[HARM])} and make no clear difference under {len(found[NO_DIFFERENCE])}"
    counts += f"; {len(found[UNDECIDED])} have one seed only, which decides nothing." if found[UNDECIDED] else "."
    lists = (f"They {word}: {'; '.join(map(_named, found[word]))}." for word in (HELP, HARM) if found[word])
    return (counts, *lists, *_by_share(rows))


def _by_share(rows: Sequence[Condition]) -> tuple[str, ...]:
    """A sentence on few symbolic equations against many, where both were tried."""
    here = [row for row in rows if row.part == SHARES and row.split == GENERALIZATION]
    few, many = (
        [each for row in here if (row.fraction <= FEW) == small for each in row.differences.values()]
        for small in (True, False)
    )
    if not few or not many:
        return ()
    return (
        f"On the random split the mean difference is {signed(fmean(few), 2)} points with at most "
        f"{100 * FEW:g} % of the symbolic equations, and {signed(fmean(many), 2)} with more.",
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
        f"the paired difference. {' '.join(_by_share(here))}"
    )
    return Drawing(drawn, caption.strip(), data)


def _draw_model(above: Axes, below: Axes, model: str, rows: Sequence[Condition]) -> Iterable[tuple]:
    """With and without data over the share of equations, and the difference below; gives the data."""
    without, trained = LOOKS[model], LOOKS[f"{model}+data"]
    curves = (
        (above, without.name, [row.values(False) for row in rows], without.style),
        (above, trained.name, [row.values(True) for row in rows], trained.style),
        (
            below,
            f"{MODELS[model].title}, difference",
            [row.differences for row in rows],
            {"color": trained.colour, "marker": "o"},
        ),
    )
    for axes, name, values, style in curves:
        points = {100 * row.fraction: averaged(each) for row, each in zip(rows, values, strict=True)}
        draw_means_in_band(axes, points, **style)
        yield from ((name, row.fraction, *in_numbers(each)) for row, each in zip(rows, points.values(), strict=True))
    below.axhline(0, color=Colour.FAINT, linewidth=1)
    above.set_title(MODELS[model].title)
    shares = [100 * row.fraction for row in rows]
    below.set(xscale="log", xlabel="share of the symbolic equations (%)")
    below.set_xticks(shares, [f"{share:g}" for share in shares])
    below.minorticks_off()


def _mean(values: dict[int, float]) -> Cell:
    return Cell(None, summarise(values), None)


# What stands in each column of a condition: a heading, and what makes its cell.
COLUMNS: dict[Column, Callable[[Condition], Cell | str]] = {
    Column("split"): lambda row: SPLIT_TITLES[row.split],
    Column("equations"): lambda row: f"{100 * row.fraction:g} %",
    Column("numeric equations"): lambda row: TASKS[row.task],
    Column("weight"): lambda row: NOTHING if row.task == VERIFY else f"{row.weight:g}",
    Column("twin without data"): lambda row: row.twin,
    Column("without data (%)"): lambda row: _mean(row.values(False)),
    Column("with data (%)"): lambda row: _mean(row.values(True)),
    Column("difference"): lambda row: _mean(row.differences),
    Column("better in seeds"): lambda row: row.better_in,
    Column("outcome"): lambda row: row.size,
    Column("MSE", 3): lambda row: _mean(row.values(True, MSE.name)),
    Column("numeric verified (%)"): lambda row: _mean(row.values(True, "numeric_accuracy")),
    Column("both verified (%)"): lambda row: _mean(row.values(True, "together_accuracy")),
}


@table("table-data-study", TITLE, "data", [STUDY], folded=True)
def data_study_table(archive: Archive) -> Table:
    """A line a condition, a section a part of the study."""
    found, sections = conditions(archive), []
    for part, title in SECTIONS.items():
        here = [row for row in found if row.part == part]
        lines = (
            Line(MODELS[row.model].title, [make(row) for make in COLUMNS.values()], CELLS.index(row.model))
            for row in here
        )
        if here:
            sections.append(section(title.capitalize(), ("network", *COLUMNS), lines))
    notes = (
        *verdict(found),
        "Accuracy on symbolic test equations, mean ± standard deviation over seeds; differences are paired: same seed, "
        "same split, same symbolic equations, same settings (those of the network without data) but for two that dev "
        "chose by the best mean over seeds: the weight of the squared error, and how the twin without data is trained. "
        "With data an epoch has more steps, as numbers are decoded, too; so the twin also gets as many, by smaller "
        "batches or by more epochs. Data help or harm when the 95 % interval of the mean difference (Student's t over "
        "the seeds) does not contain 0. With data the epoch is the one with the best accuracy less MSE on dev, as in "
        "all tables; without, the one with the best accuracy.",
        "With depth 4 unseen all numeric equations are for training and dev; those of dev stand in for those of test "
        "in the last two columns.",
    )
    return Table(sections, notes)
