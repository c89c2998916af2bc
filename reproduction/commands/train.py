"""`train`: one model on one split, from the beginning or from where it was stopped."""

import argparse

from .. import artifacts
from ..commands import add_options, place, refuse_file, runs_beside
from ..data import dataset
from ..data.dataset import SPLIT_NAMES
from ..data.splits import stored_split
from ..errors import InputError
from ..locks import owned
from ..models import LEAVES, MODELS, READINGS, cell_names
from ..networks.optimizer_traits import OPTIMIZERS
from ..sweeps.trials import Trial, data_at
from ..training.configuration import (
    DEVICES,
    ENGINES,
    NUMERIC_TASKS,
    PRESETS,
    SCHEDULES,
    make_configuration,
)  # fmt: skip
from ..training.run_directory import RESULTS, Experiment, remove_remains

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

CHOSEN = ("numeric_task", "schedule", "device", "cell", "engine", "leaf", "reading")  # by name, each in its own way


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, choices=tuple(MODELS))
    parser.add_argument("--split", default="generalization", choices=SPLIT_NAMES)
    parser.add_argument("--seed", type=int, default=0, help="of the split, the weights and the order of batches")
    add_options(parser, "data")
    parser.add_argument("--out", type=place, metavar="DIR", help="the run directory (default: named after the run)")
    for name, (kind, text) in OPTIONS.items():
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, metavar="X", help=f"{text} (default: the model's)")
    presets = "the paper's protocol as it is written, or as the authors' code runs, where no option says else"
    parser.add_argument("--preset", choices=tuple(PRESETS), help=presets)
    parser.add_argument("--numeric-task", choices=NUMERIC_TASKS, help="what is learned of numeric equations")
    parser.add_argument("--schedule", choices=SCHEDULES, help="how the learning rate falls")
    parser.add_argument("--device", choices=DEVICES)
    cells = f"of a tree, instead of the model's own: {', '.join(cell_names())}"
    parser.add_argument("--cell", metavar="NAME", help=cells)
    parser.add_argument("--leaf", choices=LEAVES, help="what squashes the leaves of a tree (default: as its cell's h)")
    parser.add_argument("--reading", choices=READINGS, help="whether a chain reads each side or the whole equation")
    parser.add_argument("--engine", choices=ENGINES, help="what computes the network (default: the fastest one)")
    parser.add_argument("--continue-from", type=place, metavar="DIR", help="begin with the checkpoint of a shorter run")
    parser.add_argument("--keep-checkpoint", action="store_true", help="so that a longer run can continue this one")
    parser.add_argument("--tensorboard", action="store_true", help="also write the history for TensorBoard")


def _is_finished(trial: Trial) -> bool:
    """Whether the directory holds the results of this very configuration and data; those of others are refused."""
    if other := trial.other_setting:
        raise InputError(f"{trial.directory}: holds a finished run with {other}")
    return trial.is_recorded


def _train(trial: Trial, arguments: argparse.Namespace) -> dict:
    """Trains, as the only one in this directory."""
    from ..networks.backend import context
    from ..training.loop import train  # MXNet takes two seconds to import

    configuration, data = trial.configuration, trial.data.directory
    context(configuration.device)
    records = dataset.load(data)
    print(f"{configuration.model} learns from {data}", flush=True)
    split = stored_split(records, data, configuration.split, configuration.seed)
    more = (arguments.tensorboard, arguments.continue_from, arguments.keep_checkpoint)
    return train(configuration, records, split, trial.directory, *more)


def _summary(part: dict) -> str:
    symbolic, evaluations = part["symbolic"], part.get("evaluations")
    text = f"accuracy {100 * symbolic['accuracy']:.2f} %"
    return f"{text}, MSE {evaluations['mse']:.4f}" if evaluations and evaluations["mse"] is not None else text


def run(arguments: argparse.Namespace) -> int:
    chosen = {name: getattr(arguments, name) for name in (*OPTIONS, *CHOSEN)}
    configuration = make_configuration(arguments.model, arguments.split, arguments.seed, arguments.preset, **chosen)
    directory = arguments.out or runs_beside(arguments.data) / Experiment.of(configuration).name
    data = data_at(arguments.data, [(configuration.split, configuration.seed)])
    trial = Trial(directory.name, directory, configuration, data)
    if _is_finished(trial):
        print(f"{directory}: finished already")
        if not arguments.keep_checkpoint:
            remove_remains(directory)
        results = artifacts.read_json(directory / RESULTS)
    else:
        refuse_file(directory)
        with owned(directory):
            done = _is_finished(trial)  # by the process that was waited for
            results = artifacts.read_json(directory / RESULTS) if done else _train(trial, arguments)
    if results.get("divergence"):
        from ..training.divergence import describe

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
    return 0
