"""Why depth 4 is hard for networks that saw depths 1 to 3: how accuracy falls with parts that they never saw."""

from collections.abc import Container

from ..comparison import summarise
from ...data.dataset import Dataset
from .drawing import LOOKS, panels
from ...language.expression import Equation, Expression
from .pictures import TRAIN, Missing, Picture, rounded
from .predictions import symbolic_predictions, usable_runs
from ...data.dataset import DEPTH_4_OUT
from ..results import Archive
from ...training.run_directory import FinishedRun

UNSEEN_DEPTH = 4
MOST = 2  # unseen parts; more are counted with these


def known_parts(dataset: Dataset) -> frozenset[Expression]:
    """Every expression within an equation of the depths that are trained on."""
    return frozenset(
        part for record in dataset.symbolic if record.depth != UNSEEN_DEPTH for part in record.equation.subexpressions()
    )


def unseen_parts(equation: Equation, known: Container[Expression]) -> int:
    """How many distinct expressions strictly within the sides of an equation are not known."""
    parts = {part for side in equation for child in side.children for part in child.subexpressions()}
    return sum(part not in known for part in parts)


def _accuracies(run: FinishedRun, dataset: Dataset, counts: dict[str, int]) -> dict[int, tuple[float, int]]:
    """Accuracy in per cent and number of test equations, by the number of unseen parts."""
    hits: dict[int, list[bool]] = {}
    for identifier, probability, label in symbolic_predictions(run, dataset):
        hits.setdefault(counts[identifier], []).append((probability > 0.5) == bool(label))
    return {count: (100 * sum(here) / len(here), len(here)) for count, here in sorted(hits.items())}


def accuracy_by_novelty(archive: Archive, dataset: Dataset | None) -> Picture | Missing:
    """A line a model: accuracy on the unseen depth against the number of unseen parts."""
    name, title = "accuracy-by-novelty", "Depth 4 unseen: accuracy by the number of unseen parts"
    usable = usable_runs(archive, dataset, DEPTH_4_OUT)
    if not usable:
        return Missing(name, title, TRAIN)
    known = known_parts(dataset)
    counts = {record.id: min(unseen_parts(record.equation, known), MOST) for record in dataset.symbolic}
    figure, axes = panels()
    data = [("model", "unseen_parts", "ours_mean", "ours_std", "seeds", "equations")]
    sizes: dict[int, int] = {}
    for model, runs in usable.items():
        look, rows = LOOKS[model], [_accuracies(run, dataset, counts) for run in runs]
        sizes = {count: size for count, (_, size) in rows[0].items()}
        means = {
            count: summarise({place: row[count][0] for place, row in enumerate(rows) if count in row})
            for count in sizes
        }
        axes.plot(
            list(means), [mean.mean for mean in means.values()], color=look.colour, marker=look.marker,
            linestyle=look.line, label=look.name,
        )  # fmt: skip
        data += [(look.name, n, *map(rounded, mean[:2]), mean.seeds, sizes[n]) for n, mean in means.items()]
    axes.set_xticks(
        list(sizes), [f"{count}{' or more' if count == MOST else ''}\n({size:,})" for count, size in sizes.items()]
    )
    axes.set_xlabel("parts of the equation that occur in no equation of depth 1 to 3 (number of equations)")
    axes.set_ylabel("accuracy (%)")
    figure.legend(loc="outside lower center", ncols=6)
    caption = (
        "Trained on depths 1 to 3, tested on depth 4, mean over seeds. A part is an expression within a side; "
        "where all parts are known, only the last step to the sides is new."
    )
    return Picture(name, title, caption, figure, data)
