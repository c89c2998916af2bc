"""Chains with the data that they learn from: batches of equations of similar length, made by gluonnlp.

gluonnlp takes a second to import: whoever needs it does so.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..data.dataset import Dataset, Vocabulary
from ..data.scores import probabilities
from ..data.splits import Parts
from ..networks.batches import StepOutcomes
from ..networks.chains import ChainEpoch, Equations, SequenceModel, make_chain_engine, sequences_of
from ..networks.network import FlatOptimizer
from .configuration import Configuration
from .learners import Learner, Predictions, Rates

READ_AT_ONCE = 1024  # equations
BUCKETS = 8  # of lengths of sequences


def chain_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """Every token of the training equations, the most frequent first, behind those for unknown and padding."""
    with _gluonnlp():
        from gluonnlp.vocab import Vocab
    read = (sequences_of(record.equation, configuration.reading) for record in parts.train.symbolic)
    counts = Counter(token for sequences in read for sequence in sequences for token in sequence)
    return Vocabulary((), (), False, tuple(Vocab(counts, bos_token=None, eos_token=None).idx_to_token))


@contextmanager
def _gluonnlp(random: np.random.Generator | None = None) -> Iterator[None]:
    """For calls of gluonnlp: hides its warnings, seeds numpy's global generator, and restores it afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    try:
        if random is not None:
            np.random.seed(random.integers(2**32))  # noqa: NPY002
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


class SequenceLearner(Learner):
    """A network that reads tokens: batches of equations of similar length."""

    def __init__(self, network: SequenceModel, parts: Parts, configuration: Configuration):
        super().__init__(network, parts, configuration)
        places: dict[tuple[str, ...], int] = {}
        self._equations = {
            name: Equations(network.numbered(here.equations, places), here.labels) for name, here in self.wanted.items()
        }
        self._sequences = network.spelt(places)
        self.chains = make_chain_engine(configuration.engine, network, self._sequences, configuration.optimizer)
        self.engine, self.instead_of_fused = self.chains.name, self.chains.instead_of_fused

    def _longest(self, equations: Equations) -> np.ndarray:
        return self._sequences.lengths[equations.sequences].max(axis=1, initial=0)

    def batches(self, random: np.random.Generator) -> list[np.ndarray]:
        """In random order, those of similar length together."""
        with _gluonnlp(random):
            from gluonnlp.data import FixedBucketSampler

            lengths = self._longest(self._equations["train"]).tolist()
            sampler = FixedBucketSampler(lengths, self.configuration.batch_size, num_buckets=BUCKETS, shuffle=True)
            return [np.array(batch, dtype=np.int64) for batch in sampler]

    def epoch(self, random: np.random.Generator) -> ChainEpoch:
        """The training examples in random order, with masks of dropout for every batch."""
        order = self.batches(random)
        equations = self._equations["train"].chosen(np.concatenate(order))
        masks = self._masks(random, len(order), 2, self.network.hidden)
        return ChainEpoch(equations, np.array([len(batch) for batch in order]), masks)

    def train_epoch(self, random: np.random.Generator, rates: Rates, optimizer: FlatOptimizer) -> StepOutcomes:
        epoch = self.epoch(random)
        return self.chains.train(epoch, rates(len(epoch.sizes)), optimizer)

    def predict(self, name: str) -> Predictions:
        equations = self._equations[name]
        by_length = np.argsort(self._longest(equations), kind="stable")
        logits = np.empty(len(by_length))
        for start in range(0, len(by_length), READ_AT_ONCE):
            chosen = by_length[start : start + READ_AT_ONCE]
            logits[chosen] = self.chains.logits(equations.chosen(chosen))
        return Predictions(probabilities(logits), np.zeros(0))
