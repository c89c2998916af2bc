"""Fuzzing that is guided by coverage, where atheris is installed (`pip install atheris`; no part of the environment).

    python tests/campaigns/guided.py CORPUS_DIRECTORY -runs=1000000

The first byte of an input chooses the reader, the rest is what it reads. Inputs that reach new code are kept in the
directory, and the next run begins with them. It ends at the first input that gives neither a value nor an InputError.
"""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

import atheris  # noqa: E402

with atheris.instrument_imports(include=["reproduction"]):
    from campaigns.fuzz import AXIOMS, RELEASE, ROW, SPACE, TOML, _file, _wrong_message

    from reproduction.completion.candidates import parse_blank
    from reproduction.data.authors import read_release
    from reproduction.data.axioms import read_axioms
    from reproduction.data.recipes import read_recipe
    from reproduction.errors import InputError
    from reproduction.language.grammar import EXTRA_FUNCTIONS
    from reproduction.language.parsing import parse_equation
    from reproduction.language.printing import print_equation
    from reproduction.language.reading import read_statement
    from reproduction.studies.search import read_space


def _read_statement(data: bytes) -> None:
    equation = read_statement(data.decode("utf-8", "surrogateescape")).equation
    assert parse_equation(print_equation(equation), EXTRA_FUNCTIONS) == equation


READERS = (
    _read_statement,
    lambda data: parse_blank(data.decode("utf-8", "surrogateescape")),
    lambda data: read_axioms(_file("axioms.txt", data)),
    lambda data: read_release(_file("release.json", data)),
    lambda data: read_space(_file("space.json", data)),
    lambda data: read_space(_file("space.toml", data)),
    lambda data: read_recipe(str(_file("recipe.json", data))),
)
SEEDS = (
    (0, "sin(x)^2 + cos(x)^2 = 1"), (0, "-(1/2)^-x * atan2(y_1, 2.50) != sqrt(θ) / log(pi)"), (1, "4^tanh(0) = ?^x"),
    *((2, text) for text in AXIOMS), (3, RELEASE), (4, SPACE), (5, TOML), (6, {"changes": ["grow_node"]}),
    (6, ROW),
)  # fmt: skip


def read_one(data: bytes) -> None:
    try:
        READERS[data[0] % len(READERS) if data else 0](data[1:])
    except InputError as error:
        wrong = _wrong_message(str(error))
        assert wrong is None, wrong


def write_seeds(directory: Path) -> None:
    """Good inputs to begin with."""
    directory.mkdir(parents=True, exist_ok=True)
    for place, (reader, good) in enumerate(SEEDS):
        text = good if isinstance(good, str) else json.dumps(good)
        (directory / f"seed-{place}").write_bytes(bytes([reader]) + text.encode("utf-8"))


if __name__ == "__main__":
    directories = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
    if directories:
        write_seeds(directories[0])
    atheris.Setup(sys.argv, read_one)
    atheris.Fuzz()
