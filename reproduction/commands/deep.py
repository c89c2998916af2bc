"""`deep`: how finished runs score on equations that are deeper than any they were trained on."""

from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options
from ..data import dataset
from ..data.dataset import GENERALIZATION, STRICT
from ..errors import InputError
from ..locks import owned
from ..paper import SYMBOLIC_BY_DEPTH
from ..studies.core import studies
from ..studies.recording import trained
from ..studies.running import record_scores
from ..training.run_directory import DEEP, PARAMETERS, FinishedRun, read_run

EXPERIMENTS = "experiments"  # the study whose trainings are scored
HELP = "score finished runs on equations deeper than any they were trained on, by depth"


def add_arguments(parser) -> None:
    add_options(parser, "runs")
    deep_data = "deep equations, made with `generate --counts 5=400 6=400 7=400 --out DIR`"
    add_options(parser, "data", default=artifacts.RUNS / "data-deep", help=deep_data)


def is_scored(run: FinishedRun, fingerprint: str) -> bool:
    """Whether deep.json of a run is there and about this data set."""
    return (
        artifacts.is_there(run.directory / DEEP) and read_run(run.directory).stored_deep.data_fingerprint == fingerprint
    )


def deep_scores(run: FinishedRun, records: dataset.Dataset, data: Path) -> dict:
    """Accuracy and number of equations by depth, as deep.json holds them."""
    from ..training.loading import evaluate_run  # MXNet takes two seconds to import

    by_depth = evaluate_run(run.directory, run.config, records, data)["all"]["symbolic"]["by_depth"]
    deep = {depth: row for depth, row in by_depth.items() if int(depth) > max(SYMBOLIC_BY_DEPTH)}
    return {"run": run.results.run, "data_fingerprint": records.fingerprint, "by_depth": deep}


def run(arguments) -> int:
    records = dataset.load(arguments.data)
    if not any(record.depth > max(SYMBOLIC_BY_DEPTH) for record in records.symbolic):
        raise InputError(f"{arguments.data}: no equation there is deeper than {max(SYMBOLIC_BY_DEPTH)}")
    found = trained(arguments.runs, EXPERIMENTS)
    runs = [run for row, run in found if row["split"] in (GENERALIZATION, STRICT) and row.get("fraction", 1) == 1]
    if not runs:
        raise InputError(f"--runs {arguments.runs}: there is no finished training on the random or the strict split")
    wanted = [run for run in runs if not is_scored(run, records.fingerprint)]
    for run in tqdm(wanted, unit="run", disable=None):
        if not (run.directory / PARAMETERS).is_file():
            tqdm.write(f"{run.directory.name} is left out: its parameters, best.params, are not there")
            continue
        with owned(run.directory):
            artifacts.write_sealed(run.directory / DEEP, deep_scores(run, records, arguments.data))
    record_scores(arguments.runs, studies()[EXPERIMENTS])
    scored = sum(is_scored(run, records.fingerprint) for run in runs)
    print(f"{scored} of {len(runs)} runs are scored on depths beyond {max(SYMBOLIC_BY_DEPTH)} (deep.json in each)")
    return 0
