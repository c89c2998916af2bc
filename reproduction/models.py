"""Networks and optimizers by name, and files of a person's own that add to them. Needs no MXNet.

A new network is one file: a class on `networks.network.ExpressionNetwork` and a `register(Model(...))`. The file is
named with `--extension FILE` or in the variable REPRODUCTION_EXTENSIONS, several with `:` between them; the variable is
what processes that are started inherit. Such files may add cells, optimizers, studies and outputs, too.
"""

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from .errors import InputError, excerpt

EXTENSIONS = "REPRODUCTION_EXTENSIONS"
LEAVES = ("sigmoid", "tanh", "identity")  # what squashes the leaves of a tree
# What a chain reads: each side by itself, to be compared like the sides of a tree, or the equation as one sequence.
READINGS = SIDES, EQUATION = "sides", "equation"

Part = str | Callable[..., Any]  # a function or a class, or where it is found: "package.module:name"

_NAME = re.compile(r"[a-z0-9][a-z0-9+._]*(-[a-z0-9+._]+)*")


class Look(NamedTuple):
    """How figures draw a network: colour, marker and line style, so that readers can tell it by any of them."""

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
    engines: tuple[str, ...] = ()  # that can compute it, if there is a choice
    settings: tuple[str, ...] = ()  # that only networks of its kind have: cell, leaf, reading
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
        raise InputError(f"model {excerpt(name)!r} is unknown (allowed: {', '.join(MODELS)})")
    return MODELS[name]


def paper_models() -> tuple[Model, ...]:
    """The paper's networks, in its order."""
    return tuple(model for model in MODELS.values() if model.in_paper)


CHAIN: dict[str, Any] = {
    "build": "reproduction.networks.chains:build",
    "vocabulary": "reproduction.training.chain_learner:chain_vocabulary",
    "learner": "reproduction.training.chain_learner:SequenceLearner",
    "scorer": "reproduction.completion.scorers:ChainScorer",
    "engines": ("fused", "generic"),
    "settings": ("reading",),
    "in_paper": True,
}
TREE: dict[str, Any] = {
    "build": "reproduction.networks.tree_model:build",
    "learner": "reproduction.training.learners:TreeLearner",
    "scorer": "reproduction.completion.scorers:TreeScorer",
    "engines": ("fused", "generic", "recursive"),
    "settings": ("cell", "leaf"),
    "in_paper": True,
}
TREE_NN, TREE_LSTM = {**TREE, "cell": "tree-nn"}, {**TREE, "cell": "tree-lstm", "is_lstm": True}

# Defaults are what dev chose on the data of seed 0. Trees want a high rate for long that falls in the end; dropout and
# a little L2 help the tree LSTMs and cost the others accuracy. Chains have their best epoch early and are slow to
# train; the plain one is unsteady at a rate of 0.01. The colours are Okabe and Ito's, which people with any kind of
# colour vision tell apart.
_STEADY = {"learning_rate": 0.003, "epochs": 50}
_LATE = {"learning_rate": 0.02, "schedule": "late", "averaging": 0.998}
_LSTM, _DATA = {**_LATE, "dropout": 0.2, "l2": 5e-5}, {**_LATE, "dropout": 0.2, "l2": 3e-5}
for _model in (
    Model("rnn", "RNN", look=Look("#999999", "v", ":"), defaults=_STEADY, **CHAIN),
    Model("lstm", "LSTM", look=Look("#e69f00", "^", ":"), defaults={"epochs": 50}, is_lstm=True, **CHAIN),
    Model("tree-nn", "TreeNN", look=Look("#56b4e9", "s", "--"), defaults=_LATE, **TREE_NN),
    Model("tree-lstm", "TreeLSTM", look=Look("#009e73", "D", "--"), defaults=_LSTM, **TREE_LSTM),
    Model("tree-nn+data", "TreeNN + data", look=Look("#0072b2", "s", "-"), defaults=_LATE, has_data=True, **TREE_NN),
    Model(
        "tree-lstm+data", "TreeLSTM + data", look=Look("#d55e00", "o", "-"), defaults=_DATA, has_data=True, **TREE_LSTM
    ),
):
    register(_model)

# Beyond the paper: its follow-up's network (arXiv 1911.01545), whose leaves are not squashed.
_STACK = {**_LSTM, "averaging": 0.99, "leaf": "identity", "epochs": 30}
_OTHERS = {**TREE, "in_paper": False}
register(Model("tree-smu", "Tree-SMU", look=Look("#882255", "P", "-."), defaults=_STACK, cell="tree-smu", **_OTHERS))
# Networks of today with about as many parameters as TreeLSTM; settings from short trials on dev of data of seed 0.
TRANSFORMER: dict[str, Any] = {
    "vocabulary": "reproduction.networks.transformers:token_vocabulary",
    "defaults": {
        "hidden": 136, "learning_rate": 0.004, "schedule": "warm-up", "epochs": 100, "dropout": 0.1, "clip": 1.0,
    },
}  # fmt: skip
_BUILT = "reproduction.networks.transformers:"
register(Model("transformer", "Transformer", _BUILT + "Transformer", look=Look("#000000", "P", ":"), **TRANSFORMER))
register(
    Model(
        "transformer-tree", "Transformer, tree positions", _BUILT + "TreeTransformer", look=Look("#cc79a7", "X", "--"),
        **TRANSFORMER,
    )
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ optimizers


class Choice(NamedTuple):
    """An optimizer: its names for people and in MXNet, where tuning begins, and how its steps are made."""

    title: str
    registered: str
    first_rate: int | None  # where tuning begins, in half decades from 1 (-4 is 0.01); None: it has no learning rate
    momentum: bool = False
    sums: bool = False  # whether its gradient is the sum over the batch instead of the mean
    layerwise: bool = False  # whether it takes norms of whole layers, and therefore steps layer by layer

    @property
    def learning_rate(self) -> bool:
        """Whether it uses a learning rate."""
        return self.first_rate is not None


_PAPER = {
    "sgd": Choice("SGD", "sgd", -1, momentum=True),
    "nag": Choice("NAG", "nag", -1, momentum=True),
    "rmsprop": Choice("RMSProp", "rmsprop", -5),
    "adam": Choice("Adam", "adam", -4),
    "adagrad": Choice("AdaGrad", "adagrad", -2),
    "adadelta": Choice("AdaDelta", "adadelta", None),
    "dcasgd": Choice("DCASGD", "delaycompensatedsgd", -1, momentum=True),
    # Langevin noise belongs to the sum; with the mean it drowns the gradient.
    "sgld": Choice("SGLD", "sgld", -8, sums=True),
}
PAPER_OPTIMIZERS = tuple(_PAPER)

# MXNet's others are left out: lars and lbsgd keep part of their state outside of arrays, so that a run could not go on
# after a kill; ftrl computes weights from its own sums and so forgets the initial ones; groupadagrad needs matrices.
OPTIMIZERS = {
    **_PAPER,
    "adamax": Choice("Adamax", "guardedadamax", -4),
    "nadam": Choice("Nadam", "steppednadam", -5),
    "ftml": Choice("FTML", "ftml", -4),
    "signum": Choice("Signum", "signum", -6, momentum=True),
    "lamb": Choice("LAMB", "lamb", -4, layerwise=True),
}


def check_choice(name: str, momentum: float) -> None:
    """Refuses an unknown optimizer, and momentum for one that has none."""
    if name not in OPTIMIZERS:
        raise InputError(f"optimizer {excerpt(name)!r} is unknown (allowed: {', '.join(OPTIMIZERS)})")
    if momentum and not OPTIMIZERS[name].momentum:
        having = ", ".join(other for other, choice in OPTIMIZERS.items() if choice.momentum)
        raise InputError(f"optimizer {name!r} has no momentum (those that have: {having})")


# ------------------------------------------------------------------------------------------------ extensions


def add_extension(file: str) -> None:
    """Names one more file, for this process and those that it starts."""
    path = str(Path(file).absolute())
    if path not in _extensions():
        os.environ[EXTENSIONS] = os.pathsep.join([*_extensions(), path])


def _extensions() -> list[str]:
    return [name for name in os.environ.get(EXTENSIONS, "").split(os.pathsep) if name]


def load_extensions() -> None:
    """Imports the files that are named, each once."""
    for name in _extensions():
        _import(Path(name).absolute())


def _import(path: Path) -> None:
    name = f"reproduction_extension_{path.stem}"
    if getattr(sys.modules.get(name), "__file__", None) == str(path):
        return
    if not path.is_file():
        raise InputError(f"--extension {path}: there is no such file")
    specification = importlib.util.spec_from_file_location(name, path)
    if name in sys.modules or specification is None or specification.loader is None:
        raise InputError(f"--extension {path}: not a Python file, or one of the same name is in use already")
    sys.modules[name] = importlib.util.module_from_spec(specification)
    try:
        specification.loader.exec_module(sys.modules[name])
    except Exception as error:
        del sys.modules[name]
        why = f"{error}" if isinstance(error, InputError) else f"{type(error).__name__}: {excerpt(str(error))}"
        raise InputError(f"--extension {path}: cannot be imported ({why})") from error
