"""Measures: the name in files, the title for people, the unit, and which direction is better."""

from typing import NamedTuple


class Measure(NamedTuple):
    """One score; accuracies and other shares are in per cent, errors in their own unit."""

    name: str
    title: str
    unit: str = " %"
    decimals: int = 2
    lower_is_better: bool = False

    @property
    def sign(self) -> int:
        """+1 if higher is better, else −1."""
        return -1 if self.lower_is_better else 1

    def text(self, value: float) -> str:
        return f"{value:.{self.decimals}f}{self.unit}"


def _error(name: str, title: str) -> Measure:
    return Measure(name, title, unit="", decimals=3, lower_is_better=True)


ACCURACY, PRECISION, RECALL = (Measure(name, name) for name in ("accuracy", "precision", "recall"))
EVALUATION_ACCURACY = Measure("evaluation_accuracy", "accuracy of evaluations")
MSE, MSE_ALL = _error("mse", "MSE"), _error("mse_all", "MSE of all numeric equations")
# Completion: the share of blanks that one of the first k guesses fills rightly, and the smallest error among them.
TOP_K = tuple(Measure(f"top_{k}", f"k = {k}") for k in range(1, 11))
TOP_K_MSE = tuple(_error(f"top_{k}_mse", f"k = {k}") for k in range(1, 11))


def depth_measure(depth: int) -> Measure:
    """The accuracy on equations of one depth."""
    return Measure(f"depth_{depth}", f"accuracy at depth {depth}")
