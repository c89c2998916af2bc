"""`ladder`: data sets on the way from the recipe `paper` to `hard`, and what is scored on each."""

import argparse
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, check_writable, generate, refuse_to_lose, sympy_answers
from ..data import baselines
from ..data.dataset import load
from ..data.generation.recipes import Recipe, as_row
from ..data.splits import stored_split
from ..data.statistics import sharing
from ..errors import InputError
from ..report.stored import Ladder, stored
from ..report.sweeps import ladder_sweep, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.ladder import BESIDE, RUNGS, SEEDS, SPLITS, Beside, data_directory, recipes, row, trials
from ..sweeps.progress import exit_code, follow
from ..sweeps.study import finished_runs
from ..sweeps.trials import data_at

HELP = "make data sets between the recipes paper and hard, and train a TreeLSTM on each"
SYMPY_PROCESSES = 2


def add_arguments(parser) -> None:
    names = [rung.name for rung in RUNGS]
    some = f"only some of {', '.join(names)}; the summary has no others then"
    parser.add_argument("--rungs", nargs="+", choices=names, default=names, metavar="NAME", help=some)
    parser.add_argument("--scale", choices=generate.SCALES, default="full", help=generate.SCALE_HELP)
    add_options(parser, "seed", help="of the data sets (default: 0)")
    add_options(parser, "seeds", default=SEEDS, help=f"of the trainings, 0 to N-1 (default: {SEEDS})")
    add_options(parser, "runs", help="for ladder/ and its summary")
    add_options(parser, "epochs", "figures")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def _make_data(directory: Path, recipe: Recipe, arguments) -> None:
    """The data set of a recipe, with `generate`; one that was made in the same way is kept, another is replaced."""
    path = directory.parent / f"{recipe.name}.json"
    print(f"{directory}: is made with the recipe {recipe.name}", flush=True)
    artifacts.write_json(path, as_row(recipe))
    parser = argparse.ArgumentParser()
    generate.add_arguments(parser)
    stated = {"recipe": path, "out": directory, "seed": arguments.seed, "scale": arguments.scale}
    stated["split-seeds"] = arguments.seeds
    words = [f"--{name}={value}" for name, value in stated.items()]
    try:
        generate.run(parser.parse_args(words))
    except InputError:  # made in another way: it is the ladder's own
        generate.run(parser.parse_args([*words, "--replace"]))


def _beside(directory: Path, seeds: int) -> Beside:
    """What a bag of symbols, a lookup and Sympy score on the splits, and how often subtrees are used."""
    dataset = load(directory)
    with tqdm(total=len(dataset.symbolic), unit="eq", disable=None) as bar:
        answers = baselines.ask_sympy(dataset.symbolic, sympy_answers(), SYMPY_PROCESSES, bar.update, simplifies=False)
    found = {
        split: {
            seed: baselines.split_scores(dataset, stored_split(dataset, directory, split, seed), answers)
            for seed in range(seeds)
        }
        for split in SPLITS
    }
    scores = {
        split: {seed: {name: 100 * each[name]["accuracy"] for name in BESIDE} for seed, each in by_seed.items()}
        for split, by_seed in found.items()
    }
    return Beside(dataset.fingerprint, scores, round(sharing(dataset.symbolic), 2))


def _covered(rung: str, data_seed: int, seed: int) -> str:
    """A training in words."""
    return f"{rung}, data of seed {data_seed}, seed {seed}"


def _kept(path: Path) -> list[str]:
    """What the summary at this place covers."""
    content = stored(Ladder, path)
    seeds = [(row["rung"], seed) for row in content.get("rows", ()) for seed in row["splits"][SPLITS[0]]["seeds"]]
    return [_covered(rung, content["data_seed"], seed) for rung, seed in seeds]


def run(arguments) -> int:
    root, seeds = arguments.runs / "ladder", arguments.seeds
    asked = {rung: recipe for rung, recipe in recipes().items() if rung.name in arguments.rungs}
    path = arguments.runs / artifacts.LADDER
    covered = [_covered(rung.name, arguments.seed, seed) for rung in asked for seed in range(seeds)]
    refuse_to_lose(path, _kept(path), covered, arguments.replace)
    check_writable(arguments.runs, arguments.figures)
    for rung, recipe in asked.items():
        _make_data(data_directory(root, rung), recipe, arguments)
    wanted_splits = [(split, seed) for split in SPLITS for seed in range(seeds)]
    data = {rung: data_at(data_directory(root, rung), wanted_splits) for rung in asked}
    with asked_cluster(arguments) as cluster:
        wanted = trials(root, data, seeds, arguments.epochs)
        results = follow(tuple(wanted.values()), cluster)
    finished = finished_runs(wanted, results)
    rows = [row(rung, _beside(data_directory(root, rung), seeds), finished, range(seeds)) for rung in asked]
    _write({"data_seed": arguments.seed, "rows": rows}, arguments)
    return exit_code(results)


def _write(content: dict, arguments) -> None:
    artifacts.write_sealed(arguments.runs / artifacts.LADDER, content)
    sweep = ladder_sweep(content)
    write_sweep(sweep, arguments.figures)
    print(to_markdown(sweep.table))
    print(f"written to {arguments.runs / artifacts.LADDER} and {arguments.figures}")
