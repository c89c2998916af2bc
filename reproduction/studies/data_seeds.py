"""How much depends on which data set was drawn: the networks of the tables, trained on data sets of further seeds.

They are made like that of the tables, with its axioms, recipe and size. Their seeds are those that follow its own,
without 0, on whose data settings were chosen. `table-data-seeds` shows the spread within data sets and between them.
"""

from argparse import ArgumentParser, Namespace
from itertools import product

from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION
from ..errors import positive_integer
from ..models import paper_models
from ..training.configuration import RELEASE, make_configuration
from .core import Case, DataSets, Plan, Study, add_choice, generate_words, made_with, register_study
from .experiments import configured, read_settings

OURS = "experiments"
SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
FURTHER = 5


def _further(arguments: Namespace) -> list[int]:
    """The seeds of the data sets."""
    first = 1 + made_with(arguments.data).get("seed", 0)
    return list(range(first, first + arguments.data_seeds))


def data_name(data_seed: int) -> str:
    """The directory of a data set, beside the rows."""
    return f"data-seed-{data_seed}"


def data_sets(arguments: Namespace) -> DataSets:
    return {data_name(seed): generate_words(arguments.data, seed=seed) for seed in _further(arguments)}


def plan(arguments: Namespace) -> Plan:
    """One round, our settings before the authors', which take longer, and one data set after the other."""
    settings, cases = read_settings(arguments.data), []
    asked = product(
        arguments.protocols, _further(arguments), range(arguments.seeds), arguments.models, arguments.splits
    )
    for protocol, data_seed, seed, model, split in asked:
        if protocol == OURS:
            wanted = configured(settings, model, split, seed, epochs=arguments.epochs)
        else:
            wanted = make_configuration(model, split, seed, protocol, epochs=arguments.epochs)
        cases.append(Case(wanted, {"part": protocol, "data_seed": data_seed}, data_name(data_seed)))
    yield cases


def options(parser: ArgumentParser) -> None:
    add_choice(parser, "models", (model.name for model in paper_models()))
    add_choice(parser, "splits", SPLITS)
    add_choice(parser, "protocols", (OURS, RELEASE), "our settings, and as the authors ran it: ")
    further = f"data sets, of the seeds after that of the tables' data (default: {FURTHER})"
    parser.add_argument("--data-seeds", type=positive_integer, default=FURTHER, metavar="N", help=further)


register_study(
    Study(
        "data-seeds",
        "train the networks of the tables on data sets of further seeds: how much depends on which was drawn",
        plan,
        options,
        smoke={"models": ("tree-nn",), "splits": (GENERALIZATION,), "protocols": (OURS,), "epochs": 1, "data_seeds": 2},
        data_sets=data_sets,
        seeds=2,
    )
)
