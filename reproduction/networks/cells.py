"""The parts of the paper's Figure 2 as Gluon blocks: a cell for each function, and symbol, number and decoder blocks.

A state is a tuple of arrays with a row a node: (h,) of a TreeNN, (h, c) of a TreeLSTM. `cell(*children)` takes the
states of the children and gives the state of the node, so that anyone can compose the network of a tree by hand.

A new cell is a class with a decorator: how many gates it has, and how gates and children make a state. Every engine
trains it as it is written here; `train --cell NAME` chooses it.
"""

from collections.abc import Callable

from ..models import CELLS
from .backend import gluon


def register_cell(name: str) -> Callable[[type["TreeCell"]], type["TreeCell"]]:
    """Makes a cell known by a name: to `--cell`, to searches and to stored runs."""

    def register(cell: type["TreeCell"]) -> type["TreeCell"]:
        CELLS[name] = cell
        cell.name_in_runs = name
        return cell

    return register


def sigmoid(F, x):
    return F.Activation(x, act_type="sigmoid")  # vectorised, unlike F.sigmoid


def tanh(F, x):
    return F.Activation(x, act_type="tanh")


def squashed(F, x, squashing: str):
    """s(x) of a leaf, s one of sigmoid, tanh and identity."""
    return x if squashing == "identity" else F.Activation(x, act_type=squashing)


class TreeCell(gluon.HybridBlock):
    """What cells have in common: each gate sees all children's vectors through a matrix and a bias of its own.

    The matrices U_gk and biases b_g of the gates g lie below each other in `weight` and `bias`.
    """

    states = 1  # arrays in a state; the first is h
    squashing = "tanh"  # the range of h, and the squashing of leaves where no other is asked for

    def __init__(self, arity: int, hidden: int, **block):
        super().__init__(**block)
        self.hidden, self.gates = hidden, self.count_gates(arity)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(self.gates * hidden, arity * hidden))
            self.bias = self.params.get("bias", shape=(self.gates * hidden,))

    def hybrid_forward(self, F, *children, weight, bias):
        vectors = F.concat(*(child[0] for child in children), dim=1)  # (nodes, arity * hidden)
        sums = F.FullyConnected(vectors, weight, bias, num_hidden=self.gates * self.hidden)
        starts = range(0, self.gates * self.hidden, self.hidden)
        gates = [F.slice_axis(sums, axis=1, begin=start, end=start + self.hidden) for start in starts]
        return tuple(self.combine(F, gates, children))

    @staticmethod
    def count_gates(arity: int) -> int:
        raise NotImplementedError

    @staticmethod
    def combine(F, sums, children):
        """The state of nodes, from a sum for each gate and the states of the children; each array (nodes, hidden)."""
        raise NotImplementedError


@register_cell("tree-nn")
class TreeNNCell(TreeCell):
    """h = σ(Σ U_k h_k + b), a plain layer."""

    squashing = "sigmoid"

    @staticmethod
    def count_gates(arity: int) -> int:
        return 1

    @staticmethod
    def combine(F, sums, children):
        return (sigmoid(F, sums[0]),)


@register_cell("tree-lstm")
class TreeLSTMCell(TreeCell):
    """Tai's N-ary cell (arXiv 1503.00075, equations 9 to 14) without an input of its own; all sums over the children k:

    i   = σ(Σ U_k h_k + b)                 input gate
    o   = σ(Σ U_k h_k + b)                 output gate
    u   = tanh(Σ U_k h_k + b)              candidate
    f_j = σ(Σ U_jk h_k + b_j)              a forget gate for each child, seeing all children
    c   = i ∘ u + Σ f_j ∘ c_j              memory
    h   = o ∘ tanh(c)
    """

    states = 2

    @staticmethod
    def count_gates(arity: int) -> int:
        return 3 + arity

    @staticmethod
    def combine(F, sums, children):
        i, o, u, *forget = sums
        c = sigmoid(F, i) * tanh(F, u)
        for f, (_, memory) in zip(forget, children, strict=True):
            c = c + sigmoid(F, f) * memory
        return sigmoid(F, o) * tanh(F, c), c


@register_cell("tree-gru")
class TreeGRUCell(TreeCell):
    """A gated cell without a memory of its own, two gates fewer than the LSTM's; beyond the paper.

    z = σ(Σ U_k h_k + b)                   update gate
    u = tanh(Σ U_k h_k + b)                candidate
    s = σ(Σ U_k h_k + b)                   which child is kept, if there are two
    h = z ∘ u + (1 - z) ∘ (s ∘ h_1 + (1 - s) ∘ h_2)
    """

    @staticmethod
    def count_gates(arity: int) -> int:
        return 1 + arity

    @staticmethod
    def combine(F, sums, children):
        z, u, *choice = sums
        kept = children[0][0]
        for s, (h,) in zip(choice, children[1:], strict=True):
            kept = h + sigmoid(F, s) * (kept - h)
        return (kept + sigmoid(F, z) * (tanh(F, u) - kept),)


@register_cell("tree-quadratic")
class TreeQuadraticCell(TreeCell):
    """h = tanh(u + p ∘ q), with u, p and q linear in the children: they meet as factors, too; beyond the paper."""

    @staticmethod
    def count_gates(arity: int) -> int:
        return 3

    @staticmethod
    def combine(F, sums, children):
        u, p, q = sums
        return (tanh(F, u + p * q),)


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
