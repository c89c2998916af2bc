"""Trials that are run while a person watches: a line for each that is done, with the time that is left for the rest."""

import sys
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

from tqdm import tqdm

from ..models import MODELS
from ..training.run_directory import read_run, remove_remains
from . import runner, starter
from .cluster import Cluster
from .runner import TrialResult
from .trials import Trial

# About how many seconds an epoch takes by whether the model is a tree and has LSTM cells, until one has been seen.
USUAL_PACES = {(True, False): 0.05, (True, True): 0.2, (False, False): 0.1, (False, True): 0.3}


def _usual_pace(model: str) -> float:
    return USUAL_PACES[MODELS[model].is_tree, MODELS[model].is_lstm]


def cost(trial: Trial) -> float:
    """How long a trial takes, in a unit of its model: scoring takes part of an epoch, however little is trained on."""
    return trial.configuration.epochs * (0.2 + 0.8 * trial.configuration.fraction)


def seconds_left(done: Iterable[TrialResult], waiting: Collection[Trial], at_a_time: int) -> float | None:
    """How long the rest takes, judged by finished trials of the same model, or of others where there is none."""
    paces: dict[str, list[float]] = {}
    for result in done:
        paces.setdefault(result.trial.configuration.model, []).append(result.seconds / cost(result.trial))
    if not paces:
        return None
    means = {model: fmean(seconds) for model, seconds in paces.items()}
    slowness = fmean(pace / _usual_pace(model) for model, pace in means.items())  # of this machine, here and now
    models = {trial.configuration.model for trial in waiting}
    paces_left = {model: means.get(model, slowness * _usual_pace(model)) for model in models}
    return sum(paces_left[trial.configuration.model] * cost(trial) for trial in waiting) / max(at_a_time, 1)


def duration(seconds: float) -> str:
    """`40 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def progress_line(result: TrialResult, number: int, total: int, left: float | None) -> str:
    """`[ 5/24] tree-lstm-strict-0: test 95.31 %, best epoch 90 of 100, 81 s; about 12 min left`."""
    said = f"failed, {result.error}" if result.error else read_run(result.trial.directory).summary
    rest = f"; about {duration(left)} left" if left else ""
    return f"[{number:{len(str(total))}}/{total}] {result.trial.name}: {said}{rest}"


def say(line: str) -> None:
    """A line above the progress bar, at once even if it goes to a file."""
    tqdm.write(line)
    sys.stdout.flush()


def follow(trials: Sequence[Trial], cluster: Cluster) -> tuple[TrialResult, ...]:
    """What became of all trials, with a line for each on the way; those that were recorded before are only counted."""
    trials = tuple(dict.fromkeys(trials))
    for trial in (each for each in trials if each.is_recorded):
        if not trial.is_continued:
            remove_remains(trial.directory)
    recorded = tuple(TrialResult(trial, 0.0, was_recorded=True) for trial in trials if trial.is_recorded)
    waiting = dict.fromkeys(trial for trial in trials if not trial.is_recorded)
    before = f", {len(recorded)} of them finished before" if recorded else ""
    say(f"runs: {len(trials)}{before}" + (f"; {cluster.description()}" if waiting else ""))
    if not waiting:
        return recorded
    results: list[TrialResult] = []
    with tqdm(total=len(trials), initial=len(recorded), unit="run", disable=None) as bar:
        for result in runner.run_trials(tuple(waiting), cluster.client, starter.PROGRAM, cluster.code):
            del waiting[result.trial]
            results.append(result)
            left = seconds_left((done for done in results if not done.error), waiting, cluster.size)
            say(progress_line(result, len(trials) - len(waiting), len(trials), left))
            bar.update()
    return (*recorded, *results)


def exit_code(results: Iterable[TrialResult]) -> int:
    """1 if a trial failed, else 0; says on the way which did, and why."""
    failed = [f"{result.trial.name} failed: {result.error}\n" for result in results if result.error]
    sys.stderr.writelines(failed)
    return 1 if failed else 0
