"""Blanks with their best candidates, as Figure 4 shows them: the paper's own two equations, and some of the test set.

Here Sympy has its say, too: the verdict on a completed equation that is shown is that of both judges.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter
from random import Random

import numpy as np

from ..data.dataset import Dataset
from ..judges.balls import Valuation
from ..judges.oracle import Oracle
from ..language.expression import NUMBER
from ..language.parsing import parse_equation
from ..language.printing import latex_expression, print_expression
from .candidates import Blank, numeric_candidates, symbolic_candidates
from .numeric import Truth, numeric_ranking
from .ranking import LARGEST_K, ranking
from .truth import TRUE

PAPER_SYMBOLIC = Blank(parse_equation("4^tanh(0) = 1^x"), (1, 0))
PAPER_NUMERIC = Blank(parse_equation("cos(-2.18) = -0.57"), (0, 0, 1))
PAPER, TEST = "paper", "test"  # where an example is from

EXAMPLES = 8  # of the test set
MOST_CORRECT = 30  # blanks that more candidates fill say little
LARGEST_SIZE = 16  # nodes: what can be read
SMALLEST_ERROR_DIGITS = 3


def is_known(blank: Blank, dataset: Dataset) -> bool:
    """Whether a network trained on this data has a place for every symbol around the blank."""
    nodes = list(blank.equation.subexpressions())
    return all(
        node.symbol in (dataset.symbols if node.is_leaf else dataset.functions) for node in nodes if node.kind != NUMBER
    )


def chosen_symbolic(blanks: Mapping[str, Blank], outcomes: Sequence[np.ndarray]) -> dict[str, Blank]:
    """A few readable blanks of the test set that are not filled by just anything; the same ones for every model."""
    fitting = sorted(
        identifier
        for (identifier, blank), here in zip(blanks.items(), outcomes, strict=True)
        if blank.equation.size <= LARGEST_SIZE and np.sum(here == TRUE) <= MOST_CORRECT
    )
    chosen = Random("completion examples").sample(fitting, min(EXAMPLES, len(fitting)))
    return {identifier: blanks[identifier] for identifier in chosen}


def chosen_numeric(blanks: Mapping[str, Blank]) -> dict[str, Blank]:
    chosen = Random("completion examples").sample(sorted(blanks), min(EXAMPLES, len(blanks)))
    return {identifier: blanks[identifier] for identifier in chosen}


def _head(blank: Blank, identifier: str) -> dict:
    return {
        "equation": blank.text,
        "latex": blank.latex,
        "source": identifier if identifier == PAPER else TEST,
        "id": identifier,
        "removed": print_expression(blank.removed),
    }


def probability(logit: float) -> float:
    return float(0.5 * (1 + np.tanh(0.5 * float(logit))))


def symbolic_example(
    identifier: str, blank: Blank, logits: np.ndarray, outcomes: np.ndarray, functions: tuple[str, ...], oracle: Oracle
) -> dict:
    """A blank and its first ten candidates, each with the model's probability and the oracle's verdict."""
    candidates = symbolic_candidates(blank.variables, functions)
    first = ranking(identifier, logits, outcomes)[:LARGEST_K]
    judgements = oracle.judge_many(blank.filled(candidates[index]) for index in first)
    predictions = [
        {
            "text": print_expression(candidates[index]),
            "latex": latex_expression(candidates[index]),
            "probability": round(probability(logits[index]), 6),
            "verdict": judgement.verdict,
            "counted_correct": bool(outcomes[index] == TRUE),
        }
        for index, judgement in zip(first, judgements, strict=True)
    ]
    correct = int(np.sum(outcomes == TRUE))
    return {**_head(blank, identifier), "correct_candidates": correct, "predictions": predictions}


def _error(value: float) -> float:
    """A squared error with a few digits, so that the last bits of a network's arithmetic are not written down."""
    return float(f"{value:.{SMALLEST_ERROR_DIGITS}g}")


def numeric_example(identifier: str, blank: Blank, decoded: np.ndarray, known: Truth) -> dict:
    """A blank and its first ten numbers, with the paper's modelErr and trueErr."""
    candidates = numeric_candidates()
    predictions = [
        {
            "text": candidates[index].symbol,
            "decoded": round(float(decoded[index]), 4),
            "model_error": _error((decoded[index] - known.literal) ** 2),
            "true_error": _error(known.true_error[index]),
            "fits": bool(known.fits[index]),
        }
        for index in numeric_ranking(identifier, decoded, known)[:LARGEST_K]
    ]
    fitting = [candidates[index].symbol for index in np.flatnonzero(known.fits)]
    return {**_head(blank, identifier), "literal": known.literal, "fitting": fitting, "predictions": predictions}


def evaluations(blanks: Mapping[str, Blank], decoded: Sequence[np.ndarray]) -> dict[str, list[dict]]:
    """For each function what the network makes of the test arguments: the removed number is one of the candidates."""
    place = {candidate: index for index, candidate in enumerate(numeric_candidates())}
    valuation = Valuation()
    by_function: dict[str, list[dict]] = {}
    for blank, values in zip(blanks.values(), decoded, strict=True):
        side = blank.equation[blank.path[0]]
        evaluation = {
            "arguments": [float(valuation.value(child, 0).real) for child in side.children],
            "value": float(valuation.value(side, 0).real),
            "decoded": round(float(values[place[blank.removed]]), 4),
        }
        by_function.setdefault(side.symbol, []).append(evaluation)
    return {name: sorted(each, key=itemgetter("arguments")) for name, each in sorted(by_function.items())}
