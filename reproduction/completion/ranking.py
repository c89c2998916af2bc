"""Rankings of candidates and their scores: top-k accuracy and mean reciprocal rank (Figure 3a).

A blank counts as filled at k when one of the first k candidates makes the equation true, whether or not it is the
one that was removed. Candidates that leave the equation undefined, or too large to be judged, are not ranked; a blank
without a true candidate is never filled.

Numbers in function evaluations such as cos(-□) = -0.57 (Figure 3b) are ranked by the squared error between what the
network decodes and the literal. The top-k minimum error is the squared distance between the number that was removed and
the closest of the first k. Other numbers may fit as well (sin(□) = 0.6 has two, cos(□) = 1.00 many), so that even a
perfect evaluator does not score 0: its curve, and that of a random ranking, are stored beside the network's.

Guesses from elsewhere are scored like our rankings. A line of their file is a JSON object with the `id` of an equation
and up to ten `guesses`, the best first; each is a terminal or a function of terminals.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..data.dataset import Dataset, Record, Split
from ..data.export import prefix_tokens
from ..data.scores import Scored, Scores, refuse_missing, rows_of_file, wilson
from ..errors import InputError, excerpt
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, DIFFERS, examine
from ..language.expression import BLANK
from ..language.grammar import EXTRA_FUNCTIONS
from ..language.parsing import parse_expression
from ..measures import TOP_K
from .candidates import Blank, symbolic_blanks, symbolic_candidates
from .truth import FALSE, TRUE, Truth

LARGEST_K = 10
DECIMALS = 6  # of the averages

# How many of a blank's candidates are correct: the fewer, the harder it is to guess.
CORRECT_RANGES = ((0, 0), (1, 1), (2, 9), (10, 99), (100, None))


class SymbolicScore(NamedTuple):
    """The score of one blank: whether it is filled at k = 1 to 10, and one over the first right rank."""

    top_k: np.ndarray
    mean_reciprocal_rank: float


NEVER_FILLED = SymbolicScore(np.zeros(LARGEST_K, dtype=bool), 0.0)


class NumericScore(NamedTuple):
    """The score of one numeric blank, for k = 1 to 10."""

    top_k_mse: np.ndarray
    top_k: np.ndarray


def ordered(identifier: str, costs: np.ndarray) -> np.ndarray:
    """The indices of the candidates, the lowest cost first; ties are broken by a draw that the id seeds."""
    seed = int.from_bytes(hashlib.sha256(f"ties {identifier}".encode()).digest()[:8], "big")
    return np.lexsort((np.random.default_rng(seed).random(len(costs)), costs))


def ranking(identifier: str, values: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The indices of the candidates that are true or false, the highest value first."""
    order = ordered(identifier, -values)
    return order[np.isin(outcomes[order], (TRUE, FALSE))]


def ranked_score(order: np.ndarray, outcomes: np.ndarray) -> SymbolicScore:
    """The score of a ranking."""
    right = np.flatnonzero(outcomes[order] == TRUE)
    if not len(right):
        return NEVER_FILLED
    return SymbolicScore(np.arange(LARGEST_K) >= right[0], 1 / (1 + int(right[0])))


def random_score(outcomes: np.ndarray) -> SymbolicScore:
    """The expected score of a random ranking: P(none correct in the first k) = C(n - c, k) / C(n, k)."""
    correct, total = int(np.sum(outcomes == TRUE)), int(np.sum(np.isin(outcomes, (TRUE, FALSE))))
    if not correct:
        return NEVER_FILLED
    drawn = np.arange(total - correct + 1)
    all_wrong = np.concatenate(([1.0], np.cumprod((total - correct - drawn) / (total - drawn))))  # first k, from k = 0
    first_right = all_wrong[:-1] - all_wrong[1:]  # at rank 1, 2, ...
    beyond = np.zeros(LARGEST_K)  # few candidates: nothing stays unfilled after the last of them
    filled = 1 - np.concatenate((all_wrong[1:], beyond))[:LARGEST_K]
    return SymbolicScore(filled, float(np.sum(first_right / (drawn + 1))))


def _rounded(mean: np.ndarray | float) -> list[float] | float:
    if isinstance(mean, np.ndarray) and mean.ndim:
        return [round(float(value), DECIMALS) for value in mean]
    return round(float(mean), DECIMALS)


def summary(scores: Sequence[NamedTuple]) -> dict:
    """The averages of every field of the scores, rounded."""
    columns = zip(scores[0]._fields, zip(*scores, strict=True), strict=True)
    return {"equations": len(scores), **{name: _rounded(np.mean(column, axis=0)) for name, column in columns}}


def grouped(scores: Sequence[NamedTuple], keys: Sequence, order: Callable | None = None) -> dict[str, dict]:
    """A summary for each value of the key, in order."""
    groups: dict = {}
    for key, score in zip(keys, scores, strict=True):
        groups.setdefault(key, []).append(score)
    return {str(key): summary(groups[key]) for key in sorted(groups, key=order)}


def _correct_range(outcomes: np.ndarray) -> str:
    correct = int(np.sum(outcomes == TRUE))
    low, high = next((low, high) for low, high in CORRECT_RANGES if high is None or correct <= high)
    return f"{low}" if low == high else f"{low} or more" if high is None else f"{low} to {high}"


def report(blanks: Sequence[Blank], outcomes: Sequence[np.ndarray], scores: Sequence[SymbolicScore]) -> dict:
    """The averages of a ranking over all blanks, and by properties that may make a blank hard."""
    ranges = [_correct_range(here) for here in outcomes]
    return {
        **summary(scores),
        "by_blank_height": grouped(scores, [blank.removed.height for blank in blanks]),
        "by_blank_level": grouped(scores, [blank.level for blank in blanks]),
        "by_equation_depth": grouped(scores, [blank.equation.depth for blank in blanks]),
        "by_correct_candidates": grouped(scores, ranges, order=lambda text: int(text.split()[0])),
    }


def ranked_report(blanks: Mapping[str, Blank], outcomes: Sequence[np.ndarray], values: Iterable[np.ndarray]) -> dict:
    """The averages when the candidates of each blank are ranked by these values."""
    scores = [
        ranked_score(ranking(identifier, here, true), true)
        for identifier, true, here in zip(blanks, outcomes, values, strict=True)
    ]
    return report(list(blanks.values()), outcomes, scores)


def numeric_ranking(identifier: str, values: np.ndarray, known: Truth) -> np.ndarray:
    """The indices of the candidates whose value is closest to the literal first; undefined ones are left out."""
    order = ordered(identifier, (values - known.literal) ** 2)
    return order[~np.isnan(known.exact[order])]


def numeric_score(order: np.ndarray, known: Truth) -> NumericScore:
    first = order[np.minimum(np.arange(LARGEST_K), len(order) - 1)]  # where there are fewer, no guess is added
    return NumericScore(np.minimum.accumulate(known.distance[first]), np.logical_or.accumulate(known.fits[first]))


def random_numeric_score(known: Truth) -> NumericScore:
    """The expected score of a random ranking: the i-th closest is the best of k in C(n - i, k - 1) cases."""
    defined = ~np.isnan(known.exact)
    distances = np.sort(known.distance[defined])
    count, misfits = len(distances), int(np.sum(~known.fits[defined]))
    error, fits = [], []
    for k in (min(k, count) for k in range(1, LARGEST_K + 1)):
        cases = comb(count, k)
        weights = [comb(count - rank, k - 1) / cases for rank in range(1, count + 1)]
        error.append(np.dot(weights, distances))
        fits.append(1 - comb(misfits, k) / cases)
    return NumericScore(np.array(error), np.array(fits))


def numeric_results(blanks: Mapping[str, Blank], decoded: Sequence[np.ndarray], known: Sequence[Truth]) -> dict:
    """The network's scores, and those of a perfect evaluator and of a random ranking.

    A blank where the function is defined for no candidate has no ranking, and is left out.
    """
    rankable = [not np.isnan(true.exact).all() for true in known]
    blanks = dict(compress(blanks.items(), rankable))
    decoded, known = list(compress(decoded, rankable)), list(compress(known, rankable))

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


# ------------------------------------------------------------------------------------------------ guesses


class _Line(NamedTuple):
    id: str
    guesses: tuple[str, ...]


def exported_blanks(records: Iterable[Record]) -> list[dict]:
    """The blanks of symbolic equations, a row each, as `export` writes them."""
    return [
        {"id": name, "text": blank.text, "prefix": prefix_tokens(blank.filled(BLANK)), "latex": blank.latex}
        for name, blank in symbolic_blanks(records).items()
    ]


def read_guesses(path: Path) -> dict[str, tuple[str, ...]]:
    """The guesses of a JSON-lines file, .gz or plain, by the ids of equations."""
    return {identifier: line.guesses for identifier, line in rows_of_file(_Line, path).items()}


def guess_scores(guesses: Mapping[str, tuple[str, ...]], dataset: Dataset, split: Split, where: object) -> Scores:
    """The share of blanks that one of the first k guesses fills rightly, k from 1 to 10."""
    blanks = symbolic_blanks(dataset.by_id[identifier] for identifier in split.test)
    for identifier in guesses:
        if identifier not in blanks:
            raise InputError(f"{where}: no blank of this test part has the id {excerpt(identifier)!r}")
    refuse_missing(list(blanks), guesses, "blanks have no guesses", where)
    valuation = Valuation()
    ranks = [_rank(blank, guesses[name], dataset, valuation, f"{where}: {name}") for name, blank in blanks.items()]
    shares = {top: sum(rank <= k for rank in ranks) / len(ranks) for k, top in enumerate(TOP_K, 1)}
    return {top: Scored(100 * share, len(ranks), wilson(share, len(ranks))) for top, share in shares.items()}


def _rank(blank: Blank, guesses: tuple[str, ...], dataset: Dataset, valuation: Valuation, where: str) -> int:
    """The place of the first right guess; a large number if there is none."""
    candidates, expressions = symbolic_candidates(blank.variables, dataset.functions), []
    for text in guesses[: len(TOP_K)]:
        expressions.append(expression := parse_expression(text, EXTRA_FUNCTIONS))
        if expression not in candidates:
            allowed = "a constant, a variable of the equation, or a function of them"
            raise InputError(f"{where}: the guess {excerpt(text)!r} is no candidate ({allowed})")
    if len(set(expressions)) < len(expressions):
        raise InputError(f"{where}: a guess stands there twice")
    outcomes = [examine(blank.filled(each), valuation).outcome for each in expressions]
    judged = [outcome for outcome in outcomes if outcome in (AGREES, DIFFERS)]
    return 1 + judged.index(AGREES) if AGREES in judged else len(TOP_K) + 1
