"""The sequential baselines: each side of an equation is read as tokens by an RNN or an LSTM, and sides are compared."""

import numpy as np

from ..language.expression import NUMBER, Expression
from .backend import gluon, mx, nd
from .flat_parameters import FlatParameters


def tokens(expression: Expression) -> list[str]:
    """Prefix notation with parentheses and commas; a number is spelt out: x + 2.5 is + ( x , #2 #. #5 )."""
    if expression.kind == NUMBER:
        return [f"#{character}" for character in expression.symbol]
    spelt = [expression.symbol]
    for place, child in enumerate(expression.children):
        spelt += [",", *tokens(child)] if place else ["(", *tokens(child)]
    return [*spelt, ")"] if expression.children else spelt


class SequenceModel(gluon.Block):
    """The state after the last token of each side, and ⟨h_left, h_right⟩ + b."""

    def __init__(
        self,
        vocabulary: int,
        hidden: int,
        lstm: bool,
        context: mx.Context | None = None,
        dtype: str = "float32",
    ):
        super().__init__(prefix="")
        self.vocabulary, self.hidden, self.lstm = vocabulary, hidden, lstm
        self.context, self.dtype = context or mx.cpu(), dtype
        layer = gluon.rnn.LSTM if lstm else gluon.rnn.RNN
        options = {} if lstm else {"activation": "tanh"}
        self.embedding = gluon.nn.Embedding(vocabulary, hidden, prefix="embedding_")
        self.layer = layer(hidden, input_size=hidden, prefix="layer_", **options)
        self.bias = self.params.get("bias", shape=(1,))
        parameters = [("symbol_weight", "symbol", self.embedding.weight)]
        parameters += [(name, "layer", parameter) for name, parameter in self.layer._reg_params.items()]
        self.flat = FlatParameters([*parameters, ("bias", "head", self.bias)], self.context, dtype)

    def initialize_parameters(self, random: np.random.Generator) -> None:
        self.flat.initialize(random)

    def array(self, values) -> nd.NDArray:
        return nd.array(values, ctx=self.context, dtype=self.dtype)

    def encode(self, sequences: nd.NDArray, lengths: nd.NDArray, masks: nd.NDArray | None = None) -> nd.NDArray:
        """The vectors of padded sequences of token numbers, (sequences, longest).

        Dropout's masks, (2, hidden), act on all inputs and on the states after the last tokens.
        """
        inputs = self.embedding(sequences.T)  # (longest, sequences, hidden)
        if masks is not None:
            inputs = nd.broadcast_mul(inputs, masks[0].reshape((1, 1, -1)))
        states = nd.SequenceLast(self.layer(inputs), lengths, use_sequence_length=True)
        return states if masks is None else nd.broadcast_mul(states, masks[1].reshape((1, -1)))

    def compare(self, left: nd.NDArray, right: nd.NDArray) -> nd.NDArray:
        """The logits that the sides with these vectors are equal."""
        return nd.sum(left * right, axis=1) + self.bias.data()
