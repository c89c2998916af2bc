"""What a training is asked to do: every setting with its default, its range and its help text."""

from collections.abc import Callable, Collection
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from typing import Any

from ..data.dataset import SPLIT_TITLES
from ..errors import InputError, excerpt
from ..models import EQUATION, LEAVES, MODELS, OPTIMIZERS, READINGS, SIDES, Model, check_choice, find_model
from ..networks.cells import CELLS
from ..shapes import shaped

SCHEDULES = ("constant", "linear", "cosine", "late", "warm-up")
ENGINES = ("fused", "generic", "recursive")
# What a model with data learns of numeric equations: the numbers that they give (the paper), whether they are correct
# (the authors' poster), or both.
NUMERIC_TASKS = DECODE, VERIFY, BOTH = "decode", "verify", "both"
LARGEST_SEED, MOST_EPOCHS = 2**31, 100_000

Choices = Collection[str] | Callable[[], Collection[str]]  # a function where names can be registered


def _setting(words: str, default: Any = MISSING, within: tuple | None = None, choices: Choices | None = None) -> Any:
    """A field with its help on the command line and its allowed values."""
    return field(default=default, metadata={"words": words, "within": within, "choices": choices})


@dataclass(frozen=True)
class Configuration:
    """One run; two runs with equal configurations on the same data give the same parameters, bit for bit."""

    model: str = _setting("the network", choices=lambda: tuple(MODELS))
    split: str = _setting("how the data are split", choices=tuple(SPLIT_TITLES))
    seed: int = _setting("of the split, the weights and the order of batches", within=(0, LARGEST_SEED))
    hidden: int = _setting("units of every vector", 50, (1, 4096))
    optimizer: str = _setting(f"what makes a step of a gradient: {', '.join(OPTIMIZERS)}", "adam")
    learning_rate: float = _setting("learning rate", 0.01, (1e-9, 10.0))
    schedule: str = _setting("how the learning rate falls", "constant", choices=SCHEDULES)
    momentum: float = _setting("momentum of the optimizers that have one", 0.0, (0.0, 0.9999))
    dropout: float = _setting("share of units that are dropped in training", 0.0, (0.0, 0.95))
    l2: float = _setting("pull of weights towards 0", 0.0, (0.0, 1.0))
    batch_size: int = _setting("equations in a batch", 256, (1, 100_000))
    epochs: int = _setting("passes over the training set", 100, (1, MOST_EPOCHS))
    clip: float = _setting("greatest norm of the gradient; 0 for none", 0.0, (0.0, 1e9))
    averaging: float = _setting("share of the scored average that each step keeps; 0 for none", 0.995, (0.0, 0.99999))
    numeric_weight: float = _setting("weight of a squared error against a logistic loss", 1.0, (0.0, 1e6))
    fraction: float = _setting("share of the symbolic training equations that is used", 1.0, (0.001, 1.0))
    numeric_fraction: float = _setting("share of the numeric training equations that is used", 1.0, (0.001, 1.0))
    numeric_task: str = _setting("what is learned of numeric equations", DECODE, choices=NUMERIC_TASKS)
    device: str = _setting("what computes", "cpu", choices=("cpu", "gpu"))
    cell: str | None = _setting("of a tree, instead of the network's own", None, choices=lambda: tuple(CELLS))
    leaf: str | None = _setting("what squashes the leaves of a tree (default: as its cell)", None, choices=LEAVES)
    reading: str = _setting("whether a chain reads each side or the whole equation", SIDES, choices=READINGS)
    engine: str | None = _setting("how the network is computed (default: the fastest way)", None, choices=ENGINES)

    @property
    def kind(self) -> Model:
        """The network as it is registered."""
        return find_model(self.model)

    @property
    def decodes(self) -> bool:
        """Whether numbers are decoded."""
        return self.kind.has_data and self.numeric_task != VERIFY

    @property
    def verifies_numbers(self) -> bool:
        """Whether numeric equations of both labels are verified like symbolic ones."""
        return self.kind.has_data and self.numeric_task != DECODE

    @property
    def run_name(self) -> str:
        """`tree-nn-strict-0`, or `tree-nn-strict-0-fraction-0.5` on a part of the training set."""
        name = f"{self.model}-{self.split}-{self.seed}"
        return name if self.fraction == 1 else f"{name}-fraction-{self.fraction:g}"

    def as_row(self) -> dict:
        return asdict(self)


# Settings by the name of a preset. The paper's protocol as it is written: one equation at a time, values of its grid
# (section 4), and nothing that it does not mention; and as the authors' code really runs.
PAPER, RELEASE = "paper", "release"
_AS_WRITTEN = {
    "optimizer": "adam",
    "learning_rate": 1e-3,
    "schedule": "constant",
    "dropout": 0.2,
    "l2": 1e-5,
    "batch_size": 1,
    "epochs": 100,
    "averaging": 0.0,
    "numeric_weight": 1.0,
}
PRESETS: dict[str, dict] = {
    PAPER: _AS_WRITTEN,
    # As the authors' code runs: dropout never acts, leaves are squashed by a sigmoid, chains read "flat" equations.
    RELEASE: {**_AS_WRITTEN, "dropout": 0.0, "leaf": "sigmoid", "reading": EQUATION},
}
OF_SOME = ("cell", "leaf", "reading")  # settings that only networks of one kind have


def choices_of(setting: Field) -> tuple[str, ...] | None:
    """The names that a setting may have; None where it is a number."""
    choices = setting.metadata["choices"]
    return tuple(choices() if callable(choices) else choices) if choices else None


def _checked(configuration: Configuration) -> Configuration:
    for setting in fields(Configuration):
        _check_setting(setting, getattr(configuration, setting.name))
    kind = configuration.kind
    for name in OF_SOME:
        default = Configuration.__dataclass_fields__[name].default
        if name not in kind.settings and getattr(configuration, name) != default:
            raise InputError(f"{kind.name} has no {name} to choose")
    if configuration.engine not in (None, *kind.engines):
        those = ", ".join(kind.engines) or "one"
        raise InputError(f"{kind.name} has no {configuration.engine} engine (it has: {those})")
    if not kind.has_data and configuration.numeric_task != DECODE:
        raise InputError(f"{kind.name} learns from no numbers: it has no numeric task to choose")
    check_choice(configuration.optimizer, configuration.momentum)
    return configuration


def _check_setting(setting: Field, value) -> None:
    name, choices, within = setting.name.replace("_", " "), choices_of(setting), setting.metadata["within"]
    if choices and value not in choices and (value is not None or setting.default is not None):
        raise InputError(f"{name} {excerpt(str(value))!r} is unknown (allowed: {', '.join(choices)})")
    if within and not within[0] <= value <= within[1]:
        raise InputError(f"{name} {value} is out of range (allowed: {within[0]} to {within[1]})")


def make_configuration(model: str, split: str, seed: int, preset: str | None = None, **wanted) -> Configuration:
    """The configuration of a run: the settings asked for, else those of the preset, else the model's defaults."""
    kind = find_model(model)
    chosen = {name: value for name, value in wanted.items() if value is not None}
    if chosen.get("cell") == kind.cell:
        chosen.pop("cell", None)  # the model's own
    foreign = set(OF_SOME) - set(kind.settings)
    together = {name: value for name, value in PRESETS.get(preset or "", {}).items() if name not in foreign}
    return _checked(Configuration(model, split, seed, **{**kind.defaults, **together, **chosen}))


def read_configuration(row: dict, where: str) -> Configuration:
    """The configuration that a run directory was made with."""
    configuration = shaped(Configuration, row, where)
    try:
        return _checked(configuration)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
