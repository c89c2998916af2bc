"""A sequence model with the data it learns from: gluonnlp's vocabulary, buckets of similar length, and padding."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from ..data.dataset import Record
from ..data.examples import Part, Parts
from ..models import SIDES
from ..networks.batches import StepOutcomes
from ..networks.chains import ChainEpoch, Equations, SequenceModel, Sequences, sequences_of
from ..networks.engine import make_chain_engine
from ..networks.optimizers import FlatOptimizer
from .configuration import Configuration
from .learner import Predictions, probabilities

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from gluonnlp.data import FixedBucketSampler, batchify
    from gluonnlp.vocab import Vocab

BUCKETS = 8
PREDICTED_AT_ONCE = 1024


def chain_vocabulary(records: Iterable[Record], reading: str = SIDES) -> tuple[str, ...]:
    """Every token that occurs in some records, the most frequent first, behind those for unknown and padding."""
    read = (sequences_of(record.equation, reading) for record in records)
    counts = Counter(token for sequences in read for sequence in sequences for token in sequence)
    return tuple(Vocab(counts, bos_token=None, eos_token=None).idx_to_token)


@contextmanager
def _global_generator(random: np.random.Generator) -> Iterator[None]:
    """FixedBucketSampler draws from numpy's global generator: seeded for it, and put back afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(random.integers(2**32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class SequenceLearner:
    """Batches of equations of similar length for one model."""

    capacity = None  # shapes are those of each batch

    def __init__(self, model: SequenceModel, vocabulary: tuple[str, ...], parts: Parts, configuration: Configuration):
        self.model, self.flat, self._configuration = model, model.flat, configuration
        places: dict[tuple[str, ...], int] = {}
        self._equations = {name: _numbered(part, model.reading, places) for name, part in parts._asdict().items()}
        numbers = {token: number for number, token in enumerate(vocabulary)}
        spelt = [[numbers.get(token, 0) for token in sequence] for sequence in places]  # 0 for an unknown one
        padded, lengths = batchify.Pad(pad_val=1, ret_length=True)(spelt)
        self._sequences = Sequences(padded.asnumpy().astype(np.int64), lengths.asnumpy().astype(np.int64))
        self.chains = make_chain_engine(configuration.engine, model, self._sequences, configuration.optimizer)
        self.engine, self.instead_of_fused = self.chains.name, self.chains.instead_of_fused
        self.train_size = len(self._equations["train"].labels)
        self._names = [record.id for record in parts.train.symbolic]

    def _longest(self, equations: Equations) -> np.ndarray:
        return self._sequences.lengths[equations.sequences].max(axis=1, initial=0)

    def _order(self, random: np.random.Generator) -> list[list[int]]:
        """The training examples of every batch, in random order, those of similar length together."""
        with _global_generator(random), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about buckets that nothing falls into
            lengths = self._longest(self._equations["train"]).tolist()
            size = self._configuration.batch_size
            return list(FixedBucketSampler(lengths, size, num_buckets=BUCKETS, shuffle=True))

    def epoch(self, random: np.random.Generator) -> ChainEpoch:
        """The training examples in random order, with masks of dropout for every batch."""
        order, dropout = self._order(random), self._configuration.dropout
        equations = self._equations["train"].chosen(np.concatenate(order).astype(np.int64))
        epoch = ChainEpoch(equations, np.array([len(batch) for batch in order]))
        if not dropout:
            return epoch
        kept = random.random((len(order), 2, self.model.hidden)) >= dropout
        return epoch._replace(masks=kept / (1 - dropout))

    def batch_examples(self, random: np.random.Generator, step: int) -> tuple[str, ...]:
        return tuple(self._names[number] for number in self._order(random)[step])

    def train_epoch(
        self,
        random: np.random.Generator,
        rate_at: Callable[[float], float],
        optimizer: FlatOptimizer,
        steps: int | None = None,
    ) -> StepOutcomes:
        epoch = self.epoch(random)
        count = len(epoch.sizes)
        rates = np.array([rate_at(step / count) for step in range(count)])
        return self.chains.train(epoch.first(steps), rates[:steps], optimizer)

    def predict(self, name: str) -> Predictions:
        equations = self._equations[name]
        by_length = np.argsort(self._longest(equations), kind="stable")
        logits = np.empty(len(by_length))
        for start in range(0, len(by_length), PREDICTED_AT_ONCE):
            chosen = by_length[start : start + PREDICTED_AT_ONCE]
            logits[chosen] = self.chains.logits(equations.chosen(chosen))
        return Predictions(probabilities(logits), np.zeros(0))


def _numbered(part: Part, reading: str, places: dict[tuple[str, ...], int]) -> Equations:
    """The equations of a part; a sequence that is new gets the next place."""
    read = (sequences_of(record.equation, reading) for record in part.symbolic)
    rows = [[places.setdefault(tuple(each), len(places)) for each in sequences] for sequences in read]
    columns = 2 if reading == SIDES else 1
    return Equations(np.array(rows, dtype=np.int64).reshape((-1, columns)), part.labels)
