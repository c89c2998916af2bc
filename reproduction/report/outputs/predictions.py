"""Figures of single predictions: accuracy by function and by unseen parts, and how far probabilities can be trusted."""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import numpy as np

from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SYMBOLIC, Dataset, Record, load_split
from ...errors import InputError
from ...language.expression import Equation, Expression
from ...language.grammar import TABLE_1_FUNCTIONS
from ...rows import select
from ..claims import Summary, averaged
from ..drawing import LOOKS, Colour, Drawing, in_numbers, legend_below, panels, rounded
from ..registry import DATA, figure
from ..results import OURS, Archive
from .examples import SPELLING

NEEDS = (OURS, DATA)
BINS = 10
FEWEST_IN_A_BIN = 20
UNSEEN_DEPTH = 4
MOST_UNSEEN = 2  # parts; more are counted with these

Predictions = list[tuple[Record, float]]  # test equations, and the probability that each is correct


def predictions(archive: Archive, split: str) -> dict[str, list[Predictions]]:
    """By model the symbolic test equations of each seed that kept its predictions."""
    found: dict[str, list[Predictions]] = {}
    if archive.dataset is None or archive.directory is None:
        return found
    known = archive.dataset.by_id
    for row in select(archive.details(archive.protocol), split=split):
        if not (given := row.get("probabilities")):
            continue
        tested = load_split(archive.directory / DATA, split, row["seed"]).test
        records = [known[name] for name in tested if known[name].kind == SYMBOLIC]
        if len(records) != len(given):
            place = f"{row['model']}, {split}, seed {row['seed']}"
            raise InputError(f"{place}: predictions of another test set; make them again")
        found.setdefault(row["model"], []).append(list(zip(records, given, strict=True)))
    return {model: found[model] for model in LOOKS if model in found}


def _by_group(runs: Sequence[Predictions], groups_of: Callable[[Record], Iterable[Any]]) -> dict[Any, Summary]:
    """By the groups that equations belong to, the accuracy in per cent over the runs that have the group."""
    hits: dict[Any, dict[int, list[bool]]] = {}
    for place, run in enumerate(runs):
        for record, probability in run:
            for group in groups_of(record):
                right = (probability > 0.5) == bool(record.label)
                hits.setdefault(group, {}).setdefault(place, []).append(right)
    return {
        group: averaged({place: 100 * sum(each) / len(each) for place, each in by_run.items()})
        for group, by_run in hits.items()
    }


# ------------------------------------------------------------------------------------------------ by what is in them


def known_parts(dataset: Dataset) -> frozenset[Expression]:
    """Every expression within an equation of the depths that are trained on."""
    return frozenset(
        part for record in dataset.symbolic if record.depth != UNSEEN_DEPTH for part in record.equation.subexpressions()
    )


def unseen_parts(equation: Equation, known: Container[Expression]) -> int:
    """How many distinct expressions strictly within the sides of an equation are not known."""
    parts = {part for side in equation for child in side.children for part in child.subexpressions()}
    return sum(part not in known for part in parts)


@figure("accuracy-by-novelty", "Depth 4 unseen: accuracy by the number of unseen parts", "depth", NEEDS)
def accuracy_by_novelty(archive: Archive) -> Drawing | None:
    """Why depth 4 is hard after depths 1 to 3: a line a model over the number of parts that it never saw."""
    usable, dataset = predictions(archive, DEPTH_4_OUT), archive.dataset
    if not usable or dataset is None:
        return None
    known, sizes = known_parts(dataset), Counter[int]()
    counts = {each.id: min(unseen_parts(each.equation, known), MOST_UNSEEN) for each in dataset.symbolic}
    drawn, axes = panels()
    data: list[tuple] = [("model", "unseen_parts", "ours_mean", "ours_std", "seeds", "equations")]
    for model, runs in usable.items():
        sizes = Counter(counts[record.id] for record, _ in runs[0])
        means = dict(sorted(_by_group(runs, lambda record: (counts[record.id],)).items()))
        axes.plot(list(means), [mean.mean for mean in means.values()], **LOOKS[model].style)
        data += [(LOOKS[model].name, count, *in_numbers(mean), sizes[count]) for count, mean in means.items()]
    texts = [f"{count}{' or more' if count == MOST_UNSEEN else ''}\n({sizes[count]:,})" for count in sorted(sizes)]
    axes.set_xticks(sorted(sizes), texts)
    words = "parts of the equation that occur in no equation of depth 1 to 3 (number of equations)"
    axes.set(xlabel=words, ylabel="accuracy (%)")
    legend_below(drawn, axes, 6)
    caption = "Trained on depths 1 to 3, tested on depth 4, mean over seeds. A part is an expression within a side."
    return Drawing(drawn, caption, data)


@figure("accuracy-by-function", "Accuracy by function", "depth", NEEDS)
def accuracy_by_function(archive: Archive) -> Drawing | None:
    """A row a function, a mark a model; functions that the last model finds hardest are at the bottom."""
    usable = predictions(archive, GENERALIZATION)
    if not usable:
        return None
    means = {model: _by_group(runs, lambda record: record.equation.functions()) for model, runs in usable.items()}
    hardest = means[list(usable)[-1]]
    names = sorted((name for name in TABLE_1_FUNCTIONS if name in hardest), key=lambda name: hardest[name].mean)
    drawn, axes = panels(width=6.8, height=6.8)
    data: list[tuple] = [("function", "model", "ours_mean", "ours_std", "seeds")]
    for model, by_name in means.items():
        points = {height: by_name[name] for height, name in enumerate(names) if name in by_name}
        style = {**LOOKS[model].style, "linestyle": "", "markersize": 5.5}
        axes.plot([each.mean for each in points.values()], list(points), **style)
        data += [(names[height], LOOKS[model].name, *in_numbers(each)) for height, each in points.items()]
    axes.set_yticks(range(len(names)), [SPELLING.get(name, name) for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("accuracy on test equations that contain the function (%)")
    legend_below(drawn, axes, 3)
    return Drawing(drawn, "Random split, mean over seeds; an equation counts for every function in it.", data)


# ------------------------------------------------------------------------------------------------ probabilities


def reliability(runs: Sequence[Predictions]) -> tuple[list[tuple[float, float, int]], float]:
    """(mean probability, share correct, count) a bin over all seeds, and the expected calibration error."""
    probabilities, labels = np.array([(probability, record.label) for run in runs for record, probability in run]).T
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    here = [bins == index for index in np.unique(bins)]
    rows = [(float(probabilities[each].mean()), float(labels[each].mean()), int(each.sum())) for each in here]
    return rows, sum(count / len(labels) * abs(mean - share) for mean, share, count in rows)


@figure("reliability", "How far the probabilities can be trusted", "depth", NEEDS)
def reliability_diagram(archive: Archive) -> Drawing | None:
    """The share of correct equations by the probability that each network gives them."""
    usable = predictions(archive, GENERALIZATION)
    if not usable:
        return None
    drawn, axes = panels(width=5.6, height=6.2)
    axes.plot([0, 1], [0, 1], color=Colour.FAINT, linewidth=1, linestyle=(0, (4, 3)))
    data: list[tuple] = [("model", "mean_probability", "share_correct", "count", "expected_calibration_error")]
    for model, runs in usable.items():
        look = LOOKS[model]
        rows, error = reliability(runs)
        shown = [row for row in rows if row[2] >= FEWEST_IN_A_BIN]
        style = {**look.style, "label": f"{look.name}, error {100 * error:.1f} %"}
        axes.plot([row[0] for row in shown], [row[1] for row in shown], **style)
        data += [(look.name, rounded(mean), rounded(share), count, rounded(error)) for mean, share, count in rows]
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_xlabel("predicted probability that the equation is correct")
    axes.set_ylabel("share of these equations that are correct")
    legend_below(drawn, axes, 2)
    caption = (
        f"Random split, test equations of all seeds in {BINS} bins, those with fewer than {FEWEST_IN_A_BIN} not drawn. "
        "The error is the expected calibration error; the dashed line is perfect."
    )
    return Drawing(drawn, caption, data)


_STAGES = {"before": (Colour.ORANGE, "s", "--", "raw"), "after": (Colour.BLUE, "o", "-", "with the temperature")}


def draw_reliability(judged: dict) -> Drawing:
    """Of the showcase network, a panel for each list that it was judged on; the entries are those of judged.json."""
    lists = [name for name in ("dev", "textbook") if name in judged]
    drawn, axes = panels(1, len(lists), width=3.6 * len(lists), height=3.6, squeeze=False, sharey=True)
    for panel, name in zip(axes[0], lists, strict=True):
        panel.plot([0, 1], [0, 1], color=Colour.FAINT, linewidth=1)
        for stage, (colour, marker, line, words) in _STAGES.items():
            bins, error = judged[name]["reliability"][stage], judged[name]["calibration_error"][stage]
            points = [(each["probability"], each["correct"]) for each in bins]
            style = {"color": colour, "marker": marker, "linestyle": line, "label": f"{words}, error {error:.3f}"}
            panel.plot(*zip(*points, strict=True), **style)
        panel.set(title=f"{name} list", xlabel="probability", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        panel.legend(loc="lower right", fontsize="small")
    axes[0][0].set_ylabel("share that is correct")
    return Drawing(drawn, "The share of correct equations by the probability that the network gives them.")
