"""What the tests of trials share: a directory that passes for a data set, and a cluster that is this process."""

from pathlib import Path

from support.stand_in_training import note, write_record

from reproduction.data.dataset import SPLIT_NAMES
from reproduction.data.manifest import finish, manifest_of
from reproduction.sweeps.runner import TrialResult
from reproduction.sweeps.trials import Data, Trial, data_at
from reproduction.training.configuration import make_configuration


def write_stand_in_data(directory: Path, seeds: int = 3, content: str = "") -> Data:
    """A directory that passes for a data set, of which this is the content."""
    (directory / "splits").mkdir(parents=True)
    for name in ("symbolic", "numeric"):
        (directory / f"{name}.jsonl.gz").write_bytes(f"{name} {content}".encode())
    for split in SPLIT_NAMES:
        for seed in range(seeds):
            (directory / "splits" / f"{split}-{seed}.json").write_text(f"{split} {seed}")
    finish(manifest_of(directory, {}))
    return data_at(directory)


def some_trials(root: Path, data: Data, count: int) -> tuple[Trial, ...]:
    """Trials that differ in their seed."""
    configurations = [make_configuration("tree-lstm+data", "strict", seed, epochs=3) for seed in range(count)]
    return tuple(Trial(f"t{seed}", root / f"t{seed}", asked, data) for seed, asked in enumerate(configurations))


def run_here(trials) -> list[TrialResult]:
    """What a cluster would do with the stand-in, in this process."""
    results = []
    for trial in trials:
        before = trial.is_recorded
        if not before:
            trial.directory.mkdir(parents=True, exist_ok=True)
            note(trial.directory, "start")
            begins = "--continue-from" in trial.words
            write_record(
                trial.configuration, trial.data.directory, trial.directory,
                trial.earlier if begins else None, trial.is_continued,
            )  # fmt: skip
        results.append(TrialResult(trial, 1.0, was_recorded=before))
    return results


def notes(root: Path, what: str) -> list[str]:
    """The names of the trials that were started or ended, in order."""
    path = root / "notes"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [line.split()[1] for line in lines if line.split()[0] == what]


class ClusterHere:
    """A cluster that needs no Dask, for `run_trials_here`."""

    client, size, code = None, 1, None

    def __init__(self, *options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def description(self) -> str:
        return "one at a time, here"


def run_trials_here(trials, client, program, code=None):
    return iter(run_here(trials))
