"""What makes the benchmark hard? Recipes on the way from `paper` to `hard`, one choice switched at a time.

Every rung keeps what the rungs before it switched. Its data set is made with the same seed and has the paper's size; a
TreeLSTM is trained on it with the same settings, and what needs no network is scored beside it.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..data import baselines
from ..data.baselines import BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO
from ..data.dataset import DEPTH_4_OUT, GENERALIZATION, load
from ..data.recipes import HARD, PAPER, Recipe, as_row
from ..data.splits import stored_split
from ..data.writing import sharing
from ..rows import DATA, FINGERPRINT, Row
from ..training.configuration import make_configuration
from .core import Case, DataSets, Plan, Study, add_choice, generate_words, made_with, register_study, split_seeds

MODEL, SPLITS, SEEDS = "tree-lstm", (GENERALIZATION, DEPTH_4_OUT), 3
BESIDE = (BAG_OF_SYMBOLS, LOOKUP, SYMPY_AUTO)
SYMPY_PROCESSES = 2


class Rung(NamedTuple):
    """A step of the ladder: what it switches to its value in `hard`, in words and as fields of the recipe."""

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


def recipes() -> Iterator[Recipe]:
    """The recipe of every rung, by its name."""
    recipe = PAPER
    for rung in RUNGS:
        names = [field.name for field in fields(Recipe)] if rung.name == HARD.name else rung.switched
        recipe = replace(recipe, **{name: getattr(HARD, name) for name in names})
        yield replace(recipe, name=rung.name)


def data_name(rung: str) -> str:
    """The directory of its data set, beside the rows."""
    return f"ladder/{rung}/data"


def data_sets(arguments: Namespace) -> DataSets:
    """A data set a rung; one that was made with another recipe, seed or size is replaced."""
    return {data_name(recipe.name): _words(arguments, recipe) for recipe in recipes() if recipe.name in arguments.rungs}


def _words(arguments: Namespace, recipe: Recipe) -> list[str]:
    directory = Path(arguments.runs) / data_name(recipe.name)
    path = directory.parent / f"{recipe.name}.json"
    artifacts.write_json(path, as_row(recipe))
    words = generate_words(arguments.data, **{"recipe": path, "split-seeds": split_seeds(arguments)})
    stated, found = made_with(arguments.data), made_with(directory)
    wanted = {"seed": stated.get("seed", 0), "recipe": as_row(recipe)}
    wanted |= {"numeric": stated["numeric"]} if "numeric" in stated else {}
    is_other = any(found.get(name) != value for name, value in wanted.items())
    has_too_few = found.get("split_seeds", 0) < split_seeds(arguments)
    return [*words, "--replace"] if found and (is_other or has_too_few) else words


def _coordinates(arguments: Namespace) -> dict[str, Row]:
    """The coordinates of every rung that is asked for, and how often the subtrees of its data are used."""
    found = {}
    for place, rung in enumerate(RUNGS):
        if rung.name in arguments.rungs:
            directory = Path(arguments.runs) / data_name(rung.name)
            uses = round(sharing(load(directory).symbolic), 2)
            keys = {"rung": rung.name, "place": place, "data_seed": made_with(directory).get("seed")}
            found[rung.name] = {**keys, "uses_of_a_distinct_subtree": uses}
    return found


def plan(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next."""
    yield [
        Case(make_configuration(MODEL, split, seed, epochs=arguments.epochs), keys, data_name(rung))
        for seed, (rung, keys), split in product(arguments.seeds, _coordinates(arguments).items(), SPLITS)
    ]


def beside(arguments: Namespace) -> Sequence[Row]:
    """What a bag of symbols, a lookup and Sympy score on the same test sets."""
    rows: list[Row] = []
    for rung, keys in _coordinates(arguments).items():
        directory = Path(arguments.runs) / data_name(rung)
        records = load(directory)
        cache = artifacts.CACHE / "sympy.sqlite"
        answers = baselines.ask_sympy(records.symbolic, cache, SYMPY_PROCESSES, simplifies=False)
        for split, seed in product(SPLITS, arguments.seeds):
            scores = baselines.split_scores(records, stored_split(records, directory, split, seed), answers)
            head = {"study": "ladder", "split": split, "seed": seed, DATA: data_name(rung), **keys}
            head[FINGERPRINT] = records.fingerprint
            rows += [{"model": name, **head, "accuracy": 100 * scores[name]["accuracy"]} for name in BESIDE]
    return rows


def options(parser: ArgumentParser) -> None:
    add_choice(parser, "rungs", (rung.name for rung in RUNGS))


text = "make data sets between the recipes paper and hard, and train a TreeLSTM on each"
smoke = {"rungs": (PAPER.name, HARD.name), "epochs": 1, "seeds": "1"}
register_study(Study("ladder", text, plan, options, smoke, data_sets=data_sets, beside=beside, seeds=SEEDS))
