"""Networks with the data that they learn from: examples in random order, a gradient and a step for each batch.

A network of any kind learns by autograd alone (`Learner`). The learners of trees and of chains prepare whole epochs for
their engines. gluonnlp, which makes batches of similar length for chains, takes a second to import: they do it.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..data.dataset import Dataset, Vocabulary, tree_vocabulary
from ..data.splits import Part, Parts, autoencoder_targets, evaluation_target
from ..errors import InputError
from ..language.expression import Equation, Expression
from ..networks.backend import autograd, nd
from ..networks.batches import Epoch, Examples, StepOutcomes, make_table
from ..networks.chains import ChainEpoch, Equations, SequenceModel, sequences_of
from ..networks.engine import logistic_losses, make_chain_engine, squared_errors
from ..networks.generic import Capacity
from ..networks.network import ExpressionNetwork
from ..networks.optimizers import FlatOptimizer
from ..networks.tree_model import TreeModel
from .configuration import Configuration
from .scoring import Predictions, probabilities

RESERVED_EPOCHS = 2  # whose batches the first capacity is made for
PREDICTED_AT_ONCE, READ_AT_ONCE = 2048, 1024  # expressions to decode, equations of chains
BUCKETS = 8  # of lengths of sequences

Rates = Callable[[int], np.ndarray]  # the learning rates of an epoch of so many steps
Target = tuple[Expression, float]  # an expression to decode, and the number that it stands for


def expression_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """The functions and symbols of the data, and whether there are numbers among the equations that are verified."""
    vocabulary = tree_vocabulary(dataset)
    return vocabulary._replace(numbers=vocabulary.numbers or configuration.verifies_numbers)


class Wanted(NamedTuple):
    """What is asked of a network about a part: labels of equations, numbers that expressions stand for."""

    equations: list[Equation]  # symbolic ones first
    labels: np.ndarray
    symbolic: int
    targets: list[Target]
    names: list[str]  # ids of the records of both; "number" for the autoencoder's own

    @property
    def count(self) -> int:  # type: ignore[override]  # a tuple has a method of this name
        return len(self.equations) + len(self.targets)


def wanted(part: Part, configuration: Configuration, training: bool = False) -> Wanted:
    """What is verified, and decoded: all numeric records, and in training the true ones and the numbers alone."""
    verified = part if configuration.verifies_numbers else part._replace(numeric=())
    records = [*verified.symbolic, *verified.numeric]
    labels = np.concatenate([verified.labels, verified.numeric_labels])
    decoded = [record for record in part.numeric if record.label == 1 or not training] if configuration.decodes else []
    own = autoencoder_targets(decoded) if training else []
    names = [*(record.id for record in (*records, *decoded)), *["number"] * len(own)]
    targets = [*map(evaluation_target, decoded), *own]
    return Wanted([record.equation for record in records], labels, len(part.symbolic), targets, names)


class Learner:
    """Any network with its data."""

    engine = "autograd"  # what computes the network
    instead_of_fused: str | None = None  # why that is not the fused engine, if it could have been
    capacity: Any = None  # what a checkpoint has to keep so that a run goes on with the same bits, as JSON has it

    def __init__(self, network: ExpressionNetwork, parts: Parts, configuration: Configuration):
        self.network, self.flat, self.configuration = network, network.flat, configuration
        self.wanted = {
            name: wanted(part, configuration, training=name == "train") for name, part in parts._asdict().items()
        }
        self.train_size = self.wanted["train"].count

    def batches(self, random: np.random.Generator) -> list[np.ndarray]:
        """The numbers of the training examples in each step of the epoch that this generator gives."""
        size = self.configuration.batch_size
        order = random.permutation(self.train_size)
        return [order[start : start + size] for start in range(0, len(order), size)]

    def batch_examples(self, random: np.random.Generator, step: int) -> tuple[str, ...]:
        """The ids of the training examples in a step of an epoch, from 0."""
        return tuple(self.wanted["train"].names[number] for number in self.batches(random)[step])

    def train_epoch(self, random: np.random.Generator, rates: Rates, optimizer: FlatOptimizer) -> StepOutcomes:
        """All training examples once, in random order."""
        batches, rows = self.batches(random), []
        for batch, rate in zip(batches, rates(len(batches)), strict=True):
            rows.append(self._gradient(batch))
            optimizer.step(rate)
        return StepOutcomes(*map(np.array, zip(*rows, strict=True)))

    def _gradient(self, numbers: np.ndarray) -> tuple[float, float, int, int, int]:
        """Computes the gradient of a batch; gives its losses, the pairs that it got right, and its size."""
        train, network = self.wanted["train"], self.network
        pairs = numbers[numbers < len(train.labels)]
        chosen = [train.targets[number - len(train.labels)] for number in numbers if number >= len(train.labels)]
        logistic = squared = nd.zeros((1,), ctx=network.context, dtype=network.dtype)
        hits = 0
        self.flat.gradient[:] = 0
        with autograd.record():
            if len(pairs):
                labels = network.array(train.labels[pairs])
                logits = network([train.equations[number] for number in pairs])
                logistic = nd.sum(logistic_losses(nd, logits, labels)) / len(numbers)
            if chosen:
                decoded = network.decode(network.encode([side for side, _ in chosen]))
                errors = squared_errors(nd, decoded, network.array([value for _, value in chosen]))
                squared = nd.sum(errors) * (self.configuration.numeric_weight / len(numbers))
            loss = logistic + squared
        loss.backward()
        if len(pairs):
            hits = int(np.sum((logits.asnumpy() > 0) == (train.labels[pairs] > 0.5)))
        return logistic.asscalar(), squared.asscalar(), hits, len(pairs), len(numbers)

    def _masks(self, random: np.random.Generator, *shape: int) -> np.ndarray | None:
        """Dropout's masks of every step of an epoch; None without dropout."""
        dropout = self.configuration.dropout
        return (random.random(shape) >= dropout) / (1 - dropout) if dropout else None

    def predict(self, name: str) -> Predictions:
        """Probabilities and decoded numbers of dev or test, in the order of its records."""
        here = self.wanted[name]
        symbolic, numeric = np.split(probabilities(self.network.logits(here.equations)), [here.symbolic])
        return Predictions(symbolic, self._decoded([side for side, _ in here.targets]), numeric)

    def _decoded(self, sides: Sequence[Expression]) -> np.ndarray:
        starts = range(0, len(sides), PREDICTED_AT_ONCE)
        parts = [self.network.encode(sides[start : start + PREDICTED_AT_ONCE]) for start in starts]
        return np.concatenate([np.zeros(0), *(self.network.decode(part).asnumpy() for part in parts)])


# ------------------------------------------------------------------------------------------------ trees


class TreeLearner(Learner):
    """A tree network: its examples are rows of a table of subtrees, and an engine computes them."""

    network: TreeModel

    def __init__(self, network: TreeModel, parts: Parts, configuration: Configuration):
        super().__init__(network, parts, configuration)
        self.engine, self.instead_of_fused = network.engine.name, network.engine.instead_of_fused
        expressions = [_expressions(each) for each in self.wanted.values()]
        self._table = make_table([side for each in expressions for side in each], network.vocabulary)
        if network.number is None and self._table.has_numbers:
            raise InputError("the equations contain numbers, and this model was trained without a number block")
        rows = np.split(self._table.roots, np.cumsum([len(each) for each in expressions])[:-1])
        self._examples = {
            name: _examples(each, own) for (name, each), own in zip(self.wanted.items(), rows, strict=True)
        }
        if self.train_size:
            drawn = (np.random.default_rng([configuration.seed, epoch]) for epoch in range(RESERVED_EPOCHS))
            network.engine.prepare(list(map(self._epoch, drawn)))

    @property
    def capacity(self) -> Capacity | None:  # type: ignore[override]
        return self.network.engine.capacity

    @capacity.setter
    def capacity(self, stored) -> None:
        pairs, decoded, numbers, groups = stored
        self.network.engine.capacity = Capacity(pairs, decoded, numbers, tuple(map(tuple, groups)))

    def _epoch(self, random: np.random.Generator) -> Epoch:
        settings, examples = self.configuration, self._examples["train"]
        order = random.permutation(examples.count)
        epoch = Epoch(self._table, examples, order, settings.batch_size, numeric_weight=settings.numeric_weight)
        return epoch._replace(masks=self._masks(random, epoch.steps, self.network.hidden))

    def train_epoch(self, random: np.random.Generator, rates: Rates, optimizer: FlatOptimizer) -> StepOutcomes:
        epoch = self._epoch(random)
        return self.network.engine.train(epoch, rates(epoch.steps), optimizer)

    def predict(self, name: str) -> Predictions:
        logits, decoded = self.network.predict(self._table, self._examples[name])
        symbolic, numeric = np.split(probabilities(logits), [self.wanted[name].symbolic])
        return Predictions(symbolic, decoded.astype(float), numeric)


def _expressions(here: Wanted) -> list[Expression]:
    sides = [*(each.left for each in here.equations), *(each.right for each in here.equations)]
    return [*sides, *(side for side, _ in here.targets)]


def _examples(here: Wanted, rows: np.ndarray) -> Examples:
    """The examples of a part, from the rows of its expressions."""
    left, right, decoded = np.split(rows, [len(here.labels), 2 * len(here.labels)])
    return Examples(left, right, here.labels, decoded, np.array([value for _, value in here.targets]))


# ------------------------------------------------------------------------------------------------ chains


def chain_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """Every token of the training equations, the most frequent first, behind those for unknown and padding."""
    with _gluonnlp():
        from gluonnlp.vocab import Vocab
    read = (sequences_of(record.equation, configuration.reading) for record in parts.train.symbolic)
    counts = Counter(token for sequences in read for sequence in sequences for token in sequence)
    return Vocabulary((), (), False, tuple(Vocab(counts, bos_token=None, eos_token=None).idx_to_token))


@contextmanager
def _gluonnlp(random: np.random.Generator | None = None) -> Iterator[None]:
    """It warns of what is meant, and draws from numpy's global generator: seeded for it, and put back afterwards."""
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
