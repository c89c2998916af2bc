"""Recipes: every choice of the generator by name. `paper` is section 2.2, `hard` a second, harder benchmark.

Section 2.2 says what is drawn "randomly" and leaves open how. `paper` draws evenly wherever that can be meant; what is
left was fixed by the fingerprints of the original's data (reproduction/paper.py), before any network saw the result.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from math import inf
from pathlib import Path
from typing import Final, Literal

from ..errors import InputError, excerpt
from ..language.grammar import TABLE_1_CONSTANTS
from ..shapes import read, shaped

KEEPING_STEPS = ("instantiate", "grow_sides", "mirror")  # beside rewrite
LOCAL_CHANGES = ("shrink_node", "replace_node", "grow_node")  # the fourth, grow_sides, keeps an equation as it was
VARIABLES = ("x", "y", "z")
EVENLY: Final = "evenly"
BY_FAMILY: Final = "by family"
BY_DEPTH: Final = "by depth"
KEPT: Final = "kept"


@dataclass(frozen=True)
class Recipe:
    """How equations are made. Shares are of 1; a node is drawn evenly from all of its equation."""

    name: str
    marks: tuple[str, ...]  # of the families of axioms that are used; "" are those without a mark
    # Where a step starts.
    from_axiom: float  # share of the steps that start from an axiom; the others start from a known equation
    axioms: Literal["evenly", "by family"]  # by family: the family first, then one of it
    sources: Literal["evenly", "by depth"]  # from the known equations within the limit; by depth: the depth first
    deepest_first: float  # share of the draws by depth that take the limiting depth, if it has any
    # What a step does.
    keeping: dict[str, float]  # shares of the steps that keep an equation as it was, by name; the others rewrite
    rules: Literal["evenly", "by family"]  # from all that match at the node
    fresh: Literal["kept", "drawn"]  # variables that only a rule's replacement has; drawn: terminals in their place
    largest_pattern: int  # nodes of a new equation's side that becomes a rule
    changes: tuple[str, ...]  # the local changes, drawn evenly
    changes_for_incorrect: float  # share of the steps to incorrect equations that change a correct one
    changes_for_correct: float  # share of the steps to correct equations that do so, and may keep it correct
    # What a step draws.
    functions: Literal["evenly", "by frequency"]  # from Table 1; by frequency: as the known equations have them
    grow_unary: float  # share of GrowNode's functions that are unary
    terminals: dict[str, float]  # with their weights
    instantiate_with_function: float = 0.0  # else with a terminal
    instantiate_with_unary: float = 0.0  # of those with a function
    # What is kept.
    identical: float = 1.0  # share of the equations with identical sides
    patience: int = 5000  # proposals in a row that bring nothing new, before the depth limit rises


PAPER = Recipe(
    name="paper",
    marks=("paper", "paper only"),
    from_axiom=0.35,
    axioms=EVENLY,
    sources=EVENLY,
    deepest_first=0.0,
    keeping={"grow_sides": 0.25},
    rules=EVENLY,
    fresh=KEPT,
    largest_pattern=7,
    changes=LOCAL_CHANGES,
    changes_for_incorrect=1.0,
    changes_for_correct=0.3,
    functions=EVENLY,
    grow_unary=25 / 28,
    terminals=dict.fromkeys((*TABLE_1_CONSTANTS, "x"), 1.0),
)
HARD = Recipe(
    name="hard",
    marks=("", "paper"),
    from_axiom=0.4,
    axioms=BY_FAMILY,
    sources=BY_DEPTH,
    deepest_first=0.6,
    keeping={"instantiate": 0.22, "grow_sides": 0.08, "mirror": 0.03},
    rules=BY_FAMILY,
    fresh="drawn",
    largest_pattern=7,
    changes=LOCAL_CHANGES,
    changes_for_incorrect=0.06,
    changes_for_correct=0.0,
    functions="by frequency",
    grow_unary=0.5,
    # Most equations are about few terminals, so that a function's value at them can be learned.
    terminals={
        "x": 10, "y": 1.5, "z": 0.3,
        "0": 2, "1": 3, "2": 2, "-1": 2, "1/2": 0.7, "4": 0.7, "pi": 0.7, "3": 0.5, "10": 0.3, "0.4": 0.15, "0.7": 0.15,
    },
    instantiate_with_function=0.8,
    instantiate_with_unary=0.95,
    identical=0.3,
)  # fmt: skip
RECIPES = {recipe.name: recipe for recipe in (PAPER, HARD)}


def read_recipe(name: str) -> Recipe:
    """The recipe of this name, or the one in the JSON file of this name; what it does not say is as in `paper`."""
    if name in RECIPES:
        return RECIPES[name]
    if not name.endswith(".json"):
        raise InputError(f"--recipe: {excerpt(name)!r} is neither {' nor '.join(RECIPES)} nor the name of a JSON file")
    path = Path(name)
    stated = read(dict, path)
    unknown = sorted(set(stated) - {field.name for field in fields(Recipe)})
    if unknown:
        raise InputError(f"{path}: {excerpt(unknown[0])} is no choice of a recipe")
    recipe = shaped(Recipe, {**as_row(PAPER), "name": path.stem, **stated}, path)
    for name, is_possible, words in _conditions(recipe):
        if not is_possible:
            raise InputError(f"{path}: {excerpt(name)} is {words}")
    return recipe


def as_row(recipe: Recipe) -> dict:
    """The recipe as JSON has it."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(recipe).items()}


def _conditions(recipe: Recipe) -> Iterator[tuple[str, bool, str]]:
    """What a recipe must fulfil to be followed: a field, whether it does, and what it is otherwise."""
    row = vars(recipe)
    shares = {name: value for name, value in row.items() if isinstance(value, float)}
    for name, share in {**shares, "the sum of keeping": sum(recipe.keeping.values())}.items():
        yield name, 0 <= share <= 1, f"{share:g}, not from 0 to 1"
    all_known = {"keeping": KEEPING_STEPS, "changes": LOCAL_CHANGES, "terminals": (*TABLE_1_CONSTANTS, *VARIABLES)}
    for name, known in all_known.items():
        for each in row[name]:
            yield f"{name}.{each}", each in known, f"unknown (known: {', '.join(known)})"
    for name in ("keeping", "terminals"):
        for each, weight in row[name].items():
            yield f"{name}.{each}", 0 <= weight < inf, f"{weight:g}, not a weight"
    has_number = any(weight for name, weight in recipe.terminals.items() if name not in VARIABLES)
    yield "terminals", has_number, "without a number that could be drawn"
    yield "changes", bool(recipe.changes), "empty"
    yield "patience", recipe.patience >= 1, f"{recipe.patience}, not at least 1"
