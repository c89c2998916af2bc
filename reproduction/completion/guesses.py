"""Somebody's guesses for the blanks of a test part, read with care and scored as rankings of ours are.

A line is a JSON object with the `id` of an equation and up to ten `guesses`, the best first. As in the tables, a guess
is a terminal or a function of terminals, it is right if the numeric judge finds the filled equation true, and one that
leaves it undefined is passed over.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..data.dataset import Dataset, Record, Split
from ..data.export import prefix_tokens
from ..data.scores import Scored, Scores, refuse_missing, rows_of_file, wilson
from ..errors import InputError, excerpt
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, DIFFERS, examine
from ..language.expression import BLANK, Expression
from ..language.grammar import EXTRA_FUNCTIONS
from ..language.parsing import parse_expression
from ..measures import TOP_K
from .candidates import Blank, symbolic_blanks, symbolic_candidates


class _Line(NamedTuple):
    id: str
    guesses: tuple[str, ...]


def exported_blanks(records: Iterable[Record]) -> list[dict]:
    """The blanks of symbolic equations, a row each, as `export` writes them."""
    return [
        {"id": name, "text": blank.text, "prefix": prefix_tokens(blank.filled(BLANK)), "latex": blank.latex}
        for name, blank in symbolic_blanks(records).items()
    ]


def read_guesses(path: Path) -> dict[str, tuple[str, ...]]:
    """The guesses of a JSON-lines file, .gz or plain, by the ids of equations."""
    return {identifier: line.guesses for identifier, line in rows_of_file(_Line, path).items()}


def guess_scores(guesses: Mapping[str, tuple[str, ...]], dataset: Dataset, split: Split, where: object) -> Scores:
    """The share of blanks that one of the first k guesses fills rightly, k from 1 to 10."""
    blanks = symbolic_blanks(dataset.by_id[identifier] for identifier in split.test)
    for identifier in guesses:
        if identifier not in blanks:
            raise InputError(f"{where}: no blank of this test part has the id {excerpt(identifier)!r}")
    refuse_missing(list(blanks), guesses, "blanks have no guesses", where)
    valuation = Valuation()
    ranks = [_rank(blank, guesses[name], dataset, valuation, f"{where}: {name}") for name, blank in blanks.items()]
    shares = {top: sum(rank <= k for rank in ranks) / len(ranks) for k, top in enumerate(TOP_K, 1)}
    return {top: Scored(100 * share, len(ranks), wilson(share, len(ranks))) for top, share in shares.items()}


def _rank(blank: Blank, guesses: tuple[str, ...], dataset: Dataset, valuation: Valuation, where: str) -> int:
    """The place of the first right guess; a large number if there is none."""
    expressions = [_candidate(text, blank, dataset, where) for text in guesses[: len(TOP_K)]]
    if len(set(expressions)) < len(expressions):
        raise InputError(f"{where}: a guess stands there twice")
    outcomes = [examine(blank.filled(each), valuation).outcome for each in expressions]
    judged = [outcome for outcome in outcomes if outcome in (AGREES, DIFFERS)]
    return 1 + judged.index(AGREES) if AGREES in judged else len(TOP_K) + 1


def _candidate(text: str, blank: Blank, dataset: Dataset, where: str) -> Expression:
    expression = parse_expression(text, EXTRA_FUNCTIONS)
    if expression not in symbolic_candidates(blank.variables, dataset.functions):
        allowed = "a constant, a variable of the equation, or a function of them"
        raise InputError(f"{where}: the guess {excerpt(text)!r} is no candidate ({allowed})")
    return expression
