"""Studies, ablations and searches as tables and figures, made from their summaries alone."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..models import MODELS
from ..sweeps.ablation_results import views
from .figures import data_study, ladder
from .figures.ablation import ablation_figure, overall_figure
from .figures.drawing import Plot, write_plot
from .figures.search import overall_search_figure, search_figure
from .results import Archive
from .tables import ablation, search
from .tables.formats import Table, write_table

SECTION, STUDIES = "sweeps", "studies"  # of the page


class Sweep(NamedTuple):
    """A finished study, ablation or search: its table and its figure."""

    table: Table
    plot: Plot


def ablation_sweep(content: dict) -> Sweep:
    name, title = ablation.file_name(content), f"{ablation.title(content)}: accuracy by epoch and by learning rate"
    draw = partial(ablation_figure, content)
    return Sweep(ablation.ablation_table(content), Plot(name, title, draw, section=SECTION))


def search_sweep(content: dict) -> Sweep:
    name, title = search.file_name(content), f"{search.title(content)}: accuracy by setting"
    draw = partial(search_figure, content)
    return Sweep(search.search_table(content), Plot(name, title, draw, section=SECTION))


def _in_order(contents: Iterable[dict]) -> tuple[dict, ...]:
    """Summaries in the paper's order of networks."""
    return tuple(sorted(contents, key=lambda content: list(MODELS).index(content["model"])))


def ablation_sweeps(contents: Iterable[dict]) -> tuple[Sweep, ...]:
    """All networks beside each other, if there are several, and each of them; without what has nothing to show."""
    shown = _in_order(filter(views, contents))
    title, draw = "Optimizers on all networks: accuracy by optimizer", partial(overall_figure, shown)
    overall = Sweep(ablation.overall_table(shown), Plot(ablation.OVERALL, title, draw, section=SECTION))
    return (*((overall,) if len(shown) > 1 else ()), *map(ablation_sweep, shown))


def search_sweeps(contents: Iterable[dict]) -> tuple[Sweep, ...]:
    """All networks beside each other, if there are several, and each of them."""
    shown = _in_order(contents)
    title, draw = "The best configuration of every network: accuracy on test", partial(overall_search_figure, shown)
    overall = Sweep(search.overall_search_table(shown), Plot(search.OVERALL, title, draw, section=SECTION))
    return (*((overall,) if len(shown) > 1 else ()), *map(search_sweep, shown))


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
        *ablation_sweeps(archive.ablations),
        *search_sweeps(archive.searches),
    )


def _with_rows(content: dict) -> tuple[dict, ...]:
    return (content,) if content.get("rows") else ()


def write_sweep(sweep: Sweep, directory: Path) -> None:
    write_table(sweep.table, directory)
    write_plot(sweep.plot, directory)
