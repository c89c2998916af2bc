"""Files that hold a model: whole and of this very run, or refused with a sentence.

MXNet loads damaged parameters without a word, so that everything is stored with its SHA-256.
"""

import io
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import artifacts
from ..errors import InputError, MachineError
from ..networks.backend import gluon, mx, nd

FORMAT = "neural programs checkpoint 1"


class Checkpoint(NamedTuple):
    """Arrays by name, and everything else as JSON."""

    arrays: dict[str, np.ndarray]
    row: dict


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """One file: a line of JSON with the digest of the rest, and the arrays."""
    buffer = io.BytesIO()
    np.savez(buffer, row=np.array(json.dumps(checkpoint.row)), **checkpoint.arrays)
    content = buffer.getvalue()
    artifacts.write_bytes(path, _head(content) + b"\n" + content)


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file; a damaged or foreign one is refused."""
    head, _, content = artifacts.read_bytes(path).partition(b"\n")
    if head != _head(content):
        if not head.startswith(_head(b"")[:40]):
            raise InputError(f"{path}: not a checkpoint of this program (remove it to start again)")
        raise InputError(f"{path}: damaged, its content does not have the stored SHA-256 (remove it to start again)")
    with np.load(io.BytesIO(content)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return Checkpoint(arrays, json.loads(str(arrays.pop("row"))))  # our own words: a score may be minus infinity


def _head(content: bytes) -> bytes:
    return json.dumps({"format": FORMAT, "sha256": artifacts.checksum(content)}).encode()


def _digest_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def write_parameters(path: Path, model: gluon.Block) -> None:
    """Gluon's parameter file, and its SHA-256 beside it."""
    with artifacts.whole_file(path) as temporary:
        try:
            model.save_parameters(str(temporary))
        except mx.MXNetError as error:
            reason = str(error).strip().splitlines()[-1]
            raise MachineError(f"{path}: MXNet cannot write the parameters ({reason})") from None
    artifacts.write_text(_digest_path(path), artifacts.checksum(path.read_bytes()) + "\n")


def read_parameters(path: Path, model: gluon.Block, checksum: str | None) -> None:
    """Fills a model with the parameters of a file, if they are those with this SHA-256 and fit."""
    for needed in (path, _digest_path(path)):
        if not needed.is_file():
            raise InputError(f"{needed}: there is no such file, so this is not a finished run")
    stated, found = artifacts.read_text(_digest_path(path)).strip(), artifacts.checksum(artifacts.read_bytes(path))
    if not found == stated == checksum:
        raise InputError(f"{path}: damaged or of another run, its content does not have the stored SHA-256")
    stored = nd.load(str(path))
    own = model._collect_params_with_prefix()
    if {name: array.shape for name, array in stored.items()} != {name: each.shape for name, each in own.items()}:
        raise InputError(f"{path}: its parameters are not those of the model in config.json")
    model.load_parameters(str(path), ctx=mx.cpu() if model.flat.data.context == mx.cpu() else mx.gpu())
