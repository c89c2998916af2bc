"""Figures of single predictions: accuracy by function and by unseen parts, and how far probabilities can be trusted."""

from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from ...data.dataset import DEPTH_4_OUT, GENERALIZATION, SYMBOLIC, Dataset, Record, load_split
from ...errors import InputError
from ...language.expression import Equation, Expression
from ...language.grammar import TABLE_1_FUNCTIONS
from ..comparison import Summary, averaged
from ..drawing import (
    BLUE,
    FAINT,
    LOOKS,
    ORANGE,
    Drawing,
    in_numbers,
    legend_below,
    panels,
    rounded,
)  # fmt: skip
from ..registry import DATA, FIGURE, Output, register
from ..results import OURS, Archive
from .trees import SPELLING

BINS = 10
FEWEST_IN_A_BIN = 20
UNSEEN_DEPTH = 4
MOST_UNSEEN = 2  # parts; more are counted with these


Group = TypeVar("Group", bound=Hashable)
Predictions = list[tuple[Record, float]]  # test equations, and the probability that each is correct


def predictions(archive: Archive, split: str) -> dict[str, list[Predictions]]:
    """By model the symbolic test equations of each seed that kept its predictions."""
    found: dict[str, list[Predictions]] = {}
    if archive.dataset is None or archive.directory is None:
        return found
    for row in archive.details(archive.protocol):
        if row["split"] != split or not row.get("probabilities"):
            continue
        tested = load_split(archive.directory / DATA, split, row["seed"]).test
        records = [archive.dataset.by_id[name] for name in tested if archive.dataset.by_id[name].kind == SYMBOLIC]
        if len(records) != len(row["probabilities"]):
            raise InputError(
                f"{row['model']}, {split}, seed {row['seed']}: predictions of another test set; make them again"
            )
        found.setdefault(row["model"], []).append(list(zip(records, row["probabilities"], strict=True)))
    return {model: found[model] for model in LOOKS if model in found}


def _hits(run: Predictions, groups_of: Callable[[Record], Iterable[Group]]) -> dict[Group, list[bool]]:
    """Whether each prediction is right, by the groups that its equation belongs to."""
    hits: dict[Group, list[bool]] = {}
    for record, probability in run:
        for group in groups_of(record):
            hits.setdefault(group, []).append((probability > 0.5) == bool(record.label))
    return hits


def _over_seeds(hits: Sequence[dict[Group, list[bool]]], groups: Iterable[Group]) -> dict[Group, Summary]:
    """The accuracy of each group in per cent, over the runs that have it."""
    accuracies = {
        group: {place: 100 * sum(run[group]) / len(run[group]) for place, run in enumerate(hits) if group in run}
        for group in groups
    }
    return {group: averaged(values) for group, values in accuracies.items() if values}


def accuracy_by_function(archive: Archive) -> Drawing | None:
    """A row a function, a mark a model; functions that the last model finds hardest are at the bottom."""
    usable = predictions(archive, GENERALIZATION)
    if not usable:
        return None
    means = {}
    for model, runs in usable.items():
        hits = [_hits(run, lambda record: record.equation.functions()) for run in runs]
        means[model] = _over_seeds(hits, TABLE_1_FUNCTIONS)
    hardest = means[list(usable)[-1]]
    names = sorted(hardest, key=lambda name: hardest[name].mean)
    figure, axes = panels(width=6.8, height=6.8)
    data: list[tuple] = [("function", "model", "ours_mean", "ours_std", "seeds")]
    for model, by_name in means.items():
        look, shown = LOOKS[model], [name for name in names if name in by_name]
        heights = [names.index(name) for name in shown]
        axes.plot([by_name[name].mean for name in shown], heights, **{**look.style, "linestyle": ""}, markersize=5.5)
        data += [(name, look.name, *in_numbers(by_name[name])) for name in shown]
    axes.set_yticks(range(len(names)), [SPELLING.get(name, name) for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("accuracy on test equations that contain the function (%)")
    legend_below(figure, axes, 3)
    return Drawing(figure, "Random split, mean over seeds; an equation counts for every function in it.", data)


def reliability(runs: Sequence[Predictions]) -> tuple[list[tuple[float, float, int]], float]:
    """(mean probability, share correct, count) a bin over all seeds, and the expected calibration error."""
    pairs = [(probability, record.label) for run in runs for record, probability in run]
    probabilities, labels = np.array(pairs).T
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    rows, error = [], 0.0
    for here in (bins == index for index in range(BINS)):
        if here.any():
            mean, share, count = probabilities[here].mean(), labels[here].mean(), int(here.sum())
            rows.append((float(mean), float(share), count))
            error += count / len(labels) * abs(mean - share)
    return rows, float(error)


def reliability_diagram(archive: Archive) -> Drawing | None:
    usable = predictions(archive, GENERALIZATION)
    if not usable:
        return None
    figure, axes = panels(width=5.6, height=6.2)
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
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
    legend_below(figure, axes, 2)
    caption = (
        f"Random split, test equations of all seeds in {BINS} bins, of which those with fewer than {FEWEST_IN_A_BIN} "
        "equations are not drawn. The error is the expected calibration error; the dashed line is perfect."
    )
    return Drawing(figure, caption, data)


def known_parts(dataset: Dataset) -> frozenset[Expression]:
    """Every expression within an equation of the depths that are trained on."""
    return frozenset(
        part for record in dataset.symbolic if record.depth != UNSEEN_DEPTH for part in record.equation.subexpressions()
    )


def unseen_parts(equation: Equation, known: Container[Expression]) -> int:
    """How many distinct expressions strictly within the sides of an equation are not known."""
    parts = {part for side in equation for child in side.children for part in child.subexpressions()}
    return sum(part not in known for part in parts)


def accuracy_by_novelty(archive: Archive) -> Drawing | None:
    """Why depth 4 is hard after depths 1 to 3: a line a model over the number of parts that it never saw."""
    usable, dataset = predictions(archive, DEPTH_4_OUT), archive.dataset
    if not usable or dataset is None:
        return None
    known, sizes = known_parts(dataset), {}
    counts = {each.id: min(unseen_parts(each.equation, known), MOST_UNSEEN) for each in dataset.symbolic}
    figure, axes = panels()
    data: list[tuple] = [("model", "unseen_parts", "ours_mean", "ours_std", "seeds", "equations")]
    for model, runs in usable.items():
        look = LOOKS[model]
        hits = [_hits(run, lambda record: (counts[record.id],)) for run in runs]
        sizes = {count: len(hits[0][count]) for count in sorted(hits[0])}
        means = _over_seeds(hits, sizes)
        axes.plot(list(means), [mean.mean for mean in means.values()], **look.style)
        data += [(look.name, count, *in_numbers(mean), sizes[count]) for count, mean in means.items()]
    texts = [f"{count}{' or more' if count == MOST_UNSEEN else ''}\n({size:,})" for count, size in sizes.items()]
    axes.set_xticks(list(sizes), texts)
    axes.set_xlabel("parts of the equation that occur in no equation of depth 1 to 3 (number of equations)")
    axes.set_ylabel("accuracy (%)")
    legend_below(figure, axes, 6)
    caption = (
        "Trained on depths 1 to 3, tested on depth 4, mean over seeds. A part is an expression within a side; "
        "where all parts are known, only the last step to the sides is new."
    )
    return Drawing(figure, caption, data)


# ------------------------------------------------------------------------------------------------ the showcase

HEADER = ("list", "temperature", "bin", "equations", "probability", "share correct")
_LOOKS = {"before": (ORANGE, "s", "--", "raw"), "after": (BLUE, "o", "-", "with the temperature")}


def draw_reliability(judged: dict) -> Drawing:
    """A panel for each list that a network was judged on; the entries are those of judged.json."""
    lists: Sequence[str] = [name for name in ("dev", "textbook") if name in judged]
    figure, axes = panels(1, len(lists), width=3.6 * len(lists), height=3.6, squeeze=False, sharey=True)
    rows: list[tuple] = [HEADER]
    for place, name in enumerate(lists):
        own, scores = axes[0][place], judged[name]
        own.plot([0, 1], [0, 1], color=FAINT, linewidth=1)
        for stage, (colour, marker, line, words) in _LOOKS.items():
            bins, error = scores["reliability"][stage], scores["calibration_error"][stage]
            points = [(each["probability"], each["correct"]) for each in bins]
            label = f"{words}, error {error:.3f}"
            own.plot(*zip(*points, strict=True), color=colour, marker=marker, linestyle=line, label=label)
            rows += [
                (name, stage, each["bin"], each["count"], *map(rounded, point))
                for each, point in zip(bins, points, strict=True)
            ]
        own.set(title=f"{name} list", xlabel="probability", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        own.legend(loc="lower right", fontsize="small")
    axes[0][0].set_ylabel("share that is correct")
    return Drawing(figure, "The share of correct equations by the probability that the network gives them.", rows)


register(
    Output(
        "accuracy-by-novelty", "Depth 4 unseen: accuracy by the number of unseen parts", FIGURE, accuracy_by_novelty,
        (OURS, DATA), "depth",
    ),
    Output("accuracy-by-function", "Accuracy by function", FIGURE, accuracy_by_function, (OURS, DATA), "depth"),
    Output(
        "reliability", "How far the probabilities can be trusted", FIGURE, reliability_diagram, (OURS, DATA), "depth",
    ),
)  # fmt: skip
