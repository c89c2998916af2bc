"""How a network answers a list of equations: right or wrong by topic, and whether its probabilities can be believed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np

from .. import artifacts, shapes
from ..data.axioms import TextbookEquation
from ..data.export import template
from ..data.splits import twin_key
from ..errors import InputError
from ..language.expression import Equation, variable
from ..language.grammar import CONSTANTS
from ..training.run_directory import PARAMETERS, FinishedRun
from .building import LISTED

BINS = 10
TEMPERATURES = np.geomspace(0.05, 20, 241)
DECIMALS = 4
KINDS = {"identities": 1, "near_misses": 0}  # of equations, with their labels


class Answer(NamedTuple):
    """The network's logit for one equation, above 0 for correct."""

    text: str
    topic: str
    label: int
    logit: float

    @property
    def is_right(self) -> bool:
        return (self.logit > 0) == (self.label == 1)


def as_known(equation: Equation, symbols: Sequence[str]) -> Equation:
    """The equation with unknown variables replaced by the network's free ones, in the order of appearance."""
    known, names = [name for name in symbols if name not in CONSTANTS], equation.variables()
    strangers, free = [n for n in names if n not in known], [n for n in known if n not in names]
    if len(strangers) > len(free):
        raise InputError(f"the network knows {len(known)} variables, too few for {', '.join(names)}")
    return equation.substituted({old: variable(new) for old, new in zip(strangers, free, strict=False)})


def answers(model, listed: Sequence[TextbookEquation]) -> list[Answer]:
    """The model's answer to each equation."""
    equations = [as_known(each.equation, model.vocabulary.symbols) for each in listed]
    batch = model.batch(equations, [each.label for each in listed])
    logits, _ = model.predict(batch.table, batch.examples)
    return [Answer(each.text, each.topic, each.label, float(logit)) for each, logit in zip(listed, logits, strict=True)]


def tally(given: Iterable[Answer]) -> dict[str, int]:
    """How many answers are right, of how many."""
    right = [each.is_right for each in given]
    return {"right": sum(right), "count": len(right)}


def apart_from(given: Sequence[Answer], listed: Iterable[TextbookEquation], own: Sequence[TextbookEquation]) -> dict:
    """The tally of the answers to equations that are not listed elsewhere, up to names of variables and sides."""
    others = {twin_key(each.equation) for each in listed}
    return tally(answer for answer, each in zip(given, own, strict=True) if twin_key(each.equation) not in others)


def log_loss(given: Sequence[Answer], temperature: float) -> float:
    logits, labels = np.array([(each.logit, each.label) for each in given]).T
    return float(np.mean(np.logaddexp(0, logits / temperature) - labels * (logits / temperature)))


def choose_temperature(given: Sequence[Answer]) -> float:
    """The temperature of the smallest logistic loss on these answers."""
    losses = [log_loss(given, temperature) for temperature in TEMPERATURES]
    return round(float(TEMPERATURES[int(np.argmin(losses))]), DECIMALS)


def reliability(given: Sequence[Answer], temperature: float) -> list[dict]:
    """By bins of the probability: how many, their mean probability, and the share that is correct."""
    logits, labels = np.array([(each.logit, each.label) for each in given]).T
    said = 0.5 * (1 + np.tanh(0.5 * logits / temperature))
    places = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        {
            "bin": place,
            "count": int(np.sum(places == place)),
            "probability": round(float(said[places == place].mean()), DECIMALS),
            "correct": round(float(labels[places == place].mean()), DECIMALS),
        }
        for place in sorted(set(places.tolist()))
    ]


def calibration_error(given: Sequence[Answer], temperature: float) -> float:
    """The expected difference between a probability and the share of equations that are correct at it."""
    rows = reliability(given, temperature)
    total = sum(row["count"] for row in rows)
    return round(sum(row["count"] * abs(row["probability"] - row["correct"]) for row in rows) / total, DECIMALS)


def _both(given: Iterable[Answer]) -> dict:
    given = list(given)
    return {name: tally(each for each in given if each.label == label) for name, label in KINDS.items()}


def scores(given: Sequence[Answer], temperature: float) -> dict:
    """Everything that is said of a list: right answers by topic and kind, and calibration before and after."""
    topics, temperatures = dict.fromkeys(each.topic for each in given), {"before": 1.0, "after": temperature}
    return {
        "accuracy": round(sum(each.is_right for each in given) / len(given), DECIMALS),
        "count": len(given),
        **_both(given),
        "topics": {topic: _both(each for each in given if each.topic == topic) for topic in topics},
        "calibration_error": {name: calibration_error(given, each) for name, each in temperatures.items()},
        "reliability": {name: reliability(given, each) for name, each in temperatures.items()},
    }


def write_calibration(path: Path, given: Sequence[Answer]) -> float:
    """Chooses the temperature on these answers and writes it down, with the network beside it that gave them."""
    temperature = choose_temperature(given)
    losses = {"before": log_loss(given, 1.0), "after": log_loss(given, temperature)}
    row = {
        "temperature": temperature,
        "chosen_on": "dev list",
        "equations": len(given),
        "log_loss": {name: round(loss, DECIMALS) for name, loss in losses.items()},
        "parameters": artifacts.checksum(artifacts.read_bytes(path.parent / PARAMETERS)),
    }
    artifacts.write_sealed(path, row)
    return temperature


CARD, JUDGED, CALIBRATION, DATA = "README.md", "judged.json", "calibration.json", "data.json"


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


def write_card(directory: Path, run: FinishedRun) -> None:
    """README.md in the directory, from the files beside it."""
    calibration, judged = (artifacts.read_json(directory / name) for name in (CALIBRATION, JUDGED))
    data = read_data(directory)
    text = template("card.md.j2", package="reproduction.showcase").render(
        configuration=run.configuration,
        results=run.results,
        variables=[name for name in run.config["symbols"] if name not in CONSTANTS],
        data=data,
        left_out=data["left_out"].get(LISTED, 0),
        calibration=calibration,
        judged=judged,
    )
    artifacts.write_text(directory / CARD, text)
