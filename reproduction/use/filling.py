"""Blanks filled by a network: candidates that are compared, or numbers whose function is decoded."""

from collections.abc import Callable

import numpy as np

from ..completion.candidates import numeric_candidates, symbolic_candidates
from ..completion.evaluation import Scorer
from ..completion.numeric import numeric_ranking, truth
from ..completion.ranking import ranking
from ..completion.truth import TRUE, CandidateJudge
from ..errors import InputError
from ..judges.balls import Valuation
from ..language.expression import Expression
from ..language.grammar import CONSTANTS
from ..language.printing import print_equation, print_expression
from .answers import Completion, Filling
from .reading import Knowledge, ReadBlank

TIES = "typed"  # the draw that breaks them, the same for every equation


class Filler:
    """Ranks everything that may fill a blank; remembers what it has computed of the candidates."""

    def __init__(self, scorer: Scorer, knowledge: Knowledge, probabilities: Callable, decodes: bool):
        self._scorer, self._functions, self._decodes = scorer, knowledge.functions, decodes
        self._strange = frozenset(CONSTANTS) - frozenset(knowledge.constants)  # a chain has not met all constants
        self._probabilities = probabilities
        self._judge, self._valuation = CandidateJudge(knowledge.functions), Valuation()

    def complete(self, read: ReadBlank, top: int) -> Completion:
        """The first candidates, as many as are wanted."""
        fillings, correct = (self._numbers if read.asks_for_a_number else self._expressions)(read, top)
        notes = () if fillings else ("no candidate makes both sides defined",)
        return Completion(read.text, fillings, correct, read.notes + notes)

    def _expressions(self, read: ReadBlank, top: int) -> tuple[tuple[Filling, ...], int]:
        candidates = symbolic_candidates(read.blank.variables, self._functions)
        known = np.array([self._is_known(candidate) for candidate in candidates])
        outcomes = self._judge.outcomes(read.blank)
        (logits,) = self._scorer.logits([read.blank], lambda count: None)
        probabilities = self._probabilities(logits)

        def filling(place: int) -> Filling:
            candidate = candidates[place].substituted(read.names)
            equation = print_equation(read.typed.filled(candidate))
            correct = bool(outcomes[place] == TRUE)
            return Filling(print_expression(candidate), equation, correct, float(probabilities[place]))

        order = ranking(TIES, logits, outcomes)
        return tuple(map(filling, order[known[order]][:top])), int(np.sum(known & (outcomes == TRUE)))

    def _is_known(self, candidate: Expression) -> bool:
        return not self._strange or self._strange.isdisjoint(node.symbol for node in candidate.subexpressions())

    def _numbers(self, read: ReadBlank, top: int) -> tuple[tuple[Filling, ...], int]:
        if not self._decodes:
            raise InputError("this network does not evaluate functions of numbers")
        candidates, known = numeric_candidates(), truth(read.blank, self._valuation)
        (decoded,) = self._scorer.decoded([read.blank])
        errors = (decoded.astype(float) - known.literal) ** 2

        def filling(place: int) -> Filling:
            candidate = candidates[place]
            return Filling(
                candidate.symbol,
                print_equation(read.typed.filled(candidate)),
                bool(known.fits[place]),
                value=float(decoded[place]),
                true=float(known.exact[place]),
                model_error=float(errors[place]),
                true_error=float(known.true_error[place]),
            )

        order = numeric_ranking(TIES, decoded, known)[:top]
        return tuple(map(filling, order)), int(np.sum(known.fits))
