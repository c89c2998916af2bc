"""Made-up run directories in the layout of the real ones, for the tests of tables, figures and report.

Every number in them is invented here; nothing of this is a result.
"""

import json
import shutil
from pathlib import Path
from random import Random
from types import SimpleNamespace

from reproduction import artifacts
from reproduction.data import writing
from reproduction.data.dataset import SPLIT_NAMES, Dataset, Record, load, split_name
from reproduction.data.manifest import is_whole, read_manifest
from reproduction.language.parsing import parse_equation
from reproduction.models import MODELS
from reproduction.sweeps import ablation, protocol, search
from reproduction.sweeps.search_space import Space
from reproduction.sweeps.trials import Data
from reproduction.training.run_directory import read_run, run_digest, write_results

SPEEDS, GROWTH = ("engine", "without_sharing", "per_function", "recursion"), ("batch_size", "hidden", "equations")
LEVELS = dict(zip(MODELS, (0.66, 0.81, 0.92, 0.95, 0.94, 0.97), strict=True))
EQUATIONS = (
    ("x = x", 1), ("x = y", 0), ("sin(x) = sin(x)", 1), ("x + y = y + x", 1), ("x * 1 = x", 1), ("x + 1 = x", 0),
    ("cos(x) = sin(x)", 0), ("exp(0) = 1", 1), ("sin(x)^2 + cos(x)^2 = 1", 1), ("tan(x) = sin(x) / cos(x)", 1),
    ("tan(x) = cos(x) / sin(x)", 0), ("(x + 1) * 2 = x * 2 + 2", 1), ("sin(2 * x) = 2 * (sin(x) * cos(x))", 1),
    ("sin(2 * x) = 2 * (sin(x) + cos(x))", 0), ("sinh(x)^2 + 1 = cosh(x)^2", 1), ("sinh(x)^2 = cosh(x)^2", 0),
)  # fmt: skip


def tiny_dataset(copies: int = 8) -> Dataset:
    """A few equations, repeated with other variables, and a few evaluations."""
    symbolic = []
    for copy in range(copies):
        for text, label in EQUATIONS:
            equation = parse_equation(text.replace("x", f"x_{copy + 1}") if "exp" not in text else text)
            symbolic.append(Record(f"s{len(symbolic)}", equation, label, "symbolic", equation.depth, "made up"))
    numeric = []
    for index in range(20):
        equation = parse_equation(f"sin({index / 10 + 0.01:.2f}) = {index / 20 + 0.01:.2f}")
        numeric.append(Record(f"n{index}", equation, index % 2, "evaluation", equation.depth, "made up"))
    return Dataset(tuple(symbolic), tuple(numeric), "synthetic")


def write_dataset(directory: Path, dataset: Dataset, seeds: range) -> Dataset:
    """The data set as files, with the splits of so many seeds; as it is read back."""
    writing.write_dataset(directory, dataset.symbolic, dataset.numeric, (), None, len(seeds), seed=0)
    return load(directory)


def _part(records: list[Record], level: float, with_data: bool, random: Random) -> tuple[dict, list[dict]]:
    """A made-up part of results.json and the predictions it would come from."""
    symbolic = [record for record in records if record.kind == "symbolic"]
    rows, hits = [], []
    for record in symbolic:
        hit = random.random() < level
        confidence = random.uniform(0.6, 0.999) if hit else random.uniform(0.5, 0.9)
        likely = record.label if hit else 1 - record.label
        rows.append({"id": record.id, "probability": round(confidence if likely else 1 - confidence, 6)})
        hits.append(hit)
    by_depth = {}
    for depth in sorted({record.depth for record in symbolic}):
        here = [hit for hit, record in zip(hits, symbolic, strict=True) if record.depth == depth]
        by_depth[str(depth)] = {"accuracy": sum(here) / len(here), "count": len(here)}
    accuracy = sum(hits) / len(hits)
    scores = {"accuracy": accuracy, "precision": accuracy - 0.01, "recall": accuracy + 0.01, "by_depth": by_depth}
    part = {"symbolic": scores}
    if with_data:
        error = (1 - level) * random.uniform(0.9, 1.1)
        part["evaluations"] = {"mse": error, "mse_all": error * 1.2, "accuracy": level, "count": 190, "count_all": 400}
    return part, rows


def write_run(experiments: Path, dataset: Dataset, model: str, split: str, seed: int, fraction: float = 1) -> Path:
    """One finished run with invented scores near the model's level."""
    random = Random(f"{model} {split} {seed} {fraction}")
    name = f"{model}-{split}-{seed}" + ("" if fraction == 1 else f"-fraction-{fraction:g}")
    directory = experiments / name
    records = list(dataset.by_id.values())
    level = LEVELS[model] - 0.2 * (1 - fraction) - (0.02 if split != "generalization" else 0)
    tested, developed = records[::5], records[2::10]
    with_data = model.endswith("+data")
    test, rows = _part(tested, level, with_data, random)
    dev, dev_rows = _part(developed, level, with_data, random)
    best, _ = _part(tested, min(level + 0.005, 1), with_data, random)
    config = {"model": model, "split": split, "seed": seed, "hidden": 50, "optimizer": "adam", "learning_rate": 0.01,
              "fraction": fraction, "symbols": ["x", "y"], "version": "made up",
              "split_checksum": _split_checksum(experiments.parent / "data", split, seed),
              "data_fingerprint": dataset.fingerprint}  # fmt: skip
    results = {"dev": dev, "test": test, "best_on_test": best, "best_epoch": 80, "train_seconds": 100.0,
               "seconds_to": {"90": 10.0, "95": 40.0, "97": None}, "equations_per_second": 20000.0,
               "parameters": 250000, "peak_memory_mb": 700.0, "diverged": None}  # fmt: skip
    history = [
        {"epoch": epoch, "loss": 0.7 * 0.95**epoch, "dev_accuracy": 0.5 + (level - 0.5) * (1 - 0.9**epoch)}
        for epoch in range(1, 101)
    ]
    artifacts.write_json(directory / "config.json", config)
    artifacts.write_text(directory / "history.jsonl", "".join(json.dumps(row) + "\n" for row in history))
    predictions = [{**row, "part": "test"} for row in rows] + [{**row, "part": "dev"} for row in dev_rows]
    artifacts.write_lines_gz(directory / "predictions.jsonl.gz", predictions)
    by_depth = {str(d): {"accuracy": level - 0.03 * d, "count": 500} for d in (5, 6, 7)}
    deep = {"run": run_digest(config), "data_fingerprint": "made up", "by_depth": by_depth}
    artifacts.write_sealed(directory / "deep.json", deep)
    write_results(directory, config, results)
    return directory


def _split_checksum(data: Path, split: str, seed: int) -> str:
    return read_manifest(data).files[split_name(split, seed)] if is_whole(data) else "made up"


def completion_of(directory: Path, shares: list[float], errors: list[float] | None) -> dict:
    """A completion.json of this run with these averages, the same for every ranking and group."""
    averages = {"equations": 9, "top_k": shares, "mean_reciprocal_rank": shares[0]}
    groups = {
        name: {"1": averages}
        for name in ("by_blank_height", "by_blank_level", "by_equation_depth", "by_correct_candidates")
    }
    numeric = errors and {"top_k_mse": errors, "perfect": {"top_k_mse": errors}, "random": {"top_k_mse": errors}}
    symbolic = {**averages, "random": averages, "most_frequent": averages, **groups}
    return {"run": read_run(directory).results.run, "limit": None, "symbolic": symbolic, "numeric": numeric}


def write_completion(directory: Path) -> None:
    """completion.json and its examples, with made-up averages."""
    content = completion_of(directory, [0.5 + 0.01 * k for k in range(10)], [0.3 - 0.01 * k for k in range(10)])
    artifacts.write_sealed(directory / "completion.json", content)
    example = {"equation": "x = x", "latex": "x = x", "id": "s0", "predictions": [{"text": "x", "probability": 0.5}]}
    head = {"run": content["run"], "limit": None}
    artifacts.write_sealed(directory / "completion-examples.json", {**head, "symbolic": [example]})


def write_beside(runs: Path) -> None:
    """Everything that commands write beside the runs, small and made up."""
    symbolic = {"accuracy": 0.5, "precision": 0.5, "recall": 0.5, "by_depth": {"1": {"accuracy": 0.5, "count": 2}}}
    counts = {"count": 2, "open_auto": 1, "open_simplify": 0}
    contents = {
        "baselines.json": {
            "data_fingerprint": read_manifest(runs / "data").fingerprint,
            "splits": {"strict": {"0": {"lookup": symbolic}}},
            "sympy_answers": [{"depth": 2, "label": 1, "answer": "true", "auto": 3, "simplify": 4}],
            "true_identities_left_open": {"all": counts, "by_depth": {"1": counts}, "by_function": {"sin": counts}},
        },
        "sympy-times.json": {
            "data_fingerprint": read_manifest(runs / "data").fingerprint,
            "all": {"auto": 0.1, "simplify": 0.2},
        },
        "machine.json": {"cores": 2, "memory_gib": 8.0, "system": "Linux", "python": "3.11", "packages": {"a": "1"}},
        "benchmark.json": {
            **dict.fromkeys(("training", "inference"), dict.fromkeys(SPEEDS, 2.5)),
            "growth": {name: [{name: 1, "training": 1.5, "inference": 2.5}] for name in GROWTH},
        },
        "remedies.json": {"remedies": [{"claim": "a", "remedy": "b", "outcome": "c"}]},
    }
    for name, content in contents.items():
        artifacts.write_sealed(runs / name, content)
    write_protocol(runs, load(runs / "data"), ("tree-nn+data",), ("generalization",), seeds=2)


def write_archive(runs: Path, dataset: Dataset, seeds: int = 5, fractions: tuple[float, ...] = (0.25, 0.5)) -> None:
    """Runs of every model, split and seed, and a learning curve of the best model."""
    for model in MODELS:
        for split in SPLIT_NAMES:
            for seed in range(seeds):
                write_run(runs / "experiments", dataset, model, split, seed)
    for model in ("tree-lstm", "tree-lstm+data"):
        for fraction in fractions:
            for seed in range(seeds):
                write_run(runs / "experiments", dataset, model, "generalization", seed, fraction)


def write_protocol(runs: Path, dataset: Dataset, models=tuple(MODELS), splits=SPLIT_NAMES, seeds: int = 5) -> None:
    """The summary of runs at the paper's own protocol, which are made up like the others."""
    names = [(model, split, seed) for model in models for split in splits for seed in range(seeds)]
    directories = [write_run(runs / artifacts.PROTOCOL_RUNS, dataset, *name) for name in names]
    for directory in directories:
        if "generalization" in directory.name:
            write_completion(directory)
    content = protocol.summary(map(read_run, directories), Data(runs / "data", dataset.fingerprint))
    artifacts.write_sealed(runs / artifacts.PROTOCOL, content, indent=None)
    shutil.rmtree(runs / artifacts.PROTOCOL_RUNS)  # as they are not committed


def _study(rows: list[dict], fingerprint: str) -> SimpleNamespace:
    return SimpleNamespace(data=SimpleNamespace(fingerprint=fingerprint), rows=rows)


def ablation_summary(
    model: str, optimizers: tuple[str, ...] = ("adam", "sgd"), seeds: int = 2, fingerprint: str = "synthetic"
) -> dict:
    """The summary of an ablation in which the first optimizer is the best."""
    rows = [
        {"part": part, "batch_size": 1, "optimizer": name, "learning_rate": 0.01, "momentum": None, "seed": seed,
         "epochs": 3,
         "dev_accuracy": 95.0 - place, "test_accuracy": 94.0 - place, "mse": 0.05, "best_epoch": 3, "epochs_to_90": 2,
         "seconds": 10.0, "diverged": None, "trial": f"{part}-{name}-{seed}", "curve": [80.0, 90.0, 95.0 - place]}
        for part in (ablation.GRID, ablation.TUNED) for place, name in enumerate(optimizers) for seed in range(seeds)
    ]  # fmt: skip
    asked = ablation.Ablation(model, "generalization", optimizers, seeds, (ablation.Regime(1, 3, 1, True),))
    return asked.summary(_study(rows, fingerprint))


def search_summary(model: str, fingerprint: str = "synthetic") -> dict:
    """The summary of a search in which every configuration is a little better than the one before."""
    space = Space((("learning_rate", (0.1, 0.01)), ("hidden", (5, 50))))
    asked = search.Search(model, "generalization", 0, space, search.HALVING, None, 3, 3, 2)
    rows = [
        {"trial": f"t{place}", "rung": 0, "epochs": 3, "settings": dict(point), "dev_accuracy": 90.0 + place,
         "test_accuracy": 89.0 + place, "mse": 0.05, "best_epoch": 3, "diverged": None, "seconds": 10.0}
        for place, point in enumerate(space.points())
    ]  # fmt: skip
    return asked.summary(_study(rows, fingerprint))


def write_sweeps(runs: Path) -> None:
    """Two ablations and a search, of the data set that is there."""
    data = runs / "data"
    fingerprint = read_manifest(data).fingerprint if is_whole(data) else "synthetic"
    for model in ("tree-nn", "tree-lstm+data"):
        artifacts.write_sealed(
            runs / "ablation" / model / artifacts.SUMMARY, ablation_summary(model, fingerprint=fingerprint)
        )
    artifacts.write_sealed(runs / "search" / "rnn" / artifacts.SUMMARY, search_summary("rnn", fingerprint))
