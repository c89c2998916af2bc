"""All that lies under runs/ as one record; numbers leave here in per cent (accuracies) or as they are (errors)."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .. import artifacts
from ..completion.store import Completion, read_completion
from ..data.dataset import GENERALIZATION, SPLIT_TITLES, Dataset, load
from ..data.table_2 import ExamplePair, read_examples
from ..measures import ACCURACY, MSE, Measure, depth_measure
from ..models import MODELS
from ..shapes import shaped
from ..training.run_directory import CHOICES, DEV_CHOSEN, FinishedRun, Scores, Verification, read_runs

SECOND = "hard"  # the directory of the second benchmark, beside everything else
COMPLETION = "completion"  # beside the splits: the second task, for the models of the random split
_Baselines = dict[str, dict[int, dict[str, Verification]]]  # by split, seed and approach


@dataclass(frozen=True)
class Archive:
    """All that the tables, figures and verdicts are made of; what is missing is empty."""

    runs: tuple[FinishedRun, ...] = ()
    completions: tuple[Completion, ...] = ()
    baselines: dict = field(default_factory=dict)
    sympy_times: dict = field(default_factory=dict)
    statistics: dict = field(default_factory=dict)
    machine: dict = field(default_factory=dict)
    examples: tuple[ExamplePair, ...] = ()  # Table 2 of the data set
    ablations: tuple[dict, ...] = ()  # the summaries, one a model
    searches: tuple[dict, ...] = ()
    benchmark: dict = field(default_factory=dict)
    data_study: dict = field(default_factory=dict)
    ladder: dict = field(default_factory=dict)
    remedies: tuple[dict, ...] = ()  # what was tried where a number was not close: claim, remedy, outcome
    directory: Path | None = None
    second: "Archive | None" = None  # the runs on the second benchmark, the recipe `hard`

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data set that the runs learned from, if it is there."""
        data = self.directory and self.directory / "data"
        return load(data) if data and (data / "numeric.jsonl.gz").is_file() else None

    @cached_property
    def _scores(self) -> dict[tuple[str, str, str], dict[int, dict[Measure, float]]]:
        """By approach, split and choice of the epoch the measures of each seed; what has no epochs has both choices."""
        scores: dict[tuple[str, str, str], dict[int, dict[Measure, float]]] = defaultdict(dict)
        baselines = shaped(_Baselines, self.baselines.get("splits", {}), "baselines.json", "splits")
        for choice in CHOICES:
            for run in self.whole:
                scores[run.model, run.split, choice][run.seed] = run.measures(choice)
            for completion in self.completions:
                if completion.run.split == GENERALIZATION:
                    scores[completion.run.model, COMPLETION, choice][completion.run.seed] = completion.measures
            for split, by_seed in baselines.items():
                for seed, by_approach in by_seed.items():
                    for approach, symbolic in by_approach.items():
                        scores[approach, split, choice][seed] = Scores(symbolic).measures
        return scores

    @property
    def whole(self) -> tuple[FinishedRun, ...]:
        """The runs on the whole training set: those behind the tables."""
        return tuple(run for run in self.runs if run.configuration.fraction == 1)

    def select(self, split: str, model: str) -> tuple[FinishedRun, ...]:
        return tuple(run for run in self.whole if (run.split, run.model) == (split, model))

    def test_sizes(self, split: str) -> dict[Measure, int]:
        """The number of test equations of each column, in the first seed there is; numeric ones of both labels."""
        tests = [run.results.test for run in sorted(self.whole, key=lambda run: run.seed) if run.split == split]
        by_depth = tests[0].symbolic.by_depth if tests else {}
        sizes = {depth_measure(depth): score.count for depth, score in by_depth.items()}
        sizes |= {ACCURACY: sum(sizes.values())} if sizes else {}
        numeric = next((test.evaluations.count_all for test in tests if test.evaluations), None)
        return sizes | ({MSE: numeric} if numeric else {})

    def gaps(self, *splits: str) -> tuple[str, ...]:
        """A sentence on the networks that have not been trained on these splits, if any are missing."""
        missing = [
            f"{MODELS[model].title} ({SPLIT_TITLES[split]})"
            for split in splits
            for model in MODELS
            if not self.select(split, model)
        ]
        sentences = [f"Not trained yet: {', '.join(missing)}; `python -m reproduction experiments` does it."]
        if not self.baselines:
            return (*(sentences if missing else ()), "No baselines yet: `python -m reproduction baselines` makes them.")
        return tuple(sentences) if missing else ()

    def values(self, approach: str, split: str, measure: Measure, choice: str = DEV_CHOSEN) -> dict[int, float]:
        """The score of each seed that has one; a baseline has no epochs, so that both choices are the same."""
        by_seed = self._scores.get((approach, split, choice), {})
        return {seed: by_seed[seed][measure] for seed in sorted(by_seed) if measure in by_seed[seed]}


def _optional(path: Path) -> dict:
    return artifacts.read_json(path) if path.is_file() else {}


def read_summaries(directory: Path) -> tuple[dict, ...]:
    """The summaries of all ablations or searches in a directory, one a model."""
    return tuple(map(artifacts.read_json, sorted(directory.glob(f"*/{artifacts.SUMMARY}"))))


def read_archive(runs: Path) -> Archive:
    """Everything under runs/ that has been finished so far."""
    runs = Path(runs)
    finished = tuple(read_runs(runs / "experiments"))
    completions = (read_completion(run) for run in finished if run.configuration.fraction == 1)
    return Archive(
        finished,
        tuple(filter(None, completions)),
        _optional(runs / "baselines.json"),
        _optional(runs / "sympy-times.json"),
        _optional(runs / "data" / "statistics.json"),
        _optional(runs / "machine.json"),
        read_examples(runs / "data"),
        read_summaries(runs / "ablation"),
        read_summaries(runs / "search"),
        _optional(runs / "benchmark.json"),
        _optional(runs / artifacts.DATA_STUDY),
        _optional(runs / artifacts.LADDER),
        tuple(_optional(runs / "remedies.json")),
        runs,
        read_archive(runs / SECOND) if (runs / SECOND / "experiments").is_dir() else None,
    )
