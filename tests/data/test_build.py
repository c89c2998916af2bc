"""Building a data set: wishes, shortfalls, false axioms, and the same bytes whatever happens on the way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from reproduction import paper
from reproduction.artifacts import ROOT
from reproduction.data.axioms import Axiom, check_axioms, read_axioms
from reproduction.data.generator import SymbolicBuilder, Wish, paper_wishes
from reproduction.data.recipes import HARD, PAPER
from reproduction.errors import InputError
from reproduction.judges.oracle import CORRECT, UNSURE, Judgement
from reproduction.language.parsing import parse_equation

SMALL = ["--counts", "1=6/2", "2=60/30", "3=60/30", "--scale", "smoke", "--split-seeds", "1", "--seed", "7"]


def test_the_papers_wishes():
    wishes = paper_wishes()
    assert sum(wish.total for wish in wishes.values()) == paper.SYMBOLIC_TOTAL
    assert sum(wish.correct for wish in wishes.values()) == paper.SYMBOLIC_CORRECT
    assert wishes == {1: Wish(32, 3), 2: Wish(2547, 1116), 3: Wish(12217, 6512), 4: Wish(2836, 1271)}
    assert paper_wishes(0.1)[3] == Wish(1222, 651)
    assert all(0 < wish.correct < wish.total for wish in paper_wishes(0.01).values())


class Credulous:
    """An oracle that believes what the points show, but for a share that it cannot settle."""

    def __init__(self, unsure_share=0.0):
        self._random, self._share = Random(0), unsure_share

    def judge_many(self, equations, progress):
        progress(len(equations))
        verdicts = [UNSURE if self._random.random() < self._share else CORRECT for _ in equations]
        return [Judgement(verdict, {"route": "belief"}) for verdict in verdicts]


def test_wishes_are_filled_depth_by_depth():
    told = []
    wishes = {1: Wish(4, 2), 2: Wish(50, 20), 3: Wish(80, 60)}
    built = SymbolicBuilder(read_axioms(), HARD, 0, Credulous(0.3)).build(wishes, told.append)
    counts = {depth: [r.label for r in built.symbolic if r.depth == depth] for depth in wishes}
    assert {depth: Wish(len(labels), sum(labels)) for depth, labels in counts.items()} == wishes
    assert [record.id for record in built.symbolic] == [f"s{index}" for index in range(134)]
    assert len({record.equation for record in built.symbolic + built.unsure}) == 134 + len(built.unsure)
    assert built.shortfall == {}
    assert built.verdicts[CORRECT] >= 82
    assert built.verdicts[UNSURE] == len(built.unsure) > 10
    assert {record.label for record in built.unsure} == {1}


def test_correct_and_incorrect_are_mixed():
    built = SymbolicBuilder(read_axioms(), HARD, 0, Credulous()).build({2: Wish(100, 50)})
    labels = [record.label for record in built.symbolic]
    assert 15 < sum(labels[:50]) < 35


def test_a_depth_that_is_exhausted_is_reported():
    axioms = [Axiom(parse_equation("x = x"), "reflexivity", 1)]
    built = SymbolicBuilder(axioms, PAPER, 0, Credulous()).build({1: Wish(5000, 2500)})
    missing = built.shortfall[1]
    assert missing.total == 5000 - len(built.symbolic) > 4000
    assert missing.correct == 2500 - sum(record.label for record in built.symbolic)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sin(x) = cos(x)", "INCORRECT: at x = 0.63 the left side is 0.589144757942 and the right side 0.808027508312"),
        ("acot(-x) = -acot(x)", "INCORRECT: at x = 0 "),
        ("0^0 = 1", "UNDEFINED: no sample point"),
    ],
)
def test_false_axioms_are_refused_with_the_evidence(text, words):
    axioms = [Axiom(parse_equation("x = x"), "a", 1), Axiom(parse_equation(text), "b", 17)]
    with pytest.raises(InputError, match="^mine.txt, line 17, column 1: this axiom is ") as caught:
        check_axioms(Path("mine.txt"), axioms)
    assert words in str(caught.value)
    check_axioms(Path("mine.txt"), axioms[:1])


def _command(runs, workers):
    paths = ["--workers", str(workers), "--out", str(runs / "data")]
    return [sys.executable, "-m", "reproduction", "generate", *SMALL, *paths]


def _environment(runs):
    return {**os.environ, "REPRODUCTION_WORKSPACE": str(runs), "PYTHONPATH": str(ROOT)}


def _generated(runs, workers=1):
    """The bytes of every file of a fresh run."""
    subprocess.run(_command(runs, workers), env=_environment(runs), check=True, capture_output=True, timeout=100)
    return _contents(runs / "data")


def _contents(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    runs = tmp_path_factory.mktemp("reference")
    return runs, _generated(runs)


def test_all_files_are_written(reference):
    assert set(reference[1]) == {
        "symbolic.jsonl.gz",
        "numeric.jsonl.gz",
        "unsure.jsonl.gz",
        "statistics.json",
        "table-2.json",
        "manifest.json",
        *(f"splits/{name}-0.json.gz" for name in ("generalization", "strict", "extrapolate-4", "extrapolate-2")),
    }


def test_two_workers_write_the_same_bytes(reference, tmp_path):
    assert _generated(tmp_path, workers=2) == reference[1]


def test_a_warm_cache_gives_the_same_bytes(reference):
    runs, contents = reference
    command = [*_command(runs, workers=2), "--replace"]
    subprocess.run(command, env=_environment(runs), check=True, capture_output=True, timeout=100)
    assert _contents(runs / "data") == contents


def _children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _wait_until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(), reason="this system does not list children"
)
def test_a_kill_in_the_middle_and_a_restart_give_the_same_bytes(reference, tmp_path):
    silent = subprocess.DEVNULL
    with subprocess.Popen(_command(tmp_path, 1), env=_environment(tmp_path), stdout=silent, stderr=silent) as process:
        _wait_until(lambda: _children(process.pid) and (tmp_path / "data" / ".lock").exists())
        workers = _children(process.pid)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert workers
    assert not (tmp_path / "data" / "symbolic.jsonl.gz").exists()
    _wait_until(lambda: all(map(_is_gone, workers)))  # no worker outlives the program
    assert (tmp_path / "data" / ".lock").exists()
    assert _generated(tmp_path) == reference[1]  # and nothing else in the directory
