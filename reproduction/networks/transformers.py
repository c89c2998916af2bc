"""Transformers that encode each side of an equation: by its place in prefix notation, or by its path in the tree.

The sides of a batch are laid one after the other in rows of tokens, several in a row, and a token attends to those of
its own side only: next to nothing is padded, whatever the lengths.
"""

from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..data.dataset import Dataset, Vocabulary
from ..data.splits import Parts
from ..language.expression import Expression
from .backend import context, gluon, nd
from .network import ExpressionNetwork

UNKNOWN = "?"  # the token for every symbol that the training part does not have
HEADS, WIDENING = 4, 2  # of attention; how many times as wide the middle of a layer is
LIKE_TREE_LSTM, MOST_LAYERS = 331_851, 6  # the parameters of TreeLSTM
LEVELS, ARITY = 8, 2  # a node's position in the tree is made of so many last steps of its path
ROW = 16  # tokens in a row, or as many as the longest side has
FORBIDDEN = -1e9  # what is added to the weight of a token of another side


def token_vocabulary(configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """The symbols of the training equations, the most frequent first, behind the one for unknown ones."""
    sides = (side for record in parts.train.symbolic for side in record.equation)
    counts = Counter(node.symbol for side in sides for node in side.subexpressions())
    return Vocabulary((), (), False, (UNKNOWN, *sorted(counts, key=lambda token: (-counts[token], token))))


def count_layers(hidden: int) -> int:
    """So many layers of this width that there are about as many parameters as in TreeLSTM."""
    of_a_layer = (4 + 2 * WIDENING) * hidden**2
    return max(1, min(MOST_LAYERS, round((LIKE_TREE_LSTM - hidden**2) / of_a_layer)))


def count_heads(hidden: int) -> int:
    """Four, or as many as share a smaller or odd width equally."""
    return gcd(hidden, HEADS)


def normalized(x: nd.NDArray) -> nd.NDArray:
    """Vectors divided by their root mean square; the layer behind has weights enough to scale them."""
    return nd.L2Normalization(x) * x.shape[1] ** 0.5


class Layer(gluon.Block):
    """x + attention(normalized(x)), then x + V gelu(W normalized(x) + b) + c."""

    def __init__(self, hidden: int, dropout: float):
        super().__init__(prefix="")
        self.heads = count_heads(hidden)
        self.interleaved = gluon.nn.Dense(3 * hidden, in_units=hidden)  # query, key and value of each head
        self.attention = gluon.nn.Dense(hidden, in_units=hidden)
        self.inner = gluon.nn.Dense(WIDENING * hidden, in_units=hidden)
        self.outer = gluon.nn.Dense(hidden, in_units=WIDENING * hidden)
        self.dropout = gluon.nn.Dropout(dropout)

    def forward(self, x: nd.NDArray, forbidden: nd.NDArray, kept: nd.NDArray | None = None) -> nd.NDArray:
        """The tokens (row length * rows, hidden) one layer on, or those that are kept alone.

        What a token must not attend to is forbidden, (rows * heads, row length, row length).
        """
        interleaved = self.interleaved(normalized(x)).reshape((forbidden.shape[1], -1, 3 * x.shape[1]))
        scores = nd.contrib.interleaved_matmul_selfatt_qk(interleaved, heads=self.heads)
        weights = nd.softmax(scores + forbidden)
        values = nd.contrib.interleaved_matmul_selfatt_valatt(interleaved, weights, heads=self.heads).reshape((-3, 0))
        if kept is not None:
            x, values = nd.take(x, kept), nd.take(values, kept)
        x = x + self.dropout(self.attention(values))
        inner = nd.LeakyReLU(self.inner(normalized(x)), act_type="gelu")
        return x + self.dropout(self.outer(inner))


class Rows(NamedTuple):
    """Sides in rows of tokens: tokens, places and roots are of the flat array (row length * rows, ...)."""

    tokens: np.ndarray  # as their numbers; 0 where there is none
    places: np.ndarray  # of the tokens, as numbers of positions
    roots: np.ndarray  # where each side has its first token
    forbidden: np.ndarray  # (rows, row length, row length): what is added where two tokens are of different sides


def rows_of(sides: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Rows:
    """The rows of these sides, each given by its tokens and their places."""
    counts = np.array([len(tokens) for tokens, _ in sides])
    length = max(ROW, counts.max())
    starts, end = np.zeros(len(sides), dtype=np.int64), 0
    for number, count in enumerate(counts.tolist()):
        starts[number] = end if end % length + count <= length else end + length - end % length
        end = starts[number] + count
    rows = -(-end // length)
    filled = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    owner = np.full(rows * length, -1)
    owner[filled] = np.repeat(np.arange(len(sides)), counts)
    owner = owner.reshape((rows, length))
    found = np.zeros((2, rows * length), dtype=np.int64)
    found[:, filled % length * rows + filled // length] = np.concatenate([np.array(side) for side in sides], axis=1)
    roots = starts % length * rows + starts // length
    return Rows(found[0], found[1], roots, np.where(owner[:, :, None] == owner[:, None, :], 0, FORBIDDEN))


class Transformer(ExpressionNetwork):
    """What the last layer makes of a side's first token, which is its root, after one linear layer."""

    def __init__(self, configuration, vocabulary: Vocabulary):
        hidden = configuration.hidden
        super().__init__(hidden, context(configuration.device))
        self.numbers = {token: number for number, token in enumerate(vocabulary.tokens)}
        self.symbol = gluon.nn.Embedding(len(self.numbers), hidden)
        self.dropout = gluon.nn.Dropout(configuration.dropout)
        self.layers = gluon.nn.Sequential(prefix="")
        self.layers.add(*(Layer(hidden, configuration.dropout) for _ in range(count_layers(hidden))))
        self.head = gluon.nn.Dense(hidden, in_units=hidden)
        self._known: WeakKeyDictionary[Expression, tuple[list[int], list[int]]] = WeakKeyDictionary()

    def encode(self, expressions: Sequence[Expression]) -> nd.NDArray:
        rows = rows_of([self._read(each) for each in expressions])
        distinct, places = np.unique(rows.places, return_inverse=True)
        positions = nd.take(self.positions(distinct), self.array(places))
        x = self.dropout(self.symbol(self.array(rows.tokens)) + positions)
        forbidden = self.array(np.repeat(rows.forbidden, count_heads(self.hidden), axis=0))
        roots = self.array(rows.roots)
        for number, layer in enumerate(self.layers, 1):
            x = layer(x, forbidden, roots if number == len(self.layers) else None)
        return self.head(normalized(x)) / self.hidden**0.5  # so that the logits begin small

    def _read(self, expression: Expression) -> tuple[list[int], list[int]]:
        """The tokens of an expression in prefix notation, as their numbers, and their places."""
        if expression not in self._known:
            paths, nodes = zip(*expression.positions(), strict=True)
            self._known[expression] = [self.numbers.get(node.symbol, 0) for node in nodes], self.places(paths)
        return self._known[expression]

    def places(self, paths: Sequence[tuple[int, ...]]) -> list[int]:
        """The numbers of the positions of nodes, given their paths from the root in prefix order."""
        return list(range(len(paths)))

    def positions(self, places: np.ndarray) -> nd.NDArray:
        """The vectors of some positions: sines and cosines, which there are of every number."""
        rates = 10_000.0 ** (-np.arange(0, self.hidden, 2) / self.hidden)
        angles = places[:, None] * rates
        return self.array(np.concatenate([np.sin(angles), np.cos(angles)], axis=1)[:, : self.hidden])


class TreeTransformer(Transformer):
    """Positions as Shiv and Quirk (2019) compute them: the last steps of a node's path, those farther up weaker.

    A step is one-hot: which child. How fast the steps fade is learned, differently in each part of the vector. A path
    that is longer than all in training is read in the same way.
    """

    def __init__(self, configuration, vocabulary: Vocabulary):
        super().__init__(configuration, vocabulary)
        self.fading = self.params.get("fading", shape=(-(-self.hidden // (LEVELS * ARITY)), 1))

    def initialize_parameters(self, random: np.random.Generator) -> None:
        super().initialize_parameters(random)
        self.fading.data()[:] = self.array(np.arctanh(np.linspace(0.5, 0.95, self.fading.shape[0]))[:, None])

    def places(self, paths: Sequence[tuple[int, ...]]) -> list[int]:
        """Last steps as the digits of a number behind a 1, so that it does not depend on what was read before."""
        return [int("".join(map(str, (1, *path[-LEVELS:]))), ARITY) for path in paths]

    def positions(self, places: np.ndarray) -> nd.NDArray:
        steps = np.zeros((len(places), 1, LEVELS, ARITY))
        for row, place in enumerate(places):
            for level, child in enumerate(np.base_repr(place, ARITY)[:0:-1]):
                steps[row, 0, level, int(child)] = 1
        fading = nd.tanh(self.fading.data())
        levels = self.array(np.repeat(np.arange(LEVELS), ARITY)[None])
        weights = nd.broadcast_power(fading, levels) * nd.sqrt(1 - nd.square(fading)) * (self.hidden / 2) ** 0.5
        parts = nd.broadcast_mul(self.array(steps.reshape((len(places), 1, -1))), weights.expand_dims(0))
        return parts.reshape((len(places), -1))[:, : self.hidden]  # (positions, parts, steps) as (positions, hidden)
