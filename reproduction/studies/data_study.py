"""Does function-evaluation data help? The paper's central claim, under conditions in which it may.

Under every condition a network is trained without the data and with them: same seeds, same splits, same symbolic
equations, same settings but for two. The weight of a squared error against a logistic loss has no counterpart without
data: several are tried, and dev chooses one for all seeds of a condition. And an epoch with data has more steps, the
fewer the equations the more: where that may tell, the twin without data is trained in three ways, two of them with as
many steps, and dev chooses one, too. Test scores choose nothing.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..rows import DATA, Row, by_seed, select
from ..training.configuration import BOTH, DECODE, VERIFY, Configuration, make_configuration
from .core import Case, DataSets, Plan, Study, generate_words, register_study

ALL_FUNCTIONS = "data-all"  # the data set that evaluates all functions
SHARES, FUNCTIONS, POSTER = "shares", "functions", "poster"
PARTS = {
    SHARES: "few and many symbolic equations, all evaluations",
    FUNCTIONS: "evaluations of all functions",
    POSTER: "the poster's reading: numeric equations are verified",
}
CELLS = ("tree-lstm", "tree-nn")
SPLITS = (GENERALIZATION, DEPTH_4_OUT)
WEIGHTS = (0.1, 0.3, 1.0, 3.0)

# Passes over so much of the symbolic equations: at least 2,000 steps each. Few equations are learned in small batches.
EPOCHS = {0.02: 600, 0.05: 400, 0.1: 250, 0.2: 150, 0.5: 150, 1.0: 100}
SMALL_BATCH, SMALL_SHARE = 64, 0.2
# How the twin without data is trained. Beside ten equations of the whole training part about one number is decoded.
SAME, SMALLER, LONGER = TWINS = ("same batches and epochs", "smaller batches", "more epochs")
NUMBERS_AN_EQUATION = 0.103


class Condition(NamedTuple):
    """Where a network with data is compared with its twin without."""

    part: str
    network: str  # the one without data
    split: str = GENERALIZATION
    fraction: float = 1.0  # of the symbolic equations; all evaluations stay
    task: str = DECODE
    weights: tuple[float, ...] = WEIGHTS
    twins: tuple[str, ...] = TWINS
    data: str = DATA

    def without(self, seed: int, epochs: int | None = None, twin: str = SAME) -> Configuration:
        """A training without data, for so many epochs if they are given."""
        settings: dict[str, Any] = {"epochs": epochs or EPOCHS[self.fraction]}
        settings |= {"batch_size": SMALL_BATCH} if self.fraction <= SMALL_SHARE else {}
        same = make_configuration(self.network, self.split, seed, fraction=self.fraction, **settings)
        more_steps = 1 + NUMBERS_AN_EQUATION / self.fraction
        return {
            SAME: same,
            SMALLER: replace(same, batch_size=max(1, round(same.batch_size / more_steps))),
            LONGER: replace(same, epochs=round(same.epochs * more_steps)),
        }[twin]

    def with_data(self, weight: float, seed: int, epochs: int | None = None) -> Configuration:
        """The training with data."""
        model = f"{self.network}+data"
        return replace(self.without(seed, epochs), model=model, numeric_weight=weight, numeric_task=self.task)

    def keys(self, place: int, way: str) -> dict:
        """Its coordinates; the place is its number among all conditions."""
        stated = {name: getattr(self, name) for name in ("part", "fraction", "task", "network")}
        return {**stated, "place": place, "way": way}


def conditions() -> list[Condition]:
    """All of them, in the order in which tables show them."""
    several = [Condition(SHARES, network, fraction=fraction) for network in CELLS for fraction in EPOCHS]
    several += [Condition(SHARES, network, DEPTH_4_OUT) for network in CELLS]
    for network in CELLS:
        several += [Condition(FUNCTIONS, network, fraction=fraction, data=ALL_FUNCTIONS) for fraction in (0.1, 1.0)]
        several.append(Condition(FUNCTIONS, network, DEPTH_4_OUT, data=ALL_FUNCTIONS))
        for split, task in ((split, task) for split in reversed(SPLITS) for task in (VERIFY, BOTH)):
            several.append(Condition(POSTER, network, split, task=task, weights=(1.0,), twins=(SAME,)))
    return several


def asked_conditions(arguments: Namespace) -> Iterator[tuple[int, Condition]]:
    """Those of the parts, shares and networks that are asked for, with these weights of theirs, by their numbers."""
    for place, each in enumerate(conditions()):
        kept = tuple(weight for weight in each.weights if weight in arguments.weights)
        is_asked = each.part in arguments.parts and each.fraction in arguments.shares
        if kept and is_asked and each.network in arguments.models:
            yield place, each._replace(weights=kept)


def plan(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next."""
    cases, epochs = [], arguments.epochs
    for seed in range(arguments.seeds):
        for place, each in asked_conditions(arguments):
            for twin in each.twins:
                cases.append(Case(each.without(seed, epochs, twin), each.keys(place, twin), each.data))
            for weight in each.weights:
                keys = {**each.keys(place, f"weight {weight:g}"), "numeric_weight": weight}
                cases.append(Case(each.with_data(weight, seed, epochs), keys, each.data))
    yield cases


def data_sets(arguments: Namespace) -> DataSets:
    """The data set that evaluates all functions, if a condition needs it."""
    if all(each.data == DATA for _, each in asked_conditions(arguments)):
        return {}
    return {ALL_FUNCTIONS: [*generate_words(arguments.data), "--evaluations=all"]}


# ------------------------------------------------------------------------------------------------ what dev chooses


class Comparison(NamedTuple):
    """What became of a condition: of both sides the way that dev chose, in the seeds of which all is finished."""

    condition: Row  # its coordinates
    without: dict[int, Row]  # by seed
    with_data: dict[int, Row]
    dev_accuracies: dict[str, float]  # the mean of each way


def comparisons(rows: Iterable[Row]) -> list[Comparison]:
    """Every condition that has results, in the order of the plan."""
    found: dict[int, list[Row]] = {}
    for row in rows:
        found.setdefault(row["place"], []).append(row)
    return [each for _, here in sorted(found.items()) if (each := _comparison(here))]


def _comparison(rows: Sequence[Row]) -> Comparison | None:
    ways = dict.fromkeys(row["way"] for row in rows)
    seeds = set.intersection(
        *({row["seed"] for row in select(rows, way=way) if "seed" in row} or _all(rows) for way in ways)
    )
    dev = {way: _mean_dev(select(rows, way=way), seeds) for way in ways}
    network = rows[0]["network"]
    sides = [[row for row in rows if (row["model"] == network) is is_without] for is_without in (True, False)]
    if not seeds or not all(sides):
        return None
    chosen = [max(dict.fromkeys(row["way"] for row in side), key=lambda way: dev[way]) for side in sides]
    without, with_data = (
        {row["seed"]: row for row in select(rows, way=way) if row.get("seed") in seeds} for way in chosen
    )
    names = ("part", "network", "split", "fraction", "task", DATA)
    return Comparison({name: rows[0][name] for name in names}, _sorted(without), _sorted(with_data), dev)


def _all(rows: Iterable[Row]) -> set[int]:
    """The seeds of any row, for a way of which only the mean is known."""
    return {row["seed"] for row in rows if "seed" in row}


def _mean_dev(rows: Sequence[Row], seeds: set[int]) -> float:
    known = [row["mean_dev_accuracy"] for row in rows if "mean_dev_accuracy" in row]
    return known[0] if known else fmean(value for seed, value in by_seed(rows, "dev_accuracy").items() if seed in seeds)


def _sorted(rows: dict[int, Row]) -> dict[int, Row]:
    return dict(sorted(rows.items()))


def options(parser: ArgumentParser) -> None:
    parts = f"only some of {', '.join(PARTS)}"
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=tuple(PARTS), metavar="PART", help=parts)
    shares = f"of the symbolic equations, only some of {', '.join(map(str, EPOCHS))}"
    parser.add_argument(
        "--shares", nargs="+", type=float, choices=tuple(EPOCHS), default=tuple(EPOCHS), metavar="SHARE", help=shares
    )
    weights = f"of the squared errors, only some of {', '.join(map(str, WEIGHTS))}"
    parser.add_argument(
        "--weights", nargs="+", type=float, choices=WEIGHTS, default=WEIGHTS, metavar="WEIGHT", help=weights
    )
    parser.add_argument("--models", nargs="+", choices=CELLS, default=CELLS, metavar="NAME", help="without data")


register_study(
    Study(
        "data-study",
        "train with and without function-evaluation data where they may help, and say whether they do",
        plan,
        options,
        smoke={
            "parts": (SHARES,),
            "shares": (0.5,),
            "weights": (1.0,),
            "models": ("tree-nn",),
            "epochs": 1,
            "seeds": 1,
        },
        data_sets=data_sets,
        seeds=5,
    )
)
