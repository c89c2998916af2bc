"""`train`: one model on one split, from the beginning or from where it was stopped."""

import argparse
import sys
from pathlib import Path

from .. import artifacts
from ..data import dataset
from ..data.dataset import SPLIT_NAMES
from ..errors import InputError
from ..models import MODELS
from ..networks.optimizer_traits import OPTIMIZERS
from ..training.configuration import (
    DEVICES,
    ENGINES,
    NUMERIC_TASKS,
    PRESETS,
    SCHEDULES,
    Configuration,
    make_configuration,
)  # fmt: skip
from ..training.run_directory import Experiment, is_finished, other_setting, read_config

HELP = "train one model on one split; started again after a kill it goes on"

OPTIONS = {
    "hidden": (int, "units of every vector"),
    "optimizer": (str, f"one of {', '.join(OPTIMIZERS)}"),
    "learning_rate": (float, "learning rate"),
    "momentum": (float, "momentum of sgd, nag, dcasgd and signum"),
    "dropout": (float, "share of units that are dropped in training"),
    "l2": (float, "pull of weights towards 0"),
    "batch_size": (int, "equations in a batch"),
    "epochs": (int, "passes over the training set"),
    "clip": (float, "greatest norm of the gradient; 0 for none"),
    "averaging": (float, "what each step keeps of the running average of the parameters that is scored; 0 for none"),
    "numeric_weight": (float, "weight of a squared error against a logistic loss"),
    "fraction": (float, "share of the symbolic training equations that is used"),
    "numeric_fraction": (float, "share of the numeric training equations that is used"),
}

CHOSEN = ("numeric_task", "schedule", "device", "cell", "engine")  # by name, each in its own way


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, choices=tuple(MODELS))
    parser.add_argument("--split", default="generalization", choices=SPLIT_NAMES)
    parser.add_argument("--seed", type=int, default=0, help="of the split, the weights and the order of batches")
    parser.add_argument("--data", type=Path, default=artifacts.DATA, metavar="DIR", help="the data set")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the run directory (default: named after the run)")
    for name, (kind, text) in OPTIONS.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, metavar="X", help=f"{text} (default: the model's)")
    parser.add_argument("--preset", choices=tuple(PRESETS), help="the paper's own protocol where no option says else")
    parser.add_argument("--numeric-task", choices=NUMERIC_TASKS, help="what is learned of numeric equations")
    parser.add_argument("--schedule", choices=SCHEDULES, help="how the learning rate falls")
    parser.add_argument("--device", choices=DEVICES)
    parser.add_argument("--cell", metavar="NAME", help=f"of a tree, instead of the model's own{_cells()}")
    parser.add_argument("--engine", choices=ENGINES, help="what computes a tree (default: the fastest that there is)")
    parser.add_argument("--continue-from", type=Path, metavar="DIR", help="begin with the checkpoint of a shorter run")
    parser.add_argument("--keep-checkpoint", action="store_true", help="so that a longer run can continue this one")
    parser.add_argument("--tensorboard", action="store_true", help="also write the history for TensorBoard")


def _cells() -> str:
    """The names of the cells, for people who ask for help: MXNet takes two seconds to import."""
    if not {"-h", "--help"} & set(sys.argv):
        return ""
    from ..networks.cells import CELLS

    return f": {', '.join(CELLS)}"


def _is_finished(directory: Path, configuration: Configuration) -> bool:
    """Whether the directory holds the results of this very configuration; another one is refused."""
    if not is_finished(directory):
        return False
    if other := other_setting(read_config(directory), configuration.as_row()):
        raise InputError(f"{directory}: holds a finished run with {other}")
    return True


def _summary(part: dict) -> str:
    symbolic, evaluations = part["symbolic"], part.get("evaluations")
    text = f"accuracy {100 * symbolic['accuracy']:.2f} %"
    return f"{text}, MSE {evaluations['mse']:.4f}" if evaluations and evaluations["mse"] is not None else text


def run(arguments: argparse.Namespace) -> int:
    chosen = {name: getattr(arguments, name) for name in (*OPTIONS, *CHOSEN)}
    configuration = make_configuration(arguments.model, arguments.split, arguments.seed, arguments.preset, **chosen)
    directory = arguments.out or artifacts.RUNS / "experiments" / Experiment.of(configuration).name
    if _is_finished(directory, configuration):
        print(f"{directory}: finished already")
        results = artifacts.read_json(directory / "results.json")
    else:
        records = dataset.load(arguments.data)
        split = dataset.load_split(arguments.data, configuration.split, configuration.seed)
        from ..training.loop import train  # MXNet takes two seconds to import

        more = (arguments.tensorboard, arguments.continue_from, arguments.keep_checkpoint)
        results = train(configuration, records, split, directory, *more)
    if results["diverged"]:
        print(f"{directory}: the loss stopped being a number in epoch {results['diverged']}")
    print(f"dev  {_summary(results['dev'])} (epoch {results['best_epoch']}, chosen on dev)")
    print(f"test {_summary(results['test'])}")
    if results["best_on_test"]:
        print(f"test {_summary(results['best_on_test'])} (epoch {results['best_on_test']['epoch']}, chosen on test)")
    if results.get("instead_of_fused"):
        print(f"computed by the {results['engine']} engine, not by the faster fused one: {results['instead_of_fused']}")
    speed = results["equations_per_second"] or 0
    print(f"{results['train_seconds']:.0f} s, {speed:.0f} equations/s; all in {directory}")
    return 0
