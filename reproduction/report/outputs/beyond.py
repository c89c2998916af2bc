"""Networks that are not the paper's: those of the study `beyond`, and those that somebody else registered."""

from collections.abc import Iterator

from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...measures import ACCURACY, depth_measure
from ...models import MODELS, paper_models
from ...rows import DATA, select
from ...studies.beyond import TUNING
from ..comparison import averaged
from ..drawing import LOOKS, Drawing, draw_means, in_numbers, legend_below, panels
from ..formats import Table
from ..registry import figure, table
from ..results import BEYOND, SETTINGS, Archive
from ..views import Number, View, view_table
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
