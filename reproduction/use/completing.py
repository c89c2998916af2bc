"""Blanks filled: the network ranks candidates, and those that the judges confirm come first."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import compress, pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..completion.candidates import Blank, numeric_candidates
from ..data.function_evaluations import exact_value, to_cents
from ..errors import InputError
from ..judges import oracle as judges
from ..judges.balls import Valuation
from ..judges.oracle import AGREES, CORRECT, DIFFERS, UNSURE, Finding, Judgement, Oracle, examine
from ..language.expression import Equation, Expression, OutOfBoundsError, number
from ..language.grammar import ADD, MULTIPLY, POWER
from ..language.printing import print_equation, print_expression
from .candidates import distinct, is_readable, pool, search, weight
from .reading import ReadBlank

if TYPE_CHECKING:
    from .network import Network

SIMPLICITY = 0.6  # logits that one more leaf costs; chosen on blanks of the showcase's dev list
REPETITION = 4  # leaves that a filling costs for repeating the other side
TRUE_DECIMALS = 2  # of a number that is asked for
MOST_DIGITS_MORE, MOST_EXACT = 6, 3
NUMBERS = "numbers of two decimals"
OPEN = "the second prover leaves it open"
UNDEFINED, UNFOUND = "no candidate makes both sides defined", "the judges found no filling"


class Filling(NamedTuple):
    """One filling of a blank: an expression, or a number with the value that the network decodes."""

    expression: str
    equation: str  # with the blank filled
    judge_verdict: str | None = None  # of expressions, where judges were asked
    evidence: dict | None = None
    network_rank: int | None = None  # None where the judges' search found the filling
    probability: float | None = None  # of an expression, where the network knows all symbols
    fits: bool | None = None  # of numbers: whether the function has the wanted value to two decimals
    value: float | None = None  # of the function at the number, as the network decodes it
    true_value: float | None = None
    squared_error: float | None = None  # of the value, compared with the wanted one
    true_squared_error: float | None = None  # of the true value to two decimals

    @property
    def is_number(self) -> bool:
        return self.fits is not None

    @property
    def is_right(self) -> bool:
        return bool(self.fits) or self.judge_verdict == CORRECT.lower()


class Completion(NamedTuple):
    """The fillings of a blank, the best first."""

    equation: str
    fillings: tuple[Filling, ...]
    first_guess: Filling | None  # the network's own
    tried: dict[str, int]  # kinds of candidates and how many there were
    notes: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    """A candidate that leaves both sides defined, what the sample points say of it, and the network's logit."""

    expression: Expression
    equation: Equation  # as it was typed
    finding: Finding
    is_proposed: bool  # by the network, not by the judges' search
    repeats: bool  # whether it contains the other side
    logit: float | None  # None where the network does not know all symbols

    @property
    def cost(self) -> float:
        """The network's own ranking is by this cost."""
        return SIMPLICITY * weight(self.expression) - (self.logit or 0)

    @property
    def agrees(self) -> bool:
        return self.finding.outcome == AGREES

    @property
    def plainness(self) -> tuple:
        """Fitting candidates are ordered by this."""
        return weight(self.expression) + (REPETITION if self.repeats else 0), self.cost


class Filler:
    """Fills blanks with one network."""

    def __init__(self, network: "Network"):
        self._network, self._knowledge, self._valuation = network, network.reader.knowledge, Valuation()

    def complete(
        self, read: ReadBlank, top: int, network_only: bool = False, oracle: Oracle | None = None
    ) -> Completion:
        """The fillings that the judges confirm, then the network's others; or the network's ranking alone."""
        fill = self._numbers if read.asks_for_a_number and read.is_known else self._expressions
        completion = fill(read, top, network_only, oracle)
        notes = () if completion.fillings else (UNDEFINED if read.is_known else UNFOUND,)
        return completion._replace(notes=read.notes + notes)

    def _expressions(self, read: ReadBlank, top: int, network_only: bool, oracle: Oracle | None) -> Completion:
        candidates, tried = self._candidates(read, network_only)
        ranking = sorted((each for each in candidates if each.is_proposed), key=lambda each: each.cost)
        ranks = {each.expression: rank for rank, each in enumerate(ranking, 1)}

        def fillings(chosen: Sequence[_Candidate]) -> list[Filling]:
            judgements = [None] * len(chosen) if network_only else self._judgements(chosen, oracle)
            rows = zip(chosen, judgements, strict=True)
            return [self._filling(read, *row, ranks.get(row[0].expression)) for row in rows]

        fitting = [] if network_only else self._fitting(candidates)[:top]
        first = sorted(fillings(fitting), key=lambda filling: not filling.is_right)
        others = [each for each in ranking if network_only or not each.agrees][: top - len(first)]
        guess = next(iter(fillings(ranking[:1])), None)
        return Completion(read.text, (*first, *fillings(others)), guess, tried)

    def _candidates(self, read: ReadBlank, network_only: bool) -> tuple[list[_Candidate], dict[str, int]]:
        """The network's own candidates and those that a search finds, if they can be judged; how many were tried."""
        own, kinds = pool(read.blank, self._knowledge, self._valuation)
        found = [] if network_only else search(read.blank, own, self._valuation)
        more = (each for each in found if not read.is_known or is_readable(each, self._knowledge))
        proposed, other = set(own if read.is_known else ()), read.blank.other_side
        rows, sides = [], []
        for expression in dict.fromkeys((*own, *more)):
            with suppress(OutOfBoundsError):
                side = read.blank.filled(expression)[read.blank.path[0]]
                equation = read.typed.filled(expression.substituted(read.names))
                finding = examine(equation, self._valuation)
                if finding.outcome in (AGREES, DIFFERS):
                    repeats = bool(other.children) and other in expression.subexpressions()
                    rows.append((expression, equation, finding, expression in proposed, repeats))
                    sides.append(side)
        is_asked = read.is_known and sides
        logits = self._network.comparisons(sides, other).tolist() if is_asked else [None] * len(sides)
        return [_Candidate(*row, logit) for row, logit in zip(rows, logits, strict=True)], kinds

    def _fitting(self, candidates: Iterable[_Candidate]) -> list[_Candidate]:
        """The candidates that agree at the sample points, the plainest first; one for each constant value."""
        agreeing = {each.expression: each for each in candidates if each.agrees}
        chosen = [agreeing[each] for each in distinct(agreeing, self._valuation)]
        return sorted(chosen, key=lambda each: each.plainness)

    def _judgements(self, chosen: Sequence[_Candidate], oracle: Oracle | None) -> list[Judgement]:
        """Verdicts by the points and the second prover; the oracle judges what these leave open."""
        judgements = [
            (None if each.agrees else judges.numeric_judgement(each.finding))
            or judges.second_judgement(each.equation, each.finding)
            or Judgement(UNSURE, {"judge": "prover", "reason": OPEN, "points_agreeing": each.finding.agreeing})
            for each in chosen
        ]
        if oracle is None:
            return judgements
        is_open = [judgement.verdict == UNSURE for judgement in judgements]
        again = iter(oracle.judge_many(each.equation for each in compress(chosen, is_open)))
        return [next(again) if still else judgement for still, judgement in zip(is_open, judgements, strict=True)]

    def _filling(self, read: ReadBlank, each: _Candidate, judgement: Judgement | None, rank: int | None) -> Filling:
        return Filling(
            print_expression(each.expression.substituted(read.names)),
            print_equation(each.equation),
            judgement.verdict.lower() if judgement else None,
            judgement.evidence if judgement else None,
            rank,
            None if each.logit is None else float(self._network.probabilities(each.logit)),
        )

    def _exact(self, read: ReadBlank) -> list[Filling]:
        """Constants and whole numbers that make both sides exactly equal: pi/4 in tan(_) = 1.00."""
        candidates, _ = self._candidates(read, network_only=False)
        chosen = [each for each in self._fitting(candidates) if _is_exact(each.expression)][:MOST_EXACT]
        rows = zip(chosen, self._judgements(chosen, None), strict=True)
        return [filling for row in rows if (filling := self._filling(read, *row, None)).is_right]

    def _numbers(self, read: ReadBlank, top: int, network_only: bool, _: Oracle | None) -> Completion:
        if not self._network.decodes:
            raise InputError("this network does not evaluate functions of numbers")
        blank = _NumberBlank(read.blank, self._valuation)
        own = [each for each in numeric_candidates() if blank.value(each) is not None]
        fitting = [] if network_only else blank.fitting(own)
        every = list(dict.fromkeys((*own, *fitting)))
        decoded = dict(zip(every, self._network.decoded(list(map(blank.side, every))).tolist(), strict=True))
        ranking = sorted(own, key=lambda each: abs(decoded[each] - blank.wanted))
        ranks = {each: rank for rank, each in enumerate(ranking, 1)}

        def filling(each: Expression) -> Filling:
            true = float(blank.value(each) or 0)
            return Filling(
                each.symbol,
                print_equation(read.typed.filled(each)),
                network_rank=ranks.get(each),
                fits=blank.fits(each),
                value=decoded[each],
                true_value=true,
                squared_error=(decoded[each] - blank.wanted) ** 2,
                true_squared_error=(round(true, TRUE_DECIMALS) - blank.wanted) ** 2,
            )

        exact = [] if network_only else self._exact(read)
        nearest = sorted(fitting, key=lambda each: abs(decoded[each] - blank.wanted))
        rows = map(filling, dict.fromkeys((*nearest, *([] if exact else ranking))))
        guess = filling(ranking[0]) if ranking else None
        return Completion(read.text, (*exact, *rows)[:top], guess, {NUMBERS: len(own)})


def _is_exact(expression: Expression) -> bool:
    """Whether an expression is made of whole numbers, pi, sums, products and powers."""
    return all(
        node.symbol in (ADD, MULTIPLY, POWER) if node.children else "." not in node.symbol
        for node in expression.subexpressions()
    )


class _NumberBlank:
    """A blank such as cos(-_) = -0.57: which numbers give the wanted one to two decimals."""

    def __init__(self, blank: Blank, valuation: Valuation):
        self._blank, self._valuation = blank, valuation
        self._wanted = Decimal(print_expression(blank.other_side))
        self.wanted = float(self._wanted)

    def side(self, candidate: Expression) -> Expression:
        return self._blank.filled(candidate)[self._blank.path[0]]

    def value(self, candidate: Expression) -> Decimal | None:
        return exact_value(self.side(candidate), self._valuation)

    def fits(self, candidate: Expression) -> bool:
        value = self.value(candidate)
        return value is not None and to_cents(value) == self._wanted

    def fitting(self, candidates: Sequence[Expression]) -> list[Expression]:
        """The candidates that fit; if there is none, numbers with more digits from in between."""
        finer = (self._between(*pair) for pair in pairwise(candidates) if self._crosses(*pair))
        return list(filter(self.fits, candidates)) or list(filter(None, finer))

    def _crosses(self, low: Expression, high: Expression) -> bool:
        """Whether the values of two numbers lie on either side of the wanted one."""
        values = self.value(low), self.value(high)
        return None not in values and (values[0] - self._wanted) * (values[1] - self._wanted) < 0  # type: ignore[operator]

    def _between(self, low: Expression, high: Expression, digits: int = MOST_DIGITS_MORE) -> Expression | None:
        """A number with few more digits that fits; beside a pole there is none."""
        start, step = Decimal(low.symbol), (Decimal(high.symbol) - Decimal(low.symbol)) / 10
        finer = [number(start + step * tenth) for tenth in range(11)]
        if fitting := list(filter(self.fits, finer)):
            return fitting[len(fitting) // 2]
        bracket = next((pair for pair in pairwise(finer) if self._crosses(*pair)), None)
        return self._between(*bracket, digits - 1) if bracket and digits > 1 else None
