"""Outcomes of many trainings, each a process of its own, started for the workers of a Dask cluster.

A training that is recorded is never done again, whoever asks. Its log carries a lock that the process of the training
inherits: if the scheduler takes a worker for dead and gives its training to another one, that one waits and then finds
the record. All machines have to see the same files under the same paths.
"""

import fcntl
import inspect
import pickle
import signal
import socket
import sys
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from distributed import Client, Future, as_completed
from tqdm import tqdm

from ..data.dataset import fingerprint_of
from ..errors import InputError, excerpt
from ..models import MODELS
from ..training.run_directory import read_run, remove_remains
from . import starter
from .cluster import Cluster, how_to_start, scheduler_at
from .recording import code_digest
from .starter import StarterGoneError, run_anew, run_forked
from .trainings import Data, Training

LOG = "train.log"
RETRIES = 2  # of a training that was killed; how often workers may die is Dask's setting allowed-failures
MOST_CHARACTERS = 400  # of what Dask says about a failure
UNREADABLE = "Error during deserialization of the task graph"  # how Dask's scheduler begins
GOES_ON = "the same command goes on from what is recorded"
SECONDS_TO_APPEAR = 60.0  # network file systems show new files late


class Outcome(NamedTuple):
    """A training that is done with: recorded before it was asked for, recorded now, or failed with a sentence."""

    training: Training
    seconds: float
    error: str | None = None
    was_recorded: bool = False
    is_unfit: bool = False  # whether the worker has other code or data, so that it must not train


class TrainingKilledError(Exception):
    """The process of a training was killed; Dask tries again."""


def _last_words(text: bytes) -> str:
    """The last line that says something."""
    lines = text.decode("utf-8", errors="replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def why_unfit(data: Data, code: str | None) -> str | None:
    """A sentence if this machine has other code or other data than a training is asked for with; else None."""
    here = f"the worker on {socket.gethostname()}"
    if code is not None and (own := code_digest()) != code:
        return f"{here} has another version of the code ({own}, not {code}): all machines need the same sources"
    try:
        found = fingerprint_of(data.directory) if data.directory.is_dir() else None
    except InputError:
        found = None
    if found is None:
        return f"{here} does not see {data.directory}: all machines need the same files under the same paths"
    if found != data.fingerprint:
        return f"{here} has other data in {data.directory} ({found}, not {data.fingerprint})"
    return None


def _train(training: Training, program: str, version: str | None) -> str | None:
    """What went wrong with the training, if anything did; runs on a worker."""
    training.directory.mkdir(parents=True, exist_ok=True)
    path = training.directory / LOG
    with path.open("ab") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        try:
            if training.is_recorded:
                return None
        except InputError as error:
            return str(error)
        started_at = log.tell()
        is_cpu = training.configuration.device == "cpu"
        run = run_forked if is_cpu and sys.platform == "linux" else run_anew
        try:
            code = run(program, training.request, log, version)
        except StarterGoneError:
            code = -signal.SIGKILL
    if code < 0:
        raise TrainingKilledError(f"killed by signal {-code} again and again (log: {path})")
    return f"exit code {code}: {_last_words(path.read_bytes()[started_at:])} (log: {path})" if code else None


def train_here(training: Training, program: str, code: str | None = None) -> Outcome:
    """What became of a training; runs on a worker, which must have the data, and this version of the code if given."""
    started = time.monotonic()
    if sentence := why_unfit(training.data, code):
        return Outcome(training, 0.0, sentence, is_unfit=True)
    error = _train(training, program, code)
    return Outcome(training, time.monotonic() - started, error)


# What a worker has to take and to give; one that lived through a change of the sources may have another.
INTERFACE = (*inspect.signature(train_here).parameters, *Training.__dataclass_fields__, *Outcome._fields)


def portable_task(module: str = __name__, interface: Sequence[str] = INTERFACE) -> Callable[[bytes], Outcome | str]:
    """A task that runs a pickled training on any worker: its outcome, or a sentence if the worker has not this project.

    Dask sends a function that another one made as code, not as a name. So schedulers need not have the project, and a
    worker without it, or with an older one, can say so.
    """
    start = how_to_start("worker ADDRESS --nthreads 1")

    def task(request):
        import importlib
        import pickle
        import socket

        here = f"the worker on {socket.gethostname()}"
        try:
            workers = importlib.import_module(module)
        except ImportError as error:
            return f"{here} cannot import the project ({error}): stop it, and start it with {start}"
        if getattr(workers, "INTERFACE", None) != interface:
            return f"{here} has loaded another version of the code: stop it, or start it again with the same sources"
        return workers.train_here(*pickle.loads(request))

    return task


def _is_visible(training: Training) -> bool:
    """Whether the record of a finished training can be seen from here, now or soon."""
    deadline = time.monotonic() + SECONDS_TO_APPEAR
    while not training.is_recorded and time.monotonic() < deadline:
        time.sleep(0.5)
    return training.is_recorded


def _outcome(training: Training, future: Future, scheduler: str) -> Outcome:
    """What became of a task; one that the scheduler no longer knows means that the scheduler is gone."""
    if future.status == "error":
        return Outcome(training, 0.0, _failure(future.exception(), scheduler))
    with scheduler_at(scheduler):
        outcome = future.result()
    if isinstance(outcome, str):
        raise InputError(f"{outcome}; {GOES_ON}")
    if outcome.is_unfit:
        raise InputError(f"{outcome.error}; stop or update it, and {GOES_ON}")
    if outcome.error is None and not _is_visible(training):
        return outcome._replace(error=f"its results do not appear in {training.directory}, seen from here")
    return outcome


def _failure(error: BaseException, scheduler: str) -> str:
    """What Dask says about one training, on one line; what it would say about all of them is refused."""
    said = " ".join(str(error).split())
    if said.startswith(UNREADABLE):
        raise InputError(
            f"the Dask scheduler at {scheduler} cannot read what it is sent, as its Python or its packages are others: "
            f"stop it, and start it with {how_to_start('scheduler')}; {GOES_ON}"
        )
    return excerpt(said, MOST_CHARACTERS)


def outcomes_of(
    trainings: Sequence[Training], client: Client, program: str, code: str | None = None
) -> Iterator[Outcome]:
    """Outcomes as they come; trainings that are recorded are not done again, and failures do not stop the others.

    A worker with other code or data would: it is refused.
    """
    session = uuid.uuid4().hex[:8]  # a task is never taken for one of an earlier client
    keys = [(f"training-{session}", training.directory.name) for training in trainings]
    requests = [pickle.dumps((training, program, code)) for training in trainings]
    futures = client.map(portable_task(), requests, key=keys, retries=RETRIES)
    by_key, scheduler = dict(zip(keys, trainings, strict=True)), client.scheduler.address
    for future in as_completed(futures):
        yield _outcome(by_key[future.key], future, scheduler)
        future.release()


# ------------------------------------------------------------------------------------------------ for who watches

# About how many seconds an epoch takes by whether the model is a tree and has LSTM cells, until one has been seen.
USUAL_PACES = {(True, False): 0.05, (True, True): 0.2, (False, False): 0.1, (False, True): 0.3}


def _usual_pace(model: str) -> float:
    return USUAL_PACES[MODELS[model].is_tree, MODELS[model].is_lstm]


def cost(training: Training) -> float:
    """How long a training takes, in a unit of its model: scoring takes part of an epoch, however little is learned."""
    return training.configuration.epochs * (0.2 + 0.8 * training.configuration.fraction)


def seconds_left(done: Iterable[Outcome], waiting: Collection[Training], at_a_time: int) -> float | None:
    """How long the rest takes, judged by finished trainings of the same model, or of others where there is none."""
    paces: dict[str, list[float]] = {}
    for outcome in done:
        paces.setdefault(outcome.training.configuration.model, []).append(outcome.seconds / cost(outcome.training))
    if not paces:
        return None
    means = {model: fmean(seconds) for model, seconds in paces.items()}
    slowness = fmean(pace / _usual_pace(model) for model, pace in means.items())  # of this machine, here and now
    models = {training.configuration.model for training in waiting}
    paces_left = {model: means.get(model, slowness * _usual_pace(model)) for model in models}
    return sum(paces_left[each.configuration.model] * cost(each) for each in waiting) / max(at_a_time, 1)


def duration(seconds: float) -> str:
    """`40 s`, `12 min` or `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def progress_line(outcome: Outcome, number: int, total: int, left: float | None) -> str:
    """`[ 5/24] tree-lstm-strict-0: test 95.31 %, best epoch 90 of 100, 81 s; about 12 min left`."""
    said = f"failed, {outcome.error}" if outcome.error else read_run(outcome.training.directory).summary
    rest = f"; about {duration(left)} left" if left else ""
    return f"[{number:{len(str(total))}}/{total}] {outcome.training.name}: {said}{rest}"


def say(line: str) -> None:
    """A line above the progress bar, at once even if it goes to a file."""
    tqdm.write(line)
    sys.stdout.flush()


def follow(trainings: Iterable[Training], cluster: Cluster) -> tuple[Outcome, ...]:
    """What became of all trainings, with a line for each on the way; recorded ones are only counted."""
    each_once = {training.directory: training for training in trainings}.values()
    recorded = [training for training in each_once if training.is_recorded]
    waiting = {training.directory: training for training in each_once if training not in recorded}
    for training in recorded:
        if not training.is_continued:
            remove_remains(training.directory)
    outcomes = [Outcome(training, 0.0, was_recorded=True) for training in recorded]
    total, before = len(each_once), f", {len(recorded)} of them finished before" if recorded else ""
    say(f"trainings: {total}{before}" + (f"; {cluster.description()}" if waiting else ""))
    if not waiting:
        return tuple(outcomes)
    with tqdm(total=total, initial=len(recorded), unit="training", disable=None) as bar:
        for outcome in outcomes_of(tuple(waiting.values()), cluster.client, starter.PROGRAM, cluster.code):
            del waiting[outcome.training.directory]
            outcomes.append(outcome)
            done = [each for each in outcomes if not each.error and not each.was_recorded]
            left = seconds_left(done, waiting.values(), cluster.size)
            say(progress_line(outcome, total - len(waiting), total, left))
            bar.update()
    return tuple(outcomes)


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """1 if a training failed, else 0; says on the way which did, and why."""
    failed = [f"{outcome.training.name} failed: {outcome.error}\n" for outcome in outcomes if outcome.error]
    sys.stderr.writelines(failed)
    return 1 if failed else 0
