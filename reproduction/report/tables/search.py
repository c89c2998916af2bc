"""Searches as tables: the best configurations, what they are to be compared with, and the effect of each setting."""

from collections.abc import Sequence

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...sweeps.progress import duration
from ...sweeps.search import HALVING, PAPERS_BEST, best_rows
from .formats import NOTHING, Column, Row, Section, Table
from .search_words import (
    batch_text,
    compared_rows,
    defaults_sentence,
    extent_text,
    is_papers_space,
    noise_sentence,
    rank_sentence,
    setting_name,
    setting_text,
)

OVERALL = "search-all"
BATCH = "batch"
SCORES = ("epochs", "dev (%)", "test (%)", "MSE", "diverged")


def file_name(summary: dict) -> str:
    return f"search-{summary['model']}"


def title(summary: dict) -> str:
    return f"Search over configurations of {MODELS[summary['model']].title}"


def _settings(row: dict, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(setting_text(row["settings"].get(name)) for name in names)


def _scores(row: dict) -> tuple[str, ...]:
    scores = [f"{row['dev_accuracy']:.2f}", f"{row['test_accuracy']:.2f}"]
    mse = NOTHING if row["mse"] is None else f"{row['mse']:.3f}"
    diverged = f"epoch {row['diverged']}" if row["diverged"] else NOTHING
    return (str(row["epochs"]), *scores, mse, diverged)


def _columns(*titles: str) -> tuple[Column, ...]:
    return tuple(map(Column, titles))


def _best_section(summary: dict) -> Section:
    names = list(summary["space"])
    rows = (
        Row(str(rank), (*_settings(row, names), *_scores(row)))
        for rank, row in enumerate(best_rows(summary["trials"]), 1)
    )
    columns = _columns("", *map(setting_name, names), *SCORES)
    return Section("The best configurations, by accuracy on dev", columns, tuple(rows))


def _compared_cells(summary: dict, names: Sequence[str], name: str, row: dict) -> tuple[str, ...]:
    """Settings, the batch size where it is not one of them, and scores."""
    batch = () if "batch_size" in names else (batch_text(summary, name),)
    return (*_settings(row, names), *batch, *_scores(row))


def _compared_titles(names: Sequence[str]) -> tuple[str, ...]:
    return (*map(setting_name, names), *(() if "batch_size" in names else (BATCH,)), *SCORES)


def _compared_section(summary: dict) -> tuple[Section, ...]:
    """The best beside the paper's best and our defaults."""
    if not summary.get("compared"):
        return ()
    names = list(summary["space"])
    rows = (Row(name, _compared_cells(summary, names, name, row)) for name, row in compared_rows(summary))
    columns = _columns("", *_compared_titles(names))
    return (Section("The best beside the paper's best and our defaults", columns, tuple(rows)),)


def _marginal_section(summary: dict) -> Section:
    titles = ("setting", "value", "mean dev (%)", "best dev (%)", "configurations", "diverged", "in the last rung")
    rows = []
    for group, (name, marginals) in enumerate(summary["marginals"].items()):
        for row in marginals:
            scores = [f"{row[key]:.2f}" for key in ("mean_dev_accuracy", "best_dev_accuracy")]
            counts = [str(row[key]) for key in ("configurations", "diverged", "in_last_rung")]
            rows.append(Row(setting_name(name), (setting_text(row["value"]), *scores, *counts), group))
    heading = f"The effect of each setting: all configurations, after {summary['rungs'][0]['epochs']} epochs"
    return Section(heading, tuple(map(Column, titles)), tuple(rows))


def hours(summary: dict) -> float:
    """Of training in all: the seconds of a trial contain those of the one that it continues; older ones began anew."""
    if "rank_correlations" not in summary:
        return sum(row["seconds"] for row in summary["trials"]) / 3600
    longest: dict[tuple, float] = {}
    for row in summary["trials"]:
        key = tuple(row["settings"].items())
        longest[key] = max(longest.get(key, 0.0), row["seconds"])
    return sum(longest.values()) / 3600


def _about(summary: dict) -> str:
    ladder = ", then ".join(f"{rung['count']} for {rung['epochs']} epochs" for rung in summary["rungs"])
    method = "successive halving" if summary["method"] == HALVING else f"{summary['method']} search"
    batch = f", batches of {summary['batch_size']}" if summary.get("batch_size") else ""
    space = f"; {summary['in_space']} are in the space" if summary.get("in_space") else ""
    return (
        f"{method.capitalize()}: {ladder}{space}; {SPLIT_TITLES[summary['split']]}, seed {summary['seed']}{batch}, "
        f"{duration(3600 * hours(summary))} of training in all. Everything is chosen on dev; test is shown and chose "
        "nothing."
    )


def search_table(summary: dict) -> Table:
    """The best configurations, beside the paper's best and our defaults, and the effect of each setting."""
    sections = (_best_section(summary), *_compared_section(summary), _marginal_section(summary))
    notes = (
        _about(summary), _papers_point([summary]), defaults_sentence([summary]), rank_sentence(summary),
        noise_sentence([summary]),
    )  # fmt: skip
    return Table(f"table-{file_name(summary)}", title(summary), sections, tuple(filter(None, notes)))


def _is_papers_point_drawn(summary: dict) -> bool:
    point = next((row["settings"] for row in summary.get("compared", ()) if row["name"] == PAPERS_BEST), None)
    return point is None or any(row["settings"] == point for row in summary["trials"])


def _papers_point(summaries: Sequence[dict]) -> str | None:
    """That the best is chosen among one point more than was drawn; None where the draw had it."""
    if all(_is_papers_point_drawn(summary) for summary in summaries if is_papers_space(summary)):
        return None
    return "The paper's best is a point of the space, too, and counts as tried where it was not drawn."


def overall_search_table(summaries: Sequence[dict]) -> Table:
    """The best configuration of every network beside the paper's best and our defaults."""
    names = list(dict.fromkeys(name for summary in summaries for name in summary["space"]))
    rows = [
        Row(MODELS[summary["model"]].title, (name, *_compared_cells(summary, names, name, row)), group)
        for group, summary in enumerate(summaries)
        for name, row in compared_rows(summary)
    ]
    drawn = "; ".join(extent_text(summary) for summary in summaries if summary.get("in_space"))
    notes = (
        f"Configurations tried: {drawn}." if drawn else None,
        _papers_point(summaries),
        defaults_sentence(summaries),
        noise_sentence(summaries),
        "The epoch and the configuration are chosen on dev; test is shown and chose nothing.",
    )
    section = Section("", _columns("network", "", *_compared_titles(names)), tuple(rows))
    return Table(f"table-{OVERALL}", "The best configuration of every network", (section,), tuple(filter(None, notes)))
