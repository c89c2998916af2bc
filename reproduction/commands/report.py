"""`report`: all tables, all figures, the page that shows them, and the list of what there is."""

from collections.abc import Sequence
from pathlib import Path

from .. import artifacts
from ..commands import check_writable, place
from ..errors import InputError
from ..report.figures.drawing import Picture
from ..report.outputs import index, write_figures, write_tables
from ..report.page import render
from ..report.results import Archive, read_archive

HELP = "write all tables and figures, and report.html, one page with everything in it"


def add_places(parser) -> None:
    parser.add_argument("--runs", type=place, default=artifacts.RUNS, metavar="DIR", help="where the results are")
    parser.add_argument("--out", type=place, default=artifacts.FIGURES, metavar="DIR")


add_arguments = add_places
WITHOUT_RUNS = (  # tables and figures of the paper, of the data or of the machine alone
    "table-1",
    "table-2",
    "table-5",
    "table-data",
    "table-fingerprints",
    "table-sympy",
    "figure-1",
    "figure-2",
    "benchmark",
)


def results_at(runs: Path, names: Sequence[str] = ()) -> Archive:
    """What lies under a directory; without any results nothing is made of it, unless these names need none."""
    needs_none = names and set(names) <= set(WITHOUT_RUNS)
    if not runs.is_dir() and not (needs_none and runs == artifacts.RUNS):
        raise InputError(f"--runs {runs}: there is no such directory")
    archive = read_archive(runs)
    if not (needs_none or archive.has_results):
        train = "`python -m reproduction experiments` trains networks"
        raise InputError(f"--runs {runs}: no finished run is in its experiments/, nor the results of a study; {train}")
    return archive


def draw(archive: Archive, out: Path, names: Sequence[str] = ()) -> tuple[Picture, ...]:
    """The pictures, drawn and written; what is missing is said."""
    pictures = write_figures(archive, out, names)
    for picture in pictures:
        if picture.drawing is None:
            print(f"{picture.plot.name} is left out: {picture.caption}")
    return pictures


def run(arguments) -> int:
    check_writable(arguments.out)
    archive, out = results_at(arguments.runs), arguments.out
    write_tables(archive, out)
    pictures = draw(archive, out)
    artifacts.write_text(out / "README.md", index(archive, pictures))
    artifacts.write_text(out / "report.html", render(archive, pictures, out))
    print(f"the report on {len(archive.runs)} runs is {out / 'report.html'}")
    return 0
