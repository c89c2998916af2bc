"""`splits`: the splits of more seeds, of a data set that is there and stays as it is."""

from ..commands import add_options
from ..data.dataset import SPLIT_NAMES, load, split_path, write_split
from ..data.splits import make_split

HELP = "store the splits of more seeds of a data set; those that are stored are kept"


def add_arguments(parser) -> None:
    add_options(parser, "data", "split-seeds")


def run(arguments) -> int:
    dataset = load(arguments.data)
    wanted = [(name, seed) for name in SPLIT_NAMES for seed in range(arguments.split_seeds)]
    missing = [place for place in wanted if not split_path(arguments.data, *place).is_file()]
    for place in missing:
        write_split(arguments.data, *place, make_split(dataset, *place))
    print(f"{arguments.data}: {len(wanted)} splits are stored, {len(missing)} of them made now")
    return 0
