"""`protocol`: every model on every split at the paper's own settings, one equation at a time."""

from .. import artifacts
from ..commands import add_options, check_writable, place, refuse_to_lose, runs_beside
from ..data.dataset import SPLIT_NAMES
from ..models import MODELS
from ..report.stored import Protocol, stored
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.progress import exit_code, follow
from ..sweeps.protocol import TREES_FIRST, summary, to_complete, trials
from ..sweeps.study import finished_runs
from ..sweeps.trials import data_at
from ..training.run_directory import Experiment
from .evaluate_completion import complete_runs

HELP = "train every model at the paper's own settings, so that its claims are judged under them as well"


def add_arguments(parser) -> None:
    models, splits = (
        f"only some of {', '.join(names)}; the summary has no others then" for names in (MODELS, SPLIT_NAMES)
    )
    parser.add_argument("--models", nargs="+", choices=tuple(MODELS), default=TREES_FIRST, metavar="MODEL", help=models)
    parser.add_argument("--splits", nargs="+", choices=SPLIT_NAMES, default=SPLIT_NAMES, metavar="SPLIT", help=splits)
    out = "for protocol/ and its summary (default: beside the data)"
    parser.add_argument("--out", type=place, metavar="DIR", help=out)
    add_options(parser, "seeds", "data")
    add_options(parser, "epochs", help="instead of the paper's: a trial, no result")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def run(arguments) -> int:
    seeds, splits = arguments.seeds, arguments.splits
    out = arguments.out or runs_beside(arguments.data).parent
    data = data_at(arguments.data, [(split, seed) for split in splits for seed in range(seeds)])
    wanted = trials(out / artifacts.PROTOCOL_RUNS, data, seeds, arguments.models, splits, arguments.epochs)
    kept = stored(Protocol, out / artifacts.PROTOCOL).get("rows", ())
    kept = [Experiment(*(row[name] for name in ("model", "split", "seed"))).name for row in kept]
    refuse_to_lose(out / artifacts.PROTOCOL, kept, [each.name for each in wanted], arguments.replace)
    check_writable(out)
    with asked_cluster(arguments) as cluster:
        results = follow(tuple(wanted.values()), cluster)
    finished = finished_runs(wanted, results).values()
    print(f"{len(finished)} of {len(wanted)} runs are finished in {out / artifacts.PROTOCOL_RUNS}")
    if finished:
        complete_runs([run.directory for run in to_complete(finished)], arguments.data)
        path = out / artifacts.PROTOCOL
        artifacts.write_sealed(path, summary(finished, data, arguments.epochs), indent=None)
        print(f"written to {path}")
    return exit_code(results)
