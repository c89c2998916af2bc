"""Searches as tables: the best configurations, what they are to be compared with, and the effect of each setting."""

from collections.abc import Sequence

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...sweeps.search import HALVING, best_rows
from .formats import NOTHING, Column, Row, Section, Table

NAMES = {"l2": "L2", "hidden": "hidden units"}
OVERALL = "search-all"
BEST = "best of the space"
SCORES = ("epochs", "dev (%)", "test (%)", "MSE", "diverged")


def setting_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def setting_text(value) -> str:
    """`0.001`, `adam`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def file_name(summary: dict) -> str:
    return f"search-{summary['model']}"


def title(summary: dict) -> str:
    return f"Search over configurations of {MODELS[summary['model']].title}"


def _cells(row: dict, names: Sequence[str]) -> tuple[str, ...]:
    """The settings and scores of a trial."""
    settings = [setting_text(row["settings"].get(name)) for name in names]
    scores = [f"{row['dev_accuracy']:.2f}", f"{row['test_accuracy']:.2f}"]
    mse = NOTHING if row["mse"] is None else f"{row['mse']:.3f}"
    diverged = f"epoch {row['diverged']}" if row["diverged"] else NOTHING
    return (*settings, str(row["epochs"]), *scores, mse, diverged)


def _trials_section(heading: str, names: Sequence[str], rows: Sequence[tuple[str, dict]]) -> Section:
    titles = ("", *map(setting_name, names), *SCORES)
    return Section(heading, tuple(map(Column, titles)), tuple(Row(name, _cells(row, names)) for name, row in rows))


def _compared_section(summary: dict) -> tuple[Section, ...]:
    """The best beside the paper's best and our defaults."""
    if not summary.get("compared"):
        return ()
    rows = compared_rows(summary)
    return (_trials_section("The best beside the paper's best and our defaults", list(summary["space"]), rows),)


def compared_rows(summary: dict) -> list[tuple[str, dict]]:
    """The best trial of a search and what it is compared with, by name."""
    best = [(BEST, row) for row in best_rows(summary["trials"], 1)]
    return [*best, *((row["name"], row) for row in summary.get("compared", ()))]


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


def correlation_text(correlation: dict) -> str:
    """`0.83 over 84`, or a dash where nothing is ranked."""
    found = correlation["spearman"]
    return f"{NOTHING if found is None else f'{found:.2f}'} over {correlation['configurations']}"


def rank_sentence(summary: dict) -> str | None:
    """How alike rungs rank configurations; None for a search of one rung."""
    if not summary.get("rank_correlations"):
        return None
    epochs = [rung["epochs"] for rung in summary["rungs"]]
    parts = [
        f"{correlation_text(each)} configurations between {epochs[first]} and {epochs[second]} epochs"
        for each in summary["rank_correlations"]
        for first, second in (each["rungs"],)
    ]
    return (
        f"Rank correlation (Spearman) of accuracy on dev from rung to rung: {'; '.join(parts)}. Only those that went "
        "on are compared, the best of the rung before, which are more alike than all of them."
    )


def hours(summary: dict) -> float:
    """Of training in all: the seconds of a trial contain those of the one that it continues; older ones began anew."""
    if "rank_correlations" not in summary:
        return sum(row["seconds"] for row in summary["trials"]) / 3600
    longest: dict[tuple, float] = {}
    for row in summary["trials"]:
        key = tuple(row["settings"].items())
        longest[key] = max(longest.get(key, 0.0), row["seconds"])
    return sum(longest.values()) / 3600


def search_table(summary: dict) -> Table:
    """The best configurations, beside the paper's best and our defaults, and the effect of each setting."""
    ladder = ", then ".join(f"{rung['count']} for {rung['epochs']} epochs" for rung in summary["rungs"])
    method = "successive halving" if summary["method"] == HALVING else f"{summary['method']} search"
    batch = f", batches of {summary['batch_size']}" if summary.get("batch_size") else ""
    space = f"; {summary['in_space']} are in the space" if summary.get("in_space") else ""
    note = (
        f"{method.capitalize()}: {ladder}{space}; {SPLIT_TITLES[summary['split']]}, seed {summary['seed']}{batch}, "
        f"{hours(summary):.1f} hours of training in all. Everything is chosen on dev; test is shown and chose nothing."
    )
    best = [(str(rank), row) for rank, row in enumerate(best_rows(summary["trials"]), 1)]
    best_section = _trials_section("The best configurations, by accuracy on dev", list(summary["space"]), best)
    sections = (best_section, *_compared_section(summary), _marginal_section(summary))
    notes = tuple(filter(None, (note, rank_sentence(summary))))
    return Table(f"table-{file_name(summary)}", title(summary), sections, notes)


def overall_search_table(summaries: Sequence[dict]) -> Table:
    """The best configuration of every network beside the paper's best and our defaults."""
    names = list(dict.fromkeys(name for summary in summaries for name in summary["space"]))
    titles = ("network", "", *map(setting_name, names), *SCORES)
    rows = [
        Row(MODELS[summary["model"]].title, (name, *_cells(row, names)), group)
        for group, summary in enumerate(summaries)
        for name, row in compared_rows(summary)
    ]
    drawn = "; ".join(
        f"{MODELS[summary['model']].title} {summary['rungs'][0]['count']} of {summary['in_space']}"
        for summary in summaries
        if summary.get("in_space")
    )
    notes = (f"Configurations tried: {drawn}.",) if drawn else ()
    notes += ("The epoch and the configuration are chosen on dev; test is shown and chose nothing.",)
    section = Section("", tuple(map(Column, titles)), tuple(rows))
    return Table(f"table-{OVERALL}", "The best configuration of every network", (section,), notes)
