"""Blanks filled by a network: candidates that are compared, or numbers whose function is decoded."""

from collections.abc import Callable

import numpy as np

from ..completion.candidates import Blank, numeric_candidates, symbolic_candidates
from ..completion.evaluation import Scorer
from ..completion.numeric import numeric_ranking, truth
from ..completion.ranking import ranking
from ..completion.truth import TRUE, CandidateJudge
from ..data.dataset import literal_value
from ..errors import InputError
from ..judges.balls import Valuation
from ..language.expression import Expression, variable
from ..language.printing import print_equation, print_expression
from .answers import Completion, Filling
from .reading import Binding

TIES = "typed"  # the draw that breaks them, the same for every equation


def asks_for_a_number(blank: Blank) -> bool:
    """Whether it is of the form cos(-□) = -0.57: numbers only, and one side written out."""
    return literal_value(blank.other_side) is not None and not blank.equation.variables()


class Filler:
    """Ranks everything that may fill a blank; remembers what it has computed of the candidates."""

    def __init__(self, scorer: Scorer, functions: tuple[str, ...], probabilities: Callable, decodes: bool):
        self._scorer, self._functions, self._decodes = scorer, functions, decodes
        self._probabilities = probabilities
        self._judge, self._valuation = CandidateJudge(functions), Valuation()

    def complete(
        self, text: str, typed: Blank, read: Blank, binding: Binding, notes: tuple[str, ...], top: int
    ) -> Completion:
        """The first candidates for a blank that was typed with other names for the variables of `binding`."""
        if asks_for_a_number(read):
            fillings, correct = self._numbers(typed, read, top)
        else:
            names = {leaf.symbol: variable(name) for name, leaf in binding.items()}
            fillings, correct = self._expressions(typed, read, names, top)
        if not fillings:
            notes += ("no candidate makes both sides defined",)
        return Completion(text, fillings, correct, notes)

    def _expressions(
        self, typed: Blank, read: Blank, names: dict[str, Expression], top: int
    ) -> tuple[tuple[Filling, ...], int]:
        candidates = symbolic_candidates(read.variables, self._functions)
        outcomes = self._judge.outcomes(read)
        (logits,) = self._scorer.logits([read], lambda count: None)
        probabilities = self._probabilities(logits)

        def filling(place: int) -> Filling:
            candidate = candidates[place].substituted(names)
            equation = print_equation(typed.filled(candidate))
            correct = bool(outcomes[place] == TRUE)
            return Filling(print_expression(candidate), equation, correct, float(probabilities[place]))

        order = ranking(TIES, logits, outcomes)[:top]
        return tuple(map(filling, order)), int(np.sum(outcomes == TRUE))

    def _numbers(self, typed: Blank, read: Blank, top: int) -> tuple[tuple[Filling, ...], int]:
        if not self._decodes:
            raise InputError("this network does not evaluate functions of numbers")
        candidates, known = numeric_candidates(), truth(read, self._valuation)
        (decoded,) = self._scorer.decoded([read])
        errors = (decoded.astype(float) - known.literal) ** 2

        def filling(place: int) -> Filling:
            candidate = candidates[place]
            return Filling(
                candidate.symbol,
                print_equation(typed.filled(candidate)),
                bool(known.fits[place]),
                value=float(decoded[place]),
                true=float(known.exact[place]),
                model_error=float(errors[place]),
                true_error=float(known.true_error[place]),
            )

        order = numeric_ranking(TIES, decoded, known)[:top]
        return tuple(map(filling, order)), int(np.sum(known.fits))
