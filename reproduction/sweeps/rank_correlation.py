"""Spearman's rank correlation, with mean ranks for ties."""

from collections.abc import Sequence

import numpy as np


def _ranks(values: Sequence[float]) -> np.ndarray:
    """The rank of every value from 0; equal values have the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts + ends - 1) / 2)[places]


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """From -1 to 1: how alike two numbers of each pair rank the pairs; None where one of them ranks nothing."""
    ranks = [_ranks(column) for column in zip(*pairs, strict=True)]
    if any(len(set(column.tolist())) < 2 for column in ranks) or not ranks:
        return None
    return float(np.corrcoef(*ranks)[0, 1])
