"""What the tests of studies share: a directory that passes for a data set, and a cluster that is this process."""

from pathlib import Path

from support.stand_in_training import carry_out

from reproduction import artifacts
from reproduction.data.dataset import SPLIT_NAMES, split_path
from reproduction.data.manifest import Manifest, finish, manifest_of
from reproduction.errors import InputError
from reproduction.studies.workers import Outcome
from reproduction.training.configuration import make_configuration
from reproduction.training.run_directory import Training, data_at


def write_stand_in_data(directory: Path, seeds: int = 3, content: str = "", **made_with) -> Manifest:
    """A directory that passes for a data set, of which this is the content."""
    directory.mkdir(parents=True)
    for name in ("symbolic", "numeric"):
        (directory / f"{name}.jsonl.gz").write_bytes(f"{name} {content}".encode())
    for split in SPLIT_NAMES:
        for seed in range(seeds):
            artifacts.write_lines_gz(split_path(directory, split, seed), [f"{split} {seed}"])
    finish(manifest_of(directory, made_with))
    return data_at(directory)


def some_trainings(root: Path, data: Manifest, count: int) -> tuple[Training, ...]:
    """Trainings that differ in their seed."""
    asked = [make_configuration("tree-lstm+data", "strict", seed, epochs=3) for seed in range(count)]
    return tuple(Training(f"t{seed}", root / f"t{seed}", each, data) for seed, each in enumerate(asked))


def notes(root: Path, what: str) -> list[str]:
    """The names of the directories whose trainings were started or ended, in order."""
    path = root / "notes"
    lines = path.read_text().splitlines() if path.is_file() else []
    return [line.split()[1] for line in lines if line.split()[0] == what]


def outcomes_here(trainings, *_) -> list[Outcome]:
    """What a cluster would do with the stand-in, in this process."""
    return [_outcome(each) for each in trainings]


def _outcome(training: Training) -> Outcome:
    try:
        carry_out(training)
    except InputError as error:
        return Outcome(training, 0.0, str(error))
    return Outcome(training, 1.0)


class ClusterHere:
    """A cluster that needs no Dask, for `outcomes_here`."""

    client, size, code = None, 1, None

    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def description(self) -> str:
        return "one at a time, here"
