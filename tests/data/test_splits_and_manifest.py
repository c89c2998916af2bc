"""Splits: shares, held-out depths, no twins across the strict one. A data set is whole at once, or refused."""

import shutil
from random import Random

import pytest
from support.synthetic_runs import tiny_dataset, write_dataset

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.data.dataset import SPLIT_NAMES, SYMBOLIC, Dataset, Record, Split, load
from reproduction.data.function_evaluations import PAPER_FUNCTIONS, numeric_records
from reproduction.data.manifest import begin, finish, manifest_of, read_manifest
from reproduction.data.splits import make_split, stored_split, twin_key, twin_share, twin_trouble
from reproduction.data.writing import is_made
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation


def _record(index, text, label=1):
    equation = parse_equation(text)
    return Record(f"s{index}", equation, label, SYMBOLIC, equation.depth, "test")


def _texts(random):
    """Equations of depths 1 to 4, most of them with a mirrored or renamed twin."""
    for number in range(11, 111):
        left, right = f"x + {number}", f"sin(y * {number})"
        yield f"{left} = {right}"
        yield f"{right} = {left}"
        if random.random() < 0.5:
            yield f"z + {number} = sin(x * {number})"
        yield f"cos(tan(sin({number}))) = y"
        yield f"y = {number}"


@pytest.fixture(scope="module")
def dataset():
    symbolic = tuple(_record(index, text, index % 2) for index, text in enumerate(_texts(Random(0))))
    return Dataset(symbolic, numeric_records(100, 50, PAPER_FUNCTIONS, 0), "")


@pytest.mark.parametrize("name", SPLIT_NAMES)
def test_every_record_is_in_one_part_and_the_same_seed_gives_the_same_split(dataset, name):
    split = make_split(dataset, name, 3)
    assert sorted(split.train + split.dev + split.test) == sorted(dataset.by_id)
    assert split == make_split(dataset, name, 3)
    assert split != make_split(dataset, name, 4)


@pytest.mark.parametrize("name", ["generalization", "strict"])
def test_a_fifth_is_test_and_a_tenth_of_the_rest_dev(dataset, name):
    split = make_split(dataset, name, 0)
    for letter, count in (("s", len(dataset.symbolic)), ("n", len(dataset.numeric))):
        train, dev, test = (sum(one[0] == letter for one in part) for part in (split.train, split.dev, split.test))
        slack = 0 if name == "generalization" else 5  # twins are not parted
        assert round(0.2 * count) <= test <= round(0.2 * count) + slack
        assert round(0.1 * (count - test)) <= dev <= round(0.1 * (count - test)) + slack
        assert train + dev + test == count


@pytest.mark.parametrize("seed", range(5))
def test_the_strict_split_has_no_twins(dataset, seed):
    split = make_split(dataset, "strict", seed)
    keys = {part: {twin_key(dataset.by_id[one].equation) for one in getattr(split, part)} for part in vars(split)}
    assert not keys["test"] & (keys["train"] | keys["dev"])
    assert not keys["dev"] & keys["train"]
    assert twin_share(dataset.symbolic, split) == 0
    assert twin_share(dataset.symbolic, make_split(dataset, "generalization", seed)) > 0.3


def test_a_twin_counts_wherever_it_was_seen():
    records = [_record(index, text) for index, text in enumerate(("x + 1 = y", "x = y + 1", "x = y", "y = x"))]
    assert twin_share(records, Split(("s2",), ("s1",), ("s0",))) == 1
    assert twin_share(records, Split(("s3",), ("s1",), ("s0", "s2"))) == 1
    assert twin_share(records, Split(("s1",), (), ("s0", "s2"))) == 0.5


@pytest.mark.parametrize("depth", [2, 4])
def test_extrapolation_holds_out_exactly_the_depth(dataset, depth):
    split = make_split(dataset, f"extrapolate-{depth}", 0)
    assert set(split.test) == {record.id for record in dataset.symbolic if record.depth == depth}
    assert {record.id for record in dataset.numeric} <= set(split.train + split.dev)
    assert any(one[0] == "n" for one in split.dev)


def _nested(index: int, depth: int) -> Record:
    return _record(index, "sin(" * (depth - 1) + f"x + {index}" + ")" * (depth - 1) + " = x", index % 2)


def test_depths_above_seven_are_held_out_only_where_there_are_some(dataset, tmp_path):
    deep = Dataset(tuple(_nested(index, index % 12 + 1) for index in range(120)), dataset.numeric, "")
    assert deep.splits == (*SPLIT_NAMES, "deeper")
    split = make_split(deep, "deeper", 0)
    depths = {part: {deep.by_id[one].depth for one in ids if one[0] == "s"} for part, ids in split.as_row().items()}
    assert depths["test"] == set(range(8, 14)) and depths["train"] == set(range(2, 8)) >= depths["dev"]
    assert sorted(split.train + split.dev + split.test) == sorted(deep.by_id)
    for other in (dataset, Dataset(tuple(each for each in deep.symbolic if each.depth > 7), (), "")):
        assert other.splits == SPLIT_NAMES
        with pytest.raises(InputError, match="split 'deeper' is unknown"):
            make_split(other, "deeper", 0)


def test_twins():
    pairs = {
        ("x + 1 = y", "y = x + 1"): True, ("x + 1 = y", "z + 1 = x"): True, ("x + 1 = y", "x + 1 = x"): False,
        ("x - y = x", "y - x = y"): True, ("x - y = x", "y - x = x"): False, ("2.00 = x", "2 = x"): False,
        ("v1 + v2 = v1", "v2 + v1 = v2"): True,
    }  # fmt: skip
    assert {pair: len({twin_key(parse_equation(text)) for text in pair}) == 1 for pair in pairs} == pairs


def test_unknown_names_are_refused(dataset):
    with pytest.raises(InputError, match="extrapolate-4"):
        make_split(dataset, "extrapolate-3", 0)


@pytest.fixture
def data(tmp_path):
    write_dataset(tmp_path / "data", tiny_dataset(3), range(2))
    return tmp_path / "data"


def test_every_file_is_in_the_manifest(data):
    names = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert set(read_manifest(data).files) == names - {"manifest.json"}
    assert read_manifest(data).fingerprint == load(data).fingerprint
    contents = [(data / name).read_bytes() for name in ("symbolic.jsonl.gz", "numeric.jsonl.gz")]
    assert artifacts.fingerprint(*contents) == load(data).fingerprint


@pytest.mark.parametrize("name", ["unsure.jsonl.gz", "splits/strict-1.json.gz", "statistics.json", "table-2.json"])
def test_a_file_of_another_data_set_is_refused(data, tmp_path, name):
    write_dataset(tmp_path / "other", tiny_dataset(2), range(2))
    artifacts.write_text(tmp_path / "other" / "unsure.jsonl.gz", "something else")
    shutil.copy(tmp_path / "other" / name, data / name)
    with pytest.raises(InputError, match=f"{name}: damaged or of another data set"):
        load(data)
    (data / name).unlink()
    with pytest.raises(InputError, match=f"{name}: there is no such file"):
        load(data)


def test_a_data_set_that_is_being_written_is_none(data):
    begin(data)
    with pytest.raises(InputError, match="not a whole data set, the command that wrote it was stopped"):
        load(data)
    assert not is_made(data, {})


def test_a_data_set_without_its_manifest_is_refused_and_not_thrown_away(data):
    (data / "manifest.json").unlink()
    with pytest.raises(InputError, match="not a data set, manifest.json is missing"):
        load(data)
    with pytest.raises(InputError, match="holds a data set without manifest.json"):
        is_made(data, {})


def test_a_split_is_disjoint_complete_and_what_its_name_says(data):
    """Whatever the manifest says, which is made anew here as no writer does."""
    whole = load(data)
    split = make_split(whole, "extrapolate-4", 0)
    assert stored_split(whole, data, "extrapolate-4", 0) == split
    for said, other in (
        ("every record of the data set once", Split(split.train, (*split.dev, split.train[0]), split.test)),
        ("every record of the data set once", Split(split.train[1:], split.dev, split.test)),
        ("every record of the data set once", Split((*split.train, "x"), split.dev, split.test)),
        ("not what its name says", make_split(whole, "generalization", 0)),
    ):
        artifacts.write_lines_gz(data / "splits" / "extrapolate-4-0.json.gz", [other.as_row()])
        with pytest.raises(InputError, match="extrapolate-4-0.json.gz: damaged or of another data set"):
            stored_split(whole, data, "extrapolate-4", 0)
        finish(manifest_of(data, {}))
        with pytest.raises(InputError, match=said):
            stored_split(whole, data, "extrapolate-4", 0)
    assert twin_trouble(whole, make_split(whole, "strict", 1), "strict") is None
    assert "it is not strict" in twin_trouble(whole, make_split(whole, "generalization", 1), "strict")


def test_a_split_of_another_kind_is_refused_by_recheck_whatever_the_manifest_says(data, capsys):
    shutil.copy(data / "splits" / "generalization-0.json.gz", data / "splits" / "strict-0.json.gz")
    finish(manifest_of(data, {}))
    assert main(["recheck", "--data", str(data)]) == 2
    assert "strict-0.json.gz: " in capsys.readouterr().err


AXIOMS = "x + 0 = x\nx * 1 = x\nx + x = 2 * x\nsin(-x) = -sin(x)\n"


def test_a_finished_data_set_is_made_once_and_another_only_replaces_it_when_asked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path / "cache")
    (tmp_path / "axioms.txt").write_text(AXIOMS)
    out = tmp_path / "data"
    words = ["generate", "--axioms", str(tmp_path / "axioms.txt"), "--counts", "1=4", "2=8/4", "--out", str(out)]
    words += ["--split-seeds", "1", "--workers", "1", "--scale", "smoke"]
    assert main(words) == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(words) == 0
    assert capsys.readouterr().out == f"{out}: finished already\n"
    assert main([*words, "--seed", "2"]) == 2
    assert f"{out}: holds a data set made with seed 1, not 2 (--replace makes it anew)" in capsys.readouterr().err
    (tmp_path / "axioms.txt").write_text("# another comment\n" + AXIOMS)
    assert main(words) == 0
    (tmp_path / "axioms.txt").write_text(AXIOMS + "x^1 = x\n")
    assert main(words) == 2
    assert "made with other axioms" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main([*words, "--seed", "2", "--replace"]) == 0
    assert load(out).fingerprint not in capsys.readouterr().out
    assert read_manifest(out).made_with["seed"] == 2
