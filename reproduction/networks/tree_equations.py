"""The equations of cells.py and their derivatives, written out for the engine: rows are nodes, columns hidden units.

Gradients are computed from outputs: σ' = σ(1 - σ), tanh' = 1 - tanh². `Activation` is used where cells.py has sigmoid
and tanh, because it is vectorised (three to five times faster on a CPU).
"""

from .backend import sym


def sigmoid(x):
    return sym.Activation(x, act_type="sigmoid")


def tanh(x):
    return sym.Activation(x, act_type="tanh")


def sigmoid_back(gradient, output):
    return sym._internal._backward_sigmoid(gradient, output)


def tanh_back(gradient, output):
    return sym._internal._backward_tanh(gradient, output)


def total(terms):
    return sym.add_n(*terms) if len(terms) > 1 else terms[0]


class TreeNNEquations:
    """h = σ(sum); leaves are squashed by σ as well."""

    leaf, leaf_back = staticmethod(sigmoid), staticmethod(sigmoid_back)

    @staticmethod
    def forward(sums, cells):
        """The state of the nodes as (h, c), and what the way back needs."""
        h = sigmoid(sums[0])
        return h, None, h

    @staticmethod
    def backward(dh, dc, h):
        """Gradients of the sums and of the children's c."""
        return [sigmoid_back(dh, h)], []


class TreeLSTMEquations:
    """c = i ∘ u + Σ f_k ∘ c_k and h = o ∘ tanh(c); above leaves there are no forget gates, because c_k = 0.

    Leaves are squashed by tanh: like every other h they lie in (-1, 1).
    """

    leaf, leaf_back = staticmethod(tanh), staticmethod(tanh_back)

    @staticmethod
    def forward(sums, cells):
        """The state of the nodes as (h, c), and what the way back needs."""
        i, o, u = sigmoid(sums[0]), sigmoid(sums[1]), tanh(sums[2])
        forget = [sigmoid(each) for each in sums[3:]]
        c = total([i * u, *(f * cell for f, cell in zip(forget, cells, strict=True))])
        squashed = tanh(c)
        return o * squashed, c, (i, o, u, forget, cells, squashed)

    @staticmethod
    def backward(dh, dc, saved):
        """Gradients of the sums and of the children's c."""
        i, o, u, forget, cells, squashed = saved
        through_h = tanh_back(dh * o, squashed)
        dc = through_h if dc is None else through_h + dc
        gates = [sigmoid_back(dc * u, i), sigmoid_back(dh * squashed, o), tanh_back(dc * i, u)]
        gates += [sigmoid_back(dc * cell, f) for f, cell in zip(forget, cells, strict=True)]
        return gates, [dc * f for f in forget]


def two_layers(x, weights, widths):
    """(tanh(W_1 x + b_1), W_2 tanh(W_1 x + b_1) + b_2): the number block before its squashing, and the decoder."""
    weight_1, bias_1, weight_2, bias_2 = weights
    inner = tanh(sym.FullyConnected(x, weight_1, bias_1, num_hidden=widths[0]))
    return inner, sym.FullyConnected(inner, weight_2, bias_2, num_hidden=widths[1])


def two_layers_back(x, inner, weights, dy, ones):
    """Gradients of the two weights and biases, in their order, and of the inner sum; ones is a row for adding up."""
    d_inner = tanh_back(sym.dot(dy, weights[2]), inner)
    gradients = [
        sym.dot(d_inner, x, transpose_a=True),
        sym.dot(ones, d_inner),
        sym.dot(dy, inner, transpose_a=True),
        sym.dot(ones, dy),
    ]
    return gradients, d_inner
