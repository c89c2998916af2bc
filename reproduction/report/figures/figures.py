"""All figures that are drawn from results, written as PNG, SVG and CSV."""

from pathlib import Path

from .benchmark import benchmark_figure
from .completion_examples import figure_4, figure_4c_all
from .completion import completion_by_group, completion_by_split, figure_3a, figure_3b
from ...data.dataset import Dataset, load
from .drawing import write_picture
from .novelty import accuracy_by_novelty
from .pictures import Picture
from .predictions import accuracy_by_function, reliability_diagram, training_curves
from ..results import Archive
from .scores import accuracy_by_depth, learning_curves, overview
from ..sweeps import sweeps
from .trees import draw_figure_1, draw_figure_2


def _figure_1() -> Picture:
    caption = "A symbolic equation, a function evaluation, and a number as a decimal tree (the paper's Figure 1)."
    return Picture("figure-1", "Figure 1. Expression trees", caption, draw_figure_1(), ())


def _figure_2() -> Picture:
    caption = (
        "One block a node: an LSTM cell of its own for every function, shared wherever the function occurs; blocks for "
        "symbols and numbers at the leaves (the paper's Figure 2, which decodes both sides of an evaluation)."
    )
    return Picture("figure-2", "Figure 2. The network over two trees", caption, draw_figure_2(), ())


def dataset_of(runs: Path) -> Dataset | None:
    """The data set that the runs learned from, if it is there."""
    data = Path(runs) / "data"
    return load(data) if (data / "symbolic.jsonl.gz").is_file() and (data / "numeric.jsonl.gz").is_file() else None


def drawers(archive: Archive, dataset: Dataset | None):
    """Functions that draw one figure each, in the order of the report."""
    return (
        lambda: overview(archive),
        _figure_1,
        _figure_2,
        lambda: accuracy_by_depth(archive),
        lambda: accuracy_by_novelty(archive, dataset),
        lambda: accuracy_by_function(archive, dataset),
        lambda: reliability_diagram(archive, dataset),
        lambda: learning_curves(archive),
        lambda: training_curves(archive),
        lambda: figure_3a(archive),
        lambda: figure_3b(archive),
        lambda: figure_4(archive),
        lambda: figure_4c_all(archive),
        lambda: completion_by_split(archive),
        lambda: completion_by_group(archive),
        lambda: benchmark_figure(archive.benchmark),
        *(sweep.draw for sweep in sweeps(archive)),
    )


def write_figures(archive: Archive, dataset: Dataset | None, directory: Path, progress=lambda: None):
    """Every figure's files in the directory, and what was drawn or is missing, in order."""
    drawn = []
    for draw in drawers(archive, dataset):
        drawn.append(write_picture(draw, directory))
        progress()
    return tuple(drawn)
