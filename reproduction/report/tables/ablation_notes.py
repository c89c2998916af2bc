"""What stands below the tables of ablations: what their numbers do not say of themselves, named from the data."""

from collections.abc import Callable, Iterator, Sequence

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...sweeps.ablation import GRID, TUNED, TUNED_MOMENTUM
from ...sweeps.ablation_results import (
    Entry,
    Regime,
    View,
    diverged,
    entries,
    regimes_of,
    rows_of,
    tried_rates,
    views,
)
from ...training.configuration import make_configuration
from .ablation_claim import epochs_text
from .search_words import setting_name

SGD, DCASGD = "sgd", "dcasgd"
EARLY, LOWER = 0.1, 5.0  # a collapse: the best epoch in the first tenth, the last one lower by more than five points
SHOWN = 0.005  # points: less would be written as 0.00
PARTS = {GRID: "At the paper's grid", TUNED: "At learning rates tuned on dev"}


def view_title(view: View) -> str:
    """`At the paper's grid, batches of 1`."""
    return f"{PARTS[view.part]}, batches of {view.batch_size}"


def _by_network(contents: Sequence[dict], say: Callable[[dict], str]) -> str:
    """What is to be said of every network, behind its name if there are several; nothing of those without."""
    found = {MODELS[content["model"]].title: said for content in contents if (said := say(content))}
    return "; ".join(found.values() if len(contents) == 1 else (f"{name}: {said}" for name, said in found.items()))


def delay_sentence(contents: Sequence[dict]) -> str | None:
    """Why DCASGD has nearly the numbers of SGD, and how far apart they are; None if one of them is missing."""
    apart = [difference for content in contents for difference in _apart(content)]
    if not apart:
        return None
    return (
        "DCASGD is SGD that makes up for gradients that come late from other machines: MXNet's adds 0.04 × gradient² × "
        "(weight − weight before the last step). On one machine it is nearly but not exactly SGD: "
        f"at the grid the two are at most {max(apart):.2f} points apart on dev here, with the same "
        f"settings and seed, in {len(apart)} pairs of runs. At large rates tiny differences grow, and tuned rows may "
        "have other rates."
    )


def _apart(content: dict) -> list[float]:
    """How far DCASGD is from SGD on dev in every pair of runs at the grid that are otherwise alike."""
    same = ("batch_size", "learning_rate", "momentum", "seed", "epochs")
    found = {SGD: {}, DCASGD: {}}
    for row in content["rows"]:
        if row["part"] == GRID and row["optimizer"] in found and row["diverged"] is None:
            found[row["optimizer"]][tuple(row.get(name) for name in same)] = row["dev_accuracy"]
    return [abs(found[SGD][key] - accuracy) for key, accuracy in found[DCASGD].items() if key in found[SGD]]


def grid_settings(content: dict) -> str:
    return ", ".join(f"{setting_name(name)} {value:g}" for name, value in content["grid"].items())


def about_regime(content: dict, regime: Regime) -> str:
    """How runs at one batch size were made."""
    said = f"Batches of {regime.batch_size}: {regime.epochs} epochs, {regime.tuning_epochs} to tune a rate, "
    if regime.is_paper and "regimes" in content:
        return f"{said}{grid_settings(content)}, no averaging of parameters, as in the paper."
    kept = make_configuration(content["model"], content["split"], 0).averaging
    return (
        f"{said}the model's own dropout, L2 and averaging: what is scored is a running average of the parameters, of "
        f"which each step keeps {kept:g}."
    )


def is_at_end(content: dict, view: View, entry: Entry) -> bool:
    """Whether a tuned rate is the lowest or the highest that was tried."""
    tried = [row["learning_rate"] for row in tried_rates(content, view.batch_size).get(entry.optimizer, ())]
    return view.part == TUNED and len(set(tried)) > 1 and entry.learning_rate in (min(tried), max(tried))


def end_sentence(contents: Sequence[dict]) -> str | None:
    """What the mark of a rate means; None where there is none."""
    shown = (
        (content, view, entry) for content in contents for view in views(content) for entry in entries(content, view)
    )
    if not any(is_at_end(*each) for each in shown):
        return None
    return "A rate marked “end” is the lowest or the highest that was tried: a better one may lie beyond it."


def _worse(content: dict) -> dict[str, float]:
    """By how many points tuned rates are worse than the grid, by optimizer."""
    found = {}
    for regime in regimes_of(content):
        at_grid = {entry.optimizer: entry for entry in entries(content, View(GRID, regime.batch_size))}
        for entry in entries(content, View(TUNED, regime.batch_size)):
            if entry.optimizer in at_grid:
                found[entry.optimizer] = at_grid[entry.optimizer].score.dev_accuracy - entry.score.dev_accuracy
    return {name: apart for name, apart in found.items() if apart > SHOWN}


def _worse_text(content: dict) -> str:
    return ", ".join(f"{OPTIMIZERS[name].title} by {apart:.2f}" for name, apart in _worse(content).items())


def _chosen_after(content: dict) -> int | None:
    """After how many epochs tuned rates were chosen, in the batches of the grid; None if after as many as they had."""
    regime = next(regime for regime in regimes_of(content) if regime.is_paper)
    tried = [row["epochs"] for rows in tried_rates(content, regime.batch_size).values() for row in rows]
    final = {(row["optimizer"], row["learning_rate"]) for row in rows_of(content, View(TUNED, regime.batch_size))}
    has_finalists = len(final) > len({name for name, _ in final})
    return None if has_finalists or not tried or max(tried) >= regime.epochs else max(tried)


def worse_sentence(contents: Sequence[dict]) -> str | None:
    """For which optimizers tuned rates are worse than the grid, and why that can be; None where for none."""
    said = _by_network(contents, _worse_text)
    if not said:
        return None
    concerned = [content for content in contents if _worse(content)]
    short = {content["model"]: after for content in concerned if (after := _chosen_after(content))}
    reasons = ["with one seed", *([f"after only {epochs_text(short)}"] if short else [])]
    if any(OPTIMIZERS[name].momentum for content in concerned for name in _worse(content)):
        reasons.append(f"with momentum fixed at {TUNED_MOMENTUM:g}")
    return f"Tuned is worse than the grid, in points on dev: {said}. Rates were tuned {', '.join(reasons)}."


def _collapsed_rows(entry: Entry) -> list[dict]:
    return [
        row
        for row in entry.rows
        if row["diverged"] is None
        and row["curve"]
        and row["best_epoch"] <= EARLY * row["epochs"]
        and row["dev_accuracy"] - row["curve"][-1] > LOWER
    ]


def _collapsed(content: dict) -> Iterator[str]:
    """`SGLD in 2 of 3 seeds (grid, batches of 1)`."""
    places: dict[str, list[str]] = {}
    for view in views(content):
        for entry in entries(content, view):
            if rows := _collapsed_rows(entry):
                said = f"{OPTIMIZERS[entry.optimizer].title} in {len(rows)} of {len(entry.rows)} seeds"
                places.setdefault(said, []).append(f"{view.part}, batches of {view.batch_size}")
    return (f"{said} ({'; '.join(where)})" for said, where in places.items())


def collapsed_sentence(contents: Sequence[dict]) -> str | None:
    """Which optimizers were best at once and lost it; None where none did."""
    said = _by_network(contents, lambda content: ", ".join(_collapsed(content)))
    if not said:
        return None
    return (
        f"Collapsed, best on dev in the first tenth of the epochs and over {LOWER:g} points lower in the last: {said}."
    )


def _diverged_text(content: dict) -> str:
    found = len(diverged(content))
    return f"{found} of {len(content['rows'])}" if found else "none"


def diverged_sentence(contents: Sequence[dict]) -> str:
    """How many trials of each network diverged; of a single one only that none did, as a section has the others."""
    if len(contents) == 1:
        return "" if diverged(contents[0]) else f"Nothing diverged, in {len(contents[0]['rows'])} trials."
    return f"Trials that diverged: {_by_network(contents, _diverged_text)}."
