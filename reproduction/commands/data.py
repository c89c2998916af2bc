"""Data sets that are made: `generate` from axioms, `import-authors` from a file of the paper's authors."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .. import artifacts
from ..artifacts import owned
from ..data.authors import Release, read_release, with_powers_mended
from ..data.axioms import Axiom, check_axioms, chosen, functions_of, own_axioms, read_axioms
from ..data.dataset import DECIMAL, SYMBOLIC
from ..data.function_evaluations import PAPER_FUNCTIONS, disagreements, judge_numeric, judge_records, numeric_records
from ..data.generator import SURPLUS, Built, SymbolicBuilder, Wish, paper_wishes
from ..data.manifest import is_whole, read_manifest
from ..data.recipes import HARD, PAPER, RECIPES, Recipe, as_row, read_recipe
from ..data.writing import add_splits, comparison, is_made, write_dataset
from ..errors import InputError, place
from ..judges.balls import Valuation
from ..judges.oracle import CORRECT, UNSURE, VERDICTS, Judgement, Oracle
from ..language.expression import Equation
from ..language.grammar import EXTRA_FUNCTIONS, TABLE_1_FUNCTIONS
from ..language.printing import print_equation
from ..paper import CORRECT_SHARE_BY_DEPTH, NUMERIC_CORRECT, NUMERIC_TOTAL
from . import add_options, check_writable, progress, sympy_answers

HARD_SEED, PAPER_SEED = 0, 1  # of the tables' data; settings were chosen on the data of recipe paper and seed 0
SCALES = {"full": 1.0, "smoke": 0.1, "tiny": 0.02}
LARGEST_DEPTH = 13
DEEP = (5, 6, 7)  # depths beyond those of any training
COUNTS = "DEPTH=TOTAL or DEPTH=TOTAL/CORRECT, as in 3=2000/900"
CONTRADICTIONS, WRONG_TREES = "contradictions.jsonl", "wrong-decimal-trees.jsonl"

# ------------------------------------------------------------------------------------------------ generate


def add_generate(parser) -> None:
    scale, words = "smoke" if artifacts.IS_SMOKE else "full", "the paper's size, a tenth of it, or a fiftieth"
    parser.add_argument("--scale", choices=SCALES, default=scale, help=words)
    names, recipe = f"{'|'.join(RECIPES)}|FILE.json", str(artifacts.RECIPE or PAPER.name)
    made = f"how equations are made (default: the workspace's recipe.json, or {PAPER.name})"
    parser.add_argument("--recipe", default=recipe, metavar=names, help=made)
    add_options(parser, "seed", default=None, help="(default: that of the tables' data)")
    parser.add_argument("--out", type=place, metavar="DIR", help="(default: the workspace's runs/data)")
    deep = "make the equations of depth 5 to 7 that `score` needs, in runs/data-deep"
    parser.add_argument("--deep", action="store_true", help=deep)
    kept = "keep an existing data set, and only store the splits of more seeds"
    parser.add_argument("--keep", action="store_true", help=kept)
    own = "the axioms (default: the workspace's axioms.txt, or the project's)"
    parser.add_argument("--axioms", type=place, default=artifacts.AXIOMS, metavar="FILE", help=own)
    counts = "how many symbolic equations of each depth, for instance 2=500/250 3=2000"
    parser.add_argument("--counts", nargs="+", metavar="DEPTH=TOTAL[/CORRECT]", help=counts)
    evaluated = "evaluate the paper's six functions, all 28, or those in the axioms (default for axioms of your own)"
    parser.add_argument("--evaluations", choices=("paper", "all", "axioms"), help=evaluated)
    extra = "switch on log, atan2 or log,atan2"
    parser.add_argument("--extra-functions", default="", metavar="NAMES", help=extra)
    add_options(parser, "workers", "split-seeds", "replace")


def generate(arguments) -> int:
    """Makes a data set, unless the same one is there already."""
    out = arguments.out = arguments.out or artifacts.RUNS / ("data-deep" if arguments.deep else "data")
    if arguments.deep:
        arguments.seed = arguments.seed or 0  # that of the committed scores
        count = 20 if artifacts.IS_SMOKE else 400
        arguments.counts = arguments.counts or [f"{depth}={count}" for depth in DEEP]
    recipe = read_recipe(arguments.recipe)
    if arguments.seed is None:
        arguments.seed = HARD_SEED if recipe.name == HARD.name else PAPER_SEED
    check_writable(out)
    if arguments.keep and is_whole(out):
        read_manifest(out)  # refuses a data set that is not finished
        with owned(out):
            stored, made = add_splits(out, arguments.split_seeds)
        print(f"{out}: this data set is kept; {stored} splits are stored, {made} made now")
        return 0
    factor = SCALES[arguments.scale]
    wishes = parse_counts(arguments.counts) if arguments.counts else paper_wishes(factor)
    extra = tuple(name.strip() for name in arguments.extra_functions.split(",") if name.strip())
    if unknown := [name for name in extra if name not in EXTRA_FUNCTIONS]:
        raise InputError(f"--extra-functions: {unknown[0]!r} is not one of {', '.join(EXTRA_FUNCTIONS)}")
    axioms = chosen(read_axioms(arguments.axioms, extra), recipe.marks, arguments.axioms)
    check_axioms(arguments.axioms, axioms)
    own = own_axioms(arguments.axioms, axioms)
    arguments.evaluations = arguments.evaluations or ("axioms" if own else "paper")
    total, correct = round(NUMERIC_TOTAL * factor), round(NUMERIC_CORRECT * factor)
    lines = "\n".join(f"{axiom.family}: {print_equation(axiom.equation)}" for axiom in axioms)
    made_with = {  # everything that decides its content, for the manifest
        "command": "generate",
        "seed": arguments.seed,
        "recipe": as_row(recipe),
        "axioms": artifacts.fingerprint(lines.encode("utf-8")),
        "counts": {str(depth): [wish.total, wish.correct] for depth, wish in sorted(wishes.items())},
        "numeric": [total, correct],
        "evaluations": arguments.evaluations,
        "split_seeds": arguments.split_seeds,
    }
    with owned(out):
        if not arguments.replace and is_made(out, made_with):
            print(f"{out}: finished already")
            return 0
        built = replace(_built(arguments, recipe, axioms, wishes), own_axioms=own)
        evaluated = {"paper": PAPER_FUNCTIONS, "all": TABLE_1_FUNCTIONS, "axioms": functions_of(axioms)}
        numeric = numeric_records(total, correct, evaluated[arguments.evaluations], arguments.seed)
        records = (built.symbolic, numeric, built.unsure)
        summary = write_dataset(out, *records, built, arguments.split_seeds, arguments.seed, made_with)
    print(comparison(summary))
    print(f"written to {out}")
    return 0


def parse_counts(words: list[str]) -> dict[int, Wish]:
    """The wishes that --counts states; without /CORRECT the paper's share of a depth is correct, or half."""
    wishes: dict[int, Wish] = {}
    for word in " ".join(words).replace(",", " ").split():
        form = re.fullmatch(r"(\d{1,2})=(\d{1,9})(?:/(\d{1,9}))?", word)
        if not form:
            raise InputError(f"--counts: {word!r} is not of the form {COUNTS}")
        depth, total = int(form[1]), int(form[2])
        correct = int(form[3]) if form[3] else round(CORRECT_SHARE_BY_DEPTH.get(depth, 0.5) * total)
        if not 1 <= depth <= LARGEST_DEPTH or depth in wishes or correct > total or not total:
            possible = f"depths 1 to {LARGEST_DEPTH}, each once, a total of at least 1, no more correct than in all"
            raise InputError(f"--counts: {word!r} is not possible ({possible})")
        wishes[depth] = Wish(total, correct)
    if not wishes:
        raise InputError(f"--counts: no depth is named; {COUNTS}")
    return wishes


def _built(arguments, recipe: Recipe, axioms: Sequence[Axiom], wishes: dict[int, Wish]) -> Built:
    """The symbolic equations with their statistics."""
    steps = sum(round(SURPLUS * wish.correct) + wish.total - wish.correct for wish in wishes.values())
    with Oracle(sympy_answers(), arguments.workers) as oracle, progress(steps) as bar:
        built = SymbolicBuilder(axioms, recipe, arguments.seed, oracle).build(wishes, bar.update)
    if not built.symbolic:
        depths = ", ".join(map(str, sorted(wishes)))
        raise InputError(
            f"{arguments.axioms}, line {axioms[0].line}, column 1: no equation of depth {depths} comes from the axioms "
            "of this file; shallower ones are wanted, or deeper --counts"
        )
    return built


# ------------------------------------------------------------------------------------------------ import-authors


def add_import_authors(parser) -> None:
    parser.add_argument("file", type=place, metavar="FILE", help="a JSON file such as data10_final.json")
    is_project = artifacts.RUNS == artifacts.ROOT / "runs"  # its data set is another one
    parser.add_argument("--out", type=place, required=is_project, default=artifacts.DATA, metavar="DIR")
    add_options(parser, "workers", "split-seeds", "replace")


def import_authors(arguments) -> int:
    """Makes a data set from a file in the authors' released format, and reports labels that our judges contradict."""
    release = read_release(arguments.file)
    check_writable(arguments.out)
    file = artifacts.checksum(artifacts.read_bytes(arguments.file))
    made_with = {"command": "import-authors", "file": file, "split_seeds": arguments.split_seeds}
    with owned(arguments.out):
        if not arguments.replace and is_made(arguments.out, made_with):
            print(f"{arguments.out}: finished already")
        else:
            with Oracle(sympy_answers(), arguments.workers) as oracle, progress(len(release.records)) as bar:
                judgements = judge_records(release.records, oracle, bar.update)
            _write(arguments, release, judgements, made_with)
            print(f"written to {arguments.out}")
    return 0


def _write(arguments, release: Release, judgements: list[Judgement], made_with: dict) -> None:
    """Writes the data set, and prints a report.

    Labels stay the authors'. unsure.jsonl.gz repeats the equations that they call correct and our judges leave open,
    contradictions.jsonl those whose label our judges refute. A decimal tree that does not have the value of its number
    is in wrong-decimal-trees.jsonl instead, with whether it has n^10 where 10^n is meant.
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
    for contradiction in contradictions[:20]:
        print(contradiction.text)
