"""The export: what strangers read is the data set, file by file, and the same bytes each time."""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from reproduction import benchmark
from reproduction.__main__ import main
from reproduction.artifacts import checksum
from reproduction.completion.ranking import exported_blanks
from reproduction.data.export import write_export
from reproduction.data.manifest import read_manifest
from reproduction.language.expression import Expression, apply, constant, number, variable
from reproduction.language.parsing import parse_equation


@pytest.fixture(scope="module")
def data():
    return benchmark.load()


@pytest.fixture(scope="module")
def export(tmp_path_factory, data) -> Path:
    out = tmp_path_factory.mktemp("export") / "out"
    assert main(["export", "--out", str(out), "--seeds", "1"]) == 0
    return out


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def tree(tokens, vocabulary: dict) -> Expression:
    """What a stranger makes of prefix tokens."""
    token = next(tokens)
    if token in vocabulary["functions"]:
        return apply(token, *(tree(tokens, vocabulary) for _ in range(vocabulary["functions"][token])))
    if token in vocabulary["constants"]:
        return constant(token)
    return variable(token) if token in vocabulary["variables"] else number(token)


def test_every_part_of_every_split_has_the_records_of_its_stored_split(export, data):
    for split in ("generalization", "strict", "extrapolate-4", "extrapolate-2"):
        stored = json.loads(gzip.decompress((data.directory / "splits" / f"{split}-0.json.gz").read_bytes()))
        for part, identifiers in stored.items():
            assert [row["id"] for row in rows(export / split / "0" / f"{part}.jsonl")] == identifiers
    assert rows(export / "strict/0/test.jsonl")[0] == {
        "id": "s13751", "text": "0^0.7 = acot(-1) * 0", "prefix": ["=", "^", "0", "0.7", "*", "acot", "-1", "0"],
        "latex": r"0^{0.7} = \operatorname{arccot}\left(-1\right) \times 0", "label": 1, "kind": "symbolic", "depth": 3,
        "functions": ["^", "*", "acot"], "origin": "grow_node",
    }  # fmt: skip


def test_text_and_prefix_tokens_give_the_tree_back(export, data):
    vocabulary = json.loads((export / "vocabulary.json").read_text("utf-8"))
    for row in rows(export / "generalization/0/test.jsonl"):
        tokens = iter(row["prefix"])
        assert next(tokens) == "="
        sides = tree(tokens, vocabulary), tree(tokens, vocabulary)
        assert next(tokens, None) is None
        assert sides == data.dataset.by_id[row["id"]].equation == parse_equation(row["text"])


def test_the_same_data_give_the_same_bytes_and_csv_says_the_same(export, data, tmp_path):
    write_export(data.directory, tmp_path / "again", "csv", seeds=2)
    with (tmp_path / "again/strict/0/dev.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    expected = rows(export / "strict/0/dev.jsonl")
    assert [row["text"] for row in table] == [row["text"] for row in expected]
    assert [row["prefix"].split() for row in table] == [row["prefix"] for row in expected]

    write_export(data.directory, tmp_path / "again", seeds=1, blanks=exported_blanks)  # over the other one
    names = sorted(path.relative_to(export) for path in export.rglob("*.*"))
    assert sorted(path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*.*")) == names
    assert all((export / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in names)


def test_the_metadata_names_every_file_with_its_checksum(export):
    metadata = json.loads((export / "croissant.json").read_text("utf-8"))
    files = {file["contentUrl"]: file["sha256"] for file in metadata["distribution"]}
    assert files == {
        path.relative_to(export).as_posix(): checksum(path.read_bytes()) for path in export.glob("*/*/*.jsonl")
    }


def test_the_gallery_has_every_depth_origin_and_label(export, data):
    page = (export / "gallery.html").read_text("utf-8")
    symbolic = Counter((record.depth, record.origin.split(":")[0], record.label) for record in data.dataset.symbolic)
    assert page.count("<tr><td>") >= len(symbolic) and page.count("<math>") > 2 * len(symbolic)
    assert all(f"Symbolic equations of depth {depth}" in page for depth, _, _ in symbolic)


def test_the_card_ends_with_the_data_sets_that_are_there(export):
    card = (export / "README.md").read_text("utf-8")
    for recipe in benchmark.RECIPES:
        assert f"| {recipe} | `{read_manifest(benchmark.data_of(recipe)).fingerprint}` |" in card


def test_a_directory_with_other_things_is_refused_and_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert main(["export", "--out", str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert "not empty" in capsys.readouterr().err


# The interpreter of an environment with pandas, datasets and mlcroissant, none of which is a dependency.
OTHER_PYTHON = os.environ.get("BENCHMARK_PYTHON", sys.executable)  # of an environment with the libraries below
# What each reads and prints; the first two also write predictions, in which every label is known.
READERS = {
    "pandas": "import pandas; frame = pandas.read_json('strict/0/test.jsonl', lines=True); "
    "print(len(frame), frame.label.sum(), frame.prefix[0][0]); frame['probability'] = 0.75 * frame.label; "
    "frame[frame.kind == 'symbolic'][['id', 'probability']].to_json(OUT, orient='records', lines=True)",
    "datasets": "import datasets; data = datasets.load_dataset('json', data_files={'test': 'strict/0/test.jsonl'}, "
    "cache_dir='cache')['test']; print(len(data), sum(data['label']), data[0]['prefix'][0]); "
    "data = data.filter(lambda row: row['kind'] == 'symbolic'); "
    "data.map(lambda row: {'probability': 0.75 * row['label']}).select_columns(['id', 'probability']).to_json(OUT)",
    "mlcroissant": "import mlcroissant; data = list(mlcroissant.Dataset('croissant.json').records('strict-0-test')); "
    "print(len(data), sum(row['strict-0-test/label'] for row in data), '=')",
}


@pytest.mark.parametrize("library", READERS)
def test_other_libraries_read_the_files_as_they_are(library, export, data, tmp_path):
    """In an environment of its own, named by BENCHMARK_PYTHON: none of them is a dependency."""
    if subprocess.run([OTHER_PYTHON, "-c", f"import {library}"], capture_output=True).returncode:
        pytest.skip(f"{library} is not installed ({OTHER_PYTHON}); it is needed for this test alone")
    predictions = tmp_path / "predictions.jsonl"
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONPATH": ""}
    script = f"OUT = {str(predictions)!r}; {READERS[library]}"
    done = subprocess.run(
        [OTHER_PYTHON, "-W", "ignore", "-c", script], cwd=export, env=offline, capture_output=True, text=True
    )
    expected = rows(export / "strict/0/test.jsonl")
    assert done.stdout.split() == [str(len(expected)), str(sum(row["label"] for row in expected)), "="], done.stderr
    if library != "mlcroissant":
        assert data.score(predictions, "strict", 0)["accuracy"].value == 100
