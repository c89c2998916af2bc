"""Models and learners from configurations; trained models from run directories, and their scores on a data set."""

from pathlib import Path

import numpy as np

from ..data.dataset import Dataset, Split
from ..data.examples import Part, Parts, split_parts
from ..data.splits import stored_split
from ..data.vocabulary import Vocabulary, read_vocabulary
from ..errors import InputError
from ..networks.network import ExpressionNetwork
from .checkpoints import read_parameters
from .configuration import Configuration, read_configuration
from .learners import Learner
from .run_directory import PARAMETERS, FinishedRun, read_run
from .scoring import choose_threshold, part_scores


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


def load_model(directory: Path, row: dict) -> ExpressionNetwork:
    """The trained model of a run directory with this config.json."""
    where = str(directory / "config.json")
    checksum = read_run(directory).results.files.get(PARAMETERS)
    model = build_network(read_configuration(row, where), read_vocabulary(row, where))
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
