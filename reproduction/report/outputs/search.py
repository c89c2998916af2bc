"""The search of the paper's space: the best configurations, what they are compared with, what each setting does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...models import MODELS, OPTIMIZERS
from ...rows import Row, distinct, select
from ...studies.core import score
from ...studies.search import COMPARED, FINALISTS, PAPER_SPACE, PAPERS_BEST, SEARCH
from ...training.configuration import make_configuration
from ..claims import Summary, averaged
from ..drawing import Colour, Drawing, legend_below, panels, rounded
from ..formats import NOTHING, Line, Table, mean_text, section, signed
from ..registry import figure, table
from ..results import SETTINGS, Archive

STUDY, TITLE = "search", "The best configuration of every network"
BEST_OF_ALL, BEST_TRIED, SHOWN = "best of the space", "best of those tried", 10
NAMES = {"l2": "L2", "hidden": "hidden units"}
DEFAULTS = "Our defaults also have larger batches, averaging of parameters and, for trees, a late schedule of the rate."
SCORES = ("epochs", "dev (%)", "test (%)", "MSE", "diverged")
DEEPEST = -30  # points: the darkest colour

Settings = tuple[Any, ...]  # the values of the settings that the space varies


@dataclass(frozen=True)
class Search:
    """The trainings of one network: rung by rung, and what the best is compared with."""

    model: str
    trials: Sequence[Row]
    finalists: Sequence[Row]  # the best of them, trained to the end
    compared: Sequence[Row]

    @property
    def title(self) -> str:
        return MODELS[self.model].title

    @cached_property
    def space(self) -> dict[str, list]:
        """The values of every setting that is varied; None where some configuration has none."""
        fixed = ("model", "split", "seed", "epochs", "numeric_weight")
        names = dict.fromkeys(name for row in self.trials for name in row if name in SETTINGS and name not in fixed)
        values = {name: [value for (value,) in distinct(self.trials, name)] for name in names}
        return {name: found for name, found in values.items() if len(found) > 1}

    @property
    def is_papers_space(self) -> bool:
        """Whether the paper's space was searched, of which the paper's best settings are a point."""
        papers = {name: set(values) for name, values in PAPER_SPACE.items()}
        return {name: set(values) - {None} for name, values in self.space.items()} == papers

    def settings(self, row: Row) -> Settings:
        return tuple(map(row.get, self.space))

    @cached_property
    def rungs(self) -> list[dict[Settings, Row]]:
        """Of each rung the trainings by their configurations."""
        count = 1 + max(row["rung"] for row in self.trials)
        return [{self.settings(row): row for row in select(self.trials, rung=rung)} for rung in range(count)]

    @property
    def is_whole(self) -> bool:
        """Whether every configuration of the space was tried."""
        return len(self.rungs[0]) == self.trials[0]["in_space"]

    @property
    def best(self) -> Row:
        """The best on dev of the last rung, and of the paper's settings where they are in the space."""
        papers = select(self.compared, way=PAPERS_BEST) if self.is_papers_space else []
        return max([*self.rungs[-1].values(), *papers], key=score)

    @property
    def beside(self) -> list[tuple[str, Row]]:
        """The best and what it is compared with, by name."""
        best = BEST_OF_ALL if self.is_whole else BEST_TRIED
        return [(best, self.best), *((row["way"], row) for row in self.compared)]


def searches(archive: Archive) -> list[Search]:
    """Those of all networks, in the paper's order."""
    rows = sorted(archive.rows(STUDY), key=lambda row: (row.get("rung", -1), row["place"]))
    found = []
    for model in MODELS:
        here = select(rows, model=model)
        if trials := select(here, part=SEARCH):
            found.append(Search(model, trials, select(here, part=FINALISTS), select(here, part=COMPARED)))
    return found


def setting_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def setting_text(value) -> str:
    """`0.001`, `adam`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------------------------------ in words


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """From -1 to 1: how alike two numbers of each pair rank the pairs; None where one of them ranks nothing."""
    columns = np.array(pairs, dtype=float).reshape(-1, 2).T
    ranks = [np.sign(column[:, None] - column).sum(axis=1) for column in columns]  # those below less those above
    return float(np.corrcoef(ranks)[0, 1]) if all(map(np.any, ranks)) else None


def _about(search: Search) -> str:
    """How many were trained for how long, and how far rungs can be trusted."""
    steps, texts = [(rung, next(iter(rung.values()))["epochs"]) for rung in search.rungs], []
    ladder = ", then ".join(f"{len(rung)} for {epochs} epochs" for rung, epochs in steps)
    for (earlier, fewer), (later, more) in pairwise(steps):
        pairs = [(earlier[key]["dev_accuracy"], row["dev_accuracy"]) for key, row in later.items() if key in earlier]
        found = spearman(pairs)
        texts.append(f"{fewer} to {more} epochs {NOTHING if found is None else f'{found:.2f}'}")
    ranked = f"; rank correlation on dev {', '.join(texts)}" if texts else ""
    first = search.trials[0]
    return f"{search.title}: {ladder} of {first['in_space']}, {SPLIT_TITLES[first['split']]}{ranked}."


# ------------------------------------------------------------------------------------------------ all networks


@figure("search-all", f"{TITLE}: accuracy on test", "search", [STUDY])
def overall_figure(archive: Archive) -> Drawing:
    """Test accuracy of the best configuration, of the paper's best and of our defaults, over all of the last rung."""
    found = searches(archive)
    drawn, axes = panels(width=8.0, height=4.6)
    data: list[tuple] = [("model", "configuration", "dev_accuracy", "test_accuracy")]
    best = BEST_OF_ALL if all(search.is_whole for search in found) else BEST_TRIED
    for place, search in enumerate(found):
        others = sorted(row["accuracy"] for row in search.rungs[-1].values())
        dashes: dict[str, Any] = {"color": Colour.FAINT, "markersize": 9, "alpha": 0.7}
        dashes["label"] = "_" if place else "all others of the last rung"
        axes.plot([place - 0.3] * len(others), others, "_", **dashes)
        looks = ((Colour.VERMILION, "o", -0.08), (Colour.ORANGE, "s", 0.1), (Colour.BLUE, "^", 0.28))
        for (name, row), (colour, mark, shift) in zip(search.beside, looks, strict=False):
            label = "_" if place else best if mark == "o" else name
            axes.plot(place + shift, row["accuracy"], mark, color=colour, markersize=7, label=label)
            data.append((search.model, name, rounded(row["dev_accuracy"]), rounded(row["accuracy"])))
    axes.set_xticks(range(len(found)), [search.title for search in found])
    axes.set_ylabel("accuracy on test (%)")
    legend_below(drawn, axes, 4)
    caption = "One training each, after as many epochs; dev chose the configuration and the epoch."
    return Drawing(drawn, f"{caption} {_defaults(found)}".strip(), data)


def _defaults(found: Sequence[Search]) -> str:
    """In what else our defaults differ from trials in the paper's space, where they stand beside each other."""
    return DEFAULTS if any(each.compared and each.is_papers_space for each in found) else ""


@table("table-search-all", TITLE, "search", [STUDY])
def overall_table(archive: Archive) -> Table:
    """The best configuration of every network beside the paper's best and our defaults."""
    found = searches(archive)
    names = list(dict.fromkeys((*(name for search in found for name in search.space), "batch_size")))
    lines = []
    for group, search in enumerate(found):
        own = make_configuration(search.model, GENERALIZATION, 0).batch_size
        cells = ((name, *_cells({"batch_size": own, **row}, names)) for name, row in search.beside)
        lines += [Line(search.title, each, group) for each in cells]
    notes = (
        *map(_about, found),
        "A later rung has only the best of the rung before, which are more alike than all of them. The paper's best is "
        "a point of the space, too, and counts as tried where it was not drawn.",
        _defaults(found),
        "The epoch and the configuration are chosen on dev, with one seed; test chose nothing.",
    )
    headings = ("network", "", *("batch" if name == "batch_size" else setting_name(name) for name in names), *SCORES)
    sections, tuned = [section("", headings, lines)], [*_tuned_lines(found)]
    if tuned:
        sections.append(section(TUNING, ("network", "", "dev (%)", "test (%)"), tuned))
    return Table(sections, [*filter(None, notes), TUNING_NOTE if tuned else NO_TUNING])


def _cells(row: Row, names: Sequence[str]) -> tuple[str, ...]:
    """Settings and scores."""
    mse = NOTHING if row.get("mse") is None else f"{row['mse']:.3f}"
    diverged = f"epoch {row['diverged']}" if row.get("diverged") else NOTHING
    scores = (str(row["epochs"]), f"{row['dev_accuracy']:.2f}", f"{row['accuracy']:.2f}", mse, diverged)
    return (*(setting_text(row.get(name)) for name in names), *scores)


# ------------------------------------------------------------------------------------------------ equal tuning

TUNING = "Equal tuning: the best configurations of each search, trained to the end"
TUNING_NOTE = (
    "Equal tuning: what data seem to be worth when both networks are tuned alike, and when only the one with data is: "
    "its best less the mean of the other's best configurations. One seed."
)
NO_TUNING = (
    "Equal tuning is missing: `python -m reproduction study search --models tree-lstm tree-lstm+data --finalists 10` "
    "trains the ten best of both networks to the end."
)
ON_DEV, ON_TEST, MEAN = range(3)
GAPS = {
    "both tuned, best on dev": (ON_DEV, ON_DEV),
    "both tuned, best on test": (ON_TEST, ON_TEST),
    "means of both": (MEAN, MEAN),
    "only with data tuned, best on dev": (ON_DEV, MEAN),
    "only with data tuned, best on test": (ON_TEST, MEAN),
}


def _tuned_lines(found: Sequence[Search]) -> Iterator[Line]:
    """The best and the mean of each network's finalists, then what the network with data has more than that without."""
    tuned: dict[str, list[list[Summary]]] = {}
    for group, search in enumerate(search for search in found if search.finalists):
        rows, tuned[search.model] = search.finalists, []
        best = [max(rows, key=score)], [max(rows, key=lambda row: row["accuracy"])]
        for way, each in zip(("best on dev", "best on test", f"mean of {len(rows)}"), (*best, rows), strict=True):
            on_both = [averaged(dict(enumerate(row[name] for row in each))) for name in ("dev_accuracy", "accuracy")]
            tuned[search.model].append(on_both)
            yield Line(search.title, (way, *(mean_text(summary, 2) for summary in on_both)), group)
    for model in (model for model in tuned if f"{model}+data" in tuned):
        name = f"{MODELS[model].title} + data − {MODELS[model].title}"
        for words, (more, less) in GAPS.items():
            pairs = zip(tuned[f"{model}+data"][more], tuned[model][less], strict=True)
            yield Line(name, (words, *(signed(high.mean - low.mean, 2) for high, low in pairs)), len(tuned))


# ------------------------------------------------------------------------------------------------ each setting


@figure("search-effects", "The effect of each setting", "search", [STUDY])
def effects_figure(archive: Archive) -> Drawing:
    """A cell for every value of a setting and every network: mean accuracy on dev, coloured by what it costs."""
    found = searches(archive)
    effects = [_effects(search) for search in found]
    values = list(dict.fromkeys(setting for each in effects for setting in each))
    drawn, axes = panels(width=2.5 + 1.15 * len(found), height=1.0 + 0.27 * len(values))
    header = ("model", "setting", "value", "mean_dev", "best_dev", "configurations", "diverged", "in_last_rung")
    costs, data = np.full((len(values), len(found)), np.nan), list[tuple]([header])
    for column, (search, by_setting) in enumerate(zip(found, effects, strict=True)):
        means = {setting: fmean(row["dev_accuracy"] for row in rows) for setting, rows in by_setting.items()}
        for (name, value), rows in by_setting.items():
            line, mean = values.index((name, value)), means[name, value]
            costs[line, column] = mean - max(each for (other, _), each in means.items() if other == name)
            ink = "white" if costs[line, column] < DEEPEST / 2 else Colour.INK
            axes.text(column, line, f"{mean:.1f}", ha="center", va="center", fontsize=7.5, color=ink)
            best = max(row["dev_accuracy"] for row in rows)
            diverged = sum("diverged" in row for row in rows)
            went_on = sum(search.settings(row) in search.rungs[-1] for row in rows)
            data.append((search.model, name, value, rounded(mean), rounded(best), len(rows), diverged, went_on))
    axes.imshow(costs, cmap="Reds_r", vmin=DEEPEST, vmax=0, aspect="auto")
    _name_values(axes, values)
    axes.set_xticks(range(len(found)), [search.title.replace(" + ", "\n+ ") for search in found])
    axes.xaxis.tick_top()
    caption = (
        "Mean accuracy on dev (%) of all configurations with a value, after the epochs of the first rung; the redder, "
        "the further below the best value of that setting."
    )
    return Drawing(drawn, caption, data)


def _effects(search: Search) -> dict[tuple[str, Any], list[Row]]:
    """For every value of every setting the trainings of the first rung, where all are trained alike."""
    values = ((name, value) for name, values in search.space.items() for value in values if value is not None)
    return {(name, value): select(search.rungs[0].values(), **{name: value}) for name, value in values}


def _name_values(axes: Axes, values: Sequence[tuple[str, Any]]) -> None:
    """`optimizer adam` on each line, and a rule between settings."""
    texts, before = [], None
    for line, (name, value) in enumerate(values):
        text = OPTIMIZERS[value].title if name == "optimizer" else setting_text(value)
        texts.append(text if name == before else f"{setting_name(name)}   {text}")
        if name != before and line:
            axes.axhline(line - 0.5, color="white", linewidth=4)
        before = name
    axes.set_yticks(range(len(values)), texts)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


@table("table-search-networks", "The best configurations of each network", "search", [STUDY], folded=True)
def networks_table(archive: Archive) -> Table:
    """The ten best configurations of each network on dev: those of the last rung first, each configuration once."""
    sections = []
    for search in searches(archive):
        best: dict[Settings, Row] = {}
        for row in sorted((*search.trials, *search.finalists), key=lambda row: (row["rung"], score(row)), reverse=True):
            best.setdefault(search.settings(row), row)
        rows = enumerate(list(best.values())[:SHOWN], 1)
        lines = (Line(str(rank), _cells(row, list(search.space))) for rank, row in rows)
        sections.append(section(search.title, ("", *map(setting_name, search.space), *SCORES), lines))
    return Table(sections, title="The best configurations of each network, by accuracy on dev")
