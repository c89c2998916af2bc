"""Outcomes of many trainings, each a process of its own, started for the workers of a Dask cluster.

A training that is recorded is never done again, whoever asks: its process locks the directory. If the scheduler takes a
worker for dead and gives its training to another one, that one waits and then finds the record. All machines have to
see the same files under the same paths.
"""

import pickle
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from distributed import Client, Future, as_completed
from tqdm import tqdm

from ..data.dataset import fingerprint_of
from ..errors import InputError, excerpt
from ..training.run_directory import read_run, remove_remains
from . import starter
from .cluster import Cluster, how_to_start, scheduler_at
from .starter import StarterGoneError, run_anew, run_forked
from .trainings import Data, Training, code_digest

LOG = "train.log"
RETRIES = 2  # of a training that was killed; how often workers may die is Dask's setting allowed-failures
MOST_CHARACTERS = 400  # of what Dask says about a failure
SECONDS_TO_APPEAR = 60.0  # network file systems show new files late


class Outcome(NamedTuple):
    """A training that is done with: recorded before it was asked for, recorded now, or failed with a sentence."""

    training: Training
    seconds: float
    error: str | None = None
    was_recorded: bool = False


class TrainingKilledError(Exception):
    """The process of a training was killed; Dask tries again."""


# ------------------------------------------------------------------------------------------------ on a worker


def why_unfit(data: Data, code: str | None) -> str | None:
    """A sentence if this machine has other code or other data than a training is asked for with; else None.

    The code is that which this process has loaded: a worker that lived through a change of the sources is unfit, too.
    """
    here = f"the worker on {socket.gethostname()}"
    if code is not None and (own := code_digest()) != code:
        return f"{here} has another version of the code ({own}, not {code}): all machines need the same sources"
    try:
        found = fingerprint_of(data.directory)
    except InputError:
        return f"{here} does not see {data.directory}: all machines need the same files under the same paths"
    if found != data.fingerprint:
        return f"{here} has other data in {data.directory} ({found}, not {data.fingerprint})"
    return None


def train_here(training: Training, program: str, code: str | None = None) -> Outcome | str:
    """What became of a training; a sentence instead if this worker must not train."""
    if sentence := why_unfit(training.data, code):
        return sentence
    started = time.monotonic()
    training.directory.mkdir(parents=True, exist_ok=True)
    path = training.directory / LOG
    with path.open("ab") as log:
        before = log.tell()
        is_cpu = training.configuration.device == "cpu"
        run = run_forked if is_cpu and sys.platform == "linux" else run_anew
        try:
            ended = run(program, pickle.dumps(training), log)
        except StarterGoneError:
            ended = -signal.SIGKILL
    if ended < 0:
        raise TrainingKilledError(f"killed by signal {-ended} again and again (log: {path})")
    if not ended:
        return Outcome(training, time.monotonic() - started)
    said = path.read_bytes()[before:].decode("utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(said) if line.strip()), "it said nothing")
    return Outcome(training, 0.0, f"exit code {ended}: {last} (log: {path})")


def portable_task(module: str = __name__) -> Callable[[bytes], Outcome | str]:
    """A task that runs a pickled training on any worker: its outcome, or a sentence if the worker must not train.

    Dask sends a function that another one made as code, not as a name. So schedulers need not have the project, and a
    worker without it can say so.
    """
    start = how_to_start("worker ADDRESS --nthreads 1")

    def task(request):
        import importlib
        import pickle
        import socket

        try:
            workers = importlib.import_module(module)
        except ImportError as error:
            here = f"the worker on {socket.gethostname()}"
            return f"{here} cannot import the project ({error}): stop it, and start it with {start}"
        return workers.train_here(*pickle.loads(request))

    return task


# ------------------------------------------------------------------------------------------------ who asks for them


def _is_visible(training: Training) -> bool:
    """Whether the record of a finished training can be seen from here, now or soon."""
    deadline = time.monotonic() + SECONDS_TO_APPEAR
    while not training.is_recorded:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.5)
    return True


def _outcome(training: Training, future: Future, scheduler: str) -> Outcome:
    """What became of a task; one that the scheduler no longer knows means that the scheduler is gone."""
    if future.status == "error":
        return Outcome(training, 0.0, excerpt(" ".join(str(future.exception()).split()), MOST_CHARACTERS))
    with scheduler_at(scheduler):
        outcome = future.result()
    if isinstance(outcome, str):
        raise InputError(f"{outcome}; stop or update it, and the same command goes on from what is recorded")
    if outcome.error is None and not _is_visible(training):
        return outcome._replace(error=f"its results do not appear in {training.directory}, seen from here")
    return outcome


def outcomes_of(
    trainings: Sequence[Training], client: Client, program: str, code: str | None = None
) -> Iterator[Outcome]:
    """Outcomes as they come; failures do not stop the others, a worker with other code or data is refused."""
    session = uuid.uuid4().hex[:8]  # a task is never taken for one of an earlier client
    keys = [(f"training-{session}", training.directory.name) for training in trainings]
    requests = [pickle.dumps((training, program, code)) for training in trainings]
    futures = client.map(portable_task(), requests, key=keys, retries=RETRIES)
    by_key, scheduler = dict(zip(keys, trainings, strict=True)), client.scheduler.address
    for future in as_completed(futures):
        yield _outcome(by_key[future.key], future, scheduler)
        future.release()


def seconds_left(done: Iterable[Outcome], waiting: Collection[Training], at_a_time: int) -> float:
    """How long the rest takes if an epoch takes as long as those of finished trainings."""

    def cost(training: Training) -> float:  # scoring takes part of an epoch, however little is learned
        return training.configuration.epochs * (0.2 + 0.8 * training.configuration.fraction)

    seconds, paid = (sum(each) for each in zip(*((each.seconds, cost(each.training)) for each in done), strict=True))
    return seconds / paid * sum(map(cost, waiting)) / max(at_a_time, 1)


def duration(seconds: float) -> str:
    """`40 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def say(line: str) -> None:
    """A line above the progress bar, at once even if it goes to a file."""
    tqdm.write(line)
    sys.stdout.flush()


def follow(trainings: Iterable[Training], cluster: Cluster) -> list[Outcome]:
    """What became of all trainings, with a line for each on the way; recorded ones are only counted.

    `[ 5/24] tree-lstm-strict-0: test 95.31 %, best epoch 90 of 100, 81 s; about 12 min left`.
    """
    waiting = {training.directory: training for training in trainings}
    total, outcomes = len(waiting), []
    for training in [each for each in waiting.values() if each.is_recorded]:
        outcomes.append(Outcome(waiting.pop(training.directory), 0.0, was_recorded=True))
        if not training.is_continued:
            remove_remains(training.directory)
    before = f", {len(outcomes)} of them finished before" if outcomes else ""
    say(f"trainings: {total}{before}" + (f"; {cluster.description()}" if waiting else ""))
    if not waiting:
        return outcomes
    with tqdm(total=total, initial=len(outcomes), unit="training", disable=None) as bar:
        for outcome in outcomes_of(tuple(waiting.values()), cluster.client, starter.PROGRAM, cluster.code):
            training = waiting.pop(outcome.training.directory)
            outcomes.append(outcome)
            done = [each for each in outcomes if not each.error and not each.was_recorded]
            said = f"failed, {outcome.error}" if outcome.error else read_run(training.directory).summary
            if done and waiting:
                said += f"; about {duration(seconds_left(done, waiting.values(), cluster.size))} left"
            say(f"[{len(outcomes):{len(str(total))}}/{total}] {training.name}: {said}")
            bar.update()
    return outcomes


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """1 if a training failed, else 0; says on the way which did, and why."""
    failed = [f"{outcome.training.name} failed: {outcome.error}\n" for outcome in outcomes if outcome.error]
    sys.stderr.writelines(failed)
    return 1 if failed else 0
