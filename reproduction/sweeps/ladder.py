"""What makes the benchmark hard? Recipes on the way from `paper` to `hard`, one choice switched at a time.

Every rung keeps what the rungs before it switched. Its data set is made with the same seed and has the paper's size; a
TreeLSTM is trained on it with the same settings, and what needs no network is scored beside it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..data.baselines import BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO
from ..data.dataset import DEPTH_4_OUT, GENERALIZATION
from ..data.generation.recipes import HARD, PAPER, Recipe
from ..measures import ACCURACY
from ..training.configuration import make_configuration
from ..training.run_directory import FinishedRun
from .trials import Data, Trial

MODEL, SPLITS, SEEDS = "tree-lstm", (GENERALIZATION, DEPTH_4_OUT), 3
BESIDE = (BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO)


class Rung(NamedTuple):
    """A step of the ladder: what it switches to as in `hard`, in words and as fields of the recipe."""

    name: str
    words: str
    switched: tuple[str, ...] = ()


# In the order in which they are switched; the last rung switches whatever is left.
RUNGS = (
    Rung(PAPER.name, "the paper's recipe"),
    Rung("all-axioms", "axioms of all functions", ("marks",)),
    Rung(
        "instantiation",
        "variables are instantiated, sides mirrored",
        ("keeping", "instantiate_with_function", "instantiate_with_unary", "fresh"),
    ),
    Rung("families", "families are drawn before axioms and rules", ("axioms", "rules")),
    Rung("frequency", "functions and terminals drawn by frequency", ("functions", "grow_unary", "terminals")),
    Rung("rewritten", "incorrect equations are rewritten", ("changes_for_incorrect", "changes_for_correct")),
    Rung(HARD.name, "all the rest: how sources are drawn, what is kept"),
)


def recipes() -> dict[Rung, Recipe]:
    """The recipe of every rung."""
    made, recipe = {}, PAPER
    for rung in RUNGS:
        names = [field.name for field in fields(Recipe)] if rung.name == HARD.name else rung.switched
        recipe = replace(recipe, **{name: getattr(HARD, name) for name in names})
        made[rung] = replace(recipe, name=rung.name)
    return made


def data_directory(root: Path, rung: Rung) -> Path:
    return Path(root) / rung.name / "data"


Key = tuple[Rung, str, int]  # rung, split and seed


def trials(root: Path, data: Mapping[Rung, Data], seeds: int, epochs: int | None = None) -> dict[Key, Trial]:
    """Every training, all of one seed before the next."""
    return {
        (rung, split, seed): _trial(artifacts.resolved(root) / rung.name, rung, here, split, seed, epochs)
        for seed in range(seeds)
        for rung, here in data.items()
        for split in SPLITS
    }


def _trial(place: Path, rung: Rung, data: Data, split: str, seed: int, epochs: int | None) -> Trial:
    name = f"{MODEL}-{split}-{seed}"
    return Trial(f"{rung.name}, {name}", place / name, make_configuration(MODEL, split, seed, epochs=epochs), data)


class Beside(NamedTuple):
    """What is known of a rung's data without a network."""

    fingerprint: str
    scores: dict[str, dict[int, dict[str, float]]]  # per cent right by split, seed and approach
    uses_of_a_subtree: float


def row(rung: Rung, beside: Beside, runs: Mapping[Key, FinishedRun], seeds: Iterable[int]) -> dict:
    """A rung as the summary keeps it; lists have an entry a seed, in per cent."""
    done = {split: [seed for seed in seeds if (rung, split, seed) in runs] for split in SPLITS}
    return {
        "rung": rung.name,
        "words": rung.words,
        "switched": list(rung.switched),
        "data_fingerprint": beside.fingerprint,
        "uses_of_a_distinct_subtree": beside.uses_of_a_subtree,
        "splits": {
            split: {
                "seeds": done[split],
                "dev": [runs[rung, split, seed].results.dev.measures[ACCURACY] for seed in done[split]],
                MODEL: [runs[rung, split, seed].measures()[ACCURACY] for seed in done[split]],
                **{name: [beside.scores[split][seed][name] for seed in done[split]] for name in BESIDE},
            }
            for split in SPLITS
        },
    }
