"""Every distinct subtree of many expressions as rows of arrays, children before parents: made once for a data set."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..language.expression import NUMBER, Expression
from ..language.grammar import FUNCTIONS

SYMBOL_LEAF, NUMBER_LEAF = -2, -1  # what stands in the place of (height, arity) in the order of rows


class Language(NamedTuple):
    """What a model knows: its functions and the symbols that it embeds, each in the order of their parameters."""

    functions: tuple[str, ...]
    symbols: tuple[str, ...]

    def of_arity(self, arity: int) -> tuple[str, ...]:
        return tuple(name for name in self.functions if FUNCTIONS[name].arity == arity)


class Block(NamedTuple):
    """All functions of one arity at one height: what the engine computes together."""

    height: int
    arity: int


class SubtreeTable(NamedTuple):
    """Rows in the order: symbols, numbers, then blocks of ascending height, in a block by function."""

    roots: np.ndarray  # the row of each expression that the table was made for
    symbol: np.ndarray  # for symbols, where they stand in the table of symbols; else 0
    value: np.ndarray  # for numbers, their value; else 0
    function: np.ndarray  # for the rest, where the function stands among those of its arity; else 0
    children: np.ndarray  # (rows, 2)
    blocks: tuple[Block, ...]
    starts: np.ndarray  # the first rows of numbers and of each block, and the number of rows
    below_start: np.ndarray  # (rows + 1,) where the descendants of a row begin in `below`
    below: np.ndarray  # the distinct descendants of every row, itself included

    def descendants(self, rows: np.ndarray) -> np.ndarray:
        """The descendants of these rows, some of them many times."""
        counts = self.below_start[rows + 1] - self.below_start[rows]
        ends = np.cumsum(counts)
        return self.below[np.repeat(self.below_start[rows] - (ends - counts), counts) + np.arange(ends[-1])]


def _order(node: Expression, places: dict[str, int]) -> tuple[int, int, int]:
    if node.is_leaf:
        return (NUMBER_LEAF if node.kind == NUMBER else SYMBOL_LEAF, 0, 0)
    return node.height, len(node.children), places[node.symbol]


def _occurrences(expressions: Sequence[Expression], share: bool) -> tuple[list[Expression], list[tuple], list[int]]:
    """Nodes, the numbers of their children, and the numbers of the expressions; every node once if they share."""
    nodes, children, known = [], [], {}

    def visit(node: Expression) -> int:
        if share and node in known:
            return known[node]
        below = tuple(map(visit, node.children))
        nodes.append(node)
        children.append(below)
        known[node] = len(nodes) - 1
        return known[node]

    return nodes, children, list(map(visit, expressions))


def _all_descendants(children: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """(starts, rows): the distinct descendants of each row; children come before parents."""
    below: list[list[int]] = []
    for row, own in enumerate(children):
        below.append([row, *(own and set().union(*(below[child] for child in own)))])
    starts = np.cumsum([0, *map(len, below)])
    return starts, np.array([row for rows in below for row in rows], dtype=np.int64)


def _places(nodes: Sequence[Expression], language: Language) -> tuple[dict[str, int], dict[str, int]]:
    """Where functions and symbols stand; one that the model does not know is refused."""
    functions = {name: place for arity in (1, 2) for place, name in enumerate(language.of_arity(arity))}
    symbols = {name: place for place, name in enumerate(language.symbols)}
    for node in nodes:
        if node.kind != NUMBER and node.symbol not in (symbols if node.is_leaf else functions):
            known = ", ".join(language.symbols + language.functions)
            raise InputError(f"{node.symbol!r} is not known to this model (it knows {known})")
    return functions, symbols


def make_table(expressions: Sequence[Expression], language: Language, share: bool = True) -> SubtreeTable:
    """The table of these expressions; without sharing every occurrence of a subtree has its own row."""
    nodes, children, roots = _occurrences(expressions, share)
    functions, symbols = _places(nodes, language)
    keys = np.array([_order(node, functions) for node in nodes])
    order = np.lexsort((np.arange(len(nodes)), keys[:, 2], keys[:, 1], keys[:, 0]))
    rows = np.empty(len(nodes), dtype=np.int64)
    rows[order] = np.arange(len(nodes))
    keys, nodes = keys[order], [nodes[number] for number in order]
    children = [[int(rows[child]) for child in children[number]] for number in order]
    blocks = tuple(Block(*map(int, pair)) for pair in np.unique(keys[keys[:, 0] > 0][:, :2], axis=0))
    heights = keys[:, 0] * 4 + keys[:, 1]
    starts = np.searchsorted(heights, [4 * NUMBER_LEAF, *(4 * block.height + block.arity for block in blocks)])
    is_symbol, is_number = keys[:, 0] == SYMBOL_LEAF, keys[:, 0] == NUMBER_LEAF
    return SubtreeTable(
        rows[np.array(roots, dtype=np.int64)],
        np.array([symbols[node.symbol] if here else 0 for node, here in zip(nodes, is_symbol, strict=True)]),
        np.array([float(node.symbol) if here else 0.0 for node, here in zip(nodes, is_number, strict=True)]),
        keys[:, 2],
        np.array([(*own, 0, 0)[:2] for own in children], dtype=np.int64),
        blocks,
        np.append(starts, len(nodes)),
        *_all_descendants(children),
    )
