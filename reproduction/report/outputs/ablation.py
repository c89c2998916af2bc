"""Optimizers against each other: who is best on dev, on every network, at the paper's grid and at tuned rates.

The paper's sentence on Adam is judged by its eight optimizers alone, and only where all of them were compared.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import cycle
from statistics import fmean
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS
from ...rows import Row as Training
from ..comparison import Cell, averaged, interval, summarise
from ..drawing import (
    BLACK,
    BLUE,
    FAINT,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    Drawing,
    Look,
    in_numbers,
    panels,
    rounded,
)  # fmt: skip
from ..formats import NOTHING, Column, Row, Section, Table
from ..registry import FIGURE, TABLE, Output, register
from ..results import Archive
from ..views import differences

STUDY = "ablation"
GRID, TUNING, TUNED = "grid", "tuning", "tuned"  # parts of the study that are shown
PARTS = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}
KINDS = ((GRID, True), (TUNED, True), (TUNED, False))  # part, and whether in the paper's batches
CLAIM = "Most of the networks achieved their best performance using Adam"  # section 4 of the paper
ADAM, MILESTONE = "adam", 90
TIE = 1e-6  # points: means that differ by their rounding alone


class Score(NamedTuple):
    """What optimizers are ranked by: one that diverged is worse than any that did not."""

    converged: bool
    dev_accuracy: float


class Entry(NamedTuple):
    """An optimizer with the settings that did best on dev, and its rows, one a seed."""

    optimizer: str
    learning_rate: float | None
    momentum: float | None
    rows: tuple[Training, ...]

    @property
    def dev_accuracies(self) -> dict[int, float]:
        return {row["seed"]: row["dev_accuracy"] for row in self.rows}

    @property
    def score(self) -> Score:
        """Over seeds: whether none diverged, and the mean."""
        return Score(not any(row.get("diverged") for row in self.rows), fmean(self.dev_accuracies.values()))

    @property
    def rank(self) -> tuple[int, Score]:
        """What was chosen has more seeds than what was only tried."""
        return len(self.rows), self.score


class Comparison(NamedTuple):
    """The optimizers of one network in one part and one size of batch."""

    model: str
    part: str
    is_paper: bool  # in the paper's batches and with its settings, or else the network's own
    rows: tuple[Training, ...]
    tried: tuple[Training, ...]  # with which rates were tuned, one seed each

    @property
    def batch_size(self) -> int:
        return self.rows[0]["batch_size"]

    @property
    def title(self) -> str:
        return f"{PARTS[self.part]}, batches of {self.batch_size}"

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entry of every optimizer that was trained with all seeds, in the paper's order."""
        groups: dict[tuple, list[Training]] = {}
        for row in self.rows:
            groups.setdefault((row["optimizer"], row.get("learning_rate"), row.get("momentum")), []).append(row)
        candidates = [Entry(name, rate, momentum, tuple(rows)) for (name, rate, momentum), rows in groups.items()]
        found = ([entry for entry in candidates if entry.optimizer == name] for name in OPTIMIZERS)
        return tuple(max(group, key=lambda entry: entry.rank) for group in found if group)

    @property
    def papers(self) -> tuple[Entry, ...]:
        """The paper's optimizers from the best to the worst."""
        found = (entry for entry in self.entries if entry.optimizer in PAPER_OPTIMIZERS)
        return tuple(sorted(found, key=lambda entry: entry.score, reverse=True))

    @property
    def winners(self) -> tuple[str, ...]:
        """The best of the paper's optimizers: one, or those that are tied."""
        order = self.papers
        return tuple(entry.optimizer for entry in order if are_tied(entry, order[0]))

    @property
    def decides(self) -> bool:
        """Whether all of the paper's optimizers were compared."""
        return len(self.papers) == len(PAPER_OPTIMIZERS)

    @property
    def adam_is_near(self) -> bool:
        """Whether Adam cannot be told from the best: the 95 % interval of the paired difference contains 0."""
        order = self.papers
        adam = next(entry for entry in order if entry.optimizer == ADAM)
        if are_tied(adam, order[0]):
            return True
        found = interval(list(differences(order[0].dev_accuracies, adam.dev_accuracies).values()))
        return adam.score.converged == order[0].score.converged and found is not None and found.low <= 0 <= found.high

    def is_at_end(self, entry: Entry) -> bool:
        """Whether a tuned rate is the lowest or the highest that was tried."""
        rates = {row["learning_rate"] for row in self.tried if row["optimizer"] == entry.optimizer}
        return self.part == TUNED and len(rates) > 1 and entry.learning_rate in (min(rates), max(rates))

    def rate(self, entry: Entry) -> str:
        """`0.01`, or `10, end` where tuning ended at the highest or the lowest rate that was tried."""
        return f"{number(entry.learning_rate)}{', end' if self.is_at_end(entry) else ''}"


def are_tied(entry: Entry, other: Entry) -> bool:
    (converged, accuracy), (other_converged, other_accuracy) = entry.score, other.score
    return converged == other_converged and abs(accuracy - other_accuracy) < TIE


def number(value: float | None) -> str:
    """`0.001`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}"


def comparisons(archive: Archive, *kinds: tuple[str, bool]) -> list[Comparison]:
    """Those of all networks, in the paper's order; of these kinds, or of all."""
    groups: dict[tuple[str, str, bool], list[Training]] = {}
    for row in sorted(archive.rows(STUDY), key=lambda row: row["place"]):
        groups.setdefault((row["model"], row["part"], row.get("preset") is not None), []).append(row)
    return [
        Comparison(model, part, is_paper, tuple(rows), tuple(groups.get((model, TUNING, is_paper), ())))
        for model in MODELS
        for part, is_paper in kinds or KINDS
        if (rows := groups.get((model, part, is_paper)))
    ]


# ------------------------------------------------------------------------------------------------ the claim


def _titles(names: Sequence[str]) -> str:
    """`SGD`, or `SGD, NAG and DCASGD tied`."""
    *first, last = [OPTIMIZERS[name].title for name in names]
    return f"{', '.join(first)} and {last} tied" if first else last


def _epochs(found: Sequence[Comparison]) -> str:
    """`30 epochs`, or `40 epochs (16 with LSTM cells)`."""
    plain, gated = (
        {row["epochs"] for each in found if MODELS[each.model].is_lstm == kind for row in each.rows}
        for kind in (False, True)
    )
    if len(plain) == len(gated) == 1 and plain != gated:
        return f"{min(plain)} epochs ({min(gated)} with LSTM cells)"
    fewest, most = min(plain | gated), max(plain | gated)
    return f"{most} epochs" if fewest == most else f"{fewest} to {most} epochs"


def _counted(found: Sequence[Comparison], networks: str = "") -> str:
    """`for 2 of 6, AdaDelta for 4`."""
    counts = Counter(each.winners for each in found)
    others = "".join(f", {_titles(names)} for {count}" for names, count in counts.most_common() if names != (ADAM,))
    return f"for {counts[ADAM,]} of {len(found)}{networks}{others}"


def _near(found: Sequence[Comparison]) -> int:
    return sum(each.adam_is_near for each in found)


def _networks(found: Sequence[Comparison]) -> str:
    """` networks`, by name where it is not all of them."""
    names = ", ".join(MODELS[each.model].title for each in found)
    return f" {'network' if len(found) == 1 else 'networks'}{'' if len(found) == len(MODELS) else f' ({names})'}"


def claim_sentence(archive: Archive) -> str | None:
    """Whether the paper's sentence on Adam holds; None while Adam was not tried at the paper's grid."""
    of_kind = {kind: [each for each in comparisons(archive, kind) if each.decides] for kind in KINDS}
    tried = comparisons(archive, KINDS[0])
    if not any(entry.optimizer == ADAM for each in tried for entry in each.entries):
        return None
    found = of_kind[KINDS[0]]
    if not found:
        return f"The paper: “{CLAIM}”. Whether this holds here needs all eight of its optimizers at its grid."
    verdict = "holds" if 2 * sum(each.winners == (ADAM,) for each in found) > len(found) else "does not hold"
    text = (
        f"The paper: “{CLAIM}”. At the paper's grid this {verdict} here: Adam is best on dev "
        f"{_counted(found, _networks(found))}, and best or not to be told from the best (the 95 % interval of the "
        f"paired difference over seeds contains 0) for {_near(found)}, after {_epochs(found)}."
    )
    parts: list[str] = []
    for kind in KINDS[1:]:
        if tuned := of_kind[kind]:
            batches = "" if kind[1] else f"in large batches, after {_epochs(tuned)}, "
            parts.append(
                f"{batches}{'' if parts else 'it is best '}{_counted(tuned)}, and best or so near for {_near(tuned)}"
            )
    return f"{text} At tuned learning rates {'; '.join(parts)}." if parts else text


# ------------------------------------------------------------------------------------------------ tables

NOTES = (
    "Mean ± standard deviation on dev over seeds, the learning rate in brackets; ★ is the best of the paper's "
    "optimizers on the network, or several that are tied. Large batches have the model's own dropout, L2 and "
    "averaging of parameters, small ones the paper's settings and none.",
    "The grid: learning rate 0.001 or 1e-5, momentum 0.2 or 0.7 where it exists; one seed chose. Tuned: decades, then "
    "half decades around the best, with one seed and few epochs; the best two rates and the best of the grid were "
    "trained to the end, and dev chose. Test chose nothing. AdaDelta has no learning rate. A rate marked “end” is the "
    "lowest or the highest that was tried: a better one may lie beyond it.",
    "DCASGD is SGD that makes up for gradients that come late from other machines; on one machine it is nearly SGD.",
)


def _diverged(archive: Archive) -> str:
    counts: dict[str, list[bool]] = {}
    for row in archive.rows(STUDY):
        counts.setdefault(MODELS[row["model"]].title, []).append(bool(row.get("diverged")))
    return f"Diverged: {', '.join(f'{name} {sum(each)} of {len(each)} trainings' for name, each in counts.items())}."


def _overall_cell(comparison: Comparison, entry: Entry) -> str:
    summary = averaged(entry.dev_accuracies)
    spread = "" if summary.std is None else f" ± {summary.std:.2f}"
    rate = "" if entry.learning_rate is None else f" ({comparison.rate(entry)})"
    star = " ★" if entry.optimizer in comparison.winners else ""
    return f"{summary.mean:.2f}{spread}{rate}{'' if entry.score.converged else ', diverged'}{star}"


def _overall_section(found: Sequence[Comparison]) -> Section:
    """A row an optimizer, a column a network: mean on dev, the best of each network marked."""
    cells = [{entry.optimizer: _overall_cell(each, entry) for entry in each.entries} for each in found]
    columns = [Column(f"{MODELS[each.model].title}, {each.batch_size} a batch") for each in found]
    rows = [
        Row(choice.title, tuple(column.get(name, NOTHING) for column in cells), int(name not in PAPER_OPTIMIZERS))
        for name, choice in OPTIMIZERS.items()
        if any(name in column for column in cells)
    ]
    batches = "small batches" if found[0].is_paper else "large batches"
    return Section(f"{PARTS[found[0].part]}, {batches}: dev (%)", (Column("optimizer"), *columns), tuple(rows))


def overall_table(archive: Archive) -> Table:
    """All networks beside each other."""
    kinds = (comparisons(archive, kind) for kind in KINDS)
    notes = (claim_sentence(archive), *NOTES, _diverged(archive))
    sections = tuple(_overall_section(found) for found in kinds if found)
    return Table("table-ablation-all", "Optimizers on all networks", sections, tuple(filter(None, notes)))


def _mean(entry: Entry, name: str) -> Cell | str:
    values = {row["seed"]: row[name] for row in entry.rows if row.get(name) is not None}
    return Cell(None, summarise(values), None) if values else NOTHING


def _in_seeds(entry: Entry, name: str, word: str = "") -> str:
    """The numbers of the seeds that have one: `12, 14`, or `12 (1 of 3 seeds)`."""
    numbers = [str(row[name]) for row in sorted(entry.rows, key=lambda row: row["seed"]) if row.get(name) is not None]
    if not numbers:
        return NOTHING
    part = f" ({len(numbers)} of {len(entry.rows)} seeds)" if len(numbers) < len(entry.rows) else ""
    return f"{word}{', '.join(numbers)}{part}"


# What stands in each column behind the optimizer and its rate: a heading, and what makes its cell.
COLUMNS: tuple[tuple[Column, Callable[[Entry], Cell | str]], ...] = (
    (Column("momentum"), lambda entry: number(entry.momentum)),
    (Column("dev (%)"), partial(_mean, name="dev_accuracy")),
    (Column("test (%)"), partial(_mean, name="accuracy")),
    (Column("MSE", 3), partial(_mean, name="mse")),
    (Column(f"epochs to {MILESTONE} % dev"), partial(_in_seeds, name="epochs_to_90")),
    (Column("time (s)", 0), partial(_mean, name="train_seconds")),
    (Column("diverged"), partial(_in_seeds, name="diverged", word="epoch ")),
)


def networks_table(archive: Archive) -> Table:
    """Every comparison of every network, with the numbers on test."""
    sections = []
    for each in comparisons(archive):
        rows = (
            Row(OPTIMIZERS[entry.optimizer].title, (each.rate(entry), *(make(entry) for _, make in COLUMNS)))
            for entry in each.entries
        )
        columns = (Column("optimizer"), Column("learning rate"), *(column for column, _ in COLUMNS))
        sections.append(Section(f"{MODELS[each.model].title}: {each.title}", columns, tuple(rows)))
    return Table("table-ablation-networks", "Optimizers on each network", tuple(sections), NOTES[1:])


# ------------------------------------------------------------------------------------------------ figures

# Colour, marker and line of the optimizers in their order; more of them begin again with other lines.
_LOOKS = zip(
    cycle((GREY, BLACK, ORANGE, VERMILION, SKY, GREEN, PURPLE, BLUE)),
    cycle(("o", "v", "s", "D", "^", "P", ">", "*")),
    cycle(("-", "--", "-", "-", "-", "--", ":", "-.", ":", "-.", ":", ":", ":", "-.", "-", "--")),
    strict=False,
)
OPTIMIZER_LOOKS = {
    name: Look(choice.title, *look) for (name, choice), look in zip(OPTIMIZERS.items(), _LOOKS, strict=False)
}


def _legend(figure: Figure, shown: Collection[str], **changed: str) -> None:
    """The optimizers that are shown, with what is drawn of their looks."""
    styles = (OPTIMIZER_LOOKS[name].style for name in OPTIMIZERS if name in shown)
    figure.legend(handles=[Line2D([], [], **style | changed) for style in styles], loc="outside lower center", ncols=8)


def _names(found: Iterable[Comparison]) -> set[str]:
    return {entry.optimizer for each in found for entry in each.entries}


def _overall_panel(axes: Axes, found: Sequence[Comparison], optimizers: Sequence[str]) -> Iterator[tuple]:
    """Mean and spread over seeds; optimizers stand beside each other, so that equal values are all seen."""
    shifts = dict(zip(optimizers, np.linspace(-0.36, 0.36, len(optimizers)), strict=True))
    for place, each in enumerate(found):
        axes.axvline(place - 0.5, color=FAINT, linewidth=0.6)
        for entry in each.entries:
            look, summary = OPTIMIZER_LOOKS[entry.optimizer], averaged(entry.dev_accuracies)
            where = place + shifts[entry.optimizer]
            axes.errorbar(
                where, summary.mean, summary.std or 0.0, color=look.colour, marker=look.marker, capsize=2, elinewidth=1
            )
            mean, spread, seeds = in_numbers(summary)
            about = (each.model, entry.optimizer, each.batch_size, rounded(entry.learning_rate))
            yield (*about, seeds, mean, spread)
    axes.set_xlim(-0.5, len(found) - 0.5)
    axes.set_xticks(range(len(found)), [MODELS[each.model].title for each in found])
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("accuracy on dev (%)")


def overall_figure(archive: Archive) -> Drawing:
    """Accuracy on dev of every optimizer on every network, a panel a comparison."""
    kinds = {kind: found for kind in KINDS if (found := comparisons(archive, kind))}
    everything = [each for found in kinds.values() for each in found]
    shown = _names(everything)
    figure, axes = panels(len(kinds), 1, width=10.5, height=3.1 * len(kinds), sharey=True, squeeze=False)
    data: list[tuple] = [
        ("comparison", "model", "optimizer", "batch_size", "learning_rate", "seeds", "dev_accuracy", "dev_std")
    ]
    for panel, ((part, is_paper), found) in zip(axes[:, 0], kinds.items(), strict=True):
        name = f"{part}, {'small' if is_paper else 'large'} batches"
        rows = _overall_panel(panel, found, [optimizer for optimizer in OPTIMIZERS if optimizer in shown])
        data += [(name, *row) for row in rows]
        panel.set_title(name)
    _legend(figure, shown, linestyle="")
    caption = "Each optimizer with the settings that were best on dev: mean and standard deviation over seeds."
    return Drawing(figure, caption, data)


def _sensitivity(axes: Axes, tried: Sequence[Training]) -> None:
    """Accuracy on dev over the learning rate, a line an optimizer; a cross where the run diverged."""
    fewest = min(row["epochs"] for row in tried)
    for name, look in OPTIMIZER_LOOKS.items():
        rows = [row for row in tried if row["optimizer"] == name and row["epochs"] == fewest]
        rows.sort(key=lambda row: row["learning_rate"])
        rates, accuracies = [row["learning_rate"] for row in rows], [row["dev_accuracy"] for row in rows]
        whole = [place for place, row in enumerate(rows) if not row.get("diverged")]
        axes.plot(rates, accuracies, **{**look.style, "markersize": 3, "linewidth": 1.1, "markevery": whole})
        broken = [(row["learning_rate"], row["dev_accuracy"]) for row in rows if row.get("diverged")]
        axes.plot(*zip(*broken, strict=True) if broken else ([], []), "x", color=look.colour, markersize=5)
    axes.set_xscale("log")


def rates_figure(archive: Archive) -> Drawing | None:
    """How much each optimizer depends on its learning rate: a panel a network, a line of panels a size of batch."""
    kinds = [[each for each in comparisons(archive, kind) if each.tried] for kind in KINDS[1:]]
    kinds = [found for found in kinds if found]
    if not kinds:
        return None
    width = max(map(len, kinds))
    size = {"width": 2.6 + 2.0 * width, "height": 1.2 + 2.6 * len(kinds)}
    figure, axes = panels(len(kinds), width, **size, sharex=True, sharey=True, squeeze=False)
    for line, found in zip(axes, kinds, strict=True):
        for panel, each in zip(line, found, strict=False):
            _sensitivity(panel, each.tried)
            panel.set_title(f"{MODELS[each.model].title}, {each.batch_size} a batch", fontsize=8)
        for panel in line[len(found) :]:
            panel.set_axis_off()
        line[0].set_ylabel("accuracy on dev (%)")
    for panel in axes[-1]:
        panel.set_xlabel("learning rate")
    _legend(figure, {row["optimizer"] for found in kinds for each in found for row in each.tried})
    caption = "After the few epochs with which rates were tuned, one seed each; a cross marks a rate that diverged."
    return Drawing(figure, caption)


register(
    Output("ablation-all", "Optimizers on all networks", FIGURE, overall_figure, (STUDY,), "optimizers"),
    Output("table-ablation-all", "Optimizers on all networks", TABLE, overall_table, (STUDY,), "optimizers"),
    Output("ablation-rates", "Optimizers by learning rate", FIGURE, rates_figure, (STUDY,), "optimizers"),
    Output(
        "table-ablation-networks", "Optimizers on each network", TABLE, networks_table, (STUDY,), "optimizers", True
    ),
)
