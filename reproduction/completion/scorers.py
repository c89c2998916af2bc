"""The logits of every equation that candidates for a blank complete, and the numbers that they are decoded to.

`Scorer` reads every completed equation, by any network. A tree network reads what is around the blanks once and the
candidates once for each set of variables, and computes only the functions between the blank and "=", for all
candidates together. A chain reads the tokens before the blank once, then those of all candidates, then the tokens
behind it. Blanks with the same surroundings share that work: `□ + x` is computed once for (□ + x)^2 = ...,
sin(□ + x) = ... and all others.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..language.expression import BLANK, Expression, constant, variable
from ..language.grammar import CONSTANTS, FUNCTIONS
from ..models import SIDES
from ..networks.backend import nd
from ..networks.chains import Prefixes, SequenceModel, find_prefixes, reason_against, sequences_of, table_logits, tokens
from ..networks.network import ExpressionNetwork
from ..networks.tree_model import State, TreeModel, encode_by_function
from ..training.learners import load_network
from ..training.run_directory import FinishedRun
from .candidates import MARK, Ancestor, Blank, numeric_candidates, symbolic_candidates

ROWS_AT_ONCE = 40_000  # about 1.5 kB each in the operator


class Scorer:
    """A scorer for any network, which reads every completed equation whole."""

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


def load_scorer(run: FinishedRun, functions: tuple[str, ...]) -> Scorer:
    """The trained network of a run; candidates are made of these functions."""
    return run.configuration.kind.part("scorer")(load_network(run), functions)


def climb(states, waiting: Sequence[tuple[int, tuple]], apply: Callable) -> Iterator[tuple[int, Any]]:
    """(number, states after its last step) of all that wait; steps that several begin with are taken once."""
    groups: dict = {}
    for number, steps in waiting:
        if steps:
            groups.setdefault(steps[0], []).append((number, steps[1:]))
        else:
            yield number, states
    for step, group in groups.items():
        yield from climb(apply(step, states), group, apply)


class TreeScorer(Scorer):
    """A scorer for tree networks, which encodes every subtree once."""

    def __init__(self, network: TreeModel, functions: tuple[str, ...]):
        super().__init__(network, functions)
        self._model = network
        self._known: dict[Expression, State] = {}

    def _encode(self, expressions: Iterable[Expression]) -> None:
        """Encodes these expressions and keeps their states, a row each."""
        new = [node for node in dict.fromkeys(expressions) if node not in self._known]
        states = encode_by_function(self._model, new) if new else ()
        self._known |= {node: tuple(part[row : row + 1] for part in states) for row, node in enumerate(new)}

    def _symbolic_candidates(self, variables: tuple[str, ...]) -> State:
        """The states of symbolic_candidates(variables), in its order."""
        names = [constant(name) for name in CONSTANTS] + [variable(name) for name in variables]
        terminals = self._model.leaf_states(names)
        first = tuple(part.repeat(len(names), axis=0) for part in terminals)
        second = tuple(part.tile((len(names), 1)) for part in terminals)
        arguments = {1: [terminals], 2: [first, second]}
        compound = [self._model.apply_function(name, *arguments[FUNCTIONS[name].arity]) for name in self._functions]
        return tuple(nd.concat(*parts, dim=0) for parts in zip(terminals, *compound, strict=True))

    def _applied(self, ancestor: Ancestor, states: State) -> State:
        function, place, siblings = ancestor
        rows = len(states[0])
        children = [
            tuple(nd.broadcast_to(part, (rows, part.shape[1])) for part in self._known[each]) for each in siblings
        ]
        return self._model.apply_function(function, *children[:place], states, *children[place:])

    def _roots(self, blanks: Sequence[Blank], candidates) -> Iterator[tuple[int, State]]:
        """(number, states of its side with a row for each candidate) of every blank, in an order that shares work."""
        self._encode(sibling for blank in blanks for each in blank.ancestors for sibling in each.siblings)
        groups: dict[tuple[str, ...], list] = {}
        for number, blank in enumerate(blanks):
            groups.setdefault(blank.variables, []).append((number, blank.ancestors))
        for variables, waiting in groups.items():
            yield from climb(candidates(variables), waiting, self._applied)

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        self._encode(blank.other_side for blank in blanks)
        logits: list = [None] * len(blanks)
        for number, states in self._roots(blanks, self._symbolic_candidates):
            other = self._known[blanks[number].other_side]
            logits[number] = self._model.compare(states[0], other[0]).asnumpy()
            progress(1)
        return logits

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]:
        numbers = self._model.leaf_states(numeric_candidates())
        roots = dict(self._roots(blanks, lambda variables: numbers))
        return [self._model.decode(roots[number][0]).asnumpy() for number in range(len(blanks))]


def around(blank: Blank, reading: str = SIDES) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens before and behind the blank in the sequence that it is in."""
    [sequence] = (each for each in sequences_of(blank.filled(BLANK), reading) if MARK in each)
    place = sequence.index(MARK)
    return tuple(sequence[:place]), tuple(sequence[place + 1 :])


Rows = tuple[np.ndarray, np.ndarray]  # of a table, by number, and their lengths


class _Table:
    """Beginnings of sequences as the fused operator reads them: each is a row, one token after another row."""

    def __init__(self):
        self._parts: list[np.ndarray] = []  # (token, previous, length) of some rows
        self.count = 0

    def _add(self, tokens, previous: np.ndarray, length: np.ndarray) -> np.ndarray:
        """New rows; their numbers."""
        self._parts.append(np.stack(np.broadcast_arrays(tokens, previous, length), axis=1))
        self.count += len(previous)
        return np.arange(self.count - len(previous), self.count)

    def follow(self, states: Rows, tokens: Iterable[int]) -> Rows:
        """The rows of these beginnings and the same tokens after each, and their lengths."""
        ends, lengths = states
        for token in tokens:
            lengths = lengths + 1
            ends = self._add(token, ends, lengths)
        return ends, lengths

    def branch(self, end: int, length: int, prefixes: Prefixes) -> Rows:
        """The same for one beginning and several sequences after it."""
        token, previous, own = prefixes.rows.T
        rows = self._add(token, np.where(previous < 0, end, previous + self.count), own + length)
        return rows[prefixes.ends], own[prefixes.ends] + length

    def sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows, the short ones first, and the new place of each."""
        rows = np.concatenate(self._parts)
        order = np.argsort(rows[:, 2], kind="stable")
        places = np.empty(len(rows), dtype=np.int64)
        places[order] = np.arange(len(rows))
        rows[:, 1] = np.where(rows[:, 1] < 0, -1, places[rows[:, 1]])
        return rows[order], places


NOTHING = np.array([-1]), np.array([0])  # the beginning of every sequence, before its first token


class ChainScorer(Scorer):
    """A scorer for chains, by the fused operator; where there is none, every equation is read whole."""

    def __init__(self, network: SequenceModel, functions: tuple[str, ...]):
        super().__init__(network, functions)
        self._model = network
        self._candidates: dict[tuple[str, ...], Prefixes] = {}

    def _candidate_prefixes(self, variables: tuple[str, ...]) -> Prefixes:
        if variables not in self._candidates:
            spelt = map(tokens, symbolic_candidates(variables, self._functions))
            self._candidates[variables] = find_prefixes(self._model.spelt(spelt))
        return self._candidates[variables]

    def logits(self, blanks: Sequence[Blank], progress=lambda count: None) -> list[np.ndarray]:
        if reason_against(self._model):
            return super().logits(blanks, progress)
        groups: dict[tuple, list] = {}
        for number, blank in enumerate(blanks):
            before, behind = around(blank, self._model.reading)
            groups.setdefault((blank.variables, before), []).append((behind, number))
        logits: list = [None] * len(blanks)
        for (variables, before), waiting in groups.items():
            for some in _portions(sorted(waiting), ROWS_AT_ONCE // len(self._candidate_prefixes(variables).ends)):
                chosen = {number: (behind, blanks[number].other_side) for behind, number in some}
                for number, found in self._read(variables, before, chosen):
                    logits[number] = found
                progress(len(some))
        return logits

    def _read(self, variables: tuple[str, ...], before: tuple[str, ...], chosen: dict) -> Iterator[tuple]:
        """(number, logits) of blanks in the same variables behind the same tokens."""
        table, numbers, sides = _Table(), self._model.numbers, self._model.reading == SIDES
        [end], [length] = table.follow(NOTHING, [numbers.get(token, 0) for token in before])
        states = table.branch(end, length, self._candidate_prefixes(variables))
        waiting = [(number, tuple(numbers.get(token, 0) for token in behind)) for number, (behind, _) in chosen.items()]
        read = dict(climb(states, waiting, lambda token, states: table.follow(states, [token])))
        ends = [np.concatenate([rows for rows, _ in read.values()])]
        if sides:
            others = self._model.spelt(tokens(chosen[number][1]) for number in read)
            other, _ = table.branch(-1, 0, find_prefixes(others))
            ends.append(np.repeat(other, len(states[0])))
        rows, places = table.sorted()
        logits = table_logits(self._model, rows, places[np.concatenate(ends)])
        return zip(read, logits.reshape((len(read), -1)), strict=True)


def _portions(waiting: Sequence[tuple], most: int) -> Iterator[Sequence[tuple]]:
    """Consecutive blanks with together so many tokens behind them."""
    start = tokens_behind = 0
    for place, (behind, _) in enumerate(waiting):
        if tokens_behind + len(behind) > most and place > start:
            yield waiting[start:place]
            start, tokens_behind = place, 0
        tokens_behind += len(behind)
    yield waiting[start:]
