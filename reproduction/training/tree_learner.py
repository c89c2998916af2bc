"""A tree model with the data it learns from."""

from collections.abc import Callable, Sequence

import numpy as np

from ..data.examples import Part, Parts, autoencoder_targets, evaluation_target
from ..errors import InputError
from ..language.expression import Expression
from ..networks.batches import Epoch, Examples, StepOutcomes, make_table
from ..networks.generic import Capacity
from ..networks.optimizers import FlatOptimizer
from ..networks.tree_model import TreeModel
from .configuration import Configuration
from .learner import Predictions, probabilities

RESERVED_EPOCHS = 2  # whose batches the first capacity is made for

Target = tuple[Expression, float]  # an expression to decode, and the number that it stands for


def _targets(model: TreeModel, part: Part, training: bool) -> Sequence[Target]:
    """What is decoded: all numeric records, and for training the correct ones and the number autoencoder."""
    if not model.data:
        return []
    if not training:
        return [evaluation_target(record) for record in part.numeric]
    correct = [record for record in part.numeric if record.label == 1]
    return [*map(evaluation_target, correct), *autoencoder_targets(correct)]


def _expressions(verified: Part, targets: Sequence[Target]) -> list[Expression]:
    equations = [record.equation for records in verified for record in records]
    return [*(each.left for each in equations), *(each.right for each in equations), *(side for side, _ in targets)]


def _names(verified: Part, part: Part, count: int) -> list[str]:
    """What the examples of the training part are called: ids of records, and "number" for those of the autoencoder."""
    names = [record.id for records in verified for record in records]
    names += [record.id for record in part.numeric if record.label == 1]
    return [*names, *["number"] * count][:count]


def _examples(verified: Part, targets: Sequence[Target], rows: np.ndarray) -> Examples:
    """The examples of a part, from the rows of its expressions."""
    labels = np.concatenate([verified.labels, verified.numeric_labels])
    left, right, decoded = np.split(rows, [len(labels), 2 * len(labels)])
    return Examples(left, right, labels, decoded, np.array([value for _, value in targets]))


class TreeLearner:
    """Equations, and evaluations if the model takes data, for one model."""

    def __init__(self, model: TreeModel, parts: Parts, configuration: Configuration):
        self.model, self.flat = model, model.flat
        self.engine, self.instead_of_fused = model.engine.name, model.engine.instead_of_fused
        self._configuration = configuration
        verified = {
            name: part if configuration.verifies_numbers else part._replace(numeric=())
            for name, part in parts._asdict().items()
        }
        self._symbolic = {name: len(part.symbolic) for name, part in verified.items()}
        wanted = {
            name: (verified[name], _targets(model, part, name == "train")) for name, part in parts._asdict().items()
        }
        expressions = [_expressions(*each) for each in wanted.values()]
        self._table = make_table([side for each in expressions for side in each], model.vocabulary)
        if model.number is None and self._table.has_numbers:
            raise InputError("the equations contain numbers, and this model was trained without a number block")
        rows = np.split(self._table.roots, np.cumsum([len(each) for each in expressions])[:-1])
        self._examples = {name: _examples(*wanted[name], own) for name, own in zip(wanted, rows, strict=True)}
        self.train_size = self._examples["train"].count
        self._names = _names(verified["train"], parts.train, self.train_size)
        if self.train_size:
            drawn = (np.random.default_rng([configuration.seed, epoch]) for epoch in range(RESERVED_EPOCHS))
            model.engine.prepare(list(map(self._epoch, drawn)))

    @property
    def capacity(self) -> Capacity | None:
        return self.model.engine.capacity

    @capacity.setter
    def capacity(self, stored) -> None:
        *sizes, groups = stored
        self.model.engine.capacity = Capacity(*sizes, tuple(map(tuple, groups)))

    def _epoch(self, random: np.random.Generator) -> Epoch:
        """The training examples in random order, with a mask of dropout for every batch."""
        settings, examples = self._configuration, self._examples["train"]
        order = random.permutation(examples.count)
        epoch = Epoch(self._table, examples, order, settings.batch_size, numeric_weight=settings.numeric_weight)
        if not settings.dropout:
            return epoch
        kept = random.random((epoch.steps, self.model.hidden)) >= settings.dropout
        return epoch._replace(masks=kept / (1 - settings.dropout))

    def train_epoch(
        self,
        random: np.random.Generator,
        rate_at: Callable[[float], float],
        optimizer: FlatOptimizer,
        steps: int | None = None,
    ) -> StepOutcomes:
        epoch = self._epoch(random)
        rates = np.array([rate_at(step / epoch.steps) for step in range(epoch.steps)])
        return self.model.engine.train(epoch if steps is None else epoch.first(steps), rates[:steps], optimizer)

    def batch_examples(self, random: np.random.Generator, step: int) -> tuple[str, ...]:
        size = self._configuration.batch_size
        return tuple(self._names[number] for number in self._epoch(random).order[step * size : (step + 1) * size])

    def predict(self, name: str) -> Predictions:
        logits, decoded = self.model.predict(self._table, self._examples[name])
        symbolic, numeric = np.split(probabilities(logits), [self._symbolic[name]])
        return Predictions(symbolic, decoded.astype(float), numeric)
