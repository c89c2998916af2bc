"""Axioms of every kind give a data set that can be read back, or a sentence with file and line and no file at all."""

from random import Random

import pytest

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.data.axioms import read_axioms
from reproduction.data.dataset import load
from reproduction.data.generator import Generator
from reproduction.data.recipes import PAPER
from reproduction.judges.oracle import AGREES
from reproduction.language.expression import OutOfBoundsError
from reproduction.language.printing import print_equation


def _nested(count: int) -> str:
    return "sin(" * count + "x" + ")" * count


READABLE = {
    "numbers at the limit": ".999999999999 + x = x + .999999999999\n0.000000000001 * x = x * 0.000000000001",
    "trees near the limit": f"x = x + {_nested(95)} - {_nested(95)}\nx + 0 = x",
    "names": "[\x01 odd; paper]\nα + x_1 = x_1 + α\nE1 * 1 = E1",
}
REFUSED = {
    "all too deep": (f"\n{_nested(97)} + 0 = {_nested(97)}", "line 2, column 1: no equation of depth 1, 2 comes"),
    "no mark of the recipe": ("\n[a; mine]\nx + 0 = x", "line 3, column 1: no family of this file has a mark"),
    "out of bounds": (f"x = x\n{_nested(101)} = x", "line 2, column 1: the tree has more than 100 levels"),
    "brackets": (f"{'(' * 300}x{')' * 300} = x", "line 1, column 204: nested too deep"),
    "digits": ("x + 1234567890.123 = x", "line 1, column 5: a number has at most 12 digits"),
    "arguments": ("sqrt(4, 9) = 2", "line 1, column 1: 'sqrt' takes 1 argument(s), not 2"),
}


def _generate(tmp_path, monkeypatch, text: str) -> int:
    monkeypatch.setattr(artifacts, "CACHE", tmp_path / "cache")
    (tmp_path / "mine.txt").write_text(text, "utf-8")
    artifacts.write_json(tmp_path / "impatient.json", {"patience": 50})
    size = [
        "--recipe",
        str(tmp_path / "impatient.json"),
        "--counts",
        "1=2/1",
        "2=6/3",
        "--scale",
        "smoke",
        "--split-seeds",
        "1",
        "--workers",
        "1",
    ]
    return main(["generate", "--axioms", str(tmp_path / "mine.txt"), "--out", str(tmp_path / "out"), *size])


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE)
def test_what_is_written_can_be_read(tmp_path, monkeypatch, capsys, text):
    assert _generate(tmp_path, monkeypatch, text) == 0
    dataset = load(tmp_path / "out")
    assert len(dataset.symbolic) >= 4
    assert len({print_equation(record.equation) for record in dataset.symbolic}) == len(dataset.symbolic)


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_could_not_be_read_is_not_written(tmp_path, monkeypatch, capsys, text, sentence):
    assert _generate(tmp_path, monkeypatch, text) == 2
    assert f"error: {tmp_path}/mine.txt, {sentence}" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.suffix in (".gz", ".json")] == []


def test_a_step_that_is_out_of_bounds_is_one_that_is_too_deep(monkeypatch):
    generator = Generator(read_axioms(), PAPER, Random(0))

    def beyond(wanted, limit):
        raise OutOfBoundsError("the tree has more than 100 levels")

    monkeypatch.setattr(generator, "_step", beyond)
    assert generator.propose(AGREES, 3) is None
    assert generator.rejected == {"too deep": 1}
