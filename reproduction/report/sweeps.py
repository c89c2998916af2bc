"""Ablations and searches as tables and figures, made from their summaries alone."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..sweeps.ablation import final_parts
from .figures.ablation import ablation_figure, ablation_table
from .figures.drawing import write_picture
from .figures.pictures import Picture
from .figures.search import search_figure, search_table
from .results import Archive
from .tables.formats import Table, write_table


class Sweep(NamedTuple):
    """A finished ablation or search: its table, and the function that draws its figure inside style()."""

    table: Table
    draw: Callable[[], Picture]


def ablation_sweep(content: dict) -> Sweep:
    return Sweep(ablation_table(content), lambda: ablation_figure(content))


def search_sweep(content: dict) -> Sweep:
    return Sweep(search_table(content), lambda: search_figure(content))


def sweeps(archive: Archive) -> tuple[Sweep, ...]:
    """Every ablation, then every search; an ablation of which all trials failed has nothing to show."""
    return (*map(ablation_sweep, filter(final_parts, archive.ablations)), *map(search_sweep, archive.searches))


def write_sweep(sweep: Sweep, directory: Path) -> None:
    write_table(sweep.table, directory)
    write_picture(sweep.draw, directory)
