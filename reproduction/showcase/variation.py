"""True equations from true equations, as textbooks vary them: other arguments, terms moved, sides changed alike."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import product
from random import Random

from ..data.generation.steps import Rule, match, rules_of
from ..language.expression import (
    MINUS_ONE,
    VARIABLE,
    Equation,
    Expression,
    add,
    apply,
    constant,
    multiply,
    negated,
    power,
    variable,
)
from ..language.grammar import ADD, MULTIPLY
from ..language.parsing import parse_expression
from .spelling import ONE, ZERO, as_fraction, joined, operands, respelled

VARIABLES = ("x", "y", "z", "z1")
LARGEST_SIZE, LARGEST_DEPTH = 34, 10
_NAMES = (*[("x", "y", "z", "z1")] * 6, ("y", "x", "z", "z1"), ("x", "z", "y", "z1"), ("y", "z", "x", "z1"),
          ("z", "x", "y", "z1"), ("z", "y", "x", "z1"), ("z1", "x", "y", "z"))  # fmt: skip
_ARGUMENTS = tuple(
    (parse_expression(text), weight)
    for texts, weight in (
        (("2*x", "-x", "x/2", "3*x", "x + y", "x - y"), 6.0),
        (("x + 1", "x^2", "x*y", "1/x", "x - 1", "4*x", "2*x + 1", "1 - x", "y - x"), 2.0),
        (("0", "1", "2", "pi", "1/2", "3", "pi/2", "pi/4", "-1", "4", "5", "10", "pi/3", "pi/6"), 1.2),
        (("x + 2", "x - 2", "3*x - 1", "x/3", "sqrt(x)", "x + pi", "pi - x", "x^3", "x/y", "2*y", "x + y + z", "5*x",
          "2*x - y", "x + 2*y", "x^2 + 1", "1 + x", "-2*x", "x*y*z", "6*x", "x^2 - y^2", "x/4", "7", "9", "6"), 0.7),
    )
    for text in texts
)  # fmt: skip
_ARGUMENT_EXPRESSIONS, _ARGUMENT_WEIGHTS = zip(*_ARGUMENTS, strict=True)
_INNER = ("sin", "cos", "tan", "exp", "sinh", "cosh", "asin", "acos", "atan", "tanh", "sec", "csc", "cot", "asinh")
_OUTER = ("exp", "sin", "cos", "tan", "sinh", "cosh", "atan", "asinh", "tanh")
_ADDED = tuple(map(parse_expression, ("1", "2", "x", "-1", "3", "y", "x^2", "pi", "-x")))
_FACTORS = tuple(map(parse_expression, ("2", "3", "-1", "x", "1/2", "4", "y", "-2", "5", "10", "pi")))


class Rules:
    """What a subtree may be replaced by, found by the symbols of its root and its children."""

    def __init__(self, identities: Iterable[tuple[Equation, str]]):
        self._by_shape: dict[tuple, list[Rule]] = defaultdict(list)
        for equation, family in identities:
            for rule in rules_of(equation, family):
                if rule.pattern.kind != VARIABLE and not rule.fresh:
                    self._by_shape[self._shape(rule.pattern)].append(rule)

    @staticmethod
    def _shape(pattern: Expression) -> tuple:
        return pattern.symbol, *(None if child.kind == VARIABLE else child.symbol for child in pattern.children)

    def draw(self, expression: Expression, random: Random) -> Expression | None:
        """The expression by another name; None if none of a few rules fits."""
        shapes = product((expression.symbol,), *((child.symbol, None) for child in expression.children))
        groups = [rules for shape in shapes if (rules := self._by_shape.get(shape))]
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


def _argument(random: Random) -> Expression:
    """What a variable is replaced by: mostly what stands in books."""
    argument = random.choices(_ARGUMENT_EXPRESSIONS, _ARGUMENT_WEIGHTS)[0]
    return apply(random.choice(_INNER), argument) if random.random() < 0.08 else argument


def instantiated(equation: Equation, random: Random) -> Equation:
    """One variable, or all of them, replaced everywhere."""
    names = equation.variables()
    if not names:
        return equation
    chosen = names if random.random() < 0.15 else (random.choice(names),)
    return equation.substituted({name: _argument(random) for name in chosen})


def renamed(equation: Equation, random: Random) -> Equation:
    names = random.choice(_NAMES)
    return equation.substituted({old: variable(new) for old, new in zip(VARIABLES, names, strict=True)})


def _term_moved(equation: Equation, random: Random) -> Equation:
    """A + b = C as A = C - b."""
    left, right = equation
    terms = operands(left, ADD)
    if len(terms) < 2:
        stays = left is ZERO or right is ZERO or random.random() < 0.7
        return equation if stays else Equation(add(left, negated(right)), ZERO)
    moved = terms.pop(random.randrange(len(terms)))
    opposite = moved.children[1] if moved.symbol == MULTIPLY and moved.children[0] is MINUS_ONE else negated(moved)
    return Equation(joined(terms, add), opposite if right is ZERO else add(right, opposite))


def _factor_moved(equation: Equation, random: Random) -> Equation:
    """A * b = C as A = C / b, and A / b = C as A = C * b."""
    left, right = equation
    negative, above, below = as_fraction(left)
    if len(above) + len(below) < 2 or right is ZERO:
        return equation
    place = random.randrange(len(above) + len(below))
    if place < len(above):
        right = multiply(right, power(above[place], MINUS_ONE))
        above = above[:place] + above[place + 1 :]
    else:
        right = multiply(right, below[place - len(above)])
        below = below[: place - len(above)] + below[place - len(above) + 1 :]
    left = joined([*(above or (ONE,)), *(power(each, MINUS_ONE) for each in below)], multiply)
    return Equation(negated(left) if negative else left, right)


def _both(equation: Equation, operation) -> Equation:
    return Equation(operation(equation.left), operation(equation.right))


def _added(equation: Equation, random: Random) -> Equation:
    term = random.choice(_ADDED)
    return _both(equation, lambda side: add(side, term))


def _multiplied(equation: Equation, random: Random) -> Equation:
    factor = random.choice(_FACTORS)
    return _both(equation, lambda side: side if side is ZERO else multiply(factor, side))


def _divided(equation: Equation, random: Random) -> Equation:
    divisor = power(random.choice(_FACTORS), MINUS_ONE)
    return _both(equation, lambda side: side if side is ZERO else multiply(side, divisor))


def _raised(equation: Equation, random: Random) -> Equation:
    exponent = constant(random.choice(("2", "2", "3", "-1")))
    return _both(equation, lambda side: power(side, exponent))


def _wrapped(equation: Equation, random: Random) -> Equation:
    function = random.choice(_OUTER)
    return _both(equation, lambda side: apply(function, side))


def _flipped(change):
    """The change as seen from the other side, half of the time."""
    return lambda equation, random: change(equation.mirrored() if random.random() < 0.5 else equation, random)


_CHANGES = (
    (_flipped(_term_moved), 5.0), (_flipped(_factor_moved), 4.0), (_multiplied, 2.5), (_added, 1.0), (_divided, 1.5),
    (_raised, 0.7), (_wrapped, 0.3),
)  # fmt: skip


def varied(equation: Equation, random: Random, rules: Rules) -> Equation:
    """An equation that is as true as this one: most are near to it, some far."""
    if random.random() < 0.42:
        equation = instantiated(equation, random)
    for _ in range(random.choices((0, 1, 2, 3), (0.52, 0.3, 0.13, 0.05))[0]):
        equation = rewritten(equation, random, rules)
    for _ in range(random.choices((0, 1, 2), (0.56, 0.35, 0.09))[0]):
        equation = random.choices(*zip(*_CHANGES, strict=True))[0](equation, random)
    return finished(equation, random)


def finished(equation: Equation, random: Random) -> Equation:
    """The equation with its sides spelled anew, its variables renamed and its sides exchanged, each by chance."""
    if random.random() < 0.8:
        equation = _both(equation, lambda side: respelled(side, random))
    if random.random() < 0.5:
        equation = equation.mirrored()
    return renamed(equation, random)


def fits(equation: Equation) -> bool:
    """Whether the equation is of a size for the network, says something and is within its variables."""
    return (
        equation.size <= LARGEST_SIZE
        and equation.depth <= LARGEST_DEPTH
        and set(equation.variables()) <= set(VARIABLES)
    )
