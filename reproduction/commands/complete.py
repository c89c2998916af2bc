"""`complete`: what a trained network would put into the blank of an equation that a person types."""

import argparse
import json
import re
from collections.abc import Iterator

from ..commands import add_options, positive_integer, sympy_answers
from ..judges.oracle import CORRECT, INCORRECT, Oracle
from ..language.grammar import EXTRA_FUNCTIONS
from ..language.parsing import parse_equation
from ..use.answers import Completion, Filling
from ..use.finding import find_network
from ..use.network import Network
from ..use.reading import Reader

HELP = "fill the blank in an equation with a trained network"
VERDICTS = {CORRECT: True, INCORRECT: False}  # any other leaves it open
DIGITS_OF_NUMBERS = {"value": 4, "true": 4, "model_error": 6, "true_error": 6}
TICKS = {True: "✔ correct", False: "✘ incorrect", None: "? not decided"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "equation", help="with _ (or ?, □) for the blank, for instance '4^tanh(0) = _^x' or 'cos(-_) = -0.57'"
    )
    parser.add_argument("--top", type=positive_integer, default=10, metavar="N", help="how many fillings (default: 10)")
    add_options(parser, "run")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser._negative_number_matcher = re.compile(r"-[^-].*=")  # -_=x is an equation, not an option


def _judged(completion: Completion, oracle: Oracle) -> Completion:
    """The completion with the verdict of both judges on every filling that is an expression."""
    equations = [parse_equation(filling.equation, EXTRA_FUNCTIONS) for filling in completion.fillings]
    verdicts = [VERDICTS.get(judgement.verdict) for judgement in oracle.judge_many(equations)]
    rows = zip(completion.fillings, verdicts, strict=True)
    return completion._replace(fillings=tuple(filling._replace(correct=verdict) for filling, verdict in rows))


def _row(filling: Filling) -> str:
    digits = DIGITS_OF_NUMBERS if _is_number(filling) else {"probability": 6}
    found = {name: round(getattr(filling, name), places) for name, places in digits.items()}
    return json.dumps({"expression": filling.expression, **found, "correct": filling.correct}, ensure_ascii=False)


def _is_number(filling: Filling) -> bool:
    return filling.probability is None


def _table(completion: Completion) -> Iterator[str]:
    fillings = completion.fillings
    if fillings and _is_number(fillings[0]):
        yield f"{'number':>8}  {'network':>9}  {'true':>9}  {'modelErr':>9}  {'trueErr':>9}"
        for each in fillings:
            errors = f"{each.model_error:>9.1e}  {each.true_error:>9.1e}"
            mark = "  ✔ fits" if each.correct else ""
            yield f"{each.expression:>8}  {each.value:>9.4f}  {each.true:>9.4f}  {errors}{mark}"
        return
    width = max((len(each.expression) for each in fillings), default=0)
    for each in fillings:
        yield f"  {each.expression:<{width}}  {each.probability:.4f}  {TICKS[each.correct]}"


def _lines(completion: Completion, shown: str, title: str) -> Iterator[str]:
    yield f"{shown}   by {title}"
    yield from _table(completion)
    yield f"correct candidates in all: {completion.correct_candidates}"
    yield from (f"note: {note}" for note in completion.notes)


def run(arguments: argparse.Namespace) -> int:
    found = find_network(arguments.network)
    read = Reader(found.knowledge).blank(arguments.equation)
    with Oracle(sympy_answers(), thorough=True) as oracle:
        if not read.asks_for_a_number:
            oracle.start()
        completion = Network(found).complete(arguments.equation, arguments.top)
        completion = completion if read.asks_for_a_number else _judged(completion, oracle)
    rows = map(_row, completion.fillings) if arguments.json else _lines(completion, read.typed.text, found.title)
    for row in rows:
        print(row)
    return 0
