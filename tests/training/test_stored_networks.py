"""Parameters of another network, and damaged or crafted files whose checksums are right, are refused."""

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

SETTINGS = ("--model", "tree-lstm+data", "--hidden", "4", "--batch-size", "16", "--schedule", "constant")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    write_small_dataset(place / "data")
    assert train(place, place / "run", 2, "--keep-checkpoint") == 0
    return place


def train(place, out, epochs, *more):
    return main(["train", *SETTINGS, "--data", str(place / "data"), "--out", str(out), "--epochs", str(epochs), *more])


def longer_name(content):
    """A parameter's name that is said to be as long as the memory of a computer."""
    return content[:-20] + (2**40).to_bytes(8, "little") + content[-12:]


def larger_array(content):
    """The first array said to have 2^40 rows: its shape begins behind the head of the file and that of the array."""
    return content[:36] + (2**40).to_bytes(8, "little") + content[44:]


@pytest.mark.parametrize(
    ("config", "change"),
    [*((config, bytes) for config in ({"hidden": 5}, {"hidden": 4096}, {"cell": "tree-nn"}, {"functions": ["sin"]})),
     *(({}, change) for change in (longer_name, larger_array, lambda content: b"", lambda content: content * 2))],
)  # fmt: skip
def test_parameters_of_another_network_or_layout_are_refused(place, tmp_path, capsys, config, change):
    run = shutil.copytree(place / "run", tmp_path / "run")
    content = change((run / "best.params").read_bytes())
    (run / "best.params").write_bytes(content)
    (run / "best.params.sha256").write_text(artifacts.checksum(content) + "\n")
    change_run(run, config)
    assert main(["verify", "--run", str(run), "x = x"]) == 2
    assert "its parameters are not those of the model" in capsys.readouterr().err


def archive(compression=zipfile.ZIP_STORED, **changes):
    """What makes an archive of the arrays of a checkpoint, some of them changed or, if None, left out."""

    def made(arrays):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", compression) as file:
            for name, array in {**arrays, **changes}.items():
                if array is not None:
                    member = io.BytesIO()
                    np.save(member, array)
                    file.writestr(f"{name}.npy", member.getvalue())
        return buffer.getvalue()

    return made


def row(**changes):
    return lambda arrays: archive(row=np.array(json.dumps({**json.loads(str(arrays["row"])), **changes})))(arrays)


@pytest.mark.parametrize(
    "change",
    [
        *(archive(best=None), archive(best=np.zeros(3, np.float32)), archive(more=np.zeros(3)), archive(row=None)),
        *(archive(row=np.array("{}")), archive(row=np.array("[]")), archive(zipfile.ZIP_DEFLATED)),
        *(row(progress={"epochs": 1}), row(progress={"epoch": "two"}), row(steps="many")),
        row(capacity=[2**60, 1, 1, []]),
        *(lambda arrays: b"no archive", lambda arrays: b"\x93NUMPY"),
        *(lambda arrays, size=size: archive()(arrays).replace(str(arrays["best"].shape).encode(), size)
          for size in (b"(9999,)", b"(9999999999999999,)")),
    ],
)  # fmt: skip
def test_a_checkpoint_with_content_of_its_own_is_refused(place, tmp_path, capsys, change):
    path = shutil.copytree(place / "run", tmp_path / "earlier") / "checkpoint.npz"
    _, _, content = path.read_bytes().partition(b"\n")
    with np.load(io.BytesIO(content)) as stored:
        changed = change(dict(stored))
    head = json.dumps({"format": "neural programs checkpoint 1", "sha256": artifacts.checksum(changed)})
    path.write_bytes(head.encode() + b"\n" + changed)
    assert train(place, tmp_path / "new", 3, "--continue-from", str(path.parent)) == 2
    assert "checkpoint" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()  # nothing is written before all input is known to be good
