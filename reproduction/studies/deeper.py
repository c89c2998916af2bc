"""Deeper than the paper: learn from depths 1 to 7, test on depths 8 to 13, as its follow-up does (arXiv 1911.01545).

The data set has a recipe of its own. Where a step starts from any known equation with equal chances, it nearly always
takes a shallow one, and beyond depth 10 hardly any incorrect equation is found. So the depth is drawn first, then an
equation of that depth. The rate of every network is chosen on dev, which has the depths that are learned from; no score
on test chooses anything.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .. import artifacts
from ..data import baselines
from ..data.dataset import DEEPER, Dataset, load, load_unsure
from ..data.manifest import read_manifest
from ..data.recipes import BY_DEPTH, PAPER, as_row
from ..data.splits import stored_split
from ..data.writing import STATISTICS
from ..models import MODELS
from ..rows import DATA, FINGERPRINT, Row
from ..training.configuration import make_configuration
from .core import Case, DataSets, Plan, Study, add_choice, best_first, register_study, split_seeds

NAME, DATA_NAME, GENERATOR = "deeper", "data-deeper", "generator"
RECIPE = replace(PAPER, name=NAME, sources=BY_DEPTH, patience=20_000)
DATA_SEED, SPLIT_SEEDS, SEEDS = 1, 5, 3
COUNTS = {1: 32, 2: 1968, **dict.fromkeys(range(3, 8), 2000), **dict.fromkeys(range(8, 14), 400)}
NETWORKS = ("tree-nn", "tree-lstm", "tree-smu", "transformer")  # those of them that there are
RATES = (0.5, 1.0)  # as shares of the network's own
EPOCHS = {"tree-nn": 60, "tree-lstm": 60}  # to save time; other networks have their own
PARTS = TUNING, TRAINED = "tuning", "trained"  # what a training is for
SYMPY_PROCESSES = 2


def data_sets(arguments: Namespace) -> DataSets:
    """The data set of all depths."""
    recipe = artifacts.CACHE / f"{NAME}.json"
    artifacts.write_json(recipe, as_row(RECIPE))
    share = 0.02 if artifacts.IS_SMOKE else 1
    counts = [f"{depth}={max(2, round(share * count))}" for depth, count in COUNTS.items()]
    splits = max(SPLIT_SEEDS, split_seeds(arguments))
    size = [f"--seed={DATA_SEED}", "--scale=tiny", f"--split-seeds={splits}"]
    return {DATA_NAME: ["generate", f"--recipe={recipe}", *size, "--counts", *counts]}


def plan(arguments: Namespace) -> Plan:
    """First the rates of every network, with seed 0; then all seeds at the rate that is best on dev."""

    def case(model: str, rate: float, seed: int, part: str) -> Case:
        epochs = arguments.epochs or EPOCHS.get(model)
        asked = make_configuration(model, DEEPER, seed, learning_rate=rate, epochs=epochs)
        return Case(asked, {"part": part, "learning_rate": rate}, DATA_NAME)

    models = dict.fromkeys(arguments.models)
    tried = [(model, share * make_configuration(model, DEEPER, 0).learning_rate) for model in models for share in RATES]
    rows = yield [case(*each, 0, TUNING) for each in tried]
    rates = dict(reversed(best_first(dict(zip(tried, rows, strict=True)))))  # of each network the best comes last
    yield [case(model, rates[model], seed, TRAINED) for seed in arguments.seeds for model in models if model in rates]


def beside(arguments: Namespace) -> Sequence[Row]:
    """What a majority, a bag of symbols and a lookup score, and how the equations of each depth were made."""
    directory = Path(arguments.runs) / DATA_NAME
    dataset = load(directory)
    head = {"study": NAME, "split": DEEPER, DATA: DATA_NAME, FINGERPRINT: dataset.fingerprint}
    train, test = baselines.symbolic_parts(dataset, stored_split(dataset, directory, DEEPER, 0))
    scores = {name: baselines.score(method(train, test), test) for name, method in baselines.METHODS.items()}
    scores[baselines.MAJORITY_OF_COLUMN] = baselines.majority_of_column(test)
    rows = [{**head, "model": name, "part": TRAINED, "seed": 0, **_per_cent(each)} for name, each in scores.items()]
    return rows + [{**head, "model": GENERATOR, **made} for made in _made(directory, dataset)]


def _per_cent(scores: dict) -> Row:
    by_depth = {f"depth_{depth}": 100 * each["accuracy"] for depth, each in scores["by_depth"].items()}
    return {"accuracy": 100 * scores["accuracy"], **by_depth}


def _made(directory: Path, dataset: Dataset) -> Iterator[Row]:
    """Of each depth how many equations there are, are missing or unsettled, and Sympy's seconds; then of all depths."""
    found = read_manifest(directory).json(dict, STATISTICS)
    judged = [*(record for record in dataset.symbolic if record.label), *load_unsure(directory)]
    answers = baselines.ask_sympy(judged, artifacts.CACHE / "sympy.sqlite", SYMPY_PROCESSES)
    seconds = baselines.seconds_per_equation(judged, answers)
    for depth, counts in found["symbolic"]["by_depth"].items():
        unsure = sum(found["unsure"]["by_depth"].get(depth, {}).values())
        missing = found["shortfall"].get(depth, {}).get("total", 0)
        own = {"unsure": unsure, "missing": missing, "sympy_seconds": seconds.get(depth, {}).get("simplify")}
        yield {"part": int(depth), **counts, **own}
    yield {"judged": sum(found["verdicts_on_rewritten"].values()), "unsure": found["unsure"]["total"]}


def options(parser: ArgumentParser) -> None:
    add_choice(parser, "models", [name for name in NETWORKS if name in MODELS])


register_study(
    Study(
        NAME,
        "train on depths 1 to 7 and test on depths 8 to 13, with the follow-up's stack cell among the networks",
        plan,
        options,
        smoke={"models": ("tree-smu",), "epochs": 1, "seeds": "1"},
        data_sets=data_sets,
        beside=beside,
        seeds=SEEDS,
    )
)
