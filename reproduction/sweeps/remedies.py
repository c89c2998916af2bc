"""What was tried for the claims that do not come back: other settings of a network, beside those of the tables.

All of it happens on a data set of its own, made with another seed: no test set of the tables is looked at. A remedy is
trained with the seeds of networks as they are in the tables and compared with them seed by seed. Dev says whether it is
better; the test scores of that data set are shown beside it.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ..training.configuration import make_configuration
from ..training.run_directory import Experiment
from .trials import Data, Trial

DATA = "data-tuning"  # the directory of the data set on which settings are chosen
BLANKS = (FIRST_GUESS, FIRST_ERROR) = (TOP_K[0], TOP_K_MSE[0])  # what is measured by filling blanks
LSTM, PLAIN = "tree-lstm+data", "tree-nn+data"


class Remedy(NamedTuple):
    """One change to the training of a model, the claim that it was hoped to help, and the network it should beat."""

    claim: str  # its key
    model: str
    rival: str
    split: str
    measure: Measure
    words: str
    settings: Mapping[str, float | str]

    @property
    def name(self) -> str:
        """Of its training; remedies for several claims may share one."""
        changed = "-".join(f"{name.replace('_', '-')}-{value}" for name, value in self.settings.items())
        return f"{self.model}-{self.split}-{changed}"


_HELPS = ("data-helps", LSTM, "tree-lstm")
_HELPS_PLAIN = ("data-helps", PLAIN, "tree-nn")
_ERROR = ("evaluation-error", LSTM, PLAIN, GENERALIZATION, MSE)
_GUESS = ("completion-data", LSTM, "tree-lstm", GENERALIZATION, FIRST_GUESS)
_FILLED = ("completion-error", LSTM, PLAIN, GENERALIZATION, FIRST_ERROR)

_LIGHTER = ("Numbers weigh a tenth, 0.1", {"numeric_weight": 0.1})
_LIGHT = ("Numbers weigh less, 0.3", {"numeric_weight": 0.3})
_HEAVY = ("Numbers weigh more, 3", {"numeric_weight": 3.0})
_HEAVIER = ("Numbers weigh ten times as much, 10", {"numeric_weight": 10.0})
_LIKE_RIVAL = ("All settings as TreeLSTM has them, L2 5e-5", {"l2": 5e-5})
_LESS_DROPOUT = ("Less dropout, 0.1", {"dropout": 0.1})
_COSINE = ("A rate that falls all the time", {"schedule": "cosine"})

REMEDIES = (
    *(Remedy(*_HELPS, GENERALIZATION, ACCURACY, *change) for change in (_LIGHTER, _LIGHT, _HEAVY, _LIKE_RIVAL)),
    *(Remedy(*_HELPS_PLAIN, GENERALIZATION, ACCURACY, *change) for change in (_LIGHTER, _LIGHT, _HEAVY)),
    *(Remedy(*pair, DEPTH_4_OUT, ACCURACY, *_LIGHTER) for pair in (_HELPS, _HELPS_PLAIN)),
    *(Remedy(*_ERROR, *change) for change in (_HEAVY, _HEAVIER, _LESS_DROPOUT, _COSINE)),
    *(Remedy(*_GUESS, *change) for change in (_LIGHTER, _LIGHT, _HEAVY)),
    *(Remedy(*_FILLED, *change) for change in (_HEAVY, _HEAVIER, _LESS_DROPOUT)),
)


def references(remedies: Iterable[Remedy], seed: int) -> Iterator[Experiment]:
    """The networks that remedies are compared with: as they are in the tables, and their rivals."""
    pairs = dict.fromkeys((model, each.split) for each in remedies for model in (each.model, each.rival))
    return (Experiment(model, split, seed) for model, split in pairs)


def trial(remedy: Remedy, seed: int, root: Path, data: Data, epochs: int | None = None) -> Trial:
    """The training of a remedy with one seed, for the model's number of epochs unless another is asked for."""
    name = f"{remedy.name}-{seed}"
    configuration = make_configuration(remedy.model, remedy.split, seed, **remedy.settings, epochs=epochs)
    return Trial(name, artifacts.resolved(root) / name, configuration, data)
