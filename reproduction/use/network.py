"""A trained network that people and programs ask: `load()` finds one, then verify, complete, evaluate, embed.

One thread at a time: MXNet's arrays and what the network remembers are not guarded.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import artifacts, shapes
from ..data.function_evaluations import exact_value
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import Judgement, Oracle
from ..language.expression import Equation, Expression
from ..language.printing import latex_expression, print_expression, to_mathml
from ..models import MODELS, find_model
from ..paper import NUMBERS_RANGE
from ..training.run_directory import PARAMETERS, FinishedRun, is_finished, read_run, trained_run
from .completing import Completion, Filler
from .reading import Knowledge, Read, Reader

SHOWCASE, PRETRAINED, NEXT_BEST = "showcase", "pretrained", "tree-lstm+data"
CALIBRATION, JUDGED = "calibration.json", "judged.json"
LOWEST, HIGHEST = 0.01, 100.0  # temperatures; `showcase` chooses well inside of these
COMMITTED = artifacts.ROOT / "runs"  # whatever the workspace is
TRUE_DECIMALS = 25  # sin(pi) is 0, not 1e-48

# ------------------------------------------------------------------------------------------------ which network


class _Calibration(NamedTuple):
    """A temperature, and the SHA-256 of the parameters that it was chosen for."""

    temperature: float
    parameters: str


class _Accuracy(NamedTuple):
    accuracy: float


class _Judged(NamedTuple):
    """The part of judged.json that the page shows, and the SHA-256 of the parameters that were judged."""

    parameters: str
    textbook: _Accuracy | None = None


class Found(NamedTuple):
    """A trained network that is not loaded yet."""

    name: str
    title: str
    run: FinishedRun
    temperature: float  # what logits are divided by before they become probabilities

    @property
    def knowledge(self) -> Knowledge:
        return Knowledge.of(self.run, self.title)

    @property
    def textbook_accuracy(self) -> float | None:
        """The share of runs/textbook that it gets right, if `showcase` has judged it."""
        path = self.run.directory / JUDGED
        if not artifacts.is_there(path):
            return None
        judged = shapes.read(_Judged, path, sealed=True)
        _refuse_other_network(path, judged.parameters, self.run)
        return judged.textbook and judged.textbook.accuracy


def known_networks() -> dict[str, Path]:
    """The directories of networks by name: the workspace's own first, then those that come with the project."""
    places: dict[str, Path] = {}
    for runs in (artifacts.RUNS, COMMITTED):
        named = {SHOWCASE: runs / SHOWCASE, **{name: runs / PRETRAINED / name for name in (NEXT_BEST, *MODELS)}}
        found = {name: path for name, path in named.items() if (path / PARAMETERS).is_file()}
        if artifacts.resolved(runs) != artifacts.resolved(COMMITTED):
            found |= {path.name: path for path in _trained(runs) if path.name not in found}
        places |= {name: path for name, path in found.items() if name not in places}
    return places


def _trained(runs: Path) -> list[Path]:
    """The directories of a workspace's finished trainings, the best on dev first."""
    directories = [path.parent for path in sorted(runs.glob(f"**/{PARAMETERS}")) if is_finished(path.parent)]
    return sorted(directories, key=lambda path: -read_run(path).results.dev.symbolic.accuracy)


def _temperature(run: FinishedRun) -> float:
    """The temperature in calibration.json; 1 without such a file. That of another network is refused."""
    path = run.directory / CALIBRATION
    if not os.path.lexists(path):
        return 1.0
    stored = shapes.read(_Calibration, path, sealed=True)
    if not LOWEST <= stored.temperature <= HIGHEST:
        raise InputError(f"{path}: temperature {stored.temperature} is not from {LOWEST:g} to {HIGHEST:g}")
    _refuse_other_network(path, stored.parameters, run)
    return stored.temperature


def _refuse_other_network(path: Path, parameters: str, run: FinishedRun) -> None:
    """Refuses a file that is about a network of other parameters."""
    if parameters != run.results.files.get(PARAMETERS):
        raise InputError(f"{path}: of another network than the {PARAMETERS} beside it (remove it to do without)")


def find_network(run: str | Path | None = None) -> Found:
    """The network of a directory or a name; without either the workspace's best one, or the showcase network."""
    networks = known_networks()
    if run is None and not networks:
        raise InputError(f"{COMMITTED}: no trained network is here; name the directory of a run (`train` makes one)")
    name = next(iter(networks)) if run is None else str(run)
    directory = networks.get(name, Path(name))
    if not directory.is_dir():
        here = [path for path in _trained(artifacts.RUNS) if path.name == name]
        if len(here) > 1:
            raise InputError(
                f"{name}: there are {len(here)} trainings of this name, {here[0]} and {here[1]} for instance"
            )
        if not here:
            raise InputError(f"{name}: neither a directory nor a network of this project ({', '.join(networks)})")
        directory = here[0]
    found = trained_run(directory)
    if not (directory / PARAMETERS).is_file():
        raise InputError(f"{directory / PARAMETERS}: there is no such file; only the results of this run are kept")
    title = find_model(found.model).title
    name = name if name in networks else artifacts.resolved(directory).name
    return Found(name, title if name in MODELS else f"{name} ({title})", found, _temperature(found))


# ------------------------------------------------------------------------------------------------ answers


class Verification(NamedTuple):
    """The network's opinion of an equation and, if they were asked, the judges' verdict."""

    equation: str
    network_verdict: str | None  # correct or incorrect; None if the network cannot read the equation
    probability: float | None  # that it is correct
    judge_verdict: str | None = None  # correct, incorrect, unsure or undefined; None if no judge was asked
    evidence: dict | None = None
    notes: tuple[str, ...] = ()

    def judged(self, judgement: Judgement) -> "Verification":
        return self._replace(judge_verdict=judgement.verdict.lower(), evidence=judgement.evidence)


class Evaluation(NamedTuple):
    """The value of an expression without variables by the network, and the true one if it is defined and real."""

    expression: str
    value: float
    true_value: float | None
    notes: tuple[str, ...] = ()


class Node(NamedTuple):
    """A subtree of an equation, with its value and its probability by the network."""

    path: tuple[int, ...]  # of child indices from "="; the first is the side
    text: str
    mathml: str
    symbol: str  # of its root
    value: float | None  # decoded, by networks that decode, where there is no variable
    true_value: float | None  # where it is defined, real and without a variable
    probability: float  # that it equals the whole other side


class Tree(NamedTuple):
    """Every node of both sides, parents before children, left before right."""

    equation: str
    nodes: tuple[Node, ...]
    notes: tuple[str, ...] = ()


class Network:
    """A trained network. Texts in the language of the paper go in, records come out; docs/python.md has examples."""

    def __init__(self, found: Found):
        self.name, self.title, self.temperature = found.name, found.title, found.temperature
        self.reader = Reader(found.knowledge)
        self.decodes = found.run.configuration.decodes  # whether it evaluates functions of numbers
        from ..training.learners import load_network  # MXNet takes two seconds to import

        self._network = load_network(found.run)
        self._valuation = Valuation()
        self._filler = Filler(self)

    def __repr__(self):
        return f"<Network {self.name}>"

    def probabilities(self, logits: np.ndarray | Sequence[float] | float) -> np.ndarray:
        """Logits as calibrated probabilities."""
        return 0.5 * (1 + np.tanh(0.5 * np.asarray(logits, float) / self.temperature))

    def comparisons(self, expressions: Sequence[Expression], other: Expression) -> np.ndarray:
        """For each expression the logit that it equals the other one."""
        return self._network.logits([Equation(expression, other) for expression in expressions])

    def verify(self, equations: Iterable[str | Equation], oracle: Oracle | None = None) -> list[Verification]:
        """The network's opinion of each equation, in order, and the judges' verdict if there is an oracle."""
        if isinstance(equations, str):
            raise TypeError("verify takes a list of equations: verify(['x = x'])")
        reads = list(map(self.reader.equation, equations))
        answers = self.verify_read(reads)
        if oracle is None:
            return answers
        return list(map(Verification.judged, answers, oracle.judge_many(read.typed for read in reads)))

    def verify_read(self, reads: Iterable[Read]) -> list[Verification]:
        """The network's opinion of equations that its reader has read; none of those that it cannot read."""
        reads = list(reads)
        known = [read.equation for read in reads if read.equation]
        probabilities = iter(self.probabilities(self._network.logits(known)).tolist() if known else ())
        answers = []
        for read in reads:
            probability = next(probabilities) if read.equation else None
            verdict = None if probability is None else "correct" if probability >= 0.5 else "incorrect"
            answers.append(Verification(read.text, verdict, probability, notes=read.notes))
        return answers

    def complete(
        self, equation: str, top: int = 10, network_only: bool = False, oracle: Oracle | None = None
    ) -> Completion:
        """Fillings of the blank, written as `_`, `?` or `□`: those that the judges confirm, then the network's others.

        The sample points and the second prover judge; what they leave open is given to the oracle if there is one.
        """
        if top < 1:
            raise InputError(f"top {top} is not at least 1")
        read = self.reader.blank(equation, for_judges=not network_only)
        return self._filler.complete(read, top, network_only, oracle)

    def evaluate(self, expression: str) -> Evaluation:
        """The value of an expression by the network, and the true one."""
        if not self.decodes:
            raise InputError(f"{self.title} does not evaluate functions of numbers")
        read, notes = self.reader.evaluated(expression)
        value, true = float(self.decoded([read])[0]), self._true(read)
        if true is not None and abs(true) > NUMBERS_RANGE[1]:
            notes += ("its value is beyond the numbers of the training ({} to {})".format(*NUMBERS_RANGE),)
        return Evaluation(expression.strip(), value, true, notes)

    def decoded(self, expressions: Sequence[Expression]) -> np.ndarray:
        """The values of many trees, by a network that decodes."""
        return self._network.decode(self._network.encode(expressions)).asnumpy()

    def embed(self, expressions: Iterable[str]) -> np.ndarray:
        """The vectors of expressions, the state h of each root: (expressions, hidden)."""
        if isinstance(expressions, str):
            raise TypeError("embed takes a list of expressions: embed(['sin(x)'])")
        read = [self.reader.expression(text) for text in expressions]
        return self._network.encode(read).asnumpy() if read else np.zeros((0, self._network.hidden), np.float32)

    def subtrees(self, equation: str) -> Tree:
        """Every node of both sides with its value and probability, parents before children."""
        read = self.reader.equation(equation)
        whole = read.equation or read.typed
        sides = whole, whole.mirrored()
        logits = [self.comparisons(list(side.subexpressions()), other) for side, other in sides]
        nodes = list(whole.subexpressions())
        values = self.decoded(nodes).tolist() if self.decodes else repeat(None, len(nodes))
        columns = read.typed.positions(), values, self.probabilities(np.concatenate(logits)).tolist()
        rows = zip(*columns, strict=True)
        return Tree(read.text, tuple(self._node(*place, value, each) for place, value, each in rows), read.notes)

    def _node(self, path: tuple[int, ...], node: Expression, value: float | None, probability: float) -> Node:
        text, mathml = print_expression(node), to_mathml(latex_expression(node))
        value = value if node.closed else None
        return Node(path, text, mathml, node.symbol, value, self._true(node), probability)

    def _true(self, expression: Expression) -> float | None:
        exact = exact_value(expression, self._valuation) if expression.closed else None
        return None if exact is None else round(float(exact), TRUE_DECIMALS) + 0.0  # no -0.0


def load(run: str | Path | None = None) -> Network:
    """The network of a run directory or of a name; without either the workspace's best one, or the showcase network."""
    return Network(find_network(run))
