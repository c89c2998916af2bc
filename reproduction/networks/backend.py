"""The one place that imports MXNet: made ready for newer numpy, on one thread whatever the environment says.

Importing it costs two seconds, so commands import what needs it when they run.
"""

import os
import warnings

import numpy

from ..errors import InputError

os.environ["OMP_NUM_THREADS"] = "1"  # more threads change the bits, do not pay at our sizes and stall on a busy machine
if "bool" not in vars(numpy):
    numpy.bool = bool  # MXNet 1.9.1 still uses the name that numpy 1.24 took away

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import mxnet as mx
    from mxnet import autograd, gluon, nd, sym

__all__ = ("autograd", "context", "gluon", "mx", "nd", "sym")


def context(device: str) -> mx.Context:
    """The device called cpu or gpu; one that is not there is refused."""
    if device == "cpu":
        return mx.cpu()
    try:
        count = mx.context.num_gpus()
    except mx.MXNetError:
        count = 0
    if not count:
        raise InputError(
            "--device gpu: MXNet finds no GPU here (README: GPU=1 ./run_all.sh makes an environment for one)"
        )
    return mx.gpu()
