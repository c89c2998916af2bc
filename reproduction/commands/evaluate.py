"""`evaluate`: the scores of a finished run, on its own split or on all of another data set."""

import argparse

from .. import artifacts
from ..commands import add_options, check_files, place
from ..data import dataset
from ..training.run_directory import trained_run

HELP = "score the model of a finished run on a data set"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_directory", type=place, metavar="RUN", help="a directory that `train` made")
    add_options(parser, "data")
    parser.add_argument("--json", type=place, metavar="FILE", help="also write the scores there")


def run(arguments: argparse.Namespace) -> int:
    if arguments.json:
        check_files(arguments.json)
    run, records = trained_run(arguments.run_directory), dataset.load(arguments.data)
    from ..training.loading import evaluate_run  # MXNet takes two seconds to import

    scores = evaluate_run(run.directory, run.config, records, arguments.data)
    for name, part in scores.items():
        symbolic = part["symbolic"]
        print(
            f"{name}: accuracy {100 * symbolic['accuracy']:.2f} %, precision {100 * symbolic['precision']:.2f} %, "
            f"recall {100 * symbolic['recall']:.2f} % of {symbolic['count']} equations"
        )
        for depth, here in symbolic["by_depth"].items():
            print(f"  depth {depth}: {100 * here['accuracy']:.2f} % of {here['count']}")
        if part.get("evaluations"):
            evaluations = part["evaluations"]
            print(
                f"  evaluations: MSE {evaluations['mse']}, with decimal trees {evaluations['mse_all']}, "
                f"accuracy {100 * evaluations['accuracy']:.2f} %"
            )
    if arguments.json:
        artifacts.write_json(arguments.json, scores)
    return 0
