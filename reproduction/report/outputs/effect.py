"""What the paper's effect of data is made of: leaves and dropout against data, and the authors' own sample by steps."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes

from ...data.dataset import DEPTH_2_OUT, GENERALIZATION, SPLIT_NAMES, SPLIT_TITLES
from ...measures import ACCURACY, TOP_K
from ...models import LEAVES, MODELS
from ...rows import Row, by_seed, select
from ...studies import effect as study
from ...studies.effect import AS_MANY_STEPS, DECODED, DROPOUTS, NETWORKS, NONE, NUMBERS, SPLITS, VERIFIED, WITH, WITHOUT
from ..claims import Cell, averaged, differences, interval, mean_cell, paper_value, summarise
from ..drawing import Colour, Drawing, Look, draw_band, draw_means, in_numbers, legend_below, panels, rounded
from ..formats import NOTHING, Line, Table, section, signed
from ..registry import figure, table
from ..results import PROTOCOLS, Archive

FACTORS, AUTHORS = "factors", "authors"
FACTORS_TITLE = "What the paper's effect of data is made of"
AUTHORS_TITLE = "Do function evaluations help on the authors' own sample?"


def _titled(network: str, split: str) -> str:
    return f"{MODELS[network].title}, {SPLIT_TITLES[split]}"


def difference_text(values: Mapping[int, float]) -> str:
    """`+0.54 (+0.10 to +0.98)`: the mean of a paired difference and its 95 % interval over seeds."""
    if not values:
        return NOTHING
    found = interval(list(values.values()))
    around = f" ({signed(found.low, 2)} to {signed(found.high, 2)})" if found else ""
    return f"{signed(fmean(values.values()), 2)}{around}"


# ------------------------------------------------------------------------------------------------ factors

Corner = tuple[str, float, str]  # leaf, dropout, use of numbers
Corners = Mapping[Corner, Mapping[int, float]]  # accuracy by seed
Places = Mapping[tuple[str, str], Corners]  # by network and split
AS_RELEASED = ("sigmoid", 0.0, NONE)
LEAF_WORDS = {"identity": "bare"}
WORDS = {NONE: "no data", DECODED: "data decoded", VERIFIED: "data verified"}
LOOKS = {
    NONE: Look("without data", Colour.INK, "o", ""),
    DECODED: Look("+ data, decoded", Colour.VERMILION, "D", ""),
    VERIFIED: Look("+ data, verified like symbolic equations", Colour.BLUE, "^", ""),
}
# By name the place of a factor in its corner, the value it is changed to and the value it is changed from.
EFFECTS = {
    "leaves: tanh instead of sigmoid": (0, "tanh", "sigmoid"),
    "leaves: none instead of sigmoid": (0, "identity", "sigmoid"),
    "dropout of 0.2 acts": (1, 0.2, 0.0),
    "data, decoded": (2, DECODED, NONE),
    "data, verified like symbolic equations": (2, VERIFIED, NONE),
}


def crossed(archive: Archive) -> Places:
    """The accuracy in every corner that was trained."""
    found: dict[tuple[str, str], dict[Corner, dict[int, float]]] = {}
    for (network, split), corner in product(product(NETWORKS, SPLITS), product(LEAVES, DROPOUTS, NUMBERS)):
        own = dict(zip(("leaf", "dropout", "numbers"), corner, strict=True))
        if here := by_seed(select(archive.rows(FACTORS), network=network, split=split, **own), ACCURACY.name):
            found.setdefault((network, split), {})[corner] = here
    return found


def effect(corners: Corners, where: int, to: Any, of: Any) -> dict[int, float]:
    """By seed the mean difference that changing one factor makes, over all values of the other two."""
    pairs = [
        differences(corners[corner], corners[before])
        for corner in corners
        if corner[where] == to and (before := (*corner[:where], of, *corner[where + 1 :])) in corners
    ]
    seeds = set.intersection(*map(set, pairs)) if pairs else set()
    return {seed: fmean(pair[seed] for pair in pairs) for seed in sorted(seeds)}


def _words(corner: Corner) -> str:
    leaf, dropout, numbers = corner
    return f"{LEAF_WORDS.get(leaf, leaf)} leaves, dropout {dropout:g}, {WORDS[numbers]}"


def _papers(archive: Archive, network: str, split: str) -> list[float | None]:
    """The paper's accuracies without and with data."""
    return [paper_value(archive, name, split, ACCURACY) for name in (network, f"{network}+data")]


def _nearest(archive: Archive, places: Places) -> Iterator[str]:
    """Which corner of a network is nearest to a row of the paper's on both splits, and how far it is on average."""
    for network, has_data in product(NETWORKS, (False, True)):
        reported = [value for split in SPLITS if (value := _papers(archive, network, split)[has_data]) is not None]
        here = [places[network, split] for split in SPLITS]
        away = {
            corner: fmean(abs(fmean(each[corner].values()) - value) for each, value in zip(here, reported, strict=True))
            for corner in (here[0] if len(reported) == len(SPLITS) else ())
            if all(corner in each for each in here)
        }
        if away:
            corner = min(away, key=away.__getitem__)
            yield (
                f"Nearest to the paper's {MODELS[network].title} {'with' if has_data else 'without'} data: "
                f"{_words(corner)}, on average {away[corner]:.2f} points away on the two splits."
            )


@figure("factors", FACTORS_TITLE, "data", [FACTORS])
def factors_figure(archive: Archive) -> Drawing:
    """Accuracy by leaf and dropout, with and without data, beside the paper's two rows."""
    places = crossed(archive)
    networks = [network for network in NETWORKS if any(network == each for each, _ in places)]
    size = {"width": 10.5, "height": 1 + 2.7 * len(networks)}
    drawn, axes = panels(len(networks), len(SPLITS), **size, sharey=True, squeeze=False)
    data: list[tuple] = [("network", "split", "leaf", "dropout", "data", "mean", "std", "seeds")]
    for panel, place in zip(axes.flat, product(networks, SPLITS), strict=True):
        for value, words, line in zip(_papers(archive, *place), ("without", "+"), (":", "--"), strict=True):
            if value is not None:
                label = f"the paper's {words} data"
                panel.axvline(value, color=Colour.FAINT, linestyle=line, label=label, zorder=0)
        data += [(*place, *row) for row in _draw_corners(panel, places.get(place, {}))]
        panel.set_title(_titled(*place))
    legend_below(drawn, axes[0][0], 5)
    caption = (
        "A line a way to squash the leaves, with and without dropout; marks on it differ in data alone and are means "
        "over seeds with their standard deviation. Grey lines are the paper's rows."
    )
    return Drawing(drawn, caption, data)


def _draw_corners(panel: Axes, corners: Corners) -> Iterator[tuple]:
    """A line a leaf and dropout, a mark a use of numbers; gives the data."""
    lines = list(product(LEAVES, DROPOUTS))
    for number, shift in zip(NUMBERS, (-0.2, 0.0, 0.2), strict=True):
        found = {line: averaged(values) for line in lines if (values := corners.get((*line, number)))}
        draw_means(panel, {lines.index(line) + shift: each for line, each in found.items()}, LOOKS[number], True)
        yield from ((*line, number, *in_numbers(each)) for line, each in found.items())
    names = [f"{LEAF_WORDS.get(leaf, leaf)} leaves, {'dropout' if rate else 'no dropout'}" for leaf, rate in lines]
    panel.set_yticks(range(len(lines)), names)
    panel.set(ylim=(len(lines) - 0.5, -0.5), xlabel="accuracy on test (%)")


@table("table-factors", FACTORS_TITLE, "data", [FACTORS])
def factors_table(archive: Archive) -> Table:
    """The effect of each factor where all was trained, then accuracy in every corner."""
    places, sections, notes = crossed(archive), [], [FACTORS_NOTE]
    titles, papers = [_titled(*place) for place in places], [_papers(archive, *place) for place in places]
    if len(places) == len(NETWORKS) * len(SPLITS):
        lines = [
            Line(words, [difference_text(effect(corners, *contrast)) for corners in places.values()])
            for words, contrast in EFFECTS.items()
        ]
        gaps = [NOTHING if below is None or above is None else signed(above - below, 2) for below, above in papers]
        lines.append(Line("the paper's effect of data", gaps))
        sections.append(section("What each factor changes, in points", ("change", *titles), lines))
        notes += _nearest(archive, places)
    lines = []
    for corner in dict.fromkeys(corner for corners in places.values() for corner in corners):
        here = zip(papers, places.values(), strict=True)
        cells = ((own[0] if corner == AS_RELEASED else None, summarise(each.get(corner, {}))) for own, each in here)
        lines.append(Line(_words(corner), [Cell(*cell) for cell in cells]))
    sections.append(section("Accuracy in every corner, %", ("leaves, dropout, data", *titles), lines))
    return Table(sections, notes)


FACTORS_NOTE = (
    "One equation a step, Adam 1e-3, L2 1e-5, 100 epochs, the epoch chosen on dev. A change is the mean over all "
    "values of the other two factors, paired within seeds, with its 95 % interval (Student's t over seeds). In "
    "brackets behind a corner the paper's row without data, under the settings with which its code really ran."
)

# ------------------------------------------------------------------------------------------------ the authors' sample

COMPARED = {
    "with − without, equal epochs": (WITH, WITHOUT),
    "with − without, equal steps": (WITH, AS_MANY_STEPS),
    "with − without, both to the end": (study.WITH_LONGER, study.WITHOUT_LONGER),
}
TWINS = {WITHOUT: ("at equal epochs", Colour.VERMILION, "-"), AS_MANY_STEPS: ("at equal steps", Colour.GREEN, "--")}
EPOCHS_SHOWN = (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 56, 80, 100)
AUTHORS_NOTE = (
    "The authors' released file data1000_depth4_inpuOut.json: 6,095 symbolic and 1,476 numeric equations. An epoch "
    "with data has more steps; at equal steps the twin without data learns for as many more epochs. To the end: "
    f"{study.TO_THE_END} times the epochs for both. Differences are paired within seeds, with 95 % intervals."
)


def gains(
    better: Mapping[int, Sequence[float]], worse: Mapping[int, Sequence[float]], ratio: float
) -> dict[int, tuple[float, float, float]]:
    """By epoch the gain of one curve over another and its interval, `ratio` times as many epochs in.

    The last fifth of the epochs is averaged.
    """

    def late_mean(curve: Sequence[float], epoch: int) -> float:
        return fmean(curve[epoch - max(1, epoch // 5) : epoch])

    found = {}
    for epoch in EPOCHS_SHOWN:
        pairs = [
            late_mean(better[seed], epoch) - late_mean(worse[seed], round(epoch * ratio))
            for seed in better
            if seed in worse and len(better[seed]) >= epoch and len(worse[seed]) >= round(epoch * ratio)
        ]
        if here := interval(pairs):
            found[epoch] = (fmean(pairs), *here)
    return found


@figure("authors", AUTHORS_TITLE, "data", [AUTHORS])
def authors_figure(archive: Archive) -> Drawing | None:
    """What data gain over epochs, against a twin of as many epochs and against one of as many steps."""
    details = [row for row in archive.details(AUTHORS) if "test_curve" in row]
    protocols = [protocol for protocol in (study.OURS, study.RELEASE) if select(details, part=protocol)]
    places = [place for place in product((GENERALIZATION, DEPTH_2_OUT), NETWORKS) if select(details, split=place[0])]
    if not places:
        return None
    size = {"width": 2.8 * len(places), "height": 1 + 2.3 * len(protocols)}
    drawn, axes = panels(len(protocols), len(places), **size, sharex=True, sharey="row", squeeze=False)
    data: list[tuple] = [("protocol", "network", "split", "compared_at", "epoch", "gain", "low", "high")]
    for panel, (protocol, (split, network)) in zip(axes.flat, product(protocols, places), strict=True):
        rows = _draw_gains(panel, select(details, part=protocol, split=split, network=network))
        data += [(protocol, network, split, *row) for row in rows]
        words = f"{PROTOCOLS[protocol]}:\ngain by data (points)"
        panel.set(title=_titled(network, split), ylabel=words, xlabel="epochs with data")
        panel.label_outer()
    legend_below(drawn, axes[0][0], 2)
    caption = (
        "On the authors' sample: accuracy on test with data less that without, the mean over seeds in a band of its "
        "95 % interval. At equal epochs the network with data has taken more steps than its twin."
    )
    return Drawing(drawn, caption, data)


def _draw_gains(panel: Axes, rows: Sequence[Row]) -> Iterator[tuple]:
    """A line a twin, in a band of its interval; gives the data."""
    panel.axhline(0, color=Colour.INK, linewidth=0.8)
    curves = {way: {row["seed"]: row["test_curve"] for row in select(rows, way=way)} for way in (WITH, *TWINS)}
    for way, (words, colour, line) in TWINS.items():
        ratios = [len(curve) / len(curves[WITH][seed]) for seed, curve in curves[way].items() if seed in curves[WITH]]
        found = gains(curves[WITH], curves[way], fmean(ratios) if ratios else 1.0)
        means, low, high = zip(*found.values(), strict=True) if found else ((), (), ())
        panel.plot(list(found), means, color=colour, linestyle=line, label=words)
        draw_band(panel, list(found), low, high, colour)
        yield from ((words, epoch, *map(rounded, each)) for epoch, each in found.items())
    panel.set_xscale("log")
    panel.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    panel.minorticks_off()


@table("table-authors", AUTHORS_TITLE, "data", [AUTHORS])
def authors_table(archive: Archive) -> Table:
    """With and without data on every split, and the first guess at blanks."""
    headings, sections = ("network and split", "without data, %", "with data, %", *COMPARED), []
    shown = [(split, ACCURACY.name, SPLIT_TITLES[split]) for split in SPLIT_NAMES]
    shown.append((GENERALIZATION, TOP_K[0].name, "blanks, first guess"))
    for protocol in (study.OURS, study.RELEASE):
        rows, lines = select(archive.rows(AUTHORS), part=protocol), []
        for network, (split, name, words) in product(NETWORKS, shown if rows else ()):
            here = select(rows, network=network, split=split)
            ways = {way: by_seed(select(here, way=way), name) for pair in COMPARED.values() for way in pair}
            levels = [mean_cell(ways[way]) if ways[way] else NOTHING for way in (WITHOUT, WITH)]
            changes = [difference_text(differences(ways[better], ways[worse])) for better, worse in COMPARED.values()]
            lines.append(Line(f"{MODELS[network].title}, {words}", [*levels, *changes]))
        if rows:
            sections.append(section(PROTOCOLS[protocol], headings, lines))
    return Table(sections, [AUTHORS_NOTE])
