"""All that lies under runs/ as one record; numbers leave here in per cent (accuracies) or as they are (errors)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .. import artifacts
from ..completion.store import Completion, read_completion
from ..data.dataset import GENERALIZATION, SPLIT_TITLES, Dataset, load
from ..data.manifest import Manifest, is_whole
from ..data.table_2 import ExamplePair, read_examples
from ..measures import ACCURACY, MSE, Measure, depth_measure
from ..models import MODELS
from ..training.records import Scores
from ..training.run_directory import CHOICES, DEV_CHOSEN, FinishedRun, read_runs
from . import stored
from .protocol import summarised_completions, summarised_runs, with_protocol

SECOND = "hard"  # the directory of the second benchmark, beside everything else
COMPLETION = "completion"  # beside the splits: the second task, for the models of the random split


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
    protocol: "Archive | None" = None  # the same networks on the same data, at the paper's own settings

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data set that the runs learned from, if it is there."""
        data = self.directory and self.directory / "data"
        return load(data) if data and is_whole(data) else None

    @property
    def has_results(self) -> bool:
        """Whether anything was trained: runs of the tables, those of a study, or those of the second benchmark."""
        studies = (self.ablations, self.searches, self.data_study, self.ladder, self.protocol, self.second)
        return any((self.runs, *studies))

    @property
    def own_axioms(self) -> str:
        """A sentence where the data come from other axioms than the project's: the paper has no numbers on them."""
        axioms = self.statistics.get("axioms")
        if not axioms:
            return ""
        counted = f"{axioms['count']} in {axioms['families']} families"
        return f"The data come from axioms of their own ({counted}); the paper's numbers are not about them: left out."

    def shown(self, *splits: str) -> tuple[str, ...]:
        """Those of the splits that tables and figures show: all, on axioms of their own those that were trained on."""
        trained = {run.split for run in self.whole}
        return tuple(split for split in splits if split in trained or not self.own_axioms)

    @cached_property
    def _scores(self) -> dict[tuple[str, str, str], dict[int, dict[Measure, float]]]:
        """By approach, split and choice of the epoch the measures of each seed; what has no epochs has both choices."""
        scores: dict[tuple[str, str, str], dict[int, dict[Measure, float]]] = defaultdict(dict)
        baselines = self.baselines.get("splits", {})
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


def _fingerprints(
    baselines: dict, summaries: Iterable[dict], data_study: dict, protocol: dict, runs: Path
) -> Iterator[tuple[str, str]]:
    """The data sets that results beside the runs are of, with what they stand in."""
    for name, content in (("baselines.json", baselines), (artifacts.PROTOCOL, protocol)):
        if content:
            yield str(runs / name), content["data_fingerprint"]
    for each in summaries:
        yield f"{runs}: the {artifacts.SUMMARY} of {each['model']}", each["data_fingerprint"]
    if stored.REFERENCE in data_study.get("data_fingerprints", {}):
        yield str(runs / artifacts.DATA_STUDY), data_study["data_fingerprints"][stored.REFERENCE]


def _at_protocol(content: dict, runs: Path, data: Manifest | None, baselines: dict, statistics: dict) -> Archive | None:
    """The runs at the paper's own settings beside baselines, which have none; None where nothing was trained so."""
    if not content.get("rows"):
        return None
    found = summarised_runs(content, runs, data)
    completions = tuple(summarised_completions(content, found))
    return Archive(found, completions, baselines, statistics=statistics)


def read_archive(runs: Path) -> Archive:
    """Everything under runs/ that has been finished so far; what is not of the data set in there is refused."""
    runs = Path(runs)
    finished, data = tuple(read_runs(runs / "experiments")), stored.data_beside(runs)
    baselines = stored.stored(stored.Baselines, runs / "baselines.json")
    ablations = stored.summaries(stored.Ablation, runs / "ablation")
    searches = stored.summaries(stored.Search, runs / "search")
    data_study = stored.stored(stored.DataStudy, runs / artifacts.DATA_STUDY)
    protocol, statistics = stored.stored(stored.Protocol, runs / artifacts.PROTOCOL), stored.statistics_of(data)
    beside = _fingerprints(baselines, (*ablations, *searches), data_study, protocol, runs)
    stored.refuse_mixtures(runs, data, finished, beside)
    at_protocol = _at_protocol(protocol, runs, data, baselines, statistics)
    completions = (read_completion(run) for run in finished if run.configuration.fraction == 1)
    return Archive(
        finished,
        tuple(filter(None, completions)),
        baselines,
        stored.sympy_times(runs, statistics, data),
        statistics,
        stored.stored(stored.Machine, runs / "machine.json"),
        read_examples(data),
        ablations,
        searches,
        stored.stored(stored.Benchmark, runs / "benchmark.json"),
        with_protocol(data_study, at_protocol.runs) if at_protocol else data_study,
        stored.ladder(runs, data),
        tuple(stored.stored(stored.Remedies, runs / "remedies.json").get("remedies", ())),
        runs,
        read_archive(runs / SECOND) if artifacts.entries(runs / SECOND / "experiments") else None,
        at_protocol,
    )
