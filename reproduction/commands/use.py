"""The commands for asking: `check`, `verify`, `complete`, `evaluate`, and `serve`, the page that does all of it."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from .. import artifacts
from ..completion.candidates import refuse_blank
from ..data import dataset
from ..errors import InputError, place, positive_integer, whole_number
from ..judges.oracle import CORRECT, INCORRECT, Oracle, explanation
from ..language.parsing import ParseError
from ..language.printing import print_equation
from ..language.reading import read_statement
from ..training.run_directory import trained_run
from ..use.completing import Completion, Filling
from ..use.network import Found, Network, Verification, find_network
from ..use.reading import Read, Reader
from ..use.scoring import BLANKS, read_blanks, scores, summary
from . import add_options, check_files, sympy_answers

STANDARD_INPUT = "-"
DECIMALS = 6  # of numbers in JSON
MARKS = {"correct": "✔ correct", "incorrect": "✘ incorrect", "unsure": "? not decided", "undefined": "? undefined"}
NUMBERS = "{:>9}  {:>9}  {:>9}  {:>13}  {:>18}  {:>15}"  # a line of the table
NO_OPTION = re.compile(r"-[^-].*=")  # -x=x is an equation

R = TypeVar("R")
Line = tuple[str, str]  # an equation as it was typed, and where it stands

# ------------------------------------------------------------------------------------------------ check


def add_check(parser: argparse.ArgumentParser) -> None:
    words = "for instance 'sin(x)^2 + cos(x)^2 = 1', 'x != 2x' or LaTeX"
    parser.add_argument("equations", nargs="+", metavar="EQUATION", help=words)
    add_options(parser, "json")


def check(arguments: argparse.Namespace) -> int:
    """Prints the judges' verdict on every statement that can be read, and the evidence; no network is asked."""
    lines = _numbered(arguments.equations)
    readings = _readable(lines, read_statement)
    with Oracle(sympy_answers(), thorough=True) as oracle:
        judgements = oracle.judge_many([reading.equation for reading in readings])
    for reading, judgement in zip(readings, judgements, strict=True):
        text, verdict = print_equation(reading.equation), judgement.verdict
        if reading.is_negated:
            text, verdict = text.replace(" = ", " != "), {CORRECT: INCORRECT, INCORRECT: CORRECT}.get(verdict, verdict)
        if arguments.json:
            notes = [reading.note] if reading.note else []
            row = {"equation": text, "judge_verdict": verdict.lower(), "evidence": judgement.evidence, "notes": notes}
            print(json.dumps(row, ensure_ascii=False))
        else:
            print(f"{text}\n{verdict}: {explanation(judgement.evidence)}")
    return 0 if len(readings) == len(lines) else 2


def _numbered(texts: Sequence[str]) -> list[Line]:
    """The equations of the command line with their numbers, where there are several."""
    return [(text, f"equation {number}" if len(texts) > 1 else "") for number, text in enumerate(texts, 1)]


def _readable(lines: Iterable[Line], read: Callable[[str], R]) -> list[R]:
    """What can be read; every other line is reported."""
    found = []
    for text, where in lines:
        try:
            refuse_blank(text)
            found.append(read(text))
        except InputError as error:
            between = (", " if isinstance(error, ParseError) else ": ") if where else ""
            print(f"error: {where}{between}{error}", file=sys.stderr)
    return found


# ------------------------------------------------------------------------------------------------ verify


def add_verify(parser: argparse.ArgumentParser) -> None:
    words = "'sin(2*x) = 2*sin(x)*cos(x)'; - for standard input"
    parser.add_argument("equations", nargs="*", metavar="EQUATION", help=words)
    parser.add_argument("--file", type=place, action="append", default=[], help="equations, one a line, # for comments")
    add_options(parser, "run", "json", "network-only")
    parser._negative_number_matcher = NO_OPTION


def verify(arguments: argparse.Namespace) -> int:
    """Prints what a network says of equations, and beside it the judges' verdict."""
    found, judged = find_network(arguments.network), not arguments.network_only
    lines, reader = list(_given(arguments)), Reader(found.knowledge)
    reads = _readable(lines, lambda text: reader.equation(text, for_judges=judged))
    quiet = True if sys.stdout.isatty() or len(reads) == 1 else None  # None: no bar unless it is on a terminal
    for answer in tqdm(_answers(found, reads, judged), total=len(reads), unit="eq", disable=quiet) if reads else ():
        print(_row(answer) if arguments.json else _sentences(answer, found.title), flush=judged)
    return 0 if len(reads) == len(lines) else 2


def _given(arguments: argparse.Namespace) -> Iterator[Line]:
    """Every equation that the command line names."""
    texts = arguments.equations
    if "=" in texts:
        raise InputError(f"an equation stands in quotes: verify '{' '.join(texts)}'")
    if not texts and not arguments.file:
        if sys.stdin.isatty():
            raise InputError("no equation is given: verify 'x + 0 = x', or --file FILE, one equation a line")
        texts = [STANDARD_INPUT]
    for line in _numbered(texts):
        if line[0] == STANDARD_INPUT:
            name = "standard input"
            yield from _lines(artifacts.decoded(sys.stdin.buffer.read(), name), name)
        else:
            yield line
    for path in arguments.file:
        yield from _lines(artifacts.read_text(path, pipes=True), path)


def _lines(text: str, name: Path | str) -> list[Line]:
    """The equations of a text, one a line; comments, and headers as in axioms.txt, are passed over."""
    numbered = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    stripped = [(line.partition("#")[0].rstrip(), f"{name}, line {number}") for number, line in numbered]
    lines = [(line, place) for line, place in stripped if line and not line.lstrip().startswith("[")]
    if not lines:
        raise InputError(f"{name}: no equation in it; one a line, as in x + 0 = x, is wanted")
    return lines


def _answers(found: Found, reads: list[Read], judged: bool) -> Iterator[Verification]:
    """Every answer; Sympy gets ready while MXNet is imported."""
    with Oracle(sympy_answers(), thorough=True) if judged else nullcontext() as oracle:
        if oracle:
            oracle.prepare(read.typed for read in reads[:1])
        for read, answer in zip(reads, Network(found).verify_read(reads), strict=True):
            yield answer.judged(oracle.judge(read.typed)) if oracle else answer


def _row(record: Verification | Filling) -> str:
    row = {
        name: round(value, DECIMALS) if isinstance(value, float) else value for name, value in record._asdict().items()
    }
    return json.dumps(row, ensure_ascii=False)


def _sentences(answer: Verification, title: str) -> str:
    """The answer for people: one line of the network alone, or a block with the judges' verdict."""
    known = answer.probability is not None
    opinion = f"{answer.probability:.4f}  {answer.network_verdict}" if known else "no opinion"
    if answer.judge_verdict is None:
        return "   ".join([f"{opinion:<17}  {answer.equation}", *(f"({note})" for note in answer.notes)])
    rows = [(title, opinion), ("judges", f"{answer.judge_verdict}: {explanation(answer.evidence or {})}")]
    rows += [("note", note) for note in answer.notes]
    width = max(len(name) for name, _ in rows)
    return "\n".join([answer.equation, *(f"  {name:<{width}}  {text}" for name, text in rows)])


# ------------------------------------------------------------------------------------------------ complete


def add_complete(parser: argparse.ArgumentParser) -> None:
    words = "an equation with _ (or ?, □) for the blank, such as '4^tanh(0) = _^x' or 'cos(-_) = -0.57'"
    parser.add_argument("equation", nargs="?", help=words)
    parser.add_argument("--top", type=positive_integer, default=10, metavar="N", help="how many fillings (default: 10)")
    add_options(parser, "run", "json", "network-only")
    scored = f"fill the blanks of {BLANKS.name}, and count the right ones"
    parser.add_argument("--score", action="store_true", help=scored)
    parser.add_argument("--out", type=place, metavar="FILE", help="with --score: also write the counts there")
    parser._negative_number_matcher = NO_OPTION


def complete(arguments: argparse.Namespace) -> int:
    """Prints what fills the blank of an equation, by a network and the judges."""
    if not arguments.score and arguments.equation is None:
        raise InputError("no equation is given: complete 'sin(x)^2 + _^2 = 1', or --score")
    found = find_network(arguments.network)
    with Oracle(sympy_answers(), thorough=True) as oracle:
        if arguments.score:
            return _score(arguments, found, oracle)
        read = Reader(found.knowledge).blank(arguments.equation, not arguments.network_only)  # before MXNet is imported
        completion = Network(found).complete(arguments.equation, arguments.top, arguments.network_only, oracle)
    for line in map(_row, completion.fillings) if arguments.json else _told(completion, read.typed.text, found.title):
        print(line)
    return 0


def _told(completion: Completion, shown: str, title: str) -> Iterator[str]:
    """The lines that people read; numbers have a table of their own."""
    expressions = [each for each in completion.fillings if not each.is_number]
    numbers = [each for each in completion.fillings if each.is_number]
    yield f"{shown}   by {title}"
    width = max((len(each.expression) for each in expressions), default=0)
    for each in expressions:
        mark = MARKS.get(each.judge_verdict or "", "")
        probability = "–" if each.probability is None else f"{each.probability:.4f}"
        yield f"  {each.expression:<{width}}  {probability:<6}  rank {_rank(each):<5}  {mark}".rstrip()
    if numbers:
        yield NUMBERS.format("number", "network", "true", "squared error", "true squared error", "rank by network")
    for each in numbers:
        values = f"{each.value:.4f}", f"{each.true_value:.4f}"
        errors = f"{each.squared_error:.1e}", f"{each.true_squared_error:.1e}"
        yield NUMBERS.format(each.expression, *values, *errors, _rank(each)) + ("  ✔ fits" if each.fits else "")
    guess = completion.first_guess
    if guess and not guess.is_right:
        number = f"decoded as {guess.value:.2f}" if guess.is_number else f"{guess.probability:.4f}"
        yield f"the network's own first guess: {guess.expression} ({number})"
    yield "tried: " + ", ".join(f"{count:,} {kind}" for kind, count in completion.tried.items())
    yield from (f"note: {note}" for note in completion.notes)


def _rank(filling: Filling) -> str:
    return f"{filling.network_rank:,}" if filling.network_rank else "–"


def _score(arguments: argparse.Namespace, found: Found, oracle: Oracle) -> int:
    """Counts the textbook's blanks that are filled rightly at first guess."""
    blanks = read_blanks()
    rows = list(tqdm(scores(Network(found), blanks, oracle), total=len(blanks), unit="blank", disable=None))
    result = summary(found, rows)
    if arguments.out:
        artifacts.write_sealed(arguments.out, result)
    if arguments.json:
        print(json.dumps(result, ensure_ascii=False))
        return 0
    for topic, counts in {**result["topics"], "all": result["all"]}.items():
        alone = f"{counts['network']:>3} of {counts['count']:>3} alone"
        print(f"{topic:<32}  {alone}  {counts['judges']:>3} with the judges")
    return 0


# ------------------------------------------------------------------------------------------------ evaluate, serve


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_directory", type=place, metavar="RUN", help="a directory that `train` made")
    add_options(parser, "data")
    parser.add_argument("--json", type=place, metavar="FILE", help="also write the scores there")


def evaluate(arguments: argparse.Namespace) -> int:
    """Prints the scores of a finished run, on its own split or on all of another data set."""
    if arguments.json:
        check_files(arguments.json)
    run, records = trained_run(arguments.run_directory), dataset.load(arguments.data)
    from ..training.learners import evaluate_run  # MXNet takes two seconds to import

    found = evaluate_run(run, records, arguments.data)
    for name, part in found.items():
        symbolic, evaluations = part["symbolic"], part.get("evaluations")
        shares = (f"{measure} {100 * symbolic[measure]:.2f} %" for measure in ("accuracy", "precision", "recall"))
        print(f"{name}: {', '.join(shares)} of {symbolic['count']} equations")
        for depth, here in symbolic["by_depth"].items():
            print(f"  depth {depth}: {100 * here['accuracy']:.2f} % of {here['count']}")
        if evaluations:
            errors = f"MSE {evaluations['mse']}, with decimal trees {evaluations['mse_all']}"
            print(f"  evaluations: {errors}, accuracy {100 * evaluations['accuracy']:.2f} %")
    if arguments.json:
        artifacts.write_json(arguments.json, found)
    return 0


def add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (default: this machine only)")
    port = whole_number(0, 2**16 - 1)
    parser.add_argument("--port", type=port, default=8000, help="0 takes a free one (default: 8000)")
    parser.add_argument("--run", dest="network", metavar="RUN", help="the network to begin with: a directory or a name")


def serve(arguments: argparse.Namespace) -> int:
    """Serves the page until a signal ends it."""
    from ..serving.server import serve  # Tornado is for this command alone

    print("loading the network ...", file=sys.stderr)
    asked = arguments.host, arguments.port, arguments.network
    number = serve(*asked, lambda address: print(f"{address}   (stop with Ctrl-C)", flush=True))
    print("stopped", file=sys.stderr)
    return 128 + number
