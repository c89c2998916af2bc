"""What the summary of an ablation says: the best settings of every optimizer, how sensitive it is, what diverged."""

from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

from ..networks.optimizer_traits import OPTIMIZERS
from .ablation import GRID, TUNED, TUNING, Regime
from .study import Score


class View(NamedTuple):
    """One of the comparisons that are shown: the paper's grid or tuned rates, at a batch size."""

    part: str
    batch_size: int


class Entry(NamedTuple):
    """An optimizer with the settings that did best on dev, and its rows, one a seed."""

    optimizer: str
    learning_rate: float | None
    momentum: float | None
    rows: tuple[dict, ...]

    @property
    def dev_accuracies(self) -> dict[int, float]:
        return {row["seed"]: row["dev_accuracy"] for row in self.rows}

    @property
    def score(self) -> Score:
        """Over seeds: whether none diverged, and the mean."""
        return Score(all(row["diverged"] is None for row in self.rows), fmean(self.dev_accuracies.values()))

    @property
    def rank(self) -> tuple[int, Score]:
        """What was chosen has more seeds than what was only tried."""
        return len(self.rows), self.score


def regimes_of(content: dict) -> tuple[Regime, ...]:
    """The regimes of a summary; older ones have a single batch size, with the paper's grid."""
    if "regimes" in content:
        return tuple(Regime(**regime) for regime in content["regimes"])
    return (Regime(content["batch_size"], content["epochs"], content["tuning_epochs"], True),)


def rows_of(content: dict, view: View) -> Iterator[dict]:
    only = regimes_of(content)[0].batch_size  # of rows that do not say
    return (
        row for row in content["rows"] if (row["part"], row.get("batch_size", only)) == (view.part, view.batch_size)
    )


def entries(content: dict, view: View) -> tuple[Entry, ...]:
    """The entry of every optimizer that was trained with all seeds, in the paper's order."""
    groups: dict[tuple, list[dict]] = {}
    for row in rows_of(content, view):
        groups.setdefault((row["optimizer"], row["learning_rate"], row["momentum"]), []).append(row)
    candidates = [Entry(*key, tuple(rows)) for key, rows in groups.items()]
    by_optimizer = ([entry for entry in candidates if entry.optimizer == name] for name in OPTIMIZERS)
    return tuple(max(group, key=lambda entry: entry.rank) for group in by_optimizer if group)


def views(content: dict) -> tuple[View, ...]:
    """What is shown, if any of its trials succeeded: the grid first, then tuned rates by batch size."""
    found = [View(part, regime.batch_size) for part in (GRID, TUNED) for regime in regimes_of(content)]
    return tuple(view for view in found if any(rows_of(content, view)))


def ranking(content: dict, view: View) -> tuple[Entry, ...]:
    """Optimizers from the best to the worst, by the mean over seeds on dev."""
    return tuple(sorted(entries(content, view), key=lambda entry: entry.score, reverse=True))


def tried_rates(content: dict, batch_size: int) -> dict[str, list[dict]]:
    """The trials with which rates were tuned, by optimizer, from the lowest rate to the highest."""
    found: dict[str, list[dict]] = {}
    for row in rows_of(content, View(TUNING, batch_size)):
        found.setdefault(row["optimizer"], []).append(row)
    known = {name: sorted(rows, key=lambda row: row["learning_rate"]) for name, rows in found.items()}
    return {name: known[name] for name in OPTIMIZERS if name in known}


def diverged(content: dict) -> list[dict]:
    """Every trial whose loss stopped being a number."""
    return [row for row in content["rows"] if row["diverged"] is not None]
