"""Damaged files, one at a time, before every reader: each is refused with one sentence that names it, or harmless.

Harmless means: what is read is what was read before the damage. Files that a person writes may say anything that can be
read. Parsed sides and judged blanks are kept for speed alone: they are made again.
"""

import gzip
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from campaigns.campaign import Campaign, Step, main
from campaigns.inputs import changed, spelt
from support import made_up_rows, synthetic_runs

from reproduction import artifacts
from reproduction.__main__ import main as command_line
from reproduction.completion.candidates import Blank, parse_blank
from reproduction.completion.store import read_completion, read_examples
from reproduction.completion.truth import judge_blanks
from reproduction.data.authors import read_release
from reproduction.data.axioms import read_axioms
from reproduction.data.dataset import load, load_unsure
from reproduction.data.recipes import read_recipe
from reproduction.data.splits import stored_split
from reproduction.errors import InputError
from reproduction.judges.sympy_pool import Answer, SympyPool
from reproduction.language.grammar import TABLE_1_FUNCTIONS as FUNCTIONS
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation
from reproduction.report.results import BASELINES, SYMPY_TIMES, read_archive
from reproduction.studies.experiments import read_settings
from reproduction.studies.search import read_space
from reproduction.training.run_directory import is_finished, read_run, refuse_other_run

THROUGH_THE_COMMAND_LINE = 25  # one attempt in so many

# ------------------------------------------------------------------------------------------------ the places


def _write_place(place: Path) -> None:
    """Everything that commands read, small: two runs with all their files, summaries, inputs of a person's."""
    runs = place / "runs"
    made_up_rows.write_everything(runs, seeds=2)
    dataset = load(runs / "data")
    for model, seed in (("tree-lstm+data", 0), ("rnn", 0), ("rnn", 1)):
        directory = synthetic_runs.write_run(runs / "experiments", dataset, model, "generalization", seed)
        synthetic_runs.write_completion(directory)
    person = place / "person"
    rows = [{"equation": {"func": "Equality,Symbol,#,#,Symbol,#,#", "vars": ",var_0,#,#,var_0,#,#"}, "label": "1"}]
    for name, value in (
        ("settings", {"tree-nn": {"learning_rate": 0.5, "hidden": 20}}),
        ("recipe", {"from_axiom": 0.5, "keeping": {"mirror": 0.1}, "changes": ["grow_node"]}),
        ("space", {"learning_rate": [0.1, 0.01], "hidden": [5, 10]}),
        ("release", [[], rows]),
    ):
        artifacts.write_json(person / f"{name}.json", value)
    artifacts.write_text(person / "space.toml", "learning_rate = [0.1, 0.01]\nhidden = [5, 10]\n")
    artifacts.write_text(person / "axioms.txt", "[one; paper]\nx + 0 = x\nsin(x)^2 + cos(x)^2 = 1\n")


@cache
def _places() -> tuple[Path, Path]:
    """The same files twice, of different data, runs and inputs: the second is what the first is swapped with."""
    root = Path(tempfile.mkdtemp(prefix="damage-"))
    _write_place(root / "one")
    random.seed(0)
    others = {
        "LEVELS": {name: level - 0.1 for name, level in synthetic_runs.LEVELS.items()},
        "EQUATIONS": synthetic_runs.EQUATIONS[::-1],
    }
    with patch.multiple(synthetic_runs, **others):
        _write_place(root / "two")
    return root / "one", root / "two"


SETTINGS = ("--epochs", "2", "--hidden", "4", "--batch-size", "16")
EQUATIONS = tuple(parse_equation(text) for text in ("x = x", "x = y", "sin(x) = cos(x)", "x + x = 2 * x"))
ANSWERS = {equation: Answer("true", "true", 0.1, 0.2) for equation in EQUATIONS}


def _write_trained(place: Path) -> None:
    """A network that was trained, a checkpoint of one that is not finished, and what is kept for speed."""
    from reproduction.training.loop import Run

    data, run = place / "runs" / "data", place / "trained" / "run"
    words = ["train", "--model", "tree-nn", *SETTINGS, "--data", str(data), "--out", str(run)]
    with redirect_stdout(StringIO()):
        if command_line(words):
            raise RuntimeError("the training of the campaign fails")
    dataset, half = load(data), place / "trained" / "half"
    split = stored_split(dataset, data, "generalization", 0)
    Run(read_run(run).configuration, dataset, split, half).save()
    with SympyPool(place / "cache" / "sympy.sqlite") as answers:
        for equation, answer in ANSWERS.items():
            answers._remember(print_equation(equation), answer)
    judge_blanks(_blanks(), FUNCTIONS, place / "cache" / "blanks")


def _blanks() -> list[Blank]:
    return [parse_blank(text, ()) for text in ("? = x", "sin(?) = sin(x)")]


@cache
def _trained_places() -> tuple[Path, Path]:
    places = _places()
    for place in places:
        _write_trained(place)
    return places


# ------------------------------------------------------------------------------------------------ the readers


def _read_network(place: Path):
    from reproduction.training.learners import load_network

    return load_network(read_run(place / "trained" / "run")).flat.data.asnumpy().tolist()


def _read_checkpoint(place: Path):
    from reproduction.training.loop import read_checkpoint

    path = place / "trained" / "half" / "checkpoint.npz"
    arrays, row = read_checkpoint(path) if path.is_file() else ({}, {"run": {}})
    if row["run"]:
        wanted = read_run(place / "trained" / "run").config
        refuse_other_run(path, {**row["run"], "engine": None}, wanted)  # as a training does
    return {name: array.tolist() for name, array in arrays.items()}, row


def _read_answers(place: Path):
    with redirect_stderr(StringIO()), SympyPool(place / "cache" / "sympy.sqlite") as answers:
        answers._asked = lambda questions: ((index, ANSWERS[each]) for index, each in questions.items())  # at once
        return answers.answers(EQUATIONS)


def _read_blanks(place: Path):
    return [here.tolist() for here in judge_blanks(_blanks(), FUNCTIONS, place / "cache" / "blanks")]


def _read_data(place: Path):
    data = place / "runs" / "data"
    dataset = load(data)
    splits = [stored_split(dataset, data, name, seed) for name in ("strict", "extrapolate-4") for seed in (0, 1)]
    return dataset, load_unsure(data), splits


def _read_runs(place: Path):
    archive, directories = read_archive(place / "runs"), sorted((place / "runs" / "experiments").glob("*"))
    runs = [read_run(directory) for directory in directories if is_finished(directory)]
    lines = [(run.config, run.results, run.history, run.predictions, run.stored_deep) for run in runs]
    rows = [(archive.rows(name), archive.details(name)) for name in ("experiments", "protocol", "ablation", "search")]
    beside = [archive.beside(name) for name in (BASELINES, SYMPY_TIMES, "machine.json", "benchmark.json")]
    filled = [(read_completion(run), read_examples(run)) for run in runs]
    return lines, rows, beside, archive.statistics, archive.examples, filled


def _read_both(place: Path):
    return _read_data(place), _read_runs(place)


class Reader(NamedTuple):
    """Which files it reads, by pattern, how, and whether the files are a person's."""

    patterns: tuple[str, ...]
    read: Callable[[Path], object]
    free: bool = False  # a damaged file may be another file that can be read


READERS = (
    Reader(("runs/data/*.json", "runs/data/*.gz", "runs/data/splits/*.json.gz"), _read_both),
    Reader(("runs/experiments/*/*.json*", "runs/*.json", "runs/*.jsonl*"), _read_runs),
    Reader(("person/settings.json",), lambda place: read_settings(place / "person"), free=True),
    Reader(("person/recipe.json",), lambda place: read_recipe(str(place / "person" / "recipe.json")), free=True),
    Reader(("person/space.json",), lambda place: read_space(place / "person" / "space.json"), free=True),
    Reader(("person/space.toml",), lambda place: read_space(place / "person" / "space.toml"), free=True),
    Reader(("person/axioms.txt",), lambda place: read_axioms(place / "person" / "axioms.txt"), free=True),
    Reader(("person/release.json",), lambda place: read_release(place / "person" / "release.json"), free=True),
)  # fmt: skip


TRAINED_READERS = (
    Reader(("trained/run/best.params*", "trained/run/*.json"), _read_network),
    Reader(("trained/half/checkpoint.npz",), _read_checkpoint),
    Reader(("cache/sympy.sqlite",), _read_answers),
    Reader(("cache/blanks/*",), _read_blanks),
)


@cache
def _targets(readers: tuple[Reader, ...]) -> tuple[tuple[str, Reader], ...]:
    """Every file with its reader."""
    one = _trained_places()[0] if set(TRAINED_READERS) & set(readers) else _places()[0]
    return tuple(
        (str(path.relative_to(one)), reader)
        for reader in readers
        for pattern in reader.patterns
        for path in sorted(one.glob(pattern))
    )


# ------------------------------------------------------------------------------------------------ the damages


def _flipped(content: bytes, other: bytes, draw: random.Random) -> bytes:
    spoiled = bytearray(content or b"{}")
    for _ in range(draw.choice((1, 1, 1, 5))):
        spoiled[draw.randrange(len(spoiled))] ^= 1 << draw.randrange(8)
    return bytes(spoiled)


def _holed(content: bytes, other: bytes, draw: random.Random) -> bytes:
    start = draw.randrange(len(content) + 1)
    return content[:start] + b"\0" * draw.randrange(1, 600) + content[start + draw.randrange(600) :]


def _joined(content: bytes, other: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] + other[place:]


def _mistyped(content: bytes, other: bytes, draw: random.Random) -> bytes:
    """Another value or none in one place of a JSON file, or of one line of such a file."""
    packed = content[:2] == b"\x1f\x8b"
    text = (gzip.decompress(content) if packed else content).decode("utf-8", errors="replace")
    lines = text.split("\n") if "\n{" in text and not text.startswith("{\n") else [text]
    place = draw.randrange(max(len(lines) - 1, 1))
    try:
        lines[place] = spelt(changed(json.loads(lines[place]), draw))
    except ValueError:
        lines[place] += "@"
    spoiled = "\n".join(lines).encode("utf-8", errors="surrogatepass")
    return gzip.compress(spoiled) if packed else spoiled


DAMAGES: dict[str, Callable[[bytes, bytes, random.Random], bytes | None]] = {
    "cut off": lambda content, other, draw: content[: draw.randrange(len(content))] if content else b"{",
    "bits flipped": _flipped,
    "zeros inside": _holed,
    "two halves": _joined,
    "empty": lambda content, other, draw: b"",
    "random bytes": lambda content, other, draw: draw.randbytes(draw.randrange(1, 2000)),
    "junk behind": lambda content, other, draw: content + draw.choice((b"\n", b"{}", b"\0", b"junk")),
    "of another place": lambda content, other, draw: other,
    "another file of this kind": lambda content, other, draw: other,
    "missing": lambda content, other, draw: None,
    "wrong value": _mistyped,
    "another wrong value": _mistyped,
    "a third wrong value": _mistyped,
}


# ------------------------------------------------------------------------------------------------ an attempt


@cache
def _before(reader: Reader):
    return reader.read(_places()[0])


def _outcome(name: str, reader: Reader, kind: str) -> tuple[str, str | None]:
    """How the reader takes the file, and what is wrong with that."""
    try:
        found = reader.read(_places()[0])
    except InputError as error:
        if "\n" in str(error) or not str(error):
            return "refused", f"not one sentence: {str(error)[:200]!r}"
        named = any(part in str(error) for part in (Path(name).name, Path(name).parent.name))
        return "refused", None if named else f"the sentence does not say where: {str(error)[:200]!r}"
    except Exception as error:  # noqa: BLE001  (whatever comes is what the campaign looks for)
        return "traceback", f"{type(error).__name__}: {str(error)[:200]}"
    if found == _before(reader):
        return "harmless", None
    if kind == "missing":
        return "not made yet", None  # runs and what lies beside them may be there or not
    return ("another input", None) if reader.free else ("accepted", "read as if it were sound, and says something else")


def _through_the_command_line(place: Path) -> str | None:
    """What is wrong with how `report` takes the place, if anything is."""
    said = StringIO()
    with redirect_stderr(said), redirect_stdout(StringIO()), tempfile.TemporaryDirectory() as out:
        code = command_line(["report", "verdicts", "--runs", str(place / "runs"), "--out", out])
    lines = said.getvalue().splitlines()
    return None if (code, len(lines)) in ((2, 1), (0, 0)) else f"report: exit code {code}, {lines[:3]}"


def attempt(number: int, draw: random.Random) -> Step:
    """One file of all damaged in one way."""
    return damage_one(number, draw, (*READERS, *TRAINED_READERS * 2))


def damage_one(number: int, draw: random.Random, readers: tuple[Reader, ...]) -> Step:
    """One file that some readers read damaged in one way, read, and put back."""
    one, two = _places()
    name, reader = draw.choice(_targets(readers))
    kind = draw.choice(list(DAMAGES))
    path = one / name
    _before(reader)
    swapped = two / name
    if kind == "another file of this kind":  # the rows of another study, say
        swapped = one / draw.choice([each for each, _ in _targets(readers) if each.endswith("".join(path.suffixes))])
    content, other = path.read_bytes(), swapped.read_bytes() if swapped.is_file() else b"{}"
    spoiled = DAMAGES[kind](content, other, draw)
    try:
        path.unlink()
        if spoiled is not None:
            path.write_bytes(spoiled)
        way, finding = _outcome(name, reader, kind)
        if number % THROUGH_THE_COMMAND_LINE == 0 and name.startswith("runs/") and finding is None:
            finding = _through_the_command_line(one)
    finally:
        path.write_bytes(content)
    findings = (f"{name}, {kind}: {finding}",) if finding else ()
    return Step({f"{way} ({kind.removeprefix('another ').removeprefix('a third ')})": 1}, findings)


CAMPAIGN = Campaign("damage", 2500, attempt)

if __name__ == "__main__":
    try:
        sys.exit(main(CAMPAIGN))
    finally:
        if _places.cache_info().currsize:
            shutil.rmtree(_places()[0].parent, ignore_errors=True)
