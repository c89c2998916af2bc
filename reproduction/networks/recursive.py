"""The obvious ways to compute the same network: the oracles of the engines in tests, their rivals in the benchmark."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..language.expression import Expression
from .backend import nd
from .batches import Batch
from .engine import Engine
from .losses import report_parts
from .subtrees import NUMBER_LEAF, SYMBOL_LEAF


def encode_recursively(model, node: Expression, mask: nd.NDArray | None = None):
    """The state of a tree, every node by its own call, as in the released code."""
    if node.is_leaf:
        return model.leaf_states([node])
    children = (encode_recursively(model, child, mask) for child in node.children)
    return model.apply_function(node.symbol, *children, mask=mask)


class RecursiveEngine(Engine):
    """Every occurrence of every node by its own call."""

    name = "recursive"

    def _state(self, batch: Batch, row: int, mask: nd.NDArray | None):
        table, model = batch.table, self.model
        height, arity, _ = table.keys[row]
        if height == SYMBOL_LEAF:
            return model.leaf_state(model.symbol(model.array([table.symbol[row]])))
        if height == NUMBER_LEAF:
            return model.leaf_state(model.number(model.array([[table.value[row]]])))
        children = (self._state(batch, child, mask) for child in table.children[row, :arity])
        return model.apply_function(table.function_name(row), *children, mask=mask)

    def report(self, batch: Batch) -> nd.NDArray:
        mask = None if batch.mask is None else self.model.array(batch.mask)
        left, right, label, decoded, target = batch.examples
        vectors = [[self._state(batch, row, mask)[0] for row in rows] for rows in (left, right, decoded)]
        left, right, decoded = (nd.concat(*each, dim=0) if each else None for each in vectors)
        pair_weight, decoded_weight = batch.weights
        if left is not None:
            left = self.model.compare(left, right), *map(self.model.array, (label, np.full(len(label), pair_weight)))
        if decoded is not None:
            decoded = self.model.decode(decoded), *map(self.model.array, (target, np.full(len(target), decoded_weight)))
        return nd.concat(*report_parts(nd, self.model.array([0]), left, decoded), dim=0)


def joined(states: Iterable[tuple]) -> tuple:
    """States of some nodes and of others as states of all of them."""
    return tuple(nd.concat(*parts, dim=0) for parts in zip(*states, strict=True))


def encode_by_function(model, roots: Sequence[Expression]):
    """The states of trees, one call for each function at each height, every distinct subtree once."""
    groups: dict[tuple[int, str], list] = {}
    for node in dict.fromkeys(node for root in roots for node in root.subexpressions()):
        groups.setdefault((node.height, "" if node.is_leaf else node.symbol), []).append(node)
    states, places = [], {}
    for (height, function), group in sorted(groups.items()):
        if height == 0:
            states.append(model.leaf_states(group))
        else:
            below = joined(states)
            columns = zip(*(node.children for node in group), strict=True)
            rows = [nd.array([places[child] for child in column]) for column in columns]
            children = [tuple(nd.take(part, row) for part in below) for row in rows]
            states.append(model.apply_function(function, *children))
        places |= {node: len(places) + index for index, node in enumerate(group)}
    rows = nd.array([places[root] for root in roots])
    return tuple(nd.take(part, rows) for part in joined(states))
