"""All that lies under runs/, read when it is asked for: rows of studies, and what other commands wrote beside them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from .. import artifacts, rows, shapes
from ..data.dataset import SPLIT_TITLES, Dataset, load
from ..data.manifest import PACKED_JSON, Manifest, is_whole, read_manifest
from ..data.writing import ExamplePair, read_examples
from ..errors import InputError
from ..measures import Measure
from ..models import MODELS, paper_models
from ..rows import DATA, FINGERPRINT, Row
from ..training.configuration import Configuration

SECOND = "hard"  # the directory of the second benchmark, beside everything else
# The studies in which all networks were trained under one protocol, the paper's own first.
RELEASE, OURS, PAPERS = "release", "experiments", "protocol"
BEYOND = "beyond"  # the study of networks that are not the paper's
PROTOCOLS = {RELEASE: "As the authors ran it", OURS: "Our settings", PAPERS: "At the paper's own protocol"}
DEV_CHOSEN, BEST_ON_TEST = CHOICES = ("dev-chosen", "best-on-test")  # the epoch that dev chooses, and the paper's way
BASELINES, SYMPY_TIMES, STATISTICS = "baselines.json", "sympy-times.json", "statistics.json"
OF_DATA = (BASELINES, SYMPY_TIMES)  # files that are about a data set and name it
SETTINGS = tuple(Configuration.__dataclass_fields__)


@dataclass(frozen=True)
class Archive:
    """The results of a directory, judged under one protocol; what is missing is empty."""

    directory: Path | None = None
    protocol: str = OURS
    kept: dict[str, Any] = field(default_factory=dict, compare=False)  # what was read already, by name

    def under(self, protocol: str) -> "Archive":
        """The same results; those of networks are the ones of this protocol."""
        return self if protocol == self.protocol else replace(self, protocol=protocol)

    @property
    def protocols(self) -> tuple[str, ...]:
        """Those that tables show side by side: as the authors ran it, if that was studied, and our settings."""
        found = tuple(name for name in (RELEASE, OURS) if self.rows(name))
        return found or (OURS,)

    # ---------------------------------------------------------------------------------------------- reading

    def once(self, name: str, read: Callable[[], Any]) -> Any:
        """What a name stands for, read when it is first asked for."""
        if name not in self.kept:
            self.kept[name] = read()
        return self.kept[name]

    def rows(self, study: str) -> Sequence[Row]:
        """The rows of a study, all of the data sets beside them."""
        return self.once(study, lambda: self._read(rows.rows_file, study))

    def details(self, study: str) -> Sequence[Row]:
        """What is kept of trainings beyond single numbers: curves, predictions, filled blanks."""
        return self.once(f"{study} details", lambda: self._read(rows.details_file, study))

    def _read(self, file_of: Callable[[Path, str], Path], study: str) -> Sequence[Row]:
        if self.directory is None:
            return ()
        path = file_of(self.directory, study)
        found = rows.read_rows(path)
        stated = [row for row in found if FINGERPRINT in row]
        rows.refuse_other_data(path, stated, self._data_sets(stated))
        if file_of is rows.details_file:
            rows.refuse_other_details(path, found, self.rows(study))
        return found

    def _data_sets(self, stated: Iterable[Row]) -> dict[str, tuple[str, Mapping[str, str]]]:
        """Fingerprint and checksums of splits of the rows' data sets; one that is not there has that of its first row.

        One of the ladder's may be the data set beside the rows.
        """
        data, found = self.manifest(), dict[str, tuple[str, Mapping[str, str]]]()
        recipe = (data.made_with.get("recipe") or {}).get("name") if data else None
        for name, fingerprint in reversed([(row.get(DATA, DATA), row[FINGERPRINT]) for row in stated]):
            manifest = data if name == f"ladder/{recipe}/data" else self.manifest(name)
            files = manifest.files if manifest else {}
            splits = {Path(each).name.removesuffix(PACKED_JSON): files[each] for each in files if "splits/" in each}
            found[name] = (manifest.fingerprint if manifest else fingerprint, splits)
        return found

    def beside(self, name: str) -> dict:
        """What a sealed JSON file beside the rows says, of the data set beside it if it names one."""

        def read() -> dict:
            path = self.directory and self.directory / name
            if not path or not artifacts.is_there(path):
                return {}
            found, data = shapes.read(dict, path, sealed=True), self.manifest()
            stated = str(found.get(FINGERPRINT, "that it does not name"))[:40]
            if data and name in OF_DATA and stated != data.fingerprint:
                there = f"{data.directory} is {data.fingerprint}"
                raise InputError(f"{path}: made with the data set {stated}, and {there}; make it again")
            return {key: value for key, value in found.items() if key not in (artifacts.SEAL, FINGERPRINT)}

        return self.once(name, read)

    def manifest(self, name: str = DATA) -> Manifest | None:
        """That of a data set beside the results; None if it is not there."""

        def read() -> Manifest | None:
            data = self.directory and self.directory / name
            return read_manifest(data) if data and (is_whole(data) or any(data.glob("*.jsonl.gz"))) else None

        return self.once(f"manifest of {name}", read)

    @cached_property
    def statistics(self) -> dict:
        data = self.manifest()
        if data is None or STATISTICS not in data.files:
            return self.kept.get(STATISTICS, {})
        return data.json(dict, STATISTICS)

    @property
    def dataset(self) -> Dataset | None:
        """The data set that the networks learned from, if it is there."""
        data = self.manifest()
        return self.once("data set", lambda: load(data.directory)) if data and is_whole(data.directory) else None

    @cached_property
    def examples(self) -> tuple[ExamplePair, ...]:
        """Table 2 of the data set."""
        return read_examples(self.manifest())

    @cached_property
    def second(self) -> "Archive | None":
        """The results on the second benchmark, if there are any."""
        second = Archive(self.directory / SECOND) if self.directory else Archive()
        return second if second.rows(OURS) else None

    def has(self, name: str) -> bool:
        """Whether there is a file of this name beside the rows, or a data set."""
        if name in self.kept:
            return bool(self.kept[name])
        if self.directory is None:
            return False
        path = self.directory / name
        return is_whole(path) if path.is_dir() else artifacts.is_there(path)

    # ---------------------------------------------------------------------------------------------- selecting

    @property
    def own_axioms(self) -> str:
        """A sentence where the data come from other axioms than the project's: the paper has no numbers on them."""
        axioms = self.statistics.get("axioms")
        if not axioms:
            return ""
        counted = f"{axioms['count']} in {axioms['families']} families"
        return f"The data come from axioms of their own ({counted}); the paper's numbers are not about them: left out."

    @cached_property
    def whole(self) -> tuple[Row, ...]:
        """The rows of networks under this protocol that learned from the whole training set."""
        return tuple(row for row in self.rows(self.protocol) if row.get("fraction", 1) == 1 and row["model"] in MODELS)

    @cached_property
    def with_others(self) -> "Archive":
        """These results under our settings, with those of the study `beyond` among the networks."""
        places = {(row["model"], row["split"], row["seed"]) for row in self.under(OURS).whole}
        theirs = rows.select(self.rows(BEYOND), part="tables")
        more = [row for row in theirs if (row["model"], row["split"], row["seed"]) not in places]
        return replace(self, protocol=OURS, kept={**self.kept, OURS: (*self.rows(OURS), *more)})

    def select(self, split: str, model: str) -> tuple[Row, ...]:
        return tuple(self._by_place.get((model, split), {}).values())

    def shown(self, *splits: str) -> tuple[str, ...]:
        """Those of the splits that tables and figures show: all, on axioms of their own those that were trained on."""
        trained = {row["split"] for row in self.whole}
        return tuple(split for split in splits if split in trained or not self.own_axioms)

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], dict[int, Row]]:
        """By approach and split the row of each seed, with those of baselines and of rankings without a network."""
        places: dict[tuple[str, str], dict[int, Row]] = defaultdict(dict)
        beside = [row for row in self.rows(self.protocol) if row["model"] not in MODELS]
        found = (*self.whole, *beside, *_baseline_rows(self.beside(BASELINES)))
        for row in sorted(found, key=lambda row: row["seed"]):
            here = places[row["model"], row["split"]]
            if row["seed"] in here:
                place = f"{row['model']}, {row['split']}, seed {row['seed']}"
                raise InputError(f"{self.protocol}: there are two rows of {place}, which tables cannot tell apart")
            here[row["seed"]] = row
        return places

    def values(self, approach: str, split: str, measure: Measure, choice: str = DEV_CHOSEN) -> dict[int, float]:
        """The score of each seed that has one."""
        scores = {row["seed"]: score(row, measure.name, choice) for row in self.select(split, approach)}
        return {seed: value for seed, value in scores.items() if value is not None}

    @property
    def scored(self) -> tuple[Row, ...]:
        """All that tables compare: networks under this protocol, baselines, rankings without a network."""
        return tuple(row for by_seed in self._by_place.values() for row in by_seed.values())

    def gaps(self, *splits: str) -> tuple[str, ...]:
        """A sentence on the networks that have not been trained on these splits, if any are missing."""
        places = [(model, split) for split in splits for model in paper_models() if not self.select(split, model.name)]
        missing = ", ".join(f"{model.title} ({SPLIT_TITLES[split]})" for model, split in places)
        said = f"Not trained yet: {missing}; `python -m reproduction study {self.protocol}` does it." if missing else ""
        baselines = self.beside(BASELINES)
        return (*filter(None, [said]), *(() if baselines else ("No baselines: `python -m reproduction baselines`.",)))


def _baseline_rows(content: dict) -> Iterable[Row]:
    """Baselines as rows, in per cent."""
    for split, by_seed in content.get("splits", {}).items():
        for seed, by_approach in by_seed.items():
            for approach, scores in by_approach.items():
                shares = {name: scores[name] for name in ("accuracy", "precision", "recall")}
                shares |= {f"depth_{depth}": each["accuracy"] for depth, each in scores["by_depth"].items()}
                yield {"model": approach, "split": split, "seed": int(seed)} | {k: 100 * v for k, v in shares.items()}


def score(row: Row, name: str, choice: str = DEV_CHOSEN) -> float | None:
    """A measure in the epoch of this choice; what has no epochs, or was scored once, has one score for both."""
    has_epochs = row["model"] in MODELS and not name.startswith("top_")
    return row.get(f"{rows.BEST_ON_TEST}{name}" if has_epochs and choice == BEST_ON_TEST else name)


def settings_of(row: Row) -> dict[str, Any]:
    """The settings that a row states, which are those that differ from the network's own."""
    return {name: row[name] for name in SETTINGS if name in row and name not in ("model", "split", "seed")}


def read_archive(runs: Path) -> Archive:
    """Everything under runs/ that has been finished so far, read and checked when it is used."""
    return Archive(Path(runs))
