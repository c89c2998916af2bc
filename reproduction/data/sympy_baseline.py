"""Sympy as a classifier of equations (paper, section 3), and what it leaves open when another oracle knows the truth.

Auto-evaluation is Eq(left, right) as it stands, the paper's baseline; simplify works on what that leaves open.
An answer that is neither true nor false is the paper's Unsure, and wrong.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from ..judges.balls import Valuation
from ..judges.sympy_cache import CachedSympy
from ..judges.sympy_pool import FALSE, TOO_LARGE, TRUE, Answer, within_magnitude_bound
from .baselines import SYMPY_AUTO, SYMPY_SIMPLIFY
from .dataset import Record

_PREDICTIONS = {TRUE: 1, FALSE: 0}


def ask(records: Sequence[Record], cache: Path, workers: int, progress=lambda count: None) -> dict[str, Answer]:
    """Sympy's answer to every record, by id; numbers that must not be written out are not asked about."""
    valuation = Valuation()
    askable = [record for record in records if within_magnitude_bound(record.equation, valuation)]
    progress(len(records) - len(askable))
    with CachedSympy(cache, workers) as sympy:
        answers = sympy.answers((record.equation for record in askable), progress)
    found = {record.id: answer for record, answer in zip(askable, answers, strict=True)}
    return {record.id: found.get(record.id, Answer(TOO_LARGE, TOO_LARGE)) for record in records}


def predictions(records: Sequence[Record], answers: dict[str, Answer]) -> dict[str, list[int | None]]:
    """The label that Sympy gives each record, None for Unsure, by auto-evaluation and with simplify."""
    return {
        SYMPY_AUTO: [_PREDICTIONS.get(answers[record.id].auto) for record in records],
        SYMPY_SIMPLIFY: [_PREDICTIONS.get(answers[record.id].simplified) for record in records],
    }


def outcomes(records: Sequence[Record], answers: dict[str, Answer]) -> list[dict]:
    """How often each answer was given, by depth and label."""
    auto, simplified = (
        Counter((record.depth, record.label, getattr(answers[record.id], way)) for record in records)
        for way in ("auto", "simplified")
    )
    return [
        {"depth": depth, "label": label, "answer": word, "auto": auto[key], "simplify": simplified[key]}
        for key in sorted(set(auto) | set(simplified))
        for depth, label, word in [key]
    ]


def _open_share(records: Sequence[Record], answers: dict[str, Answer]) -> dict[str, int]:
    """How many of these true identities there are, and how many Sympy does not call true."""
    return {
        "count": len(records),
        "open_auto": sum(answers[record.id].auto != TRUE for record in records),
        "open_simplify": sum(not answers[record.id].says_equal for record in records),
    }


def true_identities_left_open(true: Sequence[Record], answers: dict[str, Answer]) -> dict:
    """The question the paper leaves open: what Sympy does not decide of identities that another oracle holds true."""
    depths = sorted({record.depth for record in true})
    functions = sorted({name for record in true for name in record.equation.functions()})
    return {
        "all": _open_share(true, answers),
        "by_depth": {str(d): _open_share([r for r in true if r.depth == d], answers) for d in depths},
        "by_function": {
            name: _open_share([record for record in true if name in record.equation.functions()], answers)
            for name in functions
        },
    }


def seconds_per_equation(records: Sequence[Record], answers: dict[str, Answer]) -> dict[str, dict[str, float]]:
    """Mean CPU seconds an equation by depth: building and comparing the sides, and simplify where it was asked."""
    depths = sorted({record.depth for record in records})
    groups = {"all": records, **{str(depth): [r for r in records if r.depth == depth] for depth in depths}}
    return {
        name: {
            "auto": round(fmean(answers[record.id].auto_seconds for record in group), 5),
            "simplify": round(
                fmean(answers[record.id].auto_seconds + answers[record.id].simplify_seconds for record in group), 5
            ),
        }
        for name, group in groups.items()
        if group
    }
