"""Made-up run directories in the layout of the real ones, for the tests of tables, figures and report.

Every number in them is invented here; nothing of this is a result.
"""

import json
from pathlib import Path
from random import Random

from reproduction import artifacts
from reproduction.data import writing
from reproduction.data.dataset import Dataset, Record, load, split_name
from reproduction.data.manifest import is_whole, read_manifest
from reproduction.language.parsing import parse_equation
from reproduction.models import paper_models
from reproduction.training.run_directory import read_run, write_results

LEVELS = dict(zip((model.name for model in paper_models()), (0.66, 0.81, 0.92, 0.95, 0.94, 0.97), strict=True))
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
    deep = {"run": artifacts.seal_of(config), "data_fingerprint": "made up", "by_depth": by_depth}
    artifacts.write_sealed(directory / "deep.json", deep)
    write_results(directory, config, results)
    return directory


def _split_checksum(data: Path, split: str, seed: int) -> str:
    return read_manifest(data).files[split_name(split, seed)] if is_whole(data) else "made up"


def blanks(has_data: bool) -> dict:
    """What completion.json says of filled blanks, with the same averages for every ranking and group."""
    averages = {"equations": 9, "top_k": [0.5 + 0.01 * k for k in range(10)], "mean_reciprocal_rank": 0.6}
    groupings = ("by_blank_height", "by_blank_level", "by_equation_depth", "by_correct_candidates")
    symbolic = {
        **averages,
        "random": averages,
        "most_frequent": averages,
        **{name: {"1": averages} for name in groupings},
    }
    errors = {"top_k_mse": [0.3 - 0.01 * k for k in range(10)]}
    return {"symbolic": symbolic, "numeric": {**errors, "perfect": errors, "random": errors} if has_data else None}


def examples() -> dict:
    """What completion-examples.json says: one example of each kind, and curves."""
    symbolic = {"text": "x", "latex": "x", "probability": 0.5, "verdict": "CORRECT"}
    numeric = {"text": "0.5", "model_error": 1e-3, "true_error": 0.0, "fits": True}
    head = {"equation": "x = x", "latex": "x = x", "id": "s0"}
    evaluations = {"cos": [{"arguments": [0.5], "value": 0.88, "decoded": 0.9}]}
    return {"symbolic": [{**head, "predictions": [symbolic]}], "numeric": [{**head, "predictions": [numeric]}],
            "evaluations": evaluations, "curves": {"cos": [0.0] * 629}}  # fmt: skip


def write_completion(directory: Path) -> None:
    """completion.json and its examples, with made-up averages."""
    head = {"run": read_run(directory).results.run, "limit": None}
    artifacts.write_sealed(directory / "completion.json", {**head, **blanks(has_data=True)})
    artifacts.write_sealed(directory / "completion-examples.json", {**head, **examples()})
