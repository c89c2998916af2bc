"""Optimizers by name: the paper's eight, in its order, more of MXNet's, and those that are refused. Needs no MXNet."""

from typing import NamedTuple

from ..errors import InputError


class Choice(NamedTuple):
    """How people and MXNet call an optimizer, whether it has momentum, and its own traps."""

    title: str
    registered: str
    first_rate: int | None  # where tuning begins, in half decades from 1 (-4 is 0.01); None: it has no learning rate
    momentum: bool = False
    sums: bool = False  # whether its gradient is the sum over the batch instead of the mean
    layerwise: bool = False  # whether it takes norms of whole layers, and therefore steps layer by layer

    @property
    def learning_rate(self) -> bool:
        """Whether it uses one."""
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

OPTIMIZERS = {
    **_PAPER,
    "adamax": Choice("Adamax", "guardedadamax", -4),
    "nadam": Choice("Nadam", "steppednadam", -5),
    "ftml": Choice("FTML", "ftml", -4),
    "signum": Choice("Signum", "signum", -6, momentum=True),
    "lamb": Choice("LAMB", "lamb", -4, layerwise=True),
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
