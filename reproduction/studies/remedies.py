"""What was tried for the claims that do not come back: other settings of a network, beside those of the tables.

All of it happens on a data set of its own, made with another seed: no test set of the tables is looked at. A remedy
has the seeds of the networks as they are in the tables and is compared with them seed by seed. Dev says whether it is
better; the test scores of that data set are shown beside it.
"""

from argparse import Namespace
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..errors import InputError
from ..measures import ACCURACY, MSE, TOP_K, TOP_K_MSE, Measure
from ..training.configuration import make_configuration
from ..training.run_directory import data_at
from .core import Case, DataSets, Plan, Study, add_choice, generate_words, made_with, register_study
from .experiments import configured, read_settings

DATA = "data-tuning"  # the data set on which settings are chosen
BLANKS = (FIRST_GUESS, FIRST_ERROR) = (TOP_K[0], TOP_K_MSE[0])  # what is measured by filling blanks
REMEDY, REFERENCE, RIVAL = "remedy", "as in the tables", "rival"
LSTM, PLAIN = "tree-lstm+data", "tree-nn+data"


class Remedy(NamedTuple):
    """A change to the training of a network, the claim that it may help, and the network that it should beat."""

    claim: str  # its key
    model: str
    rival: str
    split: str
    measure: Measure
    words: str
    settings: Mapping[str, Any]


LIGHTER = ("Numbers weigh a tenth, 0.1", {"numeric_weight": 0.1})
LIGHT = ("Numbers weigh less, 0.3", {"numeric_weight": 0.3})
HEAVY = ("Numbers weigh more, 3", {"numeric_weight": 3.0})
HEAVIER = ("Numbers weigh ten times as much, 10", {"numeric_weight": 10.0})
LIKE_RIVAL = ("All settings as TreeLSTM has them, L2 5e-5", {"l2": 5e-5})
LESS_DROPOUT = ("Less dropout, 0.1", {"dropout": 0.1})
COSINE = ("A rate that falls all the time", {"schedule": "cosine"})
TRIED = (
    (("data-helps", LSTM, "tree-lstm", GENERALIZATION, ACCURACY), (LIGHTER, LIGHT, HEAVY, LIKE_RIVAL)),
    (("data-helps", PLAIN, "tree-nn", GENERALIZATION, ACCURACY), (LIGHTER, LIGHT, HEAVY)),
    (("data-helps", LSTM, "tree-lstm", DEPTH_4_OUT, ACCURACY), (LIGHTER,)),
    (("data-helps", PLAIN, "tree-nn", DEPTH_4_OUT, ACCURACY), (LIGHTER,)),
    (("evaluation-error", LSTM, PLAIN, GENERALIZATION, MSE), (HEAVY, HEAVIER, LESS_DROPOUT, COSINE)),
    (("completion-data", LSTM, "tree-lstm", GENERALIZATION, FIRST_GUESS), (LIGHTER, LIGHT, HEAVY)),
    (("completion-error", LSTM, PLAIN, GENERALIZATION, FIRST_ERROR), (HEAVY, HEAVIER, LESS_DROPOUT)),
)
REMEDIES = tuple(Remedy(*where, *change) for where, changes in TRIED for change in changes)
CLAIMS = tuple(dict.fromkeys(each.claim for each in REMEDIES))


def tuning_data(arguments: Namespace) -> Path:
    """The directory of the data set on which settings are chosen; the data set of the tables is refused."""
    directory: Path = arguments.runs / DATA
    if data_at(directory).fingerprint == data_at(arguments.data).fingerprint:
        raise InputError(f"{directory}: is the data set of the tables, on which no settings may be chosen")
    return directory


def plan(arguments: Namespace) -> Plan:
    """One round: every remedy beside the network as it is in the tables and its rival, seed by seed."""
    directory = tuning_data(arguments)
    settings, epochs, cases = read_settings(directory), arguments.epochs, []
    for seed, (place, each) in product(arguments.seeds, enumerate(REMEDIES)):
        if each.claim in arguments.claims:
            stated = {"part": each.claim, "place": place, "measure": each.measure.name, "remedy": each.words}
            ways = {
                REMEDY: make_configuration(each.model, each.split, seed, **each.settings, epochs=epochs),
                REFERENCE: configured(settings, each.model, each.split, seed, epochs=epochs),
                RIVAL: configured(settings, each.rival, each.split, seed, epochs=epochs),
            }
            cases += [Case(asked, {**stated, "way": way}, DATA) for way, asked in ways.items()]
    yield cases


def data_sets(arguments: Namespace) -> DataSets:
    """A data set like that of the tables, of another seed."""
    other_seed = 1 if made_with(arguments.data).get("seed", 0) == 0 else 0
    return {DATA: generate_words(arguments.data, seed=other_seed)}


study = Study(
    "remedies",
    "try other settings for the claims that do not come back, on a data set on which settings may be chosen",
    plan,
    lambda parser: add_choice(parser, "claims", CLAIMS),
    smoke={"claims": ("completion-error",), "epochs": 1},
    data_sets=data_sets,
    fills_blanks=lambda case: case.keys["measure"] in {measure.name for measure in BLANKS},
)
register_study(study)
