"""`keep-best`: of every network the run that is best on dev, where people look for a trained one."""

from .. import artifacts
from ..commands import add_options, check_writable, place
from ..data.dataset import GENERALIZATION
from ..errors import InputError
from ..studies.recording import trained
from ..training.run_directory import CHECKSUM, CONFIG, HISTORY, PARAMETERS, RESULTS, FinishedRun

HELP = "copy, for each network, the run on the random split that is best on dev"
KEPT = (CONFIG, HISTORY, PARAMETERS, CHECKSUM, RESULTS)  # the results last, as everywhere


def add_arguments(parser) -> None:
    add_options(parser, "runs")
    parser.add_argument("--out", type=place, default=artifacts.RUNS / "pretrained", metavar="DIR")


def _dev_score(run: FinishedRun) -> float:
    """What the epoch is chosen by as well: the accuracy, less the error of evaluations."""
    evaluations = run.results.dev.evaluations
    return run.results.dev.symbolic.accuracy - ((evaluations and evaluations.mse) or 0.0)


def run(arguments) -> int:
    best: dict[str, FinishedRun] = {}
    for row, each in trained(arguments.runs, "experiments"):
        is_whole = (row["split"], row.get("fraction", 1)) == (GENERALIZATION, 1)
        if is_whole and (each.directory / PARAMETERS).is_file():
            best[each.model] = max(best.get(each.model, each), each, key=_dev_score)
    if not best:
        raise InputError(f"{arguments.runs}: there is no finished training on the random split with its parameters")
    check_writable(arguments.out)
    for model, chosen in best.items():
        for name in KEPT:
            artifacts.write_bytes(arguments.out / model / name, (chosen.directory / name).read_bytes())
        print(f"{arguments.out / model}: seed {chosen.seed}, {chosen.summary}")
    return 0
