"""`export`: a data set as files for other frameworks, with a data card, Croissant metadata and a gallery."""

from .. import benchmark
from ..commands import MOST_SEEDS, add_options, check_writable, place, whole_number
from ..completion.guesses import exported_blanks
from ..data.export import FORMATS, write_export

HELP = "write a data set as plain files for other frameworks"


def add_arguments(parser) -> None:
    parser.add_argument("--out", type=place, required=True, metavar="DIR", help="a new directory, or an earlier export")
    parser.add_argument("--recipe", choices=benchmark.RECIPES, default="paper", help="which data set (default: paper)")
    add_options(parser, "data", default=None, help="another data set, instead of a recipe's")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="(default: jsonl)")
    parser.add_argument("--seeds", type=whole_number(1, MOST_SEEDS), metavar="N", help="seeds 0 to N-1 (default: all)")


def run(arguments) -> int:
    data = arguments.data or benchmark.data_of(arguments.recipe)
    check_writable(arguments.out)
    count = write_export(data, arguments.out, arguments.format, arguments.seeds, exported_blanks)
    print(f"{count} files of equations, README.md, gallery.html and croissant.json written to {arguments.out}")
    return 0
