"""Trees and chains behind one door: vectors of expressions, logits of equations. Importing this imports MXNet."""

from collections.abc import Sequence

import numpy as np

from ..completion.runs import load_network, load_scorer
from ..language.expression import Equation, Expression
from ..networks.tree_model import encode_by_function
from ..training.run_directory import FinishedRun


class _Encoder:
    """A trained network, and the scorer of its completions."""

    def __init__(self, run: FinishedRun, functions: tuple[str, ...]):
        self._model = load_network(run)
        self.scorer = load_scorer(run, functions, self._model)
        self.hidden = run.configuration.hidden
        self.decodes = run.configuration.decodes

    def _vectors(self, expressions: Sequence[Expression]):
        raise NotImplementedError

    def vectors(self, expressions: Sequence[Expression]) -> np.ndarray:
        """The state h of every root: (expressions, hidden)."""
        return self._vectors(expressions).asnumpy() if expressions else np.zeros((0, self.hidden), np.float32)

    def comparisons(self, expressions: Sequence[Expression], other: Expression) -> np.ndarray:
        """The logits that each of these equals the other."""
        return self._model.compare(self._vectors(expressions), self._vectors([other])).asnumpy()

    def decoded(self, expressions: Sequence[Expression]) -> np.ndarray:
        """The numbers that these stand for, by a network that decodes."""
        return self._model.decode(self._vectors(expressions)).asnumpy()


class TreeEncoder(_Encoder):
    def _vectors(self, expressions):
        return encode_by_function(self._model, expressions)[0]

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        """The logits of all equations, by the network's engine."""
        batch = self._model.batch(equations, np.zeros(len(equations)))
        return self._model.predict(batch.table, batch.examples)[0]


class ChainEncoder(_Encoder):
    def _vectors(self, expressions):
        return self.scorer.vectors(expressions)

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        """The logits of all equations, what they have in common read once."""
        return self.scorer.equation_logits(equations).asnumpy()

    def comparisons(self, expressions: Sequence[Expression], other: Expression) -> np.ndarray:
        return self.logits([Equation(expression, other) for expression in expressions])


def make_encoder(run: FinishedRun, functions: tuple[str, ...]) -> TreeEncoder | ChainEncoder:
    """The network of a run; candidates for blanks are made of these functions."""
    return (TreeEncoder if run.configuration.kind.is_tree else ChainEncoder)(run, functions)
