"""What the campaigns share: attempts that are counted, seeded and resumable, and their results as one file.

A campaign is a function `step(number, random) -> Step`: attempt `number` with a generator of its own, so that every
attempt can be made again alone. What it counts is written to docs/reliability/NAME.json every few seconds; the same
command goes on from there, and a finished campaign is not run again unless --fresh says so.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from reproduction import artifacts

ROOT = artifacts.ROOT
RESULTS = ROOT / "docs" / "reliability"
SECONDS_BETWEEN_WRITES = 10.0
SECONDS_TO_END = 30.0  # for what a process that has ended had started
MOST_FINDINGS = 200  # that are written out; all are counted


class Step(NamedTuple):
    """What one step of a campaign did: how many attempts ended in which way, and what should not have happened."""

    counts: Mapping[str, int]
    findings: tuple[str, ...] = ()


class Campaign(NamedTuple):
    """A name, how many attempts it makes at least, and the step that makes some of them."""

    name: str
    attempts: int
    step: Callable[[int, Random], Step]


class State:
    """How far a campaign has come."""

    def __init__(self, stored: dict):
        self.steps: int = stored.get("steps", 0)
        self.counts: Counter = Counter(stored.get("counts", {}))
        self.findings: list[str] = list(stored.get("findings", ()))
        self.seconds: float = stored.get("seconds", 0.0)

    @property
    def attempts(self) -> int:
        return self.counts.total()

    def write(self, path: Path, name: str, seed: int) -> None:
        content = {
            "campaign": name,
            "command": f"./run_all.sh test-{name}" + (f" --seed {seed}" if seed else ""),
            "code": code(),
            "seed": seed,
            "steps": self.steps,
            "attempts": self.attempts,
            "counts": dict(sorted(self.counts.items())),
            "findings_in_all": len(self.findings),
            "findings": self.findings[:MOST_FINDINGS],
            "seconds": round(self.seconds, 1),
        }
        artifacts.write_json(path, content)


@cache
def code() -> str:
    """The commit that is checked out; not known where there is no git."""
    words = ("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    if not shutil.which(words[0]):
        return "unknown"
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def random_of(campaign: Campaign, seed: int, number: int) -> Random:
    """The generator of one step: the same for the same campaign, seed and number."""
    return Random(f"{campaign.name} {seed} {number}")


def run(campaign: Campaign, path: Path, attempts: int, seed: int, fresh: bool = False, say=lambda line: None) -> State:
    """Steps until there are so many attempts, from where an earlier run stopped."""
    stored = {} if fresh or not path.is_file() else artifacts.read_json(path)
    state, written = State(stored if stored.get("seed") == seed else {}), time.monotonic()
    while state.attempts < attempts:
        started = time.monotonic()
        step = campaign.step(state.steps, random_of(campaign, seed, state.steps))
        state.counts.update(step.counts)
        state.findings += step.findings
        state.seconds += time.monotonic() - started
        for finding in step.findings:
            say(f"step {state.steps}: {finding}")
        state.steps += 1
        if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
            state.write(path, campaign.name, seed)
            written = time.monotonic()
            left = state.seconds / max(state.attempts, 1) * (attempts - state.attempts)
            say(f"{state.attempts:,} of {attempts:,}, {len(state.findings)} findings, about {left / 60:.0f} min left")
    state.write(path, campaign.name, seed)
    return state


def main(campaign: Campaign, words: list[str] | None = None) -> int:
    """The command line of a campaign; exit code 1 if there is a finding."""
    parser = argparse.ArgumentParser(description=campaign.name)
    parser.add_argument("--attempts", type=int, default=campaign.attempts, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fresh", action="store_true", help="from the beginning, not from where it was stopped")
    parser.add_argument("--step", type=int, metavar="N", help="only make this step again, and say what it found")
    parser.add_argument("--out", type=Path, default=RESULTS / f"{campaign.name}.json", metavar="FILE")
    asked = parser.parse_args(words)

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    if asked.step is not None:
        step = campaign.step(asked.step, random_of(campaign, asked.seed, asked.step))
        say(json.dumps(step._asdict(), indent=1))
        return 1 if step.findings else 0
    state = run(campaign, asked.out, asked.attempts, asked.seed, asked.fresh, say)
    say(f"{campaign.name}: {state.attempts:,} attempts, {len(state.findings)} findings; {asked.out}")
    return 1 if state.findings else 0


def left_behind(session: int) -> list[int]:
    """The processes of a session whose first one has ended that do not end by themselves; they are killed."""
    deadline = time.monotonic() + SECONDS_TO_END
    while (found := _running(session)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for process in found:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return found


def _running(session: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, own = path.read_text().rpartition(")")[2].split()[:4]
            found += [int(path.parent.name)] * (int(own) == session and state not in "ZX")
    return found
