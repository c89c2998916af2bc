"""Rankings of candidates and what they are worth: top-k accuracy and mean reciprocal rank (Figure 3a).

A blank counts as filled at k when one of the first k candidates makes the equation true, whether or not it is the
one that was removed. Candidates that leave the equation undefined, or too large to be judged, are not ranked.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .candidates import Blank
from .truth import FALSE, TRUE

LARGEST_K = 10
DECIMALS = 6  # of everything that is written down

# How many of a blank's candidates are correct: the fewer, the harder it is to guess.
CORRECT_RANGES = ((1, 1), (2, 9), (10, 99), (100, None))


class SymbolicScore(NamedTuple):
    """What one blank adds to the averages: whether it is filled at k = 1 to 10, and one over the first right rank."""

    top_k: np.ndarray
    mean_reciprocal_rank: float


def ordered(identifier: str, costs: np.ndarray) -> np.ndarray:
    """The indices of the candidates, the lowest cost first; ties are broken by a draw that the id seeds."""
    seed = int.from_bytes(hashlib.sha256(f"ties {identifier}".encode()).digest()[:8], "big")
    return np.lexsort((np.random.default_rng(seed).random(len(costs)), costs))


def ranking(identifier: str, values: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The indices of the candidates that are true or false, the highest value first."""
    order = ordered(identifier, -values)
    return order[np.isin(outcomes[order], (TRUE, FALSE))]


def ranked_score(order: np.ndarray, outcomes: np.ndarray) -> SymbolicScore:
    """The score of a ranking in which there is something correct."""
    rank = 1 + int(np.argmax(outcomes[order] == TRUE))
    return SymbolicScore(np.arange(1, LARGEST_K + 1) >= rank, 1 / rank)


def random_score(outcomes: np.ndarray) -> SymbolicScore:
    """What a random ranking scores on average, exactly: P(none correct in the first k) = C(n - c, k) / C(n, k)."""
    correct, total = int(np.sum(outcomes == TRUE)), int(np.sum(np.isin(outcomes, (TRUE, FALSE))))
    drawn = np.arange(total - correct + 1)
    all_wrong = np.concatenate(([1.0], np.cumprod((total - correct - drawn) / (total - drawn))))  # first k, from k = 0
    first_right = all_wrong[:-1] - all_wrong[1:]  # at rank 1, 2, ...
    beyond = np.zeros(LARGEST_K)  # few candidates: nothing stays unfilled after the last of them
    filled = 1 - np.concatenate((all_wrong[1:], beyond))[:LARGEST_K]
    return SymbolicScore(filled, float(np.sum(first_right / (drawn + 1))))


def _rounded(mean: np.ndarray | float) -> list[float] | float:
    return list(map(_rounded, mean)) if np.ndim(mean) else round(float(mean), DECIMALS)


def summary(scores: Sequence[NamedTuple]) -> dict:
    """The averages over some blanks, ready to be stored: of every field that a score has."""
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
    """All averages of one ranking: over everything, and by what may make a blank hard."""
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
