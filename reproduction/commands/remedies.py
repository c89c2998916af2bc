"""`remedies`: other settings where a number of ours is not close to the paper's, trained and set beside the runs."""

import sys
from pathlib import Path

from .. import artifacts
from ..commands import positive_integer
from ..report.remedies import remedy_result
from ..report.results import read_archive
from ..sweeps.cluster import Cluster
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.progress import failures, follow
from ..sweeps.remedies import FIRST_GUESS, MORE_DATA, REFERENCE, REMEDIES, trial
from ..sweeps.trials import data_at
from ..training.run_directory import read_run
from .evaluate_completion import complete_runs

HELP = "try other settings where a number is not close to the paper's, beside the runs of `experiments`"


def add_arguments(parser) -> None:
    parser.add_argument("--seeds", type=positive_integer, default=1, metavar="N", help="seeds 0 to N-1 (default: 1)")
    parser.add_argument("--epochs", type=positive_integer, metavar="N", help="instead of each model's default")
    parser.add_argument(
        "--runs",
        type=Path,
        default=artifacts.RUNS,
        metavar="DIR",
        help=f"where experiments/ is, and two data sets, {REFERENCE}/ and {MORE_DATA}/",
    )
    add_cluster_arguments(parser)


def run(arguments) -> int:
    runs, seeds = arguments.runs, range(arguments.seeds)
    data = {
        name: data_at(runs / name, {(each.split, seed) for each in REMEDIES for seed in seeds if each.data == name})
        for name in (REFERENCE, MORE_DATA)
    }
    trials = {
        (remedy.name, seed): trial(remedy, seed, runs / "remedies", data, arguments.epochs)
        for seed in seeds
        for remedy in REMEDIES
    }
    with Cluster(arguments.workers, arguments.scheduler, arguments.dashboard) as cluster:
        failed = failures(follow(tuple(trials.values()), cluster))
    for line in failed:
        print(line, file=sys.stderr)
    recorded = {key: each for key, each in trials.items() if each.is_recorded}
    guessing = {remedy.name for remedy in REMEDIES if remedy.measure == FIRST_GUESS}
    complete_runs([each.directory for (name, _), each in recorded.items() if name in guessing], runs / REFERENCE)
    archive = read_archive(runs)
    results = [
        remedy_result(
            remedy, archive, [read_run(each.directory) for (name, _), each in recorded.items() if name == remedy.name]
        )
        for remedy in REMEDIES
    ]
    artifacts.write_json(runs / "remedies.json", [each for each in results if each])
    for each in filter(None, results):
        print(f"{each['remedy']}: {each['outcome']}")
    return 1 if failed else 0
