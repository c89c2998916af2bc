"""Every network on every split: at our settings, at the paper's own, as the authors' code ran, and on further data.

The experiments also train on parts of the training set. Under a preset nothing is chosen on dev for a network: all are
trained one equation at a time, on the same data, splits and seeds, so that each claim can be judged under both.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from .. import artifacts
from ..completion.store import read_completion, read_examples
from ..data.dataset import DEPTH_2_OUT, DEPTH_4_OUT, GENERALIZATION, SPLIT_NAMES, SYMBOLIC
from ..errors import InputError, positive_integer
from ..models import MODELS, paper_models
from ..rows import Row
from ..shapes import read, shaped
from ..training.configuration import PAPER, RELEASE, Configuration, check_cell, make_configuration
from ..training.run_directory import FinishedRun
from .core import Case, DataSets, Plan, Study, add_choice, add_models, generate_words, made_with, register_study
from .search import VARIED

SETTINGS = "settings.json"  # beside a data set: what its dev part chose for a network, where it is not the default
# Learning curves over the size of the training set (the whole of it is in the tables already).
CURVE_FRACTIONS = (0.5, 0.25, 0.1)


def read_settings(directory: Path) -> dict[str, dict]:
    """The settings of each network that belong to the data set in a directory; none unless they are stored there."""
    path = Path(directory) / SETTINGS
    settings = read(dict[str, dict], path) if artifacts.is_there(path) else {}
    for model, stated in settings.items():
        unknown = next((name for name in stated if name not in VARIED), None)
        if model not in MODELS or unknown:
            allowed: Collection[str] = VARIED if model in MODELS else MODELS
            raise InputError(f"{path}: {unknown or model} is unknown (allowed: {', '.join(allowed)})")
        shaped(Configuration, {"model": model, "split": GENERALIZATION, "seed": 0, **stated}, path)
    return settings


def configured(
    settings: Mapping[str, Mapping[str, Any]], model: str, split: str, seed: int, fraction: float = 1.0,
    epochs: int | None = None, cell: str | None = None,
) -> Configuration:  # fmt: skip
    """The training of a network with the data's settings or its defaults; trees may have another cell."""
    own = {**settings.get(model, {}), "fraction": fraction, "numeric_fraction": fraction}
    own |= {"epochs": epochs} if epochs else {}
    own |= {"cell": cell} if cell and MODELS[model].is_tree else {}
    return make_configuration(model, split, seed, **own)


def plan(arguments: Namespace) -> Plan:
    """One round, all of a seed before the next: the trainings of Tables 3 and 4, then those of the learning curves."""
    settings, epochs, cell = read_settings(arguments.data), arguments.epochs, arguments.cell
    models, splits = dict.fromkeys(arguments.models), dict.fromkeys(arguments.splits)
    parts = [share for share in dict.fromkeys(arguments.fractions) if GENERALIZATION in splits and share != 1]
    yield [
        Case(
            configured(settings, model, split, seed, 1.0 if share is None else share, epochs, cell), {"fraction": share}
        )
        for seed in range(arguments.seeds)
        for model, split, share in (
            *((model, split, None) for model in models for split in splits),
            *((model, GENERALIZATION, share) for model in models for share in parts),
        )
    ]


def options(parser: ArgumentParser) -> None:
    # networks with LSTM cells before plain ones, so that no long training is left over at the end
    add_models(parser, sorted(MODELS, key=lambda name: not MODELS[name].is_lstm))
    add_choice(parser, "splits", SPLIT_NAMES)
    shares = "parts of the training set for the learning curves (none: no learning curves)"
    parser.add_argument("--fractions", nargs="*", type=float, default=CURVE_FRACTIONS, metavar="SHARE", help=shares)
    parser.add_argument("--cell", type=check_cell, metavar="NAME", help="of trees, instead of their own")


# ------------------------------------------------------------------------------------------------ details


def details(run: FinishedRun) -> Row:
    """What figures show of trainings on the whole training set."""
    asked = run.configuration
    found: Row = {}
    if asked.fraction == 1 and asked.split == GENERALIZATION:
        found |= {**curves(run), **filled_blanks(run)}
    if asked.fraction == 1 and asked.split in (GENERALIZATION, DEPTH_4_OUT):
        found |= probabilities(run)
    return {name: value for name, value in found.items() if value}


def curves(run: FinishedRun) -> Row:
    """Dev accuracy and loss by epoch."""
    epochs = run.history
    return {"dev_curve": [each.dev_accuracy for each in epochs], "loss_curve": [each.loss for each in epochs]}


def probabilities(run: FinishedRun) -> Row:
    """The probabilities of the symbolic test equations, in the order of the split."""
    tested = [each for each in run.predictions if each.part == "test" and each.id.startswith(SYMBOLIC[0])]
    return {"probabilities": [each.probability for each in tested]}


def filled_blanks(run: FinishedRun) -> Row:
    """What filling blanks scored, in groups, and of seed 0 the examples that a figure shows."""
    completion, examples = read_completion(run), read_examples(run) if run.seed == 0 else None
    if not completion:
        return {}
    numeric = {"numeric": completion.numeric} if completion.numeric else {}
    row: Row = {"blanks": {"symbolic": completion.symbolic, **numeric}}
    if examples:
        kept = ("symbolic", "numeric", "evaluations", "curves")
        row["examples"] = {name: value for name, value in examples.items() if name in kept}
    return row


# ------------------------------------------------------------------------------------------------ presets


def preset_plan(preset: str, arguments: Namespace) -> Plan:
    """One round: trees before chains, which take longer, and all of one seed before the next."""
    asked = product(range(arguments.seeds), dict.fromkeys(arguments.models), dict.fromkeys(arguments.splits))
    yield [
        Case(make_configuration(model, split, seed, preset, epochs=arguments.epochs), {"preset": preset})
        for seed, model, split in sorted(asked, key=lambda each: not MODELS[each[1]].is_tree)
    ]


def preset_options(parser: ArgumentParser) -> None:
    add_models(parser, MODELS)
    add_choice(parser, "splits", SPLIT_NAMES)


register_study(
    Study(
        "experiments",
        "train every network on every split, and on parts of the training set",
        plan,
        options,
        smoke={"epochs": 2, "fractions": (0.5,)},
        details=details,
    )
)
for name, preset, words in (
    ("release", RELEASE, "as the authors' code ran: sigmoid leaves, no dropout, chains on whole equations"),
    ("protocol", PAPER, "at the paper's own settings, so that its claims are judged under them as well"),
):
    register_study(
        Study(
            name,
            f"train every network {words}",
            partial(preset_plan, preset),
            preset_options,
            smoke={"models": ("tree-nn", "tree-nn+data"), "splits": (GENERALIZATION,), "epochs": 1},
            fills_blanks=lambda case: case.configuration.split == GENERALIZATION,
        )
    )

# ------------------------------------------------------------------------------------------------ further data

# How much depends on which data set was drawn: the networks of the tables, trained on data sets of further seeds. They
# are made like that of the tables, with its axioms, recipe and size. Their seeds are those that follow its own, without
# 0, on whose data settings were chosen. `table-data-seeds` shows the spread within data sets and between them.
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


def _data_sets(arguments: Namespace) -> DataSets:
    return {data_name(seed): generate_words(arguments.data, seed=seed) for seed in _further(arguments)}


def _further_plan(arguments: Namespace) -> Plan:
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


def _further_options(parser: ArgumentParser) -> None:
    add_choice(parser, "models", (model.name for model in paper_models()))
    add_choice(parser, "splits", SPLITS)
    add_choice(parser, "protocols", (OURS, RELEASE), "our settings, and as the authors ran it: ")
    further = f"data sets, of the seeds after that of the tables' data (default: {FURTHER})"
    parser.add_argument("--data-seeds", type=positive_integer, default=FURTHER, metavar="N", help=further)


register_study(
    Study(
        "data-seeds",
        "train the networks of the tables on data sets of further seeds: how much depends on which was drawn",
        _further_plan,
        _further_options,
        smoke={"models": ("tree-nn",), "splits": (GENERALIZATION,), "protocols": (OURS,), "epochs": 1, "data_seeds": 2},
        data_sets=_data_sets,
        seeds=2,
    )
)
