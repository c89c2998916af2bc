"""`data-study`: networks with and without function-evaluation data, under conditions in which the data may help."""

from collections.abc import Mapping
from pathlib import Path

from .. import artifacts
from ..commands import add_options, check_writable, refuse_to_lose
from ..report.protocol import summarised_runs, with_protocol
from ..report.stored import DataStudy, Protocol, stored
from ..report.sweeps import data_study_sweep, write_sweep
from ..report.tables.formats import to_markdown
from ..sweeps.cluster import add_arguments as add_cluster_arguments
from ..sweeps.cluster import asked_cluster
from ..sweeps.data_study import (
    ALL_FUNCTIONS,
    CELLS,
    EPOCHS,
    PARTS,
    REFERENCE,
    WEIGHTS,
    conditions,
    summary,
    trials,
)
from ..sweeps.progress import exit_code, follow
from ..sweeps.study import finished_runs
from ..sweeps.trials import data_at
from ..training.run_directory import FinishedRun

HELP = "train with and without function-evaluation data where they may help, and say whether they do"


def add_arguments(parser) -> None:
    parts = f"only some of {', '.join(PARTS)}; the summary has no others then"
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=tuple(PARTS), metavar="PART", help=parts)
    shares = f"of the symbolic equations, only some of {', '.join(map(str, EPOCHS))}"
    parser.add_argument(
        "--shares", nargs="+", type=float, choices=tuple(EPOCHS), default=tuple(EPOCHS), metavar="SHARE", help=shares
    )
    weights = f"of the squared errors, only some of {', '.join(map(str, WEIGHTS))}"
    parser.add_argument(
        "--weights", nargs="+", type=float, choices=WEIGHTS, default=WEIGHTS, metavar="WEIGHT", help=weights
    )
    parser.add_argument("--models", nargs="+", choices=CELLS, default=CELLS, metavar="MODEL", help="without data")
    add_options(parser, "seeds", default=5, help="seeds 0 to N-1 (default: 5)")
    add_options(parser, "runs", help=f"where two data sets are, {REFERENCE}/ and {ALL_FUNCTIONS}/")
    add_options(parser, "epochs", "figures")
    add_options(parser, "replace", help="also where that takes away results that the summary holds")
    add_cluster_arguments(parser)


def _covered(row: Mapping, seed: int) -> str:
    """A comparison in words."""
    return f"{row['part']}, {row['model']}, {row['split']} split, {100 * row['fraction']:g} %, seed {seed}"


def _kept(path: Path) -> list[str]:
    """What the summary at this place covers."""
    return [_covered(row, seed) for row in stored(DataStudy, path).get("rows", ()) for seed in row["seeds"]]


def _at_protocol(runs: Path) -> tuple[FinishedRun, ...]:
    """The runs at the paper's protocol, which answer the same question, if they are there."""
    content = stored(Protocol, runs / artifacts.PROTOCOL)
    return summarised_runs(content, runs, None) if content else ()


def run(arguments) -> int:
    runs, seeds = arguments.runs, arguments.seeds
    asked = tuple(conditions(arguments.parts, arguments.shares, arguments.weights, arguments.models))
    needed = {name: [each for each in asked if each.data == name] for name in (REFERENCE, ALL_FUNCTIONS)}
    data = {
        name: data_at(runs / name, {(each.split, seed) for each in here for seed in range(seeds)})
        for name, here in needed.items()
        if here
    }
    path = runs / artifacts.DATA_STUDY
    covered = [_covered(each._asdict(), seed) for each in asked for seed in range(seeds)]
    refuse_to_lose(path, _kept(path), covered, arguments.replace)
    check_writable(runs, arguments.figures)
    with asked_cluster(arguments) as cluster:
        wanted = trials(asked, seeds, runs / "data-study", data, arguments.epochs)
        results = follow(tuple(wanted.values()), cluster)
    content = summary(asked, seeds, finished_runs(wanted, results), data)
    artifacts.write_sealed(path, content)
    if content["rows"]:
        sweep = data_study_sweep(with_protocol(content, _at_protocol(runs)))
        write_sweep(sweep, arguments.figures)
        print(to_markdown(sweep.table))
    print(f"written to {path} and {arguments.figures}")
    return exit_code(results)
