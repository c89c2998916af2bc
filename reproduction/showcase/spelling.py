"""The same expression as somebody else would write it: terms and factors in another order, fractions in another form.

Only sums, products and whole exponents are touched, so that values stay what they were wherever there are any.
"""

from random import Random
from typing import NamedTuple

from ..language.expression import FUNCTION, MINUS_ONE, Expression, add, constant, multiply, negated, power
from ..language.grammar import ADD, MULTIPLY, POWER
from ..language.printing import HALF, ONE, SIGNED, TWO

ZERO = constant("0")
POSITIVE = {negative: positive for positive, negative in SIGNED.items()} | {constant("-1/2"): HALF}
NEGATIVE = {positive: negative for negative, positive in POSITIVE.items()}


class Style(NamedTuple):
    """How often, of 1, something is written otherwise than it stands."""

    reorder_terms: float = 0.4
    reorder_factors: float = 0.3
    other_brackets: float = 0.12  # x + (y + z) instead of x + y + z
    half_in_front: float = 0.35  # 1/2 * x instead of x / 2
    split_denominator: float = 0.12  # x / y / z instead of x / (y * z)
    bare_reciprocal: float = 0.3  # x^(-1) instead of 1 / x
    sign_inside: float = 0.45  # (-x) * y instead of -(x * y), at the start of a sum


USUAL = Style()


class Fraction(NamedTuple):
    """A product taken apart; the factors of both lists are multiplied and divided by."""

    negative: bool
    above: tuple[Expression, ...]
    below: tuple[Expression, ...]


def operands(expression: Expression, symbol: str) -> list[Expression]:
    """The terms of a sum or the factors of a product, from left to right."""
    if expression.symbol != symbol or expression.kind != FUNCTION:
        return [expression]
    return [each for child in expression.children for each in operands(child, symbol)]


def joined(parts: list[Expression], operation) -> Expression:
    """All parts under one operation, from the left."""
    whole = parts[0]
    for part in parts[1:]:
        whole = operation(whole, part)
    return whole


def as_fraction(expression: Expression) -> Fraction:
    """The sign, the factors and the divisors of an expression."""
    negative, above, below = False, [], []
    for factor in operands(expression, MULTIPLY):
        if factor in POSITIVE:
            negative, factor = not negative, POSITIVE[factor]
        if factor is HALF:
            below.append(TWO)
        elif factor.symbol == POWER and factor.children[1] in POSITIVE:
            below += _divisors(*factor.children)
        elif factor is not ONE:
            above.append(factor)
    return Fraction(negative, tuple(above), tuple(below))


def _divisors(base: Expression, exponent: Expression) -> list[Expression]:
    """What b^(-1) or b^(-2) divides by."""
    if exponent is not MINUS_ONE:
        return [power(base, POSITIVE[exponent])]
    return operands(base, MULTIPLY)


def respelled(expression: Expression, random: Random, style: Style = USUAL) -> Expression:
    """The expression in other words, by chance in the same."""
    if expression.is_leaf:
        return expression
    if expression.symbol == ADD:
        return _sum([respelled(term, random, style) for term in operands(expression, ADD)], random, style)
    if expression.symbol == MULTIPLY or (expression.symbol == POWER and expression.children[1] in POSITIVE):
        return _product(expression, random, style)
    return Expression(FUNCTION, expression.symbol, tuple(respelled(c, random, style) for c in expression.children))


def _sum(terms: list[Expression], random: Random, style: Style) -> Expression:
    if random.random() < style.reorder_terms:
        random.shuffle(terms)
    terms = [terms[0], *map(_as_later_term, terms[1:])]
    if len(terms) > 2 and random.random() < style.other_brackets:
        place = random.randrange(len(terms) - 1)
        terms[place : place + 2] = [add(*terms[place : place + 2])]
    return joined(terms, add)


def _as_later_term(term: Expression) -> Expression:
    """A term after a sign: what is negative is written as -(...), so that it reads x - y."""
    if term in POSITIVE:
        return negated(POSITIVE[term])
    if term.symbol == MULTIPLY:
        first, *others = operands(term, MULTIPLY)
        if first in POSITIVE and others:
            positive = POSITIVE[first]
            return negated(joined(others if positive is ONE else [positive, *others], multiply))
    return term


def _product(expression: Expression, random: Random, style: Style) -> Expression:
    negative, *factors = as_fraction(expression)
    above, below = ([respelled(factor, random, style) for factor in each] for each in factors)
    if random.random() < style.reorder_factors:
        random.shuffle(above)
    if TWO in below and above and random.random() < style.half_in_front:
        below.remove(TWO)
        above.insert(0 if random.random() < 0.85 else len(above), HALF)
    if not above and below:
        return _signed(_reciprocal(below, random, style), negative, random, style)
    whole = joined(above or [ONE], multiply)
    if below and random.random() < style.split_denominator:
        whole = joined([whole, *(power(each, MINUS_ONE) for each in below)], multiply)
    elif below:
        whole = multiply(whole, power(joined(below, multiply), MINUS_ONE))
    return _signed(whole, negative, random, style)


def _reciprocal(below: list[Expression], random: Random, style: Style) -> Expression:
    if below == [TWO]:
        return HALF
    divisor = joined(below, multiply)
    if divisor.symbol == POWER and divisor.children[1] in NEGATIVE and random.random() < style.bare_reciprocal:
        return power(divisor.children[0], NEGATIVE[divisor.children[1]])
    bare = power(divisor, MINUS_ONE)
    return bare if random.random() < style.bare_reciprocal else multiply(ONE, bare)


def _signed(whole: Expression, negative: bool, random: Random, style: Style) -> Expression:
    if not negative:
        return whole
    if whole in NEGATIVE:
        return NEGATIVE[whole]
    first, *others = operands(whole, MULTIPLY)
    if random.random() < style.sign_inside or first in NEGATIVE:
        return joined([NEGATIVE.get(first, negated(first)), *others], multiply)
    return negated(whole)
