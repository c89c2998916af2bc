"""How a network answers a list of equations: right or wrong by topic, and whether its probabilities can be believed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np

from .. import artifacts, shapes
from ..data.splits import twin_key
from ..data.textbook import TextbookEquation
from ..errors import InputError
from ..language.expression import Equation, variable
from ..language.grammar import CONSTANTS
from ..training.run_directory import PARAMETERS, FinishedRun
from .building import LISTED

BINS = 10
TEMPERATURES = np.geomspace(0.05, 20, 241)
DECIMALS = 4


class Answer(NamedTuple):
    """What the network says of one equation: a logit, above 0 for correct."""

    text: str
    topic: str
    label: int
    logit: float

    @property
    def is_right(self) -> bool:
        return (self.logit > 0) == (self.label == 1)


def as_known(equation: Equation, symbols: Sequence[str]) -> Equation:
    """The equation with variables that the network knows for those that it does not, in the order of appearance."""
    known, names = [name for name in symbols if name not in CONSTANTS], equation.variables()
    strangers, free = [n for n in names if n not in known], [n for n in known if n not in names]
    if len(strangers) > len(free):
        raise InputError(f"the network knows {len(known)} variables, too few for {', '.join(names)}")
    return equation.substituted({old: variable(new) for old, new in zip(strangers, free, strict=False)})


def answers(model, listed: Sequence[TextbookEquation]) -> list[Answer]:
    """What the model says of each equation."""
    equations = [as_known(each.equation, model.vocabulary.symbols) for each in listed]
    batch = model.batch(equations, [each.label for each in listed])
    logits, _ = model.predict(batch.table, batch.examples)
    return [Answer(each.text, each.topic, each.label, float(logit)) for each, logit in zip(listed, logits, strict=True)]


def apart_from(given: Sequence[Answer], listed: Iterable[TextbookEquation], own: Sequence[TextbookEquation]) -> dict:
    """The tally of the answers to equations that are not listed elsewhere, up to names of variables and sides."""
    others = {twin_key(each.equation) for each in listed}
    return tally(answer for answer, each in zip(given, own, strict=True) if twin_key(each.equation) not in others)


def _columns(given: Sequence[Answer]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([each.logit for each in given]), np.array([each.label for each in given], dtype=float)


def probabilities(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * logits / temperature))


def log_loss(logits: np.ndarray, labels: np.ndarray, temperature: float) -> float:
    scaled = logits / temperature
    return float(np.mean(np.logaddexp(0, scaled) - labels * scaled))


def choose_temperature(given: Sequence[Answer]) -> float:
    """The temperature of the smallest logistic loss on these answers."""
    logits, labels = _columns(given)
    losses = [log_loss(logits, labels, temperature) for temperature in TEMPERATURES]
    return round(float(TEMPERATURES[int(np.argmin(losses))]), DECIMALS)


def reliability(given: Sequence[Answer], temperature: float) -> list[dict]:
    """By bins of the probability: how many, their mean probability, and the share that is correct."""
    logits, labels = _columns(given)
    said = probabilities(logits, temperature)
    places = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        {
            "bin": place,
            "count": int(np.sum(places == place)),
            "probability": round(float(said[places == place].mean()), DECIMALS),
            "correct": round(float(labels[places == place].mean()), DECIMALS),
        }
        for place in range(BINS)
        if np.any(places == place)
    ]


def calibration_error(given: Sequence[Answer], temperature: float) -> float:
    """The expected difference between a probability and the share of equations that are correct at it."""
    rows = reliability(given, temperature)
    total = sum(row["count"] for row in rows)
    return round(sum(row["count"] * abs(row["probability"] - row["correct"]) for row in rows) / total, DECIMALS)


def tally(given: Iterable[Answer]) -> dict[str, int]:
    """How many answers are right, of how many."""
    given = list(given)
    return {"right": sum(each.is_right for each in given), "count": len(given)}


def _both(given: Sequence[Answer]) -> dict:
    return {
        "identities": tally(each for each in given if each.label == 1),
        "near_misses": tally(each for each in given if each.label == 0),
    }


def scores(given: Sequence[Answer], temperature: float) -> dict:
    """Everything that is said of a list: right answers by topic and kind, and calibration before and after."""
    topics = dict.fromkeys(each.topic for each in given)
    right = sum(each.is_right for each in given)
    return {
        "accuracy": round(right / len(given), DECIMALS),
        "count": len(given),
        **_both(given),
        "topics": {topic: _both([each for each in given if each.topic == topic]) for topic in topics},
        "calibration_error": {
            "before": calibration_error(given, 1.0),
            "after": calibration_error(given, temperature),
        },
        "reliability": {"before": reliability(given, 1.0), "after": reliability(given, temperature)},
    }


def write_calibration(path: Path, given: Sequence[Answer]) -> float:
    """Chooses the temperature on these answers and writes it down, with the network beside it that gave them."""
    temperature = choose_temperature(given)
    logits, labels = _columns(given)
    row = {
        "temperature": temperature,
        "chosen_on": "dev list",
        "equations": len(given),
        "log_loss": {
            "before": round(log_loss(logits, labels, 1.0), DECIMALS),
            "after": round(log_loss(logits, labels, temperature), DECIMALS),
        },
        "parameters": artifacts.checksum(artifacts.read_bytes(path.parent / PARAMETERS)),
    }
    artifacts.write_sealed(path, row)
    return temperature


CARD, JUDGED, CALIBRATION, DATA = "README.md", "judged.json", "calibration.json", "data.json"
COMMAND = "python -m reproduction showcase"


class Data(TypedDict):
    """What data.json says of the equations that the network was trained on."""

    equations: int
    correct: int
    evaluations: int
    identities: int
    left_out: dict[str, int]
    excluded: int


def read_data(directory: Path) -> Data:
    return shapes.read(Data, directory / DATA, sealed=True)


def _per_cent(tally: dict) -> str:
    return f"{100 * tally['right'] / tally['count']:.1f} %" if tally["count"] else "–"


def _cell(tally: dict) -> str:
    return f"{tally['right']} of {tally['count']}"


def _table(scores: dict) -> Iterator[str]:
    yield "| Topic | Identities right | Near misses right |"
    yield "|---|---:|---:|"
    for topic, both in scores["topics"].items():
        yield f"| {topic} | {_cell(both['identities'])} | {_cell(both['near_misses'])} |"
    yield f"| **all** | **{_cell(scores['identities'])}** | **{_cell(scores['near_misses'])}** |"


def _list(title: str, words: str, scores: dict) -> Iterator[str]:
    error = scores["calibration_error"]
    yield f"## {title}"
    yield ""
    yield words
    yield f"Right on **{100 * scores['accuracy']:.1f} %** of {scores['count']} equations:"
    yield f"{_per_cent(scores['identities'])} of the identities, {_per_cent(scores['near_misses'])} of the near misses."
    yield f"Expected calibration error {error['before']:.3f}, {error['after']:.3f} with the temperature."
    if apart := scores.get("apart_from_dev"):
        yield f"{scores['count'] - apart['count']} of them happen to stand on the dev list as well; on the other"
        yield f"{apart['count']} it is right in {_per_cent(apart)}."
    yield ""
    yield from _table(scores)
    yield ""


def _mistakes(judged: dict) -> Iterator[str]:
    for name in ("identities", "near_misses"):
        wrong = judged["wrong_on_dev"][name]
        if wrong:
            yield f"Of the dev list's {name.replace('_', ' ')} it gets these wrong: "
            yield ", ".join(f"`{text}`" for text in wrong) + "."
            yield ""


def _data(data: Data) -> Iterator[str]:
    yield "## What it was trained on"
    yield ""
    yield f"{data['equations']:,} equations, {data['correct']:,} of them correct, and {data['evaluations']:,}"
    yield f"function evaluations. They start from {data['identities']:,} listed identities (`axioms.txt` and"
    yield "`reproduction/showcase/identities.txt`): variables replaced, terms and factors moved and reordered, subterms"
    yield "rewritten; from small expressions that turned out to have equal values; from school algebra and arithmetic."
    yield "Near misses are these equations with one sign, constant, exponent, function, operand or bracket changed."
    yield ""
    yield "A label is what floating-point values at ten points say, on the principal branches and at real variables:"
    yield "equal wherever both sides have a value, or different at two points or more. No computer algebra proved them."
    yield f"{data['left_out'].get(LISTED, 0):,} equations were left out because they stand, up to names of variables"
    yield f"and order of sides, on one of the lists below ({data['excluded']:,} equations)."
    yield ""


def card(run: FinishedRun, data: Data, calibration: dict, judged: dict) -> Iterator[str]:
    """The lines of the card."""
    configuration, results = run.configuration, run.results
    variables = [name for name in run.config["symbols"] if name not in CONSTANTS]
    yield "# The showcase network"
    yield ""
    yield "A TreeLSTM that says how probable it is that an equation holds: a network to be used, apart from the paper's"
    yield f"tables. `{COMMAND}` makes its data, trains, calibrates and judges it, and writes this page."
    yield ""
    yield f"- {results.parameters:,} parameters, hidden size {configuration.hidden}; it reads the 28 functions of the"
    yield f"  grammar, all its constants, other numbers by the number block, and the variables {', '.join(variables)}."
    yield f"- {configuration.epochs} epochs, {results.train_seconds / 60:.0f} minutes; accuracy on held-out equations"
    yield f"  of its own data {100 * results.test.symbolic.accuracy:.1f} %."
    yield f"- Probability: sigmoid(logit / {calibration['temperature']:g}); of all temperatures this has the smallest"
    yield "  logistic loss on the dev list."
    yield ""
    yield "![Reliability](reliability.png)"
    yield ""
    yield from _data(data)
    if "textbook" in judged:
        words = "The list in `runs/textbook`, which nobody trained on; of two earlier networks only totals were seen."
        yield from _list("On textbook equations", words, judged["textbook"])
    words = "The list in `reproduction/showcase/dev`, on which settings and the temperature were chosen."
    yield from _list("On the dev list", words, judged["dev"])
    yield "## Where it fails"
    yield ""
    yield from _mistakes(judged)
    yield "It judges by resemblance, not by proof: `python -m reproduction check` has the judges that prove and refute."
    yield "Long equations, more than four variables and numbers far beyond 100 are outside of what it has met."


def write_card(directory: Path, run: FinishedRun) -> None:
    """README.md in the directory, from the files beside it."""
    calibration, judged = (artifacts.read_json(directory / name) for name in (CALIBRATION, JUDGED))
    artifacts.write_text(
        directory / CARD, "\n".join(card(run, read_data(directory), calibration, judged)).rstrip() + "\n"
    )
