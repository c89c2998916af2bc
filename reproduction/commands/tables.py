"""`tables`: Tables 1 to 5 and the verdicts as Markdown, CSV and LaTeX."""

from pathlib import Path

from .. import artifacts
from ..report.readme import update_readme
from ..report.results import read_archive
from ..report.tables.formats import write_table
from ..report.tables.tables import all_tables
from ..report.verdicts import verdicts_csv, verdicts_markdown

HELP = "write the paper's tables beside ours, and the verdicts"


def add_arguments(parser) -> None:
    parser.add_argument("--runs", type=Path, default=artifacts.RUNS, metavar="DIR", help="where the results are")
    parser.add_argument("--out", type=Path, default=artifacts.FIGURES, metavar="DIR")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="also rewrite what is between this file's markers")


def write_tables(archive, out: Path) -> None:
    for table in all_tables(archive):
        write_table(table, out)
    artifacts.write_text(out / "verdicts.md", verdicts_markdown(archive))
    artifacts.write_text(out / "verdicts.csv", verdicts_csv(archive))


def run(arguments) -> int:
    archive = read_archive(arguments.runs)
    write_tables(archive, arguments.out)
    print(f"tables and verdicts of {len(archive.runs)} runs are in {arguments.out}")
    if arguments.readme:
        update_readme(arguments.readme, archive)
        print(f"what is between the markers of {arguments.readme} is rewritten")
    return 0
