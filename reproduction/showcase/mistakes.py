"""Near misses: an equation with one thing changed as people get it wrong. Values decide whether it is false.

A mistake takes a node and returns its replacement, or None where it does not apply.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from random import Random

from ..language import expression as trees
from ..language.expression import MINUS_ONE, Equation, Expression, add, apply, constant, multiply, negated, over, power
from ..language.grammar import ADD, CIRCULAR, CONSTANTS, FUNCTIONS, MULTIPLY, POWER
from ..language.printing import TWO
from .variation import operands, opposite

Mistake = Callable[[Expression, Random], Expression | None]
TRIES, PLACES = 4, 6  # kinds of mistakes, and places for each, that are tried

_OTHER_CONSTANTS = {
    "0": "1 1 2 -1", "1": "2 0 -1 1/2 3", "2": "3 1 4 1/2 -2", "3": "2 4 1 6", "4": "2 3 5 8", "5": "4 6 3 10",
    "6": "5 7 3 9", "7": "6 8 5", "8": "4 6 9 7", "9": "3 6 8 10", "10": "5 9 8", "1/2": "2 1 -1/2", "-1": "1 -2 2 1/2",
    "-2": "2 -1 -3", "-3": "3 -2", "-1/2": "1/2 -1 -2", "pi": "1 2 3", "0.4": "0.7 4", "0.7": "0.4 7",
}  # fmt: skip
_OTHER_EXPONENTS = {
    "2": "3 1 1 1 4", "3": "2 1 4", "4": "3 2 8", "5": "4 6", "6": "5 3", "-1": "-2 1 1", "-2": "2 -1",
    "1/2": "2 1 -1/2",
}  # fmt: skip
_PAIRS = {"sin": "cos", "tan": "cot", "sec": "csc"}
_PAIRS |= {other: name for name, other in _PAIRS.items()}


def _likenesses(function: str) -> list[str]:
    """Functions that are taken for this one: its partner, inverse, hyperbolic or circular twin, reciprocal."""
    if function == "exp":
        return ["sinh", "cosh", "exp"]
    inverse, core = ("a", function[1:]) if function.startswith("a") else ("", function)
    hyperbolic, core = ("h", core[:-1]) if core.endswith("h") else ("", core)
    partner, reciprocal = _PAIRS[core], CIRCULAR[(CIRCULAR.index(core) + 2) % 6]
    other = "" if inverse else "a", "" if hyperbolic else "h"
    return [f"{inverse}{partner}{hyperbolic}"] * 4 + [
        f"{other[0]}{core}{hyperbolic}", f"{inverse}{core}{other[1]}", f"{inverse}{core}{other[1]}",
        f"{inverse}{reciprocal}{hyperbolic}", f"{inverse}{_PAIRS[reciprocal]}{hyperbolic}",
    ]  # fmt: skip


_UNARY = [function.name for function in FUNCTIONS.values() if function.name != "log" and function.arity == 1]
_LIKENESSES = {name: _likenesses(name) for name in _UNARY}


def other_constant(node: Expression, random: Random) -> Expression | None:
    value = node.value
    if node.kind == trees.NUMBER and value is not None:
        if value.denominator > 1:
            return trees.number(value + random.choice((1, Fraction(1, 10), Fraction(1, 2))))
        n = value.numerator
        return integer(random.choice((n - 1, n + 1, n - 2, n + 2, n * 2, n // 2, n + 10, n - 10)))
    if node.kind != trees.CONSTANT:
        return None
    if node.symbol == "pi" and random.random() < 0.6:
        return random.choice((multiply(TWO, node), over(node, TWO), negated(node)))
    return constant(random.choice(_OTHER_CONSTANTS[node.symbol].split()))


def integer(value: int) -> Expression:
    """A whole number as the parser reads it: a constant, or a number, behind a sign if it is negative."""
    if str(value) in CONSTANTS:
        return constant(str(value))
    return negated(integer(-value)) if value < 0 else trees.number(Fraction(value))


def other_function(node: Expression, random: Random) -> Expression | None:
    likenesses = _LIKENESSES.get(node.symbol)
    return apply(random.choice(likenesses), *node.children) if likenesses else None


def other_sign(node: Expression, random: Random) -> Expression | None:
    """The sign of a term of a sum, or of anything."""
    if node.symbol == MULTIPLY and node.children[0] is MINUS_ONE:
        return node.children[1]
    if node.symbol != ADD:
        return negated(node) if random.random() < 0.3 and node.kind != trees.CONSTANT else None
    children, place = list(node.children), random.choice((0, 1, 1, 1))
    children[place] = opposite(children[place])
    return add(*children)


def other_exponent(node: Expression, random: Random) -> Expression | None:
    if node.symbol == POWER and node.children[1].kind == trees.CONSTANT:
        base, exponent = node.children
        chosen = random.choice(_OTHER_EXPONENTS.get(exponent.symbol, "1 2").split())
        return base if chosen == "1" else power(base, constant(chosen))
    if node.kind == trees.FUNCTION and node.symbol not in (ADD, MULTIPLY, POWER) and random.random() < 0.4:
        return power(node, TWO)
    return power(node, TWO) if node.kind == trees.VARIABLE and random.random() < 0.3 else None


def without_part(node: Expression, random: Random) -> Expression | None:
    """A sum without a term, a product without a factor."""
    if node.symbol not in (ADD, MULTIPLY):
        return None
    parts = operands(node, node.symbol)
    parts.pop(random.randrange(len(parts)))
    return reduce(add if node.symbol == ADD else multiply, parts)


def with_factor(node: Expression, random: Random) -> Expression | None:
    if node.kind in (trees.CONSTANT, trees.NUMBER) or (node.symbol == POWER and node.children[1] is MINUS_ONE):
        return None
    if random.random() < 0.6:
        return multiply(constant(random.choice(("2", "2", "2", "3", "4"))), node)
    return over(node, TWO)


def other_operator(node: Expression, random: Random) -> Expression | None:
    if len(node.children) != 2:
        return None
    left, right = node.children
    if node.symbol == POWER:
        return multiply(left, right) if random.random() < 0.5 else power(right, left)
    if node.symbol == ADD:
        return multiply(left, right)
    return add(left, right) if MINUS_ONE not in node.children else None


def other_variable(node: Expression, random: Random) -> Expression | None:
    if node.kind != trees.VARIABLE:
        return None
    return trees.variable({"x": "y", "y": random.choice("xz"), "z": "x", "z1": "x"}[node.symbol])


def upside_down(node: Expression, random: Random) -> Expression | None:
    """A quotient turned over, or something under a fraction line that does not belong there."""
    if node.symbol == POWER and node.children[1] is MINUS_ONE:
        return node.children[0]
    if node.symbol == MULTIPLY and node.children[1].symbol == POWER and node.children[1].children[1] is MINUS_ONE:
        return over(node.children[1].children[0], node.children[0])
    return power(node, MINUS_ONE) if random.random() < 0.3 else None


def other_scope(node: Expression, random: Random) -> Expression | None:
    """f(x)^2 for f(x^2), 2 f(x) for f(2 x), f(x) + f(y) for f(x + y), and the other way round."""
    if node.kind != trees.FUNCTION:
        return None
    if node.symbol in (POWER, MULTIPLY, ADD):
        return _inwards(node, random)
    (argument,) = node.children
    if argument.symbol in (ADD, MULTIPLY):
        left, right = argument.children
        if left.kind == trees.CONSTANT:
            return multiply(left, apply(node.symbol, right))
        if right.symbol == POWER and right.children[0].kind == trees.CONSTANT:
            return multiply(apply(node.symbol, left), right)
        return apply(argument.symbol, apply(node.symbol, left), apply(node.symbol, right))
    if argument.symbol == POWER:
        return power(apply(node.symbol, argument.children[0]), argument.children[1])
    return None


def _inwards(node: Expression, random: Random) -> Expression | None:
    left, right = node.children
    if node.symbol == POWER and left.kind == trees.FUNCTION:
        if left.symbol in (ADD, MULTIPLY):
            first, second = left.children
            alone = left.symbol == MULTIPLY and random.random() < 0.6
            return apply(left.symbol, first if alone else power(first, right), power(second, right))
        if len(left.children) == 1:
            return apply(left.symbol, power(left.children[0], right))
    if node.symbol == MULTIPLY and left.kind == trees.CONSTANT and len(right.children) == 1:
        return apply(right.symbol, multiply(left, right.children[0]))
    if node.symbol == MULTIPLY and right.symbol == ADD:
        return add(multiply(left, right.children[0]), right.children[1])
    if node.symbol != POWER and left.symbol == right.symbol and len(left.children) == len(right.children) == 1:
        return apply(left.symbol, apply(node.symbol, left.children[0], right.children[0]))
    return None


def without_function(node: Expression, random: Random) -> Expression | None:
    return node.children[0] if len(node.children) == 1 and random.random() < 0.4 else None


MISTAKES: dict[Mistake, float] = {
    other_sign: 5.0, other_constant: 4.0, other_function: 4.0, other_exponent: 2.5, without_part: 2.5, with_factor: 1.5,
    other_scope: 3.0, other_variable: 1.0, upside_down: 1.0, other_operator: 1.0, without_function: 0.4,
}  # fmt: skip


def mistaken(equation: Equation, random: Random) -> tuple[Equation, str] | None:
    """The equation with one mistake, and its name; None when several tries find none."""
    positions = list(equation.positions())
    kinds, weights = zip(*MISTAKES.items(), strict=True)
    for _ in range(TRIES):
        mistake = random.choices(kinds, weights)[0]
        for path, node in random.sample(positions, min(PLACES, len(positions))):
            other = mistake(node, random)
            if other is not None and other is not node:
                return equation.replaced(path, other), mistake.__name__.replace("_", " ")
    return None
