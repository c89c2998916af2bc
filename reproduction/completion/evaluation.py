"""The second task of the paper on the test set of one run: what goes into completion.json and completion-examples.json.

Both files depend on the data, the split and the weights alone: the same run gives the same bytes.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from ..data.dataset import Dataset, Split
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import OUTCOMES, Oracle
from ..language.expression import Equation, apply, negated
from ..language.grammar import FUNCTIONS
from .candidates import Blank, numeric_blanks, numeric_candidates, subtree_counts, symbolic_blanks, symbolic_candidates
from .examples import (
    PAPER,
    PAPER_NUMERIC,
    PAPER_SYMBOLIC,
    chosen_numeric,
    chosen_symbolic,
    evaluations,
    is_known,
    numeric_example,
    symbolic_example,
)
from .numeric import numeric_results, truth
from .ranking import random_score, ranked_report, report
from .truth import judge_blanks


class Scorer(Protocol):
    """A trained model, as completion needs it; `decoded` is asked of models with a decoder only."""

    def logits(self, blanks: Sequence[Blank], progress) -> list[np.ndarray]: ...

    def decoded(self, blanks: Sequence[Blank]) -> list[np.ndarray]: ...


class Task(NamedTuple):
    """The blanks of a test set by the ids of their records, and what is true of the symbolic ones."""

    dataset: Dataset
    split: Split
    symbolic: dict[str, Blank]
    outcomes: list[np.ndarray]
    numeric: dict[str, Blank]


def make_task(dataset: Dataset, split: Split, cache: Path, limit: int | None, watch=iter) -> Task:
    """The task of a split; with a limit only its first blanks of each kind. What has to be judged is watched."""
    test = [dataset.by_id[identifier] for identifier in split.test]
    symbolic, numeric = (
        dict(islice(blanks.items(), limit)) for blanks in (symbolic_blanks(test), numeric_blanks(test))
    )
    if not symbolic:
        raise InputError("the test set has no correct symbolic equation, so that there is no blank to fill")
    outcomes = judge_blanks(list(symbolic.values()), dataset.functions, cache, watch)
    return Task(dataset, split, symbolic, outcomes, numeric)


def symbolic_results(task: Task, logits: Sequence[np.ndarray]) -> dict:
    """The model's scores, and beside them what no model at all would get."""
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
    task: Task, logits: Sequence[np.ndarray], scorer: Scorer, oracle: Oracle, cache: Path
) -> list[dict]:
    """The paper's own equation first, if the data set knows its symbols; then some of the test set."""
    functions = task.dataset.functions
    by_id = dict(zip(task.symbolic, zip(logits, task.outcomes, strict=True), strict=True))
    shown: dict[str, Blank] = {}
    if is_known(PAPER_SYMBOLIC, task.dataset):
        shown[PAPER] = PAPER_SYMBOLIC
        outcomes = judge_blanks([PAPER_SYMBOLIC], functions, cache)
        by_id[PAPER] = (*scorer.logits([PAPER_SYMBOLIC], lambda count: None), *outcomes)
    shown |= chosen_symbolic(task.symbolic, task.outcomes)
    return [
        symbolic_example(identifier, blank, *by_id[identifier], functions, oracle)
        for identifier, blank in shown.items()
    ]


def curves(functions: Sequence[str], scorer: Scorer) -> dict[str, list[float]]:
    """For each function of one argument the decoded values at -3.14, -3.13, ..., 3.14."""
    one = numeric_candidates()[100]

    def curve(name: str) -> list[float]:
        plus, minus = Equation(apply(name, one), one), Equation(apply(name, negated(one)), one)
        positive, negative = scorer.decoded([Blank(plus, (0, 0)), Blank(minus, (0, 0, 1))])
        return [round(float(value), 3) for value in (*negative[:0:-1], *positive)]

    return {name: curve(name) for name in functions}


def numeric_part(task: Task, scorer: Scorer) -> tuple[dict, dict]:
    """The results of completing function evaluations, and what Figure 4 shows of them."""
    valuation = Valuation()
    blanks: Mapping[str, Blank] = task.numeric
    decoded = scorer.decoded(list(blanks.values()))
    known = [truth(blank, valuation) for blank in blanks.values()]
    by_id = dict(zip(blanks, zip(decoded, known, strict=True), strict=True))
    by_id[PAPER] = (*scorer.decoded([PAPER_NUMERIC]), truth(PAPER_NUMERIC, valuation))
    shown = {PAPER: PAPER_NUMERIC, **chosen_numeric(blanks)}
    tested = evaluations(blanks, decoded)
    examples = {
        "numeric": [numeric_example(name, blank, *by_id[name]) for name, blank in shown.items()],
        "evaluations": tested,
        "curves": curves([name for name in tested if FUNCTIONS[name].arity == 1], scorer),
    }
    return numeric_results(blanks, decoded, known), examples


def evaluate(
    task: Task, scorer: Scorer, reads_numbers: bool, oracle: Oracle, cache: Path, progress=lambda count: None
) -> tuple[dict, dict]:
    """(results, examples) of one model."""
    logits = scorer.logits(list(task.symbolic.values()), progress)
    results = {"symbolic": symbolic_results(task, logits), "numeric": None}
    examples = {"symbolic": symbolic_examples(task, logits, scorer, oracle, cache)}
    if reads_numbers and task.numeric:
        results["numeric"], numeric_examples = numeric_part(task, scorer)
        examples |= numeric_examples
    return results, examples
