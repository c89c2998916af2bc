"""Do function evaluations help on the authors' own released sample? At equal epochs, at equal steps, to the end.

An epoch with data has more steps, so a network with data that learns for as many epochs has learned for longer. Each is
compared with twins without data: one of as many epochs, one of as many steps, and both trained three times as long.
The file is the authors' and not part of this project: `--file` names it, and its rows are kept.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path

from ..data.dataset import GENERALIZATION, SPLIT_NAMES, Dataset, load
from ..data.manifest import is_whole
from ..data.splits import autoencoder_targets, split_parts, stored_split
from ..errors import InputError
from ..options import place
from ..rows import Row
from ..training.configuration import RELEASE, Configuration, make_configuration
from ..training.run_directory import FinishedRun
from .core import Case, DataSets, Plan, Study, register_study

DATA = "data-authors"  # what `import-authors` makes of the file
OURS = "experiments"
NETWORKS = ("tree-lstm", "tree-nn")
WITHOUT, WITH, AS_MANY_STEPS = "without data", "with data", "without data, as many steps"
WITHOUT_LONGER, WITH_LONGER = "without data, to the end", "with data, to the end"
TO_THE_END = 3  # times as many epochs


def plan(arguments: Namespace) -> Plan:
    """One round, all of one seed before the next, our settings before the authors', which take longer."""
    directory = Path(arguments.runs) / DATA
    dataset = load(directory)
    cases = []
    for seed in range(arguments.seeds):
        for split in SPLIT_NAMES:
            ratio = _items_ratio(dataset, directory, split, seed)
            for network in NETWORKS:
                for protocol in arguments.protocols:
                    preset = RELEASE if protocol == RELEASE else None
                    asked = make_configuration(network, split, seed, preset, epochs=arguments.epochs)
                    keys = {"part": protocol, "network": network}
                    cases += [Case(each, {**keys, "way": way}, DATA) for way, each in _ways(asked, preset, ratio)]
    yield cases


def _ways(asked: Configuration, preset: str | None, ratio: float) -> Iterator[tuple[str, Configuration]]:
    """The training without data, the one with data, and their twins."""
    model = f"{asked.model}+data"
    own = make_configuration(model, asked.split, asked.seed, preset)
    with_data = replace(own, epochs=asked.epochs)
    yield WITHOUT, asked
    yield WITH, with_data
    yield AS_MANY_STEPS, replace(asked, epochs=ceil(asked.epochs * ratio))
    if preset is None:
        yield WITHOUT_LONGER, replace(asked, epochs=TO_THE_END * asked.epochs)
        yield WITH_LONGER, replace(with_data, epochs=TO_THE_END * asked.epochs)


def _items_ratio(dataset: Dataset, directory: Path, split: str, seed: int) -> float:
    """How many times as many examples, and so steps, an epoch with data has."""
    train = split_parts(dataset, stored_split(dataset, directory, split, seed)).train
    decoded = [record for record in train.numeric if record.label == 1]
    return 1 + (len(decoded) + len(autoencoder_targets(decoded))) / len(train.symbolic)


def data_sets(arguments: Namespace) -> DataSets:
    """The authors' file, unless it was read before."""
    if arguments.file is None and not is_whole(Path(arguments.runs) / DATA):
        raise InputError("authors: name the authors' file with --file; docs/details.md says where it is published")
    return {DATA: ["import-authors", str(arguments.file), f"--split-seeds={arguments.seeds}"]}


def options(parser: ArgumentParser) -> None:
    parser.add_argument("--file", type=place, metavar="FILE", help="the authors' data1000_depth4_inpuOut.json")
    protocols = (OURS, RELEASE)
    only = "only at our settings (experiments) or only as the authors ran it (release)"
    parser.add_argument("--protocols", nargs="+", choices=protocols, default=protocols, metavar="NAME", help=only)


def details(run: FinishedRun) -> Row:
    """Accuracy on test by epoch, for the gain over epochs and steps."""
    if run.configuration.learning_rate != 1e-3:
        return {}
    return {"test_curve": [round(100 * (epoch.test_accuracy or 0), 3) for epoch in run.history]}


def fills_blanks(case: Case) -> bool:
    return case.configuration.split == GENERALIZATION


register_study(
    Study(
        "authors",
        "train on the authors' own released sample, with and without data: at equal epochs and at equal steps",
        plan,
        options,
        data_sets=data_sets,
        details=details,
        fills_blanks=fills_blanks,
        seeds=5,
    )
)
