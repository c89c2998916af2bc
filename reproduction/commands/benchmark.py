"""`benchmark`: the speed of the engine and of its rivals, in one run on one core."""

import argparse
import os
from pathlib import Path

from tqdm import tqdm

from .. import artifacts
from ..commands import add_options, check_files, place
from ..data import dataset
from ..errors import InputError

HELP = "measure training and inference speed, on one core"

KINDS = ("png", "svg")
TITLES = {
    "engine": "the default engine",
    "generic": "generic engine",
    "without_sharing": "default engine, subtrees not shared",
    "per_function": "one call for each level and function",
    "recursion": "plain recursion",
}

SMOKE_OPTIONS = ("--quick",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "data")
    written = "also write everything that was measured there (default: the workspace's runs/benchmark.json)"
    drawn = "also draw it there, as FILE.png and FILE.svg (default: the workspace's figures/benchmark)"
    for name, default, text in (
        ("json", artifacts.RUNS / "benchmark.json", written),
        ("figure", artifacts.FIGURES / "benchmark", drawn),
    ):
        parser.add_argument(f"--{name}", type=place, nargs="?", const=default, metavar="FILE", help=text)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and sizes, for a first look")


def _stay_on_one_core() -> None:
    """Keeps the process on one core, where the system lets it."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


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
    goals = (
        f"{goal} % {'not reached' if seconds is None else f'{seconds:.1f} s'}"
        for goal, seconds in found["seconds_to"].items()
    )
    print(f"training until dev accuracy is {', '.join(goals)}")


def _print_growth(growth: dict) -> None:
    for name, rows in growth.items():
        print(f"{name.replace('_', ' '):>12s} {'training':>10s} {'inference':>10s} {'s/epoch':>8s} {'table (s)':>10s}")
        for row in rows:
            print(
                f"{row[name]:12d} {row['training']:10.0f} {row['inference']:10.0f} {row['epoch_seconds']:8.2f} "
                f"{row['table_seconds']:10.2f}"
            )


def _without_suffix(figure: Path) -> Path:
    return figure.with_suffix("") if figure.suffix.removeprefix(".") in KINDS else figure


def run(arguments: argparse.Namespace) -> int:
    figure = arguments.figure and _without_suffix(arguments.figure)
    pictures = [Path(f"{figure}.{kind}") for kind in KINDS] if figure else []
    check_files(*filter(None, (arguments.json, *pictures)))
    records = dataset.load(arguments.data)
    if not records.symbolic:
        raise InputError(f"{arguments.data}: there is no symbolic equation to measure with")
    from ..training import benchmark  # MXNet takes two seconds to import

    effort = benchmark.QUICK if arguments.quick else benchmark.Effort()
    processes = benchmark.measure_processes(arguments.data, effort)
    _stay_on_one_core()
    with tqdm(total=benchmark.rounds_of(effort), disable=None, desc="benchmark") as bar:
        found = benchmark.run_benchmark(records, effort, bar.update) | processes
    _print_speeds(found)
    _print_growth(found["growth"])
    if arguments.json:
        artifacts.write_sealed(arguments.json, found)
    if figure:
        from ..report.drawing import save, style
        from ..report.outputs.scores import benchmark_figure

        with style():
            save(benchmark_figure(found).figure, figure)
    return 0
