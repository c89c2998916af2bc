"""The parts of the paper's Figure 2 as Gluon blocks: a cell for each function, symbol and number blocks, a decoder.

`cell(*children)` takes the states of the children and gives the state of the node, so that anyone can compose the
network of a tree by hand.
"""

from .backend import gluon
from .cells import TreeCell, squashed, tanh


class Cell(gluon.HybridBlock):
    """A cell with weights, for functions of one arity.

    The matrices U_gk and biases b_g of the gates g lie below each other in `weight` and `bias`.
    """

    def __init__(self, kind: type[TreeCell], arity: int, hidden: int, **block):
        super().__init__(**block)
        self.combine, self.hidden, self.gates = kind.combine, hidden, kind.count_gates(arity)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(self.gates * hidden, arity * hidden))
            self.bias = self.params.get("bias", shape=(self.gates * hidden,))

    def hybrid_forward(self, F, *children, weight, bias):
        vectors = F.concat(*(child[0] for child in children), dim=1)  # (nodes, arity * hidden)
        sums = F.FullyConnected(vectors, weight, bias, num_hidden=self.gates * self.hidden)
        starts = range(0, self.gates * self.hidden, self.hidden)
        gates = [F.slice_axis(sums, axis=1, begin=start, end=start + self.hidden) for start in starts]
        return tuple(self.combine(F, gates, children))


class SymbolBlock(gluon.HybridBlock):
    """h = s(W one-hot(symbol)): constants and variables, by their row in the table of symbols.

    The squashing s is that of the cells' h, σ under a TreeNN and tanh under a TreeLSTM, or the one that is asked for.
    """

    def __init__(self, symbols: int, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(**block)
        self.squashing = squashing
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(symbols, hidden))

    def hybrid_forward(self, F, rows, weight):
        return squashed(F, F.take(weight, rows), self.squashing)


class TwoLayers(gluon.HybridBlock):
    """W_2 tanh(W_1 x + b_1) + b_2."""

    def __init__(self, inputs: int, hidden: int, outputs: int, **block):
        super().__init__(**block)
        self.hidden, self.outputs = hidden, outputs
        with self.name_scope():
            self.weight_1 = self.params.get("weight_1", shape=(hidden, inputs))
            self.bias_1 = self.params.get("bias_1", shape=(hidden,))
            self.weight_2 = self.params.get("weight_2", shape=(outputs, hidden))
            self.bias_2 = self.params.get("bias_2", shape=(outputs,))

    def hybrid_forward(self, F, x, weight_1, bias_1, weight_2, bias_2):
        inner = tanh(F, F.FullyConnected(x, weight_1, bias_1, num_hidden=self.hidden))
        return F.FullyConnected(inner, weight_2, bias_2, num_hidden=self.outputs)


class NumberBlock(TwoLayers):
    """h = s(W_2 tanh(W_1 n + b_1) + b_2): the encoder of the number autoencoder, numbers as a column, s as above."""

    def __init__(self, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(1, hidden, hidden, **block)
        self.squashing = squashing

    def hybrid_forward(self, F, numbers, **parameters):
        return squashed(F, super().hybrid_forward(F, numbers, **parameters), self.squashing)


class Decoder(TwoLayers):
    """n = W_2 tanh(W_1 h + b_1) + b_2: a number from any vector; linear, because targets are not in (0, 1)."""

    def __init__(self, hidden: int, **block):
        super().__init__(hidden, hidden, 1, **block)
