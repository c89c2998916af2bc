"""The ablation of optimizers as a table, a sentence on the paper's claim, and a figure; made from summaries alone."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...sweeps.ablation import GRID, MILESTONE, TUNED, Entry, entries, final_parts
from ..comparison import Cell, summarise
from ..tables.formats import NOTHING, Column, Row, Section, Table
from .drawing import (
    BLACK, BLUE, FAINT, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, Drawing, Look, draw_range, panels, rounded,
)  # fmt: skip
from .search import setting_name, setting_text

CLAIM = "Most of the networks achieved their best performance using Adam"  # section 4 of the paper
ADAM = "adam"
TITLES = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}

OPTIMIZER_LOOKS = {
    name: Look(title, colour, "", line)
    for name, title, colour, line in (
        ("sgd", "SGD", GREY, "-"),
        ("nag", "NAG", BLACK, "--"),
        ("rmsprop", "RMSProp", ORANGE, "-"),
        ("adam", "Adam", VERMILION, "-"),
        ("adagrad", "AdaGrad", SKY, "-"),
        ("adadelta", "AdaDelta", GREEN, "--"),
        ("dcasgd", "DCASGD", PURPLE, ":"),
        ("sgld", "SGLD", BLUE, "-."),
    )
}


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


# What stands in each column of an entry: a heading, and what makes its cell.
COLUMNS = (
    (Column("optimizer"), None),
    (Column("learning rate"), lambda entry: setting_text(entry.learning_rate)),
    (Column("momentum"), lambda entry: setting_text(entry.momentum)),
    (Column("dev (%)"), lambda entry: _mean(entry, "dev_accuracy")),
    (Column("test (%)"), lambda entry: _mean(entry, "test_accuracy")),
    (Column("MSE", 3), lambda entry: _mean(entry, "mse")),
    (Column(f"epochs to {MILESTONE:.0f} % dev"), lambda entry: _in_seeds(entry, "epochs_to_90")),
    (Column("time (s)", 0), lambda entry: _mean(entry, "seconds")),
    (Column("diverged"), lambda entry: _in_seeds(entry, "diverged", "epoch ")),
)


def _section(content: dict, part: str) -> Section:
    rows = (
        Row(OPTIMIZER_LOOKS[entry.optimizer].name, tuple(make(entry) for _, make in COLUMNS[1:]))
        for entry in entries(content, part)
    )
    return Section(TITLES[part], tuple(column for column, _ in COLUMNS), tuple(rows))


def ranking(content: dict, part: str) -> tuple[Entry, ...]:
    """Optimizers from the best to the worst, by the mean over seeds on dev."""
    return tuple(sorted(entries(content, part), key=lambda entry: entry.score, reverse=True))


def adam_firsts(content: dict, part: str) -> tuple[int, int]:
    """In how many seeds Adam is the best on dev, and how many seeds there are."""
    accuracies = {entry.optimizer: entry.dev_accuracies for entry in entries(content, part)}
    seeds = accuracies.get(ADAM, {})
    firsts = sum(all(seeds[seed] >= other.get(seed, 0) for other in accuracies.values()) for seed in seeds)
    return firsts, len(seeds)


def ranking_sentence(content: dict, part: str) -> str:
    """Who is best on dev in one part, and where Adam stands."""
    order = ranking(content, part)
    scores = [f"{OPTIMIZER_LOOKS[entry.optimizer].name} {entry.score.dev_accuracy:.2f}" for entry in order]
    names = [entry.optimizer for entry in order]
    said = f"{TITLES[part]}, best on dev first (%): {', '.join(scores)}."
    if ADAM not in names:
        return said
    firsts, seeds = adam_firsts(content, part)
    return f"{said} Adam is number {names.index(ADAM) + 1} of {len(names)}, and first in {firsts} of {seeds} seeds."


def _adam_wins(contents: Sequence[dict], part: str) -> tuple[int, int]:
    """For how many models Adam is the best optimizer of a part, and how many there are."""
    winners = [ranking(content, part)[0].optimizer for content in contents if entries(content, part)]
    return winners.count(ADAM), len(winners)


def claim_sentence(ablations: Sequence[dict]) -> str | None:
    """Whether the paper's sentence on Adam holds for the models of these ablations; None if Adam is in none."""
    contents = [content for content in ablations if ADAM in (entry.optimizer for entry in entries(content, GRID))]
    if not contents:
        return None
    (wins, total), (tuned_wins, tuned_total) = (_adam_wins(contents, part) for part in (GRID, TUNED))
    return (
        f"The paper: “{CLAIM}”. At the paper's grid this {'holds' if 2 * wins > total else 'does not hold'} here: "
        f"Adam is best on dev for {wins} of {total} {_networks(contents)}; at tuned learning rates for {tuned_wins} of "
        f"{tuned_total}."
    )


def _networks(contents: Sequence[dict]) -> str:
    names = ", ".join(MODELS[content["model"]].title for content in contents)
    return f"{'network' if len(contents) == 1 else 'networks'} ({names})"


def ablation_table(content: dict) -> Table:
    """Both parts, and the sentences below them."""
    shared = ", ".join(f"{setting_name(name)} {value:g}" for name, value in content["grid"].items())
    about = (
        f"{SPLIT_TITLES[content['split']].capitalize()}, {content['epochs']} epochs, mean ± standard deviation over "
        f"{content['seeds']} seeds; the epoch and all settings are chosen on dev. The grid: learning rate 0.001 or "
        f"1e-5, momentum 0.2 or 0.7 where it exists, {shared}, tried with one seed; the best of each optimizer is "
        f"shown, all are in `{file_name(content)}.csv`. A batch is {content['batch_size']} equations, the paper's is "
        f"one, which makes its learning rates slower here. Tuned: half-decade steps, one seed, "
        f"{content['tuning_epochs']} epochs, the model's own dropout and L2. AdaDelta has no learning rate."
    )
    parts = final_parts(content)
    notes = (claim_sentence([content]), *(ranking_sentence(content, part) for part in parts), about)
    sections = tuple(_section(content, part) for part in parts)
    return Table(f"table-{file_name(content)}", title(content), sections, tuple(filter(None, notes)))


def trial_rows(content: dict) -> list[tuple]:
    """Every trial as a row of a data file, below a header."""
    names = [name for name in content["rows"][0] if name != "curve"]
    rows = [tuple(names)]
    for row in content["rows"]:
        values = (row[name] for name in names)
        rows.append(tuple(rounded(value) if isinstance(value, float) or value is None else value for value in values))
    return rows


def _curves(axes: Axes, shown: Sequence[Entry]) -> None:
    """Mean accuracy on dev by epoch, with the range over seeds; a cross where a run diverged."""
    for entry in shown:
        look = OPTIMIZER_LOOKS[entry.optimizer]
        length = min(len(row["curve"]) for row in entry.rows)
        label = look.name if entry.learning_rate is None else f"{look.name} {entry.learning_rate:g}"
        draw_range(axes, np.array([row["curve"][:length] for row in entry.rows]), look, label)
        for row in entry.rows:
            if row["diverged"]:
                last = row["curve"][-1] if row["curve"] else 50.0
                axes.plot(row["diverged"], last, marker="x", color=look.colour, markersize=7, clip_on=False)


def ablation_figure(content: dict) -> Drawing:
    """Learning curves of every optimizer at its best settings, at the paper's grid and with a tuned rate."""
    parts = final_parts(content)
    figure, axes = panels(1, len(parts), width=4.9 * len(parts), height=4.9, sharey=True, squeeze=False)
    for panel, part in zip(axes[0], parts, strict=True):
        _curves(panel, entries(content, part))
        panel.axhline(MILESTONE, color=FAINT, linewidth=0.8, linestyle=":")
        panel.set_title(TITLES[part].lower())
        panel.set_xlabel("epoch")
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3, title="optimizer and learning rate")
    axes[0][0].set_ylabel("accuracy on dev (%)")
    caption = (
        "Each optimizer with the settings that were best on dev: mean and range over seeds; a cross marks the epoch in "
        "which a run diverged."
    )
    return Drawing(figure, caption, trial_rows(content))
