"""Finished run directories as records; numbers leave here in per cent (accuracies) or as they are (errors).

This is the one place that knows how results.json is laid out.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .. import artifacts
from ..data.dataset import SPLIT_NAMES
from ..errors import InputError
from ..paper import MODEL_NAMES

DEV_CHOSEN, BEST_ON_TEST = "dev-chosen", "best-on-test"
CHOICES = (DEV_CHOSEN, BEST_ON_TEST)
GENERALIZATION, STRICT, DEPTH_4_OUT, DEPTH_2_OUT = SPLIT_NAMES
COMPLETION = "completion"  # beside the splits: the second task, for the models of the random split
SPLIT_TITLES = {
    GENERALIZATION: "random split",
    STRICT: "strict split",
    DEPTH_4_OUT: "depth 4 unseen",
    DEPTH_2_OUT: "depth 2 unseen",
}

ACCURACY, PRECISION, RECALL, MSE, MSE_ALL, EVALUATION_ACCURACY = (
    "accuracy", "precision", "recall", "mse", "mse_all", "evaluation_accuracy",
)  # fmt: skip

# Rows that are not networks.
MAJORITY_OF_TRAIN, MAJORITY_OF_COLUMN = "majority-train", "majority-column"
SYMPY_AUTO, SYMPY_SIMPLIFY = "sympy-auto", "sympy-simplify"
BAG_OF_SYMBOLS, LOOKUP = "bag-of-symbols", "lookup"

_alternatives = "|".join(map(re.escape, MODEL_NAMES)), "|".join(SPLIT_NAMES)
RUN_NAME = re.compile(r"({})-({})-(\d+)(?:-fraction-(\d*\.?\d+))?".format(*_alternatives))


def depth_measure(depth: int) -> str:
    return f"depth_{depth}"


@dataclass(frozen=True)
class Run:
    """One trained model: what was asked for, what came out, and the directory with the rest."""

    model: str
    split: str
    seed: int
    fraction: float  # of the training set
    directory: Path
    config: dict
    results: dict

    @cached_property
    def history(self) -> tuple[dict, ...]:
        """One row an epoch."""
        path = self.directory / "history.jsonl"
        return tuple(map(json.loads, artifacts.read_text(path).splitlines())) if path.is_file() else ()

    @cached_property
    def predictions(self) -> tuple[dict, ...]:
        """One row a dev or test record, at the epoch that dev chose."""
        path = self.directory / "predictions.jsonl.gz"
        return tuple(artifacts.read_lines_gz(path)) if path.is_file() else ()

    @cached_property
    def deep(self) -> dict[int, float]:
        """Accuracy on equations deeper than any in the data set, by depth; empty where that was not measured."""
        path = self.directory / "deep.json"
        if not path.is_file():
            return {}
        return {int(depth): 100 * row["accuracy"] for depth, row in artifacts.read_json(path).items()}

    @cached_property
    def completion(self) -> dict[str, float]:
        """Scores of the second task, top_1 to top_10 and top_1_mse to top_10_mse; empty unless it was run in full."""
        path = self.directory / "completion.json"
        content = artifacts.read_json(path) if path.is_file() else {}
        if content.get("limit"):
            return {}
        symbolic, numeric = ((content.get(kind) or {}) for kind in ("symbolic", "numeric"))
        found = {f"top_{k}": 100 * share for k, share in enumerate(symbolic.get("top_k", ()), 1)}
        return found | {f"top_{k}_mse": error for k, error in enumerate(numeric.get("top_k_mse", ()), 1)}

    def measures(self, choice: str) -> dict[str, float]:
        """Every test score by name; best on test is the paper's way to choose the epoch."""
        part = self.results.get("test" if choice == DEV_CHOSEN else "best_on_test")
        return flat_measures(part) if part else {}


def flat_measures(part: dict) -> dict[str, float]:
    """The scores of one part of results.json or baselines.json, nested there, by one name each."""
    symbolic, evaluations = part.get("symbolic") or {}, part.get("evaluations") or {}
    found = {name: symbolic.get(name) for name in (ACCURACY, PRECISION, RECALL)}
    found |= {depth_measure(int(d)): row["accuracy"] for d, row in symbolic.get("by_depth", {}).items()}
    found |= {EVALUATION_ACCURACY: evaluations.get("accuracy")}
    found = {name: 100 * value for name, value in found.items() if value is not None}
    errors = {name: evaluations.get(name) for name in (MSE, MSE_ALL)}
    return found | {name: value for name, value in errors.items() if value is not None}


def _read_run(directory: Path, match: re.Match) -> Run:
    model, split, seed, fraction = match.groups()
    config, results = (artifacts.read_json(directory / name) for name in ("config.json", "results.json"))
    stated = (config.get("model"), config.get("split"), config.get("seed"))
    if stated != (model, split, int(seed)):
        raise InputError(f"{directory}: its name and its config.json ({stated}) disagree")
    share = float(config.get("fraction", fraction or 1))
    return Run(model, split, int(seed), share, directory, config, results)


def read_runs(experiments: Path) -> Iterator[Run]:
    """Every finished run, in the order of names; directories that are not finished or not ours are passed over."""
    for directory in sorted(experiments.iterdir()) if experiments.is_dir() else ():
        match = RUN_NAME.fullmatch(directory.name)
        if match and (directory / "results.json").is_file():
            yield _read_run(directory, match)


@dataclass(frozen=True)
class Archive:
    """All that the tables, figures and verdicts are made of; what is missing is empty."""

    runs: tuple[Run, ...]
    baselines: dict
    sympy_times: dict
    statistics: dict
    machine: dict
    examples: str  # Table 2 of the data set, as Markdown
    ablations: tuple[dict, ...] = ()  # the summaries, one a model
    searches: tuple[dict, ...] = ()
    benchmark: dict = field(default_factory=dict)

    @cached_property
    def _scores(self) -> dict[tuple[str, str, str], dict[int, dict[str, float]]]:
        scores: dict[tuple[str, str, str], dict[int, dict[str, float]]] = {}
        for run in self.whole:
            for choice in CHOICES:
                scores.setdefault((run.model, run.split, choice), {})[run.seed] = run.measures(choice)
                if run.split == GENERALIZATION and run.completion:
                    scores.setdefault((run.model, COMPLETION, choice), {})[run.seed] = run.completion
        for split, by_seed in self.baselines.get("splits", {}).items():
            for seed, by_method in by_seed.items():
                for method, symbolic in by_method.items():
                    for choice in CHOICES:
                        measures = flat_measures({"symbolic": symbolic})
                        scores.setdefault((method, split, choice), {})[int(seed)] = measures
        return scores

    @property
    def whole(self) -> tuple[Run, ...]:
        """The runs on the whole training set: those behind the tables."""
        return tuple(run for run in self.runs if run.fraction == 1)

    def select(self, split: str, model: str) -> tuple[Run, ...]:
        return tuple(run for run in self.whole if (run.split, run.model) == (split, model))

    def test_sizes(self, split: str) -> dict[str, int]:
        """The number of test equations of each column, in the first seed there is; numeric ones of both labels."""
        parts = [run.results["test"] for run in sorted(self.whole, key=lambda run: run.seed) if run.split == split]
        by_depth = parts[0]["symbolic"]["by_depth"] if parts else {}
        sizes = {depth_measure(int(depth)): row["count"] for depth, row in by_depth.items()}
        sizes |= {ACCURACY: sum(sizes.values())} if sizes else {}
        numeric = next((part["evaluations"]["count_all"] for part in parts if "evaluations" in part), None)
        return sizes | ({MSE: numeric} if numeric else {})

    def gaps(self, *splits: str) -> tuple[str, ...]:
        """A sentence on the networks that have not been trained on these splits, if any are missing."""
        missing = [
            f"{MODEL_NAMES[model]} ({SPLIT_TITLES[split]})"
            for split in splits
            for model in MODEL_NAMES
            if not self.select(split, model)
        ]
        sentences = [f"Not trained yet: {', '.join(missing)}; `python -m reproduction experiments` does it."]
        if not self.baselines:
            return (*(sentences if missing else ()), "No baselines yet: `python -m reproduction baselines` makes them.")
        return tuple(sentences) if missing else ()

    def values(self, approach: str, split: str, measure: str, choice: str = DEV_CHOSEN) -> dict[int, float]:
        """The score of each seed that has one; a baseline has no epochs, so that both choices are the same."""
        by_seed = self._scores.get((approach, split, choice), {})
        return {seed: by_seed[seed][measure] for seed in sorted(by_seed) if measure in by_seed[seed]}


def _optional(path: Path) -> dict:
    return artifacts.read_json(path) if path.is_file() else {}


def _summaries(directory: Path) -> tuple[dict, ...]:
    return tuple(map(artifacts.read_json, sorted(directory.glob(f"*/{artifacts.SUMMARY}"))))


def read_archive(runs: Path) -> Archive:
    """Everything under runs/ that has been finished so far."""
    runs = Path(runs)
    return Archive(
        tuple(read_runs(runs / "experiments")),
        _optional(runs / "baselines.json"),
        _optional(runs / "sympy-times.json"),
        _optional(runs / "data" / "statistics.json"),
        _optional(runs / "machine.json"),
        artifacts.read_text(examples) if (examples := runs / "data" / "table-2.md").is_file() else "",
        _summaries(runs / "ablation"),
        _summaries(runs / "search"),
        _optional(runs / "benchmark.json"),
    )
