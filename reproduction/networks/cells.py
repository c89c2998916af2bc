"""The parts of the paper's Figure 2 as Gluon blocks: a cell for each function, and symbol, number and decoder blocks.

A state is a tuple of arrays with a row a node: (h,) of a TreeNN, (h, c) of a TreeLSTM. `cell(*children)` takes the
states of the children and gives the state of the node, so that anyone can compose the network of a tree by hand.
Dropout acts on h, with the same mask for all rows of a call (in the engine: for all nodes of a batch), so that equal
subtrees keep equal vectors; with a mask for every node, dropout did more harm than good.
"""

from .backend import gluon


class TreeNNCell(gluon.HybridBlock):
    """h = σ(W [h_1; …; h_n] + b), the children's vectors one after the other."""

    states = 1

    def __init__(self, arity: int, hidden: int, dropout: float = 0.0, **block):
        super().__init__(**block)
        self.hidden, self.dropout = hidden, dropout
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(hidden, arity * hidden))
            self.bias = self.params.get("bias", shape=(hidden,))

    def hybrid_forward(self, F, *children, weight, bias):
        vectors = F.concat(*(child[0] for child in children), dim=1)  # (nodes, arity * hidden)
        h = F.sigmoid(F.FullyConnected(vectors, weight, bias, num_hidden=self.hidden))
        return (F.Dropout(h, p=self.dropout, axes=(0,)),)


class TreeLSTMCell(gluon.HybridBlock):
    """Tai's N-ary cell (arXiv 1503.00075, equations 9 to 14) without an input of its own; all sums over the children k:

    i   = σ(Σ U_k h_k + b)                 input gate
    o   = σ(Σ U_k h_k + b)                 output gate
    u   = tanh(Σ U_k h_k + b)              candidate
    f_j = σ(Σ U_jk h_k + b_j)              a forget gate for each child, seeing all children
    c   = i ∘ u + Σ f_j ∘ c_j
    h   = o ∘ tanh(c)

    Every U and b is its own; they lie below each other in `weight` and `bias`, in the order i, o, u, f_1, …, f_n.
    """

    states = 2

    def __init__(self, arity: int, hidden: int, dropout: float = 0.0, **block):
        super().__init__(**block)
        self.hidden, self.gates, self.dropout = hidden, 3 + arity, dropout
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(self.gates * hidden, arity * hidden))
            self.bias = self.params.get("bias", shape=(self.gates * hidden,))

    def hybrid_forward(self, F, *children, weight, bias):
        vectors = F.concat(*(child[0] for child in children), dim=1)  # (nodes, arity * hidden)
        sums = F.FullyConnected(vectors, weight, bias, num_hidden=self.gates * self.hidden)
        i, o, u, *forget = F.split(sums, num_outputs=self.gates, axis=1)  # each (nodes, hidden)
        c = F.sigmoid(i) * F.tanh(u)
        for f, child in zip(forget, children, strict=True):
            c = c + F.sigmoid(f) * child[1]
        return F.Dropout(F.sigmoid(o) * F.tanh(c), p=self.dropout, axes=(0,)), c


class SymbolBlock(gluon.HybridBlock):
    """h = s(W one-hot(symbol)): constants and variables, by their row in the table of symbols.

    The squashing s is that of the cells' h: σ under a TreeNN, tanh under a TreeLSTM.
    """

    def __init__(self, symbols: int, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(**block)
        self.squashing = squashing
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(symbols, hidden))

    def hybrid_forward(self, F, rows, weight):
        return F.Activation(F.take(weight, rows), act_type=self.squashing)


class NumberBlock(gluon.HybridBlock):
    """h = s(W_2 tanh(W_1 n + b_1) + b_2): the encoder of the number autoencoder, numbers as a column, s as above."""

    def __init__(self, hidden: int, squashing: str = "sigmoid", **block):
        super().__init__(**block)
        self.hidden, self.squashing = hidden, squashing
        with self.name_scope():
            self.weight_1 = self.params.get("weight_1", shape=(hidden, 1))
            self.bias_1 = self.params.get("bias_1", shape=(hidden,))
            self.weight_2 = self.params.get("weight_2", shape=(hidden, hidden))
            self.bias_2 = self.params.get("bias_2", shape=(hidden,))

    def hybrid_forward(self, F, numbers, weight_1, bias_1, weight_2, bias_2):
        inner = F.tanh(F.FullyConnected(numbers, weight_1, bias_1, num_hidden=self.hidden))
        sums = F.FullyConnected(inner, weight_2, bias_2, num_hidden=self.hidden)
        return F.Activation(sums, act_type=self.squashing)


class Decoder(gluon.HybridBlock):
    """n = W_2 tanh(W_1 h + b_1) + b_2: a number from any vector; linear, because targets are not in (0, 1)."""

    def __init__(self, hidden: int, **block):
        super().__init__(**block)
        self.hidden = hidden
        with self.name_scope():
            self.weight_1 = self.params.get("weight_1", shape=(hidden, hidden))
            self.bias_1 = self.params.get("bias_1", shape=(hidden,))
            self.weight_2 = self.params.get("weight_2", shape=(1, hidden))
            self.bias_2 = self.params.get("bias_2", shape=(1,))

    def hybrid_forward(self, F, h, weight_1, bias_1, weight_2, bias_2):
        inner = F.tanh(F.FullyConnected(h, weight_1, bias_1, num_hidden=self.hidden))
        return F.FullyConnected(inner, weight_2, bias_2, num_hidden=1)
