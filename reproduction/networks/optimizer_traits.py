"""The eight optimizers of the paper, in its order, and what is particular about each. Needs no MXNet to be read."""

from typing import NamedTuple


class Choice(NamedTuple):
    """How an optimizer is called in MXNet, whether it has momentum, and its own traps."""

    registered: str
    momentum: bool = False
    learning_rate: bool = True  # whether it uses one
    sums: bool = False  # whether its gradient is the sum over the batch instead of the mean


OPTIMIZERS = {
    "sgd": Choice("sgd", momentum=True),
    "nag": Choice("nag", momentum=True),
    "rmsprop": Choice("rmsprop"),
    "adam": Choice("adam"),
    "adagrad": Choice("adagrad"),
    "adadelta": Choice("adadelta", learning_rate=False),
    "dcasgd": Choice("delaycompensatedsgd", momentum=True),
    "sgld": Choice("sgld", sums=True),  # Langevin noise belongs to the sum; with the mean it drowns the gradient
}
