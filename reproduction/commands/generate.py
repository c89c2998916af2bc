"""`generate`: the data set, its splits and its statistics, from the axioms."""

import re
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, extra_functions, refuse_file, sympy_answers
from ..data import statistics
from ..data.dataset import (
    GENERALIZATION,
    NUMERIC_FILE,
    SPLIT_NAMES,
    STRICT,
    SYMBOLIC_FILE,
    UNSURE_FILE,
    Dataset,
    load,
    write_records,
    write_split,
)
from ..data.function_evaluations import PAPER_FUNCTIONS
from ..data.generation.axioms import chosen, functions_of, own_axioms, read_axioms
from ..data.generation.build import SURPLUS, SymbolicBuilder, Wish, check_axioms, numeric_records, paper_wishes, scaled
from ..data.generation.recipes import PAPER, RECIPES, read_recipe
from ..data.splits import make_split
from ..data.table_2 import write_examples
from ..errors import InputError
from ..judges.oracle import Oracle
from ..language.grammar import TABLE_1_FUNCTIONS
from ..paper import CORRECT_SHARE_BY_DEPTH, NUMERIC_CORRECT, NUMERIC_TOTAL

HELP = "make the data set of correct and incorrect equations"
SCALES = {"full": 1.0, "smoke": 0.1, "tiny": 0.02}
SCALE_HELP = "the paper's size, a tenth of it, or a fiftieth"
LARGEST_DEPTH = 12


def add_arguments(parser) -> None:
    parser.add_argument("--scale", choices=SCALES, default="full", help=SCALE_HELP)
    parser.add_argument(
        "--recipe",
        default=str(artifacts.RECIPE or PAPER.name),
        metavar=f"{'|'.join(RECIPES)}|FILE.json",
        help=f"how equations are made (default: the workspace's recipe.json, or {PAPER.name})",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--out", type=Path, default=artifacts.DATA, metavar="DIR", help="(default: the workspace's runs/data)"
    )
    own = "what all equations come from (default: the workspace's axioms.txt, or the project's)"
    parser.add_argument("--axioms", type=Path, default=artifacts.AXIOMS, metavar="FILE", help=own)
    parser.add_argument(
        "--counts",
        nargs="+",
        metavar="DEPTH=TOTAL[/CORRECT]",
        help="how many symbolic equations of each depth, for instance 2=500/250 3=2000",
    )
    evaluated = "of six functions, all 28, or those in the axioms (default: paper; axioms of your own: axioms)"
    parser.add_argument("--evaluations", choices=("paper", "all", "axioms"), help=evaluated)
    add_options(parser, "workers", "split-seeds", "extra-functions")


def parse_counts(words: list[str]) -> dict[int, Wish]:
    """The wishes that --counts states; half of a depth is correct, or the paper's share, unless it says how many."""
    wishes = {}
    for word in " ".join(words).replace(",", " ").split():
        form = re.fullmatch(r"(\d{1,2})=(\d{1,9})(?:/(\d{1,9}))?", word)
        if not form:
            allowed = "DEPTH=TOTAL or DEPTH=TOTAL/CORRECT, as in 3=2000/900"
            raise InputError(f"--counts: {word!r} is not of the form {allowed}")
        depth, total = int(form[1]), int(form[2])
        correct = int(form[3]) if form[3] else round(CORRECT_SHARE_BY_DEPTH.get(depth, 0.5) * total)
        if not 1 <= depth <= LARGEST_DEPTH or depth in wishes or correct > total or not total:
            raise InputError(
                f"--counts: {word!r} is not possible (depths 1 to {LARGEST_DEPTH}, each once, "
                "a total of at least 1, no more correct than there are in all)"
            )
        wishes[depth] = Wish(total, correct)
    return wishes


def run(arguments) -> int:
    wishes = parse_counts(arguments.counts) if arguments.counts else scaled(paper_wishes(), SCALES[arguments.scale])
    recipe = read_recipe(arguments.recipe)
    axioms = chosen(read_axioms(arguments.axioms, extra_functions(arguments)), recipe.marks, arguments.axioms)
    check_axioms(arguments.axioms, axioms)
    own = own_axioms(arguments.axioms, axioms)
    refuse_file(arguments.out)
    steps = sum(round(SURPLUS * wish.correct) + wish.total - wish.correct for wish in wishes.values())
    with Oracle(sympy_answers(), arguments.workers) as oracle, tqdm(total=steps, unit="eq", disable=None) as bar:
        built = SymbolicBuilder(axioms, recipe, arguments.seed, oracle).build(wishes, bar.update)
    if not built.symbolic:
        depths = ", ".join(map(str, sorted(wishes)))
        raise InputError(
            f"{arguments.axioms}, line {axioms[0].line}, column 1: no equation of depth {depths} comes from the axioms "
            "of this file; shallower ones are wanted, or deeper --counts"
        )
    evaluated = {"paper": PAPER_FUNCTIONS, "all": TABLE_1_FUNCTIONS, "axioms": functions_of(axioms)}
    functions = evaluated[arguments.evaluations or ("axioms" if own else "paper")]
    sizes = (round(SCALES[arguments.scale] * count) for count in (NUMERIC_TOTAL, NUMERIC_CORRECT))
    records = (built.symbolic, numeric_records(*sizes, functions, arguments.seed), built.unsure)
    built = replace(built, own_axioms=own)
    summary = write_dataset(arguments.out, *records, built, arguments.split_seeds, arguments.seed)
    print(statistics.comparison(summary))
    print(f"written to {arguments.out}")
    return 0


def write_dataset(out: Path, symbolic, numeric, unsure, built, split_seeds: int, seed: int) -> dict:
    """All files of a data set, the records last so that a directory with them is complete; returns the statistics."""
    dataset = Dataset(tuple(symbolic), tuple(numeric), "")
    splits = {
        (name, number): make_split(dataset, name, number) for name in SPLIT_NAMES for number in range(split_seeds)
    }
    for place, split in splits.items():
        write_split(out, *place, split)
    write_examples(out, symbolic, seed)
    write_records(out / UNSURE_FILE, unsure)
    write_records(out / NUMERIC_FILE, numeric)
    write_records(out / SYMBOLIC_FILE, symbolic)
    first = {name: splits[name, 0] for name in (GENERALIZATION, STRICT)}
    summary = statistics.collect(load(out), built, first)
    artifacts.write_json(out / "statistics.json", summary)
    return summary
