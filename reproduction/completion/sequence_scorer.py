"""Scores of all candidates of many blanks by a sequence model, without reading any completed equation whole.

The tokens before the blank are read once, then those of all candidates, then the tokens behind the blank, for all
candidates together. Blanks that begin alike share the reading, as far as they stay alike.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..language.expression import BLANK, Equation, Expression
from ..models import SIDES
from ..networks.backend import nd
from ..networks.chains import SequenceModel, sequences_of, tokens
from .candidates import MARK, Blank, symbolic_candidates
from .tree_scorer import climb

State = list[nd.NDArray]  # (1, rows, hidden) of h, or of h and c


def around(blank: Blank, reading: str = SIDES) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens before and behind the blank in the sequence that it is in."""
    [sequence] = (each for each in sequences_of(blank.filled(BLANK), reading) if MARK in each)
    place = sequence.index(MARK)
    return tuple(sequence[:place]), tuple(sequence[place + 1 :])


class _Rows(NamedTuple):
    """Token numbers of many rows: an array (tokens, rows) for each length, and where each row is in all of them."""

    arrays: list[nd.NDArray]
    places: nd.NDArray


class SequenceScorer:
    """A trained sequence model that scores blanks; it has no decoder, so that it does not evaluate functions."""

    def __init__(self, model: SequenceModel, vocabulary: Sequence[str], functions: tuple[str, ...]):
        self._model = model
        self._numbers = {token: number for number, token in enumerate(vocabulary)}
        self._functions = functions
        self._candidates: dict[tuple[str, ...], _Rows] = {}

    def _rows(self, sequences: Iterable[Sequence[str]]) -> _Rows:
        rows = [[self._numbers.get(token, 0) for token in sequence] for sequence in sequences]
        lengths = np.array([len(row) for row in rows])
        chosen = [np.flatnonzero(lengths == length) for length in np.unique(lengths)]
        arrays = [nd.array([rows[place] for place in places]).T for places in chosen]
        return _Rows(arrays, nd.array(np.argsort(np.concatenate(chosen))))

    def _candidate_rows(self, variables: tuple[str, ...]) -> _Rows:
        if variables not in self._candidates:
            self._candidates[variables] = self._rows(map(tokens, symbolic_candidates(variables, self._functions)))
        return self._candidates[variables]

    def _read(self, numbers: nd.NDArray, start: State) -> State:
        """The states after these tokens, every row from its own state or all from one."""
        rows = numbers.shape[1]
        states = [nd.broadcast_axis(part, axis=1, size=rows) if part.shape[1] == 1 else part for part in start]
        return self._model.layer(self._model.embedding(numbers), states)[1]

    def _read_rows(self, rows: _Rows, start: State) -> State:
        """The states of all rows in their order, all read from one state."""
        parts = [self._read(numbers, start) for numbers in rows.arrays]
        return [nd.take(nd.concat(*each, dim=1), rows.places, axis=1) for each in zip(*parts, strict=True)]

    def _read_token(self, token: str, states: State) -> State:
        """The states after a token that all rows have in common."""
        return self._read(nd.full((1, states[0].shape[1]), self._numbers.get(token, 0)), states)

    def _last_states(self, sequences: Iterable[Sequence[str]]) -> nd.NDArray:
        return self._read_rows(self._rows(sequences), self._model.layer.begin_state(1))[0][0]

    def vectors(self, expressions: Sequence[Expression]) -> nd.NDArray:
        """The states after the last tokens, a row an expression."""
        return self._last_states(map(tokens, expressions))

    def equation_logits(self, equations: Sequence[Equation]) -> nd.NDArray:
        """The logits of equations, a distinct sequence read once."""
        rows = [list(map(tuple, sequences_of(equation, self._model.reading))) for equation in equations]
        places = {each: place for place, each in enumerate(dict.fromkeys(each for row in rows for each in row))}
        vectors = self._last_states(places)
        columns = (nd.array([places[each] for each in column]) for column in zip(*rows, strict=True))
        return self._model.compare(*(nd.take(vectors, column) for column in columns))

    def _other_sides(self, blanks: Sequence[Blank]) -> list[tuple[nd.NDArray, ...]]:
        """What the state of each blank's sequence is compared with, besides the head's own weights."""
        if self._model.reading != SIDES:
            return [()] * len(blanks)
        places = {side: row for row, side in enumerate(dict.fromkeys(blank.other_side for blank in blanks))}
        vectors = self.vectors(list(places))
        return [(vectors[row : row + 1],) for row in (places[blank.other_side] for blank in blanks)]

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        """For each blank the logit of every equation that symbolic_candidates complete it to."""
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
