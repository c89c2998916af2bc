"""Scores of all candidates of many blanks by a tree model, without encoding any completed equation.

Everything around the blanks is encoded once, the candidates are encoded once for each set of variables, and then only
the functions between the blank and "=" are computed, for all candidates together. Blanks with the same surroundings
share that work: `□ + x` is computed once for (□ + x)^2 = ..., sin(□ + x) = ... and all others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ..language.expression import Expression, constant, variable
from ..language.grammar import CONSTANTS, FUNCTIONS
from ..networks.backend import nd
from ..networks.tree_model import State, TreeModel, encode_by_function
from .candidates import Ancestor, Blank, numeric_candidates


def _stretched(state: State, rows: int) -> State:
    """One row as many."""
    return tuple(nd.broadcast_to(part, (rows, part.shape[1])) for part in state)


def climb(states, waiting: Sequence[tuple[int, tuple]], apply: Callable) -> Iterator[tuple[int, object]]:
    """(number, states after its last step) of everything that waits; what several have in common is done once."""
    groups: dict = {}
    for number, steps in waiting:
        if steps:
            groups.setdefault(steps[0], []).append((number, steps[1:]))
        else:
            yield number, states
    for step, group in groups.items():
        yield from climb(apply(step, states), group, apply)


MOST_REMEMBERED = 100_000  # states of expressions around blanks


class TreeScorer:
    """A trained tree model that scores blanks; what it has encoded once it remembers."""

    def __init__(self, model: TreeModel, functions: tuple[str, ...]):
        self._model = model
        self._functions = functions
        self._known: dict[Expression, State] = {}
        self._candidates: dict[tuple[str, ...], State] = {}

    def _encode(self, expressions: Iterable[Expression]) -> None:
        """Remembers the states of these, a row each."""
        new = [node for node in dict.fromkeys(expressions) if node not in self._known]
        states = encode_by_function(self._model, new) if new else ()
        self._known |= {node: tuple(part[row : row + 1] for part in states) for row, node in enumerate(new)}

    def _forget(self) -> None:
        """Makes room, so that a process that answers questions all day does not grow."""
        if len(self._known) > MOST_REMEMBERED:
            self._known.clear()

    def _symbolic_candidates(self, variables: tuple[str, ...]) -> State:
        """The states of symbolic_candidates(variables), in its order."""
        if variables not in self._candidates:
            names = [constant(name) for name in CONSTANTS] + [variable(name) for name in variables]
            terminals = self._model.leaf_states(names)
            first = tuple(part.repeat(len(names), axis=0) for part in terminals)
            second = tuple(part.tile((len(names), 1)) for part in terminals)
            arguments = {1: [terminals], 2: [first, second]}
            compound = [self._model.apply_function(name, *arguments[FUNCTIONS[name].arity]) for name in self._functions]
            columns = zip(terminals, *compound, strict=True)
            self._candidates[variables] = tuple(nd.concat(*parts, dim=0) for parts in columns)
        return self._candidates[variables]

    def _applied(self, ancestor: Ancestor, states: State) -> State:
        function, place, siblings = ancestor
        children = [_stretched(self._known[sibling], len(states[0])) for sibling in siblings]
        return self._model.apply_function(function, *children[:place], states, *children[place:])

    def _roots(self, blanks: Sequence[Blank], candidates) -> Iterator[tuple[int, State]]:
        """(number, states of its side, one row a candidate) of every blank; in an order that shares work."""
        self._encode(sibling for blank in blanks for each in blank.ancestors for sibling in each.siblings)
        groups: dict[tuple[str, ...], list] = {}
        for number, blank in enumerate(blanks):
            groups.setdefault(blank.variables, []).append((number, blank.ancestors))
        for variables, waiting in groups.items():
            yield from climb(candidates(variables), waiting, self._applied)

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        """For each blank the logit of every equation that symbolic_candidates complete it to."""
        self._forget()
        self._encode(blank.other_side for blank in blanks)
        logits: list = [None] * len(blanks)
        for number, states in self._roots(blanks, self._symbolic_candidates):
            other = self._known[blanks[number].other_side]
            logits[number] = self._model.compare(states[0], other[0]).asnumpy()
            progress(1)
        return logits

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]:
        """For each numeric blank the number that its side is decoded to, for every one of numeric_candidates."""
        self._forget()
        numbers = self._model.leaf_states(numeric_candidates())
        roots = dict(self._roots(blanks, lambda variables: numbers))
        return [self._model.decode(roots[number][0]).asnumpy() for number in range(len(blanks))]
