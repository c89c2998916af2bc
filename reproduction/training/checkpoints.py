"""Files that hold a model: whole and of this very run, or refused with a sentence.

MXNet loads damaged parameters without a word, so that everything is stored with its SHA-256.
"""

import hashlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import artifacts
from ..errors import InputError
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
    head = {"format": FORMAT, "sha256": hashlib.sha256(content).hexdigest()}
    artifacts.write_bytes(path, json.dumps(head).encode() + b"\n" + content)


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a file; a damaged or foreign one is refused."""
    head, _, content = path.read_bytes().partition(b"\n")
    try:
        head = json.loads(head)
    except (json.JSONDecodeError, UnicodeDecodeError):
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise InputError(f"{path}: not a checkpoint of this program (remove it to start again)")
    if head.get("sha256") != hashlib.sha256(content).hexdigest():
        raise InputError(f"{path}: damaged, its content does not have the stored SHA-256 (remove it to start again)")
    with np.load(io.BytesIO(content)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return Checkpoint(arrays, json.loads(str(arrays.pop("row"))))


def _digest_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def write_parameters(path: Path, model: gluon.Block) -> None:
    """Gluon's parameter file, and its SHA-256 beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".parameters-") as directory:
        temporary = os.path.join(directory, path.name)
        model.save_parameters(temporary)
        content = Path(temporary).read_bytes()
    artifacts.write_bytes(path, content)
    artifacts.write_text(_digest_path(path), hashlib.sha256(content).hexdigest() + "\n")


def read_parameters(path: Path, model: gluon.Block) -> None:
    """Fills a model with the parameters of a file, if they are whole and fit."""
    for needed in (path, _digest_path(path)):
        if not needed.is_file():
            raise InputError(f"{needed}: there is no such file, so this is not a finished run")
    if hashlib.sha256(path.read_bytes()).hexdigest() != artifacts.read_text(_digest_path(path)).strip():
        raise InputError(f"{path}: damaged, its content does not have the stored SHA-256")
    stored = nd.load(str(path))
    own = model._collect_params_with_prefix()
    if {name: array.shape for name, array in stored.items()} != {name: each.shape for name, each in own.items()}:
        raise InputError(f"{path}: its parameters are not those of the model in config.json")
    model.load_parameters(str(path), ctx=mx.cpu() if model.flat.data.context == mx.cpu() else mx.gpu())
