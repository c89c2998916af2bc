"""The whole of the showcase network, small, and how it is judged: on what its data leave out."""

import json

import numpy as np
import pytest

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import train as showcase
from reproduction.data import dataset
from reproduction.data.splits import twin_key
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation
from reproduction.showcase import building
from reproduction.showcase.building import Plan
from reproduction.showcase.judging import (
    Answer,
    as_known,
    calibration_error,
    choose_temperature,
    read_data,
    reliability,
    scores,
)
from reproduction.use.network import find_network


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    directory = tmp_path_factory.mktemp("showcase")
    words = ["showcase", "--scale", "smoke", "--out", str(directory / "run"), "--data", str(directory / "data")]
    assert main(words) == 0
    return directory, words


def test_nothing_that_it_is_judged_by_is_in_its_data(made):
    directory, _ = made
    records = dataset.load(directory / "data").symbolic
    judged = {twin_key(each.equation) for listed in showcase._lists().values() for each in listed}
    assert twin_key(parse_equation("1 - cos(a)^2 = sin(a)^2")) in judged
    assert {twin_key(record.equation) for record in records} & judged == set()
    summary = json.loads((directory / "data" / "summary.json").read_text("utf-8"))
    assert summary["left_out"][building.LISTED] > 0
    share = sum(record.label for record in records) / len(records)
    assert 0.4 < share < 0.6


def test_twins_of_what_it_is_judged_by_are_left_out():
    """Mirrored, renamed and both: each of them is the same question."""
    listed = parse_equation("x + 2 * y = y + y + x")
    texts = ("x + 2 * y = y + y + x", "y + y + x = x + 2 * y", "y + 2 * x = x + x + y", "b + b + a = a + 2 * b")
    twins = {parse_equation(text): "made" for text in texts}
    kept = building.Labelled(building.excluded_twins([listed]))
    assert kept.add(twins) == []
    assert dict(kept.counts) == {building.LISTED: len(twins)}
    other = parse_equation("x + 2 * y = y + x + y")
    assert kept.add({other: "made"}) == [other]


def test_no_equation_of_dev_or_test_is_trained_on(made):
    directory, _ = made
    split = dataset.load_split(directory / "data", "generalization", 0)
    by_id = dataset.load(directory / "data").by_id
    parts = {name: {by_id[each].equation for each in getattr(split, name)} for name in ("train", "dev", "test")}
    assert parts["train"] & parts["dev"] == parts["train"] & parts["test"] == parts["dev"] & parts["test"] == set()
    assert set().union(*(getattr(split, name) for name in parts)) == set(by_id)
    assert len(split.test) == len(set(split.test)) > 60
    assert len(split.train) > len(set(split.train)), "short equations are seen several times in an epoch"


def test_the_directory_is_that_of_a_run_and_has_a_card(made, capsys):
    directory, words = made
    files = {path.name: path.read_bytes() for path in (directory / "run").iterdir()}
    assert {"config.json", "best.params", "results.json", "calibration.json", "judged.json", "README.md"} <= set(files)
    assert files["reliability.png"].startswith(b"\x89PNG")
    assert find_network(directory / "run").temperature == json.loads(files["calibration.json"])["temperature"]
    assert b"| **all** |" in files["README.md"]
    assert main([*words, "--judge-only"]) == 0
    assert {path.name: path.read_bytes() for path in (directory / "run").iterdir()} == files
    assert "dev:" in capsys.readouterr().out


@pytest.mark.parametrize("content", ["{}", "[]", '{"equations": 1}', None])
def test_damaged_words_on_its_data_are_refused_before_anything_is_written(made, capsys, content):
    directory, words = made
    path = directory / "run" / "data.json"
    whole = path.read_text("utf-8")
    before = {each.name: each.stat().st_mtime_ns for each in path.parent.iterdir()} | {path.name: None}
    path.write_text(content or whole.replace('"equations": ', '"equations": 1'), "utf-8")
    assert main([*words, "--judge-only"]) == 2
    assert f"{path}: " in capsys.readouterr().err
    assert {each.name: each.stat().st_mtime_ns for each in path.parent.iterdir()} | {path.name: None} == before
    path.write_text(whole, "utf-8")


def test_the_committed_words_on_its_data_are_whole():
    assert read_data(artifacts.ROOT / "runs" / "showcase")["equations"] > 0


def test_the_same_seed_gives_the_same_equations():
    """Those that the committed network was trained on were drawn by the same steps, with numpy 1.23.5.

    Other versions of numpy round other values to the same number: they find other pairs of equal values.
    """
    first, second = (building.collect(Plan(40, 20, 10, 10, 20, 20), 3, frozenset()).found for _ in range(2))
    rows = [f"{print_equation(equation)} {label} {origin}" for equation, (label, origin) in first.items()]
    assert list(first.items()) == list(second.items())
    if np.__version__ == "1.23.5":
        assert artifacts.fingerprint("\n".join(rows).encode()) == "285c20c201d180ba"


def test_what_cannot_be_done_is_said(tmp_path, capsys):
    assert main(["showcase", "--judge-only", "--out", str(tmp_path)]) == 2
    assert "no finished network" in capsys.readouterr().err


SURE = [Answer("a", "sums", 1, 2.0)] * 9 + [Answer("b", "sums", 0, 2.0)]  # says 0.88, and 9 of 10 are correct


def test_strangers_are_read_as_the_first_variables_that_are_free():
    symbols = ("0", "pi", "x", "y", "z")
    assert print_equation(as_known(parse_equation("theta + y = a"), symbols)) == "x + y = z"
    with pytest.raises(InputError, match="too few"):
        as_known(parse_equation("a + b = c + d"), symbols)


def test_the_temperature_makes_probabilities_fit():
    overconfident = [each._replace(logit=10 * each.logit) for each in SURE]
    assert choose_temperature(overconfident) == pytest.approx(20 / 2.1972, rel=0.05)  # the logit of 0.9
    assert calibration_error(overconfident, 1.0) == pytest.approx(0.1, abs=0.001)
    assert calibration_error(overconfident, choose_temperature(overconfident)) < 0.01


def test_bins_count_every_answer():
    rows = reliability([*SURE, Answer("c", "sums", 0, -50.0), Answer("d", "sums", 1, 50.0)], 1.0)
    assert [(row["bin"], row["count"]) for row in rows] == [(0, 1), (8, 10), (9, 1)]


def test_scores_by_topic_and_kind():
    judged = scores([*SURE, Answer("c", "roots", 0, -1.0)], 1.0)
    assert judged["accuracy"] == pytest.approx(10 / 11, abs=1e-4)
    assert judged["identities"] == {"right": 9, "count": 9}
    assert judged["near_misses"] == {"right": 1, "count": 2}
    assert judged["topics"]["roots"] == {
        "identities": {"right": 0, "count": 0},
        "near_misses": {"right": 1, "count": 1},
    }
