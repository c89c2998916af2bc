"""Which network is meant: a directory that `train` made, one that is committed, or the best of those."""

from pathlib import Path
from typing import NamedTuple

from .. import artifacts, shapes
from ..errors import InputError
from ..models import MODELS, find_model
from ..training.run_directory import PARAMETERS, FinishedRun, is_finished, read_run, trained_run
from .reading import Knowledge

SHOWCASE, PRETRAINED, NEXT_BEST = "showcase", "pretrained", "tree-lstm+data"
CALIBRATION, JUDGED = "calibration.json", "judged.json"
LOWEST, HIGHEST = 0.01, 100.0  # temperatures; `showcase` chooses well inside of these
COMMITTED = artifacts.ROOT / "runs"  # also when the runs of today are kept elsewhere


class _Calibration(NamedTuple):
    """A temperature, and the SHA-256 of the parameters that it was chosen for."""

    temperature: float
    parameters: str


class _Accuracy(NamedTuple):
    accuracy: float


class _Judged(NamedTuple):
    """What a page says of a network, and the SHA-256 of its parameters."""

    parameters: str
    textbook: _Accuracy | None = None


class Found(NamedTuple):
    """A trained network that is not loaded yet."""

    name: str
    title: str
    run: FinishedRun
    temperature: float  # what logits are divided by before they become probabilities

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge.of(self.run, self.title)

    @property
    def textbook_accuracy(self) -> float | None:
        """Of the equations in runs/textbook, where `showcase` has judged this network on them."""
        judged = _beside(self.run, JUDGED, _Judged)
        return judged and judged.textbook and judged.textbook.accuracy


def _beside(run: FinishedRun, name: str, kind):
    """What a sealed file beside a network says of this very network; None if there is no such file."""
    path = run.directory / name
    if not artifacts.is_there(path):
        return None
    stored = shapes.read(kind, path, sealed=True)
    if stored.parameters != run.results.files.get(PARAMETERS):
        raise InputError(f"{path}: of another network than the {PARAMETERS} beside it (remove it to do without)")
    return stored


def known_networks() -> dict[str, Path]:
    """The directories of networks that have names: the workspace's own, then those that come with the project."""
    places: dict[str, Path] = {}
    for runs in (artifacts.RUNS, COMMITTED):
        named = {SHOWCASE: runs / SHOWCASE, **{name: runs / PRETRAINED / name for name in (NEXT_BEST, *MODELS)}}
        found = {name: path for name, path in named.items() if (path / PARAMETERS).is_file()}
        if artifacts.resolved(runs) != artifacts.resolved(COMMITTED):
            found |= {path.name: path for path in _trained(runs) if path.name not in found}
        places |= {name: path for name, path in found.items() if name not in places}
    return places


def _trained(runs: Path) -> list[Path]:
    """The directories of finished trainings of a workspace, those with the best network on dev first."""
    directories = [path.parent for path in sorted(runs.glob(f"**/{PARAMETERS}")) if is_finished(path.parent)]
    return sorted(directories, key=lambda path: -read_run(path).results.dev.symbolic.accuracy)


def _temperature(run: FinishedRun) -> float:
    """What calibration.json says of this very network; where there is no such file, probabilities stay as they are."""
    stored = _beside(run, CALIBRATION, _Calibration)
    found = stored.temperature if stored else 1.0
    if not LOWEST <= found <= HIGHEST:
        raise InputError(f"{run.directory / CALIBRATION}: temperature {found} is not from {LOWEST:g} to {HIGHEST:g}")
    return found


def find_network(run: str | Path | None = None) -> Found:
    """The network of a directory or a name; of neither, the workspace's best one or the showcase network."""
    networks = known_networks()
    if run is None and not networks:
        raise InputError(f"{COMMITTED}: no trained network is here; name the directory of a run (`train` makes one)")
    name = next(iter(networks)) if run is None else str(run)
    directory = networks.get(name, Path(name))
    if not directory.is_dir():
        here = [path for path in _trained(artifacts.RUNS) if path.name == name]
        if len(here) > 1:
            raise InputError(
                f"{name}: there are {len(here)} trainings of this name, {here[0]} and {here[1]} for instance"
            )
        if not here:
            raise InputError(f"{name}: neither a directory nor a network of this project ({', '.join(networks)})")
        directory = here[0]
    found = trained_run(directory)
    if not (directory / PARAMETERS).is_file():
        raise InputError(f"{directory / PARAMETERS}: there is no such file; only the results of this run are kept")
    title = find_model(found.model).title
    name = name if name in networks else artifacts.resolved(directory).name
    return Found(name, title if name in MODELS else f"{name} ({title})", found, _temperature(found))
