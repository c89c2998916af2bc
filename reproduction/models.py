"""The networks by name: what each is called, and what builds, trains and completes with it. Needs no MXNet.

A new network is one file: a class on `networks.network.ExpressionNetwork` and a `register(Model(...))`; the file is
named with `--extension` (see `extensions.py`).
"""

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .errors import InputError

LEAVES = ("sigmoid", "tanh", "identity")  # what squashes the leaves of a tree
# What a chain reads: each side apart, and the two are compared like those of a tree, or the equation as one sequence.
READINGS = SIDES, EQUATION = "sides", "equation"

Part = str | Callable[..., Any]  # a function or a class, or where it is found: "package.module:name"

_NAME = re.compile(r"[a-z0-9][a-z0-9+._]*(-[a-z0-9+._]+)*")


class Look(NamedTuple):
    """How figures draw a network: colour, marker and line style, so that none of them alone has to be told apart."""

    colour: str = "#cc79a7"
    marker: str = "X"
    line: str = "-."


OTHERS = Look()  # of networks that are not the paper's, where they do not say


@dataclass(frozen=True, eq=False)
class Model:
    """One network by the name that commands use and the title that people read."""

    name: str
    title: str
    build: Part  # called with the configuration and the vocabulary: an ExpressionNetwork
    vocabulary: Part = "reproduction.training.learners:expression_vocabulary"  # of the configuration, data and parts
    learner: Part = "reproduction.training.learners:Learner"  # of the network, the parts and the configuration
    scorer: Part = "reproduction.completion.scorers:Scorer"  # of the network and the functions of the candidates
    look: Look = OTHERS
    defaults: Mapping[str, Any] = field(default_factory=dict)  # settings that differ from those of `Configuration`
    engines: tuple[str, ...] = ()  # that it can be computed by, if there is a choice
    settings: tuple[str, ...] = ()  # that are of networks of its kind only: cell, leaf, reading
    in_paper: bool = False
    has_data: bool = False  # learns function evaluations and decimals beside the equations
    is_lstm: bool = False
    cell: str | None = None  # the default cell of a tree; other networks have none

    @property
    def is_tree(self) -> bool:
        return self.cell is not None

    def part(self, name: str) -> Callable[..., Any]:
        """`build`, `vocabulary`, `learner` or `scorer`, imported now."""
        found = getattr(self, name)
        if not isinstance(found, str):
            return found
        module, _, attribute = found.partition(":")
        return getattr(importlib.import_module(module), attribute)


MODELS: dict[str, Model] = {}


def register(model: Model) -> Model:
    """Makes a network known by its name."""
    if not _NAME.fullmatch(model.name):
        raise InputError(f"network {model.name!r}: a name has small letters and digits, with - + . _ between them")
    if model.name in MODELS:
        raise InputError(f"network {model.name!r}: there is one of this name already")
    MODELS[model.name] = model
    return model


def find_model(name: str) -> Model:
    """The network of a name; an unknown one is refused."""
    if name not in MODELS:
        raise InputError(f"model {name!r} is unknown (allowed: {', '.join(MODELS)})")
    return MODELS[name]


def paper_models() -> tuple[Model, ...]:
    """The paper's networks, in its order."""
    return tuple(model for model in MODELS.values() if model.in_paper)


def _chain(name: str, title: str, **more) -> None:
    register(
        Model(
            name,
            title,
            build="reproduction.networks.chains:build",
            vocabulary="reproduction.training.learners:chain_vocabulary",
            learner="reproduction.training.learners:SequenceLearner",
            scorer="reproduction.completion.scorers:ChainScorer",
            engines=("fused", "generic"),
            settings=("reading",),
            in_paper=True,
            **more,
        )
    )


def _tree(name: str, title: str, cell: str, **more) -> None:
    register(
        Model(
            name,
            title,
            build="reproduction.networks.tree_model:build",
            learner="reproduction.training.learners:TreeLearner",
            scorer="reproduction.completion.scorers:TreeScorer",
            engines=("fused", "generic", "recursive"),
            settings=("cell", "leaf"),
            in_paper=True,
            cell=cell,
            **more,
        )
    )


# Defaults are what dev chose on the data of seed 0. Trees want a high rate for long that falls in the end; dropout and
# a little L2 help the tree LSTMs and cost the others accuracy. Chains have their best epoch early and are slow to
# train; the plain one is unsteady at a rate of 0.01. The colours are Okabe and Ito's, which people with any kind of
# colour vision tell apart.
_TREES = {"learning_rate": 0.02, "schedule": "late", "averaging": 0.998}
_chain("rnn", "RNN", look=Look("#999999", "v", ":"), defaults={"learning_rate": 0.003, "epochs": 50})
_chain("lstm", "LSTM", look=Look("#e69f00", "^", ":"), defaults={"epochs": 50}, is_lstm=True)
_tree("tree-nn", "TreeNN", "tree-nn", look=Look("#56b4e9", "s", "--"), defaults=_TREES)
_tree(
    "tree-lstm",
    "TreeLSTM",
    "tree-lstm",
    look=Look("#009e73", "D", "--"),
    defaults={**_TREES, "dropout": 0.2, "l2": 5e-5},
    is_lstm=True,
)
_tree("tree-nn+data", "TreeNN + data", "tree-nn", look=Look("#0072b2", "s", "-"), defaults=_TREES, has_data=True)
_tree(
    "tree-lstm+data",
    "TreeLSTM + data",
    "tree-lstm",
    look=Look("#d55e00", "o", "-"),
    defaults={**_TREES, "dropout": 0.2, "l2": 3e-5},
    has_data=True,
    is_lstm=True,
)
