"""Whether function-evaluation data help, as a table, a verdict in words and a figure; made from the summary alone."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from matplotlib.axes import Axes

from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...models import MODELS
from ...sweeps.data_study import CELLS, PARTS, SAME, SHARES
from ...training.configuration import BOTH, DECODE, VERIFY
from ..comparison import Cell, Summary, interval, summarise
from ..protocol import PROTOCOL
from ..tables.formats import NOTHING, Column, Row, Section, Table, signed
from .drawing import FAINT, LOOKS, Drawing, draw_band, in_numbers, legend_below, panels

TITLE = "Does function-evaluation data help?"
HELP, HARM, NO_DIFFERENCE, UNDECIDED = "help", "harm", "no clear difference", "one seed"
SECTIONS = {**PARTS, PROTOCOL: "the paper's protocol: one equation at a time"}
FEW = 0.1  # of the symbolic equations
TASKS = {DECODE: "decoded", VERIFY: "verified", BOTH: "decoded and verified"}


def differences(row: dict) -> dict[int, float]:
    """By seed, how many points the network with data is better."""
    return dict(zip(row["seeds"], (after - before for before, after in _pairs(row)), strict=True))


def _pairs(row: dict) -> Iterable[tuple[float, float]]:
    return zip(row["without"], row["with"], strict=True)


def _wins(row: dict) -> int:
    return sum(difference > 0 for difference in differences(row).values())


def outcome(row: dict) -> str:
    """What the data do under a condition: something, if the 95 % interval of the mean difference does not contain 0."""
    found = interval(list(differences(row).values()))
    if found is None:
        return UNDECIDED
    return HELP if found.low > 0 else HARM if found.high < 0 else NO_DIFFERENCE


def _over_seeds(row: dict, values: Sequence[float | None]) -> Summary | None:
    by_seed = dict(zip(row["seeds"], values, strict=True))
    return summarise({seed: value for seed, value in by_seed.items() if value is not None})


def _share(row: dict) -> str:
    return f"{100 * row['fraction']:g} %"


def _seeds(row: dict) -> str:
    return f"{_wins(row)} of {len(row['seeds'])}"


# What stands in each column of a condition: a heading, and what makes its cell.
COLUMNS = (
    (Column("network"), None),
    (Column("split"), lambda row: SPLIT_TITLES[row["split"]]),
    (Column("equations"), _share),
    (Column("numeric equations"), lambda row: TASKS[row["numeric_task"]]),
    (Column("weight"), lambda row: NOTHING if row["numeric_task"] == VERIFY else f"{row['weight']:g}"),
    (Column("twin without data"), lambda row: row.get("twin", SAME)),
    (Column("without data (%)"), lambda row: Cell(None, _over_seeds(row, row["without"]), None)),
    (Column("with data (%)"), lambda row: Cell(None, _over_seeds(row, row["with"]), None)),
    (Column("difference"), lambda row: Cell(None, summarise(differences(row)), None)),
    (Column("better in seeds"), _seeds),
    (Column("outcome"), outcome),
    (Column("MSE", 3), lambda row: Cell(None, _over_seeds(row, row["mse"]), None)),
    (Column("numeric verified (%)"), lambda row: Cell(None, _over_seeds(row, row["numeric_accuracy"]), None)),
    (Column("both verified (%)"), lambda row: Cell(None, _over_seeds(row, row["together_accuracy"]), None)),
)


def _section(content: dict, part: str) -> Section:
    rows = (
        Row(MODELS[row["model"]].title, tuple(make(row) for _, make in COLUMNS[1:]), CELLS.index(row["model"]))
        for row in content["rows"]
        if row["part"] == part
    )
    return Section(SECTIONS[part].capitalize(), tuple(column for column, _ in COLUMNS), tuple(rows))


def _named(row: dict) -> str:
    """`TreeNN, random split, 10 % of the equations (+1.90, 5 of 5 seeds)`."""
    where = f"{MODELS[row['model']].title}, {SPLIT_TITLES[row['split']]}, {_share(row)} of the equations"
    where += "" if row["part"] == SHARES else f", {SECTIONS[row['part']].partition(':')[0]}"
    return f"{where} ({signed(fmean(differences(row).values()), 2)}, {_seeds(row)} seeds)"


def verdict(content: dict) -> tuple[str, ...]:
    """What the numbers say, in sentences."""
    rows = content["rows"]
    found = {word: [row for row in rows if outcome(row) == word] for word in (HELP, HARM, NO_DIFFERENCE, UNDECIDED)}
    counts = f"Function-evaluation data help under {len(found[HELP])} of {len(rows)} conditions, harm under "
    counts += f"{len(found[HARM])} and make no clear difference under {len(found[NO_DIFFERENCE])}"
    counts += f"; {len(found[UNDECIDED])} have one seed only, which decides nothing." if found[UNDECIDED] else "."
    lists = [
        f"They {word}: {'; '.join(map(_named, found[word]))}." for word in (HELP, HARM) if found[word]
    ]  # fmt: skip
    return (counts, *lists, *_by_share(rows))


def _by_share(rows: Sequence[dict]) -> tuple[str, ...]:
    """A sentence on few symbolic equations against many, where both were tried."""
    here = [row for row in rows if row["part"] == SHARES and row["split"] == GENERALIZATION]
    few, many = (
        [each for row in here if (row["fraction"] <= FEW) == small for each in differences(row).values()]
        for small in (True, False)
    )
    if not few or not many:
        return ()
    return (
        f"On the random split the mean difference is {signed(fmean(few), 2)} points with at most "
        f"{100 * FEW:g} % of the symbolic equations, and {signed(fmean(many), 2)} with more.",
    )


def data_study_table(content: dict) -> Table:
    notes = (
        *verdict(content),
        "Accuracy on symbolic test equations, mean ± standard deviation over seeds; differences are paired: same seed, "
        "same split, same symbolic equations, same settings (those of the network without data) but for two that dev "
        "chose by the best mean over seeds: the weight of the squared error, and how the twin without data is trained. "
        "With data an epoch has more steps, as numbers are decoded, too; so the twin also gets as many, by smaller batches "
        "or by more epochs. Data help or harm when the 95 % interval of the mean difference (Student's t over the seeds) does "
        "not contain 0. With data the epoch is the one with the best accuracy less MSE on "
        "dev, as in all tables; without, the one with the best accuracy.",
        "With depth 4 unseen all numeric equations are for training and dev; those of dev stand in for those of test "
        "in the last two columns.",
    )
    parts = [part for part in SECTIONS if any(row["part"] == part for row in content["rows"])]
    return Table("table-data-study", TITLE, tuple(_section(content, part) for part in parts), notes)


def _draw_line(axes: Axes, points: dict[float, Summary], colour: str, **options) -> None:
    """A line through means in a band of one standard deviation, over shares in per cent."""
    places, means = [100 * share for share in points], [each.mean for each in points.values()]
    axes.plot(places, means, color=colour, **options)
    low, high = ([each.mean + sign * (each.std or 0) for each in points.values()] for sign in (-1, 1))
    draw_band(axes, places, low, high, colour, 0.18)


def _draw_model(above: Axes, below: Axes, model: str, rows: Sequence[dict]) -> list[tuple]:
    """With and without data over the share of equations, and the difference below; returns the data."""
    data = []
    for name, key in ((model, "without"), (f"{model}+data", "with")):
        look = LOOKS[name]
        points = {row["fraction"]: _over_seeds(row, row[key]) for row in rows}
        _draw_line(above, points, look.colour, marker=look.marker, linestyle=look.line, label=look.name)
        data += [(look.name, share, *in_numbers(each)) for share, each in points.items()]
    effects = {row["fraction"]: summarise(differences(row)) for row in rows}
    _draw_line(below, effects, LOOKS[f"{model}+data"].colour, marker="o")
    below.axhline(0, color=FAINT, linewidth=1)
    above.set_title(MODELS[model].title)
    shares = [100 * share for share in effects]
    below.set(xscale="log", xlabel="share of the symbolic equations (%)")
    below.set_xticks(shares, [f"{share:g}" for share in shares])
    below.minorticks_off()
    return data + [(f"{MODELS[model].title}, difference", share, *in_numbers(each)) for share, each in effects.items()]


def data_study_figure(content: dict) -> Drawing | None:
    """Accuracy over the share of symbolic equations on the random split, with and without data."""
    here = [row for row in content["rows"] if row["part"] == SHARES and row["split"] == GENERALIZATION]
    by_model = {model: [row for row in here if row["model"] == model] for model in reversed(CELLS)}
    by_model = {model: sorted(rows, key=lambda row: row["fraction"]) for model, rows in by_model.items() if rows}
    if not by_model:
        return None
    figure, axes = panels(
        2, len(by_model), width=1 + 4 * len(by_model), height=5.6, sharex=True, sharey="row", squeeze=False,
        height_ratios=(2, 1),
    )  # fmt: skip
    data = [("curve", "share_of_equations", "mean", "std", "seeds")]
    for (model, rows), above, below in zip(by_model.items(), *axes, strict=True):
        data += _draw_model(above, below, model, rows)
    axes[0][0].set_ylabel("accuracy on test (%)")
    axes[1][0].set_ylabel("with − without (points)")
    handles = [handle for panel in axes[0] for handle in panel.get_legend_handles_labels()[0]]
    legend_below(figure, axes[1][0], 4, *handles)
    caption = (
        "Random split, all function evaluations kept; mean over seeds in a band of one standard deviation, below it the "
        f"paired difference. {' '.join(_by_share(here))}"
    )
    return Drawing(figure, caption.strip(), data)
