"""`figures`: every figure that is drawn from results."""

from ..commands import check_writable
from .report import add_places, draw, results_at

HELP = "draw the figures as PNG and SVG, with their data as CSV"


def add_arguments(parser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these figures, such as figure-3a (default: all)")
    add_places(parser)


def run(arguments) -> int:
    check_writable(arguments.out)
    pictures = draw(results_at(arguments.runs, arguments.names), arguments.out, arguments.names)
    drawn = sum(picture.drawing is not None for picture in pictures)
    print(f"{drawn} figure{'s are' if drawn != 1 else ' is'} in {arguments.out}")
    return 0
