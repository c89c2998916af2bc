"""The sequential baselines, an RNN or an LSTM that reads tokens, and the two engines that compute them.

Two readings: each side of an equation apart, and the sides are compared; or the whole equation, left = right, as one
sequence with a logistic unit on the last state.

Gluon's own layer and the fused operators give the same numbers within rounding. An epoch of training is one call of
the operators, and they read what sequences have in common once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..data.dataset import Vocabulary
from ..language.expression import NUMBER, Equation, Expression
from ..models import EQUATION, SIDES
from .backend import autograd, context, gluon, mx, nd
from .batches import StepOutcomes, chosen_engine, logistic_losses
from .fused.engine import STEPS, kept_arrays, load_operators, merged, step_options
from .network import ExpressionNetwork, FlatOptimizer

PADDING = 1  # the number of the token behind the end of a sequence
READ_AT_ONCE = 256  # sequences of similar length that are read together


def tokens(expression: Expression) -> list[str]:
    """Prefix notation with parentheses and commas; a number is spelt out: x + 2.5 is + ( x , #2 #. #5 )."""
    if expression.kind == NUMBER:
        return [f"#{character}" for character in expression.symbol]
    spelt = [expression.symbol]
    for place, child in enumerate(expression.children):
        spelt += [",", *tokens(child)] if place else ["(", *tokens(child)]
    return [*spelt, ")"] if expression.children else spelt


def sequences_of(equation: Equation, reading: str) -> list[list[str]]:
    """The tokens of everything that is read of an equation: of both sides, or of the equation as one sequence."""
    left, right = map(tokens, equation)
    return [left, right] if reading == SIDES else [[*left, "=", *right]]


class SequenceModel(ExpressionNetwork):
    """The state after the last token of each side, and ⟨h_left, h_right⟩ + b; or of the equation, and ⟨w, h⟩ + b."""

    def __init__(
        self,
        vocabulary: Sequence[str],
        hidden: int,
        lstm: bool,
        context: mx.Context | None = None,
        dtype: str = "float32",
        reading: str = SIDES,
        engine: str | None = None,
    ):
        super().__init__(hidden, context, dtype)
        self.vocabulary, self.lstm, self.reading, self.engine = tuple(vocabulary), lstm, reading, engine
        self.numbers = {token: number for number, token in enumerate(vocabulary)}
        layer = gluon.rnn.LSTM if lstm else gluon.rnn.RNN
        options = {} if lstm else {"activation": "tanh"}
        self.embedding = gluon.nn.Embedding(len(self.vocabulary), hidden, prefix="embedding_")
        self.layer = layer(hidden, input_size=hidden, prefix="layer_", **options)
        self.weight = self.params.get("weight", shape=(1, hidden)) if reading == EQUATION else None

    def ordered_parameters(self) -> list[tuple[str, str, gluon.Parameter]]:
        parameters = [("symbol_weight", "symbol", self.embedding.weight)]
        parameters += [(name, "layer", parameter) for name, parameter in self.layer._reg_params.items()]
        parameters += [("head_weight", "head", self.weight)] if self.weight is not None else []
        return [*parameters, ("bias", "head", self.bias)]

    def numbered(self, equations: Iterable[Equation], places: dict[tuple[str, ...], int]) -> np.ndarray:
        """The sequences that equations are read as, (equations, 2) or (equations, 1); a new one gets the next place."""
        read = (sequences_of(equation, self.reading) for equation in equations)
        rows = [[places.setdefault(tuple(each), len(places)) for each in sequences] for sequences in read]
        return np.array(rows, dtype=np.int64).reshape((-1, 2 if self.reading == SIDES else 1))

    def spelt(self, sequences: Iterable[Sequence[str]]) -> "Sequences":
        """Tokens as their numbers, 0 for every unknown one."""
        rows = [[self.numbers.get(token, 0) for token in sequence] for sequence in sequences]
        lengths = np.array(list(map(len, rows)), dtype=np.int64)
        padded = np.full((len(rows), lengths.max(initial=1)), PADDING, dtype=np.int64)
        for place, row in enumerate(rows):
            padded[place, : len(row)] = row
        return Sequences(padded, lengths)

    def encode(self, expressions: Sequence[Expression]) -> nd.NDArray:
        return self.read(*map(self.array, self.spelt(map(tokens, expressions))))

    def logits(self, equations: Sequence[Equation]) -> np.ndarray:
        places: dict[tuple[str, ...], int] = {}
        numbered = Equations(self.numbered(equations, places), np.zeros(len(equations)))
        return make_chain_engine(self.engine, self, self.spelt(places)).logits(numbered)

    def read(self, sequences: nd.NDArray, lengths: nd.NDArray, masks: nd.NDArray | None = None) -> nd.NDArray:
        """The vectors of padded sequences of token numbers, (sequences, longest).

        Dropout's masks, (2, hidden), act on all inputs and on the states after the last tokens.
        """
        inputs = self.embedding(sequences.T)  # (longest, sequences, hidden)
        if masks is not None:
            inputs = nd.broadcast_mul(inputs, masks[0].reshape((1, 1, -1)))
        states = nd.SequenceLast(self.layer(inputs), lengths, use_sequence_length=True)
        return states if masks is None else nd.broadcast_mul(states, masks[1].reshape((1, -1)))

    def compare(self, *vectors: nd.NDArray) -> nd.NDArray:
        """The logits of equations, from the vectors of both sides or of the one sequence."""
        left, right = vectors if self.weight is None else (*vectors, self.weight.data())
        return nd.sum(nd.broadcast_mul(left, right), axis=1) + self.bias.data()


def build(configuration, vocabulary: Vocabulary) -> SequenceModel:
    """The network of a configuration."""
    options = {"reading": configuration.reading, "engine": configuration.engine}
    device, is_lstm = context(configuration.device), configuration.kind.is_lstm
    return SequenceModel(vocabulary.tokens, configuration.hidden, is_lstm, device, **options)


class Sequences(NamedTuple):
    """Distinct sequences as numbers of tokens, (sequences, longest) with anything behind their ends."""

    tokens: np.ndarray
    lengths: np.ndarray


class Equations(NamedTuple):
    """Which of all distinct sequences an equation is made of, (equations, 2) or (equations, 1), and the labels."""

    sequences: np.ndarray
    labels: np.ndarray

    def chosen(self, numbers: np.ndarray) -> "Equations":
        return Equations(*(column[numbers] for column in self))


class ChainEpoch(NamedTuple):
    """Equations in an order, in batches of these sizes; dropout has two masks a batch, for inputs and for states."""

    equations: Equations
    sizes: np.ndarray
    masks: np.ndarray | None = None  # (steps, 2, hidden)

    def batches(self) -> Iterator[tuple[Equations, np.ndarray | None]]:
        ends = np.cumsum(self.sizes)
        for step, (start, end) in enumerate(zip(ends - self.sizes, ends, strict=True)):
            yield self.equations.chosen(np.arange(start, end)), None if self.masks is None else self.masks[step]


class GluonChains:
    """Gluon's layer on padded sequences: each distinct one of a batch is read once, short and long ones apart."""

    name = "generic"
    instead_of_fused: str | None = None  # why it is not the fused engine, if that was wanted

    def __init__(self, model: SequenceModel, sequences: Sequences):
        self.model, self.sequences = model, sequences

    def _vectors(self, distinct: np.ndarray, masks: np.ndarray | None) -> tuple[nd.NDArray, np.ndarray]:
        """The vectors of some sequences in the order of their lengths, and the row of each."""
        by_length = np.argsort(self.sequences.lengths[distinct], kind="stable")
        vectors, array = [], self.model.array
        for start in range(0, len(distinct), READ_AT_ONCE):
            chosen = distinct[by_length[start : start + READ_AT_ONCE]]
            lengths = self.sequences.lengths[chosen]
            tokens_read = array(self.sequences.tokens[chosen, : lengths[-1]])
            vectors.append(self.model.read(tokens_read, array(lengths), None if masks is None else array(masks)))
        return nd.concat(*vectors, dim=0), np.argsort(by_length)

    def report(self, equations: Equations, masks: np.ndarray | None = None) -> nd.NDArray:
        """The logits of some equations, differentiable."""
        distinct, places = np.unique(equations.sequences.T, return_inverse=True)
        vectors, rows = self._vectors(distinct, masks)
        columns = rows[places].reshape(equations.sequences.T.shape)
        return self.model.compare(*(nd.take(vectors, self.model.array(column)) for column in columns))

    def logits(self, equations: Equations) -> np.ndarray:
        """The logits of some equations, without dropout."""
        return self.report(equations).asnumpy()

    def gradient(self, equations: Equations, masks: np.ndarray | None = None) -> nd.NDArray:
        """Computes the gradient of a batch; gives its loss and logits."""
        with autograd.record():
            logits = self.report(equations, masks)
            loss = nd.mean(logistic_losses(nd, logits, self.model.array(equations.labels)))
        loss.backward()
        return nd.concat(loss, logits, dim=0)

    def train(self, epoch: ChainEpoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        """A gradient and a step for every batch."""
        losses, hits = [], []
        for (equations, masks), rate in zip(epoch.batches(), rates, strict=True):
            report = self.gradient(equations, masks)
            optimizer.step(rate)
            loss, *logits = report.asnumpy()
            losses.append(loss)
            hits.append(np.sum((np.array(logits) > 0) == (equations.labels > 0.5)))
        return StepOutcomes(np.array(losses), np.zeros(len(losses)), np.array(hits), epoch.sizes, epoch.sizes)


# ------------------------------------------------------------------------------------------------ the fused engine


def reason_against(model: SequenceModel, optimizer: str = "adam") -> str | None:
    """Why a chain cannot be computed by the fused operators, in a few words; None if it can."""
    if model.context != mx.cpu():
        return "it runs on a CPU only"
    return load_operators() if optimizer in STEPS else f"for chains it does not know the optimizer {optimizer}"


class Prefixes(NamedTuple):
    """All distinct beginnings of some sequences, short ones first, and the row of each whole sequence."""

    rows: np.ndarray  # (token, row of the beginning that is one token shorter or -1, length)
    ends: np.ndarray


def find_prefixes(sequences: Sequences) -> Prefixes:
    """Length by length: a beginning is one that is known already, and a token."""
    tokens, lengths = sequences
    rows, ends, count = [], np.full(len(tokens), -1), 0
    for length in range(1, tokens.shape[1] + 1):
        reading = np.flatnonzero(lengths >= length)
        steps = np.stack([ends[reading], tokens[reading, length - 1]], axis=1)
        distinct, places = np.unique(steps, axis=0, return_inverse=True)
        ends[reading] = count + places.reshape(-1)
        rows.append(np.column_stack([distinct[:, 1], distinct[:, 0], np.full(len(distinct), length)]))
        count += len(distinct)
    return Prefixes(np.concatenate(rows), ends)


def _layout(model: SequenceModel) -> dict:
    cell = "lstm" if model.lstm else "rnn"
    return {"cell": cell, "hidden": model.hidden, "tokens": len(model.vocabulary), "reading": model.reading}


def table_logits(model: SequenceModel, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The logits of equations whose sequences end in these rows of a table: all left sides, then all right ones."""
    table, ends = nd.array(rows, dtype="int32"), nd.array(ends, dtype="int32")
    return nd.chain_network(model.flat.data, table, ends, **_layout(model)).asnumpy()


class FusedChains(GluonChains):
    """Calls one operator for many equations, and one for an epoch of training."""

    name = "fused"

    def __init__(self, model: SequenceModel, sequences: Sequences):
        super().__init__(model, sequences)
        prefixes = find_prefixes(sequences)
        self._table, self._ends = nd.array(prefixes.rows, dtype="int32"), prefixes.ends
        self._layout = _layout(model)

    def logits(self, equations: Equations) -> np.ndarray:
        ends = nd.array(self._ends[equations.sequences.T.reshape(-1)], dtype="int32")
        return nd.chain_network(self.model.flat.data, self._table, ends, **self._layout).asnumpy()

    def train(self, epoch: ChainEpoch, rates: np.ndarray, optimizer: FlatOptimizer) -> StepOutcomes:
        steps, array = len(epoch.sizes), self.model.array
        step = np.repeat(np.arange(steps), epoch.sizes)
        columns = self._ends[epoch.equations.sequences.T]
        ends = merged(list(columns), [len(columns) * step + place for place in range(len(columns))])
        masks = np.ones((steps, 2, self.model.hidden)) if epoch.masks is None else epoch.masks
        report = nd.chain_train(
            self.model.flat.data,
            *kept_arrays(optimizer),
            self._table,
            nd.array(ends, dtype="int32"),
            nd.array(np.stack([epoch.sizes, np.zeros_like(epoch.sizes)], axis=1), dtype="int32"),
            array(epoch.equations.labels),
            array(masks),
            array(rates),
            numeric_weight=0.0,
            **step_options(optimizer),
            **self._layout,
        ).asnumpy()
        optimizer.steps += steps
        logistic, squared, hits = report.T
        return StepOutcomes(logistic, squared, hits, epoch.sizes, epoch.sizes)


def make_chain_engine(name: str | None, model: SequenceModel, sequences: Sequences, optimizer: str = "adam"):
    """The engine that computes a chain on these sequences and trains it with this optimizer."""
    name, reason = chosen_engine(name, lambda: reason_against(model, optimizer), ("fused", "generic"))
    engine = (FusedChains if name == "fused" else GluonChains)(model, sequences)
    engine.instead_of_fused = reason
    return engine
