"""What a network answers, as records; numbers are the network's own, texts are what a person typed or would type."""

from typing import NamedTuple


class Verification(NamedTuple):
    """Whether an equation holds: the probability that the network gives it, and what it should be read with."""

    equation: str
    probability: float
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The network's opinion in a word."""
        return "correct" if self.probability >= 0.5 else "incorrect"


class Filling(NamedTuple):
    """One candidate for a blank: an expression with its probability, or a number with what it is decoded to."""

    expression: str
    equation: str  # with the blank filled
    correct: bool | None  # whether ball arithmetic agrees at every sample point; of numbers, to two decimals
    probability: float | None = None
    value: float | None = None  # what the network makes of the side with the blank
    true: float | None = None  # and what it is
    model_error: float | None = None  # the squared differences of both from the number that is wanted
    true_error: float | None = None


class Completion(NamedTuple):
    """The best candidates for the blank of an equation, the best first."""

    equation: str
    fillings: tuple[Filling, ...]
    correct_candidates: int  # among all that were ranked
    notes: tuple[str, ...] = ()


class Evaluation(NamedTuple):
    """An expression without variables as a number: the network's, and the true one if it is defined and real."""

    expression: str
    value: float
    true: float | None
    notes: tuple[str, ...] = ()


class Node(NamedTuple):
    """A subtree of an equation and what the network makes of it."""

    path: tuple[int, ...]  # of child indices from "="; the first is the side
    text: str
    mathml: str
    symbol: str  # of its root
    value: float | None  # decoded, by networks that decode, where there is no variable
    true: float | None  # where it is defined, real and without a variable
    probability: float  # that it equals the whole other side


class Tree(NamedTuple):
    """Every node of both sides, parents before children, left before right."""

    equation: str
    nodes: tuple[Node, ...]
    notes: tuple[str, ...] = ()
