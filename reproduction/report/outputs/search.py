"""The search of the paper's space: the best configurations, what they are compared with, what each setting does."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...rows import Row as Training
from ...studies.search_space import PAPER_SPACE
from ...training.configuration import Configuration, make_configuration
from ..drawing import BLUE, FAINT, INK, ORANGE, VERMILION, Drawing, legend_below, panels, rounded
from ..formats import NOTHING, Column, Row, Section, Table
from ..registry import FIGURE, TABLE, Output, register
from ..results import SETTINGS, Archive

STUDY, COMPARED = "search", "compared"
PAPERS_BEST, OUR_DEFAULTS = "the paper's best", "our defaults"
BEST_OF_ALL, BEST_TRIED = "best of the space", "best of those tried"
NAMES = {"l2": "L2", "hidden": "hidden units"}
SHOWN, NOISE = 10, 0.3  # of the best configurations; a rank correlation below it
OVERALL_PLACE = "figures/table-search-all.md"
SCORES = ("epochs", "dev (%)", "test (%)", "MSE", "diverged")
DEEPEST = -30  # points: the darkest colour
COLOURS = colormaps["Reds_r"]

Settings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Search:
    """The trainings of one network: rung by rung, and what the best is compared with."""

    model: str
    trials: tuple[Training, ...]
    compared: tuple[Training, ...]

    @property
    def title(self) -> str:
        return MODELS[self.model].title

    @cached_property
    def space(self) -> dict[str, list]:
        """The values of every setting that is varied; None where some configuration has none."""
        names = dict.fromkeys(name for row in self.trials for name in row if name in SETTINGS)
        values = {name: list(dict.fromkeys(row.get(name) for row in self.trials)) for name in names}
        fixed = ("model", "split", "seed", "epochs", "numeric_weight")
        return {name: found for name, found in values.items() if len(found) > 1 and name not in fixed}

    @cached_property
    def is_papers_space(self) -> bool:
        """Whether the paper's space was searched, of which the paper's best settings are a point."""
        papers = {name: set(values) for name, values in PAPER_SPACE.as_row().items()}
        return {name: set(values) - {None} for name, values in self.space.items()} == papers

    @property
    def in_space(self) -> int:
        return self.trials[0].get("in_space", 0)

    @cached_property
    def _by_rung(self) -> list[dict[Settings, Training]]:
        found: list[dict[Settings, Training]] = [{} for _ in range(1 + max(row["rung"] for row in self.trials))]
        for row in self.trials:
            found[row["rung"]][self.settings(row)] = row
        return found

    def rung(self, place: int) -> dict[Settings, Training]:
        """The trainings of a rung, by their configurations."""
        return self._by_rung[place]

    def settings(self, row: Training) -> Settings:
        return tuple((name, row.get(name)) for name in self.space)

    @cached_property
    def rungs(self) -> list[tuple[int, int]]:
        """How many configurations were trained for how many epochs each."""
        return [(len(found), next(iter(found.values()))["epochs"]) for found in self._by_rung]

    @property
    def is_whole(self) -> bool:
        """Whether every configuration of the space was tried."""
        return self.rungs[0][0] == self.in_space

    @property
    def longest(self) -> list[Training]:
        """The trainings of the last rung, and the paper's best settings where they are a point of the space."""
        papers = [row for row in self.compared if self.is_papers_space and row["way"] == PAPERS_BEST]
        return [*self.rung(len(self.rungs) - 1).values(), *papers]

    @property
    def best(self) -> Training:
        """The best on dev of all that was trained longest; of equal ones the first."""
        return max(self.longest, key=quality)

    @property
    def beside(self) -> list[tuple[str, Training]]:
        """The best and what it is compared with, by name."""
        best = BEST_OF_ALL if self.is_whole else BEST_TRIED
        return [(best, self.best), *((row["way"], row) for row in self.compared)]

    @property
    def best_optimizers(self) -> str:
        """`Adam`, or `SGD and DCASGD tied`."""
        best = quality(self.best)
        found = {OPTIMIZERS[row["optimizer"]].title for row in self.longest if quality(row) == best}
        return f"{' and '.join(sorted(found))}{' tied' if len(found) > 1 else ''}"

    @property
    def defaults(self) -> Configuration:
        return make_configuration(self.model, self.trials[0]["split"], self.trials[0]["seed"])


def quality(row: Training) -> tuple[bool, float]:
    """One that diverged is worse than any that did not."""
    return not row.get("diverged"), row["dev_accuracy"]


def searches(archive: Archive) -> list[Search]:
    """Those of all networks, in the paper's order."""
    return archive.once("searches", lambda: _searches(archive))


def _searches(archive: Archive) -> list[Search]:
    rows = sorted(archive.rows(STUDY), key=lambda row: row["place"])
    found = []
    for model in MODELS:
        here = [row for row in rows if row["model"] == model]
        trials, compared = ([row for row in here if (row["part"] == COMPARED) == kind] for kind in (False, True))
        if trials:
            trials.sort(key=lambda row: row["rung"])
            found.append(Search(model, tuple(trials), tuple(compared)))
    return found


def setting_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def setting_text(value) -> str:
    """`0.001`, `adam`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------------------------------ rungs


def _ranks(values: Sequence[float]) -> np.ndarray:
    """The rank of every value from 0; equal values have the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[places]


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """From -1 to 1: how alike two numbers of each pair rank the pairs; None where one of them ranks nothing."""
    ranks = [_ranks(column) for column in zip(*pairs, strict=True)]
    if any(len(set(column.tolist())) < 2 for column in ranks) or not ranks:
        return None
    return float(np.corrcoef(np.array(ranks))[0, 1])


def _correlations(search: Search) -> list[tuple[str, float | None]]:
    """How alike every two rungs that follow each other rank the configurations of the later one."""
    found = []
    for place, (_, epochs) in enumerate(search.rungs[1:], 1):
        earlier, later = search.rung(place - 1), search.rung(place)
        pairs = [(earlier[key]["dev_accuracy"], row["dev_accuracy"]) for key, row in later.items() if key in earlier]
        found.append((f"{search.rungs[place - 1][1]} to {epochs} epochs", spearman(pairs)))
    return found


def _about(search: Search) -> str:
    """How many were trained for how long, and how far rungs can be trusted."""
    ladder = ", then ".join(f"{count} for {epochs} epochs" for count, epochs in search.rungs)
    texts = [
        f"{steps} {NOTHING if found is None else f'{found:.2f}'}{', noise' if (found or 1) < NOISE else ''}"
        for steps, found in _correlations(search)
    ]
    ranked = f"; rank correlation on dev {', '.join(texts)}" if texts else ""
    return f"{search.title}: {ladder} of {search.in_space}, {SPLIT_TITLES[search.trials[0]['split']]}{ranked}."


def defaults_sentence(found: Sequence[Search]) -> str | None:
    """In what else our defaults differ from trials in the paper's space; None where they are not compared."""
    shown = [search for search in found if search.compared and search.is_papers_space]
    if not shown:
        return None

    def named(chosen: Sequence[Search]) -> str:
        return "" if len(chosen) == len(shown) else f" ({', '.join(search.title for search in chosen)})"

    ours = " or ".join(sorted({str(search.defaults.batch_size) for search in shown}))
    has = {
        "averaging of parameters": [search for search in shown if search.defaults.averaging],
        "a late schedule of the rate": [search for search in shown if search.defaults.schedule == "late"],
    }
    said = "".join(f", {what}{named(chosen)}" for what, chosen in has.items() if chosen)
    return (
        f"Our defaults differ in more than the settings shown: batches of {ours}{said}; the others have batches of 1 "
        "and nothing of that."
    )


# ------------------------------------------------------------------------------------------------ tables


def _scores(row: Training) -> tuple[str, ...]:
    mse = NOTHING if row.get("mse") is None else f"{row['mse']:.3f}"
    diverged = f"epoch {row['diverged']}" if row.get("diverged") else NOTHING
    return (str(row["epochs"]), f"{row['dev_accuracy']:.2f}", f"{row['accuracy']:.2f}", mse, diverged)


def _compared_cells(search: Search, names: Sequence[str], row: Training) -> tuple[str, ...]:
    """Settings, the batch size where it is not one of them, and scores."""
    own = make_configuration(row["model"], row["split"], row["seed"]).batch_size
    batch = () if "batch_size" in names else (str(row.get("batch_size", own)),)
    return (*(setting_text(row.get(name)) for name in names), *batch, *_scores(row))


def _titles(names: Sequence[str]) -> tuple[str, ...]:
    return (*map(setting_name, names), *(() if "batch_size" in names else ("batch",)), *SCORES)


def overall_table(archive: Archive) -> Table:
    """The best configuration of every network beside the paper's best and our defaults."""
    found = searches(archive)
    names = list(dict.fromkeys(name for search in found for name in search.space))
    rows = [
        Row(search.title, (name, *_compared_cells(search, names, row)), group)
        for group, search in enumerate(found)
        for name, row in search.beside
    ]
    notes = (
        *map(_about, found),
        "A later rung has only those that went on, the best of the rung before, which are more alike than all of them. "
        "The paper's best is a point of the space, too, and counts as tried where it was not drawn.",
        defaults_sentence(found),
        "The epoch and the configuration are chosen on dev, with one seed; test is shown and chose nothing.",
    )
    section = Section("", tuple(map(Column, ("network", "", *_titles(names)))), tuple(rows))
    return Table("table-search-all", "The best configuration of every network", (section,), tuple(filter(None, notes)))


def best_rows(search: Search) -> list[Training]:
    """The best configurations on dev: those of the last rung first, each configuration once."""
    ordered = sorted(search.trials, key=lambda row: (-row["rung"], bool(row.get("diverged")), -row["dev_accuracy"]))
    distinct = {search.settings(row): row for row in reversed(ordered)}
    return [row for row in ordered if distinct[search.settings(row)] is row][:SHOWN]


def networks_table(archive: Archive) -> Table:
    """The ten best configurations of each network."""
    sections = []
    for search in searches(archive):
        names = list(search.space)
        rows = (
            Row(str(rank), (*(setting_text(row.get(name)) for name in names), *_scores(row)))
            for rank, row in enumerate(best_rows(search), 1)
        )
        columns = map(Column, ("", *map(setting_name, names), *SCORES))
        sections.append(Section(search.title, tuple(columns), tuple(rows)))
    return Table(
        "table-search-networks", "The best configurations of each network, by accuracy on dev", tuple(sections)
    )


def search_sentence(archive: Archive) -> str | None:
    """Who is best in the paper's space, and how much of it was tried; None if it was not searched."""
    shown = [search for search in searches(archive) if search.is_papers_space]
    if not shown:
        return None
    counts = Counter(search.best_optimizers for search in shown).most_common()
    said = ", ".join(f"{name} for {count}" for name, count in counts)
    drawn = ", ".join(f"{search.title} {search.rungs[0][0]}" for search in shown if not search.is_whole)
    extent = f"{len(PAPER_SPACE.points())} configurations{f'; drawn for {drawn}' if drawn else ''}"
    return (
        f"In the search of the paper's space ({extent}) the best on dev, of {len(shown)} networks, are {said} "
        f"([all]({OVERALL_PLACE}))."
    )


# ------------------------------------------------------------------------------------------------ figures


def overall_figure(archive: Archive) -> Drawing:
    """Test accuracy of the best configuration, of the paper's best and of our defaults, over all of the last rung."""
    found = searches(archive)
    figure, axes = panels(width=8.0, height=4.6)
    data: list[tuple] = [("model", "configuration", "dev_accuracy", "test_accuracy")]
    best = BEST_OF_ALL if all(search.is_whole for search in found) else BEST_TRIED
    for place, search in enumerate(found):
        others = sorted(row["accuracy"] for row in search.rung(len(search.rungs) - 1).values())
        label = "_" if place else "all others of the last rung"
        axes.plot(np.full(len(others), place - 0.3), others, "_", color=FAINT, markersize=9, alpha=0.7, label=label)
        for (name, row), colour, mark, shift in zip(
            search.beside, (VERMILION, ORANGE, BLUE), ("o", "s", "^"), (-0.08, 0.1, 0.28), strict=False
        ):
            label = "_" if place else best if name in (BEST_OF_ALL, BEST_TRIED) else name
            axes.plot(place + shift, row["accuracy"], mark, color=colour, markersize=7, label=label)
            data.append((search.model, name, rounded(row["dev_accuracy"]), rounded(row["accuracy"])))
    axes.set_xticks(range(len(found)), [search.title for search in found])
    axes.set_ylabel("accuracy on test (%)")
    legend_below(figure, axes, 4)
    caption = (
        "One training each, after as many epochs; dev chose the configuration and the epoch. The dashes show how far "
        "apart configurations are."
    )
    return Drawing(figure, f"{caption} {defaults_sentence(found) or ''}".strip(), data)


def _effects(search: Search) -> list[tuple[str, Any, list[Training]]]:
    """For every value of every setting the trainings of the first rung, where all are trained alike."""
    first = list(search.rung(0).values())
    groups = (
        (name, value, [row for row in first if row.get(name) == value])
        for name, values in search.space.items()
        for value in values
        if value is not None
    )
    return [each for each in groups if each[2]]


def effects_figure(archive: Archive) -> Drawing:
    """A cell for every value of a setting and every network: mean accuracy on dev, coloured by what it costs."""
    found = searches(archive)
    values = list(dict.fromkeys((name, value) for search in found for name, value, _ in _effects(search)))
    figure, axes = panels(width=2.5 + 1.15 * len(found), height=1.0 + 0.27 * len(values))
    costs, data = np.full((len(values), len(found)), np.nan), []
    for column, search in enumerate(found):
        effects = {(name, value): rows for name, value, rows in _effects(search)}
        means = {key: fmean(row["dev_accuracy"] for row in rows) for key, rows in effects.items()}
        for key, mean in means.items():
            line = values.index(key)
            costs[line, column] = mean - max(other for (name, _), other in means.items() if name == key[0])
            ink = "white" if costs[line, column] < DEEPEST / 2 else INK
            axes.text(column, line, f"{mean:.1f}", ha="center", va="center", fontsize=7.5, color=ink)
            data.append((search.model, *key, *_counts(search, effects[key])))
    axes.imshow(costs, cmap=COLOURS, vmin=DEEPEST, vmax=0, aspect="auto")
    _name_values(axes, values)
    axes.set_xticks(range(len(found)), [search.title.replace(" + ", "\n+ ") for search in found])
    axes.xaxis.tick_top()
    caption = (
        "Mean accuracy on dev (%) of all configurations with a value, after the epochs of the first rung; the redder, "
        "the further below the best value of that setting."
    )
    header = ("model", "setting", "value", "mean_dev", "best_dev", "configurations", "diverged", "in_last_rung")
    return Drawing(figure, caption, [header, *data])


def _counts(search: Search, rows: Sequence[Training]) -> tuple:
    accuracies = [row["dev_accuracy"] for row in rows]
    last = search.rung(len(search.rungs) - 1)
    went_on = sum(search.settings(row) in last for row in rows)
    diverged = sum(bool(row.get("diverged")) for row in rows)
    return (rounded(fmean(accuracies)), rounded(max(accuracies)), len(rows), diverged, went_on)


def _name_values(axes: Axes, values: Sequence[tuple[str, Any]]) -> None:
    """`optimizer adam` on each line, and a rule between settings."""
    texts = []
    for line, (name, value) in enumerate(values):
        is_first = line == 0 or values[line - 1][0] != name
        text = OPTIMIZERS[value].title if name == "optimizer" else setting_text(value)
        texts.append(f"{setting_name(name)}   {text}" if is_first else text)
        if is_first and line:
            axes.axhline(line - 0.5, color="white", linewidth=4)
    axes.set_yticks(range(len(values)), texts)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


register(
    Output(
        "search-all",
        "The best configuration of every network: accuracy on test",
        FIGURE,
        overall_figure,
        (STUDY,),
        "search",
    ),
    Output("table-search-all", "The best configuration of every network", TABLE, overall_table, (STUDY,), "search"),
    Output("search-effects", "The effect of each setting", FIGURE, effects_figure, (STUDY,), "search"),
    Output(
        "table-search-networks",
        "The best configurations of each network",
        TABLE,
        networks_table,
        (STUDY,),
        "search",
        True,
    ),
)
