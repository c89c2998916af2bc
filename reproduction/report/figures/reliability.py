"""Whether probabilities can be believed: the share of correct equations against the probability, before and after."""

from collections.abc import Sequence

from .drawing import BLUE, FAINT, ORANGE, Drawing, panels, rounded

HEADER = ("list", "temperature", "bin", "equations", "probability", "share correct")
_LOOKS = {"before": (ORANGE, "s", "--", "raw"), "after": (BLUE, "o", "-", "with the temperature")}


def draw_reliability(judged: dict) -> Drawing:
    """A panel for each list that a network was judged on; the entries are those of judged.json."""
    lists: Sequence[str] = [name for name in ("dev", "textbook") if name in judged]
    figure, axes = panels(1, len(lists), width=3.6 * len(lists), height=3.6, squeeze=False, sharey=True)
    rows: list[tuple] = [HEADER]
    for place, name in enumerate(lists):
        own, scores = axes[0][place], judged[name]
        own.plot([0, 1], [0, 1], color=FAINT, linewidth=1)
        for stage, (colour, marker, line, words) in _LOOKS.items():
            bins, error = scores["reliability"][stage], scores["calibration_error"][stage]
            points = [(each["probability"], each["correct"]) for each in bins]
            label = f"{words}, error {error:.3f}"
            own.plot(*zip(*points, strict=True), color=colour, marker=marker, linestyle=line, label=label)
            rows += [
                (name, stage, each["bin"], each["count"], *map(rounded, point))
                for each, point in zip(bins, points, strict=True)
            ]
        own.set(title=f"{name} list", xlabel="probability", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        own.legend(loc="lower right", fontsize="small")
    axes[0][0].set_ylabel("share that is correct")
    return Drawing(figure, "The share of correct equations by the probability that the network gives them.", rows)
