"""`figures`: every figure that is drawn from results."""

from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..report.figures.figures import dataset_of, drawers, write_figures
from ..report.figures.pictures import Missing
from ..report.results import read_archive

HELP = "draw the figures as PNG and SVG, with their data as CSV"


def add_arguments(parser) -> None:
    parser.add_argument("--runs", type=Path, default=artifacts.RUNS, metavar="DIR", help="where the results are")
    parser.add_argument("--out", type=Path, default=artifacts.FIGURES, metavar="DIR")


def draw_all(archive, runs: Path, out: Path):
    """The pictures, drawn and written with a progress bar; what is missing is said."""
    dataset = dataset_of(runs)
    with tqdm(total=len(drawers(archive, dataset)), unit="figure", disable=None) as bar:
        pictures = write_figures(archive, dataset, out, bar.update)
    for picture in pictures:
        if isinstance(picture, Missing):
            print(f"{picture.name} is left out: {picture.reason}")
    return pictures


def run(arguments) -> int:
    pictures = draw_all(read_archive(arguments.runs), arguments.runs, arguments.out)
    drawn = sum(not isinstance(picture, Missing) for picture in pictures)
    print(f"{drawn} figures are in {arguments.out}")
    return 0
