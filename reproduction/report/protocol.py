"""The runs at the paper's own protocol, as its summary keeps them: tables and verdicts take them for any others."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .. import artifacts
from ..completion.store import Completion
from ..data.dataset import DEPTH_4_OUT, GENERALIZATION, split_name
from ..data.manifest import Manifest
from ..errors import InputError
from ..measures import ACCURACY, MSE
from ..sweeps.data_study import CELLS, SAME
from ..training.configuration import DECODE, read_configuration
from ..training.run_directory import Experiment, FinishedRun
from .stored import Protocol, ProtocolRow

PROTOCOL = "protocol"  # the part of the study of function-evaluation data that these runs are


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


def with_protocol(content: dict, runs: Iterable[FinishedRun]) -> dict:
    """A study of function-evaluation data, and what these runs say of the same question."""
    return {**content, "rows": [*content["rows"], *_with_and_without_data(runs)]} if content.get("rows") else content


def _with_and_without_data(runs: Iterable[FinishedRun]) -> list[dict]:
    """Rows as the study has them; nothing was chosen for them."""
    found = {(run.model, run.split, run.seed): run for run in runs}
    rows = []
    for model, split in itertools.product(CELLS, (GENERALIZATION, DEPTH_4_OUT)):
        keys = [key for key in found if key[:2] == (model, split) and (f"{model}+data", *key[1:]) in found]
        pairs = {seed: (found[model, split, seed], found[f"{model}+data", split, seed]) for *_, seed in sorted(keys)}
        if pairs:
            rows.append(_compared(model, split, pairs))
    return rows


def _compared(model: str, split: str, pairs: Mapping[int, tuple[FinishedRun, FinishedRun]]) -> dict:
    without, trained = ([run.measures() for run in runs] for runs in zip(*pairs.values(), strict=True))
    nothing = [None] * len(pairs)
    return {
        "part": PROTOCOL,
        "model": model,
        "split": split,
        "fraction": 1.0,
        "numeric_task": DECODE,
        "twin": SAME,
        "weight": next(iter(pairs.values()))[1].configuration.numeric_weight,
        "seeds": list(pairs),
        "without": [each[ACCURACY] for each in without],
        "with": [each[ACCURACY] for each in trained],
        "mse": [each.get(MSE) for each in trained],
        "numeric_accuracy": nothing,
        "together_accuracy": nothing,
    }
