"""The benchmark in two calls: `load` gives equations and their splits, `score` rates predictions of them.

from reproduction import benchmark
data = benchmark.load("paper")
test = data.split("strict", 0).test
scores = data.score({example.id: 0.5 for example in test if example.kind == "symbolic"}, "strict", 0)
scores["accuracy"].value, scores["accuracy"].interval
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from . import artifacts
from .completion.ranking import guess_scores, read_guesses
from .data.dataset import Dataset, Split
from .data.dataset import load as load_dataset
from .data.export import Example, example_of
from .data.scores import Prediction, Scored, as_predictions, read_predictions, scores_of
from .data.splits import stored_split
from .errors import InputError

RECIPES = PAPER, HARD = "paper", "hard"


class Parts(NamedTuple):
    """The equations of a split."""

    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    test: tuple[Example, ...]


class Benchmark:
    """A data set with its splits."""

    def __init__(self, directory: Path):
        self.directory = directory

    @cached_property
    def dataset(self) -> Dataset:
        return load_dataset(self.directory)

    @cached_property
    def examples(self) -> dict[str, Example]:
        """Every equation by its id."""
        return {identifier: example_of(record) for identifier, record in self.dataset.by_id.items()}

    def split(self, name: str, seed: int = 0) -> Parts:
        """The equations of the stored split of this name and seed."""
        parts = self.stored(name, seed).as_row().values()
        return Parts(*(tuple(map(self.examples.__getitem__, identifiers)) for identifiers in parts))

    def stored(self, name: str, seed: int) -> Split:
        return stored_split(self.dataset, self.directory, name, seed)

    def score(
        self, predictions: Mapping[str, float | Prediction | None] | Path | str, split: str, seed: int = 0
    ) -> dict[str, Scored]:
        """The measures of the tables by their names: accuracy, precision, recall, depth_1, …, with 95 % intervals.

        Predictions are a file (see `score --help`), or probabilities by the ids of equations.
        """
        if isinstance(predictions, Mapping):
            where, found = "predictions", as_predictions(predictions)
        else:
            where, found = str(predictions), read_predictions(Path(predictions))
        scores = scores_of(found, self.dataset, self.stored(split, seed), where)
        return {measure.name: scored for measure, scored in scores.items()}

    def score_completion(
        self, guesses: Mapping[str, Sequence[str]] | Path | str, split: str, seed: int = 0
    ) -> dict[str, Scored]:
        """The share of blanks that one of the first k guesses fills rightly: top_1 to top_10."""
        if isinstance(guesses, Mapping):
            where, found = "guesses", {name: tuple(texts) for name, texts in guesses.items()}
        else:
            where, found = str(guesses), read_guesses(Path(guesses))
        scores = guess_scores(found, self.dataset, self.stored(split, seed), where)
        return {measure.name: scored for measure, scored in scores.items()}


def data_of(recipe: str) -> Path:
    """The directory of a recipe's data set in the workspace."""
    if recipe not in RECIPES:
        raise InputError(f"recipe {recipe!r} is unknown (allowed: {', '.join(RECIPES)})")
    return artifacts.DATA if recipe == PAPER else artifacts.RUNS / recipe / "data"


def load(recipe: str = PAPER) -> Benchmark:
    """The benchmark of a recipe, `paper` or `hard`."""
    return Benchmark(data_of(recipe))


def score(
    predictions: Mapping[str, float | Prediction | None] | Path | str,
    split: str = "strict",
    seed: int = 0,
    recipe: str = PAPER,
) -> dict[str, Scored]:
    """The measures of the tables, by their names, of predictions of a test part."""
    return load(recipe).score(predictions, split, seed)
