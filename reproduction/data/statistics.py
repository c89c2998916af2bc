"""What is in a data set: counts beside the paper's, coverage, and what needs no network to be predicted."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from .. import paper
from ..language.expression import FUNCTION, Equation
from ..language.grammar import ADD, BINARY, CIRCULAR, MULTIPLY, POWER
from .baselines import bag_of_symbols, lookup, majority, score, symbolic_parts
from .dataset import Dataset, Record, Split
from .generation.build import Built
from .generation.recipes import as_row
from .splits import twin_share

OURS = 39  # characters of a line without the paper's numbers


def _labels(pairs: Iterable[tuple[object, int]], keys: Iterable | None = None) -> dict[str, dict[str, int]]:
    """How many are correct and incorrect, by the key that each label stands with."""
    counts = Counter(pairs)
    keys = sorted({key for key, _ in counts}) if keys is None else keys
    return {str(key): {"correct": counts[key, 1], "incorrect": counts[key, 0]} for key in keys}


def by_depth(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    return _labels((record.depth, record.label) for record in records)


def counts(records: Sequence[Record]) -> dict:
    correct = sum(record.label for record in records)
    return {"total": len(records), "correct": correct, "by_depth": by_depth(records)}


def by_function(dataset: Dataset) -> dict[str, dict[str, int]]:
    pairs = ((name, record.label) for record in dataset.symbolic for name in record.equation.functions())
    return _labels(pairs, dataset.functions)


def by_origin(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    """Labels by the kind of step that made the equation: no step should give the label away."""
    return _labels((record.origin.split(":")[0], record.label) for record in records)


def share_with_variable_and_function(records: Sequence[Record]) -> float:
    """The share of the correct equations with a variable and a function beyond +, * and ^."""
    correct = [record for record in records if record.label]
    plain = {ADD, MULTIPLY, POWER}
    rich = [r for r in correct if r.equation.variables() and set(r.equation.functions()) - plain]
    return len(rich) / len(correct) if correct else 0.0


def baseline_accuracies(dataset: Dataset, split: Split) -> dict[str, float]:
    """Test accuracy on the symbolic equations, in per cent; nothing when there are none."""
    train, test = symbolic_parts(dataset, split)
    if not test:
        return {}
    methods = {"majority": majority, "bag_of_symbols": bag_of_symbols, "lookup": lookup}
    return {name: round(100 * score(method(train, test), test)["accuracy"], 2) for name, method in methods.items()}


def sharing(records: Sequence[Record]) -> float:
    """How often a distinct subtree is used on average."""
    nodes = [node for record in records for node in record.equation.subexpressions()]
    return len(nodes) / len(set(nodes)) if nodes else 0.0


def collect(dataset: Dataset, built: Built | None, splits: dict[str, Split]) -> dict:
    """Everything that statistics.json holds; built is None for data that was imported."""
    symbolic, numeric = dataset.symbolic, dataset.numeric
    by_kind = dict(sorted(Counter(record.kind for record in numeric).items()))
    statistics = {
        "fingerprint": dataset.fingerprint,
        "symbolic": counts(symbolic),
        "numeric": {**counts(numeric), "by_kind": by_kind},
        "by_function": by_function(dataset),
        "by_origin": by_origin(symbolic),
        "correct_with_variable_and_function": round(share_with_variable_and_function(symbolic), 4),
        "uses_of_a_distinct_subtree": round(sharing(symbolic), 2),
        "twins_of_test_in_train": {name: round(twin_share(symbolic, split), 4) for name, split in splits.items()},
        "baselines": {name: baseline_accuracies(dataset, split) for name, split in splits.items()},
        "fingerprints": fingerprints(symbolic),
    }
    if built is not None:
        statistics |= {"axioms": built.own_axioms} if built.own_axioms else {}
        statistics["recipe"] = as_row(built.recipe)
        statistics["unsure"] = {"total": len(built.unsure), "by_depth": by_depth(built.unsure)}
        counted = {"verdicts_on_rewritten": built.verdicts, "routes": built.routes, "rejected": built.rejected}
        statistics |= {name: dict(sorted(counter.items())) for name, counter in counted.items()}
        statistics["shortfall"] = {str(depth): vars(wish) for depth, wish in built.shortfall.items()}
    return statistics


def _lines(title: str, ours: dict, total: int, correct: int, by_depth: dict[int, int]) -> list[str]:
    """The counts of one kind of equations beside the paper's: all of them, then depth by depth."""
    depths = sorted({int(depth) for depth in ours["by_depth"]} | set(by_depth))
    here = {depth: ours["by_depth"].get(str(depth), {"correct": 0, "incorrect": 0}) for depth in depths}
    rows = [(f"depth {d}", sum(here[d].values()), here[d]["correct"], by_depth.get(d)) for d in depths]
    return [_line(title, ours["total"], ours["correct"], total, correct), *(_line(*row) for row in rows)]


def comparison(statistics: dict) -> str:
    """The counts for the terminal, beside the paper's unless the axioms are a domain of their own."""
    symbolic: tuple = (paper.SYMBOLIC_TOTAL, paper.SYMBOLIC_CORRECT, paper.SYMBOLIC_BY_DEPTH)
    numeric: tuple = (paper.NUMERIC_TOTAL, paper.NUMERIC_CORRECT, paper.NUMERIC_BY_DEPTH)
    own = "axioms" in statistics
    if own:
        symbolic = numeric = (None, None, {})
    lines = [f"{'':22}{'ours':>8}{'correct':>9}{'paper':>8}{'correct':>9}"]
    lines += _lines("symbolic equations", statistics["symbolic"], *symbolic)
    lines += _lines("numeric equations", statistics["numeric"], *numeric)
    lines = [line[:OURS].rstrip() for line in lines] if own else lines
    for name, scores in statistics["baselines"].items():
        if scores:
            twins = 100 * statistics["twins_of_test_in_train"][name]
            text = ", ".join(f"{method.replace('_', ' ')} {score:.1f} %" for method, score in scores.items())
            lines.append(f"{name} split: {text}; {twins:.1f} % of the test equations have a twin in training")
    for depth, missing in statistics.get("shortfall", {}).items():
        lines.append(f"depth {depth} is exhausted: {missing['total']} equations fewer than asked for")
    return "\n".join(lines)


def _line(title: str, total: int, correct: int, paper_total=None, paper_correct=None) -> str:
    cells = ("–" if cell is None else f"{cell:,}" for cell in (total, correct, paper_total, paper_correct))
    return "{:<22}{:>8}{:>9}{:>8}{:>9}".format(title, *cells)


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
