"""Parameters of another network, and damaged checkpoints, are refused."""

import shutil

import pytest
from support.sealing import change_run
from support.small_data import write_small_dataset

from reproduction.__main__ import main

SETTINGS = ("--model", "tree-lstm+data", "--hidden", "4", "--batch-size", "16", "--schedule", "constant")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    write_small_dataset(place / "data")
    assert train(place, place / "run", 2, "--keep-checkpoint") == 0
    return place


def train(place, out, epochs, *more):
    return main(["train", *SETTINGS, "--data", str(place / "data"), "--out", str(out), "--epochs", str(epochs), *more])


@pytest.mark.parametrize("config", [{"hidden": 5}, {"cell": "tree-nn"}, {"functions": ["sin"]}])
def test_parameters_of_another_network_are_refused(place, tmp_path, capsys, config):
    run = shutil.copytree(place / "run", tmp_path / "run")
    change_run(run, config)
    assert main(["verify", "--run", str(run), "x = x"]) == 2
    assert "its parameters are not those of the model" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_refused(place, tmp_path, capsys):
    path = shutil.copytree(place / "run", tmp_path / "earlier") / "checkpoint.npz"
    whole = path.read_bytes()
    spoiled = bytearray(whole)
    spoiled[len(spoiled) // 2] ^= 1
    for content in (bytes(spoiled), whole[:-20], whole + b"junk", b""):
        path.write_bytes(content)
        assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
        assert "damaged" in capsys.readouterr().err and not (tmp_path / "new").exists()
    path.write_bytes(whole)
    assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 0
