"""Does function-evaluation data help? The paper's central claim, under conditions in which it may.

Under every condition a network is trained without the data and with them: same seeds, same splits, same symbolic
equations, same settings but for two. The weight of a squared error against a logistic loss has no counterpart without
data: several are tried, and dev chooses one for all seeds of a condition. And an epoch with data has more steps, the
fewer the equations the more: where that may tell, the twin without data is trained in three ways, two of them with as
many steps, and dev chooses one, too. Test scores choose nothing.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..rows import DATA
from ..training.configuration import BOTH, DECODE, VERIFY, make_configuration
from .core import Case, DataSets, Plan, Study, add_choice, generate_words, register_study

ALL_FUNCTIONS = "data-all"  # the data set that evaluates all functions
SHARES, FUNCTIONS, POSTER = "shares", "functions", "poster"
PARTS = {
    SHARES: "few and many symbolic equations, all evaluations",
    FUNCTIONS: "evaluations of all functions",
    POSTER: "the poster's reading: numeric equations are verified",
}
CELLS = ("tree-lstm", "tree-nn")
SPLITS = (GENERALIZATION, DEPTH_4_OUT)
WEIGHTS = (0.1, 0.3, 1.0, 3.0)

# Passes over so much of the symbolic equations: at least 2,000 steps each. Few equations are learned in small batches.
EPOCHS = {0.02: 600, 0.05: 400, 0.1: 250, 0.2: 150, 0.5: 150, 1.0: 100}
SMALL_BATCH, SMALL_SHARE = 64, 0.2
# How the twin without data is trained. Beside ten equations of the whole training part about one number is decoded.
SAME, SMALLER, LONGER = ("same batches and epochs", "smaller batches", "more epochs")
NUMBERS_AN_EQUATION = 0.103


class Condition(NamedTuple):
    """Where a network with data is compared with its twin without."""

    part: str
    network: str  # the one without data
    split: str = GENERALIZATION
    fraction: float = 1.0  # of the symbolic equations; all evaluations stay
    task: str = DECODE
    data: str = DATA

    def cases(self, place: int, seed: int, weights: Collection[float], epochs: int | None) -> Iterator[Case]:
        """The trainings without data in every way, and with data at every weight; what is verified has no weight."""
        batch, passes = SMALL_BATCH if self.fraction <= SMALL_SHARE else None, epochs or EPOCHS[self.fraction]
        settings = {"fraction": self.fraction, "batch_size": batch, "epochs": passes}
        same = make_configuration(self.network, self.split, seed, None, **settings)
        more_steps = 1 + NUMBERS_AN_EQUATION / self.fraction
        twins = {SAME: same}
        if self.part != POSTER:
            twins[SMALLER] = replace(same, batch_size=max(1, round(same.batch_size / more_steps)))
            twins[LONGER] = replace(same, epochs=round(same.epochs * more_steps))
        keys = {name: getattr(self, name) for name in ("part", "fraction", "task", "network")} | {"place": place}
        for way, twin in twins.items():
            yield Case(twin, {**keys, "way": way}, self.data)
        for weight in weights:
            own = replace(same, model=f"{self.network}+data", numeric_weight=weight, numeric_task=self.task)
            yield Case(own, {**keys, "way": f"weight {weight:g}", "numeric_weight": weight}, self.data)


# In the order in which tables show them.
CONDITIONS = (
    *(Condition(SHARES, network, fraction=fraction) for network in CELLS for fraction in EPOCHS),
    *(Condition(SHARES, network, DEPTH_4_OUT) for network in CELLS),
    *(
        condition
        for network in CELLS
        for condition in (
            *(Condition(FUNCTIONS, network, fraction=fraction, data=ALL_FUNCTIONS) for fraction in (0.1, 1.0)),
            Condition(FUNCTIONS, network, DEPTH_4_OUT, data=ALL_FUNCTIONS),
            *(Condition(POSTER, network, split, task=task) for split in reversed(SPLITS) for task in (VERIFY, BOTH)),
        )
    ),
)


def asked_conditions(arguments: Namespace) -> Iterator[tuple[int, Condition, list[float]]]:
    """Those of the parts, shares and networks that are asked for, by their numbers, with the weights to try."""
    for place, each in enumerate(CONDITIONS):
        weights = [weight for weight in arguments.weights if each.part != POSTER or weight == 1]
        is_asked = each.part in arguments.parts and each.fraction in arguments.shares
        if weights and is_asked and each.network in arguments.models:
            yield place, each, weights


def plan(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next."""
    yield [
        case
        for seed in range(arguments.seeds)
        for place, each, weights in asked_conditions(arguments)
        for case in each.cases(place, seed, weights, arguments.epochs)
    ]


def data_sets(arguments: Namespace) -> DataSets:
    """The data set that evaluates all functions, if a condition needs it."""
    if all(each.data == DATA for _, each, _ in asked_conditions(arguments)):
        return {}
    return {ALL_FUNCTIONS: [*generate_words(arguments.data), "--evaluations=all"]}


def options(parser: ArgumentParser) -> None:
    add_choice(parser, "parts", PARTS)
    add_choice(parser, "shares", EPOCHS, "of the symbolic equations, ", type=float)
    add_choice(parser, "weights", WEIGHTS, "of the squared errors, ", type=float)
    add_choice(parser, "models", CELLS, "without data, ")


register_study(
    Study(
        "data-study",
        "train with and without function-evaluation data where they may help, and say whether they do",
        plan,
        options,
        smoke={
            "parts": (SHARES,),
            "shares": (0.5,),
            "weights": (1.0,),
            "models": ("tree-nn",),
            "epochs": 1,
            "seeds": 1,
        },
        data_sets=data_sets,
        seeds=5,
    )
)
