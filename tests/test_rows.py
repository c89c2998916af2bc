"""Rows of trainings: files that are whole, sorted and sealed, and what counts as the same training."""

import json

import pytest

from reproduction import rows as row_files
from reproduction.errors import InputError
from reproduction.rows import differences, merged, read_rows, refuse_other_details, sealed, write_rows

NAMES = ("study", "model", "split", "seed", "data")


def row(seed=0, model="rnn", **more):
    return {"study": "a", "model": model, "split": "strict", "seed": seed, "data": "data", **more}


@pytest.fixture
def path(tmp_path):
    return row_files.rows_file(tmp_path, "a")


def test_rows_come_back_sorted_without_empty_values_and_an_equal_file_is_left_alone(path):
    write_rows(path, [row(1, accuracy=90.5), row(0, "lstm", mse=None), row(0, rung=1), row(3), row(0)])
    found = read_rows(path)
    assert [(each["model"], each.get("rung"), each["seed"]) for each in found] == [
        ("lstm", None, 0), ("rnn", None, 0), ("rnn", None, 1), ("rnn", None, 3), ("rnn", 1, 0),
    ]  # fmt: skip
    assert "mse" not in found[0] and found[2]["accuracy"] == 90.5
    before = path.stat()
    write_rows(path, found[::-1])
    assert path.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    "change",
    [lambda line: "", lambda line: line.replace("90.5", "91.5"), lambda line: line[:40] + "\n", lambda line: "[1]\n",
     lambda line: json.dumps({**json.loads(line), "model": 3}) + "\n", lambda line: line.rstrip("\n"),
     lambda line: json.dumps(sealed({**json.loads(line), "study": "b"})) + "\n"],
)  # fmt: skip
def test_a_changed_row_is_refused_with_its_place(path, change):
    write_rows(path, [row(0, accuracy=90.5)])
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=path.name):
        read_rows(path)


def test_details_vanish_with_the_last_row_and_something_else_of_their_name_is_refused(tmp_path):
    path = row_files.details_file(tmp_path, "a")
    write_rows(path, [row(0, dev_curve=[0.5, 0.75])])
    assert read_rows(path)[0]["dev_curve"] == [0.5, 0.75]
    write_rows(path, [])
    assert read_rows(path) == [] and not path.exists()
    path.mkdir()
    with pytest.raises(InputError):
        read_rows(path)


def test_choosing_rows():
    rows = [row(2, mse=0.3), row(0, mse=0.1), row(1), row(0, "lstm", part="x", mse=9.0)]
    assert row_files.select(rows, model="rnn", seed=[0, 2]) == rows[:2]
    assert row_files.select(rows, part=None) == rows[:3]
    assert row_files.by_seed(rows[:3], "mse") == {0: 0.1, 2: 0.3}
    assert row_files.distinct(rows, "model") == [("rnn",), ("lstm",)]
    assert row_files.key_of(rows[3], ("model", "part", "rung")) == ("lstm", "x", None)


def test_a_clock_and_what_only_one_row_has_make_no_difference_but_divergence_does():
    old = row(accuracy=90.0, train_seconds=5.0, engine="fused", code="1", seal="x", top_1=80.0)
    assert differences(old, row(accuracy=90.0, train_seconds=9.0, engine="generic", code="2")) == {}
    assert differences(old, row(accuracy=90.0, top_1=81.0)) == {"top_1": (80.0, 81.0)}
    assert differences(old, row(accuracy=90.0, diverged=3)) == {"diverged": (None, 3)}


def test_new_rows_take_the_place_of_different_ones_and_equal_ones_stay():
    old = [row(0, accuracy=90.0, train_seconds=5.0, top_1=80.0), row(1, accuracy=91.0, top_1=81.0), row(2, mse=9.0)]
    new = [row(0, accuracy=90.0, train_seconds=9.0, deep_5=70.0), row(1, accuracy=91.5)]
    found = {each["seed"]: each for each in merged(old, new, NAMES)}
    assert found[0] == row(0, accuracy=90.0, train_seconds=5.0, top_1=80.0, deep_5=70.0)
    assert found[1] == new[1]  # blanks that another network filled are not its own
    assert found[2] == old[2]


def test_a_mean_over_seeds_gives_way_to_rows_of_seeds():
    mean = {name: value for name, value in row(mean_dev_accuracy=80.0, seeds=5).items() if name != "seed"}
    assert merged([mean], [row(0)], NAMES) == [row(0)]
    assert merged([mean], [row(0, "lstm")], NAMES) == [mean, row(0, "lstm")]


def test_rows_of_another_data_set_or_split_are_refused_and_unknown_data_are_not(path):
    data = {"data": ("abc", {"strict-0": "one"})}
    refuse_other_data = row_files.refuse_other_data
    refuse_other_data(path, [row(data_fingerprint="abc", split_checksum="one"), {**row(), "data": "other"}], data)
    with pytest.raises(InputError, match="made with the data set xyz, and data is abc"):
        refuse_other_data(path, [row(data_fingerprint="xyz")], data)
    with pytest.raises(InputError, match="another strict split"):
        refuse_other_data(path, [row(data_fingerprint="abc", split_checksum="two")], data)


def test_details_of_another_training_are_refused(path):
    own = row(accuracy=90.0, dev_accuracy=91.0, best_epoch=4, data_fingerprint="abc", split_checksum="one", top_1=80.0)
    told = {name: value for name, value in own.items() if name != "top_1"} | {"dev_curve": [0.5, 0.75]}
    refuse_other_details(path, [told], [row(1), own])
    others = {"study": "b", "seed": 1, "data_fingerprint": "xyz", "split_checksum": "two", "accuracy": 89.0}
    for change in {**others, "fraction": 0.5}.items():
        with pytest.raises(InputError, match=f"^{path}: of another training than the rows beside it"):
            refuse_other_details(path, [told, told | dict([change])], [row(1), own])
    with pytest.raises(InputError, match="of another training"):
        refuse_other_details(path, [row(dev_curve=[0.5, 0.75])], [own])
