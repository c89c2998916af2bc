"""The textbook blanks that a network fills rightly at its first guess, alone and with the judges."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from .. import artifacts
from ..completion.candidates import Blank, parse_blank
from ..data.axioms import TEXTBOOK
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, Oracle, examine
from ..language.expression import Equation, Expression
from ..language.parsing import ParseError, parse_expression
from ..training.run_directory import PARAMETERS
from .network import Found, Network

BLANKS = TEXTBOOK / "blanks.txt"
TOP = 10


class TextbookBlank(NamedTuple):
    """An equation with a blank, the book's answer, and the topic."""

    text: str
    blank: Blank
    answer: Expression
    topic: str


class Score(NamedTuple):
    """The first fillings of a blank, without and with the judges, and whether they are right."""

    blank: TextbookBlank
    network_first: str | None  # by the network's own ranking
    network_right: bool
    judged_first: str | None  # with the judges
    judged_right: bool
    judged_is_the_books: bool  # whether it equals the book's answer; others may fit as well
    network_rank: int | None  # of the first with the judges; None where their search found it


def read_blanks(path: Path = BLANKS) -> list[TextbookBlank]:
    """The blanks of a list: `equation with _ ; answer`, under `[topic]` headers."""
    blanks, topic = [], ""
    for number, line in enumerate(artifacts.read_text(path).split("\n"), 1):
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            topic = line.strip("[]").strip()
        elif line:
            text, _, answer = map(str.strip, line.partition(";"))
            try:
                blanks.append(TextbookBlank(text, parse_blank(text), parse_expression(answer), topic))
            except ParseError as error:
                raise InputError(f"{path}, line {number}: `equation with _ ; answer` is wanted; {error}") from None
    return blanks


def summary(found: Found, rows: Sequence[Score]) -> dict:
    """Counts of right first fillings, in all and by topic, and the first fillings of every blank."""
    topics = dict.fromkeys(row.blank.topic for row in rows)
    return {
        "network": found.name,
        "parameters": found.run.results.files.get(PARAMETERS),
        "blanks": artifacts.checksum(artifacts.read_bytes(BLANKS)),
        "all": _counts(rows),
        "topics": {topic: _counts([row for row in rows if row.blank.topic == topic]) for topic in topics},
        "rows": [{**row._asdict(), "blank": row.blank.text, "topic": row.blank.topic} for row in rows],
    }


def _counts(rows: Sequence[Score]) -> dict[str, int]:
    return {
        "count": len(rows),
        "network": sum(row.network_right for row in rows),
        "judges": sum(row.judged_right for row in rows),
        "books": sum(row.judged_is_the_books for row in rows),
        "searched": sum(row.network_rank is None for row in rows),
    }


def scores(network: Network, blanks: Iterable[TextbookBlank], oracle: Oracle) -> Iterator[Score]:
    """The score of every blank; a filling that the judges leave open counts as wrong."""
    valuation = Valuation()
    for blank in blanks:
        completion = network.complete(blank.text, TOP, oracle=oracle)
        guess, first = completion.first_guess, next(iter(completion.fillings), None)
        same = first and examine(Equation(blank.answer, parse_expression(first.expression)), valuation)
        yield Score(
            blank,
            guess and guess.expression,
            guess is not None and guess.is_right,
            first and first.expression,
            first is not None and first.is_right,
            same is not None and same.outcome == AGREES,
            first and first.network_rank,
        )
