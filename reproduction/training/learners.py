"""A model and its learner from a configuration; what else is needed to build it again is stored as JSON."""

from typing import NamedTuple

import numpy as np

from ..data.dataset import Dataset
from ..data.examples import Parts, has_numbers, model_language
from ..errors import InputError
from ..networks.backend import context
from ..networks.subtrees import Language
from ..networks.tree_model import TreeModel
from .configuration import Configuration
from .tree_learner import TreeLearner


class Knowledge(NamedTuple):
    """What a model was built for: the language of its trees, or the tokens that it reads."""

    functions: tuple[str, ...]
    symbols: tuple[str, ...]
    numbers: bool
    tokens: tuple[str, ...]

    def as_row(self) -> dict:
        return self._asdict()


def find_knowledge(configuration: Configuration, dataset: Dataset, parts: Parts) -> Knowledge:
    """What a model for this data set has to know."""
    if configuration.is_tree:
        return Knowledge(*model_language(dataset), has_numbers(dataset.symbolic), ())
    from .sequence_learner import make_vocabulary  # gluonnlp takes a second to import

    return Knowledge((), (), False, make_vocabulary(parts.train.symbolic))


def read_knowledge(row: dict, where: str) -> Knowledge:
    """What the model of a run directory was built for."""
    try:
        return Knowledge(*map(tuple, (row["functions"], row["symbols"])), row["numbers"], tuple(row["tokens"]))
    except (KeyError, TypeError) as error:
        raise InputError(f"{where}: {error} is missing or damaged, so the model cannot be built again") from None


def build_model(configuration: Configuration, knowledge: Knowledge):
    """A new model with weights drawn from the run's seed."""
    device = context(configuration.device)
    if configuration.is_tree:
        model = TreeModel(
            Language(knowledge.functions, knowledge.symbols), configuration.hidden, configuration.is_lstm,
            configuration.has_data, knowledge.numbers, configuration.dropout, configuration.l2, device,
        )  # fmt: skip
    else:
        from ..networks.sequence_model import SequenceModel

        size = len(knowledge.tokens)
        model = SequenceModel(size, configuration.hidden, configuration.is_lstm, configuration.dropout, device)
    model.initialize_parameters(np.random.default_rng([configuration.seed, 0]))
    return model


def build_learner(configuration: Configuration, knowledge: Knowledge, model, parts: Parts):
    """The model with the data that it is to learn."""
    if configuration.is_tree:
        return TreeLearner(model, parts, configuration.batch_size, configuration.seed, configuration.numeric_weight)
    from .sequence_learner import SequenceLearner

    return SequenceLearner(model, knowledge.tokens, parts, configuration.batch_size, configuration.l2)
