"""What ablations say on the paper's sentence about Adam: who is best, who is as good, after how many epochs.

Only the paper's eight optimizers count, and only where all of them were compared: more of MXNet's change nothing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...models import MODELS
from ...networks.optimizer_traits import OPTIMIZERS, PAPER_OPTIMIZERS
from ...sweeps.ablation import GRID, TUNED
from ...sweeps.ablation_results import Entry, View, entries, ranking, regimes_of, views
from ..comparison import summarise

CLAIM = "Most of the networks achieved their best performance using Adam"  # section 4 of the paper
ADAM = "adam"
KINDS = ((GRID, True), (TUNED, True), (TUNED, False))  # part, and whether in the paper's batches
TIE = 1e-6  # points: means that differ by their rounding alone


class Standing(NamedTuple):
    """One comparison of one network: who is best on dev, several if they are tied, and whether Adam is as good."""

    model: str
    winners: tuple[str, ...]
    adam_is_near: bool
    epochs: int


def view_of_kind(content: dict, part: str, is_paper: bool) -> View | None:
    """The comparison of a part in the paper's batches or in ours, if there is one."""
    sizes = {regime.batch_size for regime in regimes_of(content) if regime.is_paper == is_paper}
    return next((view for view in views(content) if view.part == part and view.batch_size in sizes), None)


def paper_ranking(content: dict, view: View) -> tuple[Entry, ...]:
    """The paper's optimizers from the best to the worst."""
    return tuple(entry for entry in ranking(content, view) if entry.optimizer in PAPER_OPTIMIZERS)


def are_tied(entry: Entry, other: Entry) -> bool:
    (converged, accuracy), (other_converged, other_accuracy) = entry.score, other.score
    return converged == other_converged and abs(accuracy - other_accuracy) < TIE


def winners(content: dict, view: View) -> tuple[str, ...]:
    """The best of the paper's optimizers: one, or those that are tied."""
    order = paper_ranking(content, view)
    return tuple(entry.optimizer for entry in order if are_tied(entry, order[0]))


def is_near(entry: Entry, best: Entry) -> bool:
    """Whether it is behind by at most one standard deviation of the differences, which are taken seed by seed."""
    ours, theirs = entry.dev_accuracies, best.dev_accuracies
    apart = summarise({seed: theirs[seed] - ours[seed] for seed in ours if seed in theirs})
    alike = entry.score.converged == best.score.converged
    return alike and apart is not None and apart.mean <= max(apart.std or 0.0, TIE)


def _standing(content: dict, view: View) -> Standing | None:
    """None where not all of the paper's optimizers were compared."""
    order = paper_ranking(content, view)
    if len(order) < len(PAPER_OPTIMIZERS):
        return None
    adam = next(entry for entry in order if entry.optimizer == ADAM)
    epochs = next(regime.epochs for regime in regimes_of(content) if regime.batch_size == view.batch_size)
    return Standing(content["model"], winners(content, view), is_near(adam, order[0]), epochs)


def standings(contents: Sequence[dict], part: str, is_paper: bool) -> tuple[Standing, ...]:
    """Those of the networks for which a kind of comparison is complete."""
    shown = ((content, view_of_kind(content, part, is_paper)) for content in contents)
    return tuple(filter(None, (_standing(content, view) for content, view in shown if view)))


def epochs_text(epochs: Mapping[str, int]) -> str:
    """`30 epochs`, or `40 epochs (16 with LSTM cells)`, from the epochs of every model."""
    plain, gated = ({each for name, each in epochs.items() if MODELS[name].is_lstm == kind} for kind in (False, True))
    if len(plain | gated) == 1:
        return f"{min(plain | gated)} epochs"
    if len(plain) == len(gated) == 1:
        return f"{min(plain)} epochs ({min(gated)} with LSTM cells)"
    return f"{min(plain | gated)} to {max(plain | gated)} epochs"


def _length(found: Sequence[Standing]) -> str:
    return epochs_text({standing.model: standing.epochs for standing in found})


def networks_text(models: Sequence[str]) -> str:
    """`networks`, by name where it is not all of them."""
    names = ", ".join(MODELS[name].title for name in MODELS if name in models)
    return f"{'network' if len(models) == 1 else 'networks'}{'' if set(models) == set(MODELS) else f' ({names})'}"


def _titles(names: Sequence[str]) -> str:
    """`SGD`, or `SGD, NAG and DCASGD tied`."""
    *first, last = [OPTIMIZERS[name].title for name in names]
    return f"{', '.join(first)} and {last} tied" if first else last


def others_text(counts: Counter) -> str:
    """`, AdaDelta for 3, RMSProp and SGD tied for 1`; nothing where Adam alone is always the best."""
    return "".join(f", {_titles(names)} for {count}" for names, count in counts.most_common() if names != (ADAM,))


def _counted(found: Sequence[Standing], networks: str = "") -> tuple[str, int]:
    """`for 2 of 6, AdaDelta for 4`, and for how many Adam is best or near."""
    counts = Counter(standing.winners for standing in found)
    said = f"for {counts[ADAM,]} of {len(found)}{networks}{others_text(counts)}"
    return said, sum(standing.adam_is_near for standing in found)


def _at_tuned_rates(contents: Sequence[dict]) -> str:
    """The sentence on tuned rates, with nothing where none were tuned."""
    parts = []
    for is_paper in (True, False):
        if found := standings(contents, TUNED, is_paper):
            said, near = _counted(found)
            batches = "" if is_paper else f"in large batches, after {_length(found)}, "
            parts.append(f"{batches}{'' if parts else 'it is best '}{said}, and best or so near for {near}")
    return f" At tuned learning rates {'; '.join(parts)}." if parts else ""


def claim_sentence(ablations: Sequence[dict]) -> str | None:
    """Whether the paper's sentence on Adam holds for the models of these ablations; None if Adam is in none."""
    contents = [content for content in ablations if _has_adam(content)]
    if not contents:
        return None
    found = standings(contents, GRID, True)
    if not found:
        return f"The paper: “{CLAIM}”. Whether this holds here needs all eight of its optimizers at its grid."
    models = [standing.model for standing in found]
    said, near = _counted(found, f" {networks_text(models)}")
    verdict = "holds" if 2 * sum(each.winners == (ADAM,) for each in found) > len(found) else "does not hold"
    decided = [content for content in contents if content["model"] in models]
    return (
        f"The paper: “{CLAIM}”. At the paper's grid this {verdict} here: Adam is best on dev {said}, and best or at "
        f"most one standard deviation (over seeds, paired) behind for {near}, after {_length(found)}."
        f"{_at_tuned_rates(decided)}"
    )


def _has_adam(content: dict) -> bool:
    view = view_of_kind(content, GRID, True)
    return view is not None and ADAM in (entry.optimizer for entry in entries(content, view))
