"""A trained network of any kind behind one door: vectors of expressions, logits of equations. Imports MXNet."""

from collections.abc import Sequence

import numpy as np

from ..completion.runs import load_network, load_scorer
from ..language.expression import Equation, Expression
from ..training.run_directory import FinishedRun


class Encoder:
    """A trained network, and the scorer of its completions; candidates for blanks are made of these functions."""

    def __init__(self, run: FinishedRun, functions: tuple[str, ...]):
        self.network = load_network(run)
        self.scorer = load_scorer(run, functions, self.network)
        self.hidden = run.configuration.hidden
        self.decodes = run.configuration.decodes

    def vectors(self, expressions: Sequence[Expression]) -> np.ndarray:
        """What each expression is encoded to: (expressions, hidden)."""
        return self.network.encode(expressions).asnumpy() if expressions else np.zeros((0, self.hidden), np.float32)

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        """The logits of all equations."""
        return self.network.logits(equations)

    def comparisons(self, expressions: Sequence[Expression], other: Expression) -> np.ndarray:
        """The logits that each of these equals the other."""
        return self.network.logits([Equation(expression, other) for expression in expressions])

    def decoded(self, expressions: Sequence[Expression]) -> np.ndarray:
        """The numbers that these stand for, by a network that decodes."""
        return self.network.decode(self.network.encode(expressions)).asnumpy()
