"""The one place that imports MXNet: made ready for newer numpy, on one thread whatever the environment says.

Importing it costs two seconds, so commands import what needs it when they run.
"""

import atexit
import contextlib
import os
import warnings

import numpy

from ..errors import InputError

os.environ["OMP_NUM_THREADS"] = "1"  # more threads change the bits, do not pay at our sizes and stall on a busy machine

# Names that MXNet 1.9.1 looks up while it is imported and that numpy removed: bool in 1.24, the others in 2.0 to 2.4.
# They are put back for the import alone; None stands for functions that MXNet only lists.
_REMOVED = {
    "bool": bool, "PZERO": 0.0, "NZERO": -0.0, "PINF": numpy.inf, "NINF": -numpy.inf, "Inf": numpy.inf,
    "NAN": numpy.nan, "NaN": numpy.nan, "alltrue": numpy.all, "sometrue": numpy.any, "in1d": numpy.isin,
    "product": numpy.prod, "round_": numpy.round,
    "mirr": None, "msort": None, "npv": None, "pmt": None, "ppmt": None, "pv": None, "rate": None, "trapz": None,
}  # fmt: skip
_missing = {name: value for name, value in _REMOVED.items() if name not in vars(numpy)}

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for _name, _value in _missing.items():
        setattr(numpy, _name, _value)
    try:
        import mxnet as mx
        from mxnet import autograd, gluon, nd, sym
    finally:
        for _name in _missing:
            delattr(numpy, _name)


@atexit.register
def _shut_down() -> None:
    """Shuts MXNet down when the process ends, without repeating an error that the command has reported."""
    with contextlib.suppress(mx.MXNetError):
        mx.base._notify_shutdown()


atexit.unregister(mx.base._notify_shutdown)

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
