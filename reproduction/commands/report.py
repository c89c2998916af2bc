"""`report`: all tables, all figures, and the page that shows them."""

from pathlib import Path

from .. import artifacts
from ..report.page import read_remedies, render
from ..report.results import read_archive
from .figures import draw_all
from .tables import write_tables

HELP = "write all tables and figures, and report.html, one page with everything in it"


def add_arguments(parser) -> None:
    parser.add_argument("--runs", type=Path, default=artifacts.RUNS, metavar="DIR", help="where the results are")
    parser.add_argument("--out", type=Path, default=artifacts.FIGURES, metavar="DIR")


def run(arguments) -> int:
    archive = read_archive(arguments.runs)
    write_tables(archive, arguments.out)
    pictures = draw_all(archive, arguments.runs, arguments.out)
    page = render(archive, pictures, arguments.out, read_remedies(arguments.runs))
    artifacts.write_text(arguments.out / "report.html", page)
    print(f"the report on {len(archive.runs)} runs is {arguments.out / 'report.html'}")
    return 0
