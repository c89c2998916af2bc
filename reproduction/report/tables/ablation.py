"""Ablations of optimizers as tables and as sentences on the paper's claim; made from summaries alone."""

from collections import Counter
from collections.abc import Sequence

from ...data.dataset import SPLIT_TITLES
from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...sweeps.ablation import GRID, MILESTONE, TUNED
from ...sweeps.ablation_results import Entry, Regime, View, diverged, entries, ranking, regimes_of, views
from ..comparison import Cell, summarise
from .formats import NOTHING, Column, Row, Section, Table
from .search import setting_name, setting_text

CLAIM = "Most of the networks achieved their best performance using Adam"  # section 4 of the paper
ADAM, SGD, DCASGD = "adam", "sgd", "dcasgd"
OVERALL = "ablation-all"  # the name of a stage would hide it


def file_name(content: dict) -> str:
    return f"ablation-{content['model']}"


def title(content: dict) -> str:
    return f"Optimizers on {MODELS[content['model']].title}"


def view_title(view: View) -> str:
    """`At the paper's grid, batches of 1`."""
    part = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}[view.part]
    return f"{part}, batches of {view.batch_size}"


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


def _section(content: dict, view: View) -> Section:
    rows = (
        Row(OPTIMIZERS[entry.optimizer].title, tuple(make(entry) for _, make in COLUMNS[1:]))
        for entry in entries(content, view)
    )
    return Section(view_title(view), tuple(column for column, _ in COLUMNS), tuple(rows))


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
    """In how many seeds Adam is the best on dev, and how many seeds there are."""
    accuracies = {entry.optimizer: entry.dev_accuracies for entry in entries(content, view)}
    seeds = accuracies.get(ADAM, {})
    firsts = sum(all(seeds[seed] >= other.get(seed, 0) for other in accuracies.values()) for seed in seeds)
    return firsts, len(seeds)


def ranking_sentence(content: dict, view: View) -> str:
    """Who is best on dev in one comparison, and where Adam stands."""
    order = ranking(content, view)
    scores = [f"{OPTIMIZERS[entry.optimizer].title} {entry.score.dev_accuracy:.2f}" for entry in order]
    names = [entry.optimizer for entry in order]
    said = f"{view_title(view)}, best on dev first (%): {', '.join(scores)}."
    if ADAM not in names:
        return said
    firsts, seeds = adam_firsts(content, view)
    return f"{said} Adam is number {names.index(ADAM) + 1} of {len(names)}, and first in {firsts} of {seeds} seeds."


def _of_kind(content: dict, part: str, is_paper: bool) -> View | None:
    """The comparison of a part in the paper's batches or in ours, if there is one."""
    sizes = {regime.batch_size for regime in regimes_of(content) if regime.is_paper == is_paper}
    return next((view for view in views(content) if view.part == part and view.batch_size in sizes), None)


def _winners(contents: Sequence[dict], part: str, is_paper: bool) -> Counter:
    """For how many models each optimizer is the best of a comparison."""
    shown = [(content, _of_kind(content, part, is_paper)) for content in contents]
    return Counter(ranking(content, view)[0].optimizer for content, view in shown if view)


def _others(winners: Counter) -> str:
    """`, AdaDelta for 3, NAG for 1`; nothing where Adam is always the best."""
    return "".join(f", {OPTIMIZERS[name].title} for {count}" for name, count in winners.most_common() if name != ADAM)


def claim_sentence(ablations: Sequence[dict]) -> str | None:
    """Whether the paper's sentence on Adam holds for the models of these ablations; None if Adam is in none."""
    contents = [content for content in ablations if _has_adam(content)]
    if not contents:
        return None
    best = _winners(contents, GRID, True)
    verdict = "holds" if 2 * best[ADAM] > best.total() else "does not hold"
    said = (
        f"The paper: “{CLAIM}”. At the paper's grid this {verdict} here: "
        f"Adam is best on dev for {best[ADAM]} of {best.total()} {_networks(contents)}{_others(best)}"
    )
    for is_paper, batches in ((True, ""), (False, " in large batches")):
        if tuned := _winners(contents, TUNED, is_paper):
            said += f"; at tuned learning rates{batches} for {tuned[ADAM]} of {tuned.total()}{_others(tuned)}"
    return f"{said}."


def _has_adam(content: dict) -> bool:
    view = _of_kind(content, GRID, True)
    return view is not None and ADAM in (entry.optimizer for entry in entries(content, view))


def _networks(contents: Sequence[dict]) -> str:
    """`networks`, by name where it is not all of them."""
    models = {content["model"] for content in contents}
    names = "" if models == set(MODELS) else f" ({', '.join(MODELS[name].title for name in MODELS if name in models)})"
    return f"{'network' if len(contents) == 1 else 'networks'}{names}"


def delay_sentence(contents: Sequence[dict]) -> str | None:
    """Why DCASGD has the numbers of SGD, and how far apart they are here; None if one of them is missing."""
    apart = [difference for content in contents for difference in _apart(content)]
    if not apart:
        return None
    return (
        "DCASGD is SGD that makes up for gradients that come late from other machines: MXNet's adds 0.04 × gradient² × "
        "(weight − weight at the step before). On one machine no gradient is late: the difference is the last step "
        "alone, and the term a small share of the gradient. With the same settings and seed the two are at most "
        f"{max(apart):.2f} points apart on dev here, in {len(apart)} pairs of runs."
    )


def _apart(content: dict) -> list[float]:
    """How far DCASGD is from SGD on dev in every pair of runs that are otherwise alike."""
    same = ("part", "batch_size", "learning_rate", "momentum", "seed", "epochs")
    found = {SGD: {}, DCASGD: {}}
    for row in content["rows"]:
        if row["optimizer"] in found and row["diverged"] is None:
            found[row["optimizer"]][tuple(row.get(name) for name in same)] = row["dev_accuracy"]
    return [abs(found[SGD][key] - accuracy) for key, accuracy in found[DCASGD].items() if key in found[SGD]]


def _about_regime(content: dict, regime: Regime) -> str:
    """How runs at one batch size were made."""
    said = f"Batches of {regime.batch_size}: {regime.epochs} epochs, {regime.tuning_epochs} to tune a rate, "
    if not regime.is_paper or "regimes" not in content:
        return f"{said}the model's own dropout and L2."
    return f"{said}{_grid_settings(content)}, no averaging of parameters, as in the paper."


def _grid_settings(content: dict) -> str:
    return ", ".join(f"{setting_name(name)} {value:g}" for name, value in content["grid"].items())


def ablation_table(content: dict) -> Table:
    """Every comparison of one network, what diverged, and the sentences below."""
    about = (
        f"{SPLIT_TITLES[content['split']].capitalize()}, mean ± standard deviation over {content['seeds']} seeds; the "
        "epoch and all settings are chosen on dev. The grid: learning rate 0.001 or 1e-5, momentum 0.2 or 0.7 where it "
        f"exists, {_grid_settings(content)}, tried with one seed; the best of each optimizer is shown, all are in "
        f"`{file_name(content)}.csv`. Tuned: decades, then half decades around the best, one seed. AdaDelta has no "
        "learning rate."
    )
    regimes = (_about_regime(content, regime) for regime in regimes_of(content))
    notes = (claim_sentence([content]), *(ranking_sentence(content, view) for view in views(content)))
    notes += (about, *regimes, delay_sentence([content]))
    sections = (*(_section(content, view) for view in views(content)), *_diverged_section(content))
    return Table(f"table-{file_name(content)}", title(content), sections, tuple(filter(None, notes)))


def _overall_section(contents: Sequence[dict], part: str, is_paper: bool) -> tuple[Section, ...]:
    """A row an optimizer, a column a network: mean on dev, the best of each network marked."""
    shown = [(content, view) for content in contents if (view := _of_kind(content, part, is_paper))]
    if not shown:
        return ()
    found = [{entry.optimizer: entry for entry in entries(*each)} for each in shown]
    best = [ranking(*each)[0].optimizer for each in shown]
    columns = [Column(f"{MODELS[content['model']].title}, {view.batch_size} a batch") for content, view in shown]
    rows = []
    for name, choice in OPTIMIZERS.items():
        cells = [_overall_cell(column.get(name), name == first) for column, first in zip(found, best, strict=True)]
        if any(name in column for column in found):
            rows.append(Row(choice.title, tuple(cells)))
    heading = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}[part]
    batches = "small batches" if is_paper else "large batches"
    return (Section(f"{heading}, {batches}: dev (%)", (Column("optimizer"), *columns), tuple(rows)),)


def _overall_cell(entry: Entry | None, is_best: bool) -> str:
    if entry is None:
        return NOTHING
    summary = summarise(entry.dev_accuracies)
    spread = "" if summary.std is None else f" ± {summary.std:.2f}"
    rate = "" if entry.learning_rate is None else f" ({entry.learning_rate:g})"
    broken = "" if entry.score.converged else ", diverged"
    return f"{summary.mean:.2f}{spread}{rate}{broken}{' ★' if is_best else ''}"


def overall_table(contents: Sequence[dict]) -> Table:
    """All networks beside each other."""
    kinds = ((GRID, True), (TUNED, True), (TUNED, False))
    sections = tuple(section for kind in kinds for section in _overall_section(contents, *kind))
    note = (
        "Mean ± standard deviation on dev over seeds, the learning rate in brackets; ★ is the best of the network. How "
        "they were trained is said below the table of each network."
    )
    notes = (claim_sentence(contents), delay_sentence(contents), note)
    return Table(f"table-{OVERALL}", "Optimizers on all networks", sections, tuple(filter(None, notes)))
