"""Successive halving: many configurations for a few epochs, and the best share of them for more, again and again."""

from collections.abc import Hashable, Mapping
from typing import NamedTuple, TypeVar

Name = TypeVar("Name", bound=Hashable)


class Rung(NamedTuple):
    """So many configurations, trained for so many epochs each."""

    count: int
    epochs: int


def rungs(count: int, most_epochs: int, fewest_epochs: int, factor: int) -> tuple[Rung, ...]:
    """From all configurations at few epochs to a few at the most: counts fall and epochs grow by the factor."""
    epochs = [most_epochs]
    while epochs[0] // factor >= fewest_epochs and count >= factor ** len(epochs):
        epochs.insert(0, epochs[0] // factor)
    return tuple(Rung(count // factor**place, each) for place, each in enumerate(epochs))


class Score(NamedTuple):
    """What configurations are ranked by: one that diverged is worse than any that did not."""

    converged: bool
    dev_accuracy: float


def best(scores: Mapping[Name, Score], count: int) -> tuple[Name, ...]:
    """The names of so many of the best, best first; equal ones in the order in which they were given."""
    return tuple(sorted(scores, key=lambda name: scores[name], reverse=True)[:count])
