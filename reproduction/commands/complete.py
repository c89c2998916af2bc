"""`complete`: what fills the blank of an equation, by a trained network and the judges."""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, place, positive_integer, sympy_answers
from ..errors import InputError
from ..judges.oracle import Oracle
from ..use.completing import Completion, Filling
from ..use.finding import find_network
from ..use.network import Network
from ..use.reading import Reader
from ..use.scoring import BLANKS, read_blanks, scores, summary

HELP = "fill the blank in an equation with a trained network and the judges"
DIGITS = {"probability": 6, "value": 4, "true_value": 4, "squared_error": 6, "true_squared_error": 6}
MARKS = {"correct": "✔ correct", "incorrect": "✘ incorrect", "unsure": "? not decided", "undefined": "? undefined"}
NUMBER_HEADINGS = ("number", "network", "true", "its squared error", "the true one", "rank by network")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "equation",
        nargs="?",
        help="with _ (or ?, □) for the blank, for instance '4^tanh(0) = _^x' or 'cos(-_) = -0.57'",
    )
    parser.add_argument("--top", type=positive_integer, default=10, metavar="N", help="how many fillings (default: 10)")
    add_options(parser, "run", "json")
    parser.add_argument("--network-only", action="store_true", help="the network's own ranking, without the judges")
    parser.add_argument(
        "--score", action="store_true", help=f"fill the blanks of {BLANKS.name} and count what is right"
    )
    parser.add_argument("--out", type=place, metavar="FILE", help="with --score: write the counts there, too")
    parser._negative_number_matcher = re.compile(r"-[^-].*=")  # -_=x is an equation, not an option


def _row(filling: Filling) -> str:
    row = filling._asdict()
    rounded = {name: round(row[name], digits) for name, digits in DIGITS.items() if row[name] is not None}
    return json.dumps({**row, **rounded}, ensure_ascii=False)


def _rank(filling: Filling) -> str:
    return f"{filling.network_rank:,}" if filling.network_rank else "–"


def _table(fillings: tuple[Filling, ...]) -> Iterator[str]:
    """The fillings as lines; where numbers are asked for, those are a table of their own."""
    expressions = [each for each in fillings if not each.is_number]
    width = max((len(each.expression) for each in expressions), default=0)
    for each in expressions:
        mark = MARKS.get(each.judge_verdict or "", "")
        yield f"  {each.expression:<{width}}  {each.probability:.4f}  rank {_rank(each):<5}  {mark}".rstrip()
    numbers = [each for each in fillings if each.is_number]
    if numbers:
        yield "  ".join(f"{heading:>9}" for heading in NUMBER_HEADINGS)
    for each in numbers:
        cells = (each.expression, f"{each.value:.4f}", f"{each.true_value:.4f}")
        errors = (f"{each.squared_error:.1e}", f"{each.true_squared_error:.1e}", _rank(each))
        texts = zip((*cells, *errors), NUMBER_HEADINGS, strict=True)
        yield "  ".join(f"{text:>{max(9, len(heading))}}" for text, heading in texts) + (
            "  ✔ fits" if each.fits else ""
        )


def _lines(completion: Completion, shown: str, title: str) -> Iterator[str]:
    yield f"{shown}   by {title}"
    yield from _table(completion.fillings)
    guess = completion.first_guess
    if guess and not guess.is_right:
        number = f"decoded as {guess.value:.2f}" if guess.is_number else f"{guess.probability:.4f}"
        yield f"the network's own first guess: {guess.expression} ({number})"
    yield "tried: " + ", ".join(f"{count:,} {kind}" for kind, count in completion.tried.items())
    yield from (f"note: {note}" for note in completion.notes)


def _score(arguments: argparse.Namespace) -> int:
    """Counts what is right first on the textbook's blanks."""
    found, blanks = find_network(arguments.network), read_blanks()
    with Oracle(sympy_answers(), thorough=True) as oracle:
        watched = tqdm(scores(Network(found), blanks, oracle), total=len(blanks), unit="blank", disable=None)
        rows = list(watched)
    result = summary(found, rows)
    if arguments.out:
        artifacts.write_sealed(Path(arguments.out), result)
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False))
        return 0
    for topic, counts in {**result["topics"], "all": result["all"]}.items():
        print(
            f"{topic:<32}  {counts['network']:>3} of {counts['count']:>3} alone  {counts['judges']:>3} with the judges"
        )
    return 0


def run(arguments: argparse.Namespace) -> int:
    if arguments.score:
        return _score(arguments)
    if arguments.equation is None:
        raise InputError("no equation is given: complete 'sin(x)^2 + _^2 = 1', or --score")
    found = find_network(arguments.network)
    read = Reader(found.knowledge).blank(arguments.equation)
    with Oracle(sympy_answers(), thorough=True) as oracle:
        completion = Network(found).complete(arguments.equation, arguments.top, arguments.network_only, oracle)
    rows = map(_row, completion.fillings) if arguments.json else _lines(completion, read.typed.text, found.title)
    for row in rows:
        print(row)
    return 0
