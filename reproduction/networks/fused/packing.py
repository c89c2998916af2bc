"""What both operators that train are given besides their examples."""

import numpy as np

from ..backend import nd
from ..optimizers import FlatOptimizer

STEPS = ("sgd", "nag", "rmsprop", "adam", "adagrad", "adadelta", "dcasgd", "sgld")  # optimizers that they know


def kept_arrays(optimizer: FlatOptimizer) -> list[nd.NDArray]:
    """Two arrays of the optimizer's state and the average; a single number in the place of one that there is not."""
    unused = nd.zeros((1,), dtype=optimizer.flat.data.dtype)
    return [unused if array is None else array for array in (*[*optimizer.slots, None][:2], optimizer.average)]


def step_options(optimizer: FlatOptimizer) -> dict:
    """What a step does, and how many there were before."""
    settings = optimizer.settings
    return {
        "optimizer": settings.name,
        **{name: getattr(settings, name) for name in ("momentum", "clip", "l2", "averaging", "seed")},
        "steps": optimizer.steps,
        "sum_gradients": settings.gradient_scale,
    }


def merged(values: list[np.ndarray], places: list[np.ndarray]) -> np.ndarray:
    """All values by their places; those of one place in their order."""
    return np.concatenate(values)[np.argsort(np.concatenate(places), kind="stable")]
