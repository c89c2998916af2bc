"""Every network on every split: at our settings, at the paper's own, as the authors' code ran, and on further data.

The experiments also train on parts of the training set. Under a preset no setting is chosen on dev: all networks are
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
from ..networks.cells import CELLS
from ..rows import Row
from ..shapes import read, shaped
from ..training.configuration import PAPER, RELEASE, Configuration, make_configuration
from ..training.run_directory import FinishedRun
from .core import Case, DataSets, Plan, Study, add_choice, add_models, generate_words, made_with, register_study
from .search import VARIED

SETTINGS = "settings.json"  # beside a data set: what its dev part chose for a network, where it is not the default
# Learning curves over the size of the training set (the whole of it is in the tables already).
CURVE_FRACTIONS = (0.5, 0.25, 0.1)


def read_settings(directory: Path) -> dict[str, dict]:
    """The settings of each network that are stored beside a data set."""
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
    settings: Mapping[str, Mapping[str, Any]], model: str, split: str, seed: int, fraction: float | None = None,
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
    asked = [(model, split, None) for model in models for split in splits]
    asked += [(model, GENERALIZATION, share) for model in models for share in parts]
    yield [
        Case(configured(settings, model, split, seed, share, epochs, cell), {"fraction": share})
        for seed, (model, split, share) in product(arguments.seeds, asked)
    ]


def options(parser: ArgumentParser) -> None:
    # networks with LSTM cells before plain ones, so that no long training is left over at the end
    add_models(parser, sorted(MODELS, key=lambda name: not MODELS[name].is_lstm))
    add_choice(parser, "splits", SPLIT_NAMES)
    shares = "parts of the training set for the learning curves (none: no learning curves)"
    parser.add_argument("--fractions", nargs="*", type=float, default=CURVE_FRACTIONS, metavar="SHARE", help=shares)
    parser.add_argument("--cell", choices=tuple(CELLS), metavar="NAME", help="of trees, instead of their own")


# ------------------------------------------------------------------------------------------------ details


def details(run: FinishedRun) -> Row:
    """What figures show of trainings on the whole training set: curves over epochs, blanks, probabilities on test."""
    asked = run.configuration
    found: Row = {}
    if asked.fraction == 1 and asked.split == GENERALIZATION:
        found["dev_curve"] = [each.dev_accuracy for each in run.history]
        found["loss_curve"] = [each.loss for each in run.history]
        found |= filled_blanks(run)
    if asked.fraction == 1 and asked.split in (GENERALIZATION, DEPTH_4_OUT):
        tested = (each for each in run.predictions if each.part == "test" and each.id.startswith(SYMBOLIC[0]))
        found["probabilities"] = [each.probability for each in tested]  # in the order of the split
    return {name: value for name, value in found.items() if value}


def filled_blanks(run: FinishedRun) -> Row:
    """Scores of filled blanks by group, and for seed 0 the examples that a figure shows."""
    completion, examples = read_completion(run), read_examples(run) if run.seed == 0 else None
    if not completion:
        return {}
    row: Row = {"blanks": {"symbolic": completion.symbolic}}
    if completion.numeric:
        row["blanks"]["numeric"] = completion.numeric
    if examples:
        kept = ("symbolic", "numeric", "evaluations", "curves")
        row["examples"] = {name: value for name, value in examples.items() if name in kept}
    return row


# ------------------------------------------------------------------------------------------------ presets


def preset_plan(preset: str, arguments: Namespace) -> Plan:
    """One round: trees before chains, which take longer; all of one seed before the next."""
    asked = product(arguments.seeds, dict.fromkeys(arguments.models), dict.fromkeys(arguments.splits))
    yield [
        Case(make_configuration(model, split, seed, preset, epochs=arguments.epochs), {"preset": preset})
        for seed, model, split in sorted(asked, key=lambda each: not MODELS[each[1]].is_tree)
    ]


def preset_options(parser: ArgumentParser) -> None:
    add_models(parser, MODELS)
    add_choice(parser, "splits", SPLIT_NAMES)


text, smoke = "train every network on every split, and on parts of the training set", {"epochs": 2, "fractions": (0.5,)}
register_study(Study("experiments", text, plan, options, smoke, details=details))

PRESET_SMOKE = {"models": ("tree-nn", "tree-nn+data"), "splits": (GENERALIZATION,), "epochs": 1}
for name, preset, text in (
    ("release", RELEASE, "as the authors' code ran: sigmoid leaves, no dropout, chains on whole equations"),
    ("protocol", PAPER, "at the paper's own settings, so that its claims are judged under them as well"),
):
    study = Study(
        name, f"train every network {text}", partial(preset_plan, preset), preset_options, PRESET_SMOKE,
        fills_blanks=lambda case: case.configuration.split == GENERALIZATION,
    )  # fmt: skip
    register_study(study)

# ------------------------------------------------------------------------------------------------ further data

# The networks of the tables, trained on data sets of further seeds: how much depends on which data set was drawn. The
# data sets have the axioms, recipe and size of that of the tables; their seeds are the next ones after its seed (so
# never 0, where settings were chosen). `table-data-seeds` shows the spread within data sets and between them.
OURS = "experiments"
SPLITS = (GENERALIZATION, DEPTH_4_OUT, DEPTH_2_OUT)
FURTHER = "data-seed-"  # and the seed: the directories of the data sets, beside the rows


def _further_data(arguments: Namespace) -> DataSets:
    first = 1 + made_with(arguments.data).get("seed", 0)
    seeds = range(first, first + arguments.data_seeds)
    return {f"{FURTHER}{seed}": generate_words(arguments.data, seed=seed) for seed in seeds}


def _further_plan(arguments: Namespace) -> Plan:
    """One round, our settings before the authors', which take longer, and one data set after the other."""
    settings, cases = read_settings(arguments.data), []
    asked = product(arguments.protocols, _further_data(arguments), arguments.seeds, arguments.models, arguments.splits)
    for protocol, data, seed, model, split in asked:
        if protocol == OURS:
            wanted = configured(settings, model, split, seed, epochs=arguments.epochs)
        else:
            wanted = make_configuration(model, split, seed, protocol, epochs=arguments.epochs)
        cases.append(Case(wanted, {"part": protocol, "data_seed": int(data.removeprefix(FURTHER))}, data))
    yield cases


def _further_options(parser: ArgumentParser) -> None:
    add_choice(parser, "models", (model.name for model in paper_models()))
    add_choice(parser, "splits", SPLITS)
    add_choice(parser, "protocols", (OURS, RELEASE), "our settings, and as the authors ran it: ")
    further = "data sets, of the seeds after that of the tables' data (default: 5)"
    parser.add_argument("--data-seeds", type=positive_integer, default=5, metavar="N", help=further)


text = "train the networks of the tables on data sets of further seeds: how much depends on which was drawn"
smoke = {"models": ("tree-nn",), "splits": (GENERALIZATION,), "protocols": (OURS,), "epochs": 1, "data_seeds": 2}
register_study(Study("data-seeds", text, _further_plan, _further_options, smoke, data_sets=_further_data, seeds=2))
