"""`train`: one training, and how well it went; `benchmark`: how fast the engine is beside its rivals."""

import argparse
import os
from dataclasses import MISSING, fields
from pathlib import Path

from .. import artifacts
from ..data import dataset
from ..data.dataset import GENERALIZATION
from ..errors import InputError, place
from ..models import MODELS
from ..training.configuration import PRESETS, Configuration, choices_of, make_configuration
from ..training.run_directory import (
    HISTORY,
    RESULTS,
    Training,
    data_at,
    describe,
    remove_remains,
    split_of,
    training_directory,
)
from . import add_options, check_files, check_writable, refuse_other_data

PRESET = "the paper's protocol as it is written, or as the authors' code runs, where no option says else"
FIRST = {"split": GENERALIZATION, "seed": 0}  # of settings that a configuration has to be told
SETTINGS = tuple(setting.name for setting in fields(Configuration) if setting.default is not MISSING)
TITLES = {  # of what is measured
    "engine": "the default engine",
    "generic": "generic engine",
    "without_sharing": "default engine, subtrees not shared",
    "per_function": "one call for each level and function",
    "recursion": "plain recursion",
}
PICTURES = (".png", ".svg")

# ------------------------------------------------------------------------------------------------ train


def add_train(parser: argparse.ArgumentParser) -> None:
    for setting in fields(Configuration):  # what each may be is checked with the whole configuration
        name, choices = setting.name, choices_of(setting)
        own = ", or the network's own" if any(name in model.defaults for model in MODELS.values()) else ""
        default = FIRST.get(name, None if setting.default is MISSING else setting.default)
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=setting.type if setting.type in (int, float) else str,
            default=FIRST.get(name),
            required=name == "model",
            metavar=f"{{{','.join(choices)}}}" if choices else "X",
            help=setting.metadata["words"] + ("" if default is None else f" (default: {default}{own})"),
        )
    add_options(parser, "data")
    parser.add_argument("--out", type=place, metavar="DIR", help="the run directory (default: named after the run)")
    parser.add_argument("--preset", choices=tuple(PRESETS), help=PRESET)
    parser.add_argument("--continue-from", type=place, metavar="DIR", help="begin with the checkpoint of a shorter run")
    parser.add_argument("--keep-checkpoint", action="store_true", help="so that a longer run can continue this one")
    parser.add_argument("--tensorboard", action="store_true", help="also write the history for TensorBoard")


def train(arguments: argparse.Namespace) -> int:
    """One training, from the beginning or from where it was stopped."""
    chosen = {name: getattr(arguments, name) for name in SETTINGS}
    configuration = make_configuration(arguments.model, arguments.split, arguments.seed, arguments.preset, **chosen)
    data, directory = data_at(arguments.data), arguments.out
    split_of(data, configuration.split, configuration.seed)
    if directory is None:
        refuse_other_data(arguments.data, "name the directory of the runs with --out, or ")
        directory = training_directory(artifacts.RUNS, configuration, data.fingerprint)
    asked = (directory.name, directory, configuration, data, arguments.continue_from, arguments.keep_checkpoint)
    training = Training(*asked)
    if training.is_recorded:
        print(f"{directory}: finished already")
        if not arguments.keep_checkpoint:
            remove_remains(directory)
    else:
        check_writable(directory)
        print(f"{configuration.model} learns from {data.directory}", flush=True)
        from ..training.loop import carry_out  # MXNet takes two seconds to import

        carry_out(training, needs_earlier=True)
    if arguments.tensorboard:
        _write_tensorboard(directory)
    _print_results(directory, artifacts.read_json(directory / RESULTS))
    return 0


def _write_tensorboard(directory: Path) -> None:
    """The history as event files for TensorBoard."""
    from tensorboardX import SummaryWriter

    rows = artifacts.lines_of(artifacts.read_bytes(directory / HISTORY), directory / HISTORY)
    with SummaryWriter(str(directory / "tensorboard")) as writer:
        for row in rows:
            for name, value in row.items():
                if name != "epoch" and value is not None:
                    writer.add_scalar(name, value, row["epoch"])


def _print_results(directory: Path, results: dict) -> None:
    if results.get("divergence"):
        print(f"{directory}: {describe(results['divergence'])}; the epochs before it are kept")
    elif results["diverged"]:
        print(f"{directory}: the loss stopped being a number in epoch {results['diverged']}")
    print(f"dev  {_summary(results['dev'])} (epoch {results['best_epoch']}, chosen on dev)")
    print(f"test {_summary(results['test'])}")
    if results["best_on_test"]:
        print(f"test {_summary(results['best_on_test'])} (epoch {results['best_on_test']['epoch']}, chosen on test)")
    if results.get("instead_of_fused"):
        print(f"computed by the {results['engine']} engine, not by the faster fused one: {results['instead_of_fused']}")
    speed = results["equations_per_second"] or 0
    print(f"{results['train_seconds']:.0f} s, {speed:.0f} equations/s; all in {directory}")


def _summary(part: dict) -> str:
    evaluations = part.get("evaluations") or {}
    error = f", MSE {evaluations['mse']:.4f}" if evaluations.get("mse") is not None else ""
    return f"accuracy {100 * part['symbolic']['accuracy']:.2f} %{error}"


# ------------------------------------------------------------------------------------------------ benchmark


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "data")
    written = "also write everything that was measured there (default: the workspace's runs/benchmark.json)"
    drawn = "also draw it there, as FILE.png and FILE.svg (default: the workspace's figures/benchmark)"
    for name, default, text in (
        ("json", artifacts.RUNS / "benchmark.json", written),
        ("figure", artifacts.FIGURES / "benchmark", drawn),
    ):
        parser.add_argument(f"--{name}", type=place, nargs="?", const=default, metavar="FILE", help=text)
    quick = "fewer rounds and sizes, for a first look"
    parser.add_argument("--quick", action="store_true", default=artifacts.IS_SMOKE, help=quick)


def benchmark(arguments: argparse.Namespace) -> int:
    """The speed of the engine and of its rivals, in one run on one core."""
    figure: Path | None = arguments.figure
    if figure and figure.suffix in PICTURES:
        figure = figure.with_suffix("")
    pictures = [Path(f"{figure}{suffix}") for suffix in PICTURES if figure]
    check_files(*pictures, *([arguments.json] if arguments.json else []))
    records = dataset.load(arguments.data)
    if not records.symbolic:
        raise InputError(f"{arguments.data}: there is no symbolic equation to measure with")
    from ..training import benchmark as measuring  # MXNet takes two seconds to import

    effort = measuring.QUICK if arguments.quick else measuring.Effort()
    processes = measuring.measure_processes(arguments.data, effort)
    if hasattr(os, "sched_setaffinity"):  # Linux
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = measuring.run_benchmark(records, effort) | processes
    _print_speeds(found)
    if arguments.json:
        artifacts.write_sealed(arguments.json, found)
    if figure:
        from ..report.drawing import save, style
        from ..report.outputs.scores import benchmark_figure

        with style():
            save(benchmark_figure(found).figure, figure)
    return 0


def _print_speeds(found: dict) -> None:
    print(f"TreeLSTM, hidden {found['hidden']}, {found['equations']} equations, one core; engine: {found['engine']}")
    for size, speeds in found["by_batch_size"].items():
        training, inference = speeds["training"], speeds["inference"]
        print(f"{f'batch {size}, equations/s':38s} {'training':>10s} {'recursion x':>12s} {'inference':>10s}")
        for name, title in TITLES.items():
            factor = f"{training[name] / training['recursion']:.1f}"
            print(f"{title:38s} {training[name]:10.0f} {factor:>12s} {inference[name]:10.0f}")
    for name, speeds in found["chains"].items():
        told = ", ".join(f"{case} {speed:.0f}" for case, speed in speeds.items())
        print(f"{name.upper()}, equations/s in training: {told}")
    memory = found["memory"]
    print(f"memory: {memory['engine_mb']:.0f} MB, of it {memory['before_mb']:.0f} MB before the model")
    print(f"a training of one epoch from start to exit: {found['start_seconds']:.2f} s")
    print(f"two trainings at a time: {found['workers_ratio']:.2f} times one")
    reached = found["seconds_to"].items()
    goals = (f"{goal} % {'not reached' if seconds is None else f'{seconds:.1f} s'}" for goal, seconds in reached)
    print(f"training until dev accuracy is {', '.join(goals)}")
    for name, rows in found["growth"].items():
        print(f"{name.replace('_', ' '):>12s} {'training':>10s} {'inference':>10s} {'s/epoch':>8s} {'table (s)':>10s}")
        for row in rows:
            speeds = f"{row['training']:10.0f} {row['inference']:10.0f}"
            print(f"{row[name]:12d} {speeds} {row['epoch_seconds']:8.2f} {row['table_seconds']:10.2f}")
