"""`tables`: Tables 1 to 5, those beyond them and the verdicts as Markdown, CSV and LaTeX."""

from .. import artifacts
from ..commands import check_files, check_writable, place
from ..report.outputs import write_tables
from ..report.readme import FILES, rewritten_files
from .report import add_places, results_at

HELP = "write the paper's tables beside ours, and the verdicts"


def add_arguments(parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these tables, such as table-3 (default: all)")
    add_places(parser)
    marked = "also rewrite what is between the markers of these files (default: README.md and those in docs/)"
    parser.add_argument("--readme", type=place, nargs="*", metavar="FILE", help=marked)


def run(arguments) -> int:
    check_writable(arguments.out)
    archive = results_at(arguments.runs, arguments.names)
    files = () if arguments.readme is None else arguments.readme or FILES
    check_files(*files)
    texts = rewritten_files(files, archive)
    write_tables(archive, arguments.out, arguments.names)
    said = ", ".join(arguments.names) or "tables and verdicts"
    print(f"{said} of {len(archive.runs)} runs are in {arguments.out}")
    for path, text in texts.items():
        artifacts.write_text(path, text)
    if texts:
        print(f"what is between the markers is rewritten: {', '.join(map(str, files))}")
    return 0
