"""`tables`: Tables 1 to 5, those beyond them and the verdicts as Markdown, CSV and LaTeX."""

from ..commands import check_writable, place
from ..report.outputs import write_tables
from ..report.readme import update_readme
from ..report.results import read_archive
from .report import add_places

HELP = "write the paper's tables beside ours, and the verdicts"


def add_arguments(parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these tables, such as table-3 (default: all)")
    add_places(parser)
    parser.add_argument("--readme", type=place, metavar="FILE", help="also rewrite what is between this file's markers")


def run(arguments) -> int:
    check_writable(arguments.out)
    archive = read_archive(arguments.runs)
    write_tables(archive, arguments.out, arguments.names)
    said = ", ".join(arguments.names) or "tables and verdicts"
    print(f"{said} of {len(archive.runs)} runs are in {arguments.out}")
    if arguments.readme:
        update_readme(arguments.readme, archive)
        print(f"what is between the markers of {arguments.readme} is rewritten")
    return 0
