"""The obvious ways to compute the same network: the oracles of the engine in tests, its rivals in the benchmark."""

from collections.abc import Iterable, Sequence

from ..language.expression import Expression
from .backend import nd
from .tree_model import State, TreeModel


def encode_recursively(model: TreeModel, node: Expression) -> State:
    """The state of a tree, every node by its own call, as in the released code."""
    if node.is_leaf:
        return model.leaf_states([node])
    return model.apply_function(node.symbol, *(encode_recursively(model, child) for child in node.children))


def _joined(states: Iterable[State]) -> State:
    return tuple(nd.concat(*parts, dim=0) for parts in zip(*states, strict=True))


def encode_by_function(model: TreeModel, roots: Sequence[Expression], share: bool = True) -> State:
    """The states of trees, one call for each function at each height; every distinct subtree once if they share."""
    nodes = [node for root in roots for node in root.subexpressions()]
    groups: dict[tuple[int, str], dict] = {}
    for node in dict.fromkeys(nodes) if share else nodes:
        groups.setdefault((node.height, "" if node.is_leaf else node.symbol), {})[node] = None
    states, places = [], {}
    for (height, function), group in sorted(groups.items()):
        if height == 0:
            states.append(model.leaf_states(list(group)))
        else:
            below = _joined(states)
            columns = zip(*(node.children for node in group), strict=True)
            rows = [nd.array([places[child] for child in column]) for column in columns]
            children = [tuple(nd.take(part, row) for part in below) for row in rows]
            states.append(model.apply_function(function, *children))
        places |= {node: len(places) + index for index, node in enumerate(group)}
    rows = nd.array([places[root] for root in roots])
    return tuple(nd.take(part, rows) for part in _joined(states))
