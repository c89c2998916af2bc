"""What searches say in words: which trial is best, what it is compared with, and how far rungs can be trusted."""

from collections import Counter
from collections.abc import Sequence

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS
from ...sweeps.search import OUR_DEFAULTS, PAPERS_BEST
from ...sweeps.search_space import PAPER_SPACE
from ...training.configuration import Configuration, make_configuration
from .formats import NOTHING

NAMES = {"l2": "L2", "hidden": "hidden units"}
BEST_OF_ALL, BEST_TRIED = BEST_NAMES = ("best of the space", "best of those tried")
NOISE = 0.3  # a rank correlation below it
SHOWN_MODEL = "tree-lstm+data"  # the paper's best network
OVERALL_PLACE = "figures/table-search-all.md"


def setting_name(name: str) -> str:
    return NAMES.get(name, name.replace("_", " "))


def setting_text(value) -> str:
    """`0.001`, `adam`, or a dash where the optimizer has no such setting."""
    return NOTHING if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def is_papers_space(summary: dict) -> bool:
    """Whether the paper's space was searched, of which the paper's best settings are a point."""
    return summary["space"] == PAPER_SPACE.as_row()


def is_whole(summary: dict) -> bool:
    """Whether every configuration of the space was tried."""
    return summary["rungs"][0]["count"] == summary.get("in_space")


def best_name(summaries: Sequence[dict]) -> str:
    return BEST_OF_ALL if all(map(is_whole, summaries)) else BEST_TRIED


def _quality(row: dict) -> tuple[bool, float]:
    return row["diverged"] is None, row["dev_accuracy"]


def _trained_longest(summary: dict) -> list[dict]:
    """The trials of the last rung, and the paper's best settings where they are a point of the space."""
    last = max((row["rung"] for row in summary["trials"]), default=0)
    compared = summary.get("compared", ()) if is_papers_space(summary) else ()
    return [
        *(row for row in summary["trials"] if row["rung"] == last),
        *(row for row in compared if row["name"] == PAPERS_BEST),
    ]


def best_trial(summary: dict) -> dict | None:
    """The best on dev of all that was trained longest; of equal ones the first."""
    return max(_trained_longest(summary), key=_quality, default=None)


def best_optimizers(summary: dict) -> str:
    """`Adam`, or `SGD and DCASGD tied`."""
    rows, best = _trained_longest(summary), _quality(best_trial(summary))
    found = {OPTIMIZERS[row["settings"]["optimizer"]].title for row in rows if _quality(row) == best}
    return f"{' and '.join(sorted(found))}{' tied' if len(found) > 1 else ''}"


def compared_rows(summary: dict) -> list[tuple[str, dict]]:
    """The best trial of a search and what it is compared with, by name."""
    best = best_trial(summary)
    found = [(best_name([summary]), best)] if best else []
    return [*found, *((row["name"], row) for row in summary.get("compared", ()))]


def _defaults(summary: dict) -> Configuration:
    return make_configuration(summary["model"], summary["split"], summary["seed"])


def batch_text(summary: dict, name: str) -> str:
    """The batch size of a compared row; a dash where the summary does not say it."""
    if name == OUR_DEFAULTS:
        return str(_defaults(summary).batch_size)
    known = is_papers_space(summary) or name != PAPERS_BEST
    return setting_text(summary.get("batch_size") if known else None)


def _named(summaries: Sequence[dict], chosen: Sequence[dict]) -> str:
    """` (TreeNN, TreeLSTM)`; nothing where all are meant."""
    names = ", ".join(MODELS[summary["model"]].title for summary in chosen)
    return "" if len(chosen) == len(summaries) else f" ({names})"


def defaults_sentence(summaries: Sequence[dict]) -> str | None:
    """In what else our defaults differ from trials in the paper's space; None where they are not compared."""
    shown = [summary for summary in summaries if summary.get("compared") and is_papers_space(summary)]
    if not shown:
        return None
    ours = " or ".join(sorted({str(_defaults(summary).batch_size) for summary in shown}))
    others = " or ".join(sorted({str(summary["batch_size"]) for summary in shown}))
    has = {
        "averaging of parameters": [summary for summary in shown if _defaults(summary).averaging],
        "a late schedule of the rate": [summary for summary in shown if _defaults(summary).schedule == "late"],
    }
    said = "".join(f", {what}{_named(shown, chosen)}" for what, chosen in has.items() if chosen)
    return (
        f"Our defaults differ in more than the settings shown: batches of {ours}{said}; the others have batches of "
        f"{others} and nothing of that."
    )


def correlation_text(correlation: dict) -> str:
    """`0.83 over 84`, or a dash where nothing is ranked."""
    found = correlation["spearman"]
    number = NOTHING if found is None else f"{found:.2f}".replace("-", "−")
    return f"{number} over {correlation['configurations']}"


def _steps(summary: dict, correlations: Sequence[dict]) -> list[tuple[int, int]]:
    """From how many epochs to how many these correlations are."""
    epochs = [rung["epochs"] for rung in summary["rungs"]]
    return [tuple(epochs[place] for place in each["rungs"]) for each in correlations]


def rank_sentence(summary: dict) -> str | None:
    """How alike rungs rank configurations; None for a search of one rung."""
    found = summary.get("rank_correlations")
    if not found:
        return None
    parts = [
        f"{correlation_text(each)} configurations between {first} and {second} epochs"
        for each, (first, second) in zip(found, _steps(summary, found), strict=True)
    ]
    return (
        f"Rank correlation (Spearman) of accuracy on dev from rung to rung: {'; '.join(parts)}. Only those that went "
        "on are compared, the best of the rung before, which are more alike than all of them."
    )


def noise_sentence(summaries: Sequence[dict]) -> str | None:
    """Where a shorter rung ranks like chance what the next one ranks; None where none does."""
    parts = []
    for summary in summaries:
        low = [
            each
            for each in summary.get("rank_correlations", ())
            if each["spearman"] is not None and each["spearman"] < NOISE
        ]
        steps = " and ".join(f"{first} to {second}" for first, second in _steps(summary, low))
        name = f"{MODELS[summary['model']].title}, " if len(summaries) > 1 else ""
        parts += [f"{name}from {steps} epochs"] if low else []
    if not parts:
        return None
    return (
        f"The ranking on the shorter rung is noise where it is correlated with the next by less than {NOISE:g}: "
        f"{'; '.join(parts)}. What was left out there may be as good as what went on."
    )


def _counted(summaries: Sequence[dict]) -> str:
    """`AdaDelta is best on dev for 3 of 6 networks, Adam for 2`."""
    names = [best_optimizers(summary) for summary in summaries]
    (first, count), *others = Counter(names).most_common()
    rest = "".join(f", {name} for {number}" for name, number in others)
    networks = "network" if len(names) == 1 else "networks"
    return (
        f"{first} {'are' if first.endswith('tied') else 'is'} best on dev for {count} of {len(names)} {networks}{rest}"
    )


def extent_text(summary: dict) -> str:
    """`TreeNN 60 of 252`."""
    return f"{MODELS[summary['model']].title} {summary['rungs'][0]['count']} of {summary['in_space']}"


def _extent(summaries: Sequence[dict]) -> str:
    """How much of the space was tried: `all 252 configurations`, with who had only some of them drawn."""
    drawn = [summary for summary in summaries if not is_whole(summary)]
    size = f"{len(PAPER_SPACE.points())} configurations"
    if not drawn:
        return f"all {size}"
    counts = sorted({str(summary["rungs"][0]["count"]) for summary in drawn}, key=int)
    some = " or ".join(counts)
    if len(drawn) == len(summaries):
        return f"{some} of its {size}, drawn"
    return f"all {size}; {some} drawn for {', '.join(MODELS[summary['model']].title for summary in drawn)}"


def _example(summary: dict) -> str:
    """What the best, the paper's best settings and our defaults give one network."""
    rows, best = {row["name"]: row for row in summary.get("compared", ())}, best_trial(summary)
    name, accuracy = MODELS[summary["model"]].title, f"{best['dev_accuracy']:.1f} %"
    said = f". {name} has {accuracy} on dev with {best_optimizers(summary)}"
    words = {PAPERS_BEST: "the paper's best settings give it", OUR_DEFAULTS: "our defaults"}
    parts = [f"{words[name]} {rows[name]['test_accuracy']:.1f} %" for name in words if name in rows]
    return f"{said}; on test {', '.join(parts)}, after as many epochs" if parts else said


def search_sentence(searches: Sequence[dict]) -> str | None:
    """Who is best in the paper's space, and what its best settings and ours give; None if it was not searched."""
    found = {summary["model"]: summary for summary in searches if is_papers_space(summary) and best_trial(summary)}
    shown = [found[name] for name in MODELS if name in found]
    if not shown:
        return None
    example = _example(found[SHOWN_MODEL]) if SHOWN_MODEL in found else ""
    return f"In the search of the paper's space ({_extent(shown)}) {_counted(shown)}{example} ([all]({OVERALL_PLACE}))."
