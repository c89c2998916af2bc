"""`tables`: Tables 1 to 5, those beyond them and the verdicts as Markdown, CSV and LaTeX."""

from ..commands import check_writable, place
from ..report.outputs import write_tables
from ..report.readme import FILES, update
from ..report.results import read_archive
from .report import add_places

HELP = "write the paper's tables beside ours, and the verdicts"


def add_arguments(parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these tables, such as table-3 (default: all)")
    add_places(parser)
    marked = "also rewrite what is between the markers of these files (default: README.md and those in docs/)"
    parser.add_argument("--readme", type=place, nargs="*", metavar="FILE", help=marked)


def run(arguments) -> int:
    check_writable(arguments.out)
    archive = read_archive(arguments.runs)
    write_tables(archive, arguments.out, arguments.names)
    said = ", ".join(arguments.names) or "tables and verdicts"
    print(f"{said} of {len(archive.runs)} runs are in {arguments.out}")
    if arguments.readme is not None:
        files = arguments.readme or FILES
        update(files, archive)
        print(f"what is between the markers is rewritten: {', '.join(map(str, files))}")
    return 0
