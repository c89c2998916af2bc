"""What filling blanks scored, over seeds; accuracies in per cent, errors as they are."""

from collections.abc import Iterator
from pathlib import Path

from .. import artifacts
from ..completion.store import EXAMPLES, Completion
from ..training.run_directory import FinishedRun
from .comparison import Summary, summarise
from .results import Archive

# What blanks are grouped by in the results, and how that is called.
GROUPINGS = {
    "by_blank_height": "height of the blank",
    "by_blank_level": "distance of the blank from “=”",
    "by_equation_depth": "depth of the equation",
    "by_correct_candidates": "correct candidates",
}


def completions(archive: Archive, split: str, model: str) -> tuple[Completion, ...]:
    return tuple(each for each in archive.completions if (each.run.split, each.run.model) == (split, model))


def curve(rows: dict[int, dict], key: str = "top_k") -> list[Summary]:
    """Mean and spread over seeds for k = 1 to 10; accuracies in per cent. rows are by seed."""
    factor = 100 if key == "top_k" else 1
    count = min(len(row[key]) for row in rows.values())
    return [summarise({seed: factor * row[key][k] for seed, row in rows.items()}) for k in range(count)]


def reciprocal_ranks(rows: dict[int, dict]) -> Summary:
    return summarise({seed: row["mean_reciprocal_rank"] for seed, row in rows.items()})


def symbolic_rows(found: tuple[Completion, ...], ranking: str | None = None) -> dict[int, dict]:
    """By seed the model's own averages, or those of the ranking of this name beside them."""
    rows = {completion.run.seed: completion.symbolic for completion in found}
    return {seed: row[ranking] if ranking else row for seed, row in rows.items()}


def numeric_rows(found: tuple[Completion, ...], ranking: str | None = None) -> dict[int, dict]:
    rows = {completion.run.seed: completion.numeric for completion in found if completion.numeric}
    return {seed: row[ranking] if ranking else row for seed, row in rows.items()}


def groups(found: tuple[Completion, ...], grouping: str) -> dict[str, Summary]:
    """First-guess accuracy over seeds for each value that blanks are grouped by."""
    rows = {completion.run.seed: completion.symbolic[grouping] for completion in found}
    names = dict.fromkeys(name for row in rows.values() for name in row)
    return {
        name: summarise({seed: 100 * row[name]["top_k"][0] for seed, row in rows.items() if name in row})
        for name in sorted(names, key=lambda name: int(name.split()[0]))
    }


def examples(archive: Archive, split: str, model: str) -> Iterator[tuple[FinishedRun, dict]]:
    """The stored examples of each seed."""
    for run in archive.select(split, model):
        path: Path = run.directory / EXAMPLES
        if path.is_file():
            yield run, artifacts.read_json(path)
