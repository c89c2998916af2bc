"""Models and learners from configurations; trained models from run directories, and their scores on a data set."""

import math
import tempfile
from pathlib import Path

import numpy as np

from .. import artifacts
from ..data.dataset import Dataset, Split, Vocabulary, read_vocabulary
from ..data.splits import Part, Parts, split_parts, stored_split
from ..errors import InputError, MachineError
from ..networks.backend import mx, nd
from ..networks.network import ExpressionNetwork
from .configuration import Configuration, read_configuration
from .learners import Learner
from .run_directory import PARAMETERS, FinishedRun, read_run
from .scoring import choose_threshold, part_scores

VALUE_BYTES = 4  # of a parameter


def configured_parts(configuration: Configuration, dataset: Dataset, split: Split) -> Parts:
    """The records that a run learns from and is scored on."""
    fractions = configuration.fraction, configuration.numeric_fraction
    return split_parts(dataset, split, *fractions, configuration.seed)


def build_network(configuration: Configuration, vocabulary: Vocabulary) -> ExpressionNetwork:
    """A new network with weights drawn from the run's seed."""
    network = configuration.kind.part("build")(configuration, vocabulary)
    network.initialize_parameters(np.random.default_rng([configuration.seed, 0]))
    return network


def build_learner(configuration: Configuration, network: ExpressionNetwork, parts: Parts) -> Learner:
    """The network with the data that it is to learn."""
    return configuration.kind.part("learner")(network, parts, configuration)


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


def load_model(directory: Path, row: dict) -> ExpressionNetwork:
    """The trained model of a run directory with this config.json."""
    where = str(directory / "config.json")
    checksum = read_run(directory).results.files.get(PARAMETERS)
    configuration, vocabulary = read_configuration(row, where), read_vocabulary(row, where)
    model = configuration.kind.part("build")(configuration, vocabulary)  # without room for its parameters yet
    read_parameters(directory / PARAMETERS, model, checksum)
    return model


def load_network(run: FinishedRun) -> ExpressionNetwork:
    """The trained network of a run, on the CPU."""
    return load_model(run.directory, {**run.config, "device": "cpu"})


def _parts(row: dict, dataset: Dataset, data: Path) -> tuple[Parts, tuple[str, ...]]:
    """The parts to score: dev and test of the run's own split, or all of another data set."""
    configuration = read_configuration(row, "config.json")
    if row.get("data_fingerprint") == dataset.fingerprint:
        split = stored_split(dataset, data, configuration.split, configuration.seed)
        if split.checksum != row.get("split_checksum"):
            raise InputError(f"{data}: the split {configuration.split}-{configuration.seed} there is not the run's own")
        return configured_parts(configuration, dataset, split), ("dev", "test")
    if not dataset.symbolic:
        raise InputError(f"{data}: there is no symbolic equation to score")
    every = Part(dataset.symbolic, dataset.numeric)
    return Parts(Part((), ()), every, every), ("dev",)


def evaluate_run(directory: Path, row: dict, dataset: Dataset, data: Path) -> dict:
    """Scores by part; on a data set that the run was not trained on there is one part, all of it."""
    configuration = read_configuration(row, str(directory))
    model = load_model(directory, row)
    parts, names = _parts(row, dataset, data)
    learner = build_learner(configuration, model, parts)
    predictions = {name: learner.predict(name) for name in ("dev", *names)}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    scores = {name: part_scores(getattr(parts, name), predictions[name], threshold) for name in names}
    return scores if len(names) > 1 else {"all": scores["dev"]}
