"""Networks of today on the paper's benchmark: those that are registered and are not the paper's.

Settings are chosen first, on dev of a data set of another seed, in steps that keep the best of the steps before. Then
all networks are trained with their defaults on every split of the tables' data; a test compares these with the choice.
"""

from argparse import ArgumentParser, Namespace
from itertools import product

from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, STRICT
from ..models import MODELS
from ..training.configuration import make_configuration
from .core import Case, DataSets, Plan, Study, add_choice, best_first, register_study
from .remedies import data_sets, tuning_data

PARTS = TUNING, TABLES = "tuning", "tables"
SPLITS = (GENERALIZATION, DEPTH_4_OUT, STRICT, DEPTH_2_OUT)  # the most telling first
SEEDS = 3
TRANSFORMERS = ("transformer", "transformer-tree")  # trained unless others are named
TUNED = "transformer-tree"  # the network whose settings both have
# What is tried, step by step, and for how many epochs; the number of layers follows from the width (`count_layers`).
START = {"hidden": 136, "learning_rate": 0.002, "dropout": 0.1}
STEPS: tuple[tuple[int, dict[str, tuple]], ...] = (
    (20, {"learning_rate": (0.001, 0.002, 0.004, 0.008)}),
    (20, {"hidden": (96, 136)}),
    (100, {"dropout": (0.0, 0.1, 0.2, 0.3)}),  # as long as in the tables: it matters late
)


def others() -> tuple[str, ...]:
    """The names of the registered networks that are not the paper's."""
    return tuple(model.name for model in MODELS.values() if not model.in_paper)


def plan(arguments: Namespace) -> Plan:
    """The steps of the tuning; then one round, all of one seed before the next."""
    if TUNING in arguments.parts:
        yield from _tuned(arguments)
    if TABLES in arguments.parts:
        asked = product(arguments.seeds, arguments.splits, arguments.models)
        yield [
            Case(make_configuration(model, split, seed, epochs=arguments.epochs), {"part": TABLES})
            for seed, split, model in asked
        ]


def _tuned(arguments: Namespace) -> Plan:
    """A round a step, beginning with what was best on dev so far."""
    chosen: dict[str, float] = START
    data = tuning_data(arguments).name
    for rung, (epochs, space) in enumerate(STEPS):
        cases = {}
        for place, values in enumerate(product(*space.values())):
            point = {**chosen, **dict(zip(space, values, strict=True))}
            wanted = make_configuration(TUNED, GENERALIZATION, 0, **point, epochs=arguments.epochs or epochs)
            cases[tuple(point.items())] = Case(wanted, {"part": TUNING, "rung": rung, "place": place, **point}, data)
        rows = yield list(cases.values())
        chosen = dict(best_first(dict(zip(cases, rows, strict=True)))[0])


def options(parser: ArgumentParser) -> None:
    add_choice(parser, "parts", PARTS)
    add_choice(parser, "models", others(), "by default the Transformers; ", default=TRANSFORMERS)
    add_choice(parser, "splits", SPLITS)


def _data_sets(arguments: Namespace) -> DataSets:
    return data_sets(arguments) if TUNING in arguments.parts else {}


register_study(
    Study(
        "beyond",
        "tune and train the networks that are not the paper's, a Transformer among them, on its splits",
        plan,
        options,
        smoke={"splits": (GENERALIZATION,), "parts": (TABLES,), "epochs": 1, "seeds": "1"},
        data_sets=_data_sets,
        seeds=SEEDS,
    )
)
