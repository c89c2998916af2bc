"""Crafted parameters and checkpoints, whose checksums are right, are refused before MXNet reads them."""

import io
import json
import shutil
import zipfile

import numpy as np
import pytest
from support.sealing import change_run
from support.small_data import write_small_dataset

from reproduction import artifacts
from reproduction.__main__ import main

WORDS = (
    "train",
    "--model",
    "tree-lstm+data",
    "--hidden",
    "4",
    "--batch-size",
    "16",
    "--schedule",
    "constant",
    "--data",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    write_small_dataset(place / "data")
    assert main([*WORDS, str(place / "data"), "--out", str(place / "run"), "--epochs", "2", "--keep-checkpoint"]) == 0
    return place


def _longer_name(content):
    """A parameter's name that is said to be as long as the memory of a computer."""
    return content[:-20] + (2**40).to_bytes(8, "little") + content[-12:]


def _larger_array(content):
    """The first array said to have 2^40 rows: its shape begins behind the head of the file and that of the array."""
    return content[:36] + (2**40).to_bytes(8, "little") + content[44:]


@pytest.mark.parametrize("change", [_longer_name, _larger_array, lambda content: b"", lambda content: content + b"0"])
def test_parameters_with_sizes_of_their_own_are_refused(place, tmp_path, capsys, change):
    run = shutil.copytree(place / "run", tmp_path / "run")
    path = run / "best.params"
    content = change(path.read_bytes())
    path.write_bytes(content)
    (run / "best.params.sha256").write_text(artifacts.checksum(content) + "\n")
    change_run(run)
    assert main(["verify", "--run", str(run), "x = x"]) == 2
    assert "its parameters are not those of the model" in capsys.readouterr().err


def test_a_network_far_larger_than_its_file_is_not_built(place, tmp_path, capsys):
    run = shutil.copytree(place / "run", tmp_path / "run")
    change_run(run, {"hidden": 4096})
    assert main(["verify", "--run", str(run), "x = x"]) == 2
    assert "its parameters are not those of the model" in capsys.readouterr().err


def _archive(compression=zipfile.ZIP_STORED, **changes):
    def changed(arrays):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", compression) as archive:
            for name, array in {**arrays, **changes}.items():
                if array is not None:
                    file = io.BytesIO()
                    np.save(file, array)
                    archive.writestr(f"{name}.npy", file.getvalue())
        return buffer.getvalue()

    return changed


def _row(**changes):
    return lambda arrays: _archive(row=np.array(json.dumps({**json.loads(str(arrays["row"])), **changes})))(arrays)


@pytest.mark.parametrize(
    "make",
    [
        _archive(best=None),
        _archive(best=np.zeros(3, np.float32)),
        _archive(parameters=np.zeros((2, 2), np.float32)),
        _archive(more=np.zeros(3)),
        _archive(row=np.array("{}")),
        _archive(row=np.array("[]")),
        _archive(zipfile.ZIP_DEFLATED),
        _row(progress={"epochs": 1}),
        _row(steps="many"),
        _row(capacity=[2**60, 1, 1, []]),
        lambda arrays: b"no archive",
        lambda arrays: _archive()(arrays).replace(str(arrays["best"].shape).encode(), b"(9999,)"),
    ],
)
def test_a_checkpoint_with_content_of_its_own_is_refused(place, tmp_path, capsys, make):
    earlier = shutil.copytree(place / "run", tmp_path / "earlier")
    path = earlier / "checkpoint.npz"
    _, _, content = path.read_bytes().partition(b"\n")
    with np.load(io.BytesIO(content)) as stored:
        changed = make(dict(stored))
    head = json.dumps({"format": "neural programs checkpoint 1", "sha256": artifacts.checksum(changed)})
    path.write_bytes(head.encode() + b"\n" + changed)
    words = [*WORDS, str(place / "data"), "--out", str(tmp_path / "new"), "--epochs", "3"]
    assert main([*words, "--continue-from", str(earlier)]) == 2
    assert "checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()  # nothing is written before all input is known to be good


def test_a_run_that_is_not_there_is_not_continued(place, tmp_path, capsys):
    words = [*WORDS, str(place / "data"), "--out", str(tmp_path / "new"), "--epochs", "3"]
    assert main([*words, "--continue-from", str(tmp_path / "nonexistent")]) == 2
    assert "holds no run with a checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
