"""Results of many trainings, each a process of its own, started for the workers of a Dask cluster.

A trial that is recorded is never run again, whoever asks. Its log carries a lock that the process of the training
inherits: if the scheduler takes a worker for dead and gives its trial to another one, that one waits and then finds the
record. All machines have to see the same files under the same paths.
"""

import fcntl
import inspect
import pickle
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from distributed import Client, Future, as_completed

from ..errors import InputError, excerpt
from .cluster import how_to_start, scheduler_at
from .starter import StarterGoneError, run_anew, run_forked
from .trials import Trial
from .versions import why_unfit

LOG = "train.log"
RETRIES = 2  # of a training that was killed; how often workers may die is Dask's setting allowed-failures
MOST_CHARACTERS = 400  # of what Dask says about a failure
UNREADABLE = "Error during deserialization of the task graph"  # how Dask's scheduler begins
GOES_ON = "the same command goes on from what is recorded"
SECONDS_TO_APPEAR = 60.0  # network file systems show new files late


class TrialResult(NamedTuple):
    """A trial that is done with: recorded before it was asked for, recorded now, or failed with a sentence."""

    trial: Trial
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


def _train(trial: Trial, program: str, version: str | None) -> str | None:
    """What went wrong with the training, if anything did; runs on a worker."""
    if trial.other_setting:
        return f"{trial.directory} is of a run with {trial.other_setting}; remove it to train again"
    trial.directory.mkdir(parents=True, exist_ok=True)
    path = trial.directory / LOG
    with path.open("ab") as log:
        fcntl.flock(log, fcntl.LOCK_EX)
        if trial.is_recorded:
            return None
        started_at = log.tell()
        is_cpu = trial.configuration.device == "cpu"
        run = run_forked if is_cpu and sys.platform == "linux" else run_anew
        try:
            code = run(program, trial.words, log, version)
        except StarterGoneError:
            code = -signal.SIGKILL
    if code < 0:
        raise TrainingKilledError(f"killed by signal {-code} again and again (log: {path})")
    return f"exit code {code}: {_last_words(path.read_bytes()[started_at:])} (log: {path})" if code else None


def run_trial(trial: Trial, program: str, code: str | None = None) -> TrialResult:
    """What became of one trial; runs on a worker, which has to have the data, and this version of the code if given."""
    started = time.monotonic()
    if sentence := why_unfit(trial.data, code):
        return TrialResult(trial, 0.0, sentence, is_unfit=True)
    error = _train(trial, program, code)
    return TrialResult(trial, time.monotonic() - started, error)


# What a worker has to take and to give; one that lived through a change of the sources may have another.
INTERFACE = (*inspect.signature(run_trial).parameters, *Trial.__dataclass_fields__, *TrialResult._fields)


def portable_task(module: str = __name__, interface: Sequence[str] = INTERFACE) -> Callable[[bytes], TrialResult | str]:
    """A task that runs a pickled trial on any worker: its result, or a sentence if the worker has not this project.

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
            runner = importlib.import_module(module)
        except ImportError as error:
            return f"{here} cannot import the project ({error}): stop it, and start it with {start}"
        if getattr(runner, "INTERFACE", None) != interface:
            return f"{here} has loaded another version of the code: stop it, or start it again with the same sources"
        return runner.run_trial(*pickle.loads(request))

    return task


def _is_visible(trial: Trial) -> bool:
    """Whether the record of a finished trial can be seen from here, now or soon."""
    deadline = time.monotonic() + SECONDS_TO_APPEAR
    while not trial.is_recorded and time.monotonic() < deadline:
        time.sleep(0.5)
    return trial.is_recorded


def _result(trial: Trial, future: Future, scheduler: str) -> TrialResult:
    """What became of a task; one that the scheduler no longer knows means that the scheduler is gone."""
    if future.status == "error":
        return TrialResult(trial, 0.0, _failure(future.exception(), scheduler))
    with scheduler_at(scheduler):
        result = future.result()
    if isinstance(result, str):
        raise InputError(f"{result}; {GOES_ON}")
    if result.is_unfit:
        raise InputError(f"{result.error}; stop or update it, and {GOES_ON}")
    if result.error is None and not _is_visible(trial):
        return result._replace(error=f"its results do not appear in {trial.directory}, seen from here")
    return result


def _failure(error: BaseException, scheduler: str) -> str:
    """What Dask says about one trial, on one line; what it would say about all of them is refused."""
    said = " ".join(str(error).split())
    if said.startswith(UNREADABLE):
        raise InputError(
            f"the Dask scheduler at {scheduler} cannot read what it is sent, as its Python or its packages are others: "
            f"stop it, and start it with {how_to_start('scheduler')}; {GOES_ON}"
        )
    return excerpt(said, MOST_CHARACTERS)


def run_trials(trials: Sequence[Trial], client: Client, program: str, code: str | None = None) -> Iterator[TrialResult]:
    """Results as they come; trials that are recorded are not run, and failures do not stop the others.

    A worker with other code or data would: it is refused.
    """
    session = uuid.uuid4().hex[:8]  # a task is never taken for one of an earlier client
    keys = [(f"trial-{session}", trial.name) for trial in trials]
    requests = [pickle.dumps((trial, program, code)) for trial in trials]
    futures = client.map(portable_task(), requests, key=keys, retries=RETRIES)
    by_key, scheduler = dict(zip(keys, trials, strict=True)), client.scheduler.address
    for future in as_completed(futures):
        yield _result(by_key[future.key], future, scheduler)
        future.release()
