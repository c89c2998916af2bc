"""Verdicts on equations from two judges: ball arithmetic refutes, Sympy confirms.

A difference at any sample point, proved by two balls that do not overlap, is INCORRECT. Sides that agree at the
points and that Sympy proves equal are CORRECT. Agreement that Sympy cannot settle is UNSURE: a verdict of its own.

Data are judged at the eleven fixed points of `balls`. People's equations are judged thoroughly: also at random and
round points, with more digits where few do not tell, and a prover of our own is asked what Sympy leaves open.
"""

import re
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ..language.expression import Equation
from . import balls, prover, sympy_pool
from .balls import POINT_COUNT, PRECISION, UNDEFINED, VAGUE, Valuation, Value, is_narrow, within_magnitude_bound
from .sympy_pool import PATIENT_SECONDS, TIME_LIMIT_SECONDS, Answer, SympyPool

Verdict = Literal["CORRECT", "INCORRECT", "UNSURE", "UNDEFINED"]
VERDICTS = CORRECT, INCORRECT, UNSURE, UNDEFINED_VERDICT = get_args(Verdict)
Outcome = Literal["differs", "agrees", "undefined", "vague"]  # what a point shows, or all of them together
DIFFERS, AGREES, *_ = OUTCOMES = get_args(Outcome)
FINE_PRECISION = 4000  # bits, for what 160 bits cannot tell apart; no power that is computed has more digits
FINEST_PRECISION = 16 * FINE_PRECISION  # for equations without variables: a number that looks like 0 may be none
MOST_EQUAL_DIGITS = 200  # that are shown before two values differ
TOO_LARGE_TO_WRITE = "a number is too large to be written out"


@dataclass(frozen=True)
class Judgement:
    """A verdict and what it rests on, ready to be shown or stored as JSON."""

    verdict: Verdict
    evidence: dict


@dataclass(frozen=True)
class Finding:
    """What the sample points show of an equation: DIFFERS (at point), AGREES, UNDEFINED or VAGUE."""

    outcome: Outcome
    agreeing: int
    point: dict[str, str] | None = None
    left: Value | None = None
    right: Value | None = None


def compare(left: Value, right: Value) -> Outcome:
    """What one point shows."""
    if isinstance(left, str) or isinstance(right, str):
        return UNDEFINED if any(value is UNDEFINED for value in (left, right)) else VAGUE
    if not left.overlaps(right):
        return DIFFERS
    return AGREES if is_narrow(left) and is_narrow(right) else VAGUE


def examine(equation: Equation, valuation: Valuation) -> Finding:
    """The numeric judge: the first point at which the sides differ, or how many points they agree at."""
    closed = equation.left.closed and equation.right.closed
    outcomes = []
    for point in range(1 if closed else POINT_COUNT):
        left, right = valuation.value(equation.left, point), valuation.value(equation.right, point)
        outcome = compare(left, right)
        if outcome == DIFFERS:
            place = {name: str(balls.coordinate(name, point)) for name in equation.variables()}
            return Finding(DIFFERS, 0, place, left, right)
        outcomes.append(outcome)
    return _in_all(outcomes)


def _in_all(outcomes: list[Outcome], agreeing: int = 0) -> Finding:
    """What points without a difference show together; `agreeing` others are known to agree."""
    if count := outcomes.count(AGREES):
        return Finding(AGREES, count + agreeing)
    return Finding(VAGUE if VAGUE in outcomes else UNDEFINED, 0)


def examine_thoroughly(equation: Equation, agreeing: int = 0, least_precision: int = PRECISION) -> Finding:
    """The same at random and round points, each with as many digits as it takes; only random points show agreement."""
    spread = balls.random_points(equation)
    points = spread + balls.round_points(equation)
    finest = [] if equation.variables() else [FINEST_PRECISION]
    bits = [each for each in (PRECISION, FINE_PRECISION, *finest) if each >= least_precision]
    valuations = [balls.at_points(points, precision) for precision in bits]
    outcomes = []
    for place, point in enumerate(points):
        for valuation in valuations:
            outcome = compare(*(valuation.value(side, place) for side in equation))
            if outcome == DIFFERS:
                return _written_down(equation, point, valuation.precision)
            if outcome == AGREES:
                break
        outcomes.append(outcome)
    return _in_all(outcomes[: len(spread)], agreeing)


def _written_down(equation: Equation, point: balls.Point, precision: int) -> Finding:
    """The difference at a point, or close to it at a point of few digits that shows a difference, too."""
    for place in [*(balls.rounded(point, digits) for digits in (3, 6, 12)), point]:
        valuation = balls.at_points([place], precision)
        left, right = (valuation.value(side, 0) for side in equation)
        if compare(left, right) == DIFFERS:
            break
    return Finding(DIFFERS, 0, balls.shown(place), left, right)


def show_value(value: Value, digits: int = 12) -> str:
    """A ball's midpoint for people: `0.6`, `1.57079632679 - 1.31695789692i`."""
    if isinstance(value, str):
        return value
    decimals = (part.mid().str(digits, radius=False) for part in (value.real, value.imag))
    # zeros at the end say nothing: 1.50000 is 1.5, 2.000e+20 is 2e+20
    real, imaginary = (re.sub(r"\.?0*(?=e|$)", "", each, count=1) if "." in each else each for each in decimals)
    if value.imag.contains(0):
        return real
    if value.real.contains(0):
        return f"{imaginary}i"
    return f"{real} {'-' if imaginary.startswith('-') else '+'} {imaginary.lstrip('-')}i"


def show_difference(left: Value, right: Value) -> dict:
    """Both values with as many digits as it takes to see them differ; equal digits are left out where they are many."""
    for digits in (12, 50, 200, 1000, 4000, 16000):
        shown = {"left": show_value(left, digits), "right": show_value(right, digits)}
        if shown["left"] != shown["right"]:
            break
    texts = list(shown.values())
    same = next((place for place, (one, other) in enumerate(zip(*texts, strict=False)) if one != other), 0)
    if same <= MOST_EQUAL_DIGITS:
        return shown
    return {side: f"{text[:14]}...{text[same - 2 : same + 6]}..., after {same - 14} equal digits"
            for side, text in shown.items()}  # fmt: skip


def numeric_judgement(finding: Finding) -> Judgement:
    """The numeric judge's own verdict: INCORRECT if the sides differ, UNDEFINED if they are defined nowhere."""
    if finding.left is None or finding.right is None:
        reason = "no sample point at which both sides are defined"
        return Judgement(UNDEFINED_VERDICT, {"judge": "numeric", "reason": reason})
    values = show_difference(finding.left, finding.right)
    return Judgement(INCORRECT, {"judge": "numeric", "point": finding.point, **values})


def second_judgement(equation: Equation, finding: Finding) -> Judgement | None:
    """The verdict of the second prover, or of points with many digits; None where both leave it open."""
    if finding.outcome == AGREES and prover.proves(equation):
        return Judgement(CORRECT, {"judge": "prover", "route": prover.ROUTE, "points_agreeing": finding.agreeing})
    finer = examine_thoroughly(equation, least_precision=FINE_PRECISION)
    return numeric_judgement(finer) if finer.outcome == DIFFERS else None


def _unsure(finding: Finding, reason: str) -> Judgement:
    return Judgement(UNSURE, {"judge": "sympy", "reason": reason, "points_agreeing": finding.agreeing})


def explanation(evidence: dict) -> str:
    """The evidence as a sentence."""
    if "left" in evidence:
        point = ", ".join(f"{name} = {value}" for name, value in evidence["point"].items())
        place = f"at {point}" if point else "there are no variables, and"
        return f"{place} the left side is {evidence['left']} and the right side {evidence['right']}"
    if evidence["judge"] == "identity":
        return "both sides are the same expression"
    count, words = evidence.get("points_agreeing"), evidence.get("reason")
    points = f"{count} sample point{'s' if count != 1 else ''}"
    if words:
        return f"{words}; the sides agree at {points}" if count else words
    prover_name = "Sympy leaves it open, the second prover" if evidence["judge"] == "prover" else "Sympy"
    return f"{prover_name} proves it by {evidence['route']}, and the sides agree at {points}"


class Oracle(AbstractContextManager):
    """Both judges, with Sympy's stored answers. Use it in a with-statement: it owns worker processes.

    `thorough` is for people; the labels of data are those of the fixed points and Sympy, which has so many `seconds`.
    """

    def __init__(self, cache: Path | None = None, workers=1, thorough=False, seconds: float | None = None):
        self.valuation, self._thorough = Valuation(), thorough
        self._seconds = seconds or (TIME_LIMIT_SECONDS if thorough else PATIENT_SECONDS)
        self._sympy = SympyPool(cache, workers, self._seconds)

    def __exit__(self, *exception):
        self._sympy.__exit__(*exception)

    def prepare(self, equations: Iterable[Equation]) -> None:
        """Starts the workers that judging these will need, so that they are ready by then."""
        findings = [(equation, self._examined(equation)) for equation in equations]
        self._sympy.prepare(self._open(findings).values())

    def _examined(self, equation: Equation) -> Finding:
        finding = examine(equation, self.valuation)
        if finding.outcome == DIFFERS or not self._thorough:
            return finding
        return examine_thoroughly(equation, finding.agreeing if equation.variables() else 0)

    def _open(self, findings: Iterable[tuple[Equation, Finding]]) -> dict[int, Equation]:
        """The equations that Sympy is asked about, by their place."""
        return {
            index: equation
            for index, (equation, finding) in enumerate(findings)
            if finding.outcome in (AGREES, VAGUE) and within_magnitude_bound(equation, self.valuation)
        }

    def judge(self, equation: Equation) -> Judgement:
        return self.judge_many([equation])[0]

    def judge_many(self, equations: Iterable[Equation], progress=lambda count: None) -> list[Judgement]:
        """A judgement for each equation, in their order; Sympy is asked about those that no point refutes."""
        findings = [(equation, self._examined(equation)) for equation in equations]
        open_ones = self._open(findings)
        progress(len(findings) - len(open_ones))
        answers = dict(zip(open_ones, self._sympy.answers(open_ones.values(), progress), strict=True))
        return [self._judgement(*finding, answers.get(index)) for index, finding in enumerate(findings)]

    def _judgement(self, equation: Equation, finding: Finding, answer: Answer | None) -> Judgement:
        """The verdict of both judges; for people, that of the second prover where they leave it open."""
        judgement = self._first_judgement(equation, finding, answer)
        if judgement.verdict == UNSURE and self._thorough:
            return second_judgement(equation, finding) or judgement
        return judgement

    def _first_judgement(self, equation: Equation, finding: Finding, answer: Answer | None) -> Judgement:
        is_undefined = finding.outcome == UNDEFINED
        if is_undefined and self._thorough and not within_magnitude_bound(equation, self.valuation):
            return _unsure(finding, TOO_LARGE_TO_WRITE)
        if is_undefined or finding.outcome == DIFFERS:
            return numeric_judgement(finding)
        if answer is not None and answer.says_equal and finding.outcome == AGREES:
            return Judgement(CORRECT, {"judge": "sympy", "route": answer.route, "points_agreeing": finding.agreeing})
        if equation.left is equation.right:
            return Judgement(CORRECT, {"judge": "identity", "route": "identical sides", "points_agreeing": 0})
        if answer is None:
            return _unsure(finding, TOO_LARGE_TO_WRITE)
        if sympy_pool.FALSE in (answer.auto, answer.simplified):
            finer = examine(equation, Valuation(FINE_PRECISION))
            if finer.outcome == DIFFERS:
                return numeric_judgement(finer)
        reasons = {
            sympy_pool.TIME_LIMIT: f"Sympy did not finish in {self._seconds:g} s",
            sympy_pool.TOO_LARGE: "Sympy ran out of memory",
            sympy_pool.FALSE: "Sympy calls the sides different, but no sample point shows it",
            sympy_pool.NOT_FINITE: "Sympy finds an infinity in it",
            sympy_pool.TRUE: "Sympy calls the sides equal, but their values cannot be computed",
        }
        return _unsure(finding, reasons.get(answer.simplified, "Sympy does not decide it"))
