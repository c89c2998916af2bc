"""What of a network is stored: parameters and checkpoints as files, trained models from them, and their scores."""

import io
import json
import math
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import artifacts
from ..data.dataset import Dataset, Split, Vocabulary, read_vocabulary
from ..data.splits import Part, Parts, split_parts, stored_split
from ..errors import InputError, MachineError
from ..networks.backend import mx, nd
from ..networks.network import ExpressionNetwork
from .configuration import Configuration
from .learners import Learner
from .run_directory import CHECKPOINT, PARAMETERS, FinishedRun, is_finished, read_config
from .scoring import choose_threshold, part_scores

FORMAT = "neural programs checkpoint 1"
VALUE_BYTES = 4  # of a parameter


def configured_parts(configuration: Configuration, dataset: Dataset, split: Split) -> Parts:
    """The records that a run learns from and is scored on."""
    fractions = configuration.fraction, configuration.numeric_fraction
    return split_parts(dataset, split, *fractions, configuration.seed)


def new_learner(configuration: Configuration, vocabulary: Vocabulary, parts: Parts) -> Learner:
    """A new network with its data, the weights drawn from the run's seed."""
    network = configuration.kind.part("build")(configuration, vocabulary)
    network.initialize_parameters(np.random.default_rng([configuration.seed, 0]))
    return configuration.kind.part("learner")(network, parts, configuration)


# ------------------------------------------------------------------------------------------------ parameters


def _digest_path(path: Path) -> Path:
    return path.with_name(path.name + ".sha256")


def write_parameters(path: Path, network: ExpressionNetwork) -> None:
    """Gluon's parameter file, and its SHA-256 beside it: MXNet loads damaged parameters without a word."""
    with artifacts.whole_file(path) as temporary:
        try:
            network.save_parameters(str(temporary))
        except mx.MXNetError as error:
            reason = str(error).strip().splitlines()[-1]
            raise MachineError(f"{path}: MXNet cannot write the parameters ({reason})") from None
    artifacts.write_text(_digest_path(path), artifacts.checksum(path.read_bytes()) + "\n")


def read_parameters(path: Path, network: ExpressionNetwork, checksum: str | None) -> None:
    """Fills a network with the parameters of a file, if they are those with this SHA-256 and fit."""
    for needed in (path, _digest_path(path)):
        if not needed.is_file():
            raise InputError(f"{needed}: there is no such file, so this is not a finished run")
    stated, content = artifacts.read_text(_digest_path(path)).strip(), artifacts.read_bytes(path)
    if not artifacts.checksum(content) == stated == checksum:
        raise InputError(f"{path}: damaged or of another run, its content does not have the stored SHA-256")
    needed_bytes = sum(math.prod(parameter.shape) for _, _, parameter in network.ordered_parameters()) * VALUE_BYTES
    if len(content) < needed_bytes or not _is_like(content, network):
        raise InputError(f"{path}: its parameters are not those of the model in config.json")
    network.load_parameters(str(path), ctx=network.context)


def _is_like(content: bytes, network: ExpressionNetwork) -> bool:
    """Whether a file is one of parameters of this network, in all but their values: MXNet believes what a file says."""
    with tempfile.TemporaryDirectory() as directory:
        path, samples = Path(directory) / "sample.params", []
        for bits in (0, 2**32 - 1):  # every byte of a value is another one
            network.flat.data[:] = nd.array(np.full(len(network.flat), bits, np.uint32).view(np.float32))
            network.save_parameters(str(path))
            samples.append(np.frombuffer(path.read_bytes(), np.uint8))
    found = np.frombuffer(content, np.uint8)
    return len(found) == len(samples[0]) and bool(np.all((found == samples[0]) | (samples[0] != samples[1])))


def load_network(run: FinishedRun, device: str = "cpu") -> ExpressionNetwork:
    """The trained network of a run."""
    configuration, vocabulary = (
        replace(run.configuration, device=device),
        read_vocabulary(run.config, str(run.directory)),
    )
    network = configuration.kind.part("build")(configuration, vocabulary)  # without room for its parameters yet
    read_parameters(run.directory / PARAMETERS, network, run.results.files.get(PARAMETERS))
    return network


def evaluate_run(run: FinishedRun, dataset: Dataset, data: Path) -> dict:
    """Scores of dev and test; of another data set than the run's own there is one part, `all`."""
    configuration, network = run.configuration, load_network(run, run.configuration.device)
    if own := run.data_fingerprint == dataset.fingerprint:
        split = stored_split(dataset, data, configuration.split, configuration.seed)
        if split.checksum != run.split_checksum:
            raise InputError(f"{data}: the split {configuration.split}-{configuration.seed} there is not the run's own")
        parts = configured_parts(configuration, dataset, split)
    elif not dataset.symbolic:
        raise InputError(f"{data}: there is no symbolic equation to score")
    else:
        parts = Parts(Part((), ()), *[Part(dataset.symbolic, dataset.numeric)] * 2)
    learner = configuration.kind.part("learner")(network, parts, configuration)
    predictions = {name: learner.predict(name) for name in (("dev", "test") if own else ("dev",))}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    scores = {name: part_scores(getattr(parts, name), found, threshold) for name, found in predictions.items()}
    return scores if own else {"all": scores["dev"]}


# ------------------------------------------------------------------------------------------------ checkpoints


def write_checkpoint(path: Path, arrays: dict[str, Any], row: dict) -> None:
    """One file: a line of JSON with the digest of the rest, and the arrays, with the row as JSON."""
    buffer = io.BytesIO()
    np.savez(buffer, **{"row": np.array(json.dumps(row)), **arrays})
    content = buffer.getvalue()
    artifacts.write_bytes(path, _head(content) + b"\n" + content)


def read_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and the row of a checkpoint; a damaged or foreign one is refused."""
    head, _, content = artifacts.read_bytes(path).partition(b"\n")
    if head != _head(content):
        if not head.startswith(_head(b"")[:40]):
            raise InputError(f"{path}: not a checkpoint of this program (remove it to start again)")
        raise InputError(f"{path}: damaged, its content does not have the stored SHA-256 (remove it to start again)")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays: dict[str, np.ndarray] = dict(stored)
        return arrays, json.loads(str(arrays.pop("row")))  # our own words: a score may be minus infinity
    except (KeyError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise unusable(path) from error


def _head(content: bytes) -> bytes:
    return json.dumps({"format": FORMAT, "sha256": artifacts.checksum(content)}).encode()


def unusable(path: Path) -> InputError:
    return InputError(f"{path}: its content is not that of a checkpoint (remove it to start again)")


def shorter_run(configuration: Configuration, directory: Path) -> Path:
    """The checkpoint of a finished run that this one continues; refused where it cannot be continued."""
    path = directory / CHECKPOINT
    if not path.is_file() or not is_finished(directory):
        raise InputError(f"{directory}: holds no finished run with a checkpoint (train it with --keep-checkpoint)")
    if configuration.schedule != "constant":
        raise InputError(f"{directory}: cannot be continued with the schedule {configuration.schedule}, only constant")
    if (done := read_config(directory).get("epochs", 0)) > configuration.epochs:
        raise InputError(f"{directory}: has {done} epochs already, more than the {configuration.epochs} asked for")
    return path
