"""A data set as files, all of them or none, and never over another one without --replace; and its statistics."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

from .. import artifacts, paper
from ..errors import InputError
from ..language.expression import FUNCTION, Equation
from ..language.grammar import BINARY, CIRCULAR
from ..language.printing import latex_equation
from . import dataset as datasets
from .baselines import bag_of_symbols, lookup, majority, score, symbolic_parts
from .dataset import GENERALIZATION, STRICT, Dataset, Record, Split
from .generator import Built
from .manifest import MANIFEST, RECORD_FILES, UNFINISHED, Manifest, begin, finish, is_whole, manifest_of, read_manifest
from .recipes import as_row
from .splits import make_split, twin_share

STATISTICS, EXAMPLES = "statistics.json", "table-2.json"
MOST_EXAMPLES, LARGEST_EXAMPLE = 8, 14  # pairs of Table 2, and nodes of an equation in it


def is_made(directory: Path, made_with: dict) -> bool:
    """Whether the directory holds the data set that is made with this; another data set there is refused."""
    if artifacts.is_there(directory / UNFINISHED):
        return False
    if not is_whole(directory):
        if any((directory / name).exists() for name in RECORD_FILES):
            raise InputError(f"{directory}: holds a data set without {MANIFEST} (--replace makes it anew)")
        return False
    manifest = read_manifest(directory)
    for name in dict.fromkeys([*made_with, *manifest.made_with]):
        before, now = manifest.made_with.get(name), made_with.get(name)
        if before != now:
            plain = name != "axioms" and all(isinstance(each, (int, str)) for each in (before, now))
            words = name.replace("_", " ")
            other = f"{words} {before}, not {now}" if plain else f"other {words}"
            raise InputError(f"{directory}: holds a data set made with {other} (--replace makes it anew)")
    manifest.check()
    return True


def write_dataset(
    out: Path,
    symbolic: Sequence[Record],
    numeric: Sequence[Record],
    unsure: Sequence[Record],
    built: Built | None,
    split_seeds: int,
    seed: int,
    made_with: dict | None = None,
    findings: Mapping[str, Iterable[dict]] | None = None,
) -> dict:
    """All files of a data set, its manifest last; returns the statistics. Findings are further lines by their file."""
    dataset = Dataset(tuple(symbolic), tuple(numeric), "")
    splits = {(name, each): make_split(dataset, name, each) for name in dataset.splits for each in range(split_seeds)}
    begin(out)
    for place, split in splits.items():
        artifacts.write_lines_gz(datasets.split_path(out, *place), [split.as_row()])
    artifacts.write_json(out / EXAMPLES, [pair._asdict() for pair in _examples(symbolic, seed)])
    for name, rows in (findings or {}).items():
        artifacts.write_lines(out / name, rows)
    for name, records in ((datasets.UNSURE_FILE, unsure), (RECORD_FILES[1], numeric), (RECORD_FILES[0], symbolic)):
        datasets.write_records(out / name, records)
    first = {name: splits[name, 0] for name in (GENERALIZATION, STRICT) if split_seeds}
    summary = statistics(datasets.load_files(manifest_of(out, {})), built, first)
    artifacts.write_json(out / STATISTICS, summary)
    finish(manifest_of(out, made_with or {}))
    return summary


def add_splits(directory: Path, split_seeds: int) -> tuple[int, int]:
    """Stores the splits of so many seeds in a whole data set, which stays as it is: how many are there, and are new."""
    dataset, manifest = datasets.load(directory), read_manifest(directory)
    wanted = [(name, seed) for name in dataset.splits for seed in range(split_seeds)]
    missing = [each for each in wanted if datasets.split_name(*each) not in manifest.files]
    for name, seed in missing:
        artifacts.write_lines_gz(datasets.split_path(directory, name, seed), [make_split(dataset, name, seed).as_row()])
    if missing:
        finish(manifest_of(directory, {**manifest.made_with, "split_seeds": split_seeds}))
    return len(wanted), len(missing)


class ExamplePair(NamedTuple):
    """Two equations as LaTeX."""

    correct: str
    incorrect: str


def _examples(records: Sequence[Record], seed: int) -> list[ExamplePair]:
    """A few readable equations of each label, the small ones first."""
    random, columns = Random(f"table 2 {seed}"), []
    for label in (1, 0):
        fitting = [each for each in records if each.label == label and each.equation.size <= LARGEST_EXAMPLE]
        drawn = random.sample(fitting, min(MOST_EXAMPLES, len(fitting)))
        columns.append([latex_equation(each.equation) for each in sorted(drawn, key=lambda each: each.equation.size)])
    return [ExamplePair(*pair) for pair in zip(*columns, strict=False)]


def read_examples(manifest: Manifest | None) -> tuple[ExamplePair, ...]:
    """The pairs of a data set; none if it has none."""
    return manifest.json(tuple[ExamplePair, ...], EXAMPLES) if manifest and EXAMPLES in manifest.files else ()


# ------------------------------------------------------------------------------------------------ what is in it


def statistics(dataset: Dataset, built: Built | None, splits: dict[str, Split]) -> dict:
    """Everything that statistics.json holds; built is None for data that was imported."""
    symbolic, numeric = dataset.symbolic, dataset.numeric
    counts = [
        {"total": len(records), "correct": sum(each.label for each in records), "by_depth": by_depth(records)}
        for records in (symbolic, numeric)
    ]
    by_kind = dict(sorted(Counter(record.kind for record in numeric).items()))
    functions = ((name, record.label) for record in symbolic for name in record.equation.functions())
    found = {
        "fingerprint": dataset.fingerprint,
        "symbolic": counts[0],
        "numeric": {**counts[1], "by_kind": by_kind},
        "by_function": _labels(functions, dataset.functions),
        "by_origin": _labels((record.origin.split(":")[0], record.label) for record in symbolic),
        "correct_with_variable_and_function": round(share_with_variable_and_function(symbolic), 4),
        "uses_of_a_distinct_subtree": round(sharing(symbolic), 2),
        "twins_of_test_in_train": {name: round(twin_share(symbolic, split), 4) for name, split in splits.items()},
        "baselines": {name: baseline_accuracies(dataset, split) for name, split in splits.items()},
        "fingerprints": fingerprints(symbolic),
    }
    if built is not None:
        found |= {"axioms": built.own_axioms} if built.own_axioms else {}
        found["recipe"] = as_row(built.recipe)
        found["unsure"] = {"total": len(built.unsure), "by_depth": by_depth(built.unsure)}
        counted = {"verdicts_on_rewritten": built.verdicts, "routes": built.routes, "rejected": built.rejected}
        found |= {name: dict(sorted(counter.items())) for name, counter in counted.items()}
        found["shortfall"] = {str(depth): wish._asdict() for depth, wish in built.shortfall.items()}
    return found


def _labels(pairs: Iterable[tuple[object, int]], keys: Iterable | None = None) -> dict[str, dict[str, int]]:
    """How many are correct and incorrect, by the key that each label stands with."""
    counts = Counter(pairs)
    keys = sorted({key for key, _ in counts}) if keys is None else keys
    return {str(key): {"correct": counts[key, 1], "incorrect": counts[key, 0]} for key in keys}


def by_depth(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    return _labels((record.depth, record.label) for record in records)


def share_with_variable_and_function(records: Sequence[Record]) -> float:
    """The share of the correct equations with a variable and a function beyond +, * and ^."""
    correct = [_measures(record.equation) for record in records if record.label]
    return sum(each["variable"] and each["unary"] for each in correct) / len(correct) if correct else 0.0


def sharing(records: Sequence[Record]) -> float:
    """How often a distinct subtree is used on average."""
    nodes = [node for record in records for node in record.equation.subexpressions()]
    return len(nodes) / len(set(nodes)) if nodes else 0.0


def baseline_accuracies(dataset: Dataset, split: Split) -> dict[str, float]:
    """Test accuracy on the symbolic equations, in per cent; nothing when there are none."""
    train, test = symbolic_parts(dataset, split)
    methods = {"majority": majority, "bag_of_symbols": bag_of_symbols, "lookup": lookup} if test else {}
    return {name: round(100 * score(method(train, test), test)["accuracy"], 2) for name, method in methods.items()}


def _measures(equation: Equation) -> dict[str, float]:
    """The numbers whose means are the fingerprints of a data set."""
    unary = set(equation.functions()) - {function.name for function in BINARY}
    return {
        "variable": bool(equation.variables()),
        "unary": bool(unary),
        "trigonometric": bool(unary & set(CIRCULAR)),
        "other_unary": bool(unary - set(CIRCULAR)),
        "same_root": equation.left.symbol == equation.right.symbol,
        "shared_child": bool(set(equation.left.children) & set(equation.right.children)),
        "nodes": equation.size - 1,  # without the equality sign
    }


def fingerprints(records: Sequence[Record]) -> dict:
    """Means of the measures by depth and label, and shares of leaves and functions, over symbolic records."""
    means: dict[str, dict[str, dict[str, float]]] = {}
    for depth, label in sorted({(record.depth, -record.label) for record in records}):
        here = [_measures(each.equation) for each in records if (each.depth, -each.label) == (depth, label)]
        found = {name: round(fmean(each[name] for each in here), 4) for name in here[0]}
        means.setdefault(str(depth), {})["correct" if label else "incorrect"] = found
    nodes = [node for record in records for node in record.equation.subexpressions()]
    return {
        "by_depth": means,
        "leaves": _frequencies(node.symbol for node in nodes if not node.children),
        "functions": _frequencies(node.symbol for node in nodes if node.kind == FUNCTION),
    }


def _frequencies(symbols: Iterable[str]) -> dict[str, float]:
    """The share of each symbol, the most frequent first."""
    counts = Counter(symbols)
    return {symbol: round(count / counts.total(), 4) for symbol, count in counts.most_common()}


def comparison(found: dict) -> str:
    """The counts for the terminal, beside the paper's unless the axioms are a domain of their own."""
    columns = 2 if "axioms" in found else 4
    lines = [f"{'':22}{'ours':>8}{'correct':>9}{'paper':>8}{'correct':>9}"[: 22 + columns * 17 // 2]]

    def line(title: str, *cells: int | None) -> None:
        shown = ("–" if cell is None else f"{cell:,}" for cell in cells[:columns])
        lines.append(f"{title:22}" + "".join(f"{cell:>{8 + place % 2}}" for place, cell in enumerate(shown)))

    for kind, total, correct, paper_by_depth in (
        ("symbolic", paper.SYMBOLIC_TOTAL, paper.SYMBOLIC_CORRECT, paper.SYMBOLIC_BY_DEPTH),
        ("numeric", paper.NUMERIC_TOTAL, paper.NUMERIC_CORRECT, paper.NUMERIC_BY_DEPTH),
    ):
        ours = found[kind]
        line(f"{kind} equations", ours["total"], ours["correct"], total, correct)
        for depth in sorted({*map(int, ours["by_depth"]), *(paper_by_depth if columns == 4 else ())}):
            here = ours["by_depth"].get(str(depth), {"correct": 0, "incorrect": 0})
            line(f"depth {depth}", sum(here.values()), here["correct"], paper_by_depth.get(depth), None)
    for name, scores in found["baselines"].items():
        if scores:
            twins = 100 * found["twins_of_test_in_train"][name]
            text = ", ".join(f"{method.replace('_', ' ')} {score:.1f} %" for method, score in scores.items())
            lines.append(f"{name} split: {text}; {twins:.1f} % of the test equations have a twin in training")
    for depth, missing in found.get("shortfall", {}).items():
        lines.append(f"depth {depth} is exhausted: {missing['total']} equations fewer than asked for")
    return "\n".join(lines)
