"""How well equations are told right from wrong, as plain shares ready to be stored."""

import numpy as np


def _share(hits: np.ndarray) -> float:
    return float(np.mean(hits)) if len(hits) else 0.0


def verification_scores(probabilities: np.ndarray, labels: np.ndarray, depths: np.ndarray) -> dict:
    """Accuracy, precision and recall of the correct class, and accuracy by depth.

    A probability of more than one half calls an equation correct; NaN, no answer, is wrong whatever the label.
    """
    said, truth = probabilities > 0.5, labels == 1
    hits = np.where(truth, said, probabilities <= 0.5)
    by_depth = {str(depth): hits[depths == depth] for depth in sorted(set(depths.tolist()))}
    return {
        "accuracy": _share(hits),
        "precision": _share(truth[said]),
        "recall": _share(said[truth]),
        "count": len(labels),
        "by_depth": {depth: {"accuracy": _share(here), "count": len(here)} for depth, here in by_depth.items()},
    }
