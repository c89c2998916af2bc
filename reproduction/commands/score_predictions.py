"""`score-predictions`: what anybody's predictions of a test part are worth, beside our networks and baselines."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import benchmark
from ..commands import add_options, place
from ..data.dataset import STRICT
from ..data.scores import Scored
from ..measures import ACCURACY, MSE, MSE_ALL, PRECISION, RECALL, TOP_K, Measure, depth_measure
from ..report.outputs.leaderboard import standings
from ..report.results import read_archive

HELP = "score a file of predictions of a test part as the tables do, beside our networks and baselines"
FORM = """A line of a file of predictions is {"id": "s17", "probability": 0.93}, one for each symbolic equation of the
test part (null for undecided, which is wrong). A correct numeric equation may have {"id": "n5", "decoded": 0.6}, the
number that its other side is: then the mean squared error is computed, too. With --completion a line is
{"id": "s17", "guesses": ["x", "2", "sin(x)"]}, for each line of blanks.jsonl, the best guess first."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = FORM
    parser.add_argument("predictions", type=place, metavar="PREDICTIONS", help="a JSON-lines file, .gz or plain")
    add_file_options(parser)


def add_file_options(parser) -> None:
    """The options beside the name of the file."""
    add_options(parser, "split", default=STRICT, help="(default: strict)")
    add_options(parser, "seed", help="of the split (default: 0)")
    parser.add_argument("--recipe", choices=benchmark.RECIPES, default=benchmark.PAPER, help="(default: paper)")
    parser.add_argument("--completion", action="store_true", help="the file has guesses for blanks")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(arguments: argparse.Namespace) -> int:
    data, path, place_of = benchmark.load(arguments.recipe), arguments.predictions, (arguments.split, arguments.seed)
    scores = (data.score_completion if arguments.completion else data.score)(path, *place_of)
    if arguments.json:
        print(json.dumps({name: scored._asdict() for name, scored in scores.items()}))
        return 0
    depths = (depth_measure(depth) for depth in range(1, 100))
    shares = [each for each in (ACCURACY, PRECISION, RECALL, *depths, *TOP_K) if each.name in scores]
    what = "blanks" if arguments.completion else "symbolic test equations"
    print("{}: {} split, seed {}, {:,} {}".format(path, *place_of, scores[shares[0].name].equations, what))
    others = {each.title: each.seed(*place_of) for each in standings(read_archive(data.directory.parent))}
    print("\n".join(table(path, scores, shares, others)))
    for error in (each for each in (MSE, MSE_ALL) if each.name in scores):
        print(f"{error.title}: {error.text(scores[error.name].value)}, {scores[error.name].equations} equations")
    return 0


def table(
    path: Path, scores: Mapping[str, Scored], shares: Sequence[Measure], others: Mapping[str, Mapping[Measure, float]]
) -> list[str]:
    """The scores between those of others on the same equations, the best first, and their intervals."""
    lines = [(f"> {path.name}", {measure: scores[measure.name].value for measure in shares})]
    lines += [(title, dict(values)) for title, values in others.items() if shares[0] in values]
    lines.sort(key=lambda line: -line[1][shares[0]])
    rows = [(title, [f"{values[each]:.2f}" if each in values else "–" for each in shares]) for title, values in lines]
    intervals = ["{:.1f}–{:.1f}".format(*(scores[each.name].interval or (0, 100))) for each in shares]
    counts = [f"{scores[each.name].equations:,}" for each in shares]
    heads = [each.name.replace("_", " ") for each in shares]
    whole = [("", heads), *rows, ("95 % interval (Wilson)", intervals), ("equations", counts)]
    width = max(len(title) for title, _ in whole)
    return [f"{title:{width}}" + "".join(f"{cell:>12}" for cell in cells) for title, cells in whole]
