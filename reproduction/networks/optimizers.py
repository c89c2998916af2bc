"""The paper's eight optimizers by name, on flat parameters: absent functions get no step and no decay.

MXNet's own optimizers do the arithmetic, on the longest runs of present parameters. Their state is one array as long as
the parameters. Adam counts the steps of the model, not of each function (like its lazy updates of sparse rows), so that
functions that were absent now and then still share one call. L2 is part of the gradient, the same for every optimizer.
"""

from collections.abc import Iterable, Iterator

from ..errors import InputError
from .backend import mx, nd
from .flat_parameters import FlatParameters
from .optimizer_traits import OPTIMIZERS


@mx.optimizer.register
class DelayCompensatedSGD(mx.optimizer.DCASGD):
    """DCASGD as in MXNet, without its crash with momentum (it asks an array for its truth value)."""

    def update(self, index, weight, grad, state):
        momentum, previous = state
        if momentum is None:
            super().update(index, weight, grad, state)
            return
        self._update_count(index)
        grad = grad * self.rescale_grad
        compensated = grad + self.lamda * grad * grad * (weight - previous)
        momentum[:] = self.momentum * momentum - self._get_lr(index) * compensated
        previous[:] = weight
        weight[:] += momentum


def check_choice(name: str, momentum: float) -> None:
    """Refuses an optimizer that does not exist, and momentum for one that has none."""
    if name not in OPTIMIZERS:
        raise InputError(f"optimizer {name!r} is unknown (allowed: {', '.join(OPTIMIZERS)})")
    if momentum and not OPTIMIZERS[name].momentum:
        having = ", ".join(other for other, choice in OPTIMIZERS.items() if choice.momentum)
        raise InputError(f"optimizer {name!r} has no momentum (those that have: {having})")


def _arrays(state) -> Iterator[nd.NDArray]:
    for part in state if isinstance(state, tuple) else (state,):
        if part is not None:
            yield part


def _part(state, start: int, stop: int):
    """The same stretch of every array of an optimizer's state."""
    if isinstance(state, tuple):
        return tuple(_part(each, start, stop) for each in state)
    return None if state is None else state[start:stop]


class FlatOptimizer:
    """Updates flat parameters from their gradients, run by run."""

    def __init__(self, flat: FlatParameters, name: str, batch_size: int, momentum: float = 0.0, clip: float = 0.0):
        check_choice(name, momentum)
        choice = OPTIMIZERS[name]
        options = {"momentum": momentum} if choice.momentum else {}
        scale = batch_size if choice.sums else 1
        self._optimizer = mx.optimizer.create(choice.registered, rescale_grad=scale, **options)
        self._uses_rate, self._flat, self._clip = choice.learning_rate, flat, clip
        self._state = self._optimizer.create_state(0, flat.data)
        self.steps = 0

    def state(self) -> list[nd.NDArray]:
        """The arrays that a checkpoint keeps, besides the number of steps."""
        return list(_arrays(self._state))

    def restore(self, arrays: Iterable[nd.NDArray], steps: int) -> None:
        for own, stored in zip(self.state(), arrays, strict=True):
            own[:] = stored
        self.steps = steps

    def _clipped(self, runs: list[tuple[int, int]]) -> None:
        """Scales the gradient down to the greatest norm that is allowed."""
        gradients = [self._flat.gradient[start:stop] for start, stop in runs]
        norm = nd.sqrt(nd.add_n(*(nd.sum(nd.square(gradient)) for gradient in gradients)))
        scale = nd.minimum(self._clip / (norm + 1e-12), 1)
        for gradient in gradients:
            gradient[:] = nd.broadcast_mul(gradient, scale)

    def step(self, learning_rate: float, absent: frozenset[str] = frozenset()) -> None:
        """One update of everything that is present in the batch."""
        flat, runs = self._flat, list(self._flat.runs(absent))
        if self._clip:
            self._clipped(runs)
        if self._uses_rate:
            self._optimizer.set_learning_rate(learning_rate)
        for start, stop in runs:
            self._optimizer._index_update_count[0] = self.steps  # the same step for every run
            state = _part(self._state, start, stop)
            self._optimizer.update(0, flat.data[start:stop], flat.gradient[start:stop], state)
        self.steps += 1
