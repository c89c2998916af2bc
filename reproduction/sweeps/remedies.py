"""What was tried where a number of ours was not close to the paper's: other settings, beside the reference runs.

A remedy is trained with the seeds of reference runs, on their splits, and compared with them seed by seed. Dev says
whether it is better; the test scores are shown beside it and choose nothing.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..measures import ACCURACY, MSE, TOP_K, Measure
from ..training.configuration import make_configuration
from .trials import Data, Trial

FIRST_GUESS = TOP_K[0]
REFERENCE, MORE_DATA = "data", "data-double"  # the directories of two data sets


class Remedy(NamedTuple):
    """One change to the reference training of a model, and the claim that it was hoped to help."""

    name: str
    claim: str  # its key
    model: str
    split: str
    measure: Measure
    words: str
    settings: Mapping[str, float | str] = {}
    data: str = REFERENCE
    rival: str | None = None  # the network that it should beat


_DEPTH = ("unseen-depths", "tree-lstm+data", DEPTH_4_OUT, ACCURACY)
_DATA = ("data-helps", "tree-lstm+data", GENERALIZATION, ACCURACY)
_DATA_PLAIN = ("data-helps", "tree-nn+data", GENERALIZATION, ACCURACY)
_ERROR = ("evaluation-error", "tree-lstm+data", GENERALIZATION, MSE)
_GUESS = ("completion-trees", "tree-nn", GENERALIZATION, FIRST_GUESS)

REMEDIES = (
    Remedy("depth-dropout", *_DEPTH, "More dropout, 0.3", {"dropout": 0.3}),
    Remedy("depth-l2", *_DEPTH, "More L2, 2e-4", {"l2": 2e-4}),
    Remedy("depth-data", *_DEPTH, "Twice as many equations, in a data set made for this", data=MORE_DATA),
    Remedy("data-settings", *_DATA, "All settings as TreeLSTM has them", {"l2": 5e-5}, rival="tree-lstm"),
    Remedy("data-weight", *_DATA, "Numbers weigh a tenth, 0.1", {"numeric_weight": 0.1}, rival="tree-lstm"),
    Remedy("data-plain-weight", *_DATA_PLAIN, "Numbers weigh a tenth, 0.1", {"numeric_weight": 0.1}, rival="tree-nn"),
    Remedy("error-weight", *_ERROR, "Numbers weigh more, 3", {"numeric_weight": 3.0}, rival="tree-nn+data"),
    Remedy("error-cosine", *_ERROR, "A rate that falls all the time", {"schedule": "cosine"}, rival="tree-nn+data"),
    Remedy("error-dropout", *_ERROR, "No dropout", {"dropout": 0.0}, rival="tree-nn+data"),
    Remedy("guess-dropout", *_GUESS, "Dropout, 0.1", {"dropout": 0.1}, rival="lstm"),
    Remedy("guess-l2", *_GUESS, "Some L2, 1e-5", {"l2": 1e-5}, rival="lstm"),
    Remedy("guess-state", *_GUESS, "A larger state, 100 instead of 50", {"hidden": 100}, rival="lstm"),
)


def trial(remedy: Remedy, seed: int, root: Path, data: Mapping[str, Data], epochs: int | None = None) -> Trial:
    """The training of a remedy with one seed, for the model's number of epochs unless another is asked for."""
    name = f"{remedy.name}-{seed}"
    configuration = make_configuration(remedy.model, remedy.split, seed, **remedy.settings, epochs=epochs)
    return Trial(name, Path(root).resolve() / name, configuration, data[remedy.data])
