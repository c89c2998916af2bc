"""`splits`: the splits of more seeds, of a data set that is there and stays as it is."""

from ..commands import add_options
from ..data.dataset import SPLIT_NAMES
from ..data.manifest import UNFINISHED, read_manifest
from ..data.writing import add_splits
from ..locks import owned

HELP = "store the splits of more seeds of a data set; those that are stored are kept"


def add_arguments(parser) -> None:
    add_options(parser, "data", "split-seeds")


def run(arguments) -> int:
    if not (arguments.data / UNFINISHED).is_file():  # another process may be at it
        read_manifest(arguments.data)
    with owned(arguments.data):
        made = add_splits(arguments.data, arguments.split_seeds)
    wanted = len(SPLIT_NAMES) * arguments.split_seeds
    print(f"{arguments.data}: {wanted} splits are stored, {made} of them made now")
    return 0
