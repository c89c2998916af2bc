"""The paper's own protocol: every network with the settings of a preset and nothing that dev chose for it.

Here all networks are trained one equation at a time, as the paper describes it, on the same data, splits and seeds as
those of the tables, so that each claim can be judged under both.
"""

from argparse import ArgumentParser, Namespace
from functools import partial
from typing import Any

from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..models import MODELS
from ..training.configuration import PAPER, make_configuration
from .core import Case, Plan, Study, register_study


def plan(preset: str, arguments: Namespace) -> Plan:
    """One round: trees before chains, which take longer, and all of one seed before the next."""
    seeds = range(arguments.seeds)
    wanted = [(model, split, seed) for seed in seeds for model in arguments.models for split in arguments.splits]
    wanted.sort(key=lambda each: not MODELS[each[0]].is_tree)
    yield [
        Case(make_configuration(*each, preset, epochs=arguments.epochs), {"preset": preset})
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


def study_of(preset: str, name: str, words: str) -> Study:
    """The study that trains every network with the settings of a preset."""
    return Study(
        name,
        words,
        partial(plan, preset),
        options,
        smoke={"models": ("tree-nn", "tree-nn+data"), "splits": (GENERALIZATION,), "epochs": 1},
        fills_blanks=fills_blanks,
    )


register_study(
    study_of(
        PAPER,
        "protocol",
        "train every network at the paper's own settings, so that its claims are judged under them as well",
    )
)
