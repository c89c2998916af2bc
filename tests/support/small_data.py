"""Small data sets and models for the tests of the networks."""

from pathlib import Path
from random import Random

import numpy as np

from reproduction.data.dataset import Dataset, Record, Vocabulary
from reproduction.data.writing import write_dataset
from reproduction.language.expression import Expression, apply, constant, number, variable
from reproduction.language.grammar import FUNCTIONS, TABLE_1_FUNCTIONS
from reproduction.language.parsing import parse_equation
from reproduction.networks.tree_model import TreeModel

ALL_FUNCTIONS = TABLE_1_FUNCTIONS
FEW_FUNCTIONS = ("sin", "cos", "exp", "+", "*", "^")
SYMBOLS = ("0", "1", "2", "-1", "pi", "x", "y")
LEAVES = (*map(constant, SYMBOLS[:5]), variable("x"), variable("y"), number("0.5"), number("2.25"))
SYMBOLIC = (
    ("x = x", 1), ("x = y", 0), ("1 = 2", 0), ("x + y = y + x", 1), ("x * 1 = x", 1), ("x + 1 = x", 0),
    ("cos(x) = sin(x)", 0), ("exp(0) = 1", 1), ("sin(x)^2 + cos(x)^2 = 1", 1), ("tan(x) = sin(x) / cos(x)", 1),
    ("tan(x) = cos(x) / sin(x)", 0), ("(x + 1) * 2 = x * 2 + 2", 1), ("sin(2 * x) = 2 * (sin(x) * cos(x))", 1),
    ("sin(2 * x) = 2 * (sin(x) + cos(x))", 0), ("sinh(x)^2 + 1 = cosh(x)^2", 1), ("sinh(x)^2 = cosh(x)^2", 0),
)  # fmt: skip


def random_tree(random: Random, height: int, functions=FEW_FUNCTIONS, leaves=LEAVES) -> Expression:
    """A tree of at most this height, with subtrees that occur again and again."""
    if height == 0 or random.random() < 0.15:
        return random.choice(leaves)
    name = random.choice(functions)
    return apply(name, *(random_tree(random, height - 1, functions, leaves) for _ in range(FUNCTIONS[name].arity)))


def small_model(
    cell: str = "tree-lstm", functions=ALL_FUNCTIONS, hidden: int = 5, dtype="float64", **options
) -> TreeModel:
    """A model, in double precision if nothing else is said, with weights and biases large enough to tell mistakes."""
    model = TreeModel(Vocabulary(functions, SYMBOLS), hidden, cell, dtype=dtype, **options)
    model.flat.data[:] = np.random.default_rng(3).normal(0, 0.5, len(model.flat))
    return model


def small_dataset(copies: int = 6) -> Dataset:
    """A few equations in several variables, and a few evaluations, right and wrong."""
    symbolic = []
    for copy in range(copies):
        for text, label in SYMBOLIC:
            name = "xyzabcd"[copy] if "y" not in text else "x"
            equation = parse_equation(text.replace("exp", "EXP").replace("x", name).replace("EXP", "exp"))
            symbolic.append(Record(f"s{len(symbolic)}", equation, label, "symbolic", equation.depth, "made up"))
    numeric = []
    for index in range(24):
        value, label = index / 10 + 0.01, 1 - index % 4 // 3
        shown = round(float(np.sin(value)), 2) + (0 if label else 0.3)
        equation = parse_equation(f"sin({value:.2f}) = {shown:.2f}")
        numeric.append(Record(f"n{index}", equation, label, "evaluation", equation.depth, "made up"))
    return Dataset(tuple(symbolic), tuple(numeric), "made up")


def write_small_dataset(directory: Path, copies: int = 6) -> None:
    """The files of a data set with one seed of every split."""
    dataset = small_dataset(copies)
    write_dataset(directory, dataset.symbolic, dataset.numeric, (), None, split_seeds=1, seed=0)
