"""`study NAME`: the trainings of a study, and their rows; finished ones are recognised, interrupted ones go on."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .. import artifacts
from ..commands import add_options, check_writable, generate, import_authors
from ..data.manifest import is_whole
from ..errors import InputError
from ..studies.cluster import add_arguments as add_cluster_arguments
from ..studies.cluster import asked_cluster
from ..studies.core import studies
from ..studies.running import run_study
from .score import complete_runs

MAKERS: dict[str, Any] = {"generate": generate, "import-authors": import_authors}
HELP = "train what a study asks for, several at a time, and keep a row of every training"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = parser.add_subparsers(dest="study", metavar="NAME", required=True, title="studies")
    for study in studies().values():
        below = names.add_parser(study.name, help=study.help, description=study.help)
        study.options(below)
        seeds = f"seeds 0 to N-1 (default: {study.seeds})" if study.seeds else "without effect: one seed is asked for"
        add_options(below, "seeds", default=study.seeds, help=seeds)
        add_options(below, "epochs", help="instead of each network's own: a trial, no result")
        add_options(below, "data")
        add_options(below, "runs", help="for the rows and the trainings (default: the workspace's)")
        add_options(below, "replace", help="also where rows are taken away or were asked for differently")
        add_cluster_arguments(below)
        if artifacts.IS_SMOKE:
            below.set_defaults(**study.smoke)


def run(arguments: argparse.Namespace) -> int:
    study = studies()[arguments.study]
    _refuse_other_data(arguments.data, arguments.runs)
    check_writable(arguments.runs)
    for name, words in study.data_sets(arguments).items():
        _make_data(Path(arguments.runs) / name, words)
    with asked_cluster(arguments) as cluster:
        return run_study(study, arguments, cluster, complete_runs)


def _refuse_other_data(data: Path, runs: Path) -> None:
    """Rows of data from elsewhere must not come beside the workspace's own."""
    is_other = artifacts.resolved(data) != artifacts.resolved(artifacts.DATA)
    if is_other and artifacts.resolved(runs) == artifacts.resolved(artifacts.RUNS):
        remedy = "name a directory for the rows with --runs, or that of data and runs with --workspace"
        raise InputError(f"--data {data}: not the workspace's data set, {artifacts.DATA}; {remedy}")


def _make_data(directory: Path, words: Sequence[str]) -> None:
    """The data set that a command makes; one that is there is kept, unless its words replace it."""
    if is_whole(directory) and "--replace" not in words:
        print(f"{directory}: this data set is kept")
        return
    parser = argparse.ArgumentParser()
    command = MAKERS[words[0]]
    command.add_arguments(parser)
    command.run(parser.parse_args([*words[1:], f"--out={directory}"]))
