"""A network that reads tokens, with its data: gluonnlp's vocabulary, and its batches of similar length.

gluonnlp takes a second to import, so this module is imported for chains only.
"""

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..data.dataset import Dataset, Vocabulary
from ..data.splits import Parts
from ..networks.batches import StepOutcomes
from ..networks.chains import ChainEpoch, Equations, SequenceModel, sequences_of
from ..networks.engine import make_chain_engine
from ..networks.optimizers import FlatOptimizer
from .configuration import Configuration
from .learners import Learner, Rates
from .scoring import Predictions, probabilities

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from gluonnlp.data import FixedBucketSampler
    from gluonnlp.vocab import Vocab

BUCKETS = 8
PREDICTED_AT_ONCE = 1024


def chain_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """Every token of the training equations, the most frequent first, behind those for unknown and padding."""
    read = (sequences_of(record.equation, configuration.reading) for record in parts.train.symbolic)
    counts = Counter(token for sequences in read for sequence in sequences for token in sequence)
    return Vocabulary((), (), False, tuple(Vocab(counts, bos_token=None, eos_token=None).idx_to_token))


@contextmanager
def _global_generator(random: np.random.Generator) -> Iterator[None]:
    """FixedBucketSampler draws from numpy's global generator: seeded for it, and put back afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(random.integers(2**32))  # noqa: NPY002
    try:
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
        with _global_generator(random), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about buckets that nothing falls into
            lengths = self._longest(self._equations["train"]).tolist()
            sampler = FixedBucketSampler(lengths, self.configuration.batch_size, num_buckets=BUCKETS, shuffle=True)
            return [np.array(batch, dtype=np.int64) for batch in sampler]

    def epoch(self, random: np.random.Generator) -> ChainEpoch:
        """The training examples in random order, with masks of dropout for every batch."""
        order, dropout = self.batches(random), self.configuration.dropout
        equations = self._equations["train"].chosen(np.concatenate(order))
        epoch = ChainEpoch(equations, np.array([len(batch) for batch in order]))
        if not dropout:
            return epoch
        kept = random.random((len(order), 2, self.network.hidden)) >= dropout
        return epoch._replace(masks=kept / (1 - dropout))

    def train_epoch(
        self, random: np.random.Generator, rate_at: Rates, optimizer: FlatOptimizer, steps: int | None = None
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
