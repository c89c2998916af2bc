"""The model card of the showcase network, from what was measured."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from .. import artifacts, shapes
from ..language.grammar import CONSTANTS
from ..training.run_directory import FinishedRun
from .building import LISTED

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
