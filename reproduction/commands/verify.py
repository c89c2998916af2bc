"""`verify`: what a trained network says of equations, and beside it the judges' verdict."""

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, place, sympy_answers
from ..errors import InputError
from ..judges.oracle import Judgement, Oracle, explanation
from ..language.parsing import ParseError
from ..use.answers import Verification
from ..use.finding import Found, find_network
from ..use.network import Network
from ..use.reading import Read, Reader

HELP = "say how probable a trained network finds equations, beside the judges' verdict"
AUTO, ALWAYS, NEVER = JUDGES = ("auto", "always", "never")
MOST_JUDGED = 100
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
    add_options(parser, "run")
    parser.add_argument(
        "--judges",
        choices=JUDGES,
        default=AUTO,
        help=f"whether ball arithmetic and Sympy are asked, too (auto: of at most {MOST_JUDGED} equations)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
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


def _read(lines: list[Line], reader: Reader) -> list[Read]:
    """What the network is to be asked; nothing is answered if a line cannot be read."""
    source, reads = reader.equations(line.text for line in lines), []
    for line in lines:
        try:
            reads.append(next(source))
        except InputError as error:
            between = (", " if isinstance(error, ParseError) else ": ") if line.place else ""
            raise InputError(f"{line.place}{between}{error}") from None
    return reads


def _wants_judges(choice: str, count: int) -> bool:
    if choice == ALWAYS or (choice == AUTO and count <= MOST_JUDGED):
        return True
    why = "" if choice == NEVER else f" of {count:,} equations (--judges always asks them)"
    print(f"the judges are not asked{why}", file=sys.stderr)
    return False


def _row(answer: Verification, judgement: Judgement | None) -> str:
    row = {
        "equation": answer.equation,
        "probability": round(answer.probability, 6),
        "verdict": judgement and judgement.verdict.lower(),
        "evidence": judgement and judgement.evidence,
        "notes": answer.notes,
    }
    return json.dumps(row, ensure_ascii=False)


def _sentences(answer: Verification, judgement: Judgement | None, title: str) -> str:
    opinion = f"{answer.probability:.4f}  {answer.verdict}"
    if judgement is None:
        return "   ".join([f"{opinion:<17}  {answer.equation}", *(f"({note})" for note in answer.notes)])
    rows = [(title, opinion), ("judges", f"{judgement.verdict.lower()}: {explanation(judgement.evidence)}")]
    rows += [("note", note) for note in answer.notes]
    width = max(len(name) for name, _ in rows)
    return "\n".join([answer.equation, *(f"  {name:<{width}}  {text}" for name, text in rows)])


def _answers(found: Found, reads: list[Read], judged: bool) -> Iterator[tuple[Verification, Judgement | None]]:
    """The network's answers, each with a judgement; Sympy gets ready while MXNet is imported."""
    with ExitStack() as stack:
        oracle = stack.enter_context(Oracle(sympy_answers(), thorough=True)) if judged else None
        if oracle:
            oracle.prepare(read.typed for read in reads)
        answers = Network(found).verify_read(reads)
        for read, answer in zip(reads, answers, strict=True):
            yield answer, oracle and oracle.judge(read.typed)


def _watched(answers: Iterable, count: int) -> Iterable:
    """A bar beside answers that go into a file."""
    return tqdm(answers, total=count, unit="eq", disable=True if sys.stdout.isatty() else None)


def run(arguments: argparse.Namespace) -> int:
    found = find_network(arguments.network)
    reads = _read(list(_given(arguments)), Reader(found.knowledge))
    judged = _wants_judges(arguments.judges, len(reads))
    for answer, judgement in _watched(_answers(found, reads, judged), len(reads)):
        text = _row(answer, judgement) if arguments.json else _sentences(answer, judgement, found.title)
        print(text, flush=judged)
    return 0
