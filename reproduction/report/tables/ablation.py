"""Ablations of optimizers as tables; made from summaries alone."""

from collections.abc import Sequence

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS
from ...sweeps.ablation import CANDIDATE, MILESTONE
from ...sweeps.ablation_results import Entry, View, diverged, entries, ranking, regimes_of, views
from ..comparison import Cell, summarise
from .ablation_claim import ADAM, KINDS, are_tied, claim_sentence, paper_ranking, view_of_kind, winners
from .ablation_notes import (
    PARTS,
    about_regime,
    collapsed_sentence,
    delay_sentence,
    diverged_sentence,
    end_sentence,
    grid_settings,
    is_at_end,
    view_title,
    worse_sentence,
)
from .formats import NOTHING, Column, Row, Section, Table
from .search_words import setting_text

OVERALL = "ablation-all"  # the name of a stage would hide it


def file_name(content: dict) -> str:
    return f"ablation-{content['model']}"


def title(content: dict) -> str:
    return f"Optimizers on {MODELS[content['model']].title}"


def _mean(entry: Entry, name: str) -> Cell | str:
    """Mean and spread of a number over seeds."""
    values = {row["seed"]: row[name] for row in entry.rows if row[name] is not None}
    return Cell(None, summarise(values), None) if values else NOTHING


def _in_seeds(entry: Entry, name: str, word: str = "") -> str:
    """The numbers of the seeds that have one: `12, 14`, or `12 (1 of 3 seeds)`."""
    numbers = [str(row[name]) for row in entry.rows if row[name] is not None]
    if not numbers:
        return NOTHING
    part = f" ({len(numbers)} of {len(entry.rows)} seeds)" if len(numbers) < len(entry.rows) else ""
    return f"{word}{', '.join(numbers)}{part}"


# What stands in each column behind the optimizer and its rate: a heading, and what makes its cell.
COLUMNS = (
    (Column("momentum"), lambda entry: setting_text(entry.momentum)),
    (Column("dev (%)"), lambda entry: _mean(entry, "dev_accuracy")),
    (Column("test (%)"), lambda entry: _mean(entry, "test_accuracy")),
    (Column("MSE", 3), lambda entry: _mean(entry, "mse")),
    (Column(f"epochs to {MILESTONE:.0f} % dev"), lambda entry: _in_seeds(entry, "epochs_to_90")),
    (Column("time (s)", 0), lambda entry: _mean(entry, "seconds")),
    (Column("diverged"), lambda entry: _in_seeds(entry, "diverged", "epoch ")),
)


def _rate(content: dict, view: View, entry: Entry) -> str:
    """`0.01`, or `10, end` where tuning ended at the highest or the lowest rate that was tried."""
    return f"{setting_text(entry.learning_rate)}{', end' if is_at_end(content, view, entry) else ''}"


def _section(content: dict, view: View) -> Section:
    rows = (
        Row(
            OPTIMIZERS[entry.optimizer].title,
            (_rate(content, view, entry), *(make(entry) for _, make in COLUMNS)),
        )
        for entry in entries(content, view)
    )
    columns = (Column("optimizer"), Column("learning rate"), *(column for column, _ in COLUMNS))
    return Section(view_title(view), columns, tuple(rows))


def _diverged_section(content: dict) -> tuple[Section, ...]:
    """Every trial that diverged, and when; nothing where none did."""
    names = ("optimizer", "batch", "learning rate", "momentum", "tried in", "seed", "epoch")
    rows = tuple(
        Row(
            OPTIMIZERS[row["optimizer"]].title,
            (
                str(row.get("batch_size", regimes_of(content)[0].batch_size)),
                *(setting_text(row[name]) for name in ("learning_rate", "momentum")),
                *(str(row[name]) for name in ("part", "seed", "diverged")),
            ),
        )
        for row in diverged(content)
    )
    return (Section("What diverged, and in which epoch", tuple(map(Column, names)), rows),) if rows else ()


def adam_firsts(content: dict, view: View) -> tuple[int, int]:
    """In how many seeds Adam alone is the best of the paper's optimizers on dev, and how many seeds there are."""
    accuracies = {entry.optimizer: entry.dev_accuracies for entry in paper_ranking(content, view)}
    seeds = accuracies.pop(ADAM, {})
    firsts = sum(all(seeds[seed] > other.get(seed, 0) for other in accuracies.values()) for seed in seeds)
    return firsts, len(seeds)


def _scores(order: Sequence[Entry]) -> str:
    """`RMSProp 97.12, SGD 93.27 = DCASGD 93.27`: equal signs between those that are tied."""
    said = ""
    for before, entry in zip((None, *order), order, strict=False):
        link = "" if before is None else " = " if are_tied(before, entry) else ", "
        said += f"{link}{OPTIMIZERS[entry.optimizer].title} {entry.score.dev_accuracy:.2f}"
    return said


def ranking_sentence(content: dict, view: View) -> str:
    """Who is best on dev in one comparison, and where Adam stands among the paper's optimizers."""
    order = paper_ranking(content, view)
    more = [entry for entry in ranking(content, view) if entry not in order]
    said = f"{view_title(view)}, best on dev first (%): {_scores(order)}"
    said += f"; beyond the paper's: {_scores(more)}." if more else "."
    adam = next((entry for entry in order if entry.optimizer == ADAM), None)
    if adam is None:
        return said
    place = 1 + sum(entry.score > adam.score and not are_tied(entry, adam) for entry in order)
    firsts, seeds = adam_firsts(content, view)
    return f"{said} Adam is number {place} of {len(order)}, and first in {firsts} of {seeds} seeds."


def _chosen_from(content: dict) -> str:
    if not any(row["part"] == CANDIDATE for row in content["rows"]):
        return "few epochs"
    return "few epochs, after which the best two and the best of the grid are trained to the end and the best is taken"


def _about(content: dict) -> str:
    return (
        f"{SPLIT_TITLES[content['split']].capitalize()}, mean ± standard deviation over {content['seeds']} seeds; the "
        "epoch and all settings are chosen on dev. The grid: learning rate 0.001 or 1e-5, momentum 0.2 or 0.7 where it "
        f"exists, {grid_settings(content)}, tried with one seed; the best of each optimizer is shown, all are in "
        f"`{file_name(content)}.csv`. Tuned: decades, then half decades around the best, one seed and "
        f"{_chosen_from(content)}. AdaDelta has no learning rate."
    )


def _warnings(contents: Sequence[dict]) -> tuple[str | None, ...]:
    """What is to be known of numbers above: those of one network, or of all."""
    say = (end_sentence, worse_sentence, collapsed_sentence, diverged_sentence, delay_sentence)
    return tuple(sentence(contents) for sentence in say)


def ablation_table(content: dict) -> Table:
    """Every comparison of one network, what diverged, and the sentences below."""
    regimes = (about_regime(content, regime) for regime in regimes_of(content))
    notes = (claim_sentence([content]), *(ranking_sentence(content, view) for view in views(content)))
    notes += (_about(content), *regimes, *_warnings([content]))
    sections = (*(_section(content, view) for view in views(content)), *_diverged_section(content))
    return Table(f"table-{file_name(content)}", title(content), sections, tuple(filter(None, notes)))


def _overall_section(contents: Sequence[dict], part: str, is_paper: bool) -> tuple[Section, ...]:
    """A row an optimizer, a column a network: mean on dev, the best of each network marked."""
    shown = [(content, view) for content in contents if (view := view_of_kind(content, part, is_paper))]
    if not shown:
        return ()
    cells = [_overall_cells(*each) for each in shown]
    columns = [Column(f"{MODELS[content['model']].title}, {view.batch_size} a batch") for content, view in shown]
    rows = [
        Row(choice.title, tuple(column.get(name, NOTHING) for column in cells), int(name not in PAPER_OPTIMIZERS))
        for name, choice in OPTIMIZERS.items()
        if any(name in column for column in cells)
    ]
    batches = "small batches" if is_paper else "large batches"
    return (Section(f"{PARTS[part]}, {batches}: dev (%)", (Column("optimizer"), *columns), tuple(rows)),)


def _overall_cells(content: dict, view: View) -> dict[str, str]:
    """The column of a network by optimizer."""
    best = winners(content, view)
    return {
        entry.optimizer: f"{_overall_cell(content, view, entry)}{' ★' if entry.optimizer in best else ''}"
        for entry in entries(content, view)
    }


def _overall_cell(content: dict, view: View, entry: Entry) -> str:
    summary = summarise(entry.dev_accuracies)
    spread = "" if summary.std is None else f" ± {summary.std:.2f}"
    rate = "" if entry.learning_rate is None else f" ({_rate(content, view, entry)})"
    return f"{summary.mean:.2f}{spread}{rate}{'' if entry.score.converged else ', diverged'}"


def overall_table(contents: Sequence[dict]) -> Table:
    """All networks beside each other."""
    sections = tuple(section for kind in KINDS for section in _overall_section(contents, *kind))
    note = (
        "Mean ± standard deviation on dev over seeds, the learning rate in brackets; ★ is the best of the paper's "
        "optimizers on the network, or several that are tied. Large batches have the model's own dropout, L2 and "
        "averaging of parameters, small ones the paper's settings and none; the table of each network says more."
    )
    notes = (claim_sentence(contents), note, *_warnings(contents))
    return Table(f"table-{OVERALL}", "Optimizers on all networks", sections, tuple(filter(None, notes)))
