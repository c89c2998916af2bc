"""True equations from true equations: spelled by somebody else, with other arguments, terms moved, sides changed alike.

A spelling has terms and factors in another order and fractions in another form. Only sums, products and whole exponents
are touched, so that values stay what they were wherever there are any.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from random import Random
from typing import Any

from ..data.recipes import Rule, match, rules_of, shape, shapes_matching
from ..language import expression as trees
from ..language.expression import MINUS_ONE, Equation, Expression, add, apply, constant, multiply, negated, over, power
from ..language.grammar import ADD, MULTIPLY, POWER
from ..language.parsing import parse_expression
from ..language.printing import HALF, ONE, SIGNED, TWO

ZERO = constant("0")
POSITIVE = {negative: positive for positive, negative in SIGNED.items()} | {constant("-1/2"): HALF}
NEGATIVE = {positive: negative for negative, positive in POSITIVE.items()}
BARE_RECIPROCAL = 0.3  # how often it is x^(-1) instead of 1 / x


def operands(expression: Expression, symbol: str) -> list[Expression]:
    """The terms of a sum or the factors of a product, from left to right."""
    if expression.symbol != symbol:
        return [expression]
    return [each for child in expression.children for each in operands(child, symbol)]


def opposite(term: Expression) -> Expression:
    """The term with a minus sign, or without the one that it has."""
    return term.children[1] if term.symbol == MULTIPLY and term.children[0] is MINUS_ONE else negated(term)


def as_fraction(expression: Expression) -> tuple[bool, list[Expression], list[Expression]]:
    """Whether an expression has a minus sign, its factors and its divisors."""
    negative, above, below = False, list[Expression](), list[Expression]()
    for factor in operands(expression, MULTIPLY):
        if factor in POSITIVE:
            negative, factor = not negative, POSITIVE[factor]
        if factor is HALF:
            below.append(TWO)
        elif factor.symbol == POWER and factor.children[1] in POSITIVE:
            base, exponent = factor.children
            below += operands(base, MULTIPLY) if exponent is MINUS_ONE else [power(base, POSITIVE[exponent])]
        elif factor is not ONE:
            above.append(factor)
    return negative, above, below


def respelled(expression: Expression, random: Random) -> Expression:
    """A random spelling of the expression, possibly the same."""
    if expression.is_leaf:
        return expression
    if expression.symbol == ADD:
        terms = [respelled(term, random) for term in operands(expression, ADD)]
        if random.random() < 0.4:
            random.shuffle(terms)
        terms[1:] = map(_as_later_term, terms[1:])
        if len(terms) > 2 and random.random() < 0.12:  # x + (y + z)
            place = random.randrange(len(terms) - 1)
            terms[place : place + 2] = [add(*terms[place : place + 2])]
        return reduce(add, terms)
    if expression.symbol == MULTIPLY or (expression.symbol == POWER and expression.children[1] in POSITIVE):
        return _respelled_product(expression, random)
    return apply(expression.symbol, *(respelled(child, random) for child in expression.children))


def _as_later_term(term: Expression) -> Expression:
    """A term as it follows another: a negative one is -1 times a positive one, so that it reads x - y."""
    if term in POSITIVE:
        return negated(POSITIVE[term])
    if term.symbol == MULTIPLY:
        first, *others = operands(term, MULTIPLY)
        if first in POSITIVE and others:
            positive = POSITIVE[first]
            return negated(reduce(multiply, others if positive is ONE else [positive, *others]))
    return term


def _respelled_product(expression: Expression, random: Random) -> Expression:
    negative, *factors = as_fraction(expression)
    above, below = ([respelled(factor, random) for factor in each] for each in factors)
    if random.random() < 0.3:
        random.shuffle(above)
    if TWO in below and above and random.random() < 0.35:  # 1/2 * x
        below.remove(TWO)
        above.insert(0 if random.random() < 0.85 else len(above), HALF)
    if not above and below:
        whole = _reciprocal(below, random)
    else:
        whole = reduce(multiply, above or [ONE])
        if below and random.random() < 0.12:  # x / y / z
            whole = reduce(multiply, [whole, *(power(each, MINUS_ONE) for each in below)])
        elif below:
            whole = over(whole, reduce(multiply, below))
    return _with_minus(whole, random) if negative else whole


def _reciprocal(below: list[Expression], random: Random) -> Expression:
    if below == [TWO]:
        return HALF
    divisor = reduce(multiply, below)
    if divisor.symbol == POWER and divisor.children[1] in NEGATIVE and random.random() < BARE_RECIPROCAL:
        return power(divisor.children[0], NEGATIVE[divisor.children[1]])
    bare = power(divisor, MINUS_ONE)
    return bare if random.random() < BARE_RECIPROCAL else multiply(ONE, bare)


def _with_minus(whole: Expression, random: Random) -> Expression:
    """-(x * y), or (-x) * y as at the start of a sum."""
    if whole in NEGATIVE:
        return NEGATIVE[whole]
    first, *others = operands(whole, MULTIPLY)
    if random.random() < 0.45 or first in NEGATIVE:
        return reduce(multiply, [NEGATIVE.get(first, negated(first)), *others])
    return negated(whole)


VARIABLES = ("x", "y", "z", "z1")
LARGEST_SIZE, LARGEST_DEPTH = 34, 10
_NAMES = (*[("x", "y", "z", "z1")] * 6, ("y", "x", "z", "z1"), ("x", "z", "y", "z1"), ("y", "z", "x", "z1"),
          ("z", "x", "y", "z1"), ("z", "y", "x", "z1"), ("z1", "x", "y", "z"))  # fmt: skip
_ARGUMENTS = {
    parse_expression(text): weight
    for texts, weight in (
        ("2*x, -x, x/2, 3*x, x + y, x - y", 6.0),
        ("x + 1, x^2, x*y, 1/x, x - 1, 4*x, 2*x + 1, 1 - x, y - x", 2.0),
        ("0, 1, 2, pi, 1/2, 3, pi/2, pi/4, -1, 4, 5, 10, pi/3, pi/6", 1.2),
        ("x + 2, x - 2, 3*x - 1, x/3, sqrt(x), x + pi, pi - x, x^3, x/y, 2*y, x + y + z, 5*x, 2*x - y, x + 2*y, "
         "x^2 + 1, 1 + x, -2*x, x*y*z, 6*x, x^2 - y^2, x/4, 7, 9, 6", 0.7),
    )
    for text in texts.split(", ")
}  # fmt: skip
_INNER = ("sin", "cos", "tan", "exp", "sinh", "cosh", "asin", "acos", "atan", "tanh", "sec", "csc", "cot", "asinh")
_OUTER = ("exp", "sin", "cos", "tan", "sinh", "cosh", "atan", "asinh", "tanh")
_ADDED = tuple(map(parse_expression, ("1", "2", "x", "-1", "3", "y", "x^2", "pi", "-x")))
_FACTORS = tuple(map(parse_expression, ("2", "3", "-1", "x", "1/2", "4", "y", "-2", "5", "10", "pi")))


class Rules:
    """Rules that rewrite a subtree, found by the symbols of its root and its children."""

    def __init__(self, identities: Iterable[tuple[Equation, str]]):
        self._by_shape: dict[tuple, list[Rule]] = defaultdict(list)
        for equation, family in identities:
            for rule in rules_of(equation, family):
                if rule.pattern.kind != trees.VARIABLE and not rule.fresh:
                    self._by_shape[shape(rule.pattern)].append(rule)

    def draw(self, expression: Expression, random: Random) -> Expression | None:
        """An equal expression; None if none of a few rules fits."""
        groups = [rules for each in shapes_matching(expression) if (rules := self._by_shape.get(each))]
        for _ in range(12 if groups else 0):
            rule = random.choice(random.choice(groups))
            binding = match(rule.pattern, expression)
            if binding is not None:
                return rule.replacement.substituted(binding)
        return None


def rewritten(equation: Equation, random: Random, rules: Rules) -> Equation:
    """The equation with a subtree replaced by an equal one, where a rule is found."""
    positions = [(path, node) for path, node in equation.positions() if node.children]
    for path, node in random.sample(positions, min(5, len(positions))):
        other = rules.draw(node, random)
        if other is not None:
            return equation.replaced(path, other)
    return equation


def instantiated(equation: Equation, random: Random) -> Equation:
    """One variable, or all of them, replaced everywhere: mostly by what stands in books."""

    def argument() -> Expression:
        drawn = random.choices(list(_ARGUMENTS), list(_ARGUMENTS.values()))[0]
        return apply(random.choice(_INNER), drawn) if random.random() < 0.08 else drawn

    names = equation.variables()
    if not names:
        return equation
    chosen = names if random.random() < 0.15 else (random.choice(names),)
    return equation.substituted({name: argument() for name in chosen})


def _term_moved(equation: Equation, random: Random) -> Equation:
    """A + b = C as A = C - b."""
    left, right = equation
    terms = operands(left, ADD)
    if len(terms) < 2:
        stays = left is ZERO or right is ZERO or random.random() < 0.7
        return equation if stays else Equation(trees.minus(left, right), ZERO)
    moved = terms.pop(random.randrange(len(terms)))
    return Equation(reduce(add, terms), opposite(moved) if right is ZERO else add(right, opposite(moved)))


def _factor_moved(equation: Equation, random: Random) -> Equation:
    """A * b = C as A = C / b, and A / b = C as A = C * b."""
    left, right = equation
    negative, above, below = as_fraction(left)
    if len(above) + len(below) < 2 or right is ZERO:
        return equation
    place = random.randrange(len(above) + len(below))
    if place < len(above):
        right = over(right, above.pop(place))
    else:
        right = multiply(right, below.pop(place - len(above)))
    left = reduce(multiply, [*(above or [ONE]), *(power(each, MINUS_ONE) for each in below)])
    return Equation(negated(left) if negative else left, right)


# Changes with their weights: what is drawn for the same change of both sides, or None where a term or factor is moved.
_CHANGES: dict[Callable[..., Any], tuple[Sequence | None, float]] = {
    _term_moved: (None, 5.0),
    _factor_moved: (None, 4.0),
    lambda side, factor: side if side is ZERO else multiply(factor, side): (_FACTORS, 2.5),
    add: (_ADDED, 1.0),
    lambda side, below: side if side is ZERO else over(side, below): (_FACTORS, 1.5),
    power: (tuple(map(constant, ("2", "2", "3", "-1"))), 0.7),
    lambda side, function: apply(function, side): (_OUTER, 0.3),
}


def _changed(equation: Equation, random: Random) -> Equation:
    """The equation with a term or factor moved, seen from either side, or with the same done to both sides."""
    change, (choices, _) = random.choices([*_CHANGES.items()], [weight for _, weight in _CHANGES.values()])[0]
    if choices is None:
        return change(equation.mirrored() if random.random() < 0.5 else equation, random)
    chosen = random.choice(choices)
    return Equation(*(change(side, chosen) for side in equation))


def varied(equation: Equation, random: Random, rules: Rules) -> Equation:
    """An equation that is as true as this one: most are near to it, some far."""
    if random.random() < 0.42:
        equation = instantiated(equation, random)
    for _ in range(random.choices((0, 1, 2, 3), (0.52, 0.3, 0.13, 0.05))[0]):
        equation = rewritten(equation, random, rules)
    for _ in range(random.choices((0, 1, 2), (0.56, 0.35, 0.09))[0]):
        equation = _changed(equation, random)
    return finished(equation, random)


def finished(equation: Equation, random: Random) -> Equation:
    """The equation with its sides spelled anew, its variables renamed and its sides exchanged, each by chance."""
    if random.random() < 0.8:
        equation = Equation(*(respelled(side, random) for side in equation))
    if random.random() < 0.5:
        equation = equation.mirrored()
    names = random.choice(_NAMES)
    return equation.substituted({old: trees.variable(new) for old, new in zip(VARIABLES, names, strict=True)})


def fits(equation: Equation) -> bool:
    """Whether the equation is of a size for the network and within its variables."""
    small = equation.size <= LARGEST_SIZE and equation.depth <= LARGEST_DEPTH
    return small and set(equation.variables()) <= set(VARIABLES)
