"""Fingerprints: shares that tell how a data set was made, to be compared with those of the original's data.

They are about equations alone, so that a recipe can be chosen by them before any network is trained.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from ..language.expression import FUNCTION, Equation
from ..language.grammar import BINARY, CIRCULAR
from .dataset import Record

_NOT_UNARY = {function.name for function in BINARY}


def _unary(equation: Equation) -> set[str]:
    return set(equation.functions()) - _NOT_UNARY


def _shares_a_child(equation: Equation) -> bool:
    """Whether the roots of both sides have a child in common."""
    return bool(set(equation.left.children) & set(equation.right.children))


# What the mean is taken of, by the name of the fingerprint.
MEASURES: dict[str, Callable[[Equation], float]] = {
    "variable": lambda equation: bool(equation.variables()),
    "unary": lambda equation: bool(_unary(equation)),
    "trigonometric": lambda equation: bool(_unary(equation) & set(CIRCULAR)),
    "other_unary": lambda equation: bool(_unary(equation) - set(CIRCULAR)),
    "same_root": lambda equation: equation.left.symbol == equation.right.symbol,
    "shared_child": _shares_a_child,
    "nodes": lambda equation: equation.size - 1,  # without the equality sign
}


def _means(equations: Sequence[Equation]) -> dict[str, float]:
    return {name: round(fmean(map(measure, equations)), 4) for name, measure in MEASURES.items()}


def _frequencies(symbols: Iterable[str]) -> dict[str, float]:
    """The share of each symbol, the most frequent first."""
    counts = Counter(symbols)
    return {symbol: round(count / counts.total(), 4) for symbol, count in counts.most_common()}


def fingerprints(records: Sequence[Record]) -> dict:
    """Means of the measures by depth and label, and shares of leaves and functions, over symbolic records."""
    groups: dict[tuple[int, str], list[Equation]] = {}
    for record in sorted(records, key=lambda record: (record.depth, -record.label)):
        groups.setdefault((record.depth, "correct" if record.label else "incorrect"), []).append(record.equation)
    by_depth: dict[str, dict[str, dict[str, float]]] = {}
    for (depth, label), equations in groups.items():
        by_depth.setdefault(str(depth), {})[label] = _means(equations)
    nodes = [node for record in records for node in record.equation.subexpressions()]
    return {
        "by_depth": by_depth,
        "leaves": _frequencies(node.symbol for node in nodes if not node.children),
        "functions": _frequencies(node.symbol for node in nodes if node.kind == FUNCTION),
    }
