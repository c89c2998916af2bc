"""`baselines`: what majority, Sympy, a bag of symbols and a lookup score on every stored split."""

from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

from .. import artifacts, machine
from ..commands import add_options, check_writable, runs_beside, sympy_answers
from ..data import baselines
from ..data.dataset import GENERALIZATION, SPLIT_NAMES, Dataset, load, load_unsure, stored_seeds
from ..data.splits import stored_split
from ..errors import InputError
from ..report.results import SYMPY_TIMES
from ..rows import FINGERPRINT

HELP = "score majority, Sympy, a bag of symbols and a lookup on every stored split"


def add_arguments(parser) -> None:
    add_options(parser, "data", "workers")


def all_split_scores(directory: Path, dataset: Dataset, answers) -> dict:
    """Scores by split, seed and method."""
    return {
        name: {
            str(seed): baselines.split_scores(dataset, stored_split(dataset, directory, name, seed), answers)
            for seed in stored_seeds(directory, name)
        }
        for name in SPLIT_NAMES
    }


def run(arguments) -> int:
    runs_beside(arguments.data, out="")
    dataset = load(arguments.data)
    if not stored_seeds(arguments.data, GENERALIZATION):
        raise InputError(f"{arguments.data}: no splits are stored there (make them with `generate`)")
    check_writable(artifacts.RUNS)
    asked = dataset.symbolic + load_unsure(arguments.data)
    with tqdm(total=len(asked), unit="eq", disable=None) as bar:
        answers = baselines.ask_sympy(asked, sympy_answers(), arguments.workers, bar.update)
    true = [record for record in asked if record.label]
    artifacts.write_sealed(
        artifacts.RUNS / "baselines.json",
        {
            "data_fingerprint": dataset.fingerprint,
            "sympy": version("sympy"),
            "splits": all_split_scores(arguments.data, dataset, answers),
            "sympy_answers": baselines.sympy_replies(dataset.symbolic, answers),
            "true_identities_left_open": baselines.true_identities_left_open(true, answers),
        },
    )
    times = baselines.seconds_per_equation(dataset.symbolic, answers)
    stated = {FINGERPRINT: dataset.fingerprint}
    artifacts.write_sealed(artifacts.RUNS / SYMPY_TIMES, {**stated, **times})
    artifacts.write_sealed(artifacts.RUNS / "machine.json", machine.describe())
    _report(times, len(asked))
    return 0


def _report(times: dict, count: int) -> None:
    each = ", ".join(f"{1000 * seconds:.1f} ms with {way}" for way, seconds in times["all"].items())
    print(f"Sympy answered {count:,} equations: {each} each; written to {artifacts.RUNS / 'baselines.json'}")
