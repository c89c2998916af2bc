"""Trainings: `train`, one of them; `showcase`, a network worth using with its model card; `benchmark`, their speed."""

import argparse
import os
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from .. import artifacts
from ..data import dataset
from ..data.axioms import TextbookEquation, read_textbook
from ..data.dataset import GENERALIZATION
from ..errors import InputError, place
from ..models import MODELS
from ..showcase import building, judging
from ..showcase.building import SMOKE, Plan
from ..showcase.judging import CALIBRATION, DATA, JUDGED, read_data, write_card
from ..training.configuration import PRESETS, Configuration, choices_of, make_configuration
from ..training.run_directory import (
    HISTORY,
    PARAMETERS,
    RESULTS,
    Training,
    data_at,
    describe,
    is_finished,
    read_config,
    read_run,
    refuse_other_run,
    remove_remains,
    split_of,
    training_directory,
)
from . import add_options, check_files, check_writable, refuse_other_data

PRESET = "settings of the paper's protocol as it is written, or as the authors' code runs; options change single ones"
FIRST = {"split": GENERALIZATION, "seed": 0}  # defaults of settings that a configuration does not have
SETTINGS = tuple(setting.name for setting in fields(Configuration) if setting.default is not MISSING)
DEV = Path(building.__file__).with_name("dev")
SHOWCASE: dict[str, Any] = {
    "model": "tree-lstm+data",
    "split": GENERALIZATION,
    "hidden": 96,
    "learning_rate": 0.01,
    "dropout": 0.05,
    "l2": 1e-6,
    "batch_size": 256,
    "epochs": 34,
    "averaging": 0.999,
    "numeric_weight": 0.3,
}
SMALLER = {"full": {}, "smoke": {"hidden": 8, "epochs": 2}}
Lists = dict[str, tuple[TextbookEquation, ...]]
WAYS = {  # that the benchmark measures
    "engine": "the default engine",
    "generic": "generic engine",
    "without_sharing": "default engine, subtrees not shared",
    "per_function": "one call for each level and function",
    "recursion": "plain recursion",
}
PICTURES = (".png", ".svg")

# ------------------------------------------------------------------------------------------------ train


def add_train(parser: argparse.ArgumentParser) -> None:
    for setting in fields(Configuration):  # values are checked with the whole configuration
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
    """Trains once, from the beginning or from where the training was stopped."""
    chosen = {name: getattr(arguments, name) for name in SETTINGS}
    configuration = make_configuration(arguments.model, arguments.split, arguments.seed, arguments.preset, **chosen)
    data, directory = data_at(arguments.data), arguments.out
    split_of(data, configuration.split, configuration.seed)
    if directory is None:
        refuse_other_data(arguments.data, "name the directory of the runs with --out, or ")
        directory = training_directory(artifacts.RUNS, configuration, data.fingerprint)
    earlier, kept = arguments.continue_from, arguments.keep_checkpoint
    training = Training(directory.name, directory, configuration, data, earlier, kept)
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


# ------------------------------------------------------------------------------------------------ showcase


def add_showcase(parser: argparse.ArgumentParser) -> None:
    runs, data = artifacts.RUNS / "showcase", artifacts.CACHE / "showcase"
    parser.add_argument("--out", type=place, default=runs, metavar="DIR", help="the run directory")
    parser.add_argument("--data", type=place, default=data, metavar="DIR", help="the directory of its data set")
    add_options(parser, "seed", help="of the data, the weights and the order of batches")
    scale = "smoke" if artifacts.IS_SMOKE else "full"
    parser.add_argument("--scale", choices=SMALLER, default=scale, help="smoke: small, in a minute")
    for name in ("epochs", "hidden"):
        parser.add_argument(f"--{name}", type=int, metavar="N", help=f"(default: {SHOWCASE[name]})")
    parser.add_argument("--judge-only", action="store_true", help="only calibrate and judge the finished network anew")


def showcase(arguments: argparse.Namespace) -> int:
    """Makes the network's data, trains it, calibrates and judges it; what is done already is not done again."""
    out, lists = arguments.out, _lists()
    check_writable(out, arguments.data)
    asked = {name: value for name in ("epochs", "hidden") if (value := getattr(arguments, name)) is not None}
    settings = {
        **SHOWCASE,
        "seed": arguments.seed,
        **SMALLER[arguments.scale],
        **asked,
    }  # one seed of data and training
    configuration = make_configuration(**settings)
    if arguments.judge_only and not is_finished(out):
        raise InputError(f"--judge-only: {out} holds no finished network")
    if is_finished(out):
        if not arguments.judge_only:
            refuse_other_run(out, read_config(out), configuration.as_row())
        read_data(out)  # before anything is written
        print(f"{out}: trained already")
    else:
        _train(arguments, configuration, lists)
    judged = _judge(out, lists)
    for name in lists:
        scores = judged[name]
        kinds = (f"{scores[kind]['right']} of {scores[kind]['count']}" for kind in ("identities", "near_misses"))
        right = "{:.1f} % right (identities {}, near misses {})".format(100 * scores["accuracy"], *kinds)
        print(f"{name}: {right}, calibration error {scores['calibration_error']['after']:.3f}")
    print(f"all in {out}")
    return 0


def _lists() -> Lists:
    """The lists of equations that judge the network, by name."""
    return {"dev": read_textbook(DEV), "textbook": read_textbook()}


def _train(arguments: argparse.Namespace, configuration: Configuration, lists: Lists) -> None:
    """Trains the network in its directory and puts a summary of its data beside it."""
    excluded = building.excluded_twins(each.equation for listed in lists.values() for each in listed)
    summary = building.build(arguments.data, SMOKE if arguments.scale == "smoke" else Plan(), arguments.seed, excluded)
    left_out = summary["left_out"].get(building.LISTED, 0)
    print(f"{arguments.data}: {summary['equations']} equations; {left_out} were left out, to be judged by")
    from ..training.loop import Run, train  # MXNet takes two seconds to import

    split = dataset.load_split(arguments.data, GENERALIZATION, arguments.seed)
    artifacts.write_sealed(arguments.out / DATA, summary)
    train(Run(configuration, dataset.load(arguments.data), split, arguments.out))


def _judge(out: Path, lists: Lists) -> dict:
    """Calibrates and judges the network, and writes calibration, scores, figure and model card."""
    from ..report.drawing import save, style
    from ..report.outputs.predictions import draw_reliability
    from ..training.learners import load_network

    model = load_network(read_run(out))
    answers = {name: judging.answers(model, listed) for name, listed in lists.items()}
    temperature = judging.write_calibration(out / CALIBRATION, answers["dev"])
    judged = {name: judging.scores(given, temperature) for name, given in answers.items()}
    apart = judging.apart_from(answers["textbook"], lists["dev"], lists["textbook"])
    judged["textbook"]["apart_from_dev"] = apart
    wrong = [each for each in answers["dev"] if not each.is_right]
    labels = (("identities", 1), ("near_misses", 0))
    judged["wrong_on_dev"] = {name: [each.text for each in wrong if each.label == label] for name, label in labels}
    parameters = artifacts.checksum(artifacts.read_bytes(out / PARAMETERS))
    artifacts.write_sealed(out / JUDGED, {**judged, "parameters": parameters})
    with style():
        save(draw_reliability(judged).figure, out / "reliability")
    write_card(out, read_run(out))
    return judged


# ------------------------------------------------------------------------------------------------ benchmark


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "data")
    file: dict[str, Any] = {"type": place, "nargs": "?", "metavar": "FILE"}
    written = "also write all numbers there (default: the workspace's runs/benchmark.json)"
    parser.add_argument("--json", const=artifacts.RUNS / "benchmark.json", help=written, **file)
    drawn = "also draw them there, as FILE.png and FILE.svg (default: the workspace's figures/benchmark)"
    parser.add_argument("--figure", const=artifacts.FIGURES / "benchmark", help=drawn, **file)
    quick = "fewer rounds and sizes, for a first look"
    parser.add_argument("--quick", action="store_true", default=artifacts.IS_SMOKE, help=quick)


def benchmark(arguments: argparse.Namespace) -> int:
    """Measures the engine and simpler ways to compute the same network, on one core."""
    figure: Path | None = arguments.figure
    if figure and figure.suffix in PICTURES:
        figure = figure.with_suffix("")
    check_files(*filter(None, (figure, arguments.json)))
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
        for name, title in WAYS.items():
            factor = f"{training[name] / training['recursion']:.1f}"
            print(f"{title:38s} {training[name]:10.0f} {factor:>12s} {inference[name]:10.0f}")
    for name, speeds in found["chains"].items():
        told = ", ".join(f"{case} {speed:.0f}" for case, speed in speeds.items())
        print(f"{name.upper()}, equations/s in training: {told}")
    memory = found["memory"]
    print(f"memory: {memory['engine_mb']:.0f} MB, of it {memory['before_mb']:.0f} MB before the model")
    print(f"a training of one epoch from start to exit: {found['start_seconds']:.2f} s")
    print(f"two trainings at a time: {found['workers_ratio']:.2f} times one")
    for goal, seconds in found["seconds_to"].items():
        print(f"training until dev accuracy is {goal} %: " + ("not reached" if seconds is None else f"{seconds:.1f} s"))
    for name, rows in found["growth"].items():
        print(f"{name.replace('_', ' '):>12s} {'training':>10s} {'inference':>10s} {'s/epoch':>8s} {'table (s)':>10s}")
        for row in rows:
            speeds = f"{row['training']:10.0f} {row['inference']:10.0f}"
            print(f"{row[name]:12d} {speeds} {row['epoch_seconds']:8.2f} {row['table_seconds']:10.2f}")
