"""The paper's networks: what each is called, what it is made of, and whether it learns from numbers too."""

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
