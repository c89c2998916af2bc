"""Models and learners from configurations; trained models from run directories, and their scores on a data set."""

from pathlib import Path

import numpy as np

from ..data.dataset import Dataset, Split
from ..data.examples import Part, Parts, split_parts
from ..data.splits import stored_split
from ..data.vocabulary import Vocabulary, read_vocabulary, tree_vocabulary
from ..errors import InputError
from ..networks.backend import context
from ..networks.cells import CELLS
from ..networks.tree_model import TreeModel
from .checkpoints import read_parameters
from .configuration import Configuration, read_configuration
from .learner import Learner
from .run_directory import PARAMETERS, read_run
from .scoring import choose_threshold, part_scores
from .tree_learner import TreeLearner


def configured_parts(configuration: Configuration, dataset: Dataset, split: Split) -> Parts:
    """The records that a run learns from and is scored on."""
    fractions = configuration.fraction, configuration.numeric_fraction
    return split_parts(dataset, split, *fractions, configuration.seed)


def find_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """What a model for this data set has to know."""
    if configuration.kind.is_tree:
        vocabulary = tree_vocabulary(dataset)
        return vocabulary._replace(numbers=vocabulary.numbers or configuration.verifies_numbers)
    from .sequence_learner import chain_vocabulary  # gluonnlp takes a second to import

    return Vocabulary((), (), False, chain_vocabulary(parts.train.symbolic, configuration.reading))


def build_model(configuration: Configuration, vocabulary: Vocabulary):
    """A new model with weights drawn from the run's seed."""
    device = context(configuration.device)
    if configuration.kind.is_tree:
        cell, decodes = configuration.tree_cell, configuration.decodes
        if cell not in CELLS:
            raise InputError(f"cell {cell!r} is unknown (allowed: {', '.join(CELLS)})")
        options = {"engine": configuration.engine, "context": device, "leaf": configuration.leaf}
        model = TreeModel(vocabulary, configuration.hidden, cell, decodes, **options)
    else:
        from ..networks.chains import SequenceModel

        size = len(vocabulary.tokens)
        is_lstm, reading = configuration.kind.is_lstm, configuration.reading
        model = SequenceModel(size, configuration.hidden, is_lstm, device, reading=reading)
    model.initialize_parameters(np.random.default_rng([configuration.seed, 0]))
    return model


def build_learner(configuration: Configuration, vocabulary: Vocabulary, model, parts: Parts) -> Learner:
    """The model with the data that it is to learn."""
    if configuration.kind.is_tree:
        return TreeLearner(model, parts, configuration)
    from .sequence_learner import SequenceLearner

    return SequenceLearner(model, vocabulary.tokens, parts, configuration)


def load_model(directory: Path, row: dict):
    """The trained model of a run directory with this config.json."""
    where = str(directory / "config.json")
    checksum = read_run(directory).results.files.get(PARAMETERS)
    model = build_model(read_configuration(row, where), read_vocabulary(row, where))
    read_parameters(directory / PARAMETERS, model, checksum)
    return model


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
    configuration, vocabulary = read_configuration(row, str(directory)), read_vocabulary(row, str(directory))
    model = load_model(directory, row)
    parts, names = _parts(row, dataset, data)
    learner = build_learner(configuration, vocabulary, model, parts)
    predictions = {name: learner.predict(name) for name in ("dev", *names)}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    scores = {name: part_scores(getattr(parts, name), predictions[name], threshold) for name in names}
    return scores if len(names) > 1 else {"all": scores["dev"]}
