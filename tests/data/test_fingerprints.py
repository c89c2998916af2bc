"""Fingerprints: each is counted by hand once."""

from reproduction import paper
from reproduction.data.dataset import SYMBOLIC, Record
from reproduction.data.writing import MEASURES, fingerprints
from reproduction.language.parsing import parse_equation


def _records(*texts, label=1):
    equations = map(parse_equation, texts)
    return [Record(f"s{i}", each, label, SYMBOLIC, each.depth, "") for i, each in enumerate(equations)]


def test_measures_of_one_equation():
    measured = {name: measure(parse_equation("sin(x) + 2 = 2 + cosh(x)")) for name, measure in MEASURES.items()}
    assert measured == {
        "variable": True,
        "unary": True,
        "trigonometric": True,
        "other_unary": True,
        "same_root": True,
        "shared_child": True,
        "nodes": 8,
    }
    assert not any(measure(parse_equation("2 + 1 = 3")) for name, measure in MEASURES.items() if name != "nodes")


def test_means_by_depth_and_label():
    records = _records("x + 0 = x", "1 + 1 = 2", "2 * 3 = 3 * 2", "1 = 1") + _records("sin(1) + 1 = 3", label=0)
    found = fingerprints(records)
    assert {depth: list(labels) for depth, labels in found["by_depth"].items()} == {
        "1": ["correct"], "2": ["correct"], "3": ["incorrect"],
    }  # fmt: skip
    assert found["by_depth"]["2"]["correct"] == {
        "variable": 0.3333, "unary": 0, "trigonometric": 0, "other_unary": 0,
        "same_root": 0.3333, "shared_child": 0.3333, "nodes": 4.6667,
    }  # fmt: skip
    assert found["by_depth"]["3"]["incorrect"]["trigonometric"] == 1
    assert found["functions"] == {"+": 0.5, "*": 0.3333, "sin": 0.1667}
    assert found["leaves"] == {"1": 0.4, "2": 0.2, "3": 0.2, "x": 0.1333, "0": 0.0667}


def test_nothing_has_no_fingerprints():
    assert fingerprints([]) == {"by_depth": {}, "leaves": {}, "functions": {}}


def test_the_originals_are_of_the_same_measures():
    assert [tuple(by_measure) for by_measure in paper.SAMPLE_BY_DEPTH.values()] == 2 * [tuple(MEASURES)]
