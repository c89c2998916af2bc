"""`report`: all tables and figures and the page that shows them, or some by name; the list of what there is."""

from tqdm import tqdm

from .. import artifacts
from ..errors import InputError, place
from ..report.page import FILES, render, rewritten_files
from ..report.registry import chosen, index, listed, write
from ..report.results import read_archive
from . import add_options, check_files, check_writable


def add_report(parser) -> None:
    names = "only these, such as table-3 or figure-3a (default: all)"
    parser.add_argument("names", nargs="*", metavar="NAME", help=names)
    add_options(parser, "runs", help="where the results are")
    parser.add_argument("--out", type=place, default=artifacts.FIGURES, metavar="DIR")
    listing = "print name, kind, needs and title of all there are, and stop"
    parser.add_argument("--list", action="store_true", help=listing)
    marked = "also rewrite what is between the markers of these files (default: README.md and those in docs/)"
    parser.add_argument("--readme", type=place, nargs="*", metavar="FILE", help=marked)


def report(arguments) -> int:
    if arguments.list:
        print(listed())
        return 0
    check_writable(arguments.out)
    wanted, out, runs = chosen(arguments.names), arguments.out, arguments.runs
    archive, needing = read_archive(runs), [each for each in wanted if each.needs]
    if needing and not runs.is_dir():
        raise InputError(f"--runs {runs}: there is no such directory")
    if needing and all(each.missing(archive) for each in needing):
        makes_some = "`python -m reproduction study experiments` makes some"
        raise InputError(f"--runs {runs}: no results of what was asked for; {makes_some}")
    files = () if arguments.readme is None else arguments.readme or FILES
    check_files(*files)
    texts = rewritten_files(files, archive)
    made = [write(each, archive, out) for each in tqdm(wanted, unit="output", disable=None)]
    for each in made:
        if not each.is_there and (arguments.names or each.output.needs):
            print(f"{each.output.name} is left out: {each.missing}")
    if not arguments.names:
        artifacts.write_text(out / "README.md", index(made))
        artifacts.write_text(out / "report.html", render(archive, made, out))
    for path, text in texts.items():
        artifacts.write_text(path, text)
    print(f"{sum(each.is_there for each in made)} of {len(made)} tables and figures are in {out}")
    return 0
