"""What other stages wrote, as the report reads it: the shape of every file, and that all are of one data set."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypedDict

from .. import artifacts, shapes
from ..data.dataset import SPLIT_NAMES, split_name
from ..data.manifest import Manifest, is_whole, read_manifest
from ..errors import InputError
from ..models import MODELS
from ..sweeps.data_study import REFERENCE
from ..training.records import Results, Verification
from ..training.run_directory import FinishedRun

STATISTICS = "statistics.json"
Number = int | float
ModelName, SplitName = Literal[tuple(MODELS)], Literal[SPLIT_NAMES]
BaselineScores = dict[str, dict[int, dict[str, Verification]]]  # by split, seed and approach


class Reply(TypedDict):
    depth: int
    label: int
    answer: str
    auto: int
    simplify: int


class LeftOpen(TypedDict):
    count: int
    open_auto: int
    open_simplify: int


class LeftOpenBy(TypedDict):
    all: LeftOpen
    by_depth: dict[str, LeftOpen]
    by_function: dict[str, LeftOpen]


class Baselines(TypedDict):
    """baselines.json."""

    data_fingerprint: str
    splits: BaselineScores
    sympy_answers: list[Reply]
    true_identities_left_open: LeftOpenBy


class Seconds(TypedDict):
    auto: float
    simplify: float


class Machine(TypedDict):
    """machine.json."""

    cores: int
    memory_gib: Number
    system: str
    python: str
    packages: dict[str, str]


class Labels(TypedDict):
    correct: int
    incorrect: int


class Counts(TypedDict):
    total: int
    correct: int
    by_depth: dict[str, Labels]


class Fingerprints(TypedDict):
    by_depth: dict[str, dict[str, dict[str, Number]]]
    leaves: dict[str, Number]
    functions: dict[str, Number]


class _Counted(TypedDict):
    fingerprint: str
    symbolic: Counts
    numeric: Counts


class Statistics(_Counted, total=False):
    """statistics.json of a data set; what it counts beside equations came later."""

    uses_of_a_distinct_subtree: Number
    twins_of_test_in_train: dict[str, Number]
    baselines: dict[str, dict[str, Number]]
    fingerprints: Fingerprints


class Trial(TypedDict):
    trial: str
    epochs: int
    dev_accuracy: float
    test_accuracy: float
    mse: float | None
    best_epoch: int
    seconds: float


class AblationTrial(Trial):
    part: str
    optimizer: str
    learning_rate: Number | None
    momentum: Number | None
    seed: int
    epochs_to_90: int | None
    curve: list[Number]


class Ablation(TypedDict):
    """summary.json of an ablation."""

    model: ModelName
    split: SplitName
    seeds: int
    data_fingerprint: str
    rows: list[AblationTrial]


class SearchTrial(Trial):
    rung: int
    settings: dict[str, int | float | str]


class Search(TypedDict):
    """summary.json of a search."""

    model: ModelName
    split: SplitName
    seed: int
    method: str
    data_fingerprint: str
    space: dict[str, list[int | float | str]]
    rungs: list[dict[str, int]]
    best: list[str]
    marginals: dict[str, list[dict]]
    trials: list[SearchTrial]


class Speeds(TypedDict):
    engine: Number
    without_sharing: Number
    per_function: Number
    recursion: Number


class Benchmark(TypedDict):
    """benchmark.json."""

    training: Speeds
    inference: Speeds
    growth: dict[str, list[dict[str, Number]]]


_DataStudyRow = TypedDict(
    "_DataStudyRow",
    {
        "part": str, "model": ModelName, "split": SplitName, "fraction": Number, "numeric_task": str, "weight": Number,
        "seeds": list[int], "without": list[float], "with": list[float], "mse": list[float | None],
        "numeric_accuracy": list[float | None], "together_accuracy": list[float | None],
    },
)  # fmt: skip


class DataStudyRow(_DataStudyRow, total=False):
    twin: str  # how the network without data was trained


class DataStudy(TypedDict):
    """data-study.json."""

    data_fingerprints: dict[str, str]
    rows: list[DataStudyRow]


class LadderRow(TypedDict):
    rung: str
    data_fingerprint: str
    words: str
    uses_of_a_distinct_subtree: Number
    splits: dict[str, dict[str, list[Number]]]


class Ladder(TypedDict):
    """ladder.json."""

    data_seed: int
    rows: list[LadderRow]


class FilledBlanks(TypedDict):
    top_k: list[float]
    top_k_mse: list[float] | None


class ProtocolRow(TypedDict):
    model: ModelName
    split: SplitName
    seed: int
    split_checksum: str
    results: Results
    completion: FilledBlanks | None


class Protocol(TypedDict):
    """protocol.json."""

    preset: str
    settings: dict[str, int | float | str]
    data_fingerprint: str
    rows: list[ProtocolRow]


class RemedyRow(TypedDict):
    claim: str
    remedy: str
    outcome: str


class Remedies(TypedDict):
    """remedies.json."""

    remedies: list[RemedyRow]


SYMPY_TIMES, FINGERPRINT = "sympy-times.json", "data_fingerprint"


def sympy_times(runs: Path, statistics: dict, data: Manifest | None) -> dict[str, Seconds]:
    """Sympy's times by depth; those that name no data set, as earlier ones do, have at least its depths."""
    path = runs / SYMPY_TIMES
    found = stored(dict[str, Seconds | str], path)
    stated, times = found.get(FINGERPRINT), {name: each for name, each in found.items() if name != FINGERPRINT}
    shapes.shaped(dict[str, Seconds], times, path)
    depths = statistics.get("symbolic", {}).get("by_depth")
    is_other = bool(data) and stated != data.fingerprint if stated else bool(depths) and {*times} != {"all", *depths}
    if times and is_other:
        raise InputError(f"{path}: made with another data set than {runs / REFERENCE}; make it again with `baselines`")
    return times


def ladder(runs: Path, data: Manifest | None) -> dict:
    """The ladder's summary; its rung of the recipe that the data set beside it was made with is that data set."""
    path = runs / artifacts.LADDER
    found = stored(Ladder, path)
    recipe = (data.made_with.get("recipe") or {}).get("name") if data else None
    for row in found.get("rows", ()):
        if row["rung"] == recipe and row[FINGERPRINT] != data.fingerprint:
            raise InputError(f"{path}: its rung {recipe} is another data set than {runs / REFERENCE}; make it again")
    return found


def stored(kind: Any, path: Path) -> dict:
    """What a file says that a command sealed; nothing if there is none."""
    return shapes.read(kind, path, sealed=True) if artifacts.is_there(path) else {}


def summaries(kind: Any, directory: Path) -> tuple[dict, ...]:
    """The summaries of the ablations or searches in a directory, one a model."""
    found = []
    for path in (each / artifacts.SUMMARY for each in artifacts.entries(directory) if not each.is_file()):
        if not artifacts.is_there(path):
            continue
        found.append(shapes.read(kind, path, sealed=True))
        if found[-1]["model"] != path.parent.name:
            raise InputError(f"{path}: model is {found[-1]['model']}, and its directory is that of another one")
    return tuple(found)


def data_beside(runs: Path) -> Manifest | None:
    """The manifest of the data set that the runs of a directory learned from; None if none is there."""
    data = runs / REFERENCE
    return read_manifest(data) if is_whole(data) or any(data.glob("*.jsonl.gz")) else None


def statistics_of(manifest: Manifest | None) -> dict:
    """The statistics of a data set; nothing if it has none."""
    if manifest is None or STATISTICS not in manifest.files:
        return {}
    return manifest.json(Statistics, STATISTICS)


def refuse_mixtures(
    runs: Path, data: Manifest | None, finished: Iterable[FinishedRun], summaries: Iterable[tuple[str, str]]
) -> None:
    """Refuses runs and summaries that are not of the data set beside them, or whose networks are not comparable."""
    finished = tuple(finished)
    fingerprint = data.fingerprint if data else next((run.data_fingerprint for run in finished), None)
    place = runs / REFERENCE if data else "the other runs"
    stated = [*((str(run.directory), run.data_fingerprint) for run in finished), *summaries]
    for name, found in stated:
        if fingerprint and found != fingerprint:
            raise InputError(
                f"{name}: made with the data set {found[:40]}, and {place} is {fingerprint}; make it again"
            )
    for run in finished if data else ():
        if run.split_checksum != data.files.get(split_name(run.split, run.seed)):
            raise InputError(f"{run.directory}: learned from another split than the one that {data.directory} has")
    for name in ("cell", "functions", "symbols"):
        _refuse_different(name, [run for run in finished if run.configuration.kind.is_tree])


def _refuse_different(name: str, trees: list[FinishedRun]) -> None:
    for run in trees:
        if run.config.get(name) != trees[0].config.get(name):
            raise InputError(f"{run.directory}: its {name} is not that of {trees[0].directory.name}; keep them apart")
