"""`experiments`: every run behind the tables and figures, several at a time."""

import sys
from pathlib import Path

from .. import artifacts
from ..commands import positive_integer
from ..data.dataset import SPLIT_NAMES
from ..models import MODELS
from ..sweeps.cluster import Cluster
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.experiments import CURVE_FRACTIONS, LONGEST_FIRST, experiments, trial
from ..sweeps.progress import failures, follow
from ..sweeps.trials import data_at

HELP = "train every model on every split, several at a time; finished runs are skipped, interrupted ones go on"


def add_arguments(parser) -> None:
    parser.add_argument("--seeds", type=positive_integer, default=1, metavar="N", help="seeds 0 to N-1 (default: 1)")
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=LONGEST_FIRST, metavar="MODEL")
    parser.add_argument("--splits", nargs="+", choices=SPLIT_NAMES, default=SPLIT_NAMES, metavar="SPLIT")
    parser.add_argument(
        "--fractions",
        nargs="*",
        type=float,
        default=CURVE_FRACTIONS,
        metavar="SHARE",
        help="parts of the training set for the learning curves (none: no learning curves)",
    )
    parser.add_argument("--epochs", type=positive_integer, metavar="N", help="instead of each model's default")
    parser.add_argument("--data", type=Path, default=artifacts.DATA, metavar="DIR", help="the data set")
    parser.add_argument("--out", type=Path, default=artifacts.RUNS / "experiments", metavar="DIR")
    add_cluster_arguments(parser)


def run(arguments) -> int:
    wanted = dict.fromkeys(experiments(arguments.seeds, arguments.models, arguments.splits, arguments.fractions))
    data = data_at(arguments.data, {(experiment.split, experiment.seed): None for experiment in wanted})
    trials = [trial(experiment, arguments.out, data, arguments.epochs) for experiment in wanted]
    with Cluster(arguments.workers, arguments.scheduler, arguments.dashboard) as cluster:
        outcomes = follow(trials, cluster)
    failed = failures(outcomes)
    for line in failed:
        print(line, file=sys.stderr)
    print(f"{len(trials) - len(failed)} of {len(trials)} runs are finished in {arguments.out}")
    return 1 if failed else 0
