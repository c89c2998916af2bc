"""Tables and figures of ablations and searches, made again from the summaries under runs/ alone."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from . import artifacts
from .ablation_figures import ablation_figure, ablation_table, claim_sentence
from .drawing import save, style
from .pictures import Picture
from .search_figures import search_figure, search_table
from .table_formats import Table, rows_to_csv, to_latex, to_markdown

SUMMARY = "summary.json"


class Sweep(NamedTuple):
    """A finished ablation or search: its table, and the function that draws its figure inside style()."""

    table: Table
    draw: Callable[[], Picture]


def ablation_sweep(content: dict) -> Sweep:
    return Sweep(ablation_table(content), lambda: ablation_figure(content))


def search_sweep(content: dict) -> Sweep:
    return Sweep(search_table(content), lambda: search_figure(content))


def _summaries(directory: Path) -> list[dict]:
    return [artifacts.read_json(path) for path in sorted(directory.glob(f"*/{SUMMARY}"))]


def read_sweeps(runs: Path) -> tuple[Sweep, ...]:
    """Every ablation, then every search."""
    runs = Path(runs)
    ablations = [ablation_sweep(content) for content in _summaries(runs / "ablation")]
    return (*ablations, *(search_sweep(content) for content in _summaries(runs / "search")))


def adam_sentence(runs: Path) -> str | None:
    """Whether the paper's sentence on Adam holds for all models that were compared so far; None without any."""
    contents = _summaries(Path(runs) / "ablation")
    return claim_sentence(contents) if contents else None


def write_sweep(sweep: Sweep, directory: Path) -> None:
    """The table as Markdown and LaTeX, every trial as CSV, and the figure."""
    name = sweep.table.name
    artifacts.write_text(directory / f"{name}.md", to_markdown(sweep.table))
    artifacts.write_text(directory / f"{name}.tex", to_latex(sweep.table))
    with style():
        picture = sweep.draw()
        save(picture.figure, directory / name)
    artifacts.write_text(directory / f"{name}.csv", rows_to_csv(picture.data))
