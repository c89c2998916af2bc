"""The paper's second task on the test set of one run: the content of completion.json and completion-examples.json.

Examples are what Figure 4 shows: the paper's own two equations and some of the test set, with their best candidates.
The verdict on a completed equation that is shown is that of both judges, Sympy's too. Both files depend on the data,
the split and the weights alone: the same run gives the same bytes.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..data.dataset import Dataset, Split
from ..data.scores import probabilities
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import OUTCOMES, Oracle
from ..language.expression import NUMBER, Equation, Expression, apply, negated
from ..language.grammar import FUNCTIONS
from ..language.parsing import parse_equation
from ..language.printing import latex_expression, print_expression
from .candidates import Blank, numeric_blanks, numeric_candidates, subtree_counts, symbolic_blanks, symbolic_candidates
from .ranking import LARGEST_K, numeric_ranking, numeric_results, random_score, ranked_report, ranking, report
from .store import PAPER, TEST
from .truth import TRUE, Truth, judge_blanks, truth

if TYPE_CHECKING:  # it imports MXNet
    from .scorers import Scorer

PAPER_SYMBOLIC = Blank(parse_equation("4^tanh(0) = 1^x"), (1, 0))
PAPER_NUMERIC = Blank(parse_equation("cos(-2.18) = -0.57"), (0, 0, 1))

EXAMPLES = 8  # of the test set
MOST_CORRECT = 30  # blanks that more candidates fill say little
LARGEST_SIZE = 16  # nodes: what can be read
ERROR_DIGITS = 3


class Task(NamedTuple):
    """The blanks of a test set by the ids of their records, and the outcomes of the symbolic candidates."""

    dataset: Dataset
    split: Split
    symbolic: dict[str, Blank]
    outcomes: list[np.ndarray]
    numeric: dict[str, Blank]


def make_task(dataset: Dataset, split: Split, cache: Path, limit: int | None, watch=iter) -> Task:
    """The task of a split; a limit takes its first blanks of each kind. `watch` sees the blanks that are judged."""
    test = [dataset.by_id[identifier] for identifier in split.test]
    symbolic, numeric = (
        dict(islice(blanks.items(), limit)) for blanks in (symbolic_blanks(test), numeric_blanks(test))
    )
    if not symbolic:
        raise InputError("the test set has no correct symbolic equation, so that there is no blank to fill")
    outcomes = judge_blanks(list(symbolic.values()), dataset.functions, cache, watch)
    return Task(dataset, split, symbolic, outcomes, numeric)


def symbolic_results(task: Task, logits: Sequence[np.ndarray]) -> dict:
    """The model's scores beside those of a random ranking and of the most frequent candidates."""
    blanks, outcomes, functions = list(task.symbolic.values()), task.outcomes, task.dataset.functions
    counts = subtree_counts(task.dataset.by_id[identifier] for identifier in task.split.train)
    candidates = (symbolic_candidates(blank.variables, functions) for blank in blanks)
    frequencies = (np.array([counts[candidate] for candidate in here], dtype=float) for here in candidates)
    every = np.concatenate(outcomes)
    return {
        **ranked_report(task.symbolic, outcomes, logits),
        "random": report(blanks, outcomes, [random_score(here) for here in outcomes]),
        "most_frequent": ranked_report(task.symbolic, outcomes, frequencies),
        "candidates": {outcome: int(np.sum(every == index)) for index, outcome in enumerate(OUTCOMES)},
    }


def symbolic_examples(
    task: Task, logits: Sequence[np.ndarray], scorer: "Scorer", oracle: Oracle, cache: Path
) -> list[dict]:
    """The paper's own equation first, if the data set knows its symbols; then some of the test set."""
    functions = task.dataset.functions
    rows = dict(zip(task.symbolic, zip(task.symbolic.values(), logits, task.outcomes, strict=True), strict=True))
    shown: list[Any] = [(name, *rows[name]) for name in chosen_symbolic(task.symbolic, task.outcomes)]
    if is_known(PAPER_SYMBOLIC, task.dataset):
        [own] = scorer.logits([PAPER_SYMBOLIC])
        shown.insert(0, (PAPER, PAPER_SYMBOLIC, own, *judge_blanks([PAPER_SYMBOLIC], functions, cache)))
    return [symbolic_example(name, blank, values, true, functions, oracle) for name, blank, values, true in shown]


def curves(functions: Sequence[str], scorer: "Scorer") -> dict[str, list[float]]:
    """For each function of one argument the decoded values at -3.14, -3.13, ..., 3.14."""
    one = numeric_candidates()[100]
    found = {}
    for name in functions:
        plus, minus = Equation(apply(name, one), one), Equation(apply(name, negated(one)), one)
        positive, negative = scorer.decoded([Blank(plus, (0, 0)), Blank(minus, (0, 0, 1))])
        found[name] = [round(float(value), 3) for value in (*negative[:0:-1], *positive)]
    return found


def numeric_part(task: Task, scorer: "Scorer") -> tuple[dict, dict]:
    """The results of completing function evaluations, and the examples of Figure 4."""
    valuation, blanks = Valuation(), task.numeric
    decoded = scorer.decoded(list(blanks.values()))
    known = [truth(blank, valuation) for blank in blanks.values()]
    rows = dict(zip(blanks, zip(blanks.values(), decoded, known, strict=True), strict=True))
    shown: list[Any] = [(PAPER, PAPER_NUMERIC, *scorer.decoded([PAPER_NUMERIC]), truth(PAPER_NUMERIC, valuation))]
    shown += [(name, *rows[name]) for name in chosen(blanks)]
    tested = evaluations(blanks, decoded)
    examples = {
        "numeric": [numeric_example(*row) for row in shown],
        "evaluations": tested,
        "curves": curves([name for name in tested if FUNCTIONS[name].arity == 1], scorer),
    }
    return numeric_results(blanks, decoded, known), examples


def evaluate(
    task: Task, scorer: "Scorer", reads_numbers: bool, oracle: Oracle, cache: Path, progress=lambda count: None
) -> tuple[dict, dict]:
    """(results, examples) of one model."""
    logits = scorer.logits(list(task.symbolic.values()), progress)
    results = {"symbolic": symbolic_results(task, logits), "numeric": None}
    examples = {"symbolic": symbolic_examples(task, logits, scorer, oracle, cache)}
    if reads_numbers and task.numeric:
        results["numeric"], numeric_examples = numeric_part(task, scorer)
        examples |= numeric_examples
    return results, examples


def is_known(blank: Blank, dataset: Dataset) -> bool:
    """Whether a network trained on this data has a place for every symbol around the blank."""
    nodes = list(blank.equation.subexpressions())
    return all(
        node.symbol in (dataset.symbols if node.is_leaf else dataset.functions) for node in nodes if node.kind != NUMBER
    )


def chosen_symbolic(blanks: Mapping[str, Blank], outcomes: Sequence[np.ndarray]) -> list[str]:
    """A few readable blanks of the test set with few right candidates; the same ones for every model."""
    rows = zip(blanks.items(), outcomes, strict=True)
    few = {name: blank for (name, blank), here in rows if np.sum(here == TRUE) <= MOST_CORRECT}
    return chosen(name for name, blank in few.items() if blank.equation.size <= LARGEST_SIZE)


def chosen(names: Iterable[str]) -> list[str]:
    """A random sample, always the same one."""
    ordered = sorted(names)
    return Random("completion examples").sample(ordered, min(EXAMPLES, len(ordered)))


def _head(blank: Blank, identifier: str) -> dict:
    return {
        "equation": blank.text,
        "latex": blank.latex,
        "source": identifier if identifier == PAPER else TEST,
        "id": identifier,
        "removed": print_expression(blank.removed),
    }


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
            "probability": round(float(said), 6),
            "verdict": judgement.verdict,
            "counted_correct": bool(outcomes[index] == TRUE),
        }
        for index, said, judgement in zip(first, probabilities(logits[first]), judgements, strict=True)
    ]
    correct = int(np.sum(outcomes == TRUE))
    return {**_head(blank, identifier), "correct_candidates": correct, "predictions": predictions}


def _error(value: float) -> float:
    """A squared error in three digits: the last bits of a network's arithmetic are not stored."""
    return float(f"{value:.{ERROR_DIGITS}g}")


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


def _real(expression: Expression, valuation: Valuation) -> float:
    value = valuation.value(expression, 0)
    assert not isinstance(value, str)  # an evaluation of the data set is defined
    return float(value.real)


def evaluations(blanks: Mapping[str, Blank], decoded: Sequence[np.ndarray]) -> dict[str, list[dict]]:
    """For each function the network's values at the test arguments, which are among the candidates."""
    place = {candidate: index for index, candidate in enumerate(numeric_candidates())}
    valuation = Valuation()
    by_function: dict[str, list[dict]] = {}
    for blank, values in zip(blanks.values(), decoded, strict=True):
        side = blank.equation[blank.path[0]]
        evaluation = {
            "arguments": [_real(child, valuation) for child in side.children],
            "value": _real(side, valuation),
            "decoded": round(float(values[place[blank.removed]]), 4),
        }
        by_function.setdefault(side.symbol, []).append(evaluation)
    return {name: sorted(each, key=itemgetter("arguments")) for name, each in sorted(by_function.items())}
