"""Rankings of candidates and what they are worth: top-k accuracy and mean reciprocal rank (Figure 3a).

A blank counts as filled at k when one of the first k candidates makes the equation true, whether or not it is the
one that was removed. Candidates that leave the equation undefined, or too large to be judged, are not ranked.
"""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .candidates import Blank
from .truth import FALSE, TRUE

LARGEST_K = 10
DECIMALS = 6  # of everything that is written down

# How many of a blank's candidates are correct: the fewer, the harder it is to guess.
CORRECT_RANGES = ((1, 1), (2, 9), (10, 99), (100, None))


class Score(NamedTuple):
    """What one blank adds to the averages: whether it is filled at k = 1 to 10, and one over the first right rank."""

    filled: np.ndarray
    reciprocal_rank: float


def ordered(identifier: str, costs: np.ndarray) -> np.ndarray:
    """The indices of the candidates, the lowest cost first; ties are broken by a draw that the id seeds."""
    seed = int.from_bytes(hashlib.sha256(f"ties {identifier}".encode()).digest()[:8], "big")
    return np.lexsort((np.random.default_rng(seed).random(len(costs)), costs))


def ranking(identifier: str, values: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The indices of the candidates that are true or false, the highest value first."""
    order = ordered(identifier, -values)
    return order[np.isin(outcomes[order], (TRUE, FALSE))]


def ranked_score(order: np.ndarray, outcomes: np.ndarray) -> Score:
    """The score of a ranking in which there is something correct."""
    rank = 1 + int(np.argmax(outcomes[order] == TRUE))
    return Score(np.arange(1, LARGEST_K + 1) >= rank, 1 / rank)


def random_score(outcomes: np.ndarray) -> Score:
    """What a random ranking scores on average, exactly: P(none correct in the first k) = C(n - c, k) / C(n, k)."""
    correct, total = int(np.sum(outcomes == TRUE)), int(np.sum(np.isin(outcomes, (TRUE, FALSE))))
    drawn = np.arange(total - correct + 1)
    all_wrong = np.concatenate(([1.0], np.cumprod((total - correct - drawn) / (total - drawn))))  # first k, from k = 0
    first_right = all_wrong[:-1] - all_wrong[1:]  # at rank 1, 2, ...
    beyond = np.zeros(LARGEST_K)  # few candidates: nothing stays unfilled after the last of them
    filled = 1 - np.concatenate((all_wrong[1:], beyond))[:LARGEST_K]
    return Score(filled, float(np.sum(first_right / (drawn + 1))))


def summary(scores: Iterable[Score]) -> dict:
    """The averages over some blanks, ready to be stored."""
    scores = list(scores)
    top = np.mean([score.filled for score in scores], axis=0)
    reciprocal = float(np.mean([score.reciprocal_rank for score in scores]))
    return {
        "equations": len(scores),
        "top_k": [round(float(share), DECIMALS) for share in top],
        "mean_reciprocal_rank": round(reciprocal, DECIMALS),
    }


def _correct_range(outcomes: np.ndarray) -> str:
    correct = int(np.sum(outcomes == TRUE))
    low, high = next((low, high) for low, high in CORRECT_RANGES if high is None or correct <= high)
    return f"{low}" if low == high else f"{low} or more" if high is None else f"{low} to {high}"


def _grouped(scores: Sequence[Score], keys: Sequence[Hashable]) -> dict[str, dict]:
    """A summary for each value of the key, in order."""
    groups: dict[Hashable, list[Score]] = {}
    for key, score in zip(keys, scores, strict=True):
        groups.setdefault(key, []).append(score)
    by_number = sorted(groups, key=lambda key: int(str(key).split()[0]))
    return {str(key): summary(groups[key]) for key in by_number}


def report(blanks: Sequence[Blank], outcomes: Sequence[np.ndarray], scores: Sequence[Score]) -> dict:
    """All averages of one ranking: over everything, and by what may make a blank hard."""
    return {
        **summary(scores),
        "by_blank_height": _grouped(scores, [blank.removed.height for blank in blanks]),
        "by_blank_level": _grouped(scores, [blank.level for blank in blanks]),
        "by_equation_depth": _grouped(scores, [blank.equation.depth for blank in blanks]),
        "by_correct_candidates": _grouped(scores, [_correct_range(outcome) for outcome in outcomes]),
    }


def ranked_report(
    blanks: Mapping[str, Blank],
    outcomes: Sequence[np.ndarray],
    values: Callable[[Blank], np.ndarray] | Sequence[np.ndarray],
) -> dict:
    """The averages when candidates are ranked by these values, given for each blank or computed from it."""
    scores = []
    for index, (identifier, blank) in enumerate(blanks.items()):
        here = values(blank) if callable(values) else values[index]
        scores.append(ranked_score(ranking(identifier, here, outcomes[index]), outcomes[index]))
    return report(list(blanks.values()), outcomes, scores)
