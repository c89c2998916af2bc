"""`recheck`: every label of a data set judged again by both judges, at points that its maker did not see."""

from pathlib import Path

from tqdm import tqdm

from ..commands import add_options, sympy_answers
from ..data.dataset import SPLIT_NAMES, Dataset, load, split_path, stored_seeds
from ..data.rechecking import Report, recheck
from ..data.splits import stored_split, twin_trouble
from ..errors import InputError
from ..judges.oracle import Oracle
from ..judges.sympy_pool import PATIENT_SECONDS

HELP = "judge every equation of a data set again and compare the verdicts with the labels"
SHOWN = 20


def add_arguments(parser) -> None:
    add_options(parser, "data", "workers")
    parser.add_argument("--fresh", action="store_true", help="ask Sympy again instead of reading its stored answers")


def run(arguments) -> int:
    dataset = load(arguments.data)
    records = dataset.symbolic + dataset.numeric
    if not dataset.symbolic:
        raise InputError(f"{arguments.data}: there is no symbolic equation to judge")
    _check_splits(arguments.data, dataset)
    cache = None if arguments.fresh else sympy_answers()
    bar = tqdm(total=len(records), unit="eq", disable=None)
    with Oracle(cache, arguments.workers, thorough=True, seconds=PATIENT_SECONDS) as oracle, bar:
        report = recheck(records, oracle, bar.update)
    _print_report(report)
    return 1 if report.disagreements else 0


def _check_splits(directory: Path, dataset: Dataset) -> None:
    """Refuses the data set if one of its splits is not what its name says."""
    for name in SPLIT_NAMES:
        for seed in stored_seeds(directory, name):
            split = stored_split(dataset, directory, name, seed)
            if trouble := twin_trouble(dataset, split, name):
                raise InputError(f"{split_path(directory, name, seed)}: {trouble}")


def _print_report(report: Report) -> None:
    for way, count in sorted(report.counts.items()):
        print(f"{way:<48}{count:>8,}")
    for disagreement in report.disagreements[:SHOWN]:
        print(disagreement.text)
    count = len(report.disagreements)
    if count > SHOWN:
        print(f"… and {count - SHOWN:,} more")
    total = sum(report.counts.values())
    print(f"{count:,} of {total:,} labels do not stand" if count else f"all {total:,} labels stand")
