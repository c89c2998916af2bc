"""Does function-evaluation data help? The paper's central claim, under conditions in which it may.

Under every condition a network is trained without the data and with them: same seeds, same splits, same symbolic
equations, same settings but for two. The weight of a squared error against a logistic loss has no counterpart without
data: several are tried, and dev chooses one for all seeds of a condition. And an epoch with data has more steps, the
fewer the equations the more: where that may tell, the twin without data is trained in three ways, two of them with as
many steps, and dev chooses one, too. Test scores choose nothing.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from ..data.dataset import DEPTH_4_OUT, GENERALIZATION, SPLIT_TITLES
from ..measures import ACCURACY, MSE
from ..models import MODELS
from ..training.configuration import BOTH, DECODE, VERIFY, Configuration, make_configuration
from ..training.records import Verification
from ..training.run_directory import FinishedRun
from .study import compared_trial
from .trials import Data, Trial

REFERENCE, ALL_FUNCTIONS = "data", "data-all"  # the directories of two data sets; the second evaluates all functions
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
    model: str  # the one without data
    split: str = GENERALIZATION
    fraction: float = 1.0  # of the symbolic equations; all evaluations stay
    numeric_task: str = DECODE
    weights: tuple[float, ...] = WEIGHTS
    twins: tuple[str, ...] = TWINS
    data: str = REFERENCE

    def without(self, seed: int, epochs: int | None = None, twin: str = SAME) -> Configuration:
        """A training without data, for so many epochs if they are given."""
        settings = {"epochs": epochs or EPOCHS[self.fraction]}
        settings |= {"batch_size": SMALL_BATCH} if self.fraction <= SMALL_SHARE else {}
        same = make_configuration(self.model, self.split, seed, fraction=self.fraction, **settings)
        more_steps = 1 + NUMBERS_AN_EQUATION / self.fraction
        return {
            SAME: same,
            SMALLER: replace(same, batch_size=max(1, round(same.batch_size / more_steps))),
            LONGER: replace(same, epochs=round(same.epochs * more_steps)),
        }[twin]

    def with_data(self, weight: float, seed: int, epochs: int | None = None) -> Configuration:
        """The training with data."""
        settings = {"model": f"{self.model}+data", "numeric_weight": weight, "numeric_task": self.numeric_task}
        return replace(self.without(seed, epochs), **settings)


def conditions(
    parts: Iterable[str] = PARTS,
    shares: Collection[float] = tuple(EPOCHS),
    weights: Collection[float] = WEIGHTS,
    models: Collection[str] = CELLS,
) -> Iterator[Condition]:
    """Every condition of these parts, shares of the symbolic equations and models, with these weights of its own."""
    for each in _all_conditions():
        kept = tuple(weight for weight in each.weights if weight in weights)
        if kept and each.part in parts and each.fraction in shares and each.model in models:
            yield each._replace(weights=kept)


def _all_conditions() -> list[Condition]:
    several = [Condition(SHARES, model, fraction=fraction) for model in CELLS for fraction in EPOCHS]
    several += [Condition(SHARES, model, DEPTH_4_OUT) for model in CELLS]
    for model in CELLS:
        several += [Condition(FUNCTIONS, model, fraction=fraction, data=ALL_FUNCTIONS) for fraction in (0.1, 1.0)]
        several.append(Condition(FUNCTIONS, model, DEPTH_4_OUT, data=ALL_FUNCTIONS))
        for split, task in ((split, task) for split in reversed(SPLITS) for task in (VERIFY, BOTH)):
            several.append(Condition(POSTER, model, split, numeric_task=task, weights=(1.0,), twins=(SAME,)))
    return several


Key = tuple[Condition, float | str, int]  # a condition, a weight or how the twin without data is trained, a seed


def _trial(root: Path, data: Data, configuration: Configuration) -> Trial:
    title, split = MODELS[configuration.model].title, SPLIT_TITLES[configuration.split]
    share = f"{100 * configuration.fraction:g} % of the equations"
    return compared_trial(root, configuration, data, f"{title}, {split}, {share}, seed {configuration.seed}")


def trials(
    asked: Sequence[Condition], seeds: int, root: Path, data: Mapping[str, Data], epochs: int | None = None
) -> dict[Key, Trial]:
    """Every training, all of one seed before the next."""
    wanted: dict[Key, Configuration] = {}
    for seed in range(seeds):
        for each in asked:
            wanted |= {(each, twin, seed): each.without(seed, epochs, twin) for twin in each.twins}
            wanted |= {(each, weight, seed): each.with_data(weight, seed, epochs) for weight in each.weights}
    return {key: _trial(root, data[key[0].data], configuration) for key, configuration in wanted.items()}


def _numeric(run: FinishedRun) -> tuple[float | None, float | None]:
    """Per cent right of the numeric equations that are verified, and of them and the symbolic test equations together.

    With an unseen depth all numeric equations are for training or dev: those of dev stand in for those of test, as the
    epoch is not chosen by how they are verified.
    """
    scored = [part for part in (run.results.test, run.results.dev) if part.numeric]
    if not scored:
        return None, None
    numeric, symbolic = scored[0].numeric, run.results.test.symbolic
    hits, count = (sum(pair) for pair in zip(*map(_hits, (numeric, symbolic)), strict=True))
    return 100 * numeric.accuracy, 100 * hits / count


def _hits(scores: Verification) -> tuple[float, int]:
    count = sum(depth.count for depth in scores.by_depth.values())
    return scores.accuracy * count, count


def _dev(runs: Iterable[FinishedRun]) -> list[float]:
    return [run.results.dev.measures[ACCURACY] for run in runs]


def _row(condition: Condition, runs: Mapping[Key, FinishedRun], seeds: int) -> dict | None:
    """What became of a condition, in the seeds of which all trainings are finished; None without any."""
    asked = (*condition.twins, *condition.weights)
    done = [seed for seed in range(seeds) if all((condition, each, seed) in runs for each in asked)]
    if not done:
        return None
    found = {each: [runs[condition, each, seed] for seed in done] for each in asked}
    on_dev = {each: fmean(_dev(found[each])) for each in asked}
    twin, weight = (max(several, key=on_dev.get) for several in (condition.twins, condition.weights))
    without, chosen = found[twin], found[weight]
    numeric, together = zip(*map(_numeric, chosen), strict=True)
    stated = {name: getattr(condition, name) for name in ("part", "model", "split", "fraction", "numeric_task", "data")}
    return {
        **stated,
        "epochs": without[0].configuration.epochs,
        "batch_size": without[0].configuration.batch_size,
        "dev_accuracy_by_weight": {str(each): on_dev[each] for each in condition.weights},
        "dev_accuracy_by_twin": {each: on_dev[each] for each in condition.twins},
        "weight": weight,
        "twin": twin,
        "seeds": done,
        "dev_without": _dev(without),
        "dev_with": _dev(chosen),
        "without": [run.measures()[ACCURACY] for run in without],
        "with": [run.measures()[ACCURACY] for run in chosen],
        "mse": [run.measures().get(MSE) for run in chosen],
        "numeric_accuracy": list(numeric),
        "together_accuracy": list(together),
    }


def summary(asked: Sequence[Condition], seeds: int, runs: Mapping[Key, FinishedRun], data: Mapping[str, Data]) -> dict:
    """Everything that the table and the figure are made of: a row a condition, lists by seed, per cent."""
    rows = (_row(condition, runs, seeds) for condition in asked)
    return {
        "data_fingerprints": {name: each.fingerprint for name, each in data.items()},
        "rows": [row for row in rows if row],
    }
