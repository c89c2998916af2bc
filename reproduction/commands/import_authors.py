"""`import-authors FILE`: a data set from a file in the authors' released format, and what is wrong with its labels."""

from collections import Counter
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, place, refuse_file, sympy_answers
from ..data import statistics
from ..data.authors import Release, read_release, with_powers_mended
from ..data.dataset import DECIMAL, SYMBOLIC
from ..data.rechecking import Disagreement, disagreements, judge_numeric, judge_records
from ..data.writing import is_made, write_dataset
from ..judges.balls import Valuation
from ..judges.oracle import CORRECT, UNSURE, VERDICTS, Judgement, Oracle
from ..language.expression import Equation
from ..locks import owned

HELP = "read a data file of the paper's authors into our format and check its labels"
SHOWN = 20
CONTRADICTIONS, WRONG_TREES = "contradictions.jsonl", "wrong-decimal-trees.jsonl"

Findings = dict[str, list[Disagreement]]  # by the file that they go to


def add_arguments(parser) -> None:
    parser.add_argument("file", type=place, metavar="FILE", help="a JSON file such as data10_final.json")
    is_project = artifacts.RUNS == artifacts.ROOT / "runs"  # its data set is another one
    parser.add_argument("--out", type=place, required=is_project, default=artifacts.DATA, metavar="DIR")
    add_options(parser, "workers", "split-seeds", "replace")


def run(arguments) -> int:
    release = read_release(arguments.file)
    refuse_file(arguments.out)
    file = artifacts.checksum(artifacts.read_bytes(arguments.file))
    made_with = {"command": "import-authors", "file": file, "split_seeds": arguments.split_seeds}
    with owned(arguments.out):
        if not arguments.replace and is_made(arguments.out, made_with):
            print(f"{arguments.out}: finished already")
            return 0
        return _import(release, arguments, made_with)


def _import(release: Release, arguments, made_with: dict) -> int:
    """Judges every label, and writes and reports what comes of it."""
    bar = tqdm(total=len(release.records), unit="eq", disable=None)
    with Oracle(sympy_answers(), arguments.workers) as oracle, bar:
        judgements = judge_records(release.records, oracle, bar.update)
    refuted = [one for one in disagreements(release.records, judgements) if one.is_contradiction]
    wrong_trees = [one for one in refuted if one.record.kind == DECIMAL and one.record.label]
    contradictions = [one for one in refuted if one not in wrong_trees]
    findings = {CONTRADICTIONS: contradictions, WRONG_TREES: wrong_trees}
    summary = _write(arguments.out, release, judgements, findings, made_with)
    print(statistics.comparison(summary))
    _print_report(release, judgements, findings)
    print(f"written to {arguments.out}")
    return 0


def _write(out: Path, release: Release, judgements: list[Judgement], findings: Findings, made_with: dict) -> dict:
    """All files of the data set; returns its statistics.

    Labels stay the authors'. unsure.jsonl.gz repeats the equations that they call correct and our judges leave open,
    contradictions.jsonl those whose label our judges refute. A decimal tree that is not its number is a tree gone
    wrong and no wrong label: those are in wrong-decimal-trees.jsonl, with whether it has n^10 in the place of 10^n.
    """
    symbolic = [record for record in release.records if record.kind == SYMBOLIC]
    numeric = [record for record in release.records if record.kind != SYMBOLIC]
    unsure = [
        record
        for record, judgement in zip(release.records, judgements, strict=True)
        if record.label and judgement.verdict == UNSURE
    ]
    found = {name: [one.as_row() for one in each] for name, each in findings.items()}
    found[WRONG_TREES] = [
        {**row, "powers_are_swapped": _has_swapped_powers(one)}
        for row, one in zip(found[WRONG_TREES], findings[WRONG_TREES], strict=True)
    ]
    return write_dataset(out, symbolic, numeric, unsure, None, made_with["split_seeds"], 0, made_with, found)


def _has_swapped_powers(wrong: Disagreement) -> bool:
    """Whether a wrong decimal tree is its number with n^10 read as 10^n."""
    mended = Equation(*map(with_powers_mended, wrong.record.equation))
    return judge_numeric(mended, DECIMAL, Valuation()).verdict == CORRECT


def _print_report(release: Release, judgements: list[Judgement], findings: Findings) -> None:
    labels = (record.label for record in release.records)
    counts = Counter((label, judgement.verdict) for label, judgement in zip(labels, judgements, strict=True))
    print(f"left out: {release.artificial} artificial, {release.duplicates} met before", end="")
    print(f", {release.conflicts} met before with the other label")
    print(f"{'their label':<14}{'in all':>8}" + "".join(f"{verdict:>11}" for verdict in VERDICTS))
    for label, name in ((1, "1, correct"), (0, "0, incorrect")):
        row = [counts[label, verdict] for verdict in VERDICTS]
        print(f"{name:<14}{sum(row):>8,}" + "".join(f"{count:>11,}" for count in row))
    wrong, contradictions = findings[WRONG_TREES], findings[CONTRADICTIONS]
    swapped = sum(map(_has_swapped_powers, wrong))
    trees = sum(record.kind == DECIMAL and record.label for record in release.records)
    print(f"decimal trees that are not their number, all of them in {WRONG_TREES}: {len(wrong):,} of {trees:,}")
    print(f"of those, right with n^10 read as 10^n: {swapped:,}")
    print(f"labels that our judges contradict, all of them in {CONTRADICTIONS}: {len(contradictions):,}")
    for contradiction in contradictions[:SHOWN]:
        print(contradiction.text)
