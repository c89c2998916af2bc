"""A trained network that people and programs ask: `load()`, then verify, complete, evaluate, embed.

One thread at a time: MXNet's arrays and what the network remembers are not guarded.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from ..data.function_evaluations import exact_value
from ..errors import InputError
from ..judges.balls import Valuation
from ..language.expression import Equation, Expression
from ..language.mathml import to_mathml
from ..language.printing import latex_expression, print_expression
from ..paper import NUMBERS_RANGE
from .answers import Completion, Evaluation, Node, Tree, Verification
from .filling import Filler
from .finding import Found, find_network
from .reading import Read, Reader

TRUE_DECIMALS = 25  # sin(pi) is 0, not 1e-48


class Network:
    """A trained network. Texts in the language of the paper go in, records come out.

    >>> model = load("tree-lstm+data")
    >>> model.title
    'TreeLSTM + data'
    """

    def __init__(self, found: Found):
        from .encoders import Encoder  # MXNet takes two seconds to import

        self.name, self.title, self.calibration = found.name, found.title, found.calibration
        self.reader = Reader(found.knowledge)
        self._encoder = Encoder(found.run, self.reader.knowledge.functions)
        self._valuation = Valuation()

    def __repr__(self):
        return f"<Network {self.name}>"

    @property
    def decodes(self) -> bool:
        """Whether it evaluates functions of numbers."""
        return self._encoder.decodes

    @cached_property
    def _filler(self) -> Filler:
        return Filler(self._encoder.scorer, self.reader.knowledge, self.probabilities, self.decodes)

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Logits as calibrated probabilities."""
        return 0.5 * (1 + np.tanh(0.5 * np.asarray(logits, float) / self.calibration.temperature))

    def verify(self, equations: Iterable[str | Equation]) -> list[Verification]:
        """The probability that each equation holds, in their order.

        >>> model = load("tree-lstm+data")
        >>> [right, wrong] = model.verify(["x + y = y + x", "x = x + theta"])
        >>> right.verdict, wrong.verdict
        ('correct', 'incorrect')
        >>> right.probability > 0.9 > 0.1 > wrong.probability
        True
        >>> wrong.notes
        ('theta is read as y',)
        """
        if isinstance(equations, str):
            raise TypeError("verify takes a list of equations: verify(['x = x'])")
        return self.verify_read(self.reader.equations(equations))

    def verify_read(self, reads: Iterable[Read]) -> list[Verification]:
        """The same for equations as the network's reader gives them."""
        reads = list(reads)
        logits = self._encoder.logits([read.equation for read in reads]) if reads else []
        probabilities = self.probabilities(logits).tolist()
        return [Verification(read.text, each, read.notes) for read, each in zip(reads, probabilities, strict=True)]

    def complete(self, equation: str, top: int = 10) -> Completion:
        """The best fillings of the blank, written as `_`, `?` or `□`, the best first.

        >>> model = load("tree-lstm+data")
        >>> [first] = model.complete("sin(x)^2 + cos(x)^2 = _", top=1).fillings
        >>> first.correct
        True
        >>> [number] = model.complete("cos(-_) = -0.57", top=1).fillings
        >>> abs(float(number.expression) - 2.18) < 0.3
        True
        """
        if top < 1:
            raise InputError(f"top {top} is not at least 1")
        return self._filler.complete(self.reader.blank(equation), top)

    def evaluate(self, expression: str) -> Evaluation:
        """The number that the network decodes an expression to, and the true one.

        >>> evaluation = load("tree-lstm+data").evaluate("cos(2.18)")
        >>> round(evaluation.true, 3), abs(evaluation.value - evaluation.true) < 0.3
        (-0.572, True)
        """
        if not self.decodes:
            raise InputError(f"{self.title} does not evaluate functions of numbers")
        read, notes = self.reader.evaluated(expression)
        value, true = float(self._encoder.decoded([read])[0]), self._true(read)
        if true is not None and abs(true) > NUMBERS_RANGE[1]:
            notes += ("its value is beyond the numbers of the training ({} to {})".format(*NUMBERS_RANGE),)
        return Evaluation(expression.strip(), value, true, notes)

    def decoded(self, expressions: Sequence[Expression]) -> np.ndarray:
        """The numbers that many trees are decoded to, by a network that decodes."""
        return self._encoder.decoded(expressions)

    def embed(self, expressions: Iterable[str]) -> np.ndarray:
        """The vectors of expressions: (expressions, hidden), the root's state h.

        >>> load("tree-lstm+data").embed(["sin(x)", "x"]).shape
        (2, 50)
        """
        if isinstance(expressions, str):
            raise TypeError("embed takes a list of expressions: embed(['sin(x)'])")
        return self._encoder.vectors([self.reader.expression(text) for text in expressions])

    def subtrees(self, equation: str) -> Tree:
        """Every node of both sides and what the network makes of it, parents before children.

        >>> tree = load("tree-lstm+data").subtrees("sin(0) = 0")
        >>> [(node.path, node.text, node.true) for node in tree.nodes]
        [((0,), 'sin(0)', 0.0), ((0, 0), '0', 0.0), ((1,), '0', 0.0)]
        """
        [read] = self.reader.equations([equation])
        left, right = read.equation
        sides = (left, right), (right, left)
        logits = [self._encoder.comparisons(list(side.subexpressions()), other) for side, other in sides]
        nodes = list(read.equation.subexpressions())
        values = self._encoder.decoded(nodes).tolist() if self.decodes else [None] * len(nodes)
        columns = read.typed.positions(), values, self.probabilities(np.concatenate(logits)).tolist()
        rows = zip(*columns, strict=True)
        return Tree(read.text, tuple(self._node(*place, value, each) for place, value, each in rows), read.notes)

    def _node(self, path: tuple[int, ...], node: Expression, value: float | None, probability: float) -> Node:
        text, mathml = print_expression(node), to_mathml(latex_expression(node))
        value = value if node.closed else None
        return Node(path, text, mathml, node.symbol, value, self._true(node), probability)

    def _true(self, expression: Expression) -> float | None:
        exact = exact_value(expression, self._valuation) if expression.closed else None
        return None if exact is None else round(float(exact), TRUE_DECIMALS) + 0.0  # no -0.0


def load(run: str | Path | None = None) -> Network:
    """The network of a run directory or of a committed network's name; without either, the best that is committed.

    >>> load("rnn")
    <Network rnn>
    """
    return Network(find_network(run))
