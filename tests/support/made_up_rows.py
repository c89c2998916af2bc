"""Made-up rows of studies, for the tests of tables, figures and the page. Nothing of this is a result.

On dev and test the numbers are drawn apart, so that what is chosen by the wrong one of them is seen.
"""

from pathlib import Path
from random import Random
from typing import Any

from support import synthetic_runs
from support.synthetic_runs import blanks, examples

from reproduction import artifacts
from reproduction.data.dataset import GENERALIZATION, SPLIT_NAMES, SYMBOLIC, load, load_split, split_name
from reproduction.data.manifest import is_whole, read_manifest
from reproduction.report.results import Archive
from reproduction.rows import TELLING, details_file, rows_file, write_rows

LEVELS = {"rnn": 66.0, "lstm": 81.0, "tree-nn": 92.0, "tree-lstm": 95.0, "tree-nn+data": 93.6, "tree-lstm+data": 97.2}
OPTIMIZERS = ("sgd", "nag", "rmsprop", "adam", "adagrad", "adadelta", "dcasgd", "sgld")


def training(model: str, split: str = GENERALIZATION, seed: int = 0, study: str = "experiments", **more: Any) -> dict:
    """The row of a network with scores near its level."""
    random = Random(f"{study} {model} {split} {seed} {more}")
    level = LEVELS.get(model, 90.0) + random.uniform(-0.5, 0.5)
    row = {"study": study, "model": model, "split": split, "seed": seed, "data": "data", "epochs": 50, "best_epoch": 40}
    row |= {"parameters": 1000, "train_seconds": 36.0, "seconds_to_90": 10.0, "equations_per_second": 2000.0}
    for prefix, shift in (("", 0.0), ("dev_", random.uniform(-3, 3)), ("best_on_test_", 0.3)):
        row |= {f"{prefix}{name}": level + shift for name in ("accuracy", "precision", "recall", "depth_2", "depth_3")}
        if model.endswith("+data"):
            row |= {
                f"{prefix}mse": 0.02 + (98 - level) / 50,
                f"{prefix}mse_all": 0.1,
                f"{prefix}evaluation_accuracy": level,
            }
    row |= {"count": 100, "count_depth_2": 40, "count_depth_3": 60, "count_mse_all": 20}
    if split == GENERALIZATION:
        row |= {f"top_{k}": level - 20 + k for k in range(1, 11)} | {"mean_reciprocal_rank": 0.8}
        row |= {f"deep_{depth}": level - 2 * depth for depth in (5, 6, 7)}
        row |= {f"top_{k}_mse": 0.5 / k for k in range(1, 11)} if model.endswith("+data") else {}
    return row | more


def trainings(seeds: int = 5, study: str = "experiments", models=LEVELS, splits=SPLIT_NAMES, **more: Any) -> list[dict]:
    return [
        training(model, split, seed, study, **more) for model in models for split in splits for seed in range(seeds)
    ]


def details(rows: list[dict], data: Path | None = None) -> list[dict]:
    """Curves, blanks and examples of these rows, and predictions of what is tested in the data set."""
    found = []
    for row in rows:
        own = {name: row.get(name) for name in ("study", "model", "split", "seed", "data", *TELLING)}
        if row["split"] == GENERALIZATION:
            curves = {"dev_curve": [0.5, 0.7, 0.9], "loss_curve": [0.7, 0.5, 0.3]}
            own |= curves | {"blanks": blanks(row["model"].endswith("+data")), "examples": examples()}
        if data:
            records = [load(data).by_id[name] for name in load_split(data, row["split"], row["seed"]).test]
            labels = [record.label for record in records if record.kind == SYMBOLIC]
            own["probabilities"] = [0.9 if label else 0.2 for label in labels]
        found.append(own)
    return found


def ablation(models=("tree-nn", "tree-lstm+data"), optimizers=OPTIMIZERS, seeds: int = 3) -> list[dict]:
    """Adam is best on dev and worst on test."""
    rows: list[dict] = []
    for model in models:
        for part in ("grid", "tuning", "tuned"):
            for optimizer in optimizers:
                for seed in range(seeds if part != "tuning" else 1):
                    place = 0 if optimizer == "adam" else 1 + OPTIMIZERS.index(optimizer)
                    more = {
                        "part": part,
                        "place": len(rows),
                        "optimizer": optimizer,
                        "batch_size": 1,
                        "preset": "paper",
                    }
                    scores = {"dev_accuracy": 95.0 - place + 0.1 * seed, "accuracy": 80.0 + place, "epochs_to_90": 2}
                    rows.append(training(model, seed=seed, study="ablation", learning_rate=0.01, **more, **scores))
    return rows


def search(model: str = "rnn") -> list[dict]:
    """Two rungs; the last configuration is the best on dev and the worst on test."""
    points = [
        {"hidden": hidden, "learning_rate": rate, "optimizer": "adam"} for hidden in (5, 50) for rate in (0.1, 0.01)
    ]
    rows = []
    for rung, kept in ((0, points), (1, points[2:])):
        for place, point in enumerate(kept):
            own = {"part": "search", "rung": rung, "place": len(rows), "in_space": len(points), "epochs": 3 * 3**rung}
            scores = {"dev_accuracy": 90.0 + points.index(point), "accuracy": 80.0 - place}
            rows.append(training(model, study="search", batch_size=1, **own, **point, **scores))
    for place, way in enumerate(("the paper's best", "our defaults")):
        own = {"part": "compared", "way": way, "place": place, "dev_accuracy": 85.0, "accuracy": 84.0, "epochs": 9}
        rows.append(training(model, study="search", batch_size=1, **own, **points[0]))
    return rows


def archive_of(**studies: list[dict]) -> Archive:
    """An archive of these rows, which lie nowhere; `data_study` stands for data-study."""
    return Archive(kept={name.replace("_", "-"): rows for name, rows in studies.items()})


def write(runs: Path, rows: list[dict], predicted: bool = False) -> None:
    """Rows and details as files, of the data set beside them if there is one."""
    manifest = read_manifest(runs / "data") if is_whole(runs / "data") else None
    for row in rows:
        if manifest:
            checksum = manifest.files.get(split_name(row["split"], row["seed"]))
            row |= {"data_fingerprint": manifest.fingerprint} | ({"split_checksum": checksum} if checksum else {})
    for study in {row["study"] for row in rows}:
        own = [row for row in rows if row["study"] == study]
        write_rows(rows_file(runs, study), own)
        whole = [row for row in own if "fraction" not in row and "part" not in row]
        write_rows(details_file(runs, study), details(whole, runs / "data" if manifest and predicted else None))


def write_everything(runs: Path, seeds: int = 5) -> None:
    """A data set and rows of most studies."""
    synthetic_runs.write_dataset(runs / "data", synthetic_runs.tiny_dataset(4), range(seeds))
    parts = [training("tree-lstm", seed=seed, fraction=share) for seed in range(seeds) for share in (0.25, 0.5)]
    write(runs, [*trainings(seeds), *parts], predicted=True)
    own = {"part": "data-helps", "measure": "accuracy", "place": 0, "remedy": "a <script> tag and `none`"}
    write(runs, [training("tree-nn", study="remedies", way=way, **own) for way in ("remedy", "as in the tables")])
    write(runs, trainings(seeds, "protocol", preset="paper", batch_size=1))
    write(runs, ablation())
    write(runs, search())
    machine = {"cores": 2, "memory_gib": 8.0, "system": "Linux", "python": "3.11.7", "packages": {"sympy": "1.14.0"}}
    artifacts.write_sealed(runs / "machine.json", machine)
