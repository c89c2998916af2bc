"""The model of a finished run, and its scores on a data set."""

from pathlib import Path

from ..data.dataset import Dataset, load_split
from ..data.examples import Part, Parts, split_parts
from ..errors import InputError
from .checkpoints import read_parameters
from .configuration import read_configuration
from .learners import build_learner, build_model, read_knowledge
from .scoring import choose_threshold, part_scores


def load_model(directory: Path, row: dict):
    """The trained model of a run directory with this config.json."""
    where = str(directory / "config.json")
    configuration, knowledge = read_configuration(row, where), read_knowledge(row, where)
    model = build_model(configuration, knowledge)
    read_parameters(directory / "best.params", model)
    return model


def _parts(row: dict, dataset: Dataset, data: Path) -> tuple[Parts, tuple[str, ...]]:
    """The parts to score: dev and test of the run's own split, or all of another data set."""
    configuration = read_configuration(row, "config.json")
    if row.get("data_fingerprint") == dataset.fingerprint:
        split = load_split(data, configuration.split, configuration.seed)
        return split_parts(dataset, split, configuration.fraction, configuration.seed), ("dev", "test")
    if not dataset.symbolic:
        raise InputError(f"{data}: there is no symbolic equation to score")
    every = Part(dataset.symbolic, dataset.numeric)
    return Parts(Part((), ()), every, every), ("dev",)


def evaluate_run(directory: Path, row: dict, dataset: Dataset, data: Path) -> dict:
    """Scores by part; on a data set that the run was not trained on there is one part, all of it."""
    configuration, knowledge = read_configuration(row, str(directory)), read_knowledge(row, str(directory))
    model = load_model(directory, row)
    parts, names = _parts(row, dataset, data)
    learner = build_learner(configuration, knowledge, model, parts)
    predictions = {name: learner.predict(name) for name in ("dev", *names)}
    threshold = choose_threshold(parts.dev, predictions["dev"])
    scores = {name: part_scores(getattr(parts, name), predictions[name], threshold) for name in names}
    return scores if len(names) > 1 else {"all": scores["dev"]}
