"""`experiments`: every run behind the tables and figures, several at a time."""

from ..commands import add_options, check_writable, place, runs_beside
from ..data.dataset import SPLIT_NAMES
from ..models import MODELS
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.experiments import CURVE_FRACTIONS, LONGEST_FIRST, experiments, trial
from ..sweeps.progress import exit_code, follow
from ..sweeps.trials import data_at

HELP = "train every model on every split, several at a time; finished runs are skipped, interrupted ones go on"


def add_arguments(parser) -> None:
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=LONGEST_FIRST, metavar="MODEL")
    parser.add_argument("--splits", nargs="+", choices=SPLIT_NAMES, default=SPLIT_NAMES, metavar="SPLIT")
    curves = "parts of the training set for the learning curves (none: no learning curves)"
    parser.add_argument("--fractions", nargs="*", type=float, default=CURVE_FRACTIONS, metavar="SHARE", help=curves)
    parser.add_argument("--out", type=place, metavar="DIR", help="for the runs (default: beside the data)")
    add_options(parser, "seeds", "epochs", "cell", "data")
    add_cluster_arguments(parser)


def run(arguments) -> int:
    wanted = dict.fromkeys(experiments(arguments.seeds, arguments.models, arguments.splits, arguments.fractions))
    data = data_at(arguments.data, dict.fromkeys((experiment.split, experiment.seed) for experiment in wanted))
    out = arguments.out or runs_beside(arguments.data)
    trials = [trial(each, out, data, arguments.epochs, arguments.cell) for each in wanted]
    check_writable(out)
    with asked_cluster(arguments) as cluster:
        results = follow(trials, cluster)
    finished = sum(not result.error for result in results)
    print(f"{finished} of {len(trials)} runs are finished in {out}")
    return exit_code(results)
