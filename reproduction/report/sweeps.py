"""Studies, ablations and searches as tables and figures, made from their summaries alone."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..sweeps.ablation import final_parts
from .figures import ablation, data_study, ladder, search
from .figures.drawing import Plot, write_plot
from .results import Archive
from .tables.formats import Table, write_table

SECTION, STUDIES = "sweeps", "studies"  # of the page


class Sweep(NamedTuple):
    """A finished study, ablation or search: its table and its figure."""

    table: Table
    plot: Plot


def ablation_sweep(content: dict) -> Sweep:
    name, title = ablation.file_name(content), f"{ablation.title(content)}: accuracy by epoch"
    draw = partial(ablation.ablation_figure, content)
    return Sweep(ablation.ablation_table(content), Plot(name, title, draw, section=SECTION))


def search_sweep(content: dict) -> Sweep:
    name, title = search.file_name(content), f"{search.title(content)}: accuracy by setting"
    draw = partial(search.search_figure, content)
    return Sweep(search.search_table(content), Plot(name, title, draw, section=SECTION))


def data_study_sweep(content: dict) -> Sweep:
    draw = partial(data_study.data_study_figure, content)
    return Sweep(data_study.data_study_table(content), Plot("data-study", data_study.TITLE, draw, section=STUDIES))


def ladder_sweep(content: dict) -> Sweep:
    draw = partial(ladder.ladder_figure, content)
    return Sweep(ladder.ladder_table(content), Plot("ladder", ladder.TITLE, draw, section=STUDIES))


def sweeps(archive: Archive) -> tuple[Sweep, ...]:
    """The two studies, every ablation, every search; one of which all trials failed has nothing to show."""
    return (
        *map(data_study_sweep, _with_rows(archive.data_study)),
        *map(ladder_sweep, _with_rows(archive.ladder)),
        *map(ablation_sweep, filter(final_parts, archive.ablations)),
        *map(search_sweep, archive.searches),
    )


def _with_rows(content: dict) -> tuple[dict, ...]:
    return (content,) if content.get("rows") else ()


def write_sweep(sweep: Sweep, directory: Path) -> None:
    write_table(sweep.table, directory)
    write_plot(sweep.plot, directory)
