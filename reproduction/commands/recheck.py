"""`recheck`: every label of a data set judged again by both judges."""

from tqdm import tqdm

from ..commands import add_options, sympy_answers
from ..data.dataset import load
from ..data.rechecking import Report, recheck
from ..judges.oracle import Oracle

HELP = "judge every equation of a data set again and compare the verdicts with the labels"
SHOWN = 20


def add_arguments(parser) -> None:
    add_options(parser, "data", "workers")
    parser.add_argument("--fresh", action="store_true", help="ask Sympy again instead of reading its stored answers")


def run(arguments) -> int:
    dataset = load(arguments.data)
    records = dataset.symbolic + dataset.numeric
    cache = None if arguments.fresh else sympy_answers()
    with Oracle(cache, arguments.workers) as oracle, tqdm(total=len(records), unit="eq", disable=None) as bar:
        report = recheck(records, oracle, bar.update)
    _print_report(report)
    return 1 if report.disagreements else 0


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
