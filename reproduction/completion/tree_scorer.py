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
from ..networks.tree_model import State, TreeModel
from .candidates import Blank, Step, numeric_candidates


def _joined(states: Iterable[State]) -> State:
    return tuple(nd.concat(*parts, dim=0) for parts in zip(*states, strict=True))


def _row(state: State, index: int) -> State:
    return tuple(part[index : index + 1] for part in state)


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


class TreeScorer:
    """A trained tree model that scores blanks; what it has encoded once it remembers."""

    def __init__(self, model: TreeModel, functions: tuple[str, ...]):
        self._model = model
        self._functions = functions
        self._known: dict[Expression, State] = {}
        self._candidates: dict[tuple[str, ...], State] = {}

    def _encode(self, expressions: Iterable[Expression]) -> None:
        """Remembers the states of these and of all their subtrees: one call for each function at each height."""
        new = {node for expression in expressions for node in expression.subexpressions()} - self._known.keys()
        groups: dict[tuple[int, str], list[Expression]] = {}
        for node in sorted(new, key=repr):
            groups.setdefault((node.height, "" if node.is_leaf else node.symbol), []).append(node)
        for (height, function), nodes in sorted(groups.items()):
            if height == 0:
                states = self._model.leaf_states(nodes)
            else:
                arguments = zip(*(node.children for node in nodes), strict=True)
                states = self._model.apply_function(
                    function, *(_joined(map(self._known.get, group)) for group in arguments)
                )
            self._known.update((node, _row(states, index)) for index, node in enumerate(nodes))

    def _symbolic_candidates(self, variables: tuple[str, ...]) -> State:
        """The states of symbolic_candidates(variables), in its order."""
        if variables not in self._candidates:
            names = [constant(name) for name in CONSTANTS] + [variable(name) for name in variables]
            terminals = self._model.leaf_states(names)
            first = tuple(part.repeat(len(names), axis=0) for part in terminals)
            second = tuple(part.tile((len(names), 1)) for part in terminals)
            arguments = {1: [terminals], 2: [first, second]}
            compound = [self._model.apply_function(name, *arguments[FUNCTIONS[name].arity]) for name in self._functions]
            self._candidates[variables] = _joined([terminals, *compound])
        return self._candidates[variables]

    def _step(self, step: Step, states: State) -> State:
        children = [_stretched(self._known[sibling], len(states[0])) for sibling in step.siblings]
        return self._model.apply_function(step.function, *children[: step.place], states, *children[step.place :])

    def _roots(self, blanks: Sequence[Blank], candidates) -> Iterator[tuple[int, State]]:
        """(number, states of its side, one row a candidate) of every blank; in an order that shares work."""
        self._encode(sibling for blank in blanks for step in blank.steps for sibling in step.siblings)
        groups: dict[tuple[str, ...], list] = {}
        for number, blank in enumerate(blanks):
            groups.setdefault(blank.variables, []).append((number, blank.steps))
        for variables, waiting in groups.items():
            yield from climb(candidates(variables), waiting, self._step)

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        """For each blank the logit of every equation that symbolic_candidates complete it to."""
        self._encode(blank.other_side for blank in blanks)
        found: list = [None] * len(blanks)
        for number, states in self._roots(blanks, self._symbolic_candidates):
            other = self._known[blanks[number].other_side]
            found[number] = self._model.compare(states[0], other[0]).asnumpy()
            progress(1)
        return found

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]:
        """For each numeric blank the number that its side is decoded to, for every one of numeric_candidates."""
        numbers = self._model.leaf_states(numeric_candidates())
        found: list = [None] * len(blanks)
        for number, states in self._roots(blanks, lambda variables: numbers):
            found[number] = self._model.decode(states[0]).asnumpy()
        return found
