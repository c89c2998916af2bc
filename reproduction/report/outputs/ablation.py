"""Optimizers against each other: who is best on dev, on every network, at the paper's grid and at tuned rates.

The paper's sentence on Adam is judged by its eight optimizers alone, and only where all of them were compared.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, cycle, product, zip_longest
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...models import MODELS, OPTIMIZERS, PAPER_OPTIMIZERS
from ...rows import Row, by_seed, distinct, select
from ...studies.ablation import GRID, TUNED, TUNING
from ..claims import Cell, averaged, differences, interval, mean_cell
from ..drawing import Colour, Drawing, Look, in_numbers, panels, rounded
from ..formats import NOTHING, Column, Line, Section, Table, mean_text, section
from ..registry import figure, table
from ..results import Archive

STUDY, ADAM, ON_ALL = "ablation", "adam", "Optimizers on all networks"
PARTS = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}
KINDS = {
    (GRID, True): "At the paper's grid",
    (TUNED, True): "At tuned learning rates",
    (TUNED, False): "In large batches",
}
CLAIM = "Most of the networks achieved their best performance using Adam"  # section 4 of the paper
NEAR = "Near the best: the 95 % interval of the paired difference over seeds contains 0."


class Entry(NamedTuple):
    """An optimizer with the settings that did best on dev, and its rows, one a seed."""

    optimizer: str
    learning_rate: float | None
    momentum: float | None
    rows: list[Row]

    def values(self, name: str = "dev_accuracy") -> dict[int, float]:
        return by_seed(self.rows, name)

    @property
    def score(self) -> tuple[bool, float]:
        """One that diverged in any seed is worse than any that did not; means that differ by rounding are tied."""
        return not any("diverged" in row for row in self.rows), round(fmean(self.values().values()), 6)


class Comparison:
    """The optimizers of one network in one part and one size of batch: the paper's with its settings, or our own."""

    def __init__(self, model: str, part: str, rows: list[Row], tried: list[Row]) -> None:
        self.model, self.part, self.rows = model, part, rows
        self.tried = tried  # with which rates were tuned, one seed each
        self.title, self.batch_size = MODELS[model].title, rows[0]["batch_size"]

    @cached_property
    def entries(self) -> list[Entry]:
        """An entry an optimizer, in the paper's order; what was chosen has more seeds than what was only tried."""
        names = ("optimizer", "learning_rate", "momentum")
        keys = (dict(zip(names, key, strict=True)) for key in distinct(self.rows, *names))
        found = [Entry(**key, rows=select(self.rows, **key)) for key in keys]
        own = ([entry for entry in found if entry.optimizer == name] for name in OPTIMIZERS)
        return [max(each, key=lambda entry: (len(entry.rows), entry.score)) for each in own if each]

    @property
    def papers(self) -> dict[str, Entry]:
        """The paper's optimizers from the best to the worst."""
        found = sorted(self.entries, key=lambda entry: entry.score, reverse=True)
        return {entry.optimizer: entry for entry in found if entry.optimizer in PAPER_OPTIMIZERS}

    @property
    def winners(self) -> tuple[str, ...]:
        """The best of the paper's optimizers: one, or those that are tied."""
        best = next(iter(self.papers.values()), None)
        return tuple(name for name, entry in self.papers.items() if best and entry.score == best.score)

    @property
    def adam_is_near(self) -> bool:
        """Whether Adam cannot be told from the best: the 95 % interval of the paired difference contains 0."""
        adam, best = self.papers[ADAM], next(iter(self.papers.values()))
        found = interval(list(differences(best.values(), adam.values()).values()))
        is_near = found is not None and found.low <= 0 <= found.high and adam.score[0] == best.score[0]
        return ADAM in self.winners or is_near

    def rate(self, entry: Entry) -> str:
        """`0.01`, or `10, end` where tuning ended at the highest or the lowest rate that was tried."""
        rates = {row["learning_rate"] for row in select(self.tried, optimizer=entry.optimizer)}
        is_at_end = self.part == TUNED and len(rates) > 1 and entry.learning_rate in (min(rates), max(rates))
        return NOTHING if entry.learning_rate is None else f"{entry.learning_rate:g}{', end' if is_at_end else ''}"


def comparisons(archive: Archive) -> dict[tuple[str, bool], list[Comparison]]:
    """By part, and by whether batches are the paper's, those of all networks, in the paper's order."""
    found: dict[tuple[str, bool], list[Comparison]] = {}
    ordered = sorted(archive.rows(STUDY), key=lambda row: row["place"])
    for (part, is_paper), model in product(KINDS, MODELS):
        here = [row for row in select(ordered, model=model) if ("preset" in row) == is_paper]
        if rows := select(here, part=part):
            each = Comparison(model, part, rows, select(here, part=TUNING))
            found.setdefault((part, is_paper), []).append(each)
    return found


def _counted(found: Sequence[Comparison]) -> str:
    """`for 2 of 6 networks, SGD and NAG tied for 4, best or near the best for 5 (40 epochs)`."""
    counts = Counter(each.winners for each in found)
    lengths = " or ".join(dict.fromkeys(str(each.rows[0]["epochs"]) for each in found))
    others = [
        f"{' and '.join(OPTIMIZERS[name].title for name in names)}{' tied' if len(names) > 1 else ''} for {count}"
        for names, count in counts.most_common()
        if names != (ADAM,)
    ]
    near = f"best or near the best for {sum(each.adam_is_near for each in found)} ({lengths} epochs)"
    return ", ".join([f"for {counts[ADAM,]} of {len(found)} networks", *others, near])


def claim_sentence(archive: Archive) -> str | None:
    """Whether the paper's sentence on Adam holds; None while nothing was tried at the paper's grid."""
    everything = comparisons(archive)
    if (GRID, True) not in everything:
        return None
    whole = {
        KINDS[kind]: [each for each in found if len(each.papers) == len(PAPER_OPTIMIZERS)]
        for kind, found in everything.items()
    }
    if not (grid := whole.pop(KINDS[GRID, True])):
        return f"The paper: “{CLAIM}”. Whether this holds here needs all eight of its optimizers at its grid."
    verdict = "holds" if 2 * sum(each.winners == (ADAM,) for each in grid) > len(grid) else "does not hold"
    first = f"At the paper's grid this {verdict} here: Adam is best on dev {_counted(grid)}."
    others = [f"{where} it is best on dev {_counted(found)}." for where, found in whole.items() if found]
    return " ".join([f"The paper: “{CLAIM}”.", first, *others, NEAR])


# ------------------------------------------------------------------------------------------------ all networks

_COLOURS = (
    Colour.GREY, Colour.BLACK, Colour.ORANGE, Colour.VERMILION, Colour.SKY, Colour.GREEN, Colour.PURPLE, Colour.BLUE,
)  # fmt: skip
_LINES = ("-", "--", "-", "-", "-", "--", ":", "-.", ":", "-.", ":", ":", ":", "-.", "-", "--")
_LOOKS = zip(OPTIMIZERS.items(), cycle(_COLOURS), cycle("ovsD^P>*"), cycle(_LINES), strict=False)
OPTIMIZER_LOOKS = {name: Look(choice.title, *look) for (name, choice), *look in _LOOKS}
NOTES = (
    "Mean ± standard deviation on dev over seeds, the learning rate in brackets; ★ is the best of the paper's "
    "optimizers on the network, or several that are tied. Large batches have the model's own dropout, L2 and averaging "
    "of parameters, small ones the paper's settings.",
    "The grid: learning rate 0.001 or 1e-5, momentum 0.2 or 0.7 where it exists; one seed chose. Tuned: decades, then "
    "half decades around the best, with one seed and few epochs; the best two rates and the best of the grid were "
    "trained to the end, and dev chose. A rate marked “end” is the lowest or the highest that was tried. AdaDelta has "
    "no learning rate; DCASGD on one machine is nearly SGD.",
)


def _legend(drawn: Figure, shown: Collection[str], **changed: str) -> None:
    """The optimizers that are shown, with what is drawn of their looks."""
    styles = (look.style for name, look in OPTIMIZER_LOOKS.items() if name in shown)
    drawn.legend(handles=[Line2D([], [], **style | changed) for style in styles], loc="outside lower center", ncols=8)


@figure("ablation-all", ON_ALL, "optimizers", [STUDY])
def overall_figure(archive: Archive) -> Drawing:
    """Accuracy on dev of every optimizer on every network, a panel a comparison."""
    kinds = comparisons(archive)
    used = {row["optimizer"] for row in archive.rows(STUDY)}
    shown = [name for name in OPTIMIZERS if name in used]
    drawn, axes = panels(len(kinds), 1, width=10.5, height=3.1 * len(kinds), sharey=True, squeeze=False)
    header = ("comparison", "model", "optimizer", "batch_size", "learning_rate", "seeds", "dev_accuracy", "dev_std")
    data: list[tuple] = [header]
    for panel, ((part, is_paper), found) in zip(axes.flat, kinds.items(), strict=True):
        name = f"{part}, {'small' if is_paper else 'large'} batches"
        data += [(name, *row) for row in _overall_panel(panel, found, shown)]
        panel.set_title(name)
    _legend(drawn, shown, linestyle="")
    caption = "Each optimizer with the settings that were best on dev: mean and standard deviation over seeds."
    return Drawing(drawn, caption, data)


def _overall_panel(axes: Axes, found: Sequence[Comparison], optimizers: Sequence[str]) -> Iterator[tuple]:
    """Mean and spread over seeds; optimizers stand beside each other, so that equal values are all seen."""
    shifts = dict(zip(optimizers, np.linspace(-0.36, 0.36, len(optimizers)), strict=True))
    for place, each in enumerate(found):
        axes.axvline(place - 0.5, color=Colour.FAINT, linewidth=0.6)
        for entry in each.entries:
            look, summary = OPTIMIZER_LOOKS[entry.optimizer], averaged(entry.values())
            style: dict[str, Any] = {"color": look.colour, "marker": look.marker, "capsize": 2, "elinewidth": 1}
            axes.errorbar(place + shifts[entry.optimizer], summary.mean, summary.std or 0.0, **style)
            mean, spread, seeds = in_numbers(summary)
            yield each.model, entry.optimizer, each.batch_size, rounded(entry.learning_rate), seeds, mean, spread
    axes.set(xlim=(-0.5, len(found) - 0.5), ylabel="accuracy on dev (%)")
    axes.set_xticks(range(len(found)), [each.title for each in found])
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


@table("table-ablation-all", ON_ALL, "optimizers", [STUDY])
def overall_table(archive: Archive) -> Table:
    """All networks beside each other."""
    sections = [_overall_section(found, is_paper) for (_, is_paper), found in comparisons(archive).items()]
    every = archive.rows(STUDY)
    rows = {MODELS[model].title: select(every, model=model) for (model,) in distinct(every, "model")}
    counts = (f"{name} {sum('diverged' in row for row in each)} of {len(each)}" for name, each in rows.items())
    notes = (claim_sentence(archive), *NOTES, f"Trainings that diverged: {', '.join(counts)}.")
    return Table(sections, [*filter(None, notes)])


def _overall_section(found: Sequence[Comparison], is_paper: bool) -> Section:
    """A line an optimizer, a column a network: mean on dev, the best of each network marked."""
    cells = [{entry.optimizer: _overall_cell(each, entry) for entry in each.entries} for each in found]
    lines = (
        Line(choice.title, [column.get(name, NOTHING) for column in cells], int(name not in PAPER_OPTIMIZERS))
        for name, choice in OPTIMIZERS.items()
        if any(name in column for column in cells)
    )
    headings = (f"{each.title}, {each.batch_size} a batch" for each in found)
    title = f"{PARTS[found[0].part]}, {'small' if is_paper else 'large'} batches: dev (%)"
    return section(title, ("optimizer", *headings), lines)


def _overall_cell(comparison: Comparison, entry: Entry) -> str:
    """`97.12 ± 0.20 (0.01) ★`."""
    rate = "" if entry.learning_rate is None else f" ({comparison.rate(entry)})"
    star = " ★" if entry.optimizer in comparison.winners else ""
    return f"{mean_text(averaged(entry.values()), 2)}{rate}{'' if entry.score[0] else ', diverged'}{star}"


# ------------------------------------------------------------------------------------------------ each network


@figure("ablation-rates", "Optimizers by learning rate", "optimizers", [STUDY])
def rates_figure(archive: Archive) -> Drawing | None:
    """How much each optimizer depends on its learning rate: a panel a network, a line of panels a size of batch."""
    tuned = (found for (part, _), found in comparisons(archive).items() if part == TUNED)
    if not (kinds := [found for each in tuned if (found := [here for here in each if here.tried])]):
        return None
    width = max(map(len, kinds))
    size = {"width": 2.6 + 2.0 * width, "height": 1.2 + 2.6 * len(kinds)}
    drawn, axes = panels(len(kinds), width, **size, sharex=True, sharey=True, squeeze=False)
    for line, found in zip(axes, kinds, strict=True):
        for panel, each in zip_longest(line, found):
            if each is None:
                panel.set_axis_off()
                continue
            _sensitivity(panel, each.tried)
            panel.set_title(f"{each.title}, {each.batch_size} a batch", fontsize=8)
            panel.set(xlabel="learning rate", ylabel="accuracy on dev (%)")
            panel.label_outer()
    _legend(drawn, {row["optimizer"] for found in kinds for each in found for row in each.tried})
    caption = "After the few epochs with which rates were tuned, one seed each; a cross marks a rate that diverged."
    return Drawing(drawn, caption)


def _sensitivity(axes: Axes, tried: Sequence[Row]) -> None:
    """Accuracy on dev over the learning rate, a line an optimizer; a cross where the run diverged."""
    for name, look in OPTIMIZER_LOOKS.items():
        rows = sorted(select(tried, optimizer=name), key=lambda row: row["learning_rate"])
        points = np.array([(row["learning_rate"], row["dev_accuracy"]) for row in rows]).reshape(-1, 2)
        broken = np.array(["diverged" in row for row in rows], dtype=bool)
        axes.plot(*points.T, **look.style, markersize=3, linewidth=1.1, markevery=~broken)
        axes.plot(*points[broken].T, "x", color=look.colour, markersize=5)
    axes.set_xscale("log")


def _in_seeds(entry: Entry, name: str, word: str = "") -> str:
    """The numbers of the seeds that have one: `12, 14`, or `12 (1 of 3 seeds)`."""
    found = entry.values(name).values()
    part = f" ({len(found)} of {len(entry.rows)} seeds)" if len(found) < len(entry.rows) else ""
    return f"{word}{', '.join(map(str, found))}{part}" if found else NOTHING


# What stands in each column of an optimizer: a heading, and what makes its cell.
COLUMNS: dict[Column, Callable[[Comparison, Entry], Cell | str]] = {
    Column("learning rate"): lambda here, entry: here.rate(entry),
    Column("momentum"): lambda here, entry: NOTHING if entry.momentum is None else f"{entry.momentum:g}",
    Column("dev (%)"): lambda here, entry: mean_cell(entry.values()),
    Column("test (%)"): lambda here, entry: mean_cell(entry.values("accuracy")),
    Column("MSE", 3): lambda here, entry: mean_cell(values) if (values := entry.values("mse")) else NOTHING,
    Column("epochs to 90 % dev"): lambda here, entry: _in_seeds(entry, "epochs_to_90"),
    Column("time (s)", 0): lambda here, entry: mean_cell(entry.values("train_seconds")),
    Column("diverged"): lambda here, entry: _in_seeds(entry, "diverged", "epoch "),
}


@table("table-ablation-networks", "Optimizers on each network", "optimizers", [STUDY], folded=True)
def networks_table(archive: Archive) -> Table:
    """Every comparison of every network, with the numbers on test."""
    sections = []
    for each in sorted(chain(*comparisons(archive).values()), key=lambda each: list(MODELS).index(each.model)):
        lines = (
            Line(OPTIMIZERS[entry.optimizer].title, [cell(each, entry) for cell in COLUMNS.values()])
            for entry in each.entries
        )
        title = f"{each.title}: {PARTS[each.part]}, batches of {each.batch_size}"
        sections.append(section(title, ("optimizer", *COLUMNS), lines))
    return Table(sections, NOTES[1:])
