"""Data sets that are there: `export`, `recheck`, `import-authors`, and the `baselines` that need no training."""

from collections import Counter
from importlib.metadata import version

from tqdm import tqdm

from .. import artifacts, benchmark, machine
from ..artifacts import owned
from ..completion.guesses import exported_blanks
from ..data import baselines as methods
from ..data.authors import Release, read_release, with_powers_mended
from ..data.dataset import DECIMAL, GENERALIZATION, SPLIT_NAMES, SYMBOLIC, load, load_unsure, split_path, stored_seeds
from ..data.export import FORMATS, write_export
from ..data.function_evaluations import disagreements, judge_numeric, judge_records, way
from ..data.splits import stored_split, twin_trouble
from ..data.writing import comparison, is_made, write_dataset
from ..errors import InputError, place
from ..judges.balls import Valuation
from ..judges.oracle import CORRECT, UNSURE, VERDICTS, Judgement, Oracle
from ..judges.sympy_pool import PATIENT_SECONDS
from ..language.expression import Equation
from ..report.results import SYMPY_TIMES
from ..rows import FINGERPRINT
from . import add_options, check_writable, refuse_other_data, sympy_answers

SHOWN = 20  # disagreements
CONTRADICTIONS, WRONG_TREES = "contradictions.jsonl", "wrong-decimal-trees.jsonl"

# ------------------------------------------------------------------------------------------------ export, recheck


def add_export(parser) -> None:
    parser.add_argument("--out", type=place, required=True, metavar="DIR", help="a new directory, or an earlier export")
    parser.add_argument("--recipe", choices=benchmark.RECIPES, default="paper", help="which data set (default: paper)")
    add_options(parser, "data", default=None, help="another data set, instead of a recipe's")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="(default: jsonl)")
    add_options(parser, "seeds", help="seeds 0 to N-1 (default: all)")


def export(arguments) -> int:
    """A data set as files for other frameworks, with a data card, Croissant metadata and a gallery."""
    data = arguments.data or benchmark.data_of(arguments.recipe)
    check_writable(arguments.out)
    count = write_export(data, arguments.out, arguments.format, arguments.seeds, exported_blanks)
    print(f"{count} files of equations, README.md, gallery.html and croissant.json written to {arguments.out}")
    return 0


def add_recheck(parser) -> None:
    add_options(parser, "data", "workers")
    parser.add_argument("--fresh", action="store_true", help="ask Sympy again instead of reading its stored answers")


def recheck(arguments) -> int:
    """Every label of a data set judged again by both judges, at points that its maker did not see; its splits, too."""
    dataset = load(arguments.data)
    records = dataset.symbolic + dataset.numeric
    if not dataset.symbolic:
        raise InputError(f"{arguments.data}: there is no symbolic equation to judge")
    for name in dataset.splits:
        for seed in stored_seeds(arguments.data, name):
            if trouble := twin_trouble(dataset, stored_split(dataset, arguments.data, name, seed), name):
                raise InputError(f"{split_path(arguments.data, name, seed)}: {trouble}")
    cache = None if arguments.fresh else sympy_answers()
    bar = tqdm(total=len(records), unit="eq", disable=None)
    with Oracle(cache, arguments.workers, thorough=True, seconds=PATIENT_SECONDS) as oracle, bar:
        judgements = judge_records(records, oracle, bar.update)
    for words, count in sorted(Counter(map(way, records, judgements)).items()):
        print(f"{words:<48}{count:>8,}")
    found = disagreements(records, judgements)
    for disagreement in found[:SHOWN]:
        print(disagreement.text)
    count, total = len(found), len(records)
    if count > SHOWN:
        print(f"… and {count - SHOWN:,} more")
    print(f"{count:,} of {total:,} labels do not stand" if count else f"all {total:,} labels stand")
    return 1 if count else 0


# ------------------------------------------------------------------------------------------------ import-authors


def add_import_authors(parser) -> None:
    parser.add_argument("file", type=place, metavar="FILE", help="a JSON file such as data10_final.json")
    is_project = artifacts.RUNS == artifacts.ROOT / "runs"  # its data set is another one
    parser.add_argument("--out", type=place, required=is_project, default=artifacts.DATA, metavar="DIR")
    add_options(parser, "workers", "split-seeds", "replace")


def import_authors(arguments) -> int:
    """A data set from a file in the authors' released format, and what is wrong with its labels."""
    release = read_release(arguments.file)
    check_writable(arguments.out)
    file = artifacts.checksum(artifacts.read_bytes(arguments.file))
    made_with = {"command": "import-authors", "file": file, "split_seeds": arguments.split_seeds}
    with owned(arguments.out):
        if not arguments.replace and is_made(arguments.out, made_with):
            print(f"{arguments.out}: finished already")
        else:
            bar = tqdm(total=len(release.records), unit="eq", disable=None)
            with Oracle(sympy_answers(), arguments.workers) as oracle, bar:
                judgements = judge_records(release.records, oracle, bar.update)
            _write(arguments, release, judgements, made_with)
            print(f"written to {arguments.out}")
    return 0


def _write(arguments, release: Release, judgements: list[Judgement], made_with: dict) -> None:
    """All files of the data set, and a report.

    Labels stay the authors'. unsure.jsonl.gz repeats the equations that they call correct and our judges leave open,
    contradictions.jsonl those whose label our judges refute. A decimal tree that is not its number is a tree gone
    wrong and no wrong label: those are in wrong-decimal-trees.jsonl, with whether it has n^10 in the place of 10^n.
    """
    records = release.records
    refuted = [one for one in disagreements(records, judgements) if one.is_contradiction]
    wrong_trees = [one for one in refuted if one.record.kind == DECIMAL and one.record.label]
    contradictions = [one for one in refuted if one not in wrong_trees]
    mended = [Equation(*map(with_powers_mended, one.record.equation)) for one in wrong_trees]  # n^10 read as 10^n
    swapped = [judge_numeric(each, DECIMAL, Valuation()).verdict == CORRECT for each in mended]
    rows = ({**one.as_row(), "powers_are_swapped": each} for one, each in zip(wrong_trees, swapped, strict=True))
    findings = {CONTRADICTIONS: [one.as_row() for one in contradictions], WRONG_TREES: list(rows)}
    symbolic = [record for record in records if record.kind == SYMBOLIC]
    numeric = [record for record in records if record.kind != SYMBOLIC]
    judged = list(zip(records, judgements, strict=True))
    unsure = [record for record, judgement in judged if record.label and judgement.verdict == UNSURE]
    summary = write_dataset(
        arguments.out, symbolic, numeric, unsure, None, arguments.split_seeds, 0, made_with, findings
    )
    print(comparison(summary))
    print(
        f"left out: {release.artificial} artificial, {release.duplicates} met before, "
        f"{release.conflicts} met before with the other label"
    )
    print(f"{'their label':<14}{'in all':>8}" + "".join(f"{verdict:>11}" for verdict in VERDICTS))
    counts = Counter((record.label, judgement.verdict) for record, judgement in judged)
    for label, name in ((1, "1, correct"), (0, "0, incorrect")):
        row = [counts[label, verdict] for verdict in VERDICTS]
        print(f"{name:<14}{sum(row):>8,}" + "".join(f"{count:>11,}" for count in row))
    trees = sum(record.kind == DECIMAL and record.label for record in records)
    print(f"decimal trees that are not their number, all of them in {WRONG_TREES}: {len(wrong_trees):,} of {trees:,}")
    print(f"of those, right with n^10 read as 10^n: {sum(swapped):,}")
    print(f"labels that our judges contradict, all of them in {CONTRADICTIONS}: {len(contradictions):,}")
    for contradiction in contradictions[:SHOWN]:
        print(contradiction.text)


# ------------------------------------------------------------------------------------------------ baselines


def add_baselines(parser) -> None:
    add_options(parser, "data", "workers")


def baselines(arguments) -> int:
    """What majority, Sympy, a bag of symbols and a lookup score on every stored split.

    Sympy's times and the machine stay those of the first run as long as the scores are the same.
    """
    data, out = arguments.data, artifacts.RUNS / "baselines.json"
    refuse_other_data(data, "")
    dataset = load(data)
    if not stored_seeds(data, GENERALIZATION):
        raise InputError(f"{data}: no splits are stored there (make them with `generate`)")
    check_writable(artifacts.RUNS)
    asked = dataset.symbolic + load_unsure(data)
    with tqdm(total=len(asked), unit="eq", disable=None) as bar:
        answers = methods.ask_sympy(asked, sympy_answers(), arguments.workers, bar.update)
    scores = {
        name: {
            str(seed): methods.split_scores(dataset, stored_split(dataset, data, name, seed), answers)
            for seed in stored_seeds(data, name)
        }
        for name in SPLIT_NAMES
    }
    true = [record for record in asked if record.label]
    row = {
        "data_fingerprint": dataset.fingerprint,
        "sympy": version("sympy"),
        "splits": scores,
        "sympy_answers": methods.sympy_replies(dataset.symbolic, answers),
        "true_identities_left_open": methods.true_identities_left_open(true, answers),
    }
    before = out.read_bytes() if out.is_file() else b""
    artifacts.write_sealed(out, row)
    times = methods.seconds_per_equation(dataset.symbolic, answers)
    if out.read_bytes() != before or not (artifacts.RUNS / SYMPY_TIMES).is_file():
        artifacts.write_sealed(artifacts.RUNS / SYMPY_TIMES, {FINGERPRINT: dataset.fingerprint, **times})
        artifacts.write_sealed(artifacts.RUNS / "machine.json", machine.describe())
    each = ", ".join(f"{1000 * seconds:.1f} ms with {way}" for way, seconds in times["all"].items())
    print(f"Sympy answered {len(asked):,} equations: {each} each; written to {out}")
    return 0
