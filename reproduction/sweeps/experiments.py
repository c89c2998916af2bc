"""The list of every run behind every table and figure, as data."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from .. import artifacts
from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..errors import InputError
from ..models import MODELS
from ..shapes import read, shaped
from ..training.configuration import Configuration, make_configuration
from ..training.run_directory import Experiment
from .search_space import VARIED
from .trials import Data, Trial

# The longest trainings first, so that none is left over at the end: LSTM cells take longer than plain ones.
LONGEST_FIRST = tuple(sorted(MODELS, key=lambda name: not MODELS[name].is_lstm))
SETTINGS = "settings.json"  # beside a data set: what its dev part chose for a model, where it is not the default

# Learning curves over the size of the training set (the whole of it is in the tables already).
CURVE_FRACTIONS = (0.5, 0.25, 0.1)


def experiments(
    seeds: int,
    models: Sequence[str] = LONGEST_FIRST,
    splits: Sequence[str] = SPLIT_NAMES,
    fractions: Sequence[float] = CURVE_FRACTIONS,
) -> Iterator[Experiment]:
    """Every run, all of one seed before the next: those of Tables 3 and 4, then the learning curves."""
    for seed in range(seeds):
        for model in models:
            yield from (Experiment(model, split, seed) for split in splits)
        if GENERALIZATION in splits:
            for model in models:
                yield from (Experiment(model, GENERALIZATION, seed, fraction) for fraction in fractions)


def read_settings(directory: Path) -> dict[str, dict]:
    """The settings of each model that belong to the data set in a directory; none unless they are stored there."""
    path = Path(directory) / SETTINGS
    settings = read(dict[str, dict], path) if artifacts.is_there(path) else {}
    for model, stated in settings.items():
        unknown = next((name for name in stated if name not in VARIED), None)
        if model not in MODELS or unknown:
            allowed = VARIED if model in MODELS else MODELS
            raise InputError(f"{path}: {unknown or model} is unknown (allowed: {', '.join(allowed)})")
        shaped(Configuration, {"model": model, "split": GENERALIZATION, "seed": 0, **stated}, path)
    return settings


def trial(experiment: Experiment, root: Path, data: Data, epochs: int | None = None, cell: str | None = None) -> Trial:
    """The training of an experiment, with the data's settings or the model's defaults; trees with another cell."""
    model, split, seed, fraction = experiment
    settings = {**read_settings(data.directory).get(model, {}), "fraction": fraction, "numeric_fraction": fraction}
    if epochs:
        settings["epochs"] = epochs
    if MODELS[model].is_tree:
        settings["cell"] = cell
    configuration = make_configuration(model, split, seed, **settings)
    return Trial(experiment.name, artifacts.resolved(root) / experiment.name, configuration, data)
