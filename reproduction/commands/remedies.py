"""`remedies`: other settings where a number of ours is not close to the paper's, trained and set beside the runs."""

from .. import artifacts
from ..commands import add_options, check_writable
from ..report.remedies import remedy_result
from ..report.results import read_archive
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.progress import exit_code, follow
from ..sweeps.remedies import FIRST_GUESS, MORE_DATA, REFERENCE, REMEDIES, trial
from ..sweeps.trials import data_at
from ..training.run_directory import read_run
from .evaluate_completion import complete_runs

HELP = "try other settings where a number is not close to the paper's, beside the runs of `experiments`"


def add_arguments(parser) -> None:
    add_options(parser, "seeds", "epochs")
    add_options(parser, "runs", help=f"where experiments/ is, and two data sets, {REFERENCE}/ and {MORE_DATA}/")
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
    check_writable(runs)
    with asked_cluster(arguments) as cluster:
        results = follow(tuple(trials.values()), cluster)
    recorded = {key: each for key, each in trials.items() if each.is_recorded}
    guessing = {remedy.name for remedy in REMEDIES if remedy.measure == FIRST_GUESS}
    complete_runs([each.directory for (name, _), each in recorded.items() if name in guessing], runs / REFERENCE)
    archive = read_archive(runs)
    effects = [
        remedy_result(
            remedy, archive, [read_run(each.directory) for (name, _), each in recorded.items() if name == remedy.name]
        )
        for remedy in REMEDIES
    ]
    artifacts.write_sealed(runs / "remedies.json", {"remedies": [each for each in effects if each]})
    for each in filter(None, effects):
        print(f"{each['remedy']}: {each['outcome']}")
    return exit_code(results)
