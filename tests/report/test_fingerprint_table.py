"""The table of fingerprints: the original's beside ours, with what is there."""

from reproduction.data.dataset import SYMBOLIC, Record
from reproduction.data.writing import fingerprints
from reproduction.language.parsing import parse_equation
from reproduction.report.outputs.data_set import fingerprint_table
from reproduction.report.results import Archive

EQUATION = parse_equation("x + 0 = x")
STATISTICS = {
    "fingerprints": fingerprints([Record("s0", EQUATION, 1, SYMBOLIC, 2, "")]),
    "baselines": {"generalization": {}},
    "twins_of_test_in_train": {"generalization": 0.25},
    "uses_of_a_distinct_subtree": 4 / 3,
}
ANSWERS = [
    {"depth": 2, "label": 1, "answer": "true", "auto": 2, "simplify": 2},
    {"depth": 2, "label": 0, "answer": "true", "auto": 1, "simplify": 1},
    {"depth": 2, "label": 0, "answer": "undecided", "auto": 1, "simplify": 0},
    {"depth": 3, "label": 0, "answer": "false", "auto": 1, "simplify": 1},
]


def _cells(archive):
    return {row.name: tuple(row.cells) for row in fingerprint_table(archive).sections[0].rows}


def test_rows():
    cells = _cells(Archive(kept={"statistics.json": STATISTICS, "baselines.json": {"sympy_answers": ANSWERS}}))
    assert cells["Sympy alone, accuracy"] == ("89.1 / 83.0 / 69.4", "50.0 / 100.0 / –")
    assert cells["correct: with a variable"] == ("25 / 46 / 74", "100 / – / –")
    assert cells["correct: nodes, mean"] == ("5.7 / 7.8 / 9.7", "4.0 / – / –")
    assert cells["incorrect: nodes, mean"] == ("5.4 / 7.4 / 10.0", "– / – / –")
    assert cells["functions, %"] == ("* 36, + 30, ^ 23", "* 0, + 100, ^ 0")
    assert cells["uses of a distinct subtree"] == ("12.8", "1.3")
    assert cells["lookup, accuracy"] == ("85–91", "–")
    assert cells["test equations with a twin in training, %"] == ("19", "25.0")


def test_what_is_missing_is_said():
    archive = Archive(kept={"statistics.json": STATISTICS})
    assert _cells(archive)["Sympy alone, accuracy"] == ("89.1 / 83.0 / 69.4", "– / – / –")
    assert fingerprint_table(Archive()) is None
