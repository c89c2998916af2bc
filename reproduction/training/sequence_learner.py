"""A sequence model with the data it learns from: gluonnlp's vocabulary, buckets of similar length, and padding."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ..data.dataset import Record
from ..data.examples import Part, Parts
from ..networks.backend import autograd, nd
from ..networks.sequence_model import SequenceModel, tokens
from .tree_learner import Outcome, Predictions, sigmoid

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from gluonnlp.data import FixedBucketSampler, batchify
    from gluonnlp.vocab import Vocab

BUCKETS = 8
PREDICTED_AT_ONCE = 1024


class Pairs(NamedTuple):
    """A batch: both sides, padded, with their lengths, and the labels."""

    left: nd.NDArray
    left_lengths: nd.NDArray
    right: nd.NDArray
    right_lengths: nd.NDArray
    labels: np.ndarray


def make_vocabulary(records: Iterable[Record]) -> tuple[str, ...]:
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


class SequenceLearner:
    """Batches of equations of similar length for one model."""

    capacity = None  # shapes are those of each batch

    def __init__(self, model: SequenceModel, vocabulary: Sequence[str], parts: Parts, batch_size: int, l2: float = 0.0):
        self.model, self.flat, self._batch_size, self._l2 = model, model.flat, batch_size, l2
        self._numbers = {token: number for number, token in enumerate(vocabulary)}
        self._context = model.flat.data.context
        self._padding = batchify.Tuple(*[batchify.Pad(pad_val=1, ret_length=True)] * 2)
        self._train = self._numbered(parts.train)
        self._parts = {"dev": self._numbered(parts.dev), "test": self._numbered(parts.test)}
        self.train_size = len(self._train)

    def _numbered(self, part: Part) -> list[tuple[list[int], list[int], int]]:
        """(left, right, label) of each symbolic record, as numbers of tokens; 0 for an unknown one."""
        return [
            (*([self._numbers.get(token, 0) for token in tokens(side)] for side in record.equation), record.label)
            for record in part.symbolic
        ]

    def _pairs(self, examples: Sequence[tuple[list[int], list[int], int]]) -> Pairs:
        (left, left_lengths), (right, right_lengths) = self._padding([example[:2] for example in examples])
        arrays = (left, left_lengths, right, right_lengths)
        labels = np.array([label for *_, label in examples], dtype=float)
        return Pairs(*(array.as_in_context(self._context).astype("float32") for array in arrays), labels)

    def batches(self, random: np.random.Generator) -> Iterator[Pairs]:
        """All training examples in random order, sides of similar length together."""
        lengths = [max(len(left), len(right)) for left, right, _ in self._train]
        with _global_generator(random), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about buckets that nothing falls into
            order = list(FixedBucketSampler(lengths, self._batch_size, num_buckets=BUCKETS, shuffle=True))
        for numbers in order:
            yield self._pairs([self._train[number] for number in numbers])

    def _logits(self, pairs: Pairs) -> nd.NDArray:
        left = self.model.encode(pairs.left, pairs.left_lengths)
        return self.model.compare(left, self.model.encode(pairs.right, pairs.right_lengths))

    def gradient(self, pairs: Pairs) -> nd.NDArray:
        """Computes the gradient of a batch; what comes back is for `outcome`."""
        labels = nd.array(pairs.labels, ctx=self._context)
        with autograd.record():
            logits = self._logits(pairs)
            loss = nd.mean(nd.Activation(logits, act_type="softrelu") - logits * labels)
        loss.backward()
        if self._l2:
            for segment in self.flat.segments:
                if "weight" in segment.name:
                    segment.parameter.grad()[:] += self._l2 * segment.parameter.data()
        return nd.concat(loss, logits, dim=0)

    def absent(self, pairs: Pairs) -> frozenset[str]:
        return frozenset()

    def outcome(self, pairs: Pairs, report: nd.NDArray) -> Outcome:
        """Waits for a batch and reads how it went."""
        loss, *logits = report.asnumpy()
        count = len(logits)
        return Outcome(float(loss), 0.0, int(np.sum((np.array(logits) > 0) == (pairs.labels > 0.5))), count, count)

    def predict(self, name: str) -> Predictions:
        """Probabilities of dev or test, in the order of its records."""
        examples = self._parts[name]
        by_length = np.argsort([max(len(left), len(right)) for left, right, _ in examples], kind="stable")
        logits = np.empty(len(examples))
        for start in range(0, len(examples), PREDICTED_AT_ONCE):
            chosen = by_length[start : start + PREDICTED_AT_ONCE]
            logits[chosen] = self._logits(self._pairs([examples[number] for number in chosen])).asnumpy()
        return Predictions(sigmoid(logits), np.zeros(0))
