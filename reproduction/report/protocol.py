"""The runs at the paper's own protocol, as its summary keeps them: tables and verdicts take them for any others."""

from collections.abc import Iterator
from pathlib import Path

from .. import artifacts
from ..completion.store import Completion
from ..data.dataset import split_name
from ..data.manifest import Manifest
from ..errors import InputError
from ..training.configuration import read_configuration
from ..training.run_directory import Experiment, FinishedRun
from .stored import Protocol, ProtocolRow


def _run(row: ProtocolRow, content: Protocol, runs: Path) -> FinishedRun:
    """A run of the study; its other files need not be there."""
    path = runs / artifacts.PROTOCOL
    stated = {**content["settings"], **{name: row[name] for name in ("model", "split", "seed")}}
    configuration = read_configuration(stated, str(path))
    origin = {"data_fingerprint": content["data_fingerprint"], "split_checksum": row["split_checksum"]}
    directory = runs / artifacts.PROTOCOL_RUNS / Experiment.of(configuration).name
    return FinishedRun(directory, {**configuration.as_row(), **origin}, configuration, row["results"])


def summarised_runs(content: Protocol, runs: Path, data: Manifest | None) -> tuple[FinishedRun, ...]:
    """Every run of the study; one that learned from another split than the data's is refused."""
    found = tuple(_run(row, content, runs) for row in content["rows"])
    for run in found if data else ():
        if run.split_checksum != data.files.get(split_name(run.split, run.seed)):
            path, name = runs / artifacts.PROTOCOL, run.directory.name
            raise InputError(f"{path}: {name} learned from another split than the one that {data.directory} has")
    return found


def summarised_completions(content: Protocol, runs: tuple[FinishedRun, ...]) -> Iterator[Completion]:
    """What these runs score in filling blanks, where they were asked."""
    for row, run in zip(content["rows"], runs, strict=True):
        if filled := row["completion"]:
            errors = filled["top_k_mse"]
            yield Completion(run, {"top_k": filled["top_k"]}, None if errors is None else {"top_k_mse": errors})
