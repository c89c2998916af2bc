"""The network of a whole batch as operators: the way forward.

A block (all functions of one arity at one height) is one batched product of the children's vectors with the weights of
all its functions, which lie below each other in memory. Nodes are sorted by function and padded to the same number a
function; after the product the real nodes are taken out of the padding, gate by gate: `take` copies rows and is the
cheapest operator there is, while splitting, broadcasting and summing along an axis are ten times slower.
"""

import math
from typing import NamedTuple

from .backend import sym
from .schedule import Capacity, Shapes, fields
from .subtrees import Block
from .tree_equations import TreeLSTMEquations, TreeNNEquations, two_layers

NUMBER = ("number_weight_1", "number_bias_1", "number_weight_2", "number_bias_2")
DECODER = ("decoder_weight_1", "decoder_bias_1", "decoder_weight_2", "decoder_bias_2")
WEIGHT, BIAS = {1: "unary_weight", 2: "binary_weight"}, {1: "unary_bias", 2: "binary_bias"}


class Settings(NamedTuple):
    """What the graph depends on besides the batch."""

    hidden: int
    parameters: tuple[tuple[str, tuple[int, ...]], ...]  # names and shapes, in the order of the flat gradient
    dropout: float = 0.0
    l2: float = 0.0
    dtype: str = "float32"


class Computed(NamedTuple):
    """A block and what the way back needs of it."""

    block: Block
    rows: int
    nodes: int
    base: int  # the block's first row among all states
    inputs: object  # (functions, rows, arity * hidden)
    equations: tuple
    mask: object  # of dropout, or None
    children: object  # rows of the states that the inputs and the children's cells came from
    cells: list


class ForwardGraph:
    """Writes the graph of batches of one capacity down."""

    def __init__(self, shapes: Shapes, capacity: Capacity, settings: Settings):
        self.shapes, self.capacity, self.settings = shapes, capacity, settings
        self.hidden = settings.hidden
        self.equations = TreeLSTMEquations if shapes.lstm else TreeNNEquations
        self.parameters = {name: sym.var(name) for name, _ in settings.parameters}
        self.layout, self.packed = fields(shapes, capacity), sym.var("packed")
        self.symbols = shapes.symbols
        self.mask = None  # one for all nodes of a batch
        if settings.dropout and shapes.training:
            self.mask = sym.Dropout(self.constant(sym.ones, 1, self.hidden), p=settings.dropout, mode="always")

    def part(self, *name, index: int | None = None):
        """A field of the packed batch, or one row of it."""
        start, shape = self.layout[name]
        size = shape[-1] if index is not None else math.prod(shape)
        start += (index or 0) * shape[-1]
        return sym.slice_axis(self.packed, axis=0, begin=start, end=start + size)

    def constant(self, make, *shape):
        return make(shape, dtype=self.settings.dtype)

    def joined(self, arrays, axis=0):
        return sym.concat(*arrays, dim=axis) if len(arrays) > 1 else arrays[0]

    def leaves(self):
        """The states of all symbols and of the batch's numbers."""
        self.symbol_states = self.equations.leaf(self.parameters["symbol_weight"])
        if not self.capacity.numbers:
            return self.symbol_states
        self.numbers = sym.reshape(self.part("numbers"), (-1, 1))
        weights = [self.parameters[name] for name in NUMBER]
        self.number_inner, sums = two_layers(self.numbers, weights, (self.hidden, self.hidden))
        self.number_states = self.equations.leaf(sums)
        return self.joined([self.symbol_states, self.number_states])

    def affine(self, block: Block, inputs, rows: int):
        """The sums of all gates of the padded nodes, a row a gate."""
        functions, wide = self.shapes.functions(block), self.shapes.gates(block) * self.hidden
        weight, bias = self.parameters[WEIGHT[block.arity]], self.parameters[BIAS[block.arity]]
        if self.shapes.gates(block) < self.shapes.all_gates(block.arity):
            weight, bias = (sym.slice_axis(whole, axis=1, begin=0, end=wide) for whole in (weight, bias))
        self.weights[block] = weight
        offsets = sym.take(bias, sym.arange(0, functions, repeat=rows, dtype=self.settings.dtype))
        offsets = sym.reshape(offsets, (functions, rows, wide))
        return sym.reshape(sym.linalg.gemm(inputs, weight, offsets, transpose_b=True), (-1, self.hidden))

    def compute(self, block: Block, rows: int, nodes: int, base: int, states, cells):
        """(h, c) of a block's nodes, and what the way back needs."""
        shape = (self.shapes.functions(block), rows, block.arity * self.hidden)
        children = self.part("children", block)
        inputs = sym.reshape(sym.take(states, children), shape)
        sums = self.affine(block, inputs, rows)
        sums = [sym.take(sums, self.part("gates", block, index=gate)) for gate in range(self.shapes.gates(block))]
        below_rows = [self.part("cells", block, index=child) for child in range(self.shapes.cells(block))]
        below = [sym.take(cells, rows_below) for rows_below in below_rows]
        h, c, saved = self.equations.forward(sums, below)
        mask = None
        if self.mask is not None:
            mask = sym.take(self.mask, self.constant(sym.zeros, nodes))
            h = h * mask
        return h, c, Computed(block, rows, nodes, base, inputs, saved, mask, children, below_rows)

    def forward(self):
        """The vectors of all nodes, a row a node: symbols, numbers, then block after block."""
        h_parts, c_parts = [self.leaves()], []
        base = self.symbols + self.capacity.numbers
        if self.shapes.lstm:
            c_parts.append(self.constant(sym.zeros, base, self.hidden))
        self.saved: list[Computed] = []
        self.weights: dict[Block, object] = {}  # of the gates that each block uses
        height = states = cells = None
        for block, (rows, nodes) in zip(self.shapes.blocks, self.capacity.blocks, strict=True):
            if not nodes:
                continue
            if block.height != height:
                height, states = block.height, self.joined(h_parts)
                cells = self.joined(c_parts) if self.shapes.cells(block) else None
            h, c, saved = self.compute(block, rows, nodes, base, states, cells)
            h_parts.append(h)
            c_parts.append(c)
            self.saved.append(saved)
            base += nodes
        self.total_rows = base
        return self.joined(h_parts)

    def heads(self, states):
        """The logit of every pair and the number of every decoded row."""
        outputs = []
        if self.capacity.pairs:
            self.pair_rows = self.part("left"), self.part("right")
            self.left, self.right = (sym.take(states, rows) for rows in self.pair_rows)
            products = sym.dot(self.left * self.right, self.constant(sym.ones, self.hidden, 1))  # (pairs, 1)
            bias = sym.take(self.parameters["bias"], sym.zeros_like(self.pair_rows[0]))
            self.logits = sym.reshape(products, (-1,)) + bias
            outputs.append(self.logits)
        if self.capacity.decoded:
            self.decoded_rows = self.part("decoded")
            self.vectors = sym.take(states, self.decoded_rows)
            weights = [self.parameters[name] for name in DECODER]
            self.decoder_inner, numbers = two_layers(self.vectors, weights, (self.hidden, 1))
            self.decoded = sym.reshape(numbers, (-1,))
            outputs.append(self.decoded)
        return outputs
