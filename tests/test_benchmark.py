"""The benchmark in two calls: the equations of a split, and the scores of anybody's predictions of its test part."""

import gzip
import json

import pytest

from reproduction import artifacts, benchmark
from reproduction.data.scores import Prediction, wilson
from reproduction.errors import InputError
from reproduction.rows import details_file, read_rows, rows_file

SYMBOLIC_TEST = 3526


@pytest.fixture(scope="module")
def data():
    return benchmark.load("paper")


@pytest.fixture(scope="module")
def test_part(data):
    return [example for example in data.split("strict", 0).test if example.kind == "symbolic"]


def written(tmp_path, lines, name="predictions.jsonl"):
    path = tmp_path / name
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    return path


def test_a_split_has_equations_of_which_none_is_in_two_parts(data):
    parts = data.split("strict", 0)
    ids = [{example.id for example in part} for part in parts]
    assert [len(part) for part in parts] == [14135, 1571, 3926]
    assert len(ids[0] | ids[1] | ids[2]) == 19632
    assert all(example.depth == 4 for example in data.split("extrapolate-4", 3).test)


def test_scores_are_counted_by_hand(data, test_part):
    """Correct equations of depth 3 are called incorrect, one is left undecided: everything else is right."""
    deep = [example.id for example in test_part if example.depth == 3 and example.label]
    undecided = next(example.id for example in test_part if example.depth == 2 and not example.label)
    guesses = {example.id: 0.9 if example.label else 0.5 for example in test_part}  # 0.5 is no yes
    guesses |= {**dict.fromkeys(deep, 0.2), undecided: None}
    scores = data.score(guesses, "strict", 0)
    correct = sum(example.label for example in test_part)
    counts = {depth: sum(example.depth == depth for example in test_part) for depth in (1, 2, 3, 4)}
    assert scores["accuracy"].equations == SYMBOLIC_TEST
    assert scores["accuracy"].value == pytest.approx(100 * (SYMBOLIC_TEST - len(deep) - 1) / SYMBOLIC_TEST)
    assert scores["precision"][:2] == (100, correct - len(deep))
    assert scores["recall"].value == pytest.approx(100 * (correct - len(deep)) / correct)
    assert {depth: scores[f"depth_{depth}"].equations for depth in counts} == counts
    assert scores["depth_3"].value == pytest.approx(100 * (counts[3] - len(deep)) / counts[3])
    assert scores["depth_2"].value == pytest.approx(100 * (counts[2] - 1) / counts[2])
    assert scores["depth_4"].value == scores["depth_1"].value == 100


def test_intervals_are_wilsons():
    """Newcombe 1998 (Statistics in Medicine 17, table I, method 3): 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (hits, count), interval in published.items():
        assert wilson(hits / count, count) == pytest.approx([100 * each for each in interval], abs=0.005)


def test_decoded_numbers_have_a_mean_squared_error(data, test_part):
    numeric = [example for example in data.split("strict", 0).test if example.kind != "symbolic" and example.label]
    guesses = {example.id: Prediction(probability=0.0) for example in test_part}
    zeros = guesses | {example.id: Prediction(decoded=0.0) for example in numeric}
    scores = data.score(zeros, "strict", 0)
    assert scores["mse_all"].equations == len(numeric) > scores["mse"].equations == 177
    literals = [float(example.text.split(" = ")[1]) for example in numeric if example.kind == "evaluation"]
    assert scores["mse"].value == pytest.approx(sum(each**2 for each in literals) / 177)
    del zeros[numeric[0].id]
    with pytest.raises(InputError, match=f"1 of {len(numeric)} .*{numeric[0].id}"):
        data.score(zeros, "strict", 0)


def test_our_own_predictions_score_what_the_tables_say(data):
    """To the last digit, for every network whose predictions are committed."""
    rows = {
        (row["model"], row["split"], row["seed"]): row
        for row in read_rows(rows_file(artifacts.RUNS, "experiments"))
        if row["data"] == "data" and "fraction" not in row
    }
    details = [each for each in read_rows(details_file(artifacts.RUNS, "experiments")) if "probabilities" in each]
    assert len(details) >= 60
    for each in details:
        split, seed = each["split"], each["seed"]
        test = [name for name in data.stored(split, seed).test if name.startswith("s")]
        scores = data.score(dict(zip(test, each["probabilities"], strict=True)), split, seed)
        row = rows[each["model"], split, seed]
        assert {name: scored.value for name, scored in scores.items()} == {name: row[name] for name in scores}
        assert {"accuracy", "precision", "recall", "depth_4"} <= set(scores) or split == "extrapolate-2"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda lines: lines[:-2], "2 of 3,526 symbolic test equations"),
        (lambda lines: [*lines, lines[5]], "line 3527: the id .* twice"),
        (lambda lines: [*lines, {"id": "s99999", "probability": 0.5}], "no equation 's99999'"),
        (lambda lines: [*lines, {"id": "s0", "probability": 0.5}], "s0 is in the (train|dev) part"),
        (lambda lines: [{**lines[0], "probability": 1.5}, *lines[1:]], "is 1.5, not from 0 to 1"),
        (lambda lines: [{**lines[0], "probability": "yes"}, *lines[1:]], "line 1: probability"),
        (lambda lines: [{**lines[0], "decoded": 2.0}, *lines[1:]], "symbolic equation"),
        (lambda lines: [{"probability": 0.5}, *lines[1:]], "line 1: id is missing"),
        (lambda lines: ["s17", *lines[1:]], "line 1"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_a_reason(change, words, data, test_part, tmp_path):
    lines = [{"id": example.id, "probability": 0.5} for example in test_part]
    with pytest.raises(InputError, match=words):
        data.score(written(tmp_path, change(lines)), "strict", 0)


def test_files_say_what_mappings_say(data, test_part, tmp_path):
    guesses = {example.id: example.label * 0.75 for example in test_part}
    lines = [{"id": name, "probability": value, "remark": "passed over"} for name, value in guesses.items()]
    expected = data.score(guesses, "strict", 0)
    assert expected["accuracy"].value == 100
    assert data.score(written(tmp_path, lines, "predictions.jsonl.gz"), "strict", 0) == expected
    plain = written(tmp_path, lines)
    plain.write_bytes(plain.read_bytes().rstrip(b"\n"))  # many programs write no last line break
    assert benchmark.score(str(plain)) == expected
