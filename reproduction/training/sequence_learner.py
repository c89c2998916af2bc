"""A sequence model with the data it learns from: gluonnlp's vocabulary, buckets of similar length, and padding."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..data.dataset import Record
from ..data.examples import Part, Parts
from ..networks.backend import autograd, nd
from ..networks.batches import StepOutcomes
from ..networks.losses import logistic_losses
from ..networks.optimizers import FlatOptimizer
from ..networks.sequence_model import SequenceModel, tokens
from .configuration import Configuration
from .learner import Predictions, probabilities

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from gluonnlp.data import FixedBucketSampler, batchify
    from gluonnlp.vocab import Vocab

BUCKETS = 8
PREDICTED_AT_ONCE = 1024
BATCHES_AHEAD = 8  # that MXNet may still be computing: each holds on to memory
SIDES_AT_ONCE = 256  # sides of similar length that are read together


def chain_vocabulary(records: Iterable[Record]) -> tuple[str, ...]:
    """Every token that occurs in some records, the most frequent first, behind those for unknown and padding."""
    counts = Counter(token for record in records for side in record.equation for token in tokens(side))
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


class Pairs(NamedTuple):
    """Equations: which of all distinct sides stand left and right, and the labels."""

    left: np.ndarray
    right: np.ndarray
    labels: np.ndarray

    def chosen(self, numbers: np.ndarray) -> "Pairs":
        return Pairs(*(column[numbers] for column in self))


class SequenceLearner:
    """Batches of equations of similar length for one model; every distinct side of a batch is read once."""

    capacity = None  # shapes are those of each batch
    engine, instead_of_fused = "gluon", None

    def __init__(self, model: SequenceModel, vocabulary: tuple[str, ...], parts: Parts, configuration: Configuration):
        self.model, self.flat, self._batch_size = model, model.flat, configuration.batch_size
        self._context = model.flat.data.context
        places: dict = {}
        for part in parts:
            for record in part.symbolic:
                for side in record.equation:
                    places.setdefault(side, len(places))
        numbers = {token: number for number, token in enumerate(vocabulary)}
        spelt = [[numbers.get(token, 0) for token in tokens(side)] for side in places]  # 0 for an unknown one
        padded, lengths = batchify.Pad(pad_val=1, ret_length=True)(spelt)
        self._sides, self._lengths = padded.asnumpy(), lengths.asnumpy().astype(np.int64)
        self._pairs = {name: _numbered(part, places) for name, part in parts._asdict().items()}
        self.train_size = len(self._pairs["train"].labels)
        self._names = [record.id for record in parts.train.symbolic]

    def _longest(self, pairs: Pairs) -> np.ndarray:
        return np.maximum(self._lengths[pairs.left], self._lengths[pairs.right])

    def _order(self, random: np.random.Generator) -> list[list[int]]:
        """The training examples of every batch, in random order, sides of similar length together."""
        with _global_generator(random), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about buckets that nothing falls into
            lengths = self._longest(self._pairs["train"]).tolist()
            return list(FixedBucketSampler(lengths, self._batch_size, num_buckets=BUCKETS, shuffle=True))

    def batches(self, random: np.random.Generator) -> Iterator[Pairs]:
        for numbers in self._order(random):
            yield self._pairs["train"].chosen(np.array(numbers))

    def batch_examples(self, random: np.random.Generator, step: int) -> tuple[str, ...]:
        return tuple(self._names[number] for number in self._order(random)[step])

    def _logits(self, pairs: Pairs) -> nd.NDArray:
        """Both sides of all pairs: each distinct one is read once, the short ones apart from the long."""
        distinct, places = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
        by_length = np.argsort(self._lengths[distinct], kind="stable")
        vectors = []
        for start in range(0, len(distinct), SIDES_AT_ONCE):
            chosen = distinct[by_length[start : start + SIDES_AT_ONCE]]
            lengths = self._lengths[chosen]
            vectors.append(self.model.encode(*map(self._array, (self._sides[chosen, : lengths[-1]], lengths))))
        rows = np.argsort(by_length)[places]
        every = nd.concat(*vectors, dim=0)
        left, right = (nd.take(every, self._array(half)) for half in np.split(rows, 2))
        return self.model.compare(left, right)

    def _array(self, values: np.ndarray) -> nd.NDArray:
        return nd.array(values, ctx=self._context)

    def gradient(self, pairs: Pairs) -> nd.NDArray:
        """Computes the gradient of a batch; gives its loss and logits."""
        with autograd.record():
            logits = self._logits(pairs)
            loss = nd.mean(logistic_losses(nd, logits, self._array(pairs.labels)))
        loss.backward()
        return nd.concat(loss, logits, dim=0)

    def train_epoch(
        self,
        random: np.random.Generator,
        rate_at: Callable[[float], float],
        optimizer: FlatOptimizer,
        steps: int | None = None,
    ) -> StepOutcomes:
        every, reports, values = list(self.batches(random)), [], []
        batches = every[:steps]
        for step, pairs in enumerate(batches):
            reports.append(self.gradient(pairs))
            optimizer.step(rate_at(step / len(every)))
            if len(reports) > BATCHES_AHEAD:
                values.append(reports.pop(0).asnumpy())
        sizes = np.array([len(pairs.labels) for pairs in batches])
        values += [report.asnumpy() for report in reports]
        hits = [np.sum((each[1:] > 0) == (pairs.labels > 0.5)) for each, pairs in zip(values, batches, strict=True)]
        return StepOutcomes(np.array([each[0] for each in values]), np.zeros(len(sizes)), np.array(hits), sizes, sizes)

    def predict(self, name: str) -> Predictions:
        pairs = self._pairs[name]
        by_length = np.argsort(self._longest(pairs), kind="stable")
        logits = np.empty(len(by_length))
        for start in range(0, len(by_length), PREDICTED_AT_ONCE):
            chosen = by_length[start : start + PREDICTED_AT_ONCE]
            logits[chosen] = self._logits(pairs.chosen(chosen)).asnumpy()
        return Predictions(probabilities(logits), np.zeros(0))


def _numbered(part: Part, places: dict) -> Pairs:
    sides = [[places[side] for side in record.equation] for record in part.symbolic]
    return Pairs(*np.array(sides, dtype=np.int64).reshape((-1, 2)).T, part.labels)
