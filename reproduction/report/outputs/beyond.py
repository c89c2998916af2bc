"""What goes beyond the paper: other networks (`study beyond`), and deeper equations (`study deeper`)."""

from collections.abc import Iterator
from statistics import fmean

from ... import paper
from ...data.baselines import BAG_OF_SYMBOLS, MAJORITY_OF_COLUMN
from ...data.dataset import GENERALIZATION, LEARNED_DEPTHS, SPLIT_TITLES
from ...measures import ACCURACY, depth_measure
from ...models import MODELS, paper_models
from ...rows import DATA, DEV, Row, distinct, select
from ...studies import deeper
from ...studies.beyond import TUNING
from ..claims import Summary, averaged, differences, interval, summarise
from ..drawing import LOOKS, Colour, Drawing, Look, draw_means, in_numbers, legend_below, panels
from ..formats import NOTHING, Column, Line, Table, section, signed
from ..registry import figure, table
from ..results import BEYOND, SETTINGS, Archive
from ..views import Number, View, seeds_of, view_table
from .results import TRIED, trained

BESIDE = ("lstm", "tree-lstm")  # of the paper's
COSTS = {
    "parameters": "parameters",
    "epochs": "epochs",
    "training (s)": "train_seconds",
    "equations/s": "equations_per_second",
}
COLUMNS = {
    "Accuracy, and what learns from data": TRIED,
    "The random split by depth, and what a training costs": (
        *(Number(f"depth {depth}, %", depth_measure(depth), {"split": GENERALIZATION}) for depth in (2, 3, 4)),
        *(Number(title, name, {"split": GENERALIZATION}, decimals=0) for title, name in COSTS.items()),
    ),
}


@table("table-beyond", "Networks beyond the paper", "results")
def beyond_table(archive: Archive) -> Table | None:
    """Networks that are none of the paper's, beside two of the paper's; None without any."""
    found, papers = archive.with_others, {model.name for model in paper_models()}
    if not trained(found.whole, papers):
        return None
    lines = trained(found.whole, papers - set(BESIDE))
    views = [View("model", columns, "", lines=lines, sections={title: {}}) for title, columns in COLUMNS.items()]
    made = [each for view in views if (each := view_table(view, found))]
    notes = ("Mean ± standard deviation over seeds.", *tuning_notes(archive))
    return Table([section for each in made for section in each.sections], notes)


def tuning_notes(archive: Archive) -> Iterator[str]:
    """What was tried on dev, and how it was chosen: a sentence a step."""
    rows = select(archive.rows(BEYOND), part=TUNING)
    if rows:
        yield (
            "A Transformer has as many layers as bring it near TreeLSTM's parameters. Settings were chosen on dev of "
            f"{rows[0][DATA]}, a data set of another seed, for “{MODELS[rows[0]['model']].title}”; the others have the "
            "same. Each step of the tuning keeps the best of the steps before."
        )
    for rung in sorted({row["rung"] for row in rows}):
        here = sorted(select(rows, rung=rung), key=lambda row: row["place"])
        varied = [name for name in SETTINGS if len({row.get(name) for row in here}) > 1]
        tried = [
            f"{', '.join(f'{name} {row[name]:g}'.replace('_', ' ') for name in varied)}: {row['dev_accuracy']:.2f} %"
            for row in here
        ]
        yield f"Tried for {here[0]['epochs']} epochs, accuracy on dev: {'; '.join(tried)}."


@figure("accuracy-by-parameters", "Accuracy against the number of parameters", "results")
def accuracy_by_parameters(archive: Archive) -> Drawing | None:
    """All networks on the splits that those beyond the paper were trained on; None without such networks."""
    found, papers = archive.with_others, [model.name for model in paper_models()]
    places = {row["split"] for row in found.whole if row["model"] not in papers}
    splits = [split for split in SPLIT_TITLES if split in places]
    if not splits:
        return None
    drawn, axes = panels(1, len(splits), width=max(5.0, 3.4 * len(splits)), height=4.2, sharey=True, squeeze=False)
    data: list[tuple] = [("split", "model", "parameters", "ours_mean", "ours_std", "seeds")]
    for panel, split in zip(axes[0], splits, strict=True):
        for model, look in LOOKS.items():
            if rows := found.select(split, model):
                summary = averaged(found.values(model, split, ACCURACY))
                draw_means(panel, {rows[0]["parameters"]: summary}, look)
                data.append((split, look.name, rows[0]["parameters"], *in_numbers(summary)))
        panel.set(xscale="log", xlabel="parameters", title=SPLIT_TITLES[split])
    axes[0][0].set_ylabel("accuracy on test (%)")
    legend_below(drawn, axes[0][0], 4 if len(splits) > 1 else 2)
    return Drawing(drawn, "Mean and standard deviation over seeds; settings of each network were chosen on dev.", data)


# ------------------------------------------------------------------------------------------------ deeper equations

DEEPER_TITLE = "How well do networks work on deeper equations than they learned from?"
WITHOUT = {
    MAJORITY_OF_COLUMN: Look("majority of the test set", Colour.INK, "", ":"),
    BAG_OF_SYMBOLS: Look("bag of symbols", Colour.GREY, "v", ":"),
}
STACKS = {name: f"{MODELS[name.removesuffix('+stack')].title} + stack" for name in paper.FOLLOW_UP if "+stack" in name}


def _approaches(archive: Archive) -> dict[str, str]:
    """Titles: those without a network, then the networks, then those that the follow-up alone has."""
    there = {name for (name,) in distinct(select(archive.rows(deeper.NAME), part=deeper.TRAINED), "model")}
    titles = {name: look.name for name, look in WITHOUT.items()} | {name: each.title for name, each in MODELS.items()}
    return {name: title for name, title in titles.items() if name in there} | STACKS


def _made_by_depth(archive: Archive) -> list[Row]:
    """The rows of how each depth was made, in order."""
    rows = select(archive.rows(deeper.NAME), model=deeper.GENERATOR)
    return sorted((row for row in rows if "part" in row), key=lambda row: row["part"])


@table("table-deeper", DEEPER_TITLE, "depth", [deeper.NAME])
def deeper_table(archive: Archive) -> Table | None:
    """A line an approach, the follow-up's number last; then a line a depth of how the equations were made."""
    lines, made = _approaches(archive), _made_by_depth(archive)
    depths = [row["part"] for row in made if row["part"] > LEARNED_DEPTHS]
    columns = [Number("all", ACCURACY), *(Number(f"depth {depth}", depth_measure(depth)) for depth in depths)]
    columns += [Number(name, name, decimals=0) for name in ("parameters", "epochs")]
    shown = view_table(View("model", columns, deeper.NAME, lines=lines, where={"part": deeper.TRAINED}), archive)
    if shown is None:
        return None
    (ours,) = shown.sections
    judged = [row for row in archive.rows(deeper.NAME) if "judged" in row]
    theirs = [f"{paper.FOLLOW_UP[name]:.2f}" if name in paper.FOLLOW_UP else NOTHING for name in lines]
    rows = [row._replace(cells=[*row.cells, own]) for row, own in zip(ours.rows, theirs, strict=True)]
    accuracies = ours._replace(columns=[*ours.columns, Column("follow-up, its own data")], rows=rows)
    headings = ("Depth", "correct", "incorrect", "missing", "left unsettled", "Sympy, s an equation")
    notes = (
        f"Accuracy on test in per cent, trained on depths 1 to {LEARNED_DEPTHS}; dev, which has the trained depths, "
        "chooses epoch and learning rate. Mean ± standard deviation over seeds. The last column is from arXiv "
        "1911.01545, on other equations (29 functions, 10 variables): numbers compare within a column, not across."
        + stack_sentence(archive),
        "Below, how many equations of each depth there are, how many of those asked for were not found, and how many "
        "agree numerically but are not proved: those are left out. Sympy's seconds are processor time, for an equation "
        "that is proved or left unsettled."
        + "".join(f" In all {row['unsure']:,} of {row['judged']:,} that agree were left unsettled." for row in judged),
    )
    return Table([accuracies, section("The data, by depth", headings, map(_made_line, made))], notes)


def stack_sentence(archive: Archive) -> str:
    """What the stack gains over the TreeLSTM, within each seed; nothing where one of them is missing."""
    rows = select(archive.rows(deeper.NAME), part=deeper.TRAINED)
    stack, plain = (
        seeds_of(select(rows, model=name), ACCURACY.name, deeper.NAME) for name in ("tree-smu", "tree-lstm")
    )
    gains = list(differences(stack, plain).values())
    if not (between := interval(gains)):
        return ""
    low, high = (signed(each, 2) for each in between)
    return f" Tree-SMU less TreeLSTM: {signed(fmean(gains), 2)} points (95 % interval {low} to {high})."


def _made_line(row: Row) -> Line:
    seconds = f"{row['sympy_seconds']:.3f}" if "sympy_seconds" in row else NOTHING
    counts = (f"{row[name]:,}" for name in ("correct", "incorrect", "missing", "unsure"))
    return Line(str(row["part"]), (*counts, seconds))


@figure("deeper", DEEPER_TITLE, "depth", [deeper.NAME])
def deeper_figure(archive: Archive) -> Drawing | None:
    """A line an approach over depths: those of dev, which are learned from, and those of the test."""
    depths = [row["part"] for row in _made_by_depth(archive) if row["part"] > 1]
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
    rows = select(archive.rows(deeper.NAME), model=approach, part=deeper.TRAINED)
    for depth in depths:
        prefix = "" if depth > LEARNED_DEPTHS else DEV
        if found := summarise(seeds_of(rows, f"{prefix}{depth_measure(depth).name}", deeper.NAME)):
            yield depth, found
