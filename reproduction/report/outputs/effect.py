"""What the paper's effect of data is made of: leaves and dropout against data, and the authors' own sample by steps."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from ...data.dataset import DEPTH_2_OUT, GENERALIZATION, SPLIT_NAMES, SPLIT_TITLES
from ...measures import ACCURACY, TOP_K
from ...models import LEAVES, MODELS
from ...rows import Row as Training
from ...rows import by_seed, select
from ...studies import effect as study
from ...studies.effect import DECODED, DROPOUTS, NETWORKS, NONE, NUMBERS, SPLITS, VERIFIED
from ..claims import paper_value
from ..comparison import Cell, interval, summarise
from ..drawing import BLUE, FAINT, GREEN, INK, VERMILION, Drawing, Look, draw_band, legend_below, panels, rounded
from ..formats import NOTHING, Column, Row, Section, Table, signed
from ..registry import FIGURE, TABLE, Output, register
from ..results import PROTOCOLS, Archive
from ..views import differences

FACTORS, AUTHORS = "factors", "authors"
NUMBER_WORDS = {NONE: "no data", DECODED: "data decoded", VERIFIED: "data verified"}
LOOKS = {
    NONE: Look("without data", INK, "o", ""),
    DECODED: Look("+ data, decoded", VERMILION, "D", ""),
    VERIFIED: Look("+ data, verified like symbolic equations", BLUE, "^", ""),
}
PLACES = tuple(product(NETWORKS, SPLITS))
# By name the factor, the value it is changed to and the value it is changed from.
EFFECTS = {
    "leaves: tanh instead of sigmoid": ("leaf", "tanh", "sigmoid"),
    "leaves: none instead of sigmoid": ("leaf", "identity", "sigmoid"),
    "dropout of 0.2 acts": ("dropout", 0.2, 0.0),
    "data, decoded": ("numbers", DECODED, NONE),
    "data, verified like symbolic equations": ("numbers", VERIFIED, NONE),
}
AS_RELEASED = ("sigmoid", 0.0, NONE)


def _place(network: str, split: str) -> str:
    return f"{MODELS[network].title}, {SPLIT_TITLES[split]}"


def difference_text(by_seed: Mapping[int, float], decimals: int = 2) -> str:
    """`+0.54 (+0.10 to +0.98)`: the mean of a paired difference and its 95 % interval over seeds."""
    if not by_seed:
        return NOTHING
    values = list(by_seed.values())
    mean, found = signed(fmean(values), decimals), interval(values)
    return f"{mean} ({signed(found.low, decimals)} to {signed(found.high, decimals)})" if found else mean


# ------------------------------------------------------------------------------------------------ factors


Corners = Mapping[tuple, Mapping[int, float]]  # accuracy by seed of each leaf, dropout and use of numbers


def _corners(archive: Archive, network: str, split: str) -> Corners:
    rows = select(archive.rows(FACTORS), network=network, split=split)
    here: dict[tuple, list[Training]] = {}
    for row in rows:
        here.setdefault((row["leaf"], row["dropout"], row["numbers"]), []).append(row)
    ordered = (corner for corner in product(LEAVES, DROPOUTS, NUMBERS) if corner in here)
    return {corner: by_seed(here[corner], ACCURACY.name) for corner in ordered}


def effect(corners: Corners, factor: str, to: object, of: object) -> dict[int, float]:
    """By seed the mean difference that changing one factor makes, over all values of the other two."""
    where = ("leaf", "dropout", "numbers").index(factor)
    pairs = [
        differences(corners[corner], corners[before])
        for corner in corners
        if corner[where] == to and (before := (*corner[:where], of, *corner[where + 1 :])) in corners
    ]
    seeds = set.intersection(*map(set, pairs)) if pairs else set()
    return {seed: fmean(pair[seed] for pair in pairs) for seed in sorted(seeds)}


def _corner_words(corner: tuple) -> str:
    leaf, dropout, numbers = corner
    squashed = "bare leaves" if leaf == "identity" else f"{leaf} leaves"
    return f"{squashed}, dropout {dropout:g}, {NUMBER_WORDS[numbers]}"


def _effects_section(archive: Archive, places: Mapping[str, Corners]) -> Section:
    rows = [
        Row(words, tuple(difference_text(effect(corners, *contrast)) for corners in places.values()))
        for words, contrast in EFFECTS.items()
    ]
    theirs = []
    for network, split in PLACES:
        pair = [paper_value(archive, name, split, ACCURACY) for name in (f"{network}+data", network)]
        theirs.append(NOTHING if None in pair else signed(pair[0] - pair[1], 2))  # type: ignore[operator]
    rows.append(Row("the paper's effect of data", tuple(theirs)))
    return Section("What each factor changes, in points", (Column("change"), *map(Column, places)), tuple(rows))


def _nearest(archive: Archive, network: str, data: str, corners: Sequence[Corners]) -> tuple[str, float] | None:
    """The corner of a network that is nearest to a row of the paper's on both splits, and how far it is on average."""
    reported = [paper_value(archive, network + data, split, ACCURACY) for split in SPLITS]
    shared = [corner for corner in corners[0] if all(corner in each for each in corners)]
    if None in reported or not shared:
        return None

    def distance(corner: tuple) -> float:
        return fmean(
            abs(fmean(each[corner].values()) - theirs)  # type: ignore[operator]
            for each, theirs in zip(corners, reported, strict=True)
        )

    best = min(shared, key=distance)
    return _corner_words(best), distance(best)


def _nearest_notes(archive: Archive, places: Mapping[tuple[str, str], Corners]) -> list[str]:
    notes = []
    for network in NETWORKS:
        here = [places[network, split] for split in SPLITS]
        for data, words in (("", "without data"), ("+data", "with data")):
            if found := _nearest(archive, network, data, here):
                corner, away = found
                notes.append(
                    f"Nearest to the paper's {MODELS[network].title} {words}: {corner}, on average {away:.2f} points "
                    "away on the two splits."
                )
    return notes


def factors_table(archive: Archive) -> Table | None:
    """The effect of each factor, then accuracy in every corner."""
    places = {place: corners for place in PLACES if (corners := _corners(archive, *place))}
    if not places:
        return None
    titled = {_place(*place): corners for place, corners in places.items()}
    shown = dict.fromkeys(corner for corners in places.values() for corner in corners)
    rows = []
    for corner in shown:
        cells = []
        for (network, split), corners in places.items():
            own = paper_value(archive, network, split, ACCURACY) if corner == AS_RELEASED else None
            cells.append(Cell(own, summarise(corners.get(corner, {})), None))
        rows.append(Row(_corner_words(corner), tuple(cells)))
    corners_section = Section(
        "Accuracy in every corner, %", (Column("leaves, dropout, data"), *map(Column, titled)), tuple(rows)
    )
    notes = (
        "One equation a step, Adam 1e-3, L2 1e-5, 100 epochs, the epoch chosen on dev. A change is the mean over all "
        "values of the other two factors, paired within seeds, with its 95 % interval (Student's t over seeds). In "
        "brackets behind a corner the paper's row without data, under the settings with which its code really ran.",
        *(_nearest_notes(archive, places) if len(places) == len(PLACES) else ()),
    )
    sections = (
        (_effects_section(archive, titled), corners_section) if len(places) == len(PLACES) else (corners_section,)
    )
    return Table("table-factors", FACTORS_TITLE, sections, notes)


def factors_figure(archive: Archive) -> Drawing | None:
    """Accuracy by leaf and dropout, with and without data, beside the paper's two rows."""
    places = {place: corners for place in PLACES if (corners := _corners(archive, *place))}
    if not places:
        return None
    networks = [network for network in NETWORKS if any(place[0] == network for place in places)]
    figure, axes = panels(
        len(networks), len(SPLITS), width=10.5, height=1 + 2.7 * len(networks), sharey=True, squeeze=False
    )
    data: list[tuple] = [("network", "split", "leaf", "dropout", "data", "mean", "std", "seeds")]
    for line, network in zip(axes, networks, strict=True):
        for panel, split in zip(line, SPLITS, strict=True):
            data += _draw_corners(panel, archive, network, split, places.get((network, split), {}))
    legend_below(figure, axes[0][0], 5)
    caption = (
        "Each line is one way to squash the leaves, with and without dropout; marks are means over seeds with their "
        "standard deviation. Marks on one line differ in data alone. Grey lines are the paper's rows without data "
        "(dotted) and with data (dashed)."
    )
    return Drawing(figure, caption, data)


def _draw_corners(panel: Axes, archive: Archive, network: str, split: str, corners: Corners) -> Iterable[tuple]:
    lines = list(product(LEAVES, DROPOUTS))
    for data, line in (("", ":"), ("+data", "--")):
        value = paper_value(archive, network + data, split, ACCURACY)
        if value is not None:
            words = "the paper's + data" if data else "the paper's without data"
            panel.axvline(value, color=FAINT, linestyle=line, label=words, zorder=0)
    rows = []
    for number, shift in zip(NUMBERS, (-0.2, 0.0, 0.2), strict=True):
        found = [
            (place, summarise(corners[(*each, number)]))
            for place, each in enumerate(lines)
            if (*each, number) in corners
        ]
        means, spread = [each.mean for _, each in found if each], [each.std or 0 for _, each in found if each]
        panel.errorbar(means, [place + shift for place, _ in found], xerr=spread, capsize=2, **LOOKS[number].style)
        for place, each in found:
            if each:
                rows.append((network, split, *lines[place], number, rounded(each.mean), rounded(each.std), each.seeds))
    names = [
        f"{'bare' if leaf == 'identity' else leaf} leaves, {'dropout' if rate else 'no dropout'}"
        for leaf, rate in lines
    ]
    panel.set_yticks(range(len(lines)), names)
    panel.set_ylim(len(lines) - 0.5, -0.5)
    panel.set_title(_place(network, split))
    panel.set_xlabel("accuracy on test (%)")
    return rows


# ------------------------------------------------------------------------------------------------ the authors' sample

COMPARED = {
    "with − without, equal epochs": (study.WITH, study.WITHOUT),
    "with − without, equal steps": (study.WITH, study.AS_MANY_STEPS),
    "with − without, both to the end": (study.WITH_LONGER, study.WITHOUT_LONGER),
}
EPOCHS_SHOWN = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100)


def authors_table(archive: Archive) -> Table | None:
    """With and without data on every split, and the first guess at blanks."""
    sections = []
    for protocol in (study.OURS, study.RELEASE):
        rows = select(archive.rows(AUTHORS), part=protocol)
        if not rows:
            continue
        lines = [
            _authors_line(rows, network, split, name, words)
            for network in study.NETWORKS
            for split, name, words in (
                *((split, ACCURACY.name, SPLIT_TITLES[split]) for split in SPLIT_NAMES),
                (GENERALIZATION, TOP_K[0].name, "blanks, first guess"),
            )
        ]
        headings = ("network and split", "without data, %", "with data, %", *COMPARED)
        sections.append(Section(PROTOCOLS[protocol], tuple(map(Column, headings)), tuple(lines)))
    notes = (
        "The authors' released file data1000_depth4_inpuOut.json: 6,095 symbolic and 1,476 numeric equations. An epoch "
        "with data has more steps; at equal steps the twin without data learns for as many more epochs. To the end: "
        f"{study.TO_THE_END} times the epochs for both. Differences are paired within seeds, with 95 % intervals.",
    )
    return Table("table-authors", AUTHORS_TITLE, tuple(sections), notes) if sections else None


def _authors_line(rows: Sequence[Training], network: str, split: str, name: str, words: str) -> Row:
    ways = {way: by_seed(select(rows, network=network, split=split, way=way), name) for way in _WAYS}
    levels = (Cell(None, summarise(ways[way]), None) if ways[way] else NOTHING for way in (study.WITHOUT, study.WITH))
    gains = (difference_text(differences(ways[better], ways[worse])) for better, worse in COMPARED.values())
    return Row(f"{MODELS[network].title}, {words}", (*levels, *gains))


_WAYS = tuple(dict.fromkeys(way for pair in COMPARED.values() for way in pair))


class Gain(NamedTuple):
    """What data gain after so many epochs with them, over seeds."""

    epoch: int
    mean: float
    low: float
    high: float


def gains(better: Mapping[int, Sequence[float]], worse: Mapping[int, Sequence[float]], ratio: float) -> list[Gain]:
    """The gain of one curve over another, `ratio` times as many epochs in; the last fifth of the epochs is averaged."""
    found = []
    for epoch in EPOCHS_SHOWN:
        pairs = [
            _late_mean(better[seed], epoch) - _late_mean(worse[seed], round(epoch * ratio))
            for seed in better
            if seed in worse and len(better[seed]) >= epoch and len(worse[seed]) >= round(epoch * ratio)
        ]
        if here := interval(pairs):
            found.append(Gain(epoch, fmean(pairs), *here))
    return found


def _late_mean(curve: Sequence[float], epoch: int) -> float:
    return fmean(curve[epoch - max(1, epoch // 5) : epoch])


def authors_figure(archive: Archive) -> Drawing | None:
    """What data gain over epochs, against a twin of as many epochs and against one of as many steps."""
    details = [row for row in archive.details(AUTHORS) if row.get("part") == study.RELEASE and "test_curve" in row]
    splits = [split for split in (GENERALIZATION, DEPTH_2_OUT) if select(details, split=split)]
    if not splits:
        return None
    figure, axes = panels(
        len(splits),
        len(study.NETWORKS),
        width=9.5,
        height=1 + 2.6 * len(splits),
        sharex=True,
        sharey="row",
        squeeze=False,
    )
    data: list[tuple] = [("network", "split", "compared_at", "epoch", "gain", "low", "high")]
    for line, split in zip(axes, splits, strict=True):
        for panel, network in zip(line, study.NETWORKS, strict=True):
            data += _draw_gains(panel, select(details, split=split, network=network))
            panel.set_title(_place(network, split))
        line[0].set_ylabel("gain by data (points)")
    for panel in axes[-1]:
        panel.set_xlabel("epochs with data")
    legend_below(figure, axes[0][0], 2)
    caption = (
        "On the authors' sample, as they ran it: accuracy on test with data less that without, the mean over seeds in "
        "a band of its 95 % interval. At equal epochs the network with data has taken more steps than its twin."
    )
    return Drawing(figure, caption, data)


def _draw_gains(panel: Axes, rows: Sequence[Training]) -> Iterable[tuple]:
    curves = {way: {row["seed"]: row["test_curve"] for row in select(rows, way=way)} for way in _WAYS[:3]}
    panel.axhline(0, color=INK, linewidth=0.8)
    for way, words, colour, line in (
        (study.WITHOUT, "at equal epochs", VERMILION, "-"),
        (study.AS_MANY_STEPS, "at equal steps", GREEN, "--"),
    ):
        first = {seed: len(curve) for seed, curve in curves[way].items()}
        epochs = {seed: len(curve) for seed, curve in curves[study.WITH].items()}
        shared = [seed for seed in first if seed in epochs]
        ratio = float(np.mean([first[seed] / epochs[seed] for seed in shared])) if shared else 1.0
        found = gains(curves[study.WITH], curves[way], ratio)
        places = [each.epoch for each in found]
        panel.plot(places, [each.mean for each in found], color=colour, linestyle=line, label=words)
        draw_band(panel, places, [each.low for each in found], [each.high for each in found], colour, 0.15)
        where = (rows[0]["network"], rows[0]["split"], words) if rows else ()
        yield from ((*where, each.epoch, *map(rounded, each[1:])) for each in found)
    panel.set_xscale("log")
    panel.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    panel.minorticks_off()


FACTORS_TITLE = "What the paper's effect of data is made of"
AUTHORS_TITLE = "Do function evaluations help on the authors' own sample?"

register(
    Output("factors", FACTORS_TITLE, FIGURE, factors_figure, (FACTORS,), "data"),
    Output("table-factors", FACTORS_TITLE, TABLE, factors_table, (FACTORS,), "data"),
    Output("authors", AUTHORS_TITLE, FIGURE, authors_figure, (AUTHORS,), "data"),
    Output("table-authors", AUTHORS_TITLE, TABLE, authors_table, (AUTHORS,), "data"),
)
