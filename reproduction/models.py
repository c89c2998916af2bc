"""The paper's networks: what each is called, what it is made of, and whether it learns from numbers too."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Model(NamedTuple):
    """One network by the name that the commands use and the title that people read."""

    name: str
    title: str
    is_lstm: bool
    cell: str | None = None  # the default cell of a tree; a chain has none
    has_data: bool = False  # learns function evaluations and decimals beside the equations

    @property
    def is_tree(self) -> bool:
        return self.cell is not None


# In the paper's order.
MODELS = {
    model.name: model
    for model in (
        Model("rnn", "RNN", is_lstm=False),
        Model("lstm", "LSTM", is_lstm=True),
        Model("tree-nn", "TreeNN", is_lstm=False, cell="tree-nn"),
        Model("tree-lstm", "TreeLSTM", is_lstm=True, cell="tree-lstm"),
        Model("tree-nn+data", "TreeNN + data", is_lstm=False, cell="tree-nn", has_data=True),
        Model("tree-lstm+data", "TreeLSTM + data", is_lstm=True, cell="tree-lstm", has_data=True),
    )
}

LEAVES = ("sigmoid", "tanh", "identity")  # what squashes the leaves of a tree
# What a chain reads: each side apart, and the two are compared like those of a tree, or the equation as one sequence.
READINGS = SIDES, EQUATION = "sides", "equation"

CELLS: dict[str, type] = {}  # what `register_cell` makes known, by name


@cache
def _written_cells() -> tuple[str, ...]:
    """The names in the module of the cells, as it is written: MXNet, which it imports, takes two seconds."""
    text = (Path(__file__).parent / "networks" / "cells.py").read_text("utf-8")
    return tuple(re.findall(r'^@register_cell\("(.+)"\)', text, re.MULTILINE))


def cell_names() -> tuple[str, ...]:
    """The cells that a tree can have: those of the project, and those that a person's own program registers."""
    return tuple(dict.fromkeys((*_written_cells(), *CELLS)))
