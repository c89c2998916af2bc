"""Ablations and searches as tables and figures, made from their summaries alone."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..sweeps.ablation import final_parts
from .figures import ablation, search
from .figures.drawing import Plot, write_plot
from .results import Archive
from .tables.formats import Table, write_table

SECTION = "sweeps"  # of the page


class Sweep(NamedTuple):
    """A finished ablation or search: its table and its figure."""

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


def sweeps(archive: Archive) -> tuple[Sweep, ...]:
    """Every ablation, then every search; an ablation of which all trials failed has nothing to show."""
    return (*map(ablation_sweep, filter(final_parts, archive.ablations)), *map(search_sweep, archive.searches))


def write_sweep(sweep: Sweep, directory: Path) -> None:
    write_table(sweep.table, directory)
    write_plot(sweep.plot, directory)
