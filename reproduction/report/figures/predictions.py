"""Figures of single predictions: accuracy by function, reliability of the probabilities, and curves of training."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes

from ...data.dataset import SYMBOLIC, Dataset
from ...language.grammar import TABLE_1_FUNCTIONS
from ..comparison import summarise
from ...data.dataset import GENERALIZATION
from ..results import Archive
from ...training.run_directory import FinishedRun
from .drawing import FAINT, LOOKS, panels
from .pictures import TRAIN, Missing, Picture, rounded
from .trees import SPELLING

BINS = 10
FEWEST_IN_A_BIN = 20


def symbolic_predictions(run: FinishedRun, dataset: Dataset) -> Iterator[tuple[str, float, int]]:
    """(id, probability, label) of the symbolic test equations of a run."""
    for prediction in run.predictions:
        record = dataset.by_id.get(prediction.id)
        if prediction.part == "test" and record is not None and record.kind == SYMBOLIC:
            yield record.id, prediction.probability, record.label


def usable_runs(archive: Archive, dataset: Dataset | None, split: str = GENERALIZATION) -> dict[str, list[FinishedRun]]:
    """The runs on a split of this very data set that kept their predictions, by model."""
    if dataset is None:
        return {}
    found = {}
    for model in LOOKS:
        runs = [run for run in archive.select(split, model) if run.predictions]
        runs = [run for run in runs if run.data_fingerprint == dataset.fingerprint]
        if runs:
            found[model] = runs
    return found


def _accuracies_by_function(run: FinishedRun, dataset: Dataset) -> dict[str, float]:
    hits: dict[str, list[bool]] = {}
    for identifier, probability, label in symbolic_predictions(run, dataset):
        for name in dataset.by_id[identifier].equation.functions():
            hits.setdefault(name, []).append((probability > 0.5) == bool(label))
    return {name: 100 * sum(here) / len(here) for name, here in hits.items()}


def accuracy_by_function(archive: Archive, dataset: Dataset | None) -> Picture | Missing:
    """A row a function, a mark a model; functions that the last model finds hardest are at the bottom."""
    name, title = "accuracy-by-function", "Accuracy by function"
    usable = usable_runs(archive, dataset)
    if not usable:
        return Missing(name, title, TRAIN)
    scores = {model: [_accuracies_by_function(run, dataset) for run in runs] for model, runs in usable.items()}
    means = {
        model: {
            function: summarise({i: row[function] for i, row in enumerate(rows) if function in row})
            for function in TABLE_1_FUNCTIONS
        }
        for model, rows in scores.items()
    }
    hardest = list(usable)[-1]
    names = [name for name, summary in means[hardest].items() if summary]
    names.sort(key=lambda name: means[hardest][name].mean)
    figure, axes = panels(width=6.8, height=6.8)
    data = [("function", "model", "ours_mean", "ours_std", "seeds")]
    for model, by_name in means.items():
        look, shown = LOOKS[model], [name for name in names if by_name[name]]
        heights = [names.index(name) for name in shown]
        axes.plot(
            [by_name[name].mean for name in shown], heights, color=look.colour, marker=look.marker, linestyle="",
            markersize=5.5, label=look.name,
        )  # fmt: skip
        data += [(f, look.name, *map(rounded, by_name[f][:2]), by_name[f].seeds) for f in shown]
    axes.set_yticks(range(len(names)), [SPELLING.get(name, name) for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("accuracy on test equations that contain the function (%)")
    figure.legend(loc="outside lower center", ncols=3)
    return Picture(
        name, title, "Random split, mean over seeds; an equation counts for every function in it.", figure, data
    )


def reliability(runs: list[FinishedRun], dataset: Dataset) -> tuple[list[tuple[float, float, int]], float]:
    """(mean probability, share correct, count) a bin over all seeds, and the expected calibration error."""
    pairs = [(p, label) for run in runs for _, p, label in symbolic_predictions(run, dataset)]
    probabilities, labels = np.array(pairs).T
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    rows, error = [], 0.0
    for index in range(BINS):
        here = bins == index
        if here.any():
            mean, share, count = probabilities[here].mean(), labels[here].mean(), int(here.sum())
            rows.append((float(mean), float(share), count))
            error += count / len(labels) * abs(mean - share)
    return rows, float(error)


def reliability_diagram(archive: Archive, dataset: Dataset | None) -> Picture | Missing:
    name, title = "reliability", "How far the probabilities can be trusted"
    usable = usable_runs(archive, dataset)
    if not usable:
        return Missing(name, title, TRAIN)
    figure, axes = panels(width=5.6, height=6.2)
    axes.plot([0, 1], [0, 1], color=FAINT, linewidth=1, linestyle=(0, (4, 3)))
    data = [("model", "mean_probability", "share_correct", "count", "expected_calibration_error")]
    for model, runs in usable.items():
        look = LOOKS[model]
        rows, error = reliability(runs, dataset)
        shown = [row for row in rows if row[2] >= FEWEST_IN_A_BIN]
        axes.plot(
            [row[0] for row in shown], [row[1] for row in shown], color=look.colour, marker=look.marker,
            linestyle=look.line, label=f"{look.name}, error {100 * error:.1f} %",
        )  # fmt: skip
        data += [(look.name, rounded(mean), rounded(share), count, rounded(error)) for mean, share, count in rows]
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_xlabel("predicted probability that the equation is correct")
    axes.set_ylabel("share of these equations that are correct")
    figure.legend(loc="outside lower center", ncols=2)
    caption = (
        f"Random split, test equations of all seeds in {BINS} bins, of which those with fewer than {FEWEST_IN_A_BIN} "
        "equations are not drawn. The error is the expected calibration error; the dashed line is perfect."
    )
    return Picture(name, title, caption, figure, data)


def _epoch_curve(runs: tuple[FinishedRun, ...], key: str) -> tuple[np.ndarray, np.ndarray]:
    """(seeds, epochs) values of a column of the histories, cut to the shortest."""
    curves = [[value for epoch in run.history if (value := getattr(epoch, key)) is not None] for run in runs]
    shortest = min(map(len, curves))
    return np.arange(1, shortest + 1), np.array([curve[:shortest] for curve in curves])


def _curve_panel(axes: Axes, archive: Archive, key: str, factor: float) -> list[tuple]:
    rows = []
    for model, look in LOOKS.items():
        runs = tuple(
            r for r in archive.select(GENERALIZATION, model) if r.history and getattr(r.history[0], key) is not None
        )
        if not runs:
            continue
        epochs, values = _epoch_curve(runs, key)
        mean, low, high = (factor * part for part in (values.mean(axis=0), values.min(axis=0), values.max(axis=0)))
        axes.plot(epochs, mean, color=look.colour, linestyle=look.line, label=look.name)
        axes.fill_between(epochs, low, high, color=look.colour, alpha=0.15, linewidth=0)
        rows += [(look.name, int(e), key, *map(rounded, row)) for e, *row in zip(epochs, mean, low, high, strict=True)]
    axes.set_xlabel("epoch")
    return rows


def training_curves(archive: Archive) -> Picture | Missing:
    name, title = "training-curves", "Training"
    if not any(run.history for run in archive.whole if run.split == GENERALIZATION):
        return Missing(name, title, TRAIN)
    figure, axes = panels(1, 2, width=9.0, height=3.8)
    data = [("model", "epoch", "value", "mean", "lowest", "highest")]
    data += _curve_panel(axes[0], archive, "dev_accuracy", 100)
    data += _curve_panel(axes[1], archive, "loss", 1)
    axes[0].set(ylabel="accuracy on dev (%)", title="accuracy")
    axes[1].set(ylabel="logistic loss on train", title="loss", yscale="log")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6)
    return Picture(
        name, title, "Random split; mean over seeds, with a band from the lowest to the highest.", figure, data
    )
