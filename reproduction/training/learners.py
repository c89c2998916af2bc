"""Networks with the data that they learn from: examples in random order, a gradient and a step for each batch; scores.

A network of any kind learns by autograd alone (`Learner`). The learners of trees, here, and of chains, in
`chain_learner`, prepare whole epochs for their engines.
"""

import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import artifacts
from ..data.dataset import Dataset, Split, Vocabulary, read_vocabulary, tree_vocabulary
from ..data.scores import probabilities, verification_scores
from ..data.splits import Part, Parts, autoencoder_targets, evaluation_target, split_parts, stored_split
from ..errors import InputError
from ..language.expression import Equation, Expression
from ..networks.backend import autograd, nd
from ..networks.batches import NUMBER_LEAF, Epoch, Examples, StepOutcomes, logistic_losses, make_table, squared_errors
from ..networks.network import ExpressionNetwork, FlatOptimizer
from ..networks.tree_model import TreeModel
from .configuration import Configuration
from .run_directory import CHECKSUM, PARAMETERS, FinishedRun

DECIMALS = 6  # of stored predictions
RESERVED_EPOCHS = 2  # whose batches the first capacity is made for
PREDICTED_AT_ONCE = 2048  # expressions to decode
# What MXNet writes at the beginning of a file of parameters and of each array: marks, dense, on the CPU, the type.
PARAMETER_FILE, PARAMETER_ARRAY, CPU = (0x112, 0), (0xF993FAC9, 0), (1, 0)
MXNET_TYPES = {"float32": 0, "float64": 1}

Rates = Callable[[int], np.ndarray]  # the learning rates of an epoch of so many steps
Target = tuple[Expression, float]  # an expression to decode, and the number that it stands for


def expression_vocabulary(configuration: Configuration, dataset: Dataset, parts: Parts) -> Vocabulary:
    """The functions and symbols of the data, and whether there are numbers among the equations that are verified."""
    vocabulary = tree_vocabulary(dataset)
    return vocabulary._replace(numbers=vocabulary.numbers or configuration.verifies_numbers)


class Wanted(NamedTuple):
    """The right answers for a part: labels of equations, and numbers that expressions stand for."""

    equations: list[Equation]  # symbolic ones first
    labels: np.ndarray
    symbolic: int
    targets: list[Target]
    names: list[str]  # ids of the records of both; "number" for the autoencoder's own

    @property
    def count(self) -> int:  # type: ignore[override]  # a tuple has a method of this name
        return len(self.equations) + len(self.targets)


def wanted(part: Part, configuration: Configuration, training: bool = False) -> Wanted:
    """The right answers; decoded are all numeric records, in training only true ones and their numbers."""
    verified = part if configuration.verifies_numbers else part._replace(numeric=())
    records = [*verified.symbolic, *verified.numeric]
    labels = np.concatenate([verified.labels, verified.numeric_labels])
    decoded = [record for record in part.numeric if record.label == 1 or not training] if configuration.decodes else []
    own = autoencoder_targets(decoded) if training else []
    names = [*(record.id for record in (*records, *decoded)), *["number"] * len(own)]
    targets = [*map(evaluation_target, decoded), *own]
    return Wanted([record.equation for record in records], labels, len(part.symbolic), targets, names)


class Predictions(NamedTuple):
    """For a part: probabilities of its symbolic records, decoded numbers of its numeric records."""

    probabilities: np.ndarray
    decoded: np.ndarray
    numeric: np.ndarray = np.zeros(0)  # probabilities, if numeric equations are verified


class Learner:
    """Any network with its data."""

    engine = "autograd"  # what computes the network
    instead_of_fused: str | None = None  # why that is not the fused engine, if it could have been
    capacity: Any = None  # what a checkpoint has to keep so that a run goes on with the same bits

    def __init__(self, network: ExpressionNetwork, parts: Parts, configuration: Configuration):
        self.network, self.flat, self.configuration = network, network.flat, configuration
        self.wanted = {
            name: wanted(part, configuration, training=name == "train") for name, part in parts._asdict().items()
        }
        self.train_size = self.wanted["train"].count

    def batches(self, random: np.random.Generator) -> list[np.ndarray]:
        """The numbers of the training examples in each step of an epoch."""
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
        """Computes the gradient of a batch; returns its losses, hits, pairs and examples, as in `StepOutcomes`."""
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
        parts = [sides[start : start + PREDICTED_AT_ONCE] for start in range(0, len(sides), PREDICTED_AT_ONCE)]
        decoded = (self.network.decode(self.network.encode(part)).asnumpy() for part in parts)
        return np.concatenate([np.zeros(0), *decoded])


class TreeLearner(Learner):
    """A tree network: its examples are rows of a table of subtrees, and an engine computes them."""

    network: TreeModel

    def __init__(self, network: TreeModel, parts: Parts, configuration: Configuration):
        super().__init__(network, parts, configuration)
        self.engine, self.instead_of_fused = network.engine.name, network.engine.instead_of_fused
        expressions = [_expressions(each) for each in self.wanted.values()]
        self._table = make_table([side for each in expressions for side in each], network.vocabulary)
        if network.number is None and NUMBER_LEAF in self._table.keys[:, 0]:
            raise InputError("the equations contain numbers, and this model was trained without a number block")
        rows = np.split(self._table.roots, np.cumsum([len(each) for each in expressions])[:-1])
        self._examples = {
            name: _examples(each, own) for (name, each), own in zip(self.wanted.items(), rows, strict=True)
        }
        if self.train_size:
            drawn = (np.random.default_rng([configuration.seed, epoch]) for epoch in range(RESERVED_EPOCHS))
            network.engine.prepare(list(map(self._epoch, drawn)))

    @property
    def capacity(self):  # type: ignore[override]
        return self.network.engine.capacity

    @capacity.setter
    def capacity(self, stored) -> None:
        self.network.engine.capacity = stored

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


# ------------------------------------------------------------------------------------------------ scores


def best_threshold(errors: np.ndarray, labels: np.ndarray) -> float:
    """The error up to which calling an evaluation correct makes the fewest mistakes; the smallest such."""
    order = np.argsort(errors, kind="stable")
    mistakes = np.sum(labels == 1) - np.cumsum(np.where(labels[order] == 1, 1, -1))
    best = int(np.argmin(mistakes))
    return float(errors[order][best])


def evaluation_scores(
    decoded: np.ndarray, literals: np.ndarray, labels: np.ndarray, kinds: Sequence[str], threshold: float
) -> dict:
    """The squared error on correct function evaluations and on everything correct, and accuracy by a threshold."""
    errors, truth = np.abs(decoded - literals), labels == 1
    evaluations = truth & (np.array(kinds) == "evaluation")
    return {
        "mse": float(np.mean(errors[evaluations] ** 2)) if evaluations.any() else None,
        "mse_all": float(np.mean(errors[truth] ** 2)) if truth.any() else None,
        "accuracy": float(np.mean((errors <= threshold) == truth)),
        "threshold": threshold,
        "count": int(np.sum(evaluations)),
        "count_all": len(labels),
    }


def part_scores(parts: Parts, predictions: Mapping[str, Predictions]) -> dict[str, dict]:
    """The entries `dev` and `test` of results.json.

    Dev chooses how far decoded numbers may be off for an evaluation to count as correct.
    """
    dev, threshold = predictions["dev"], None
    if len(dev.decoded):
        threshold = best_threshold(np.abs(dev.decoded - _literals(parts.dev)), parts.dev.numeric_labels)
    return {name: _scores(getattr(parts, name), found, threshold) for name, found in predictions.items()}


def _literals(part: Part) -> np.ndarray:
    return np.array([evaluation_target(record)[1] for record in part.numeric])


def _scores(part: Part, predictions: Predictions, threshold: float | None) -> dict:
    symbolic = predictions.probabilities, part.labels, part.depths
    scores = {"symbolic": verification_scores(*symbolic)}
    if threshold is not None and len(predictions.decoded):
        kinds = [record.kind for record in part.numeric]
        found = predictions.decoded, _literals(part), part.numeric_labels
        scores["evaluations"] = evaluation_scores(*found, kinds, threshold)
    if len(predictions.numeric):
        numeric = predictions.numeric, part.numeric_labels, np.array([record.depth for record in part.numeric])
        scores["numeric"] = verification_scores(*numeric)
        scores["together"] = verification_scores(*map(np.concatenate, zip(symbolic, numeric, strict=True)))
    return scores


def prediction_rows(name: str, part: Part, predictions: Predictions) -> Iterator[dict]:
    """One row a record: the probability that it is correct, the number decoded for a numeric one, or both."""
    for record, probability in zip(part.symbolic, predictions.probabilities, strict=True):
        yield {"part": name, "id": record.id, "probability": round(float(probability), DECIMALS)}
    found = {"decoded": predictions.decoded, "probability": predictions.numeric}
    columns = {key: values for key, values in found.items() if len(values)}
    for row, record in enumerate(part.numeric if columns else ()):
        values = {key: round(float(values[row]), DECIMALS) for key, values in columns.items()}
        yield {"part": name, "id": record.id, **values}


# ------------------------------------------------------------------------------------------------ of runs


def configured_parts(configuration: Configuration, dataset: Dataset, split: Split) -> Parts:
    """The records that a run learns from and is scored on."""
    fractions = configuration.fraction, configuration.numeric_fraction
    return split_parts(dataset, split, *fractions, configuration.seed)


def new_learner(configuration: Configuration, vocabulary: Vocabulary, parts: Parts) -> Learner:
    """A new network with its data, the weights drawn from the run's seed."""
    network = configuration.kind.part("build")(configuration, vocabulary)
    network.initialize_parameters(np.random.default_rng([configuration.seed, 0]))
    return configuration.kind.part("learner")(network, parts, configuration)


def load_network(run: FinishedRun, device: str = "cpu") -> ExpressionNetwork:
    """The trained network of a run, whose parameters must be those with the SHA-256 that the results state."""
    configuration = replace(run.configuration, device=device)
    vocabulary, path = read_vocabulary(run.config, str(run.directory)), run.directory / PARAMETERS
    network = configuration.kind.part("build")(configuration, vocabulary)
    stated, content = artifacts.read_text(run.directory / CHECKSUM).strip(), artifacts.read_bytes(path)
    if not artifacts.checksum(content) == stated == run.results.files.get(PARAMETERS):
        raise InputError(f"{path}: damaged or of another run, its content does not have the stored SHA-256")
    if not _has_layout(content, network):
        raise InputError(f"{path}: its parameters are not those of the model in config.json")
    network.flat.data[:] = 0  # makes the arrays that Gluon fills
    network.load_parameters(str(path), ctx=network.context)
    return network


def _has_layout(content: bytes, network: ExpressionNetwork) -> bool:
    """Whether a file is this network's in all but the values; MXNet takes as much memory as a file tells it to.

    MXNet's format: a head and the number of arrays; of each array its shape, device, type and values; then the names.
    """
    arrays = network._collect_params_with_prefix()
    parts, values = [struct.pack("<3Q", *PARAMETER_FILE, len(arrays))], []
    for parameter in arrays.values():
        shape, kind = parameter.shape, np.dtype(parameter.dtype)
        head = struct.pack(f"<IiI{len(shape)}q", *PARAMETER_ARRAY, len(shape), *shape)
        parts[-1] += head + struct.pack("<3i", *CPU, MXNET_TYPES[kind.name])
        parts.append(b"")
        values.append(math.prod(shape) * kind.itemsize)
    names = (name.encode() for name in arrays)
    parts[-1] += struct.pack("<Q", len(arrays)) + b"".join(struct.pack("<Q", len(name)) + name for name in names)
    place = 0
    for part, size in zip(parts, [*values, 0], strict=True):
        if content[place : place + len(part)] != part:
            return False
        place += len(part) + size
    return place == len(content)


def evaluate_run(run: FinishedRun, dataset: Dataset, data: Path) -> dict:
    """Scores of dev and test; of another data set than the run's own there is one part, `all`."""
    configuration, network = run.configuration, load_network(run, run.configuration.device)
    if own := run.data_fingerprint == dataset.fingerprint:
        split = stored_split(dataset, data, configuration.split, configuration.seed)
        if split.checksum != run.split_checksum:
            raise InputError(f"{data}: the split {configuration.split}-{configuration.seed} there is not the run's own")
        parts = configured_parts(configuration, dataset, split)
    elif not dataset.symbolic:
        raise InputError(f"{data}: there is no symbolic equation to score")
    else:
        parts = Parts(Part((), ()), *[Part(dataset.symbolic, dataset.numeric)] * 2)
    learner = configuration.kind.part("learner")(network, parts, configuration)
    scores = part_scores(parts, {name: learner.predict(name) for name in (("dev", "test") if own else ("dev",))})
    return scores if own else {"all": scores["dev"]}
