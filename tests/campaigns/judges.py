"""The judges against mpmath with 150 digits: at poles, on branch cuts, beyond overflow, at near misses.

What ball arithmetic says of a point must be what mpmath finds there. The campaign of the prover asks these questions,
too.
"""

import sys
from collections import Counter
from functools import cache
from random import Random

import mpmath
from campaigns.campaign import Campaign, Step, main
from support.identities import LEFT_OPEN, SETTLED

from reproduction.judges.balls import (
    POINT_COUNT,
    UNDEFINED,
    VAGUE,
    Valuation,
    coordinate,
)
from reproduction.judges.oracle import AGREES, DIFFERS, compare
from reproduction.language.expression import (
    CONSTANT,
    NUMBER,
    VARIABLE,
    Equation,
    Expression,
    apply,
)
from reproduction.language.grammar import ADD, CONSTANTS, EXTRA_FUNCTIONS, MULTIPLY, POWER, UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation

EQUATIONS_OF_A_STEP = 40
DIGITS = 150
IDENTITIES = tuple(parse_equation(text, EXTRA_FUNCTIONS) for text in LEFT_OPEN + SETTLED)
# Where functions have poles, zeros, branch points or cuts, and right beside them; the first ones are real.
PLACES = """
0; 1; -1; 2; -2; 1/2; -1/2; pi; 1/2 * pi; -pi; pi / 4; 2 * pi; 10; 3; 0.7; -8; 1 / 3; -7 / 5; sqrt(2); 10^(-9); -(10^6)
1 + 10^(-4 * 10); -1 - 10^(-4 * 10); 10^(-4 * 10); pi - 10^(-3 * 10); 10^10; -(10^10); exp(10); exp(-10); 10^10^2
exp(exp(10)); sqrt(-1); -sqrt(-1); 2 * sqrt(-1); -2 * sqrt(-1); -3 * sqrt(-1); 1 - sqrt(-1)
""".strip()
SPECIAL = tuple(parse_expression(text) for line in PLACES.splitlines() for text in line.split(";"))
REAL = tuple(
    map(parse_expression, ("y", "-x", "2 * x", "x + y", "sin(x)", "x^2", "exp(x)", "1 - x", "x / 3", "atan(y)"))
)
read = cache(lambda text: parse_equation(text, EXTRA_FUNCTIONS))


def filled(text: str, **parts: Expression) -> Equation:
    """The equation of this text, with something in the place of its variables."""
    return read(text).substituted(parts)


def _tree(random: Random, height: int) -> Expression:
    if height == 0 or random.random() < 0.1:
        return random.choice((REAL[0], parse_expression("x"), *SPECIAL))
    if random.random() < 0.6:
        return apply(random.choice(UNARY).name, _tree(random, height - 1))
    return apply(random.choice((ADD, MULTIPLY, POWER)), _tree(random, height - 1), _tree(random, height - 1))


def _identity(random: Random, places: tuple[Expression, ...] = REAL) -> Equation:
    equation = random.choice(IDENTITIES)
    return equation.substituted({name: random.choice(places) for name in equation.variables()})


def _near_miss(random: Random) -> Equation:
    left, right = _identity(random)
    return filled(f"a = b {random.choice('+-')} 10^(-{random.randint(5, 120)})", a=left, b=right)


def _at_special_point(random: Random) -> Equation:
    return _identity(random, SPECIAL)


def _law(random: Random) -> Equation:
    """A law that holds everywhere, in part or not at all."""
    function, other = (random.choice(UNARY).name for _ in range(2))
    inverse = random.choice([each.name for each in UNARY if each.name.startswith("a")])
    text = random.choice((
        *(f"{function}(-z) = {random.choice(('', '-'))}{function}(z)", f"{function}(z) = {other}(z)"),
        *(f"{inverse[1:]}({inverse}(z)) = z", f"{inverse}({inverse[1:]}(z)) = z"),
        *("sqrt(z^w) = z^(w * 1/2)", "z^w * z^(-w) = 1"),
    ))  # fmt: skip
    return filled(text, z=_tree(random, random.randint(0, 2)), w=random.choice(SPECIAL))


KINDS = {"identity": _identity, "tiny near miss": _near_miss, "special point": _at_special_point, "law": _law}

# ------------------------------------------------------------------------------------------------ mpmath


def _by_mpmath(node: Expression, point: dict):
    if node.kind == VARIABLE:
        return point[node.symbol]
    if node.kind in (CONSTANT, NUMBER):
        exact = CONSTANTS[node.symbol].value if node.kind == CONSTANT else node.value
        return +mpmath.pi if exact is None else mpmath.mpf(exact.numerator) / exact.denominator
    arguments = [_by_mpmath(child, point) for child in node.children]
    if node.symbol == ADD:
        return arguments[0] + arguments[1]
    if node.symbol == MULTIPLY:
        return arguments[0] * arguments[1]
    if node.symbol == POWER:
        if not arguments[0]:
            if not mpmath.re(arguments[1]) > 0:
                raise ZeroDivisionError
            return mpmath.mpf(0)  # mpmath itself has no 0^(1 + i)
        return mpmath.power(*arguments)
    return getattr(mpmath, node.symbol)(*arguments)


def _both(equation: Equation, point: dict[str, str], digits: int):
    """How far apart both sides are and how large, with so many digits; None where mpmath finds no value of a size that
    can be computed."""
    with mpmath.workdps(digits):
        try:
            values = {name: mpmath.mpf(text) for name, text in point.items()}
            sides = [mpmath.mpmathify(_by_mpmath(side, values)) for side in equation]
        except (ZeroDivisionError, ValueError, OverflowError, mpmath.libmp.NoConvergence):
            return None
        if not all(mpmath.isfinite(side) for side in sides):
            return None
        return abs(sides[0] - sides[1]), max(map(abs, sides))


def _is_large(expression: Expression, valuation: Valuation) -> bool:
    """Whether a part of it is so large that mpmath would take forever, or loses all its digits."""
    return any(
        value is VAGUE
        or (value is not UNDEFINED and (abs(value) > 10**40 or (abs(value) > 0 and abs(value) < 10**-100)))
        for value in (valuation.value(node, 0) for node in expression.subexpressions() if node.closed)
    )


def _wrong_at(equation: Equation, point: int, valuation: Valuation) -> str | None:
    """What ball arithmetic and mpmath disagree on at a sample point, if they do."""
    left, right = (valuation.value(side, point) for side in equation)
    outcome = compare(left, right)
    if outcome not in (DIFFERS, AGREES):
        return None
    place = {name: str(coordinate(name, point)) for name in equation.variables()}
    off = [_both(equation, place, digits) for digits in (DIGITS, 2 * DIGITS)]
    if None in off:
        return f"{outcome} at {place}, and mpmath finds no value"
    if outcome == AGREES and any(apart > 1e-11 * (1 + size) for apart, size in off):
        return f"agrees at {place}, and by mpmath the sides are {mpmath.nstr(off[1][0], 5)} apart"
    apart, size = off[1]
    if outcome == DIFFERS and apart <= size * mpmath.mpf(10) ** (10 - DIGITS):  # by their own size: they may be tiny
        return f"differs at {place}, and by mpmath the sides are {mpmath.nstr(apart, 5)} apart"
    return None


def step(number: int, random: Random) -> Step:
    counts, findings, valuation = Counter(), [], Valuation()
    for _ in range(EQUATIONS_OF_A_STEP):
        kind = random.choice(list(KINDS))
        equation = KINDS[kind](random)
        is_large = any(_is_large(side, valuation) for side in equation)
        counts[f"{kind}: {'too large' if is_large else 'compared'}"] += 1
        points = () if is_large else range(POINT_COUNT) if equation.variables() else (0,)
        wrong = filter(None, (_wrong_at(equation, point, valuation) for point in points))
        findings += [f"{print_equation(equation)[:200]}: {each}" for each in list(wrong)[:1]]
    return Step(counts, tuple(findings))


CAMPAIGN = Campaign("judges", 20_000, step)

if __name__ == "__main__":
    sys.exit(main(CAMPAIGN))
