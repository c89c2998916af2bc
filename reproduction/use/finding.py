"""Which network is meant: a directory that `train` made, one that is committed, or the best of those."""

import os
from pathlib import Path
from typing import NamedTuple

from .. import artifacts, shapes
from ..errors import InputError
from ..models import MODELS
from ..training.run_directory import PARAMETERS, FinishedRun, trained_run
from .reading import Knowledge

SHOWCASE, PRETRAINED, NEXT_BEST = "showcase", "pretrained", "tree-lstm+data"
CALIBRATION = "calibration.json"
LOWEST, HIGHEST = 0.01, 100.0  # temperatures; `showcase` chooses well inside of these
COMMITTED = artifacts.ROOT / "runs"  # also when the runs of today are kept elsewhere


class Calibration(NamedTuple):
    """What logits are divided by before they become probabilities."""

    temperature: float = 1.0


class _StoredCalibration(NamedTuple):
    """A temperature, and the SHA-256 of the parameters that it was chosen for."""

    temperature: float
    parameters: str


class Found(NamedTuple):
    """A trained network that is not loaded yet."""

    name: str
    title: str
    run: FinishedRun
    calibration: Calibration

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge.of(self.run, self.title)


def committed_networks() -> dict[str, Path]:
    """The directories of the networks that come with the project, by name; the default one first."""
    places = {}
    for runs in (artifacts.RUNS, COMMITTED):
        named = {SHOWCASE: runs / SHOWCASE, **{name: runs / PRETRAINED / name for name in (NEXT_BEST, *MODELS)}}
        places |= {name: path for name, path in named.items() if name not in places and (path / PARAMETERS).is_file()}
    return {name: places[name] for name in (SHOWCASE, NEXT_BEST, *MODELS) if name in places}


def _calibration(run: FinishedRun) -> Calibration:
    """What calibration.json says of this very network; where there is no such file, probabilities stay as they are."""
    path = run.directory / CALIBRATION
    if not os.path.lexists(path):
        return Calibration()
    stored = shapes.read(_StoredCalibration, path, sealed=True)
    if not LOWEST <= stored.temperature <= HIGHEST:
        raise InputError(f"{path}: temperature {stored.temperature} is not from {LOWEST:g} to {HIGHEST:g}")
    if stored.parameters != run.results.files.get(PARAMETERS):
        raise InputError(f"{path}: of another network than the {PARAMETERS} beside it (remove it to do without)")
    return Calibration(stored.temperature)


def find_network(run: str | Path | None = None) -> Found:
    """The network of a directory or a name; of neither, the showcase network, or TreeLSTM + data without one."""
    networks = committed_networks()
    if run is None and not networks:
        raise InputError(f"{COMMITTED}: no trained network is here; name the directory of a run (`train` makes one)")
    name = next(iter(networks)) if run is None else str(run)
    directory = networks.get(name, Path(name))
    if not directory.is_dir():
        raise InputError(f"{name}: neither a directory nor a network of this project ({', '.join(networks)})")
    found = trained_run(directory)
    if not (directory / PARAMETERS).is_file():
        raise InputError(f"{directory / PARAMETERS}: there is no such file; only the results of this run are kept")
    title = MODELS[found.model].title
    name = name if name in networks else artifacts.resolved(directory).name
    return Found(name, title if name in MODELS else f"{name} ({title})", found, _calibration(found))
