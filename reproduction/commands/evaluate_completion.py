"""`evaluate-completion`: what runs score in filling blanks of their test equations (Figures 3 and 4)."""

import argparse
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, place, positive_integer, sympy_answers
from ..completion.evaluation import Task, evaluate, make_task
from ..completion.runs import heading, is_done, load_scorer, write_results
from ..data import dataset
from ..data.dataset import GENERALIZATION
from ..data.splits import stored_split
from ..errors import InputError
from ..judges.oracle import Oracle
from ..locks import owned
from ..studies.core import studies
from ..studies.recording import trained
from ..studies.running import record_scores
from ..training.run_directory import PARAMETERS, FinishedRun, trained_run

EXPERIMENTS = "experiments"  # the study whose trainings are scored
HELP = "fill blanks in the test equations of finished runs, and score them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    runs = "directories that `train` made (default: the experiments on the random split)"
    parser.add_argument("run_directories", type=place, nargs="*", metavar="RUN", help=runs)
    limit = "only the first N blanks: a trial, no result"
    parser.add_argument("--limit", type=positive_integer, metavar="N", help=limit)
    add_options(parser, "data")
    parser.add_argument("--again", action="store_true", help="also where the results are there already")


def _finished_runs() -> list[Path]:
    """The trainings on the random split behind the tables, one seed after the other, as its blanks are the same."""
    found = trained(artifacts.RUNS, EXPERIMENTS)
    runs = [run for row, run in found if (row["split"], row.get("fraction", 1)) == (GENERALIZATION, 1)]
    runs.sort(key=lambda run: run.seed)
    return [run.directory for run in runs if (run.directory / PARAMETERS).is_file()]


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


def _evaluate(run: FinishedRun, task: Task, head: dict) -> None:
    """Scores one run and writes its files."""
    started = time.monotonic()
    scorer = load_scorer(run, task.dataset.functions)
    with (
        Oracle(sympy_answers()) as oracle,
        tqdm(total=len(task.symbolic), desc=run.directory.name, unit="blank", disable=None) as bar,
    ):
        results, examples = evaluate(task, scorer, run.configuration.decodes, oracle, artifacts.CACHE, bar.update)
    write_results(run.directory, head, results, examples)
    print(f"{run.directory}: {_sentence(results)}; {time.monotonic() - started:.0f} s")


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
        if task_of != (run.split, run.seed):
            task_of = (run.split, run.seed)
            split = stored_split(records, data, *task_of)
            task = make_task(records, split, artifacts.CACHE, limit, watch)
        if task.split.checksum != run.split_checksum:
            raise InputError(
                f"{directory}: learned from another split {run.split} of seed {run.seed} than that in {data}"
            )
        with owned(directory):
            _evaluate(run, task, head)


def run(arguments: argparse.Namespace) -> int:
    directories = arguments.run_directories or _finished_runs()
    if not directories:
        raise InputError(f"{artifacts.RUNS}: there is no finished training on the random split to score")
    complete_runs(directories, arguments.data, arguments.limit, arguments.again)
    record_scores(artifacts.RUNS, studies()[EXPERIMENTS])
    return 0
