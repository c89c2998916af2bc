"""What every network over expressions offers, and its parameters side by side in one array.

Gluon's parameters are views of that array, and of another one with their gradients: cells of the same arity lie one
after the other, so that the engine multiplies with all of them at once, and an optimizer updates everything in a few
calls. Functions that are absent from a batch are left out: the rest forms runs.
"""

import math
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import artifacts
from ..errors import InputError, MachineError
from ..language.expression import Equation, Expression
from .backend import autograd, gluon, mx, nd

COMPARED_AT_ONCE = 2048  # equations


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
                one_hot = segment.owner == "symbol" or len(shape) == 1  # one input of a one-hot vector is on
                fan_in = 1 if one_hot else int(np.prod(shape[1:]))
                limit = np.sqrt(2.34 / fan_in)
                values[segment.start : segment.stop] = random.uniform(-limit, limit, segment.stop - segment.start)
        self.data[:] = nd.array(values, dtype=self.data.dtype)


class ExpressionNetwork(gluon.Block):
    """Vectors of expressions, and whether two vectors belong to equal expressions; numbers, if it decodes.

    A new network makes its blocks in `__init__`, with all shapes stated, and writes `encode`; the rest is done here:
    training, `verify`, `complete` and the scores ask nothing else. Whoever can do better than this overrides it.
    """

    def __init__(self, hidden: int, context: mx.Context | None = None, dtype: str = "float32"):
        super().__init__(prefix="")
        self.hidden, self.context, self.dtype = hidden, context or mx.cpu(), dtype
        self.bias = self.params.get("bias", shape=(1,))
        self._flat: FlatParameters | None = None

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

    @property
    def flat(self) -> FlatParameters:
        """All parameters; they are put side by side when they are first asked for."""
        if self._flat is None:
            self._flat = FlatParameters(self.ordered_parameters(), self.context, self.dtype)
        return self._flat

    def ordered_parameters(self) -> list[tuple[str, str, gluon.Parameter]]:
        """(name, owner, parameter); a weight is told from a bias by its name, and owners may be absent from a batch."""
        return [(name, name.split(".")[0], each) for name, each in self._collect_params_with_prefix().items()]

    def initialize_parameters(self, random: np.random.Generator) -> None:
        """Draws the weights; biases are 0."""
        self.flat.initialize(random)

    def array(self, values) -> nd.NDArray:
        return nd.array(values, ctx=self.context, dtype=self.dtype)


# ------------------------------------------------------------------------------------------------ files


def write_parameters(path: Path, network: ExpressionNetwork) -> None:
    """Gluon's parameter file, and its SHA-256 beside it: MXNet loads damaged parameters without a word."""
    with artifacts.whole_file(path) as temporary:
        try:
            network.save_parameters(str(temporary))
        except mx.MXNetError as error:
            reason = str(error).strip().splitlines()[-1]
            raise MachineError(f"{path}: MXNet cannot write the parameters ({reason})") from None
    artifacts.write_text(path.with_name(f"{path.name}.sha256"), artifacts.checksum(path.read_bytes()) + "\n")


def read_parameters(path: Path, network: ExpressionNetwork, checksum: str | None) -> None:
    """Fills a network with the parameters of a file, if they are those with this SHA-256 and fit."""
    content = artifacts.read_bytes(path)
    if artifacts.checksum(content) != checksum:
        raise InputError(f"{path}: damaged or of another run, its content does not have the stored SHA-256")
    count = sum(math.prod(parameter.shape) for _, _, parameter in network.ordered_parameters())
    if len(content) < count or not _has_layout(content, network):
        raise InputError(f"{path}: its parameters are not those of the model in config.json")
    network.load_parameters(str(path), ctx=network.context)


def _has_layout(content: bytes, network: ExpressionNetwork) -> bool:
    """Whether a file is this network's in all but the values; MXNet takes as much memory as a file tells it to."""
    samples = []
    with tempfile.NamedTemporaryFile() as file:
        for byte in (b"\0", b"\xff"):  # all bytes of a value differ
            network.flat.data[:] = nd.array(np.frombuffer(byte * network.flat.data.asnumpy().nbytes, network.dtype))
            network.save_parameters(file.name)
            samples.append(np.frombuffer(Path(file.name).read_bytes(), np.uint8))
    found = np.frombuffer(content, np.uint8)
    return len(found) == len(samples[0]) and bool(np.all((found == samples[0]) | (samples[0] != samples[1])))
