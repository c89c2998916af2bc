"""`search`: the configurations of a model, tried out on dev, on one machine or many."""

from pathlib import Path

from .. import artifacts
from ..commands import add_options, check_writable, number_of_epochs, place, positive_integer, refuse_to_lose
from ..errors import InputError
from ..models import MODELS
from ..report.stored import Search as Stored
from ..report.stored import stored, summaries
from ..report.sweeps import search_sweep, search_sweeps, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.progress import exit_code, follow, say
from ..sweeps.search import HALVING, LENGTHS, METHODS, RANDOM, Search, covered
from ..sweeps.search_space import PAPER_SPACE, read_space
from ..sweeps.study import Study
from ..sweeps.trials import data_at
from ..training.configuration import PAPER

HELP = "search the paper's space of configurations, or your own, for one model, judged on dev"
RANDOM_TRIALS = 20


def _lengths(place: int) -> str:
    return ", ".join(f"{name} {lengths[place]}" for name, lengths in LENGTHS.items())


COUNTS = {  # options with a default and what it is
    "trials": (None, f"draw so many configurations (default: all; for random {RANDOM_TRIALS})"),
    "epochs": (None, f"of every trial, for halving of the last ones (default: {_lengths(0)})"),
    "fewest-epochs": (None, f"for halving: of the first trials, at least (default: {_lengths(1)})"),
    "factor": (3, "for halving: one configuration in so many goes on, for so many times the epochs"),
}


def add_arguments(parser) -> None:
    parser.add_argument("--model", choices=tuple(MODELS), default="tree-lstm+data")
    space = "JSON or TOML, a list of values a setting (default: the paper's space)"
    parser.add_argument("--space", type=place, metavar="FILE", help=space)
    parser.add_argument("--method", choices=METHODS, default=HALVING, help="(default: halving)")
    for name, (default, text) in COUNTS.items():
        kind = number_of_epochs if "epochs" in name else positive_integer
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=text)
    batch = "equations a batch (default: in the paper's space 1, else the model's own)"
    parser.add_argument("--batch-size", type=positive_integer, metavar="N", help=batch)
    add_options(parser, "seed", help="of the draw, the split and the training")
    parser.add_argument("--out", type=place, default=artifacts.RUNS / "search", metavar="DIR", help="for the records")
    add_options(parser, "split", "data", "figures")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def read_search(arguments) -> Search:
    """The search that the command line asks for."""
    if arguments.factor < 2:
        raise InputError(f"--factor {arguments.factor}: should be at least 2")
    asked = {name: value for name, value in vars(arguments).items() if name in Search._fields}
    epochs, fewest = LENGTHS[arguments.model]
    asked |= {"epochs": arguments.epochs or epochs, "fewest_epochs": arguments.fewest_epochs or fewest}
    asked["space"] = read_space(arguments.space) if arguments.space else PAPER_SPACE
    if arguments.space is None:
        asked["preset"] = PAPER
    if asked["fewest_epochs"] > asked["epochs"]:
        raise InputError(
            f"--fewest-epochs {asked['fewest_epochs']}: more than the {asked['epochs']} of the last trials"
        )
    asked["trials"] = arguments.trials or (RANDOM_TRIALS if arguments.method == RANDOM else None)
    return Search(**asked)


def _kept(path: Path) -> list[str]:
    """What the summary at this place covers."""
    summary = stored(Stored, path)
    rows = [row for row in summary.get("trials", ()) if row["rung"] == 0]
    return [covered(tuple(row["settings"].items()), row["epochs"], summary["split"], summary["seed"]) for row in rows]


def run(arguments) -> int:
    search = read_search(arguments)
    data = data_at(arguments.data, [(search.split, search.seed)])
    root = arguments.out / search.model
    ladder = ", then ".join(
        f"{rung.count} for {rung.epochs} epoch{'s' if rung.epochs > 1 else ''}" for rung in search.rungs()
    )
    refuse_to_lose(root / artifacts.SUMMARY, _kept(root / artifacts.SUMMARY), search.covered(), arguments.replace)
    check_writable(arguments.out, arguments.figures)
    say(f"{search.model}, {len(search.space.points())} configurations in the space; trials: {ladder}")
    with asked_cluster(arguments) as cluster:
        study = Study(root, data, lambda trials: follow(trials, cluster))
        search.run(study)
        compared = search.compare(study)
    if study.rows:
        summary = search.summary(study, compared)
        artifacts.write_sealed(root / artifacts.SUMMARY, summary)
        for sweep in search_sweeps(summaries(Stored, arguments.out)):
            write_sweep(sweep, arguments.figures)
        print(to_markdown(search_sweep(summary).table))
        print(f"written to {root} and {arguments.figures}")
    return exit_code(study.results)
