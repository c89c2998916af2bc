"""What the campaigns share: attempts that are counted, seeded and resumable, and their results as one file.

A campaign is a function `step(number, random) -> Step`: attempt `number` with a generator of its own, so that every
attempt can be made again alone. What it counts is written to docs/reliability/NAME.json every few seconds; the same
command goes on from there, and a finished campaign is not run again unless --fresh says so.
"""

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from reproduction import artifacts

ROOT = artifacts.ROOT
RESULTS = ROOT / "docs" / "reliability"
SECONDS_BETWEEN_WRITES = 10.0
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


@cache
def code() -> str:
    """The commit that is checked out; not known where there is no git."""
    words = ("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    if not shutil.which(words[0]):
        return "unknown"
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


class State:
    """How far a campaign has come."""

    def __init__(self, path: Path, campaign: Campaign, seed: int, fresh: bool = False):
        self._path, self._campaign, self._seed = path, campaign, seed
        stored = {} if fresh or not path.is_file() else artifacts.read_json(path)
        if stored.get("seed") != seed:
            stored = {}
        self.steps: int = stored.get("steps", 0)
        self.counts: Counter = Counter(stored.get("counts", {}))
        self.findings: list[str] = list(stored.get("findings", ()))
        self.seconds: float = stored.get("seconds", 0.0)

    @property
    def attempts(self) -> int:
        return sum(self.counts.values())

    def add(self, step: Step, seconds: float) -> None:
        self.steps += 1
        self.counts.update(step.counts)
        self.findings += step.findings
        self.seconds += seconds

    def write(self) -> None:
        content = {
            "campaign": self._campaign.name,
            "command": f"./run_all.sh test-{self._campaign.name}",
            "code": code(),
            "seed": self._seed,
            "steps": self.steps,
            "attempts": self.attempts,
            "counts": dict(sorted(self.counts.items())),
            "findings_in_all": len(self.findings),
            "findings": self.findings[:MOST_FINDINGS],
            "seconds": round(self.seconds, 1),
        }
        artifacts.write_json(self._path, content)


def random_of(campaign: Campaign, seed: int, number: int) -> Random:
    """The generator of one step: the same for the same campaign, seed and number."""
    return Random(f"{campaign.name} {seed} {number}")


def run(campaign: Campaign, path: Path, attempts: int, seed: int, fresh: bool = False, say=lambda line: None) -> State:
    """Steps until there are so many attempts, from where an earlier run stopped."""
    state = State(path, campaign, seed, fresh)
    written = time.monotonic()
    while state.attempts < attempts:
        started = time.monotonic()
        step = campaign.step(state.steps, random_of(campaign, seed, state.steps))
        state.add(step, time.monotonic() - started)
        for finding in step.findings:
            say(f"step {state.steps - 1}: {finding}")
        if time.monotonic() - written > SECONDS_BETWEEN_WRITES:
            state.write()
            written = time.monotonic()
            left = state.seconds / state.attempts * (attempts - state.attempts) if state.attempts else 0.0
            say(f"{state.attempts:,} of {attempts:,}, {len(state.findings)} findings, about {left / 60:.0f} min left")
    state.write()
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
