"""Optimizers by name: the paper's eight, in its order, more of MXNet's, and those that are refused. Needs no MXNet."""

from typing import NamedTuple

from ..errors import InputError


class Choice(NamedTuple):
    """How an optimizer is called in MXNet, whether it has momentum, and its own traps."""

    registered: str
    momentum: bool = False
    learning_rate: bool = True  # whether it uses one
    sums: bool = False  # whether its gradient is the sum over the batch instead of the mean
    layerwise: bool = False  # whether it takes norms of whole layers, and therefore steps layer by layer


_PAPER = {
    "sgd": Choice("sgd", momentum=True),
    "nag": Choice("nag", momentum=True),
    "rmsprop": Choice("rmsprop"),
    "adam": Choice("adam"),
    "adagrad": Choice("adagrad"),
    "adadelta": Choice("adadelta", learning_rate=False),
    "dcasgd": Choice("delaycompensatedsgd", momentum=True),
    "sgld": Choice("sgld", sums=True),  # Langevin noise belongs to the sum; with the mean it drowns the gradient
}
PAPER_OPTIMIZERS = tuple(_PAPER)

OPTIMIZERS = {
    **_PAPER,
    "adamax": Choice("adamax"),
    "nadam": Choice("steppednadam"),
    "ftml": Choice("ftml"),
    "signum": Choice("signum", momentum=True),
    "lamb": Choice("lamb", layerwise=True),
}

# MXNet's others, and why they do not train these networks.
REFUSED = {
    "ftrl": "it computes the weights anew from its own sums, which start at 0, and so forgets how a network starts",
    "lars": "it keeps the rate of the step before outside its state, so that a run could not go on after a kill",
    "lbsgd": "it gathers gradients of several batches outside its state, so that a run could not go on after a kill",
    "groupadagrad": "it is made for the rows of a matrix, and the parameters here are one long array",
    "ccsgd": "it is sgd under an older name",
}


def check_choice(name: str, momentum: float) -> None:
    """Refuses an optimizer that does not exist or cannot be used, and momentum for one that has none."""
    if name in REFUSED:
        raise InputError(f"optimizer {name!r} is not offered: {REFUSED[name]} (allowed: {', '.join(OPTIMIZERS)})")
    if name not in OPTIMIZERS:
        raise InputError(f"optimizer {name!r} is unknown (allowed: {', '.join(OPTIMIZERS)})")
    if momentum and not OPTIMIZERS[name].momentum:
        having = ", ".join(other for other, choice in OPTIMIZERS.items() if choice.momentum)
        raise InputError(f"optimizer {name!r} has no momentum (those that have: {having})")
