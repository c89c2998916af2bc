"""Every table and every figure by name: all of them are made from here, or just those that are asked for."""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..errors import InputError
from .figures.benchmark import benchmark_figure
from .figures.completion import EVALUATE, completion_by_group, figure_3a, figure_3b
from .figures.completion_examples import figure_4, figure_4c_all
from .figures.drawing import TRAIN, Picture, Plot, write_plot
from .figures.predictions import accuracy_by_function, accuracy_by_novelty, reliability_diagram
from .figures.scores import accuracy_by_depth, learning_curves, overview, training_curves
from .figures.trees import figure_1, figure_2
from .results import Archive
from .sweeps import sweeps
from .tables.completion import completion_tables
from .tables.fingerprints import fingerprint_table
from .tables.formats import Table, write_table
from .tables.protocol import protocol_tables
from .tables.symbols import table_1, table_2, table_5
from .tables.sympy import sympy_table
from .tables.tables import cost_table, data_table, evaluation_table, headline_table, table_3, table_4
from .verdicts import verdicts_csv, verdicts_markdown

VERDICTS = "verdicts"  # like a table, with many parts
LIKE_STAGES = (
    "benchmark",
    "data-study",
    "ladder",
)  # figures with the name of a stage, which would make the results anew
MEASURE = "`./run_all.sh benchmark` measures it."

# Name, title, the function that draws it from the results, what makes those, and the section of the page.
RESULT_PLOTS = (
    ("overview", "Accuracy, ours beside the paper's", overview, TRAIN, "overview"),
    ("figure-1", "Figure 1. Expression trees", lambda _: figure_1(), "", "figures"),
    ("figure-2", "Figure 2. The network over two trees", lambda _: figure_2(), "", "figures"),
    ("accuracy-by-depth", "Accuracy by depth", accuracy_by_depth, TRAIN, "figures"),
    (
        "accuracy-by-novelty",
        "Depth 4 unseen: accuracy by the number of unseen parts",
        accuracy_by_novelty,
        TRAIN,
        "figures",
    ),
    ("accuracy-by-function", "Accuracy by function", accuracy_by_function, TRAIN, "figures"),
    ("reliability", "How far the probabilities can be trusted", reliability_diagram, TRAIN, "figures"),
    ("learning-curves", "Accuracy by size of the training set", learning_curves, TRAIN, "figures"),
    ("training-curves", "Training", training_curves, TRAIN, "figures"),
    ("figure-3a", "Figure 3a. Symbolic equation completion", figure_3a, EVALUATE, "completion"),
    ("figure-3b", "Figure 3b. Function evaluation completion", figure_3b, EVALUATE, "completion"),
    ("figure-4", "Figure 4. Examples of equation completion", figure_4, EVALUATE, "completion"),
    ("figure-4c-all", "Figure 4c for every evaluated function", figure_4c_all, EVALUATE, "completion"),
    ("completion-by-blank", "Which blanks are hard", completion_by_group, EVALUATE, "completion"),
    ("benchmark", "Speed of the tree engine", lambda archive: benchmark_figure(archive.benchmark), MEASURE, "figures"),
)


def all_tables(archive: Archive) -> tuple[Table, ...]:
    return (
        table_1(),
        table_2(archive),
        table_3(archive),
        table_4(archive),
        table_5(),
        headline_table(archive),
        evaluation_table(archive),
        data_table(archive),
        fingerprint_table(archive),
        sympy_table(archive),
        cost_table(archive),
        *completion_tables(archive),
        *protocol_tables(archive),
        *(sweep.table for sweep in sweeps(archive)),
    )


def all_plots(archive: Archive) -> tuple[Plot, ...]:
    """In the order of the page."""
    plots = (Plot(name, title, partial(draw, archive), *rest) for name, title, draw, *rest in RESULT_PLOTS)
    return (*plots, *(sweep.plot for sweep in sweeps(archive)))


def _chosen(names: Sequence[str], known: Iterable[str], kind: str) -> Sequence[str]:
    """The names that are asked for, all if none is; one that is not known is refused."""
    for name in names:
        if name not in known:
            raise InputError(f"there is no {kind} {name!r}; there are {', '.join(known)}")
    return names or tuple(known)


def _write_verdicts(archive: Archive, directory: Path) -> None:
    artifacts.write_text(directory / f"{VERDICTS}.md", verdicts_markdown(archive))
    artifacts.write_text(directory / f"{VERDICTS}.csv", verdicts_csv(archive))


def write_tables(archive: Archive, directory: Path, names: Sequence[str] = ()) -> None:
    """The files of the tables of these names, of all if there are none; the verdicts are among them."""
    writers = {table.name: partial(write_table, table, directory) for table in all_tables(archive)}
    writers[VERDICTS] = partial(_write_verdicts, archive, directory)
    for name in _chosen(names, writers, "table"):
        writers[name]()


def write_figures(archive: Archive, directory: Path, names: Sequence[str] = ()) -> tuple[Picture, ...]:
    """The files of the figures of these names, of all if there are none, and what was drawn or is missing, in order."""
    plots = {plot.name: plot for plot in all_plots(archive)}
    chosen = _chosen(names, plots, "figure")
    return tuple(write_plot(plots[name], directory) for name in tqdm(chosen, unit="figure", disable=None))


def index(archive: Archive, pictures: Iterable[Picture]) -> str:
    """figures/README.md: the command that makes each table and each figure, and what it shows."""
    about = "Made by `./run_all.sh report`; each of them alone by its own command."
    if os.environ.get(artifacts.BENCHMARK):
        about += " Of the pictures two are kept here; the command of each of the others makes it."
    lines = ["# Tables and figures", "", about, ""]
    lines += ["| Table | Command | What it shows |", "|---|---|---|"]
    titles = [(table.name, table.title) for table in all_tables(archive)]
    lines += [_line(name, "md", title) for name, title in (*titles, (VERDICTS, "Every claim of the paper, judged"))]
    lines += ["", "| Figure | Command | What it shows |", "|---|---|---|"]
    lines += [_line(each.plot.name, "png", _about(each)) for each in pictures]
    return "\n".join(lines) + "\n"


def _about(picture: Picture) -> str:
    title = picture.plot.title
    return f"{title}{'' if title.endswith('?') else '.'} {picture.caption}"


def _line(name: str, suffix: str, text: str) -> str:
    benchmark = os.environ.get(artifacts.BENCHMARK)
    command = f"./run_all.sh {f'--recipe {benchmark} ' if benchmark else ''}{name}"
    if name in LIKE_STAGES:
        command = f".venv/bin/python -m reproduction figures {name}"
    return f"| [{name}]({name}.{suffix}) | `{command}` | {text} |"
