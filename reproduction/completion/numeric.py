"""Completion of function evaluations such as cos(-□) = -0.57 (Figures 3b and 4b).

Candidates are ranked by the squared error between the number that the network decodes and the known one. The
top-k minimum error is the squared distance between the number that was removed and the closest of the first k. Other
numbers may fit as well (sin(□) = 0.6 has two, cos(□) = 1.00 many), so even a perfect evaluator does not score 0:
its curve, and that of a random ranking, are stored beside the network's.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from ..data.dataset import literal_value
from ..data.function_evaluations import exact_value, to_cents
from ..judges.balls import Valuation
from ..language.expression import Expression
from .candidates import Blank, numeric_candidates
from .ranking import LARGEST_K, grouped, ordered, summary


class Truth(NamedTuple):
    """What is true of a numeric blank: the literal, and for each candidate the exact and the two-decimal value."""

    literal: float
    removed: float
    exact: np.ndarray  # NaN where the function is not defined
    rounded: np.ndarray

    @property
    def true_error(self) -> np.ndarray:
        """The paper's trueErr: between the value to two decimals and the literal."""
        return (self.rounded - self.literal) ** 2

    @property
    def fits(self) -> np.ndarray:
        return self.true_error < 1e-9

    @property
    def distance(self) -> np.ndarray:
        """The squared distance of each candidate from the number that was removed."""
        return (candidate_values() - self.removed) ** 2


class NumericScore(NamedTuple):
    """What one blank adds to the averages, for k = 1 to 10."""

    top_k_mse: np.ndarray
    top_k: np.ndarray


def candidate_values() -> np.ndarray:
    return np.array([float(candidate.symbol) for candidate in numeric_candidates()])


def _real_value(expression: Expression, valuation: Valuation) -> tuple[float, float]:
    """The value and its rounding to two decimals; NaN twice where it is undefined, not real or too large for that."""
    exact = exact_value(expression, valuation)
    rounded = None if exact is None else to_cents(exact)
    return (np.nan, np.nan) if rounded is None else (float(exact), float(rounded))


def truth(blank: Blank, valuation: Valuation) -> Truth:
    """The literal and the values of the blank's side for every candidate."""
    side = blank.path[0]
    values = [_real_value(blank.filled(candidate)[side], valuation) for candidate in numeric_candidates()]
    exact, rounded = np.array(values).T
    removed = literal_value(blank.removed)
    return Truth(literal_value(blank.other_side), np.nan if removed is None else removed, exact, rounded)


def numeric_ranking(identifier: str, values: np.ndarray, known: Truth) -> np.ndarray:
    """The indices of the candidates whose value is closest to the literal first; undefined ones are left out."""
    order = ordered(identifier, (values - known.literal) ** 2)
    return order[~np.isnan(known.exact[order])]


def numeric_score(order: np.ndarray, known: Truth) -> NumericScore:
    first = order[:LARGEST_K]
    return NumericScore(np.minimum.accumulate(known.distance[first]), np.logical_or.accumulate(known.fits[first]))


def random_numeric_score(known: Truth) -> NumericScore:
    """What a random ranking scores on average, exactly: the i-th closest is the best of k in C(n - i, k - 1) cases."""
    defined = ~np.isnan(known.exact)
    distances = np.sort(known.distance[defined])
    count, misfits = len(distances), int(np.sum(~known.fits[defined]))
    error, fits = [], []
    for k in range(1, LARGEST_K + 1):
        cases = comb(count, k)
        weights = [comb(count - rank, k - 1) / cases for rank in range(1, count + 1)]
        error.append(np.dot(weights, distances))
        fits.append(1 - comb(misfits, k) / cases)
    return NumericScore(np.array(error), np.array(fits))


def numeric_results(blanks: Mapping[str, Blank], decoded: Sequence[np.ndarray], known: Sequence[Truth]) -> dict:
    """The network's scores, and those of a perfect evaluator and of a random ranking."""

    def ranked(values):
        return [
            numeric_score(numeric_ranking(identifier, here, true), true)
            for identifier, here, true in zip(blanks, values, known, strict=True)
        ]

    scores, functions = ranked(decoded), [blank.equation[blank.path[0]].symbol for blank in blanks.values()]
    return {
        **summary(scores),
        "by_function": grouped(scores, functions),
        "perfect": summary(ranked([true.exact for true in known])),
        "random": summary([random_numeric_score(true) for true in known]),
    }
