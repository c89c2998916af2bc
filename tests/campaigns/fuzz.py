"""Fuzzed inputs before every reader of what people write: each gives a value or an InputError, and soon.

A target makes an input from a generator and reads it. What is read must also be sound: a text that is parsed prints
and reads back as the same tree. Further targets are entered in TARGETS.
"""

import atexit
import gzip
import json
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace

from campaigns.campaign import Campaign, Step, main
from campaigns.inputs import content, damaged, json_text, soup, spine, tree

from reproduction import artifacts
from reproduction.completion.candidates import parse_blank
from reproduction.data.authors import read_release
from reproduction.data.axioms import chosen, read_axioms
from reproduction.data.dataset import read_records
from reproduction.data.recipes import PAPER, as_row, read_recipe
from reproduction.errors import InputError
from reproduction.language.expression import Equation
from reproduction.language.grammar import EXTRA_FUNCTIONS, MAXIMUM_HEIGHT
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import latex_equation, print_equation, print_expression, to_mathml
from reproduction.language.reading import read_statement
from reproduction.serving.answers import EMPTY, typeset
from reproduction.serving.application import JsonHandler
from reproduction.serving.waiting import RefusedError
from reproduction.shapes import shaped
from reproduction.studies.search import PAPER_SPACE, points_of, read_space
from reproduction.training.configuration import Configuration, make_configuration
from reproduction.training.run_directory import Epoch, Results

INPUTS_OF_A_STEP = 500
SECONDS = 5.0  # of CPU time, for one input
LONGEST_MESSAGE = 2_000

# ------------------------------------------------------------------------------------------------ texts


def _text(random: Random) -> str:
    kind = random.random()
    if kind < 0.35:
        return soup(random)
    make = spine if kind < 0.38 else tree
    height = random.randint(MAXIMUM_HEIGHT - 3, MAXIMUM_HEIGHT) if make is spine else random.randint(0, 5)
    sides = [print_expression(make(random, height)) for _ in range(2)]
    text = random.choice((" = ", "=", " != ", " + ")).join(sides)
    return text if kind < 0.5 else damaged(text, random)


def _parse(random: Random) -> None:
    text, extra = _text(random), random.choice(((), EXTRA_FUNCTIONS))
    random.choice((_statement, _statement, _expression, _blank))(text, extra)


def _statement(text: str, extra: tuple[str, ...]) -> None:
    equation = read_statement(text).equation if extra else parse_equation(text)
    _check(parse_equation(print_equation(equation), extra) == equation, "is not read back as the same equation")
    _check(to_mathml(latex_equation(equation)).startswith("<math>"), "has no MathML")


def _expression(text: str, extra: tuple[str, ...]) -> None:
    expression = parse_expression(text, extra)
    _check(parse_expression(print_expression(expression), extra) is expression, "is not read back as the same tree")


def _blank(text: str, extra: tuple[str, ...]) -> None:
    blank = parse_blank(text, extra)
    _check("□" in blank.text and blank.latex, "is a blank without a box")


def _built(random: Random) -> None:
    """Any tree at all: what is built is read back."""
    height = random.choice((random.randint(0, 9), random.randint(0, 9), random.randint(0, MAXIMUM_HEIGHT)))
    equation = Equation(spine(random, height), tree(random, random.choice((0, 1, 2, 3, 4, 7))))
    read = parse_equation(print_equation(equation), EXTRA_FUNCTIONS)
    _check(read == equation, f"{print_equation(equation)[:300]} is not read back")


# ------------------------------------------------------------------------------------------------ files


@cache
def _directory() -> Path:
    memory = Path("/dev/shm")
    directory = Path(tempfile.mkdtemp(prefix="fuzz-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def _file(name: str, data: bytes) -> Path:
    path = _directory() / name
    path.write_bytes(data)
    return path


AXIOMS = (
    "# a comment\n[sums; paper]\nx + 0 = x\n\n[powers]\nx^1 = x # yes\nsin(x)^2 + cos(x)^2 = 1\n",
    "\ufeff[a]\r\nx * 1 = x\r\n2 + 2 = 4",
    "x = x",
)


def _axioms(random: Random) -> None:
    lines = [_text(random) if random.random() < 0.3 else "x + 0 = x" for _ in range(random.randint(0, 4))]
    text = random.choice((*AXIOMS, "\n".join(lines)))
    path = _file("axioms.txt", content(damaged(text, random), random))
    axioms = read_axioms(path, random.choice(((), EXTRA_FUNCTIONS)))
    for axiom in chosen(axioms, PAPER.marks, path):
        _check(parse_equation(print_equation(axiom.equation), EXTRA_FUNCTIONS) == axiom.equation, "is not read back")


def _entry(functions: str, values: str, label="1") -> dict:
    return {"equation": {"func": functions, "vars": values, "depth": 2}, "label": label}


RELEASE = [
    [
        _entry("Equality,Symbol,#,#,Add,Integer,#,#,Symbol,#,#", ",var_0,#,#,,0,#,#,var_7,#,#"),
        _entry("Equality,sin,Number,#,#,#,NegativeOne,#,#", ",,0.57,#,#,#,-1,#,#", "0"),
    ],
    [_entry("Equality,Pow,Rational,#,#,Half,#,#,log,Pi,#,#,#", ",,2/5,#,#,1/2,#,#,,3.14,#,#,#", 0)],
]


def _release(random: Random) -> None:
    for record in read_release(_file("release.json", content(json_text(RELEASE, random), random))).records:
        _check(parse_equation(print_equation(record.equation), EXTRA_FUNCTIONS) == record.equation, "is not read back")


SPACE = {"learning_rate": [0.1, 0.01], "hidden": [5, 10], "optimizer": ["adam", "sgd"], "dropout": [0, 0.5]}
TOML = 'learning_rate = [0.1, 0.01]\nhidden = [5, 10]\noptimizer = ["adam", "sgd"]\ndropout = [0.0, 0.5]\n'


def _space(random: Random) -> None:
    if random.random() < 0.4:
        path = _file("space.toml", content(damaged(TOML, random), random))
    else:
        good = random.choice((SPACE, PAPER_SPACE))
        path = _file("space.json", content(json_text(good, random), random))
    space = read_space(path)
    _check(len(points_of(space)) > 0, "is a space without a point")


def _recipe(random: Random) -> None:
    recipe = read_recipe(str(_file("recipe.json", content(json_text(as_row(PAPER), random), random))))
    _check(0 <= sum(recipe.keeping.values()) <= 1, "is a recipe that cannot be followed")


@cache
def _stored() -> tuple[dict, dict]:
    """What a finished run says of itself, and of its first epoch."""
    run = artifacts.ROOT / "runs" / "pretrained" / "tree-lstm+data"
    return artifacts.read_json(run / "results.json"), json.loads((run / "history.jsonl").read_text().splitlines()[0])


def _results(random: Random) -> None:
    configuration = make_configuration("tree-lstm+data", "generalization", 0).as_row()
    kind, good = random.choice(tuple(zip((Results, Epoch, Configuration), (*_stored(), configuration), strict=True)))
    path = _file("results.json", content(json_text(good, random), random))
    read = shaped(kind, artifacts.read_json(path), path)
    if kind is Results:
        _check(all(len(part.measures) > 2 for part in (read.dev, read.test)), "has no scores")


ROW = {"id": "s0", "equation": "x + 0 = x", "label": 1, "kind": "symbolic", "depth": 2, "origin": "axiom"}


def _records(random: Random) -> None:
    rows = [json_text({**ROW, "id": f"s{index}"}, random) for index in range(random.randint(0, 3))]
    data = gzip.compress(content("\n".join(rows), random), compresslevel=1, mtime=0)
    if random.random() < 0.3:
        place = random.randrange(len(data))
        data = data[:place] + bytes([random.randrange(256)]) * random.randint(0, 3) + data[place + 1 :]
    for record in read_records(_file("symbolic.jsonl.gz", data)):
        _check(record.label in (0, 1) and record.depth == record.equation.depth, "is no record")


def _request(random: Random) -> None:
    """What the server reads of a body, and what it makes of a text that is being typed."""
    body = content(json_text({"text": _text(random), "network": "tree-lstm+data"}, random), random)
    request = SimpleNamespace(headers={"Content-Type": "application/json; charset=utf-8"}, body=body)
    handler = SimpleNamespace(request=request)
    try:
        text = JsonHandler.asked_text(handler, JsonHandler.asked(handler), "text")
    except RefusedError as error:
        raise InputError(error.sentence) from None
    row = typeset(text)
    _check(row["kind"] == EMPTY or bool(row["mathml"] or row["problem"]), "is neither typeset nor explained")


TARGETS: dict[str, tuple[Callable[[Random], None], int]] = {  # with their shares
    "parser": (_parse, 8),
    "built trees": (_built, 2),
    "axioms": (_axioms, 2),
    "authors' files": (_release, 2),
    "search spaces": (_space, 2),
    "recipes": (_recipe, 1),
    "results": (_results, 2),
    "records": (_records, 1),
    "server requests": (_request, 2),
}

# ------------------------------------------------------------------------------------------------ outcomes


class _UnsoundError(AssertionError):
    """A value that is not what it should be."""


class _TooSlowError(BaseException):
    """Not an Exception, so that nothing swallows it."""


def _check(holds: bool, words: str) -> None:
    if not holds:
        raise _UnsoundError(words)


def _stop(signum, frame):
    raise _TooSlowError(f"not done in {SECONDS:g} s")


def attempt(name: str, seed: str) -> tuple[str, str | None]:
    """How one input of a target ends: "value" or "refused", and what is wrong with that, if something is."""
    before = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        TARGETS[name][0](Random(seed))
    except InputError as error:
        return "refused", _wrong_message(str(error))
    except (Exception, _TooSlowError) as error:  # noqa: BLE001  (whatever it is, it is a finding)
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "finding", f"{type(error).__name__}: {str(error)[:200]!r} ({Path(place.filename).name}:{place.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return "value", None


def _wrong_message(message: str) -> str | None:
    if not message or len(message) > LONGEST_MESSAGE:
        return f"a message of {len(message)} characters"
    odd = [character for character in message if not (character.isprintable() or character == "\n")]
    return f"a message with {odd[0]!r} in it: {message[:80]!r}" if odd else None


def step(number: int, random: Random) -> Step:
    """Some inputs, each of its own seed, which a finding names."""
    counts, findings = Counter(), []
    names = random.choices(list(TARGETS), [share for _, share in TARGETS.values()], k=INPUTS_OF_A_STEP)
    for place, name in enumerate(names):
        seed = f"fuzz {random.getrandbits(64):016x} {place}"
        outcome, wrong = attempt(name, seed)
        counts[f"{name}: {outcome}"] += 1
        if wrong:
            findings.append(f"{name}, seed {seed!r}: {wrong}")
    return Step(counts, tuple(findings))


CAMPAIGN = Campaign("fuzz", 1_000_000, step)

if __name__ == "__main__":
    sys.exit(main(CAMPAIGN))
