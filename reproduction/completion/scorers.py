"""The logits of every equation that candidates for a blank complete, and the numbers that they are decoded to.

`Scorer` reads every completed equation, by any network. A tree network reads what is around the blanks once and the
candidates once for each set of variables, and computes only the functions between the blank and "=", for all
candidates together. A chain reads the tokens before the blank once, then those of all candidates, then the tokens
behind it. Blanks with the same surroundings share that work: `□ + x` is computed once for (□ + x)^2 = ...,
sin(□ + x) = ... and all others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..language.expression import BLANK, Expression, constant, variable
from ..language.grammar import CONSTANTS, FUNCTIONS
from ..models import SIDES
from ..networks.backend import nd
from ..networks.chains import SequenceModel, sequences_of, tokens
from ..networks.network import ExpressionNetwork
from ..networks.tree_model import State, TreeModel, encode_by_function
from .candidates import MARK, Ancestor, Blank, numeric_candidates, symbolic_candidates

MOST_REMEMBERED = 100_000  # states of expressions around blanks
States = list[nd.NDArray]  # of a chain: (1, rows, hidden) of h, or of h and c


class Scorer:
    """Any network: each completed equation is read whole."""

    def __init__(self, network: ExpressionNetwork, functions: tuple[str, ...]):
        self._network = network
        self._functions = functions

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        """For each blank the logit of every equation that symbolic_candidates complete it to."""
        found = []
        for blank in blanks:
            candidates = symbolic_candidates(blank.variables, self._functions)
            found.append(self._network.logits([blank.filled(candidate) for candidate in candidates]))
            progress(1)
        return found

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]:
        """For each numeric blank the number that its side is decoded to, for every one of numeric_candidates."""

        def values(blank: Blank) -> np.ndarray:
            sides = [blank.filled(candidate)[blank.path[0]] for candidate in numeric_candidates()]
            return self._network.decode(self._network.encode(sides)).asnumpy()

        return list(map(values, blanks))


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


class TreeScorer(Scorer):
    """A tree network; what it has encoded once it remembers."""

    def __init__(self, network: TreeModel, functions: tuple[str, ...]):
        super().__init__(network, functions)
        self._model = network
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
        self._forget()
        self._encode(blank.other_side for blank in blanks)
        logits: list = [None] * len(blanks)
        for number, states in self._roots(blanks, self._symbolic_candidates):
            other = self._known[blanks[number].other_side]
            logits[number] = self._model.compare(states[0], other[0]).asnumpy()
            progress(1)
        return logits

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]:
        self._forget()
        numbers = self._model.leaf_states(numeric_candidates())
        roots = dict(self._roots(blanks, lambda variables: numbers))
        return [self._model.decode(roots[number][0]).asnumpy() for number in range(len(blanks))]


def around(blank: Blank, reading: str = SIDES) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens before and behind the blank in the sequence that it is in."""
    [sequence] = (each for each in sequences_of(blank.filled(BLANK), reading) if MARK in each)
    place = sequence.index(MARK)
    return tuple(sequence[:place]), tuple(sequence[place + 1 :])


class _Rows(NamedTuple):
    """Token numbers of many rows: an array (tokens, rows) for each length, and where each row is in all of them."""

    arrays: list[nd.NDArray]
    places: nd.NDArray


class ChainScorer(Scorer):
    """A network that reads tokens."""

    def __init__(self, network: SequenceModel, functions: tuple[str, ...]):
        super().__init__(network, functions)
        self._model = network
        self._candidates: dict[tuple[str, ...], _Rows] = {}

    def _rows(self, sequences: Iterable[Sequence[str]]) -> _Rows:
        rows = [[self._model.numbers.get(token, 0) for token in sequence] for sequence in sequences]
        lengths = np.array([len(row) for row in rows])
        chosen = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        arrays = [nd.array([rows[place] for place in places]).T for places in chosen]
        return _Rows(arrays, nd.array(np.argsort(np.concatenate(chosen))))

    def _candidate_rows(self, variables: tuple[str, ...]) -> _Rows:
        if variables not in self._candidates:
            self._candidates[variables] = self._rows(map(tokens, symbolic_candidates(variables, self._functions)))
        return self._candidates[variables]

    def _read(self, numbers: nd.NDArray, start: States) -> States:
        """The states after these tokens, every row from its own state or all from one."""
        rows = numbers.shape[1]
        states = [nd.broadcast_axis(part, axis=1, size=rows) if part.shape[1] == 1 else part for part in start]
        return self._model.layer(self._model.embedding(numbers), states)[1]

    def _read_rows(self, rows: _Rows, start: States) -> States:
        """The states of all rows in their order, all read from one state."""
        parts = [self._read(numbers, start) for numbers in rows.arrays]
        return [nd.take(nd.concat(*each, dim=1), rows.places, axis=1) for each in zip(*parts, strict=True)]

    def _read_token(self, token: str, states: States) -> States:
        """The states after a token that all rows have in common."""
        return self._read(nd.full((1, states[0].shape[1]), self._model.numbers.get(token, 0)), states)

    def _last_states(self, sequences: Iterable[Sequence[str]]) -> nd.NDArray:
        return self._read_rows(self._rows(sequences), self._model.layer.begin_state(1))[0][0]

    def vectors(self, expressions: Sequence[Expression]) -> nd.NDArray:
        """The states after the last tokens, a row an expression."""
        return self._last_states(map(tokens, expressions))

    def _other_sides(self, blanks: Sequence[Blank]) -> list[tuple[nd.NDArray, ...]]:
        """What the state of each blank's sequence is compared with, besides the head's own weights."""
        if self._model.reading != SIDES:
            return [()] * len(blanks)
        places = {side: row for row, side in enumerate(dict.fromkeys(blank.other_side for blank in blanks))}
        vectors = self.vectors(list(places))
        return [(vectors[row : row + 1],) for row in (places[blank.other_side] for blank in blanks)]

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        others = self._other_sides(blanks)
        groups: dict[tuple, list] = {}
        for number, blank in enumerate(blanks):
            before, behind = around(blank, self._model.reading)
            groups.setdefault((blank.variables, before), []).append((number, behind))
        logits: list = [None] * len(blanks)
        for (variables, before), waiting in groups.items():
            states = self._model.layer.begin_state(1)
            for token in before:
                states = self._read_token(token, states)
            states = self._read_rows(self._candidate_rows(variables), states)
            for number, (vectors, *_) in climb(states, waiting, self._read_token):
                logits[number] = self._model.compare(vectors[0], *others[number]).asnumpy()
                progress(1)
        return logits
