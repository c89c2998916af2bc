"""What the paper's effect of data is made of: leaves, dropout and data in all combinations, one equation a step.

The corner with sigmoid leaves, no dropout and no data is how the authors' code ran without function evaluations.
"""

from argparse import ArgumentParser, Namespace
from itertools import product

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..models import LEAVES
from ..training.configuration import DECODE, RELEASE, VERIFY, make_configuration
from .core import Case, Plan, Study, register_study

NETWORKS = ("tree-lstm", "tree-nn")
SPLITS = (GENERALIZATION, DEPTH_4_OUT)
DROPOUTS = (0.0, 0.2)
# What is learned of numeric equations: nothing, the numbers that they give, or whether they are correct.
NONE, DECODED, VERIFIED = NUMBERS = ("none", "decoded", "verified")
TASKS = {NONE: DECODE, DECODED: DECODE, VERIFIED: VERIFY}


def plan(arguments: Namespace) -> Plan:
    """One round, all corners of one seed before the next."""
    yield [
        _case(*corner, seed, arguments.epochs)
        for seed in range(arguments.seeds)
        for corner in product(arguments.models, SPLITS, arguments.leaves, DROPOUTS, NUMBERS)
    ]


def _case(network: str, split: str, leaf: str, dropout: float, numbers: str, seed: int, epochs: int | None) -> Case:
    model = network if numbers == NONE else f"{network}+data"
    varied = {"leaf": leaf, "dropout": dropout, "numeric_task": TASKS[numbers], "epochs": epochs}
    keys = {"network": network, "leaf": leaf, "dropout": dropout, "numbers": numbers}
    return Case(make_configuration(model, split, seed, RELEASE, **varied), keys)


def options(parser: ArgumentParser) -> None:
    for name, allowed in (("--models", NETWORKS), ("--leaves", LEAVES)):
        only = f"only some of {', '.join(allowed)}"
        parser.add_argument(name, nargs="+", choices=allowed, default=allowed, metavar="NAME", help=only)


register_study(
    Study(
        "factors",
        "train trees with every leaf, with and without dropout and data: what the paper's effect of data is made of",
        plan,
        options,
        smoke={"models": ("tree-nn",), "leaves": ("sigmoid",), "epochs": 1},
        seeds=5,
    )
)
