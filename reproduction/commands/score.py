"""`score`: what finished runs score in filling blanks of their test equations, and on deeper equations."""

import argparse
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
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
from ..studies.core import studies
from ..studies.recording import trained
from ..studies.running import record_scores
from ..training.run_directory import DEEP, PARAMETERS, FinishedRun, trained_run

HELP = "fill blanks in the test equations of finished runs, and verify deeper ones than they were trained on"

BLANKS, DEEPER = "blanks", "deep"
DEEPEST = max(SYMBOLIC_BY_DEPTH)
EXPERIMENTS = "experiments"  # the study whose trainings are scored, and whose rows get the scores


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs = "directories that `train` made (default: the experiments)"
    parser.add_argument("run_directories", type=place, nargs="*", metavar="RUN", help=runs)
    parser.add_argument("--only", choices=(BLANKS, DEEPER), help="one of the two")
    add_options(parser, "data", "runs")
    made = "equations of more depths, made with `generate --counts 5=400 6=400 7=400 --out DIR` (default: none)"
    parser.add_argument("--deep-data", type=place, default=artifacts.RUNS / "data-deep", metavar="DIR", help=made)
    limit = "only the first N blanks: a trial, no result"
    parser.add_argument("--limit", type=positive_integer, metavar="N", help=limit)
    parser.add_argument("--again", action="store_true", help="also where the scores are there already")


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


def run(arguments: argparse.Namespace) -> int:
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
