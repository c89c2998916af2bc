"""The interface of networks over expressions, their parameters side by side in one array, and the optimizers.

Gluon's parameters are views of that array, and their gradients are views of another one: cells of the same arity lie
one after the other, so that an engine multiplies with all of them at once, and an optimizer updates everything in a few
calls. Functions that are absent from a batch get no step and no decay: an optimizer steps over the runs between them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..language.expression import Equation, Expression
from ..models import OPTIMIZERS
from .backend import autograd, gluon, mx, nd

COMPARED_AT_ONCE = 2048  # equations


class Segment(NamedTuple):
    """A parameter, its place in the array, and its owner: a function or another block of the model."""

    name: str
    owner: str
    parameter: gluon.Parameter
    start: int
    stop: int


class FlatParameters:
    """The arrays `data` and `gradient`, and where everything lies in them."""

    def __init__(self, parameters: Sequence[tuple[str, str, gluon.Parameter]], context: mx.Context, dtype: str):
        """Parameters as (name, owner, parameter), in their order."""
        ends = np.cumsum([0, *(int(np.prod(parameter.shape)) for _, _, parameter in parameters)]).tolist()
        self.segments = tuple(
            Segment(*parameter, start, stop)
            for parameter, start, stop in zip(parameters, ends[:-1], ends[1:], strict=True)
        )
        self.data, self.gradient = (nd.zeros((ends[-1],), ctx=context, dtype=dtype) for _ in range(2))
        for segment in self.segments:
            segment.parameter.cast(dtype)
            segment.parameter.initialize(mx.init.Zero(), ctx=context)
            place, shape = slice(segment.start, segment.stop), segment.parameter.shape
            data, gradient = (array[place].reshape(shape) for array in (self.data, self.gradient))
            segment.parameter._data, segment.parameter._grad = [data], [gradient]
            autograd.mark_variables([data], [gradient], "write")

    def __len__(self):
        return self.segments[-1].stop

    def stacked(self, names: Sequence[str]) -> tuple[nd.NDArray, nd.NDArray]:
        """Parameters of one shape that lie one after the other as one array with an axis more, and their gradients."""
        chosen = [segment for segment in self.segments if segment.name in names]
        assert all(one.stop == other.start for one, other in pairwise(chosen))
        shape, place = (len(chosen), *chosen[0].parameter.shape), slice(chosen[0].start, chosen[-1].stop)
        return self.data[place].reshape(shape), self.gradient[place].reshape(shape)

    def runs(self, absent: frozenset[str], layerwise: bool = False) -> list[tuple[int, int]]:
        """The stretches of parameters whose owners are present: each by itself, or joined where they touch."""
        found: list[tuple[int, int]] = []
        for segment in self.segments:
            if segment.owner not in absent:
                joins = not layerwise and found and found[-1][1] == segment.start
                found.append((found.pop()[0] if joins else segment.start, segment.stop))
        return found

    def initialize(self, random: np.random.Generator) -> None:
        """Weights uniform in ±sqrt(2.34 / fan-in), biases 0."""
        values = np.zeros(len(self))
        for segment in self.segments:
            if "weight" in segment.name:
                shape = segment.parameter.shape
                one_hot = segment.owner == "symbol" or len(shape) == 1  # one input of a one-hot vector is on
                fan_in = 1 if one_hot else int(np.prod(shape[1:]))
                limit = np.sqrt(2.34 / fan_in)
                values[segment.start : segment.stop] = random.uniform(-limit, limit, segment.stop - segment.start)
        self.data[:] = nd.array(values, dtype=self.data.dtype)


class ExpressionNetwork(gluon.Block):
    """Vectors of expressions, and whether two vectors belong to equal expressions; numbers, if it decodes.

    A new network makes its blocks in `__init__`, with all shapes stated, and writes `encode`. Training, `verify`,
    `complete` and the scores need nothing else; a network that can do the rest faster overrides it.
    """

    def __init__(self, hidden: int, context: mx.Context | None = None, dtype: str = "float32"):
        super().__init__(prefix="")
        self.hidden, self.context, self.dtype = hidden, context or mx.cpu(), dtype
        self.bias = self.params.get("bias", shape=(1,))

    def encode(self, expressions: Sequence[Expression]) -> nd.NDArray:
        """The vectors of expressions, (expressions, hidden)."""
        raise NotImplementedError

    def compare(self, left: nd.NDArray, right: nd.NDArray) -> nd.NDArray:
        """The logits that the sides with these vectors are equal: ⟨h_left, h_right⟩ + b."""
        return nd.sum(nd.broadcast_mul(left, right), axis=1) + self.bias.data()

    def decode(self, vectors: nd.NDArray) -> nd.NDArray:
        """The numbers that these vectors stand for; of networks that learn from data."""
        raise NotImplementedError

    def forward(self, equations: Sequence[Equation]) -> nd.NDArray:
        """The logits of equations, differentiable; each distinct side is encoded once."""
        places = {side: place for place, side in enumerate(dict.fromkeys(side for each in equations for side in each))}
        vectors = self.encode(list(places))
        left, right = (self.array([places[side] for side in column]) for column in zip(*equations, strict=True))
        return self.compare(nd.take(vectors, left), nd.take(vectors, right))

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        """The logits of any number of equations."""
        starts = range(0, len(equations), COMPARED_AT_ONCE)
        parts = [self(equations[start : start + COMPARED_AT_ONCE]).asnumpy() for start in starts]
        return np.concatenate(parts) if parts else np.zeros(0)

    @cached_property
    def flat(self) -> FlatParameters:
        """All parameters, put side by side when they are first asked for."""
        return FlatParameters(self.ordered_parameters(), self.context, self.dtype)

    def ordered_parameters(self) -> list[tuple[str, str, gluon.Parameter]]:
        """(name, owner, parameter): only names of weights contain "weight", and owners may be absent from a batch."""
        return [(name, name.split(".")[0], each) for name, each in self._collect_params_with_prefix().items()]

    def initialize_parameters(self, random: np.random.Generator) -> None:
        """Draws the weights; biases are 0."""
        self.flat.initialize(random)

    def array(self, values) -> nd.NDArray:
        return nd.array(values, ctx=self.context, dtype=self.dtype)


# ------------------------------------------------------------------------------------------------ optimizers


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


@dataclass(frozen=True)
class OptimizerSettings:
    """The settings of every step; the learning rate comes with each step."""

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
    """Updates flat parameters from their gradients, run by run, and keeps their running average.

    MXNet's optimizers do the arithmetic; their state is as long as the parameters. Adam counts the steps of the model,
    not of each function, so that all functions share its calls. L2 is part of the gradient for every optimizer.
    """

    def __init__(self, flat: FlatParameters, settings: OptimizerSettings):
        self.flat, self.settings, self._choice = flat, settings, OPTIMIZERS[settings.name]
        options = {"momentum": settings.momentum} if self._choice.momentum else {}
        options["rescale_grad"] = settings.gradient_scale
        self._optimizer = mx.optimizer.create(self._choice.registered, **options)
        self._state = self._optimizer.create_state(0, flat.data)
        decay = np.zeros(len(flat))
        for segment in flat.segments:
            decay[segment.start : segment.stop] = settings.l2 if "weight" in segment.name else 0
        self._decay = nd.array(decay, ctx=flat.data.context, dtype=flat.data.dtype) if settings.l2 else None
        self.average = flat.data.copy() if settings.averaging else None  # what is scored, if averaging is on
        self.steps = 0

    @property
    def slots(self) -> tuple[nd.NDArray | None, ...]:
        """The arrays that MXNet's optimizer keeps, as long as the parameters; None for those it does not use."""
        return self._state if isinstance(self._state, tuple) else (self._state,)

    def arrays(self) -> dict[str, nd.NDArray]:
        """The arrays that a checkpoint keeps."""
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
        """One update of all parameters whose owners are present in the batch."""
        flat = self.flat
        runs = flat.runs(absent, self._choice.layerwise)
        if self._decay is not None:
            flat.gradient[:] += self._decay * flat.data
        if self.settings.clip:
            self._clipped(runs)
        if self._choice.learning_rate:
            self._optimizer.set_learning_rate(float(learning_rate))  # MXNet writes it out
        for start, stop in runs:
            self._optimizer._index_update_count[0] = self.steps  # the same step for every run
            state = [None if slot is None else slot[start:stop] for slot in self.slots]
            here = flat.data[start:stop], flat.gradient[start:stop]
            self._optimizer.update(0, *here, tuple(state) if isinstance(self._state, tuple) else state[0])
        if self.average is not None:
            self.average += (1 - self.settings.averaging) * (flat.data - self.average)
        self.steps += 1
