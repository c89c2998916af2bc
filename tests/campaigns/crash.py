"""Kills at any moment, at every stage: the same command started again ends with the same files as without the kill.

Commands run in processes that are forked after the imports, on a data set of a few equations. After each kill nobody of
the process's session may be left, the command is started again, and what it leaves must be what an undisturbed run
left: the same bytes where nothing is a time, and no file that only a killed process would leave.
"""

import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from campaigns.campaign import Campaign, Step, left_behind, main
from support.small_data import write_small_dataset

from reproduction import artifacts, errors
from reproduction.__main__ import main as command_line
from reproduction.networks.fused.engine import load_operators
from reproduction.rows import CLOCK
from reproduction.training import loop

import gluonnlp  # isort: skip # noqa: F401 (a forked process has it; MXNet must be there, by networks.backend)

LONGEST = 600.0  # seconds that a command may take
NEVER_RAN = 99  # the exit code of a process that this file failed to bring to its command
TIMES = {"seconds", "seconds_to", "train_seconds", "peak_memory_mb", "seal", *CLOCK}
NOT_COMPARED = ("train.log", "sympy.sqlite", "sympy-times.json", "machine.json")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

RUN = "{runs}/trainings/mine"
TRAIN = "train --epochs 4 --hidden 6 --batch-size 16 --data {runs}/data"
GENERATE = "generate --split-seeds 1 --workers 1 --scale smoke --axioms {runs}/axioms.txt"
AXIOMS = "[one; paper]\nx + 0 = x\nx * 1 = x\nx + x = 2 * x\nsin(x)^2 + cos(x)^2 = 1\nx^1 = x\nsin(-x) = -sin(x)\n"
MADE = f"{GENERATE} --counts 1=4 2=12/6 3=10/5 --out {{runs}}/made"
STUDIED = "--workers 1 --epochs 1 --data {runs}/data --runs {runs}"
EXPERIMENTS = f"study experiments --models tree-nn --splits generalization --fractions {STUDIED}"


class Stage(NamedTuple):
    """A command, how often it is drawn, and the stage that must be done before."""

    command: str
    weight: int
    before: str | None = "deep data"


STAGES = {
    "deep data": Stage(f"{GENERATE} --counts 5=6 --out {{runs}}/deep", 1, None),
    "generate": Stage(MADE, 12),
    "generate --replace": Stage(f"{MADE} --seed 3 --replace", 12, "generate"),
    "train tree": Stage(f"{TRAIN} --model tree-lstm+data --out {RUN}", 16),
    "train chain": Stage(f"{TRAIN} --model lstm --out {{runs}}/trainings/chain", 12),
    "baselines": Stage("baselines --data {runs}/data --workers 1", 8),
    "completion": Stage(f"score --only blanks {RUN} --data {{runs}}/data", 10, "train tree"),
    "experiments": Stage(EXPERIMENTS, 10),
    "deep": Stage("score --only deep --runs {runs} --deep-data {runs}/deep", 10, "experiments"),
    "blanks": Stage("score --only blanks --runs {runs} --data {runs}/data", 6, "experiments"),
    "keep-best": Stage("keep-best --runs {runs} --out {runs}/pretrained", 4, "experiments"),
    "tables": Stage("report table-3 verdicts --runs {runs} --out {runs}/figures", 8, "blanks"),
    "report": Stage("report --runs {runs} --out {runs}/figures", 4, "blanks"),
    "protocol": Stage(f"study protocol --models tree-nn --splits generalization {STUDIED}", 6),
    "search": Stage(f"study search --models tree-nn --trials 2 --fewest-epochs 1 {STUDIED}", 6),
    "ablation": Stage(f"study ablation --models tree-nn --optimizers adadelta --tuning-epochs 1 {STUDIED}", 6),
}


# ------------------------------------------------------------------------------------------------ processes


def _start(stage: Stage, runs: Path, log: Path) -> int:
    """A process of its own that runs the command of a stage in a directory; what it says goes to a file."""
    load_operators()
    loop.CHECKPOINT_SECONDS = 0.02
    sys.stdout.flush()
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set(SIGNALS))  # until there is somebody to handle them
    child = os.fork()
    if child:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return child

    def command() -> int:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return command_line(stage.command.format(runs=runs).split())

    code = NEVER_RAN
    try:
        os.setsid()
        output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for number in (1, 2):
            os.dup2(output, number)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")  # a test runner has others
        os.environ[artifacts.WORKSPACE] = str(runs.parent)
        artifacts.enter(runs.parent)
        os.environ["TMPDIR"] = str(runs.parent / "tmp")
        tempfile.tempdir = None
        (runs.parent / "tmp").mkdir(exist_ok=True)
        code = errors.watched(command)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _wait(child: int, seconds: float) -> int | None:
    """The exit code as a shell has it; None if the process is still there after so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code
        time.sleep(0.005)
    return None


# ------------------------------------------------------------------------------------------------ what is compared


def _without_times(value):
    """A value of JSON without what a clock says."""
    if isinstance(value, dict):
        kept = {name: _without_times(each) for name, each in value.items() if name not in TIMES}
        if isinstance(kept.get("files"), dict):
            kept["files"].pop("history.jsonl", None)
        return kept
    return [_without_times(each) for each in value] if isinstance(value, list) else value


def _content(path: Path):
    if path.name in NOT_COMPARED:
        return "there"
    if path.suffix == ".json":
        return _without_times(json.loads(path.read_text()))
    if path.suffix == ".jsonl":
        return [_without_times(json.loads(line)) for line in path.read_text().splitlines()]
    return path.read_bytes()


def _tree(place: Path) -> dict:
    """Every file of a place with what is compared of it."""
    paths = (path for path in sorted(place.rglob("*")) if path.is_file())
    return {str(path.relative_to(place)): _content(path) for path in paths}


def _difference(found: dict, wanted: dict) -> str | None:
    for name in sorted({*found, *wanted}):
        if name not in wanted:
            return f"{name} is left behind"
        if name not in found:
            return f"{name} is missing"
        if found[name] != wanted[name]:
            return f"{name} differs from that of an undisturbed run"
    return None


# ------------------------------------------------------------------------------------------------ stages


class Reference(NamedTuple):
    """A stage before and after an undisturbed run, and the seconds that this took."""

    before: Path
    wanted: dict
    seconds: float


@cache
def _root() -> Path:
    return Path(tempfile.mkdtemp(prefix="crash-"))


@cache
def _reference(name: str) -> Reference:
    """A stage on its own copy of what it needs."""
    stage, place = STAGES[name], _root() / f"{name.replace(' ', '-')}-after"
    before = place.with_name(place.name.replace("-after", "-before"))
    if stage.before:
        _reference(stage.before)
        shutil.copytree(_root() / f"{stage.before.replace(' ', '-')}-after", before)
    else:
        write_small_dataset(before / "runs" / "data")
        artifacts.write_text(before / "runs" / "axioms.txt", AXIOMS)
    shutil.copytree(before, place)
    started = time.monotonic()
    code, said, _ = _run(stage, place)
    if code != 0:
        raise RuntimeError(f"{name} fails without a kill, exit code {code}: {said}")
    return Reference(before, _tree(place), time.monotonic() - started)


# ------------------------------------------------------------------------------------------------ an attempt


def without_directories(said: str) -> str:
    """What was said, with the names of files alone: where they lie is nobody's concern."""
    return re.sub(r"/(?:[^\s/\"']+/)+", "", said)


def _troubles(name: str, number: signal.Signals, code: int | None, said: str, left: list[int]) -> list[str]:
    """What is wrong with how a killed process ended."""
    found = []
    if code not in (0, 128 + number):
        found.append(f"exit code {code} after {number.name}: {without_directories(said)[-300:]!r}")
    if trace := re.search("(Traceback|Exception ignored).*", said, re.DOTALL):
        found.append(f"a traceback after {number.name}: {without_directories(trace[0])[:1500]!r}")
    if left:
        found.append(f"{len(left)} processes are left after {number.name}")
    return found


def _run(
    stage: Stage, place: Path, number: signal.Signals = signal.SIGKILL, delay: float = LONGEST
) -> tuple[int | None, str, list[int]]:
    """A process that is sent a signal after so many seconds: its exit code, what it said, who is left of it."""
    log = place / "log"
    child = _start(stage, place / "runs", log)
    code = _wait(child, delay)
    if code is None:
        os.kill(child, number)
        code = _wait(child, LONGEST)
    left = left_behind(child)
    said = log.read_text(errors="replace") if log.is_file() else ""
    log.unlink(missing_ok=True)
    return code, said, left


def attempt(step: int, draw: random.Random) -> Step:
    """One to three kills of a stage, then the same command again, to its end."""
    name = draw.choices(list(STAGES), [stage.weight for stage in STAGES.values()])[0]
    return kill_stage(name, draw)


def kill_stage(name: str, draw: random.Random) -> Step:
    stage, reference = STAGES[name], _reference(name)
    place = _root() / "work"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(reference.before, place)
    findings, kills, counts = [], draw.choice((1, 1, 2, 3)), {}
    for _ in range(kills):
        number = draw.choice(SIGNALS)
        code, said, left = _run(stage, place, number, draw.uniform(0, 0.9 * reference.seconds))
        findings += _troubles(name, number, code, said, left)
        if code == 128 + number:  # a command that ended before its kill counts for nothing
            counts[f"{name}, {number.name}"] = counts.get(f"{name}, {number.name}", 0) + 1
    code, said, _ = _run(stage, place)
    if code != 0:
        findings.append(f"exit code {code} when it was started again: {said[-300:]!r}")
    elif difference := _difference(_tree(place), reference.wanted):
        findings.append(difference)
    return Step(counts, tuple(f"{name}: {finding}" for finding in findings))


CAMPAIGN = Campaign("crash", 400, attempt)

if __name__ == "__main__":
    try:
        sys.exit(main(CAMPAIGN))
    finally:
        if _root.cache_info().currsize:
            shutil.rmtree(_root(), ignore_errors=True)
