"""Do function-evaluation data help, and what is the paper's effect of them made of? Three studies, trees only.

`data-study`: the central claim, under conditions in which data may help. Under every condition a network is trained
without the data and with them: same seeds, splits, symbolic equations and settings, with two exceptions. The weight of
a squared error against a logistic loss has no counterpart without data: several are tried, and dev chooses one for all
seeds of a condition. And an epoch with data has more steps, above all where equations are few: the twin without data is
trained in three ways, two of them with as many steps, and dev chooses one, too.

`factors`: leaves, dropout and data in all combinations, one equation a step. The corner with sigmoid leaves, no dropout
and no data is how the authors' code ran without function evaluations.

`authors`: on the authors' own released sample. At equal epochs, a network with data takes more steps: its twins without
data have as many epochs or as many steps, and both networks are also trained three times as long.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import product
from math import ceil
from pathlib import Path
from typing import NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_NAMES, Dataset, load
from ..data.manifest import is_whole
from ..data.splits import autoencoder_targets, split_parts, stored_split
from ..errors import InputError, place
from ..models import LEAVES
from ..rows import DATA, Row
from ..training.configuration import BOTH, DECODE, RELEASE, VERIFY, Configuration, make_configuration
from ..training.run_directory import FinishedRun
from .core import Case, DataSets, Plan, Study, add_choice, generate_words, register_study, split_seeds

NETWORKS = ("tree-lstm", "tree-nn")
SPLITS = (GENERALIZATION, DEPTH_4_OUT)

# ------------------------------------------------------------------------------------------------ data-study

ALL_FUNCTIONS = "data-all"  # the data set that evaluates all functions
SHARES, FUNCTIONS, POSTER = "shares", "functions", "poster"
PARTS = {
    SHARES: "few and many symbolic equations, all evaluations",
    FUNCTIONS: "evaluations of all functions",
    POSTER: "the poster's reading: numeric equations are verified",
}
WEIGHTS = (0.1, 0.3, 1.0, 3.0)

# Passes over so much of the symbolic equations: at least 2,000 steps each. Few equations are learned in small batches.
EPOCHS = {0.02: 600, 0.05: 400, 0.1: 250, 0.2: 150, 0.5: 150, 1.0: 100}
SMALL_BATCH, SMALL_SHARE = 64, 0.2
# How the twin without data is trained. Beside ten equations of the whole training part about one number is decoded.
SAME, SMALLER, LONGER = ("same batches and epochs", "smaller batches", "more epochs")
NUMBERS_AN_EQUATION = 0.103


class Condition(NamedTuple):
    """A condition under which a network with data is compared with its twin without."""

    part: str
    network: str  # the one without data
    split: str = GENERALIZATION
    fraction: float = 1.0  # of the symbolic equations; all evaluations stay
    task: str = DECODE
    data: str = DATA

    def cases(self, number: int, seed: int, weights: Collection[float], epochs: int | None) -> Iterator[Case]:
        """The trainings without data in every way, and with data at every weight; what is verified has no weight."""
        batch, passes = SMALL_BATCH if self.fraction <= SMALL_SHARE else None, epochs or EPOCHS[self.fraction]
        settings = {"fraction": self.fraction, "batch_size": batch, "epochs": passes}
        same = make_configuration(self.network, self.split, seed, None, **settings)
        more_steps = 1 + NUMBERS_AN_EQUATION / self.fraction
        twins = {SAME: same}
        if self.part != POSTER:
            twins[SMALLER] = replace(same, batch_size=max(1, round(same.batch_size / more_steps)))
            twins[LONGER] = replace(same, epochs=round(same.epochs * more_steps))
        keys = {name: getattr(self, name) for name in ("part", "fraction", "task", "network")} | {"place": number}
        for way, twin in twins.items():
            yield Case(twin, {**keys, "way": way}, self.data)
        for weight in weights:
            own = replace(same, model=f"{self.network}+data", numeric_weight=weight, numeric_task=self.task)
            yield Case(own, {**keys, "way": f"weight {weight:g}", "numeric_weight": weight}, self.data)


def _conditions() -> Iterator[Condition]:
    """In the order in which tables show them."""
    yield from (Condition(SHARES, network, fraction=fraction) for network in NETWORKS for fraction in EPOCHS)
    yield from (Condition(SHARES, network, DEPTH_4_OUT) for network in NETWORKS)
    for network in NETWORKS:
        yield from (Condition(FUNCTIONS, network, fraction=share, data=ALL_FUNCTIONS) for share in (0.1, 1.0))
        yield Condition(FUNCTIONS, network, DEPTH_4_OUT, data=ALL_FUNCTIONS)
        places = product(reversed(SPLITS), (VERIFY, BOTH))
        yield from (Condition(POSTER, network, split, task=task) for split, task in places)


CONDITIONS = tuple(_conditions())


def _asked_conditions(arguments: Namespace) -> Iterator[tuple[int, Condition, list[float]]]:
    """The conditions that are asked for, by their numbers, with the weights to try."""
    for number, each in enumerate(CONDITIONS):
        weights = [weight for weight in arguments.weights if each.part != POSTER or weight == 1]
        is_asked = each.part in arguments.parts and each.fraction in arguments.shares
        if weights and is_asked and each.network in arguments.models:
            yield number, each, weights


def _data_study(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next."""
    yield [
        case
        for seed in arguments.seeds
        for number, each, weights in _asked_conditions(arguments)
        for case in each.cases(number, seed, weights, arguments.epochs)
    ]


def _all_functions(arguments: Namespace) -> DataSets:
    """The data set that evaluates all functions, if a condition needs it."""
    if all(each.data == DATA for _, each, _ in _asked_conditions(arguments)):
        return {}
    return {ALL_FUNCTIONS: [*generate_words(arguments.data), "--evaluations=all"]}


def _data_study_options(parser: ArgumentParser) -> None:
    add_choice(parser, "parts", PARTS)
    add_choice(parser, "shares", EPOCHS, "of the symbolic equations, ", type=float)
    add_choice(parser, "weights", WEIGHTS, "of the squared errors, ", type=float)
    add_choice(parser, "models", NETWORKS, "without data, ")


text = "train with and without function-evaluation data where they may help, and say whether they do"
smoke = {"parts": (SHARES,), "shares": (0.5,), "weights": (1.0,), "models": ("tree-nn",), "epochs": 1, "seeds": "1"}
register_study(Study("data-study", text, _data_study, _data_study_options, smoke, data_sets=_all_functions, seeds=5))

# ------------------------------------------------------------------------------------------------ factors

DROPOUTS = (0.0, 0.2)
# What is learned of numeric equations: nothing, the numbers that they give, or whether they are correct.
NONE, DECODED, VERIFIED = NUMBERS = ("none", "decoded", "verified")
TASKS = {NONE: DECODE, DECODED: DECODE, VERIFIED: VERIFY}


def _factors(arguments: Namespace) -> Plan:
    """One round, all corners of one seed before the next."""
    cases = []
    for seed, *corner in product(arguments.seeds, arguments.models, SPLITS, arguments.leaves, DROPOUTS, NUMBERS):
        network, split, leaf, dropout, numbers = corner
        model = network if numbers == NONE else f"{network}+data"
        varied = {"leaf": leaf, "dropout": dropout, "numeric_task": TASKS[numbers], "epochs": arguments.epochs}
        keys = {"network": network, "leaf": leaf, "dropout": dropout, "numbers": numbers}
        cases.append(Case(make_configuration(model, split, seed, RELEASE, **varied), keys))
    yield cases


def _factors_options(parser: ArgumentParser) -> None:
    add_choice(parser, "models", NETWORKS)
    add_choice(parser, "leaves", LEAVES)


text = "train trees with every leaf, with and without dropout and data: what the paper's effect of data is made of"
smoke = {"models": ("tree-nn",), "leaves": ("sigmoid",), "epochs": 1}
register_study(Study("factors", text, _factors, _factors_options, smoke, seeds=5))

# ------------------------------------------------------------------------------------------------ authors

SAMPLE = "data-authors"  # what `import-authors` makes of the authors' file, which is not part of this project
OURS = "experiments"
WITHOUT, WITH, AS_MANY_STEPS = "without data", "with data", "without data, as many steps"
WITHOUT_LONGER, WITH_LONGER = "without data, to the end", "with data, to the end"
TO_THE_END = 3  # times as many epochs


def _authors(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next, our settings before the authors', which take longer."""
    directory = Path(arguments.runs) / SAMPLE
    dataset, cases = load(directory), []
    for seed, split in product(arguments.seeds, SPLIT_NAMES):
        ratio = _items_ratio(dataset, directory, split, seed)
        for network, protocol in product(NETWORKS, arguments.protocols):
            preset = RELEASE if protocol == RELEASE else None
            asked = make_configuration(network, split, seed, preset, epochs=arguments.epochs)
            keys = {"part": protocol, "network": network}
            cases += [Case(each, {**keys, "way": way}, SAMPLE) for way, each in _ways(asked, preset, ratio)]
    yield cases


def _ways(asked: Configuration, preset: str | None, ratio: float) -> Iterator[tuple[str, Configuration]]:
    """The training without data, the one with data, and their twins."""
    own = make_configuration(f"{asked.model}+data", asked.split, asked.seed, preset)
    with_data = replace(own, epochs=asked.epochs)
    yield WITHOUT, asked
    yield WITH, with_data
    yield AS_MANY_STEPS, replace(asked, epochs=ceil(asked.epochs * ratio))
    if preset is None:
        yield WITHOUT_LONGER, replace(asked, epochs=TO_THE_END * asked.epochs)
        yield WITH_LONGER, replace(with_data, epochs=TO_THE_END * asked.epochs)


def _items_ratio(dataset: Dataset, directory: Path, split: str, seed: int) -> float:
    """The ratio of examples, and so of steps, in an epoch with data to one without."""
    train = split_parts(dataset, stored_split(dataset, directory, split, seed)).train
    decoded = [record for record in train.numeric if record.label == 1]
    return 1 + (len(decoded) + len(autoencoder_targets(decoded))) / len(train.symbolic)


def authors_data(arguments: Namespace) -> DataSets:
    """The authors' file, unless it was read before."""
    if arguments.file is None and not is_whole(Path(arguments.runs) / SAMPLE):
        raise InputError("authors: name the authors' file with --file; docs/details.md says where it is published")
    return {SAMPLE: ["import-authors", str(arguments.file), f"--split-seeds={split_seeds(arguments)}"]}


def _authors_options(parser: ArgumentParser) -> None:
    parser.add_argument("--file", type=place, metavar="FILE", help="the authors' data1000_depth4_inpuOut.json")
    add_choice(parser, "protocols", (OURS, RELEASE), "our settings, and as the authors ran it: ")


def _test_curve(run: FinishedRun) -> Row:
    """Accuracy on test by epoch, for the gain over epochs and steps."""
    return {"test_curve": [round(100 * (epoch.test_accuracy or 0), 3) for epoch in run.history]}


text = "train on the authors' own released sample, with and without data: at equal epochs and at equal steps"
study = Study(
    "authors", text, _authors, _authors_options, data_sets=authors_data, details=_test_curve, seeds=5,
    fills_blanks=lambda case: case.configuration.split == GENERALIZATION,
)  # fmt: skip
register_study(study)
