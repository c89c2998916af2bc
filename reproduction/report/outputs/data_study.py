"""Whether function-evaluation data help, as a table, a verdict in words and a figure."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from matplotlib.axes import Axes

from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ...measures import ACCURACY, MSE
from ...models import MODELS
from ...rows import Row as Training
from ...rows import select
from ...studies.effect import PARTS, SAME, SHARES
from ...training.configuration import BOTH, DECODE, VERIFY, make_configuration
from ..claims import paper_value
from ..comparison import Cell, Interval, Summary, averaged, interval, summarise
from ..drawing import FAINT, LOOKS, Drawing, draw_band, in_numbers, legend_below, panels
from ..formats import NOTHING, Column, Row, Section, Table, signed
from ..registry import FIGURE, TABLE, Output, register
from ..results import PAPERS, Archive
from ..views import differences, seeds_of

STUDY, PROTOCOL = "data-study", "protocol"
CELLS = ("tree-lstm", "tree-nn")
TITLE = "Does function-evaluation data help?"
HELP, HARM, NO_DIFFERENCE, UNDECIDED = "help", "harm", "no clear difference", "one seed"
SECTIONS = {**PARTS, PROTOCOL: "the paper's protocol: one equation at a time"}
FEW = 0.1  # of the symbolic equations
TASKS = {DECODE: "decoded", VERIFY: "verified", BOTH: "decoded and verified"}


class Place(NamedTuple):
    """What rows of a condition have in common."""

    part: str
    model: str  # the one without data
    split: str
    fraction: float  # of the symbolic equations
    task: str


class Condition(NamedTuple):
    """Rows of a network without data and with them, otherwise alike; dev chose how each is trained."""

    part: str
    model: str  # the one without data
    split: str
    fraction: float  # of the symbolic equations
    task: str
    without: tuple[Training, ...]
    trained: tuple[Training, ...]  # with data
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
    def interval(self) -> Interval | None:
        return interval(list(self.differences.values()))

    @property
    def outcome(self) -> str:
        """What the data do: something, if the 95 % interval of the mean difference does not contain 0."""
        found = self.interval
        if found is None:
            return UNDECIDED
        return HELP if found.low > 0 else HARM if found.high < 0 else NO_DIFFERENCE

    @property
    def size(self) -> str:
        """The outcome, and whether the paper's difference is excluded."""
        found = self.interval
        if self.paper is None or found is None or found.high >= self.paper:
            return self.outcome
        return f"{self.outcome}, the paper's {signed(self.paper, 2)} is excluded"


def chosen_on_dev(rows: Iterable[Training]) -> tuple[Training, ...]:
    """The rows of the way with the best mean on dev over the seeds that all ways have; of equal ways the first."""
    ways: dict[str, list[Training]] = {}
    for row in rows:
        ways.setdefault(row.get("way", SAME), []).append(row)
    by_seed = [{row["seed"] for row in each if "seed" in row} for each in ways.values()]
    common = set.intersection(*filter(None, by_seed)) if any(by_seed) else set()

    def mean(way: str) -> float:
        stated = [row["mean_dev_accuracy"] for row in ways[way] if "mean_dev_accuracy" in row]
        return stated[0] if stated else fmean(row["dev_accuracy"] for row in ways[way] if row["seed"] in common)

    best = max(sorted(ways, key=lambda way: (way != SAME, way)), key=mean) if common else None
    return tuple(row for row in ways.get(best or "", ()) if row.get("seed") in common)


def _condition(archive: Archive, place: Place, rows: Sequence[Training]) -> Condition | None:
    """The condition of some rows; None while a side has no seed in common with the other."""
    without, trained = (chosen_on_dev(select(rows, model=name)) for name in (place.model, f"{place.model}+data"))
    both = {row["seed"] for row in without} & {row["seed"] for row in trained}
    sides = [tuple(row for row in side if row["seed"] in both) for side in (without, trained)]
    return Condition(*place, sides[0], sides[1], _papers(archive, place)) if both else None


def conditions(archive: Archive) -> list[Condition]:
    """Every condition of the study in its order, and what the paper's protocol says of the same question."""
    groups: dict[tuple[Place, str], list[Training]] = {}
    for row in sorted(archive.rows(STUDY), key=lambda row: row["place"]):
        place = Place(row["part"], row["network"], row["split"], row.get("fraction", 1.0), row["task"])
        groups.setdefault((place, row["data"]), []).append(row)
    found = [_condition(archive, place, rows) for (place, _), rows in groups.items()]
    at_protocol = archive.rows(PAPERS) if groups else ()
    for model in CELLS:
        for split in (GENERALIZATION, DEPTH_4_OUT):
            place = Place(PROTOCOL, model, split, 1.0, DECODE)
            found.append(_condition(archive, place, select(at_protocol, split=split)))
    return [each for each in found if each]


def _papers(archive: Archive, place: Place) -> float | None:
    """The paper's difference, for the whole training set."""
    below, above = (paper_value(archive, name, place.split, ACCURACY) for name in (place.model, f"{place.model}+data"))
    return above - below if place.fraction == 1 and above is not None and below is not None else None


def _share(row: Condition) -> str:
    return f"{100 * row.fraction:g} %"


def _seeds(row: Condition) -> str:
    return f"{sum(each > 0 for each in row.differences.values())} of {len(row.differences)}"


def _cell(values: dict[int, float]) -> Cell:
    return Cell(None, summarise(values), None)


# What stands in each column of a condition: a heading, and what makes its cell.
COLUMNS = (
    (Column("split"), lambda row: SPLIT_TITLES[row.split]),
    (Column("equations"), _share),
    (Column("numeric equations"), lambda row: TASKS[row.task]),
    (Column("weight"), lambda row: NOTHING if row.task == VERIFY else f"{row.weight:g}"),
    (Column("twin without data"), lambda row: row.twin),
    (Column("without data (%)"), lambda row: _cell(row.values(False))),
    (Column("with data (%)"), lambda row: _cell(row.values(True))),
    (Column("difference"), lambda row: _cell(row.differences)),
    (Column("better in seeds"), _seeds),
    (Column("outcome"), lambda row: row.size),
    (Column("MSE", 3), lambda row: _cell(row.values(True, MSE.name))),
    (Column("numeric verified (%)"), lambda row: _cell(row.values(True, "numeric_accuracy"))),
    (Column("both verified (%)"), lambda row: _cell(row.values(True, "together_accuracy"))),
)


def _section(found: Sequence[Condition], part: str) -> Section:
    rows = (
        Row(MODELS[row.model].title, tuple(make(row) for _, make in COLUMNS), CELLS.index(row.model))
        for row in found
        if row.part == part
    )
    return Section(SECTIONS[part].capitalize(), (Column("network"), *(column for column, _ in COLUMNS)), tuple(rows))


def _named(row: Condition) -> str:
    """`TreeNN, random split, 10 % of the equations (+1.90, 5 of 5 seeds)`."""
    where = f"{MODELS[row.model].title}, {SPLIT_TITLES[row.split]}, {_share(row)} of the equations"
    where += "" if row.part == SHARES else f", {SECTIONS[row.part].partition(':')[0]}"
    return f"{where} ({signed(fmean(row.differences.values()), 2)}, {_seeds(row)} seeds)"


def verdict(rows: Sequence[Condition]) -> tuple[str, ...]:
    """What the numbers say, in sentences."""
    found = {word: [row for row in rows if row.outcome == word] for word in (HELP, HARM, NO_DIFFERENCE, UNDECIDED)}
    counts = f"Function-evaluation data help under {len(found[HELP])} of {len(rows)} conditions, harm under "
    counts += f"{len(found[HARM])} and make no clear difference under {len(found[NO_DIFFERENCE])}"
    counts += f"; {len(found[UNDECIDED])} have one seed only, which decides nothing." if found[UNDECIDED] else "."
    lists = [
        f"They {word}: {'; '.join(map(_named, found[word]))}." for word in (HELP, HARM) if found[word]
    ]  # fmt: skip
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


def data_study_table(archive: Archive) -> Table:
    found = conditions(archive)
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
    parts = [part for part in SECTIONS if any(row.part == part for row in found)]
    return Table("table-data-study", TITLE, tuple(_section(found, part) for part in parts), notes)


def _draw_line(axes: Axes, points: dict[float, Summary], colour: str, **options) -> None:
    """A line through means in a band of one standard deviation, over shares in per cent."""
    places, means = [100 * share for share in points], [each.mean for each in points.values()]
    axes.plot(places, means, color=colour, **options)
    low, high = ([each.mean + sign * (each.std or 0) for each in points.values()] for sign in (-1, 1))
    draw_band(axes, places, low, high, colour, 0.18)


def _draw_model(above: Axes, below: Axes, model: str, rows: Sequence[Condition]) -> list[tuple]:
    """With and without data over the share of equations, and the difference below; returns the data."""
    data = []
    for name, has_data in ((model, False), (f"{model}+data", True)):
        look = LOOKS[name]
        points = {row.fraction: averaged(row.values(has_data)) for row in rows}
        _draw_line(above, points, look.colour, marker=look.marker, linestyle=look.line, label=look.name)
        data += [(look.name, share, *in_numbers(each)) for share, each in points.items()]
    effects = {row.fraction: averaged(row.differences) for row in rows}
    _draw_line(below, effects, LOOKS[f"{model}+data"].colour, marker="o")
    below.axhline(0, color=FAINT, linewidth=1)
    above.set_title(MODELS[model].title)
    shares = [100 * share for share in effects]
    below.set(xscale="log", xlabel="share of the symbolic equations (%)")
    below.set_xticks(shares, [f"{share:g}" for share in shares])
    below.minorticks_off()
    return data + [(f"{MODELS[model].title}, difference", share, *in_numbers(each)) for share, each in effects.items()]


def data_study_figure(archive: Archive) -> Drawing | None:
    """Accuracy over the share of symbolic equations on the random split, with and without data."""
    here = [row for row in conditions(archive) if row.part == SHARES and row.split == GENERALIZATION]
    by_model = {model: [row for row in here if row.model == model] for model in reversed(CELLS)}
    by_model = {model: sorted(rows, key=lambda row: row.fraction) for model, rows in by_model.items() if rows}
    if not by_model:
        return None
    figure, axes = panels(
        2, len(by_model), width=1 + 4 * len(by_model), height=5.6, sharex=True, sharey="row", squeeze=False,
        height_ratios=(2, 1),
    )  # fmt: skip
    data: list[tuple] = [("curve", "share_of_equations", "mean", "std", "seeds")]
    for (model, rows), above, below in zip(by_model.items(), *axes, strict=True):
        data += _draw_model(above, below, model, rows)
    axes[0][0].set_ylabel("accuracy on test (%)")
    axes[1][0].set_ylabel("with − without (points)")
    handles = [handle for panel in axes[0] for handle in panel.get_legend_handles_labels()[0]]
    legend_below(figure, axes[1][0], 4, *handles)
    caption = (
        "Random split, all function evaluations kept; mean over seeds in a band of one standard deviation, below it "
        f"the paired difference. {' '.join(_by_share(here))}"
    )
    return Drawing(figure, caption.strip(), data)


register(
    Output("data-study", TITLE, FIGURE, data_study_figure, (STUDY,), "data"),
    Output("table-data-study", TITLE, TABLE, data_study_table, (STUDY,), "data", folded=True),
)
