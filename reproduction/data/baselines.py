"""What can be had without a network: majority, a lookup of known equalities, a bag of symbols, and Sympy.

Sympy's auto-evaluation is Eq(left, right) as it stands, the paper's baseline (section 3); simplify works on what that
leaves open. A reply that is neither true nor false is the paper's Unsure, and counts as wrong. A further score calls
incorrect whatever auto-evaluation does not prove.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from ..judges.balls import Valuation, within_magnitude_bound
from ..judges.sympy_pool import FALSE, PATIENT_SECONDS, TOO_LARGE, TRUE, Answer, SympyPool
from ..language.expression import Expression
from .dataset import SYMBOLIC, Dataset, Record, Split
from .scores import verification_scores

# The names of the baselines' scores.
MAJORITY_OF_TRAIN, MAJORITY_OF_COLUMN = "majority-train", "majority-column"
SYMPY_AUTO, SYMPY_SIMPLIFY, SYMPY_PROOF = "sympy-auto", "sympy-simplify", "sympy-auto-proof"
BAG_OF_SYMBOLS, LOOKUP = "bag-of-symbols", "lookup"

BAG_PENALTY = 1e-3  # of the squared weights, relative to the mean loss
NEWTON_STEPS = 50

Answers = dict[str, Answer]  # Sympy's, by the ids of records


def majority(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """The label that train has more of, for every test equation."""
    label = int(2 * sum(record.label for record in train) >= len(train))
    return [label] * len(test)


def lookup(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """Correct exactly when the sides are the same or connected by equalities of the training set."""
    classes: dict[Expression, set[Expression]] = {}
    for record in train:
        if record.label:
            smaller, larger = sorted((classes.get(side, {side}) for side in record.equation), key=len)
            larger |= smaller
            classes.update(dict.fromkeys(smaller, larger))
            classes.update(dict.fromkeys(record.equation, larger))
    return [int(right in classes.get(left, {left})) for left, right in (record.equation for record in test)]


def _logistic_regression(inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The weights of the penalised fit, by Newton's method: the problem is convex, so they are the only ones."""
    penalty = np.full(inputs.shape[1], BAG_PENALTY * len(labels))
    penalty[-1] = 1e-9
    weights = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (probability - labels) + penalty * weights
        hessian = (inputs * (probability * (1 - probability))[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-10:
            break
    return weights


def bag_of_symbols(train: Sequence[Record], test: Sequence[Record]) -> list[int]:
    """Predictions of a logistic regression on how often each symbol occurs."""
    symbols = sorted({node.symbol for record in train for node in record.equation.subexpressions()})

    def counts(records: Sequence[Record]) -> np.ndarray:
        found = (Counter(node.symbol for node in record.equation.subexpressions()) for record in records)
        rows = [[*(counter[symbol] for symbol in symbols), 1] for counter in found]
        return np.array(rows, dtype=float).reshape(-1, len(symbols) + 1)  # (records, symbols + 1)

    weights = _logistic_regression(counts(train), np.array([record.label for record in train], dtype=float))
    return [int(logit > 0) for logit in counts(test) @ weights]


METHODS = {MAJORITY_OF_TRAIN: majority, BAG_OF_SYMBOLS: bag_of_symbols, LOOKUP: lookup}  # what learns from train


def ask_sympy(
    records: Sequence[Record], cache: Path, workers: int, progress=lambda count: None, simplifies: bool = True
) -> Answers:
    """Sympy's answer to every record, with simplify or without; numbers too large to write out are not asked about."""
    valuation = Valuation()
    askable = [record for record in records if within_magnitude_bound(record.equation, valuation)]
    progress(len(records) - len(askable))
    with SympyPool(cache, workers, PATIENT_SECONDS, simplifies) as sympy:
        answers = sympy.answers((record.equation for record in askable), progress)
    too_large = {record.id: Answer(TOO_LARGE, TOO_LARGE) for record in records}
    return too_large | {record.id: answer for record, answer in zip(askable, answers, strict=True)}


def sympy_predictions(records: Sequence[Record], answers: Answers) -> dict[str, list[int | None]]:
    """The label that Sympy gives each record: by auto-evaluation and with simplify, None for Unsure; by proof alone."""
    labels = {TRUE: 1, FALSE: 0}
    return {
        SYMPY_AUTO: [labels.get(answers[record.id].auto) for record in records],
        SYMPY_SIMPLIFY: [labels.get(answers[record.id].simplified) for record in records],
        SYMPY_PROOF: [labels.get(answers[record.id].auto, 0) for record in records],
    }


def sympy_replies(records: Sequence[Record], answers: Answers) -> list[dict]:
    """How often each reply was given, by depth and label."""
    auto = Counter((record.depth, record.label, answers[record.id].auto) for record in records)
    simplified = Counter((record.depth, record.label, answers[record.id].simplified) for record in records)
    counts = [(*key, auto[key], simplified[key]) for key in sorted(auto | simplified)]
    return [dict(zip(("depth", "label", "answer", "auto", "simplify"), each, strict=True)) for each in counts]


def _by_depth(records: Sequence[Record]) -> dict[str, list[Record]]:
    depths = sorted({record.depth for record in records})
    return {str(depth): [record for record in records if record.depth == depth] for depth in depths}


def true_identities_left_open(true: Sequence[Record], answers: Answers) -> dict:
    """How many equations labelled correct Sympy does not decide, by depth and function: the paper leaves it open."""

    def counted(records: Sequence[Record]) -> dict[str, int]:
        return {
            "count": len(records),
            "open_auto": sum(answers[record.id].auto != TRUE for record in records),
            "open_simplify": sum(not answers[record.id].says_equal for record in records),
        }

    by_function: dict[str, list[Record]] = {}
    for record in true:
        for name in record.equation.functions():
            by_function.setdefault(name, []).append(record)
    groups = {"by_depth": _by_depth(true), "by_function": dict(sorted(by_function.items()))}
    counts = {name: {key: counted(each) for key, each in group.items()} for name, group in groups.items()}
    return {"all": counted(true), **counts}


def seconds_per_equation(records: Sequence[Record], answers: Answers) -> dict[str, dict[str, float]]:
    """Mean CPU seconds an equation by depth: building and comparing the sides, and simplify where it was asked."""
    found = {}
    for name, group in {"all": records, **_by_depth(records)}.items():
        seconds = [(answers[each.id].auto_seconds, answers[each.id].simplify_seconds) for each in group]
        if seconds:
            auto, both = fmean(auto for auto, _ in seconds), fmean(map(sum, seconds))
            found[name] = {"auto": round(auto, 5), "simplify": round(both, 5)}
    return found


def score(predicted: Sequence[int | None], records: Sequence[Record]) -> dict:
    """The scores of predicted labels; None is wrong."""
    labels, depths = np.array([(record.label, record.depth) for record in records]).reshape(-1, 2).T
    return verification_scores(np.array(predicted, dtype=float), labels, depths)


def majority_of_column(records: Sequence[Record]) -> dict:
    """The other reading of Majority: in every column the label that its own equations have more of (Table 4's)."""
    scores = score(majority(records, records), records)
    for depth, column in _by_depth(records).items():
        scores["by_depth"][depth] = score(majority(column, column), column)["by_depth"][depth]
    return scores


def symbolic_parts(dataset: Dataset, split: Split) -> tuple[list[Record], list[Record]]:
    """The symbolic equations to learn from, those of dev included, and to test on."""
    records = ([dataset.by_id[identifier] for identifier in part] for part in (split.train + split.dev, split.test))
    train, test = ([record for record in part if record.kind == SYMBOLIC] for part in records)
    return train, test


def _rounded(scores: dict) -> dict:
    return {name: _rounded(each) if isinstance(each, dict) else round(each, 6) for name, each in scores.items()}


def split_scores(dataset: Dataset, split: Split, answers: Answers) -> dict[str, dict]:
    """The scores of every baseline on the symbolic test equations of one split."""
    train, test = symbolic_parts(dataset, split)
    predicted = {name: method(train, test) for name, method in METHODS.items()} | sympy_predictions(test, answers)
    scores = {name: score(labels, test) for name, labels in predicted.items()}
    return {name: _rounded(each) for name, each in {**scores, MAJORITY_OF_COLUMN: majority_of_column(test)}.items()}
