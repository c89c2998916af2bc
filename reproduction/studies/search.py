"""A search over the settings of one network, judged on dev alone: grid, random, and successive halving.

All three are rounds of trainings (a grid is one round): many points for a few epochs, and the best share of them for
more, again and again. A training of a later round goes on from the checkpoint of the round before and has the results
of one from the beginning; where its rate follows a schedule over all epochs, it begins anew.
"""

import random
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ..data.dataset import GENERALIZATION, SPLIT_NAMES
from ..errors import InputError
from ..models import MODELS
from ..options import place, positive_integer, whole_number
from ..rows import Row
from ..training.configuration import LARGEST_SEED, MOST_EPOCHS, PAPER, Configuration, make_configuration
from .core import Case, Plan, Study, register_study
from .search_space import PAPER_SPACE, Point, Space, applicable, configuration, read_space

GRID, RANDOM, HALVING = METHODS = ("grid", "random", "halving")
SEARCH, COMPARED = "search", "compared"  # parts: what is searched, and what its best is compared with
PAPERS_BEST, OUR_DEFAULTS = "the paper's best", "our defaults"
# Section 4: "Most of the networks achieved their best performance using Adam …"; the other two varied.
PAPERS_SETTINGS: Point = (
    ("hidden", 50), ("optimizer", "adam"), ("dropout", 0.2), ("learning_rate", 1e-3), ("l2", 1e-5),
)  # fmt: skip
# (epochs of the last round, fewest of the first), so that the whole space takes less than 40 minutes. An epoch of the
# paper's batches is twelve thousand steps; how alike the rounds rank the points is said in the tables. The RNN is
# unsteady: its dev accuracy goes up and down by more than points differ, and it takes the most epochs.
RNN_LENGTHS, LSTM_LENGTHS, OTHER_LENGTHS = (108, 12), (27, 3), (54, 6)
RANDOM_TRIALS = 20

Key = TypeVar("Key")


def lengths(model: str) -> tuple[int, int]:
    """The epochs of the last round and the fewest of the first."""
    return RNN_LENGTHS if model == "rnn" else LSTM_LENGTHS if MODELS[model].is_lstm else OTHER_LENGTHS


class Round(NamedTuple):
    """So many points, trained for so many epochs each."""

    points: int
    epochs: int


def rounds(count: int, most_epochs: int, fewest_epochs: int, factor: int) -> tuple[Round, ...]:
    """From all points at few epochs to a few at the most: counts fall and epochs grow by the factor."""
    epochs = [most_epochs]
    while epochs[0] // factor >= fewest_epochs and count >= factor ** len(epochs):
        epochs.insert(0, epochs[0] // factor)
    return tuple(Round(count // factor**number, each) for number, each in enumerate(epochs))


def score(row: Row) -> tuple[bool, float]:
    """What trainings are ranked by, on dev: one that diverged is worse than any that did not."""
    return row.get("diverged") is None, row["dev_accuracy"]


def best_first(rows: Mapping[Key, Row | None]) -> list[Key]:
    """The keys, the best row's first, without those that failed; equal ones in the order in which they were given."""
    found = {point: score(row) for point, row in rows.items() if row is not None}
    return sorted(found, key=lambda point: found[point], reverse=True)


class Search(NamedTuple):
    """What is searched, and how; trials is a number for random and halving, None for the whole space."""

    model: str
    split: str
    seed: int
    space: Space
    method: str
    trials: int | None
    epochs: int
    fewest_epochs: int
    factor: int
    preset: str | None = None  # what a point does not state; None for the network's defaults
    batch_size: int | None = None  # None for that of the preset or the network

    def points(self) -> tuple[Point, ...]:
        """The points to begin with, drawn at random where not all are wanted."""
        points = self.space.points()
        if self.method == GRID or self.trials is None or self.trials >= len(points):
            return points
        drawn = random.Random(self.seed).sample(points, self.trials)
        if PAPERS_SETTINGS in points and PAPERS_SETTINGS not in drawn:
            drawn[-1] = PAPERS_SETTINGS  # or the best of those tried would be less than what is known
        return tuple(drawn)

    def rounds(self) -> tuple[Round, ...]:
        count = len(self.points())
        if self.method != HALVING:
            return (Round(count, self.epochs),)
        return rounds(count, self.epochs, self.fewest_epochs, self.factor)

    def configuration(self, point: Point, epochs: int) -> Configuration:
        fixed: dict[str, Any] = {"batch_size": self.batch_size} if self.batch_size else {}
        return configuration(point, self.model, self.split, self.seed, epochs, self.preset, **fixed)

    def plan(self) -> Plan:
        """A round a rung; points that failed do not go on."""
        points, ladder = list(self.points()), self.rounds()
        earlier: dict[Point, Configuration] = {}
        for rung, each in enumerate(ladder):
            asked = points[: each.points]
            cases = [
                self._case(point, rung, number, each, earlier, each == ladder[-1]) for number, point in enumerate(asked)
            ]
            found = yield cases
            earlier = {point: case.configuration for point, case in zip(asked, cases, strict=True)}
            points = best_first(dict(zip(asked, found, strict=True)))
        yield self._compared()

    def _case(
        self, point: Point, rung: int, number: int, here: Round, earlier: Mapping[Point, Configuration], is_last: bool
    ) -> Case:
        wanted = self.configuration(point, here.epochs)
        is_constant = wanted.schedule == "constant"
        keys = {"part": SEARCH, "method": self.method, "in_space": len(self.space.points()), "rung": rung}
        keys |= {"place": number, "preset": self.preset, **self._stated(dict(point))}
        return Case(
            wanted, keys, earlier=earlier.get(point) if is_constant else None, is_continued=is_constant and not is_last
        )

    def _compared(self) -> list[Case]:
        """The paper's best settings and our defaults, with as many epochs as the last round."""
        fixed: dict[str, Any] = {"batch_size": self.batch_size} if self.batch_size else {}
        where = (self.model, self.split, self.seed)
        asked = {
            PAPERS_BEST: configuration(PAPERS_SETTINGS, *where, self.epochs, PAPER, **fixed),
            OUR_DEFAULTS: make_configuration(*where, epochs=self.epochs),
        }
        return [
            Case(wanted, {"part": COMPARED, "way": way, "place": number, **self._stated(self._of(wanted))})
            for number, (way, wanted) in enumerate(asked.items())
        ]

    def _of(self, wanted: Configuration) -> dict[str, Any]:
        """What a configuration has for the settings that the space varies."""
        names = dict.fromkeys((*(name for name, _ in self.space.values), "optimizer"))
        return dict(applicable(tuple((name, getattr(wanted, name)) for name in names)))

    def _stated(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of the space as coordinates, None for what the optimizer does not have."""
        return {name: point.get(name) for name, _ in self.space.values}


def asked_search(arguments: Namespace, model: str) -> Search:
    """The search of one network that the command line asks for."""
    epochs, fewest = lengths(model)
    epochs, fewest = arguments.epochs or epochs, arguments.fewest_epochs or min(fewest, arguments.epochs or fewest)
    if arguments.factor < 2:
        raise InputError(f"--factor {arguments.factor}: should be at least 2")
    if fewest > epochs:
        raise InputError(f"--fewest-epochs {fewest}: more than the {epochs} of the last trainings")
    space, preset = (read_space(arguments.space), None) if arguments.space else (PAPER_SPACE, PAPER)
    trials = arguments.trials or (RANDOM_TRIALS if arguments.method == RANDOM else None)
    asked = (arguments.split, arguments.seed, space, arguments.method, trials, epochs, fewest, arguments.factor)
    return Search(model, *asked, preset, arguments.batch_size)


def plan(arguments: Namespace) -> Plan:
    """One network after the other."""
    searches = [asked_search(arguments, model) for model in arguments.models]
    for search in searches:
        yield from search.plan()


def options(parser: ArgumentParser) -> None:
    models = tuple(reversed(MODELS))
    some = f"of the networks only some of {', '.join(models)}"
    parser.add_argument("--models", nargs="+", choices=models, default=models, metavar="NAME", help=some)
    space = "JSON or TOML, a list of values a setting (default: the paper's space)"
    parser.add_argument("--space", type=place, metavar="FILE", help=space)
    parser.add_argument("--method", choices=METHODS, default=HALVING, help="(default: halving)")
    drawn = f"draw so many points (default: all; for random {RANDOM_TRIALS})"
    parser.add_argument("--trials", type=positive_integer, metavar="N", help=drawn)
    fewest = "for halving: of the first trainings, at least (default: those of the network)"
    parser.add_argument("--fewest-epochs", type=whole_number(1, MOST_EPOCHS), metavar="N", help=fewest)
    factor = "for halving: one point in so many goes on, for so many times the epochs (default: 3)"
    parser.add_argument("--factor", type=positive_integer, default=3, metavar="N", help=factor)
    batch = "equations a batch (default: in the paper's space 1, else the network's own)"
    parser.add_argument("--batch-size", type=positive_integer, metavar="N", help=batch)
    parser.add_argument("--split", choices=SPLIT_NAMES, default=GENERALIZATION)
    seed = "of the draw, the split and the training (default: 0)"
    parser.add_argument("--seed", type=whole_number(0, LARGEST_SEED), default=0, metavar="N", help=seed)


register_study(
    Study(
        "search",
        "search the paper's space of settings, or your own, judged on dev",
        plan,
        options,
        smoke={"models": ("tree-lstm+data", "tree-nn+data"), "trials": 2, "epochs": 2, "fewest_epochs": 1, "factor": 2},
        replaces=("model", "split", "seed"),
        seeds=0,
    )
)
