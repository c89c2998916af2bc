"""The paper's own protocol: every network with the paper's settings and nothing that dev chose for it.

The tables are made with settings that dev chose. Here all networks are trained as the paper describes it, one equation
at a time, on the same data, splits and seeds, so that each claim can be judged under both.
"""

from argparse import ArgumentParser, Namespace
from typing import Any

from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..models import MODELS
from ..training.configuration import PAPER, make_configuration
from .core import Case, Plan, Study, register_study


def plan(arguments: Namespace) -> Plan:
    """One round: trees before chains, which take longer, and all of one seed before the next."""
    seeds = range(arguments.seeds)
    wanted = [(model, split, seed) for seed in seeds for model in arguments.models for split in arguments.splits]
    wanted.sort(key=lambda each: not MODELS[each[0]].is_tree)
    yield [
        Case(make_configuration(*each, PAPER, epochs=arguments.epochs), {"preset": PAPER})
        for each in dict.fromkeys(wanted)
    ]


def options(parser: ArgumentParser) -> None:
    some: dict[str, Any] = {"nargs": "+", "metavar": "NAME"}
    models = f"only some of {', '.join(MODELS)}"
    parser.add_argument("--models", choices=tuple(MODELS), default=tuple(MODELS), help=models, **some)
    splits = f"only some of {', '.join(SPLIT_NAMES)}"
    parser.add_argument("--splits", choices=SPLIT_NAMES, default=SPLIT_NAMES, help=splits, **some)


def fills_blanks(case: Case) -> bool:
    return case.configuration.split == GENERALIZATION


register_study(
    Study(
        "protocol",
        "train every network at the paper's own settings, so that its claims are judged under them as well",
        plan,
        options,
        smoke={"models": ("tree-nn", "tree-nn+data"), "splits": (GENERALIZATION,), "epochs": 1},
        fills_blanks=fills_blanks,
    )
)
