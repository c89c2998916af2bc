"""Accuracy on depths beyond those that were learned from, beside the follow-up's, and how such equations are made."""

from collections.abc import Iterator

from ... import paper
from ...data.baselines import BAG_OF_SYMBOLS, MAJORITY_OF_COLUMN
from ...data.dataset import LEARNED_DEPTHS
from ...measures import ACCURACY, depth_measure
from ...models import MODELS
from ...rows import DEV, Row, distinct, select
from ...studies.deeper import GENERATOR, NAME, TRAINED
from ..claims import Summary, summarise
from ..drawing import LOOKS, Colour, Drawing, Look, draw_means, in_numbers, legend_below, panels
from ..formats import NOTHING, Column, Line, Table, section
from ..registry import figure, table
from ..results import Archive
from ..views import Number, View, seeds_of, view_table

TITLE = "How well do networks work on deeper equations than they learned from?"
WITHOUT = {
    MAJORITY_OF_COLUMN: Look("majority of the test set", Colour.INK, "", ":"),
    BAG_OF_SYMBOLS: Look("bag of symbols", Colour.GREY, "v", ":"),
}
STACKS = {name: f"{MODELS[name.removesuffix('+stack')].title} + stack" for name in paper.FOLLOW_UP if "+stack" in name}


def _approaches(archive: Archive) -> dict[str, str]:
    """Titles: those without a network, then the networks, then those that the follow-up alone has."""
    there = {name for (name,) in distinct(select(archive.rows(NAME), part=TRAINED), "model")}
    titles = {name: look.name for name, look in WITHOUT.items()} | {name: each.title for name, each in MODELS.items()}
    return {name: title for name, title in titles.items() if name in there} | STACKS


def _made(archive: Archive) -> list[Row]:
    """The rows of how each depth was made, in order."""
    rows = select(archive.rows(NAME), model=GENERATOR)
    return sorted((row for row in rows if "part" in row), key=lambda row: row["part"])


@table("table-deeper", TITLE, "depth", [NAME])
def deeper_table(archive: Archive) -> Table | None:
    """A line an approach, the follow-up's number last; then a line a depth of how the equations were made."""
    lines, made = _approaches(archive), _made(archive)
    depths = [row["part"] for row in made if row["part"] > LEARNED_DEPTHS]
    columns = [Number("all", ACCURACY), *(Number(f"depth {depth}", depth_measure(depth)) for depth in depths)]
    shown = view_table(View("model", columns, NAME, lines=lines, where={"part": TRAINED}), archive)
    if shown is None:
        return None
    (ours,) = shown.sections
    judged = [row for row in archive.rows(NAME) if "judged" in row]
    theirs = [f"{paper.FOLLOW_UP[name]:.2f}" if name in paper.FOLLOW_UP else NOTHING for name in lines]
    rows = [row._replace(cells=[*row.cells, own]) for row, own in zip(ours.rows, theirs, strict=True)]
    accuracies = ours._replace(columns=[*ours.columns, Column("follow-up, its own data")], rows=rows)
    headings = ("Depth", "correct", "incorrect", "missing", "left unsettled", "Sympy, s an equation")
    notes = (
        f"Accuracy on test in per cent, trained on depths 1 to {LEARNED_DEPTHS}; dev, which has the trained depths, "
        "chooses epoch and learning rate. Mean ± standard deviation over seeds. The last column is from arXiv "
        "1911.01545, on other equations (29 functions, 10 variables): numbers compare within a column, not across.",
        "Below, how many equations of each depth there are, how many of those asked for were not found, and how many "
        "agree numerically but are not proved: those are left out. Sympy's seconds are processor time, for an equation "
        "that is proved or left unsettled."
        + "".join(f" In all {row['unsure']:,} of {row['judged']:,} that agree were left unsettled." for row in judged),
    )
    return Table([accuracies, section("The data, by depth", headings, map(_made_line, made))], notes)


def _made_line(row: Row) -> Line:
    seconds = f"{row['sympy_seconds']:.3f}" if "sympy_seconds" in row else NOTHING
    counts = (f"{row[name]:,}" for name in ("correct", "incorrect", "missing", "unsure"))
    return Line(str(row["part"]), (*counts, seconds))


@figure("deeper", TITLE, "depth", [NAME])
def deeper_figure(archive: Archive) -> Drawing | None:
    """A line an approach over depths: those of dev, which are learned from, and those of the test."""
    depths = [row["part"] for row in _made(archive) if row["part"] > 1]
    looks = {name: (WITHOUT | LOOKS)[name] for name in _approaches(archive) if name not in STACKS}
    if not depths or not looks:
        return None
    drawn, axes = panels(width=7.4, height=4.6)
    data: list[tuple] = [("approach", "depth", "part", "mean", "std", "seeds")]
    for place, (name, look) in enumerate(looks.items()):
        found = dict(_by_depth(archive, name, depths))
        shift = 0.06 * (place - len(looks) / 2)  # so that error bars stand side by side
        draw_means(axes, {depth + shift: each for depth, each in found.items()}, look)
        parts = {depth: "test" if depth > LEARNED_DEPTHS else "dev" for depth in found}
        data += [(look.name, depth, parts[depth], *in_numbers(each)) for depth, each in found.items()]
    axes.axvline(LEARNED_DEPTHS + 0.5, color=Colour.INK, linewidth=0.8)
    axes.set(xlabel=f"depth (up to {LEARNED_DEPTHS} on dev, the others on test)", ylabel="accuracy (%)")
    axes.set_xticks(depths)
    legend_below(drawn, axes, 3)
    caption = (
        "Left of the line depths that were learned from, right of it depths that were not. Mean and standard "
        "deviation over seeds; depth 1, a handful of equations, is left out."
    )
    return Drawing(drawn, caption, data)


def _by_depth(archive: Archive, approach: str, depths: list[int]) -> Iterator[tuple[int, Summary]]:
    rows = select(archive.rows(NAME), model=approach, part=TRAINED)
    for depth in depths:
        prefix = "" if depth > LEARNED_DEPTHS else DEV
        if found := summarise(seeds_of(rows, f"{prefix}{depth_measure(depth).name}", NAME)):
            yield depth, found
