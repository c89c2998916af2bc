"""Crafted parameters and checkpoints, whose checksums are right, are refused before MXNet reads them."""

import json
import shutil

import numpy as np
import pytest
from support.sealing import change_run
from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.training.loading import read_checkpoint, write_checkpoint

SETTINGS = ("--model", "tree-lstm+data", "--hidden", "4", "--batch-size", "16", "--schedule", "constant")
LARGE = (2**40).to_bytes(8, "little")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    write_small_dataset(place / "data")
    assert train(place, place / "run", 2, "--keep-checkpoint") == 0
    return place


def train(place, out, epochs, *more):
    return main(["train", *SETTINGS, "--data", str(place / "data"), "--out", str(out), "--epochs", str(epochs), *more])


@pytest.mark.parametrize(
    ("change", "config"),
    [
        (lambda content: content[:-20] + LARGE + content[-12:], {}),  # a parameter's name as long as a memory
        (lambda content: content[:36] + LARGE + content[44:], {}),  # an array with 2^40 rows
        (lambda content: b"", {}),
        (lambda content: content + b"0", {}),
        (lambda content: content, {"hidden": 4096}),  # a network far larger than its file is not built
    ],
)
def test_parameters_with_sizes_of_their_own_are_refused(place, tmp_path, capsys, change, config):
    run = shutil.copytree(place / "run", tmp_path / "run")
    path = run / "best.params"
    path.write_bytes(change(path.read_bytes()))
    (run / "best.params.sha256").write_text(artifacts.checksum(path.read_bytes()) + "\n")
    change_run(run, config)
    assert main(["verify", "--run", str(run), "x = x"]) == 2
    assert "its parameters are not those of the model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arrays", "row"),
    [
        ({"best": np.zeros(3, np.float32)}, {}),
        ({"parameters": np.zeros((2, 2), np.float32)}, {}),
        ({"more": np.zeros(3)}, {}),
        ({}, {"progress": {"epochs": 1}}),
        ({}, {"steps": "many"}),
        ({}, {"capacity": [1]}),
        ({}, {"run": []}),
    ],
)
def test_a_checkpoint_with_content_of_its_own_is_refused(place, tmp_path, capsys, arrays, row):
    path = shutil.copytree(place / "run", tmp_path / "earlier") / "checkpoint.npz"
    stored, stated = read_checkpoint(path)
    write_checkpoint(path, {**stored, **arrays}, {**stated, **row})
    assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
    assert "not that of a checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()  # nothing is written before all input is known to be good


def test_a_damaged_checkpoint_is_refused(place, tmp_path, capsys):
    path = shutil.copytree(place / "run", tmp_path / "earlier") / "checkpoint.npz"
    whole = path.read_bytes()
    spoiled = bytearray(whole)
    spoiled[len(spoiled) // 2] ^= 1
    head = json.dumps({"format": "neural programs checkpoint 1", "sha256": artifacts.checksum(b"none")}).encode()
    for content, sentence in (
        (bytes(spoiled), "damaged"), (whole[:-20], "damaged"), (whole + b"junk", "damaged"),
        (b"PK\x03\x04 something else", "not a checkpoint"), (b"", "not a checkpoint"),
        (head + b"\nnone", "not that of"),
    ):  # fmt: skip
        path.write_bytes(content)
        assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
        assert sentence in capsys.readouterr().err
    path.write_bytes(whole)
    assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 0
