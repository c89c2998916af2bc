"""`verify`: what a trained network says of equations, and beside it the judges' verdict."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, place, sympy_answers
from ..errors import InputError
from ..judges.oracle import Oracle, explanation
from ..language.parsing import ParseError
from ..use.finding import Found, find_network
from ..use.network import Network, Verification
from ..use.reading import Read, Reader, Texts

HELP = "say how probable a trained network finds equations, beside the judges' verdict"
STANDARD_INPUT = "-"


class Line(NamedTuple):
    """An equation and where it stands."""

    text: str
    place: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "equations", nargs="*", metavar="EQUATION", help="'sin(2*x) = 2*sin(x)*cos(x)'; - for standard input"
    )
    parser.add_argument("--file", type=place, action="append", default=[], help="equations, one a line, # for comments")
    add_options(parser, "run", "json")
    parser.add_argument("--network-only", action="store_true", help="do not ask the judges, which takes longer")
    parser._negative_number_matcher = re.compile(r"-[^-].*=")  # -x=x is an equation, not an option


def _lines(text: str, name: Path | str) -> list[Line]:
    """The equations of a text, one a line; comments, and headers as in axioms.txt, are passed over."""
    numbered = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    stripped = ((number, line.partition("#")[0].rstrip()) for number, line in numbered)
    lines = [
        Line(line, f"{name}, line {number}") for number, line in stripped if line and not line.lstrip().startswith("[")
    ]
    if not lines:
        raise InputError(f"{name}: no equation in it; one a line, as in x + 0 = x, is wanted")
    return lines


def _standard_input() -> list[Line]:
    name = "standard input"
    return _lines(artifacts.decoded(artifacts.read_bounded(sys.stdin.buffer, name), name), name)


def _given(arguments: argparse.Namespace) -> Iterator[Line]:
    """Every equation that the command line names."""
    texts = arguments.equations
    if "=" in texts:
        raise InputError(f"an equation stands in quotes: verify '{' '.join(texts)}'")
    if not texts and not arguments.file:
        if sys.stdin.isatty():
            raise InputError("no equation is given: verify 'x + 0 = x', or --file FILE, one equation a line")
        texts = [STANDARD_INPUT]
    for number, text in enumerate(texts, 1):
        place = f"equation {number}" if len(texts) > 1 else ""
        yield from _standard_input() if text == STANDARD_INPUT else [Line(text, place)]
    for path in arguments.file:
        yield from _lines(artifacts.read_text(path, pipes=True), path)


def _read(lines: list[Line], reader: Reader, for_judges: bool) -> list[Read]:
    """What is to be answered; lines that cannot be read are reported."""
    reads, texts = [], Texts()
    for line in lines:
        try:
            reads.append(reader.equation(line.text, texts, for_judges))
        except InputError as error:
            between = (", " if isinstance(error, ParseError) else ": ") if line.place else ""
            print(f"error: {line.place}{between}{error}", file=sys.stderr)
    return reads


def _row(answer: Verification) -> str:
    row = answer._asdict()
    if answer.probability is not None:
        row["probability"] = round(answer.probability, 6)
    return json.dumps(row, ensure_ascii=False)


def _opinion(answer: Verification) -> str:
    return "no opinion" if answer.probability is None else f"{answer.probability:.4f}  {answer.network_verdict}"


def _sentences(answer: Verification, title: str) -> str:
    if answer.judge_verdict is None:
        return "   ".join([f"{_opinion(answer):<17}  {answer.equation}", *(f"({note})" for note in answer.notes)])
    rows = [(title, _opinion(answer)), ("judges", f"{answer.judge_verdict}: {explanation(answer.evidence or {})}")]
    rows += [("note", note) for note in answer.notes]
    width = max(len(name) for name, _ in rows)
    return "\n".join([answer.equation, *(f"  {name:<{width}}  {text}" for name, text in rows)])


def _answers(found: Found, reads: list[Read], judged: bool) -> Iterator[Verification]:
    """Every answer; Sympy gets ready while MXNet is imported."""
    with ExitStack() as stack:
        oracle = stack.enter_context(Oracle(sympy_answers(), thorough=True)) if judged else None
        if oracle:
            oracle.prepare(read.typed for read in reads[:1])
        for read, answer in zip(reads, Network(found).verify_read(reads), strict=True):
            yield answer.judged(oracle.judge(read.typed)) if oracle else answer


def run(arguments: argparse.Namespace) -> int:
    found, judged = find_network(arguments.network), not arguments.network_only
    lines = list(_given(arguments))
    reads = _read(lines, Reader(found.knowledge), judged)
    quiet = True if sys.stdout.isatty() or len(reads) == 1 else None  # None: unless the bar would go into a file
    for answer in tqdm(_answers(found, reads, judged), total=len(reads), unit="eq", disable=quiet) if reads else ():
        print(_row(answer) if arguments.json else _sentences(answer, found.title), flush=judged)
    return 0 if len(reads) == len(lines) else 2
