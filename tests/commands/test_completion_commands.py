"""`score` and `complete` on small models, from the command line's side."""

import json
import shutil
from types import SimpleNamespace

import pytest
from support.sealing import change_run

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import study
from reproduction.completion.store import read_completion
from reproduction.data.dataset import Record, split_path
from reproduction.data.manifest import finish, manifest_of
from reproduction.data.writing import write_dataset
from reproduction.language.parsing import parse_equation
from reproduction.models import MODELS
from reproduction.rows import read_rows
from reproduction.training.run_directory import read_run

RIGHT = ("x + 0 = x", "x * 1 = x", "4^tanh(0) = 1", "x * 0 = 0", "2 + 2 = 4", "sin(0) = 0", "x^1 = x", "1^x = 1")
WRONG = ("x + 1 = x", "x * 2 = x", "4^tanh(1) = 1", "x * 0 = 1", "2 + 2 = 3", "sin(0) = 1", "x^2 = x", "2^x = 1")
NUMERIC = ("cos(-2.18) = -0.57", "sin(0.64) = 0.60", "1.01 + 1.02 = 2.03", "tan(0.65) = 0.76")


def record(identifier, text, label, kind):
    equation = parse_equation(text)
    return Record(identifier, equation, label, kind, equation.depth, "made up")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A data set, and one run of a tree model and one of a sequence model on it."""
    place = tmp_path_factory.mktemp("place")
    texts = [row for right, wrong in zip(RIGHT, WRONG, strict=True) for row in ((right, 1), (wrong, 0))]
    symbolic = [record(f"s{index}", *row, "symbolic") for index, row in enumerate(texts)]
    numeric = [record(f"n{index}", text, 1, "evaluation") for index, text in enumerate(NUMERIC)]
    write_dataset(place / "data", symbolic, numeric, (), None, 1, 0)
    parts = {"train": slice(0, 8), "dev": slice(8, 10), "test": slice(10, 16)}
    split = {name: [f"s{number}" for number in range(16)[part]] for name, part in parts.items()}
    split["train"] += ["n0", "n1"]
    split["test"] += ["n2", "n3"]
    artifacts.write_lines_gz(split_path(place / "data", "generalization", 0), [split])
    finish(manifest_of(place / "data", {}))
    for model in ("tree-lstm+data", "rnn"):
        words = ["--hidden", "6", "--epochs", "2", "--data", str(place / "data"), "--out", str(place / model)]
        assert main(["train", "--model", model, *words]) == 0
    return place


@pytest.fixture(autouse=True)
def cache(place, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", place / "cache")


def evaluate(place, *words):
    return main(["score", *words, "--data", str(place / "data")])


def files(directory):
    return [(directory / name).read_bytes() for name in ("completion.json", "completion-examples.json")]


def test_both_kinds_of_models_are_scored_and_not_twice(place, capsys):
    runs = [str(place / model) for model in ("tree-lstm+data", "rnn")]
    assert evaluate(place, *runs) == 0
    output = capsys.readouterr().out
    assert output.count("3 blanks: top-1 accuracy") == 2
    assert output.count("2 numbers: top-1 MSE") == 1
    before = [files(place / model) for model in ("tree-lstm+data", "rnn")]
    assert evaluate(place, *runs) == 0
    assert capsys.readouterr().out.count("done already") == 2
    assert evaluate(place, *runs, "--again") == 0
    assert [files(place / model) for model in ("tree-lstm+data", "rnn")] == before, "the same bytes"
    results = artifacts.read_json(place / "rnn" / "completion.json")
    assert (results["model"], results["split"], results["seed"], results["limit"]) == ("rnn", "generalization", 0, None)
    assert results["numeric"] is None


def test_only_trainings_on_whole_training_sets_are_scored(monkeypatch, tmp_path):
    (tmp_path / "best.params").touch()
    rows = [{"split": "generalization"}, {"split": "generalization", "fraction": 0.5}, {"split": "strict"}]
    runs = [SimpleNamespace(directory=tmp_path, seed=seed) for seed in range(3)]
    monkeypatch.setattr(study, "trained", lambda *_: list(zip(rows, runs, strict=True)))
    assert study._experiments(tmp_path, ("generalization",)) == runs[:1]


def test_deeper_equations_are_scored_once(place, capsys, tmp_path):
    texts = [f"{'sin(' * depth}x{')' * depth} = x" for depth in (2, 3, 5, 5, 6)]
    records = [record(f"d{n}", text, 0, "symbolic") for n, text in enumerate(texts)]
    write_dataset(tmp_path / "deep", records, (), (), None, 1, 0)
    words = ["score", str(place / "tree-lstm+data"), "--only", "deep", "--deep-data"]
    for told in ("depth 6", "done already"):
        assert main([*words, str(tmp_path / "deep")]) == 0
        assert told in capsys.readouterr().out
    deep = read_run(place / "tree-lstm+data").stored_deep
    assert {depth: score.count for depth, score in deep.by_depth.items()} == {6: 2, 7: 1}
    assert main([*words, str(place / "data")]) == 2
    assert "no equation there is deeper than 4" in capsys.readouterr().err


def test_consistency_of_named_networks_comes_beside_that_of_others(place, tmp_path, capsys):
    words = ["score", "--only", "consistency", "--data", str(place / "data"), "--runs", str(tmp_path)]
    for model in ("tree-lstm+data", "rnn"):
        assert main([*words, str(place / model)]) == 0
        assert f"{model}: sides swapped 0.0 %" in capsys.readouterr().out
    path = tmp_path / "consistency.jsonl"
    rows, content = read_rows(path), path.read_bytes()
    assert {(row["network"], row["part"]) for row in rows} >= {("rnn", "swapped"), ("tree-lstm+data", "localism")}
    assert all(row["count"] <= 6 and row["split"] == "generalization" for row in rows), "the six equations of test"
    assert main([*words, str(place / "rnn")]) == 0
    assert path.read_bytes() == content
    assert main([*words[:-1], str(artifacts.RUNS), str(place / "rnn")]) == 2, "rows of other data are not mixed"
    assert "not the workspace's data set" in capsys.readouterr().err


def test_other_parameters_or_limits_are_not_done_already(place, capsys, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(place / "rnn", run)
    assert evaluate(place, str(run)) == 0
    assert evaluate(place, str(run), "--limit", "1") == 0
    assert "1 blanks" in capsys.readouterr().out
    assert read_completion(read_run(run)) is None, "a part of the blanks is no result"
    (run / "completion.json").write_text("{damaged")
    assert evaluate(place, str(run)) == 0
    whole = (run / "completion.json").read_bytes()
    row = artifacts.unsealed(artifacts.read_json(run / "completion.json"), run)
    artifacts.write_sealed(run / "completion.json", {**row, "parameters": "0" * 64})
    assert evaluate(place, str(run)) == 0
    assert (run / "completion.json").read_bytes() == whole


def test_what_cannot_be_scored_is_said(place, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "RUNS", tmp_path)
    assert evaluate(place) == 2
    assert "there is no finished training with its parameters" in capsys.readouterr().err
    for name, text, words in (
        ("results.json", None, "not a finished run"),
        ("best.params", "junk", "damaged"),
        ("config.json", {"data_fingerprint": "another"}, "another data set"),
    ):
        run = tmp_path / name
        shutil.copytree(place / "rnn", run)
        if isinstance(text, dict):
            change_run(run, text)
        else:
            (run / name).write_text(text) if text else (run / name).unlink()
        assert evaluate(place, str(run), "--again") == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize("model", ["tree-lstm+data", "rnn"])
def test_a_typed_blank_is_filled(model, place, capsys):
    assert main(["complete", "4^tanh(0) = _^x", "--run", str(place / model)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"4^tanh(0) = □^x   by {MODELS[model].title}")
    assert lines[1].split()[0] == "1" and lines[1].endswith("✔ correct")
    assert any(line.startswith("tried: ") for line in lines)
    assert lines[-1] == "note: depth 3 is more than any equation of the training has (2)"


def test_fillings_as_json(place, capsys):
    def rows(*words):
        assert main(["complete", *words, "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    words = ("4^tanh(0) = _^x", "--run", str(place / "rnn"), "--top", "3")
    assert (rows(*words)[0]["expression"], rows(*words)[0]["judge_verdict"]) == ("1", "correct")
    bare = [(row["network_rank"], row["judge_verdict"]) for row in rows(*words, "--network-only")]
    assert bare == [(1, None), (2, None), (3, None)]
    words = ("cos(-?) = -0.57", "--run", str(place / "tree-lstm+data"))
    numbers = rows(*words)
    assert [row["fits"] for row in numbers] == [True] + [False] * 9
    assert (numbers[0]["expression"], numbers[0]["true_squared_error"]) == ("2.18", 0)
    assert main(["complete", *words]) == 0
    heading, first = capsys.readouterr().out.splitlines()[1:3]
    assert len(first.removesuffix("  ✔ fits")) == len(heading) and first.endswith("✔ fits")


def test_what_the_network_has_not_met_is_left_to_the_judges(place, capsys):
    words = ["complete", "w + _ = y", "--run", str(place / "tree-lstm+data")]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "y - w  –       rank –      ✔ correct" in printed and "too few variables (x) for w, y" in printed
    assert main([*words, "--network-only"]) == 2
    assert main(["complete", "log(_) = 2", "--run", "showcase", "--json"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (first["expression"], first["judge_verdict"], first["probability"]) == ("exp(2)", "correct", None)


@pytest.mark.parametrize(
    ("model", "text", "words"),
    [
        ("tree-lstm+data", "sin(0.57) = _", "the value of sin(0.57) is asked for"),
        ("no-such", "x = _", "neither a directory nor a network"),
    ],
)
def test_a_typed_blank_that_cannot_be_filled(model, text, words, place, capsys):
    run = str(place / model) if (place / model).is_dir() else model
    assert main(["complete", text, "--run", run]) == 2
    assert words in capsys.readouterr().err
