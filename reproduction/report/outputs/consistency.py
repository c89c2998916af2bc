"""How often networks change their minds where the truth does not, and what they make of deeper equations."""

import itertools
from collections.abc import Callable, Sequence

from matplotlib.axes import Axes

from ...rows import Row
from ...use.consistency import CHANGES, FURTHER, PRODUCTIVITY, SYSTEMATICITY
from ...use.consistency import CONSISTENCY as STUDY
from ..drawing import LOOKS, Colour, Drawing, Look, legend_below, panels
from ..formats import NOTHING, Line, Section, Table, section
from ..registry import CONSISTENCY, figure, table
from ..results import Archive

DEEPER = tuple(f"{PRODUCTIVITY}-{levels}" for levels in FURTHER)
OTHERS = tuple(name for name in CHANGES if name not in DEEPER)
BLOCKS = OTHERS[:5], (*OTHERS[5:], *DEEPER)  # of columns: all in one table would be too wide
SHOWN = {look.name: look for look in LOOKS.values()}
MARKERS = "*PX<>hd"  # of networks that have no look of their own

Rows = dict[str, dict[str, Row]]  # by the title of a network its rows by change


def _rows(archive: Archive) -> Rows:
    """The paper's networks in their order, then others by name."""
    order, found = list(SHOWN), Rows()
    for row in archive.rows(STUDY):
        found.setdefault(row["title"], {})[row["part"]] = row
    named = sorted(title for title in found if title not in order)
    return {title: found[title] for title in (*order, *named) if title in found}


def _share(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else NOTHING


def _changed(row: Row) -> str:
    """The share of verdicts that change; of those that were right, and of those that were wrong."""
    if row.get("fixed"):
        return "0 (by construction)"
    count, right, lost, won = (row[name] for name in ("count", "right", "lost", "won"))
    return f"{_share(lost + won, count)} ({_share(lost, right)} / {_share(won, count - right)})"


def _right_after(row: Row) -> int:
    return row["right"] - row["lost"] + row["won"]


def _accuracies(row: Row) -> str:
    return f"{_share(row['right'], row['count'])} → {_share(_right_after(row), row['count'])}"


def _section(title: str, rows: Rows, names: Sequence[str], text: Callable[[Row], str]) -> Section:
    lines = (
        Line(network, [text(own[name]) if name in own else NOTHING for name in names]) for network, own in rows.items()
    )
    return section(title, ("Network", *(CHANGES[name].title for name in names)), lines)


@table("table-consistency", "How often networks change their minds", "networks", needs=(CONSISTENCY,))
def consistency_table(archive: Archive) -> Table:
    """Verdicts that change though the truth does not, accuracy before and after, and systematicity."""
    rows = _rows(archive)
    sections = [
        _section(title, rows, names, text)
        for title, text in (
            ("Verdicts that change, % (of those that were right / of those that were wrong)", _changed),
            ("Accuracy before → after, %", _accuracies),
        )
        for names in BLOCKS
    ]
    new = {title: own[SYSTEMATICITY] for title, own in rows.items() if SYSTEMATICITY in own}
    lines = [
        Line(title, (str(row["count"]), _share(row["right"], row["count"]), _share(row["others"], row["count"])))
        for title, row in new.items()
    ]
    headings = ("Network", "Equations", "Right, %", "Others of the same depths and labels, %")
    sections += [section("Systematicity: accuracy on new pairs of functions", headings, lines)] if lines else []
    return Table(sections, _notes())


def _notes() -> Sequence[str]:
    said = "; ".join(f"{each.title}: {each.sentence}" for name, each in CHANGES.items() if name not in DEEPER)
    return (
        "Networks of runs/pretrained are the best seed of each on dev. A network is asked about the test equations of "
        "its own split; one that learned from other data, as the showcase network, about those of the random split of "
        "seed 0. Every change keeps an equation correct or incorrect as it was, so no judge is asked about it. Its "
        "place is drawn. But for productivity no equation becomes deeper than those of the training.",
        f"The changes: {said}; {PRODUCTIVITY}: {CHANGES[DEEPER[0]].sentence}, or 2 or 3. Systematicity: test equations "
        "in which a function stands directly in another one as in no equation of the training, though both functions "
        "occur there.",
        "By construction: no probability moves. ⟨h_left, h_right⟩ is the same when the sides are swapped. The tests "
        "of compositionality are those of Hupkes et al. (2020), simplified. Figure accuracy-by-depth has deeper "
        "equations of the generator.",
    )


# ------------------------------------------------------------------------------------------------ the figure


def _looks(titles: Sequence[str]) -> dict[str, Look]:
    """The look of each network; those that are not the paper's are black, with markers in turn."""
    markers = itertools.cycle(MARKERS)
    return {title: SHOWN.get(title) or Look(title, Colour.INK, next(markers), ":") for title in titles}


@figure("consistency", "How often networks change their minds where the truth does not", "networks", (CONSISTENCY,))
def consistency(archive: Archive) -> Drawing:
    """Rights that are given up and wrongs that are mended by change, and accuracy by levels beyond the training."""
    rows = _rows(archive)
    looks = _looks(list(rows))
    drawn, axes = panels(1, 3, width=11, height=4.4, gridspec_kw={"width_ratios": [1, 1, 1.1]})
    _draw_changes(axes[0], rows, looks, "lost", lambda row: row["right"])
    _draw_changes(axes[1], rows, looks, "won", lambda row: row["count"] - row["right"])
    axes[0].set_yticks(range(len(OTHERS)), [CHANGES[name].title for name in OTHERS])
    axes[1].set_yticks(range(len(OTHERS)), [""] * len(OTHERS))
    axes[0].set(title="where the verdict was right", xlabel="verdicts that change (%)")
    axes[1].set(title="where it was wrong", xlabel="verdicts that change (%)")
    for title, own in rows.items():
        accuracies = _by_levels(own)
        axes[2].plot(range(len(accuracies)), accuracies, **looks[title].style)
    axes[2].set_xticks((0, *FURTHER), ("as they are", *(f"+{levels}" for levels in FURTHER)))
    axes[2].set(title="productivity", xlabel="levels beyond the training", ylabel="accuracy (%)")
    legend_below(drawn, axes[2], 7)
    caption = (
        "Test equations, changed so that they stay as correct or incorrect as they were. Left and middle: how often "
        "that changes a network's verdict. Right: accuracy on equations with variables, and on the same with terms for "
        "a variable, deeper than any equation of the training. All numbers are in table-consistency."
    )
    names = ("count", "right", "lost", "won", "others")
    data = [
        (title, part, *(row.get(each, "") for each in names))
        for title, own in rows.items()
        for part, row in own.items()
    ]
    return Drawing(drawn, caption, [("network", "test", *names), *data])


def _draw_changes(axes: Axes, rows: Rows, looks: dict[str, Look], name: str, whole: Callable[[Row], int]) -> None:
    """A line a change, with a mark a network."""
    for place, (title, own) in enumerate(rows.items()):
        height = 0.6 * (place / max(len(rows) - 1, 1) - 0.5)
        points = [(100 * own[each][name] / (whole(own[each]) or 1), y) for y, each in enumerate(OTHERS) if each in own]
        style = {**looks[title].style, "linestyle": ""}
        axes.plot([share for share, _ in points], [y + height for _, y in points], **style)
    for y, each in enumerate(OTHERS):
        if all(own[each].get("fixed") for own in rows.values() if each in own):
            axes.annotate("by construction", (0, y), (10, 0), textcoords="offset points", va="center")
    axes.set_ylim(len(OTHERS) - 0.5, -0.5)
    axes.set_xlim(left=-1)


def _by_levels(own: dict[str, Row]) -> list[float]:
    """The accuracy on equations with variables, and on what they become with one, two and three levels more."""
    found = [own[name] for name in DEEPER if name in own]
    right = [*(row["right"] for row in found[:1]), *map(_right_after, found)]
    return [100 * each / found[0]["count"] for each in right]
