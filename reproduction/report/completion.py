"""What filling blanks scored, over seeds; accuracies in per cent, errors as they are."""

from collections.abc import Iterator

from ..completion.store import MOST_FREQUENT, PERFECT, RANDOM, Completion, read_examples
from ..data.dataset import GENERALIZATION
from ..models import MODELS
from ..training.run_directory import FinishedRun
from .comparison import Summary, summarise
from .results import Archive

ACCURACIES, ERRORS = "top_k", "top_k_mse"  # the lists over k in the results of symbolic and of numeric blanks

# Rankings without a network, of the same blanks.
SYMBOLIC_REFERENCES = {MOST_FREQUENT: "most frequent first", RANDOM: "random order"}
NUMERIC_REFERENCES = {PERFECT: "exact values", RANDOM: "random order"}

# What blanks are grouped by in the results, and how that is called.
GROUPINGS = {
    "by_blank_height": "height of the blank",
    "by_blank_level": "distance of the blank from “=”",
    "by_equation_depth": "depth of the equation",
    "by_correct_candidates": "correct candidates",
}


def by_model(archive: Archive, split: str) -> dict[str, tuple[Completion, ...]]:
    """The finished completions of each model that has some, in the paper's order."""
    here = [completion for completion in archive.completions if completion.run.split == split]
    models = {model: tuple(each for each in here if each.run.model == model) for model in MODELS}
    return {model: completions for model, completions in models.items() if completions}


def error_models(archive: Archive) -> dict[str, tuple[Completion, ...]]:
    """The completions of function evaluations on the random split, by model."""
    models = by_model(archive, GENERALIZATION)
    return {model: each for model, each in models.items() if any(completion.numeric for completion in each)}


def longest(models: dict[str, tuple[Completion, ...]]) -> tuple[Completion, ...]:
    """Those of the model with the most seeds: what is known without a network is read from them."""
    return max(models.values(), key=len)


def _averages(completions: tuple[Completion, ...], ranking: str | None, numeric: bool) -> dict[int, dict]:
    """By seed the model's own averages, or those of the ranking of this name beside them."""
    averages = {each.run.seed: each.numeric if numeric else each.symbolic for each in completions}
    return {seed: here[ranking] if ranking else here for seed, here in averages.items() if here}


def curve(completions: tuple[Completion, ...], key: str = ACCURACIES, ranking: str | None = None) -> list[Summary]:
    """Mean and spread over seeds for k = 1 to 10."""
    averages = _averages(completions, ranking, key == ERRORS)
    factor = 1 if key == ERRORS else 100
    count = min(len(here[key]) for here in averages.values())
    return [summarise({seed: factor * here[key][k] for seed, here in averages.items()}) for k in range(count)]


def reciprocal_ranks(completions: tuple[Completion, ...], ranking: str | None = None) -> Summary:
    averages = _averages(completions, ranking, numeric=False)
    return summarise({seed: here["mean_reciprocal_rank"] for seed, here in averages.items()})


def groups(completions: tuple[Completion, ...], grouping: str) -> dict[str, Summary]:
    """First-guess accuracy over seeds for each value that blanks are grouped by."""
    by_seed = {each.run.seed: each.symbolic[grouping] for each in completions}
    values = dict.fromkeys(value for here in by_seed.values() for value in here)
    return {
        value: summarise({seed: 100 * here[value]["top_k"][0] for seed, here in by_seed.items() if value in here})
        for value in sorted(values, key=lambda value: int(value.split()[0]))
    }


def examples(archive: Archive, split: str, model: str) -> Iterator[tuple[FinishedRun, dict]]:
    """The stored examples of each seed."""
    for run in archive.select(split, model):
        if found := read_examples(run):
            yield run, found
