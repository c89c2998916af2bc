"""What a network knows: the functions and symbols of its trees, or the tokens that it reads."""

from collections.abc import Iterable
from typing import NamedTuple

from ..errors import InputError
from ..language.expression import NUMBER
from ..language.grammar import FUNCTIONS
from ..shapes import shaped
from .dataset import Dataset, Record
from .parsed import distinct_nodes


class Vocabulary(NamedTuple):
    """Functions and symbols in the order of their parameters; tokens only for networks that read chains of them."""

    functions: tuple[str, ...]
    symbols: tuple[str, ...]
    numbers: bool = True  # whether there are numbers besides the symbols, for a number block
    tokens: tuple[str, ...] = ()

    def of_arity(self, arity: int) -> tuple[str, ...]:
        return tuple(name for name in self.functions if FUNCTIONS[name].arity == arity)


def _has_numbers(records: Iterable[Record]) -> bool:
    return any(node.kind == NUMBER for node in distinct_nodes(side for record in records for side in record.equation))


def tree_vocabulary(dataset: Dataset) -> Vocabulary:
    """What a tree network for this data set has to know."""
    return Vocabulary(dataset.functions, dataset.symbols, _has_numbers(dataset.symbolic))


class _Stored(NamedTuple):
    functions: tuple[str, ...]
    symbols: tuple[str, ...]
    numbers: bool
    tokens: tuple[str, ...]


def read_vocabulary(row: dict, where: str) -> Vocabulary:
    """What the network of a run directory was built for, from its config.json."""
    vocabulary = Vocabulary(*shaped(_Stored, row, where))
    for name in vocabulary.functions:
        if name not in FUNCTIONS:
            raise InputError(f"{where}: functions has {name[:40]!r}, which is no function")
    return vocabulary
