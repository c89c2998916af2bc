"""The cells of trees, each the equations of a node's state from those of its children. Needs no MXNet.

A state is a tuple of arrays with a row a node: (h,) of a TreeNN, (h, c) of a TreeLSTM, h and the rows of a stack of a
Tree-SMU. `tree_model.Cell` makes a Gluon block of a cell and an arity.

A new cell is a class with a decorator: how many gates it has, and how gates and children make a state. Every engine
trains it as it is written here; `train --cell NAME` chooses it.
"""

from collections.abc import Callable
from itertools import pairwise

from ..errors import InputError, excerpt

CELLS: dict[str, type["TreeCell"]] = {}  # by name


def register_cell(name: str) -> Callable[[type["TreeCell"]], type["TreeCell"]]:
    """Makes a cell known by a name: to `--cell`, to searches and to stored runs."""

    def register(cell: type["TreeCell"]) -> type["TreeCell"]:
        CELLS[name] = cell
        return cell

    return register


def find_cell(name: str) -> type["TreeCell"]:
    """The cell of a name; an unknown one is refused."""
    if name not in CELLS:
        raise InputError(f"cell {excerpt(name)!r} is unknown (allowed: {', '.join(CELLS)})")
    return CELLS[name]


def sigmoid(F, x):
    return F.Activation(x, act_type="sigmoid")  # vectorised, unlike F.sigmoid


def tanh(F, x):
    return F.Activation(x, act_type="tanh")


def squashed(F, x, squashing: str):
    """s(x) of a leaf, s one of sigmoid, tanh and identity."""
    return x if squashing == "identity" else F.Activation(x, act_type=squashing)


class TreeCell:
    """A cell; each of its gates sees the vectors of all children through its own matrix and bias."""

    states = 1  # arrays in a state; the first is h
    squashing = "tanh"  # the range of h, and the squashing of leaves where no other is asked for

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


@register_cell("tree-smu")
class TreeSMUCell(TreeCell):
    """Tree-SMU of the follow-up (arXiv 1911.01545): a stack of p rows in every node; beyond the paper.

    g_j = σ(Σ U_jk h_k + b_j)                  how much of child j's stack is kept
    v   = tanh(Σ U_k h_k + b)                  what is pushed
    o   = σ(Σ U_k h_k + b)                     output gate
    a_q = σ(Σ U_qk h_k + b_q)                  q = push, pop, no-op; then softmax over the three
    S̄   = Σ g_j ∘ S_j                          the children's stacks, joined; row 1 is the top
    S_r = a_push ∘ S̄_(r-1) + a_pop ∘ S̄_(r+1) + a_no-op ∘ S̄_r      with S̄_0 = v and S̄_(p+1) = 0
    h   = o ∘ tanh(S_1)
    """

    rows = 5
    states = 1 + rows

    @staticmethod
    def count_gates(arity: int) -> int:
        return 5 + arity

    @staticmethod
    def combine(F, sums, children):
        v, o, *actions = sums[:5]
        kept = [sigmoid(F, gate) for gate in sums[5:]]
        rows = [tanh(F, v)]  # what can become the top, then the rows of the joined stack
        for row in range(1, TreeSMUCell.states):
            first, *others = (g * child[row] for g, child in zip(kept, children, strict=True))
            rows.append(sum(others, start=first))
        weights = [F.exp(sigmoid(F, action)) for action in actions]
        total = weights[0] + weights[1] + weights[2]
        push, pop, no_op = (weight / total for weight in weights)
        stack = [push * above + no_op * own for above, own in pairwise(rows)]
        stack = [*(row + pop * below for row, below in zip(stack, rows[2:], strict=False)), stack[-1]]
        return sigmoid(F, o) * tanh(F, stack[0]), *stack
