"""`generate`: the data set, its splits and its statistics, from the axioms."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, extra_functions, place, refuse_file, sympy_answers
from ..data import statistics
from ..data.dataset import SPLIT_NAMES
from ..data.function_evaluations import PAPER_FUNCTIONS
from ..data.generation.axioms import Axiom, chosen, functions_of, own_axioms, read_axioms
from ..data.generation.build import SURPLUS, SymbolicBuilder, Wish, check_axioms, numeric_records, paper_wishes, scaled
from ..data.generation.recipes import HARD, PAPER, RECIPES, Recipe, as_row, read_recipe
from ..data.manifest import is_whole, read_manifest
from ..data.writing import add_splits, is_made, write_dataset
from ..errors import InputError
from ..judges.oracle import Oracle
from ..language.grammar import TABLE_1_FUNCTIONS
from ..language.printing import print_equation
from ..locks import owned
from ..paper import CORRECT_SHARE_BY_DEPTH, NUMERIC_CORRECT, NUMERIC_TOTAL

HELP = "make the data set of correct and incorrect equations"
HARD_SEED, PAPER_SEED = 0, 1  # of the tables' data; settings were chosen on the data of recipe paper and seed 0
SCALES = {"full": 1.0, "smoke": 0.1, "tiny": 0.02}
SCALE_HELP = "the paper's size, a tenth of it, or a fiftieth"
LARGEST_DEPTH = 12
DEEP = {5: 400, 6: 400, 7: 400}  # equations by depth, beyond those of any training


def add_arguments(parser) -> None:
    scale = "smoke" if artifacts.IS_SMOKE else "full"
    parser.add_argument("--scale", choices=SCALES, default=scale, help=SCALE_HELP)
    parser.add_argument(
        "--recipe",
        default=str(artifacts.RECIPE or PAPER.name),
        metavar=f"{'|'.join(RECIPES)}|FILE.json",
        help=f"how equations are made (default: the workspace's recipe.json, or {PAPER.name})",
    )
    add_options(parser, "seed", default=None, help="(default: that of the tables' data)")
    parser.add_argument("--out", type=place, metavar="DIR", help="(default: the workspace's runs/data)")
    deep = "the equations of depth 5 to 7 that `score` needs, in runs/data-deep"
    parser.add_argument("--deep", action="store_true", help=deep)
    kept = "leave a data set that is there as it is, and only store the splits of more seeds"
    parser.add_argument("--keep", action="store_true", help=kept)
    own = "what all equations come from (default: the workspace's axioms.txt, or the project's)"
    parser.add_argument("--axioms", type=place, default=artifacts.AXIOMS, metavar="FILE", help=own)
    parser.add_argument(
        "--counts",
        nargs="+",
        metavar="DEPTH=TOTAL[/CORRECT]",
        help="how many symbolic equations of each depth, for instance 2=500/250 3=2000",
    )
    evaluated = "of six functions, all 28, or those in the axioms (default: paper; axioms of your own: axioms)"
    parser.add_argument("--evaluations", choices=("paper", "all", "axioms"), help=evaluated)
    add_options(parser, "workers", "split-seeds", "extra-functions", "replace")


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
    if not wishes:
        raise InputError("--counts: no depth is named; DEPTH=TOTAL or DEPTH=TOTAL/CORRECT is wanted, as in 3=2000/900")
    return wishes


def _made_with(arguments, recipe: Recipe, axioms: Sequence[Axiom], wishes: dict[int, Wish]) -> dict:
    """All that decides what is in the data set, as its manifest names it."""
    factor = SCALES[arguments.scale]
    lines = "\n".join(f"{axiom.family}: {print_equation(axiom.equation)}" for axiom in axioms)
    return {
        "command": "generate",
        "seed": arguments.seed,
        "recipe": as_row(recipe),
        "axioms": artifacts.fingerprint(lines.encode("utf-8")),
        "counts": {str(depth): [wish.total, wish.correct] for depth, wish in sorted(wishes.items())},
        "numeric": [round(NUMERIC_TOTAL * factor), round(NUMERIC_CORRECT * factor)],
        "evaluations": arguments.evaluations,
        "split_seeds": arguments.split_seeds,
    }


def run(arguments) -> int:
    _settle(arguments)
    recipe = read_recipe(arguments.recipe)
    if arguments.seed is None:
        arguments.seed = HARD_SEED if recipe.name == HARD.name else PAPER_SEED
    refuse_file(arguments.out)
    if arguments.keep and is_whole(arguments.out):
        return _keep(arguments.out, arguments.split_seeds)
    wishes = parse_counts(arguments.counts) if arguments.counts else scaled(paper_wishes(), SCALES[arguments.scale])
    axioms = chosen(read_axioms(arguments.axioms, extra_functions(arguments)), recipe.marks, arguments.axioms)
    check_axioms(arguments.axioms, axioms)
    arguments.evaluations = arguments.evaluations or ("axioms" if own_axioms(arguments.axioms, axioms) else "paper")
    made_with = _made_with(arguments, recipe, axioms, wishes)
    with owned(arguments.out):
        if not arguments.replace and is_made(arguments.out, made_with):
            print(f"{arguments.out}: finished already")
            return 0
        summary = _make(arguments, recipe, axioms, wishes, made_with)
    print(statistics.comparison(summary))
    print(f"written to {arguments.out}")
    return 0


def _settle(arguments) -> None:
    """Fills in what the kind of data set decides and no option says."""
    arguments.out = arguments.out or artifacts.RUNS / ("data-deep" if arguments.deep else "data")
    if arguments.deep:
        arguments.seed = arguments.seed or 0  # that of the committed scores
        size = {depth: 20 if artifacts.IS_SMOKE else count for depth, count in DEEP.items()}
        arguments.counts = arguments.counts or [f"{depth}={count}" for depth, count in size.items()]


def _keep(directory: Path, split_seeds: int) -> int:
    """The splits of more seeds, of a data set that stays as it is."""
    read_manifest(directory)
    with owned(directory):
        made = add_splits(directory, split_seeds)
    print(f"{directory}: this data set is kept; {len(SPLIT_NAMES) * split_seeds} splits are stored, {made} made now")
    return 0


def _make(arguments, recipe: Recipe, axioms: Sequence[Axiom], wishes: dict[int, Wish], made_with: dict) -> dict:
    """Makes the data set; returns its statistics."""
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
    total, correct = made_with["numeric"]
    numeric = numeric_records(total, correct, evaluated[arguments.evaluations], arguments.seed)
    built = replace(built, own_axioms=own_axioms(arguments.axioms, axioms))
    records = (built.symbolic, numeric, built.unsure)
    return write_dataset(arguments.out, *records, built, arguments.split_seeds, arguments.seed, made_with)
