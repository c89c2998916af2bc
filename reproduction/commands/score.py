"""`score`: what finished runs score in filling blanks and on deeper equations; or a file of anybody's predictions."""

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tqdm import tqdm

from .. import artifacts, benchmark
from ..commands import add_options, place, positive_integer, sympy_answers
from ..completion.evaluation import Task, evaluate, make_task
from ..completion.store import heading, is_done, write_results
from ..data import dataset
from ..data.dataset import GENERALIZATION, SPLIT_NAMES, STRICT
from ..data.splits import stored_split
from ..errors import InputError
from ..judges.oracle import Oracle
from ..locks import owned
from ..paper import SYMBOLIC_BY_DEPTH
from ..report.outputs.leaderboard import compared, standings
from ..report.results import read_archive
from ..studies.core import studies
from ..studies.recording import trained
from ..studies.running import record_scores
from ..training.run_directory import DEEP, PARAMETERS, FinishedRun, trained_run

HELP = "score finished runs in filling blanks and on deeper equations, or a file of anybody's predictions"
FORM = """A line of a file of predictions is {"id": "s17", "probability": 0.93}, one for each symbolic equation of the
test part (null for undecided, which is wrong). A correct numeric equation may have {"id": "n5", "decoded": 0.6}, the
number that its other side is: then the mean squared error is computed, too. With --completion a line is
{"id": "s17", "guesses": ["x", "2", "sin(x)"]}, for each line of blanks.jsonl, the best guess first."""

BLANKS, DEEPER = "blanks", "deep"
DEEPEST = max(SYMBOLIC_BY_DEPTH)
EXPERIMENTS = "experiments"  # the study whose trainings are scored, and whose rows get the scores


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = FORM
    runs = "directories that `train` made (default: the experiments), or a JSON-lines file of predictions"
    parser.add_argument("run_directories", type=place, nargs="*", metavar="RUN_OR_FILE", help=runs)
    parser.add_argument("--only", choices=(BLANKS, DEEPER), help="one of the two")
    add_options(parser, "data", "runs")
    made = "equations of more depths, made with `generate --counts 5=400 6=400 7=400 --out DIR` (default: none)"
    parser.add_argument("--deep-data", type=place, default=artifacts.RUNS / "data-deep", metavar="DIR", help=made)
    limit = "only the first N blanks: a trial, no result"
    parser.add_argument("--limit", type=positive_integer, metavar="N", help=limit)
    parser.add_argument("--again", action="store_true", help="also where the scores are there already")
    file = parser.add_argument_group("for a file of predictions")
    add_options(file, "split", default=STRICT, help="(default: strict)")
    add_options(file, "seed", help="of the split (default: 0)")
    file.add_argument("--recipe", choices=benchmark.RECIPES, default=benchmark.PAPER, help="(default: paper)")
    file.add_argument("--completion", action="store_true", help="it has guesses for blanks")
    file.add_argument("--json", action="store_true", help="one JSON object instead of a table")


# ------------------------------------------------------------------------------------------------ blanks


def complete_runs(directories: Iterable[Path], data: Path, limit: int | None = None, again: bool = False) -> None:
    """completion.json in every directory that does not have it yet, or in all of them again."""
    records = dataset.load(data)
    watch = partial(tqdm, desc="truth", unit="blank", disable=None)
    task_of, task = None, None
    for directory in directories:
        run = trained_run(directory)
        if run.data_fingerprint != records.fingerprint:
            raise InputError(f"{directory}: learned from another data set than {data} (name its own with --data)")
        head = heading(run, records, limit)
        if not again and is_done(directory, head):
            print(f"{directory}: done already")
            continue
        if task is None or task_of != (run.split, run.seed):
            task_of = (run.split, run.seed)
            split = stored_split(records, data, *task_of)
            task = make_task(records, split, artifacts.CACHE, limit, watch)
        if task.split.checksum != run.split_checksum:
            raise InputError(
                f"{directory}: learned from another split {run.split} of seed {run.seed} than that in {data}"
            )
        with owned(directory):
            _fill_blanks(run, task, head)


def _fill_blanks(run: FinishedRun, task: Task, head: dict) -> None:
    from ..completion.scorers import load_scorer  # MXNet takes two seconds to import

    started = time.monotonic()
    scorer = load_scorer(run, task.dataset.functions)
    with (
        Oracle(sympy_answers()) as oracle,
        tqdm(total=len(task.symbolic), desc=run.directory.name, unit="blank", disable=None) as bar,
    ):
        results, examples = evaluate(task, scorer, run.configuration.decodes, oracle, artifacts.CACHE, bar.update)
    write_results(run.directory, head, results, examples)
    print(f"{run.directory}: {_sentence(results)}; {time.monotonic() - started:.0f} s")


def _sentence(results: dict) -> str:
    symbolic, numeric = results["symbolic"], results["numeric"]
    shares, usual = symbolic["top_k"], symbolic["most_frequent"]["top_k"]
    text = (
        f"{symbolic['equations']} blanks: top-1 accuracy {100 * shares[0]:.2f} %, top-10 {100 * shares[-1]:.2f} % "
        f"(most frequent first: {100 * usual[0]:.2f} %, {100 * usual[-1]:.2f} %), "
        f"mean reciprocal rank {symbolic['mean_reciprocal_rank']:.4f}"
    )
    if numeric:
        errors = numeric["top_k_mse"]
        text += f"; {numeric['equations']} numbers: top-1 MSE {errors[0]:.4f}, top-10 MSE {errors[-1]:.6f}"
    return text


# ------------------------------------------------------------------------------------------------ deeper equations


def score_deep(runs: Iterable[FinishedRun], data: Path, again: bool = False) -> None:
    """deep.json in the directory of every run that was trained on all depths."""
    records = dataset.load(data)
    if not any(record.depth > DEEPEST for record in records.symbolic):
        raise InputError(f"{data}: no equation there is deeper than {DEEPEST}")
    for run in runs:
        if not again and run.stored_deep and run.stored_deep.data_fingerprint == records.fingerprint:
            print(f"{run.directory}: deeper equations are done already")
            continue
        scores = _deep_scores(run, records, data)
        with owned(run.directory):
            artifacts.write_sealed(run.directory / DEEP, scores)
        told = (f"depth {depth} {100 * row['accuracy']:.2f} %" for depth, row in scores["by_depth"].items())
        print(f"{run.directory}: {', '.join(told)}")


def _deep_scores(run: FinishedRun, records: dataset.Dataset, data: Path) -> dict:
    """Accuracy and number of equations by depth, as deep.json holds them."""
    from ..training.loading import evaluate_run  # MXNet takes two seconds to import

    by_depth = evaluate_run(run.directory, run.config, records, data)["all"]["symbolic"]["by_depth"]
    deep = {depth: row for depth, row in by_depth.items() if int(depth) > DEEPEST}
    return {"run": run.results.run, "data_fingerprint": records.fingerprint, "by_depth": deep}


# ------------------------------------------------------------------------------------------------ the command


def _chosen(arguments: argparse.Namespace, splits: Sequence[str]) -> list[FinishedRun]:
    """The runs that are named, or the experiments on these splits, one seed after the other, as their tests are one."""
    if arguments.run_directories:
        runs = [trained_run(directory) for directory in arguments.run_directories]
        return [run for run in runs if run.split in splits]
    found = trained(arguments.runs, EXPERIMENTS)
    runs = [run for row, run in found if row["split"] in splits and row.get("fraction", 1) == 1]
    return sorted((run for run in runs if (run.directory / PARAMETERS).is_file()), key=lambda run: run.seed)


def score_file(path: Path, arguments: argparse.Namespace) -> None:
    """Prints the scores of anybody's predictions, beside those of everybody on the same equations."""
    data, split, seed = benchmark.load(arguments.recipe), arguments.split, arguments.seed
    scores = (data.score_completion if arguments.completion else data.score)(path, split, seed)
    if arguments.json:
        print(json.dumps({name: scored._asdict() for name, scored in scores.items()}))
        return
    print(f"{path}: {split} split, seed {seed}")
    others = {each.title: each.seed(split, seed) for each in standings(read_archive(data.directory.parent))}
    print("\n".join(compared(f"> {path.name}", scores, others)))


def run(arguments: argparse.Namespace) -> int:
    files = [path for path in arguments.run_directories if path.is_file() or path.suffix in (".jsonl", ".gz")]
    if files:
        if len(arguments.run_directories) > 1:
            raise InputError(f"{files[0]}: a file of predictions is scored alone, name nothing beside it")
        score_file(files[0], arguments)
        return 0
    blanks = deeper = None
    if arguments.only != DEEPER:
        blanks = _chosen(arguments, SPLIT_NAMES if arguments.run_directories else (GENERALIZATION,))
        complete_runs([run.directory for run in blanks], arguments.data, arguments.limit, arguments.again)
    if arguments.only == DEEPER or (arguments.only is None and arguments.deep_data.is_dir()):
        deeper = _chosen(arguments, (GENERALIZATION, STRICT))
        score_deep(deeper, arguments.deep_data, arguments.again)
    if not blanks and not deeper:
        raise InputError(f"{arguments.runs}: there is no finished training with its parameters to score")
    record_scores(arguments.runs, studies()[EXPERIMENTS])
    return 0
