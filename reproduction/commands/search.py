"""`search`: the configurations of a model, tried out on dev, on one machine or many."""

import sys
from pathlib import Path

from .. import artifacts
from ..commands import positive_integer
from ..data.dataset import SPLIT_NAMES
from ..errors import InputError
from ..models import MODELS
from ..report.sweeps import search_sweep, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.cluster import Cluster
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.progress import failures, follow, say
from ..sweeps.search import HALVING, METHODS, RANDOM, Search, run_search, summary
from ..sweeps.search_space import PAPER_SPACE, read_space
from ..sweeps.trials import data_at

HELP = "search the paper's space of configurations, or your own, for one model, judged on dev"
RANDOM_TRIALS = 20


def add_arguments(parser) -> None:
    parser.add_argument("--model", choices=tuple(MODELS), default="tree-lstm+data")
    parser.add_argument(
        "--space",
        type=Path,
        metavar="FILE",
        help="JSON or TOML, a list of values a setting (default: the paper's space)",
    )
    parser.add_argument("--method", choices=METHODS, default=HALVING, help="(default: halving)")
    parser.add_argument(
        "--trials",
        type=positive_integer,
        metavar="N",
        help=f"draw so many configurations (default: all; for random {RANDOM_TRIALS})",
    )
    parser.add_argument(
        "--epochs",
        type=positive_integer,
        default=27,
        metavar="N",
        help="of every trial, for halving of the last ones (default: 27)",
    )
    parser.add_argument(
        "--fewest-epochs",
        type=positive_integer,
        default=3,  # after one epoch the ranking is still that of the first weights
        metavar="N",
        help="for halving: of the first trials, at least (default: 3)",
    )
    parser.add_argument(
        "--factor",
        type=positive_integer,
        default=3,
        metavar="N",
        help="for halving: one configuration in so many goes on, for so many times the epochs",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draw, the split and the training")
    parser.add_argument("--split", choices=SPLIT_NAMES, default="generalization")
    parser.add_argument("--data", type=Path, default=artifacts.DATA, metavar="DIR", help="the data set")
    parser.add_argument("--out", type=Path, default=artifacts.RUNS / "search", metavar="DIR", help="for the records")
    parser.add_argument("--figures", type=Path, default=artifacts.FIGURES, metavar="DIR", help="for table and figure")
    add_cluster_arguments(parser)


def read_search(arguments) -> Search:
    """The search that the command line asks for."""
    if arguments.factor < 2:
        raise InputError(f"--factor {arguments.factor}: should be at least 2")
    space = read_space(arguments.space) if arguments.space else PAPER_SPACE
    trials = arguments.trials or (RANDOM_TRIALS if arguments.method == RANDOM else None)
    return Search(
        arguments.model,
        arguments.split,
        arguments.seed,
        space,
        arguments.method,
        trials,
        arguments.epochs,
        arguments.fewest_epochs,
        arguments.factor,
    )


def run(arguments) -> int:
    search = read_search(arguments)
    data = data_at(arguments.data, [(search.split, search.seed)])
    root = arguments.out / search.model
    ladder = ", then ".join(
        f"{rung.count} for {rung.epochs} epoch{'s' if rung.epochs > 1 else ''}" for rung in search.rungs()
    )
    say(f"{search.model}, {len(search.space.points())} configurations in the space; trials: {ladder}")
    with Cluster(arguments.workers, arguments.scheduler, arguments.dashboard) as cluster:
        rows, outcomes = run_search(search, root, data, lambda trials: follow(trials, cluster))
    failed = failures(outcomes)
    for line in failed:
        print(line, file=sys.stderr)
    if rows:
        content = summary(search, data, rows)
        artifacts.write_json(root / artifacts.SUMMARY, content)
        sweep = search_sweep(content)
        write_sweep(sweep, arguments.figures)
        print(to_markdown(sweep.table))
        print(f"written to {root} and {arguments.figures}")
    return 1 if failed else 0
