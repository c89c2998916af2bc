"""The leaderboard: networks, baselines and entries that others sent, on every split; made from committed files.

An entry is a directory in leaderboard/: entry.json says what it is, `SPLIT-SEED.jsonl.gz` are its predictions.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from ... import artifacts, shapes
from ...data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_NAMES, SPLIT_TITLES, STRICT, Dataset
from ...data.scores import Scored, read_predictions, scores_of
from ...data.splits import stored_split
from ...errors import InputError
from ...language.grammar import MAXIMUM_HEIGHT
from ...measures import ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, TOP_K, Measure, depth_measure
from ...models import MODELS
from ..claims import mean_cell, summarise
from ..formats import NOTHING, Line, Table, section
from ..registry import table
from ..results import BASELINES, Archive
from .results import APPROACH_NAMES

DIRECTORY = artifacts.ROOT / "leaderboard"
ENTRY = "entry.json"
COLUMNS = {
    "strict split": (STRICT, ACCURACY),
    "strict, depth 4": (STRICT, depth_measure(4)),
    **{SPLIT_TITLES[split]: (split, ACCURACY) for split in (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)},
}
HERE, NO_NETWORK = "this project", "no network"
SHARES = (ACCURACY, PRECISION, RECALL, *(depth_measure(depth) for depth in range(1, MAXIMUM_HEIGHT + 2)))
_PREDICTIONS = re.compile(rf"({'|'.join(SPLIT_NAMES)})-(\d{{1,4}})\.jsonl(\.gz)?")
Values = dict[tuple[str, Measure], dict[int, float]]  # of each seed, by split and measure


class Entry(NamedTuple):
    """What entry.json says."""

    title: str
    by: str
    url: str
    training: str  # what was trained on what, and how it was chosen, in a sentence or two
    other_data: bool  # whether anything but the train part of each split was learned from
    data_fingerprint: str
    parameters: int | None = None
    equations_per_second: float | None = None  # in training
    machine: str = ""


class Standing(NamedTuple):
    """A line of the leaderboard."""

    title: str
    by: str
    values: Values
    parameters: float | None = None
    speed: float | None = None  # in training
    note: str = ""

    def seed(self, split: str, seed: int) -> dict[Measure, float]:
        """The measures on one split of one seed."""
        here = {measure: values for (name, measure), values in self.values.items() if name == split}
        return {measure: values[seed] for measure, values in here.items() if seed in values}

    @property
    def place(self) -> tuple:
        """The best strict split first, then the best random split; nothing comes last."""
        means = (summarise(self.values.get((split, ACCURACY), {})) for split in (STRICT, GENERALIZATION))
        return (*(-mean.mean if mean else 0 for mean in means), self.title)


def entry_values(directory: Path, data: Path, dataset: Dataset) -> Values:
    """The scores of all prediction files of an entry."""
    values: Values = {}
    for path in artifacts.entries(directory):
        if path.name == ENTRY:
            continue
        form = _PREDICTIONS.fullmatch(path.name)
        if not form:
            raise InputError(f"{path}: neither {ENTRY} nor predictions, which are called SPLIT-SEED.jsonl.gz")
        split, seed = form[1], int(form[2])
        stored = stored_split(dataset, data, split, seed)
        for measure, scored in scores_of(read_predictions(path), dataset, stored, path).items():
            values.setdefault((split, measure), {})[seed] = scored.value
    if not values:
        raise InputError(f"{directory}: no predictions are there")
    return values


def sent_entries(archive: Archive, leaderboard: Path) -> Iterator[Standing]:
    """The entries that are about the data set beside the results."""
    manifest, dataset = archive.manifest(), archive.dataset
    if manifest is None or dataset is None:
        return
    for directory in artifacts.entries(leaderboard):
        entry = shapes.read(Entry, directory / ENTRY)
        if entry.data_fingerprint == manifest.fingerprint:
            values = entry_values(directory, manifest.directory, dataset)
            note = ". ".join(filter(None, (f"{entry.title}: {entry.training}", entry.machine))) + "."
            title = entry.title + (" (other data, too)" if entry.other_data else "")
            yield Standing(title, entry.by, values, entry.parameters, entry.equations_per_second, note)


def own_standings(archive: Archive) -> Iterator[Standing]:
    """The networks and baselines of the project, from the results."""
    titles, scored = APPROACH_NAMES | {name: model.title for name, model in MODELS.items()}, archive.with_others.scored
    for approach, title in titles.items():
        rows = [row for row in scored if row["model"] == approach and row["split"] in SPLIT_NAMES]
        values: Values = {}
        for row, measure in product(rows, (*SHARES, *TOP_K)):
            if row.get(measure.name) is not None:
                values.setdefault((row["split"], measure), {})[row["seed"]] = row[measure.name]
        if values:
            known = ([row[name] for row in rows if row.get(name)] for name in ("parameters", "equations_per_second"))
            parameters, speed = (fmean(each) if each else None for each in known)
            yield Standing(title, HERE if approach in MODELS else NO_NETWORK, values, parameters, speed)


def standings(archive: Archive, leaderboard: Path = DIRECTORY) -> list[Standing]:
    """All lines, the best first."""
    return sorted((*own_standings(archive), *sent_entries(archive, leaderboard)), key=lambda each: each.place)


def compared(title: str, scores: Mapping[str, Scored], others: Mapping[str, Mapping[Measure, float]]) -> list[str]:
    """Lines of a table: the scores between those of others on the same equations, the best first, with intervals."""
    shown = [each for each in (*SHARES, *TOP_K) if each.name in scores]
    values = {title: {measure: scores[measure.name].value for measure in shown}}
    values |= {other: dict(found) for other, found in others.items() if shown[0] in found}
    rows = [
        (name, [f"{found[each]:.2f}" if each in found else NOTHING for each in shown])
        for name, found in sorted(values.items(), key=lambda line: -line[1][shown[0]])
    ]
    intervals = ["{:.1f}–{:.1f}".format(*(scores[each.name].interval or (0, 100))) for each in shown]
    counts = [f"{scores[each.name].equations:,}" for each in shown]
    whole = [("", [each.name.replace("_", " ") for each in shown]), *rows]
    whole += [("95 % interval (Wilson)", intervals), ("equations", counts)]
    width = max(len(name) for name, _ in whole)
    errors = [(each.title, scores[each.name]) for each in (MSE, MSE_ALL) if each.name in scores]
    return [
        *(f"{name:{width}}" + "".join(f"{cell:>12}" for cell in cells) for name, cells in whole),
        *(f"{words}: {error.value:.5f}, {error.equations} equations" for words, error in errors),
    ]


@table("leaderboard", "Leaderboard", "results", [BASELINES])
def leaderboard_table(archive: Archive) -> Table | None:
    """The leaderboard; None without any results."""
    found, lines = standings(archive), []
    for each in found:
        means = (mean_cell(each.values.get(place, {})) for place in COLUMNS.values())
        numbers = (NOTHING if number is None else f"{number:,.0f}" for number in (each.parameters, each.speed))
        lines.append(Line(each.title, (each.by, *means, *numbers)))
    notes = (
        "Accuracy on the symbolic test equations in per cent, mean ± standard deviation over seeds, ordered by the "
        "strict split. Equations/s is the speed of training on one core, as measured where each was trained.",
        *(each.note for each in found if each.note),
    )
    headings = ("Approach", "By", *COLUMNS, "Parameters", "Equations/s")
    return Table([section("", headings, lines)], notes) if lines else None
