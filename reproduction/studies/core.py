"""What a study is: a name, options, and a plan that yields rounds of cases and is sent their rows; what a row holds."""

import importlib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from ..completion.store import read_completion
from ..data.manifest import is_whole, read_manifest
from ..data.recipes import RECIPES
from ..errors import InputError
from ..models import MODELS
from ..paper import NUMERIC_TOTAL
from ..rows import BEST_ON_TEST, DATA, DEV, FINGERPRINT, Row, read_rows, rows_file
from ..rows import CHECKSUM as SPLIT_CHECKSUM
from ..training.configuration import Configuration, make_configuration
from ..training.run_directory import FinishedRun, Scores, is_finished, read_run, training_directory
from .workers import code_digest

BUILT_IN = ("experiments", "effect", "ablation", "search", "ladder", "remedies", "beyond", "deeper")  # modules
NOT_SHOWN = ("place", "preset", "method", "in_space", "uses_of_a_distinct_subtree")
DECIDING = ("language", "data", "networks", "training")  # the rooms whose code decides what a training gives
NOT_SETTINGS = ("model", "split", "seed", "epochs", "engine")  # these have keys of their own in every row

Key = TypeVar("Key")


@dataclass(frozen=True, eq=False)
class Case:
    """One training of a study: its settings, its coordinates in the study, and the name of its data set.

    A coordinate that is None is not in the row, even if it is a setting: the learning rate of an optimizer without one.
    """

    configuration: Configuration
    keys: Mapping[str, Any] = field(default_factory=dict)
    data: str = DATA  # a directory beside the rows
    earlier: Configuration | None = None  # the same training with fewer epochs: its checkpoint may be continued
    is_continued: bool = False  # whether a longer one may continue it: its checkpoint is kept

    def head(self, study: str) -> Row:
        """The coordinates of its row."""
        asked = self.configuration
        place = {"study": study, "model": asked.model, "split": asked.split, "seed": asked.seed, DATA: self.data}
        return {**place, **{name: value for name, value in self.keys.items() if value is not None}}

    def words(self) -> str:
        """The coordinates for people."""
        shown = {name: value for name, value in self.keys.items() if value is not None and name not in NOT_SHOWN}
        return ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in shown.items())

    def settings(self) -> Row:
        """The settings that differ from the network's own, but for coordinates, and the number of epochs."""
        asked = self.configuration
        usual = make_configuration(asked.model, asked.split, asked.seed)
        names = [each.name for each in fields(asked) if each.name not in (*NOT_SETTINGS, *self.keys)]
        differing = {name: getattr(asked, name) for name in names if getattr(asked, name) != getattr(usual, name)}
        return {**differing, "epochs": asked.epochs}


# The rows of a round come in the order of its cases; None stands for a training that failed.
Plan = Generator[Sequence[Case], Sequence[Row | None], None]
DataSets = Mapping[str, Sequence[str]]  # by name the command that makes it, in words


@dataclass(frozen=True)
class Study:
    """A plan of trainings and what is kept of them."""

    name: str
    help: str
    plan: Callable[[Namespace], Plan]
    options: Callable[[ArgumentParser], Any] = lambda *_: {}
    smoke: Mapping[str, Any] = field(default_factory=dict)  # options of a small run through everything
    data_sets: Callable[[Namespace], DataSets] = lambda *_: {}  # made before the trainings, unless they are there
    measures: Callable[[FinishedRun], Row] = lambda *_: {}  # that only this study's rows have
    details: Callable[[FinishedRun], Row] = lambda *_: {}  # of a training, what a figure shows beyond its row
    fills_blanks: Callable[[Case], bool] = lambda case: False
    beside: Callable[[Namespace], Sequence[Row]] = lambda arguments: ()  # rows of what is not trained
    replaces: tuple[str, ...] | None = None  # rows equal in these are written anew together; None: each alone
    seeds: int = 1  # trained unless others are asked for: 0 to this, less one; 0 for a study with an option of its own


STUDIES: dict[str, Study] = {}


def register_study(study: Study) -> Study:
    """Makes a study known to `python -m reproduction study`."""
    if study.name in STUDIES:
        raise InputError(f"study {study.name!r}: there is one of this name already")
    STUDIES[study.name] = study
    return study


def studies() -> dict[str, Study]:
    """Every study by its name: our own and those that extensions have registered."""
    for name in BUILT_IN:
        importlib.import_module(f"{__package__}.{name}")
    return dict(STUDIES)


def add_choice(parser: ArgumentParser, name: str, allowed: Iterable, words: str = "", **options: Any) -> None:
    """An option that takes some of the allowed values; without it all are taken, or the default."""
    every = tuple(allowed)
    some = f"{words}only some of {', '.join(map(str, every))}"
    metavar = name.upper().removesuffix("S")
    options = {"default": every, **options}
    parser.add_argument(f"--{name}", nargs="+", choices=every, metavar=metavar, help=some, **options)


def add_models(parser: ArgumentParser, names: Iterable[str]) -> None:
    """The option --models; without it the paper's networks are taken."""
    every = tuple(names)
    papers = [name for name in every if MODELS[name].in_paper]
    add_choice(parser, "models", every, "by default the paper's; ", default=papers)


# ------------------------------------------------------------------------------------------------ a row


def row_of(run: FinishedRun, study: str, case: Case) -> Row:
    """The row of a finished training."""
    results, head, best = run.results, case.head(study), run.results.best_on_test
    counts = {f"count_depth_{depth}": score.count for depth, score in results.test.symbolic.by_depth.items()}
    found = {
        **case.settings(),
        "best_epoch": results.best_epoch,
        "diverged": results.diverged,
        "parameters": results.parameters,
        **_measures(results.test),
        **_numeric_equations(run),
        "count": sum(counts.values()),
        **counts,
        "count_mse_all": results.test.evaluations.count_all if results.test.evaluations else None,
        **_measures(results.dev, DEV),
        **({f"{BEST_ON_TEST}epoch": best.epoch, **_measures(best, BEST_ON_TEST)} if best else {}),
        **scored_later(run),
        "train_seconds": results.train_seconds,
        **{f"seconds_to_{goal}": results.seconds_to.get(goal) for goal in (90, 95, 97)},  # per cent on dev
        "equations_per_second": results.equations_per_second,
        "peak_memory_mb": results.peak_memory_mb,
        "engine": results.engine,
        "instead_of_fused": results.instead_of_fused,
        "compiler": results.compiler,
        "version": run.config.get("version"),
        "code": code_digest(*DECIDING),
        FINGERPRINT: run.data_fingerprint,
        SPLIT_CHECKSUM: run.split_checksum,
    }
    return {**head, **{name: value for name, value in found.items() if value is not None and name not in head}}


def _measures(scores: Scores, prefix: str = "") -> Row:
    return {f"{prefix}{measure.name}": value for measure, value in scores.measures.items()}


def _numeric_equations(run: FinishedRun) -> Row:
    """Accuracy on the numeric equations that are verified, and on them and the symbolic test equations together.

    With an unseen depth all numeric equations are for training or dev. Those of dev stand in for those of test, as
    their accuracy does not choose the epoch.
    """
    numeric = run.results.test.numeric or run.results.dev.numeric
    if not numeric:
        return {}
    parts = (numeric, run.results.test.symbolic)
    counts = [sum(depth.count for depth in part.by_depth.values()) for part in parts]
    hits = sum(part.accuracy * count for part, count in zip(parts, counts, strict=True))
    return {"numeric_accuracy": 100 * numeric.accuracy, "together_accuracy": 100 * hits / sum(counts)}


def scored_later(run: FinishedRun) -> Row:
    """Scores by other commands since the training: deeper equations, and blanks."""
    row: Row = {}
    if deep := run.stored_deep:
        row |= {f"deep_{depth}": 100 * score.accuracy for depth, score in deep.by_depth.items()}
        row |= {f"count_deep_{depth}": score.count for depth, score in deep.by_depth.items()}
        row["deep_fingerprint"] = deep.data_fingerprint
    if completion := read_completion(run):
        row |= {measure.name: value for measure, value in completion.measures.items()}
        row["mean_reciprocal_rank"] = completion.symbolic["mean_reciprocal_rank"]
    return row


def configuration_of(row: Row) -> Configuration:
    """The configuration of the training of a row; the engine in a row is the one that computed, whatever was asked."""
    named = {name: row[name] for name in Configuration.__dataclass_fields__ if name in row and name != "engine"}
    model, split, seed = (named.pop(name) for name in ("model", "split", "seed"))
    return make_configuration(model, split, seed, **named)


def trained(runs: Path, study: str) -> Iterator[tuple[Row, FinishedRun]]:
    """The rows of a study whose trainings are on this machine, each with its training."""
    for row in read_rows(rows_file(runs, study)):
        if row["model"] in MODELS and "seed" in row:
            directory = training_directory(runs, configuration_of(row), row[FINGERPRINT])
            if is_finished(directory):
                yield row, read_run(directory)


# ------------------------------------------------------------------------------------------------ chosen on dev


def score(row: Row) -> tuple[bool, float]:
    """Ranks trainings by dev accuracy; one that diverged is worse than any that did not."""
    return row.get("diverged") is None, row["dev_accuracy"]


def best_first(rows: Mapping[Key, Row | None]) -> list[Key]:
    """The keys, the best row's first, without those that failed; equal ones in the order in which they were given."""
    found = {key: score(row) for key, row in rows.items() if row is not None}
    return sorted(found, key=lambda key: found[key], reverse=True)


# ------------------------------------------------------------------------------------------------ data sets of its own


def made_with(data: Path) -> dict[str, Any]:
    """The settings that a data set was made with; none if it is not there, or was not generated."""
    return read_manifest(data).made_with if is_whole(data) else {}


def split_seeds(arguments: Namespace) -> int:
    """The number of splits of each kind that a data set needs for the seeds that are asked for."""
    return max(arguments.seeds) + 1


def generate_words(data: Path, **changes: Any) -> list[str]:
    """The words of `generate` that make a data set like this one, with some of its seed, scale, …, changed."""
    found = made_with(data)
    share = (found.get("numeric") or [NUMERIC_TOTAL])[0] / NUMERIC_TOTAL
    options: dict[str, Any] = {"seed": found.get("seed", 0), "split-seeds": found.get("split_seeds", 5)}
    options["scale"] = "full" if share > 0.5 else "smoke" if share > 0.05 else "tiny"
    if (name := (found.get("recipe") or {}).get("name")) in RECIPES:
        options["recipe"] = name
    return ["generate", *(f"--{name}={value}" for name, value in {**options, **changes}.items())]
