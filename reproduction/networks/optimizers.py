"""MXNet's optimizers by name, on flat parameters: absent functions get no step and no decay.

MXNet's own optimizers do the arithmetic, on the longest runs of present parameters, or layer by layer where an
optimizer takes norms of layers. Their state is one array as long as the parameters. Adam counts the steps of the model,
not of each function (like its lazy updates of sparse rows), so that functions that were absent now and then still share
one call. L2 is part of the gradient, the same for every optimizer.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from ..models import OPTIMIZERS, check_choice
from .backend import mx, nd
from .network import FlatParameters


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


@mx.optimizer.register
class GuardedAdamax(mx.optimizer.Adamax):
    """Adamax as in MXNet, without its 0 / 0 where a gradient has been 0 from the beginning."""

    def update(self, index, weight, grad, state):
        _, largest = state
        largest[:] = nd.maximum(largest, 1e-8)
        super().update(index, weight, grad, state)


@mx.optimizer.register
class SteppedNadam(mx.optimizer.Nadam):
    """Nadam as in MXNet, with a product of momenta that counts steps and not calls: the same after a kill."""

    def __init__(self, **options):
        super().__init__(**options)
        self._products = [1.0]  # by the number of steps

    def update(self, index, weight, grad, state):
        steps = self._index_update_count[index]
        while len(self._products) <= steps:
            momentum = self.beta1 * (1 - 0.5 * 0.96 ** (len(self._products) * self.schedule_decay))
            self._products.append(self._products[-1] * momentum)
        self.m_schedule = self._products[steps]
        super().update(index, weight, grad, state)


def _part(state, start: int, stop: int):
    """The same stretch of every array of an optimizer's state."""
    if isinstance(state, tuple):
        return tuple(_part(each, start, stop) for each in state)
    return None if state is None else state[start:stop]


@dataclass(frozen=True)
class OptimizerSettings:
    """What a step does besides the learning rate, which comes with every step."""

    name: str
    batch_size: int = 1
    momentum: float = 0.0
    clip: float = 0.0  # greatest norm of the gradient; 0 for none
    l2: float = 0.0  # pull of weights, not of biases, towards 0
    averaging: float = 0.0  # what each step keeps of the running average of the parameters; 0 for no average
    seed: int = 0  # of the noise of SGLD

    @property
    def gradient_scale(self) -> int:
        return self.batch_size if OPTIMIZERS[self.name].sums else 1


class FlatOptimizer:
    """Updates flat parameters from their gradients, run by run, and keeps their running average."""

    def __init__(self, flat: FlatParameters, settings: OptimizerSettings):
        check_choice(settings.name, settings.momentum)
        self.flat, self.settings, self._choice = flat, settings, OPTIMIZERS[settings.name]
        options = {"momentum": settings.momentum} if self._choice.momentum else {}
        scale = settings.gradient_scale
        self._optimizer = mx.optimizer.create(self._choice.registered, rescale_grad=scale, **options)
        self._state = self._optimizer.create_state(0, flat.data)
        decay = settings.l2 * flat.is_weight
        self._decay = nd.array(decay, ctx=flat.data.context, dtype=flat.data.dtype) if settings.l2 else None
        self.average = flat.data.copy() if settings.averaging else None  # what is scored, if averaging is on
        self.steps = 0

    @property
    def slots(self) -> tuple[nd.NDArray | None, ...]:
        """What MXNet's optimizer keeps, as long as the parameters; None for what it does not use."""
        return self._state if isinstance(self._state, tuple) else (self._state,)

    def arrays(self) -> dict[str, nd.NDArray]:
        """What a checkpoint keeps, besides the number of steps."""
        named = {f"optimizer_{place}": array for place, array in enumerate(self.slots)} | {"average": self.average}
        return {name: array for name, array in named.items() if array is not None}

    def restore(self, arrays: Mapping[str, np.ndarray], steps: int) -> None:
        for name, own in self.arrays().items():
            own[:] = nd.array(arrays[name], dtype=own.dtype)
        self.steps = steps

    @contextmanager
    def scored_parameters(self) -> Iterator[None]:
        """The parameters as they are scored: their running average, if averaging is on."""
        if self.average is None:
            yield
            return
        learned = self.flat.data.copy()
        self.flat.data[:] = self.average
        try:
            yield
        finally:
            self.flat.data[:] = learned

    def _clipped(self, runs: list[tuple[int, int]]) -> None:
        """Scales the gradient down to the greatest norm that is allowed."""
        gradients = [self.flat.gradient[start:stop] for start, stop in runs]
        norm = nd.sqrt(nd.add_n(*(nd.sum(nd.square(gradient)) for gradient in gradients)))
        scale = nd.minimum(self.settings.clip / (norm + 1e-12), 1)
        for gradient in gradients:
            gradient[:] = nd.broadcast_mul(gradient, scale)

    def step(self, learning_rate: float, absent: frozenset[str] = frozenset()) -> None:
        """One update of everything that is present in the batch."""
        flat = self.flat
        runs = list(flat.layers(absent) if self._choice.layerwise else flat.runs(absent))
        if self._decay is not None:
            flat.gradient[:] += self._decay * flat.data
        if self.settings.clip:
            self._clipped(runs)
        if self._choice.learning_rate:
            self._optimizer.set_learning_rate(float(learning_rate))  # MXNet writes it out
        for start, stop in runs:
            self._optimizer._index_update_count[0] = self.steps  # the same step for every run
            state = _part(self._state, start, stop)
            self._optimizer.update(0, flat.data[start:stop], flat.gradient[start:stop], state)
        if self.average is not None:
            self.average += (1 - self.settings.averaging) * (flat.data - self.average)
        self.steps += 1
