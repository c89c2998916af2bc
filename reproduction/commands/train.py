"""`train`: one model on one split, from the beginning or from where it was stopped."""

import argparse
from dataclasses import MISSING, Field, fields
from pathlib import Path

from .. import artifacts
from ..commands import add_options, place, refuse_file, runs_beside
from ..data.dataset import GENERALIZATION
from ..models import MODELS
from ..studies.trainings import Training, data_at, training_directory
from ..training.configuration import PRESETS, Configuration, choices_of, make_configuration
from ..training.records import describe
from ..training.run_directory import RESULTS, remove_remains

HELP = "train one model on one split; started again after a kill it goes on"

PRESET = "the paper's protocol as it is written, or as the authors' code runs, where no option says else"
FIRST = {"split": GENERALIZATION, "seed": 0}  # of settings that a configuration has to be told
SETTINGS = tuple(setting.name for setting in fields(Configuration) if setting.default is not MISSING)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    for setting in fields(Configuration):
        _add_setting(parser, setting)
    add_options(parser, "data")
    parser.add_argument("--out", type=place, metavar="DIR", help="the run directory (default: named after the run)")
    parser.add_argument("--preset", choices=tuple(PRESETS), help=PRESET)
    parser.add_argument("--continue-from", type=place, metavar="DIR", help="begin with the checkpoint of a shorter run")
    parser.add_argument("--keep-checkpoint", action="store_true", help="so that a longer run can continue this one")
    parser.add_argument("--tensorboard", action="store_true", help="also write the history for TensorBoard")


def _add_setting(parser: argparse.ArgumentParser, setting: Field) -> None:
    """The option of a setting; what it may be is checked with the whole configuration."""
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


def _summary(part: dict) -> str:
    symbolic, evaluations = part["symbolic"], part.get("evaluations")
    text = f"accuracy {100 * symbolic['accuracy']:.2f} %"
    return f"{text}, MSE {evaluations['mse']:.4f}" if evaluations and evaluations["mse"] is not None else text


def run(arguments: argparse.Namespace) -> int:
    chosen = {name: getattr(arguments, name) for name in SETTINGS}
    configuration = make_configuration(arguments.model, arguments.split, arguments.seed, arguments.preset, **chosen)
    data = data_at(arguments.data, [(configuration.split, configuration.seed)])
    usual = arguments.out or training_directory(runs_beside(arguments.data), configuration, data.fingerprint)
    directory = Path(usual)
    asked = (directory.name, directory, configuration, data, arguments.continue_from, arguments.keep_checkpoint)
    training = Training(*asked)
    if training.is_recorded:
        print(f"{directory}: finished already")
        if not arguments.keep_checkpoint:
            remove_remains(directory)
    else:
        refuse_file(directory)
        print(f"{configuration.model} learns from {data.directory}", flush=True)
        training.run(arguments.tensorboard, needs_earlier=True)
    results = artifacts.read_json(directory / RESULTS)
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
    return 0
