"""`showcase`: a network worth using, from its data to its model card; started again after a kill it goes on."""

import argparse
from pathlib import Path

from .. import artifacts
from ..data import dataset
from ..data.axioms import TEXTBOOK, TextbookEquation, read_textbook
from ..data.dataset import GENERALIZATION
from ..errors import InputError, place
from ..showcase import building, judging
from ..showcase.building import SMOKE, Plan
from ..showcase.judging import CALIBRATION, DATA, JUDGED, read_data, write_card
from ..training.configuration import Configuration, make_configuration
from ..training.run_directory import PARAMETERS, is_finished, read_config, read_run, refuse_other_run
from . import add_options, check_writable

DEV = Path(building.__file__).with_name("dev")
MODEL = "tree-lstm+data"
SETTINGS = {
    "hidden": 96,
    "learning_rate": 0.01,
    "dropout": 0.05,
    "l2": 1e-6,
    "batch_size": 256,
    "epochs": 34,
    "averaging": 0.999,
    "numeric_weight": 0.3,
}
SMOKE_SETTINGS = {"hidden": 8, "epochs": 2}

Lists = dict[str, tuple[TextbookEquation, ...]]


def add_showcase(parser: argparse.ArgumentParser) -> None:
    runs, data = artifacts.RUNS / "showcase", artifacts.CACHE / "showcase"
    parser.add_argument("--out", type=place, default=runs, metavar="DIR", help="the run directory")
    parser.add_argument("--data", type=place, default=data, metavar="DIR", help="for its data set")
    add_options(parser, "seed", help="of the data, the weights and the order of batches")
    scale = "smoke" if artifacts.IS_SMOKE else "full"
    parser.add_argument("--scale", choices=("full", "smoke"), default=scale, help="smoke: small, in a minute")
    parser.add_argument("--epochs", type=int, metavar="N", help="instead of its own")
    parser.add_argument("--hidden", type=int, metavar="N", help="instead of its own")
    parser.add_argument("--judge-only", action="store_true", help="only calibrate and judge the finished network anew")


def showcase(arguments: argparse.Namespace) -> int:
    """A finished network, calibrated and judged; its data and its training are made where they are not there."""
    out = arguments.out
    check_writable(out, arguments.data)
    lists, configuration = _lists(), _configuration(arguments)
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
    """The lists that it is judged on, by name: its dev list, and the textbook's where there is one."""
    textbook = {"textbook": read_textbook(TEXTBOOK)} if TEXTBOOK.is_dir() else {}
    return {"dev": read_textbook(DEV), **textbook}


def _configuration(arguments: argparse.Namespace) -> Configuration:
    """Its settings; a data set has one split here, and its seed is the run's."""
    asked = {name: value for name in ("epochs", "hidden") if (value := getattr(arguments, name)) is not None}
    smaller = SMOKE_SETTINGS if arguments.scale == "smoke" else {}
    return make_configuration(MODEL, GENERALIZATION, arguments.seed, **{**SETTINGS, **smaller, **asked})


def _train(arguments: argparse.Namespace, configuration: Configuration, lists: Lists) -> None:
    """The finished run in its directory, and what its data are beside it."""
    excluded = building.excluded_twins(each.equation for listed in lists.values() for each in listed)
    summary = building.build(arguments.data, SMOKE if arguments.scale == "smoke" else Plan(), arguments.seed, excluded)
    left_out = summary["left_out"].get(building.LISTED, 0)
    print(f"{arguments.data}: {summary['equations']} equations; {left_out} were left out, to be judged by")
    from ..training.loop import train  # MXNet takes two seconds to import

    split = dataset.load_split(arguments.data, GENERALIZATION, arguments.seed)
    artifacts.write_sealed(arguments.out / DATA, summary)
    train(configuration, dataset.load(arguments.data), split, arguments.out)


def _judge(out: Path, lists: Lists) -> dict:
    """Calibrates and judges the network, and writes down all of it."""
    from ..report.drawing import save, style
    from ..report.outputs.predictions import draw_reliability
    from ..training.learners import load_network

    model = load_network(read_run(out))
    answers = {name: judging.answers(model, listed) for name, listed in lists.items()}
    temperature = judging.write_calibration(out / CALIBRATION, answers["dev"])
    judged = {name: judging.scores(given, temperature) for name, given in answers.items()}
    if "textbook" in lists:
        apart = judging.apart_from(answers["textbook"], lists["dev"], lists["textbook"])
        judged["textbook"]["apart_from_dev"] = apart
    wrong = [each for each in answers["dev"] if not each.is_right]
    labels = {"identities": 1, "near_misses": 0}
    judged["wrong_on_dev"] = {name: [each.text for each in wrong if each.label == labels[name]] for name in labels}
    artifacts.write_sealed(out / JUDGED, {**judged, "parameters": artifacts.checksum((out / PARAMETERS).read_bytes())})
    with style():
        save(draw_reliability(judged).figure, out / "reliability")
    write_card(out, read_run(out))
    return judged
