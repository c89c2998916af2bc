"""All parameters of a model side by side in one array, and their gradients in another.

Gluon's parameters become views of these arrays: cells of the same arity lie one after the other, so that the engine
multiplies with all of them at once, and an optimizer updates everything in a few calls. Functions that are absent from
a batch are left out: the rest forms runs.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .backend import autograd, gluon, mx, nd


class Segment(NamedTuple):
    """Where a parameter lies, and which part of the model it belongs to: a function or one of the other blocks."""

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
            self._make_view(segment, context, dtype)

    def _make_view(self, segment: Segment, context: mx.Context, dtype: str) -> None:
        parameter = segment.parameter
        parameter.cast(dtype)
        parameter.initialize(mx.init.Zero(), ctx=context)
        shape = parameter.shape
        data, gradient = (array[segment.start : segment.stop].reshape(shape) for array in (self.data, self.gradient))
        parameter._data, parameter._grad = [data], [gradient]
        autograd.mark_variables([data], [gradient], "write")

    def __len__(self):
        return self.segments[-1].stop

    @property
    def is_weight(self) -> np.ndarray:
        """1 where a weight lies, 0 where a bias does."""
        lengths = [segment.stop - segment.start for segment in self.segments]
        return np.repeat([float("weight" in segment.name) for segment in self.segments], lengths)

    def stacked(self, names: Sequence[str]) -> tuple[nd.NDArray, nd.NDArray]:
        """Parameters of one shape that lie one after the other as one array with an axis more, and their gradients."""
        chosen = [segment for segment in self.segments if segment.name in names]
        assert all(one.stop == other.start for one, other in pairwise(chosen))
        shape, place = (len(chosen), *chosen[0].parameter.shape), slice(chosen[0].start, chosen[-1].stop)
        return self.data[place].reshape(shape), self.gradient[place].reshape(shape)

    def runs(self, absent: frozenset[str]) -> Iterator[tuple[int, int]]:
        """The longest stretches that hold nothing of the absent owners."""
        start = end = 0
        for segment in self.segments:
            if segment.owner in absent:
                if start < segment.start:
                    yield start, segment.start
                start = segment.stop
            end = segment.stop
        if start < end:
            yield start, end

    def layers(self, absent: frozenset[str]) -> Iterator[tuple[int, int]]:
        """Where each parameter lies that is not of an absent owner."""
        return ((segment.start, segment.stop) for segment in self.segments if segment.owner not in absent)

    def initialize(self, random: np.random.Generator) -> None:
        """Weights uniform in ±sqrt(2.34 / fan-in), biases 0."""
        values = np.zeros(len(self))
        for segment in self.segments:
            if "weight" in segment.name:
                shape = segment.parameter.shape
                fan_in = 1 if segment.owner == "symbol" else shape[1]  # one input of a one-hot vector is on
                limit = np.sqrt(2.34 / fan_in)
                values[segment.start : segment.stop] = random.uniform(-limit, limit, segment.stop - segment.start)
        self.data[:] = nd.array(values, dtype=self.data.dtype)
