"""The benchmark as a figure: the engine beside its rivals, and how its speed depends on the sizes."""

from .drawing import BLUE, INK, VERMILION, Drawing, panels, rounded

COLOURS = {"training": VERMILION, "inference": BLUE}
NAMES = {
    "engine": "engine",
    "without_sharing": "without\nsharing",
    "per_function": "call a level\nand function",
    "recursion": "plain\nrecursion",
}
LABELS = {"batch_size": "equations in a batch", "hidden": "hidden units", "equations": "equations in the data set"}


def _draw_rivals(axes, speeds: dict) -> None:
    for shift, (kind, colour) in zip((-0.2, 0.2), COLOURS.items(), strict=True):
        for place, name in enumerate(NAMES):
            speed = speeds[kind][name]
            axes.bar(place + shift, speed, width=0.38, color=colour, label=kind if place == 0 else None)
            axes.text(place + shift, speed, f"{speed:,.0f}", ha="center", va="bottom", fontsize=7, color=INK)
    axes.set_yscale("log")
    axes.set_xticks(range(len(NAMES)), list(NAMES.values()))
    axes.set(ylabel="equations/s", title="Ways to compute the same network")
    axes.legend(loc="upper right")


def _draw_growth(axes, name: str, rows: list[dict]) -> None:
    for kind, colour in COLOURS.items():
        axes.plot([row[name] for row in rows], [row[kind] for row in rows], marker="o", color=colour, label=kind)
    axes.set_xscale("log")
    axes.set_xticks([row[name] for row in rows], [str(row[name]) for row in rows], fontsize=7)
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set(xlabel=LABELS[name], ylabel="equations/s")


def _rows(speeds: dict) -> list[tuple]:
    rows = [("varied", "value", *COLOURS)]
    rows += [("way", name, *(rounded(speeds[kind][name]) for kind in COLOURS)) for name in NAMES]
    for name, growth in speeds["growth"].items():
        rows += [(name, row[name], *(rounded(row[kind]) for kind in COLOURS)) for row in growth]
    return rows


def benchmark_figure(speeds: dict) -> Drawing | None:
    """What `benchmark --json` wrote, drawn."""
    if not speeds:
        return None
    figure, axes = panels(2, 2, width=9.0, height=6.6)
    _draw_rivals(axes[0, 0], speeds)
    places = (axes[0, 1], axes[1, 0], axes[1, 1])
    for place, (varied, rows) in zip(places, speeds["growth"].items(), strict=True):
        _draw_growth(place, varied, rows)
    axes[0, 1].set_title("The engine by size")
    caption = "TreeLSTM on one core, equations per second; all ways compute the same numbers."
    return Drawing(figure, caption, _rows(speeds))
