"""The second prover on equations that are true by construction, false by one change, or of unknown truth.

A proof is a finding where ball arithmetic with 1,000 bits tells the sides apart at any of some fifty points: random
ones of every scale and sign, and those where functions have zeros, poles, branch points and jumps.
"""

import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

from campaigns import judges
from campaigns.campaign import Campaign, Step, main
from campaigns.judges import IDENTITIES, SPECIAL, filled

from reproduction.data.recipes import match
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, compare
from reproduction.judges.prover import proves
from reproduction.language.expression import Equation, Expression, OutOfBoundsError, apply
from reproduction.language.grammar import EXTRA_FUNCTIONS, POWER, UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation

QUESTIONS_OF_A_STEP = 100
PRECISION = 1000  # bits
GENERIC_POINTS = 24
INVERSES = tuple(each.name for each in UNARY if each.name.startswith("a"))
FORWARD = tuple(each.name for each in UNARY if not each.name.startswith("a"))
CURVED = ("log", "atan", "atanh", "acot", "acoth", "acosh", "asinh", "asin", "asech")
FACTORS = tuple(map(parse_expression, ("1", "2", "sqrt(-1)", "sqrt(-1)", "2 * sqrt(-1)", "1/2", "pi", "x", "y", "-3")))
VARIABLES = tuple(map(parse_expression, "xyz"))
PLACES = SPECIAL[:16]  # the real ones

# What holds everywhere, in part or nowhere; a chain of them leads from an expression to what may or may not equal it.
LAWS = """
sqrt(a^2) = a; sqrt(a * b) = sqrt(a) * sqrt(b); sqrt(a / b) = sqrt(a) / sqrt(b); sqrt(-a) = sqrt(-1) * sqrt(a)
1 / sqrt(a) = sqrt(1 / a); sqrt(exp(a)) = exp(a / 2); (a^2)^(1 / 4) = sqrt(a); (a^3)^(1 / 3) = a; (a^(1 / 3))^3 = a
a^(2 / 3) = (a^2)^(1 / 3); (a^b)^c = a^(b * c); (a * b)^c = a^c * b^c; (a / b)^c = a^c / b^c; a^(b + c) = a^b * a^c
a^(-b) = 1 / a^b; 1 / a^b = (1 / a)^b; a^b = exp(b * log(a)); a^(b^c) = (a^b)^c; 0^a = 0; a^0 = 1; a / a = 1
exp(a)^b = exp(a * b); log(exp(a)) = a; exp(log(a)) = a; exp(a + b) = exp(a) * exp(b); exp(a * log(b)) = b^a
(2^a)^b = 2^(a * b); ((-2)^a)^b = (-2)^(a * b); log((-2)^a) = a * log(-2); (exp(a) * b)^c = exp(a * c) * b^c
log(a * b) = log(a) + log(b); log(a / b) = log(a) - log(b); log(a^b) = b * log(a); log(a^2) = 2 * log(a)
log(a) = log(-a); log(-a) = log(a) + sqrt(-1) * pi; log(1 / a) = -log(a); log(exp(a) * b) = a + log(b)
exp(log(a) * log(b)) = b^log(a); a^log(b) = b^log(a); exp(log(a)^2) = a^log(a); log(a) / log(b) = log(a / b)
asin(sin(a)) = a; atan(tan(a)) = a; acosh(cosh(a)) = a; asinh(sinh(a)) = a; atanh(tanh(a)) = a; sin(asin(a)) = a
acosh(a) = log(a + sqrt(a^2 - 1)); sinh(acosh(a)) = sqrt(a^2 - 1); exp(acosh(a)) = a + sqrt(a^2 - 1)
acosh(a) + acosh(b) = acosh(a * b + sqrt(a^2 - 1) * sqrt(b^2 - 1)); acosh(a) * acosh(b) = acosh(a * b)
atan(a) + atan(b) = atan((a + b) / (1 - a * b)); atanh(a) + atanh(b) = atanh((a + b) / (1 + a * b))
atanh(a) = 1 / 2 * log((1 + a) / (1 - a)); atanh(a) = 1 / 2 * log(1 + a) - 1 / 2 * log(1 - a)
asinh(a) = log(a + sqrt(a^2 + 1)); asinh(a) = atanh(a / sqrt(1 + a^2)); atanh(a) * atanh(b) = atanh(a * b)
acoth(a) = atanh(1 / a); acoth(a) = 1 / 2 * log((a + 1) / (a - 1)); acot(a) = atan(1 / a); acot(a) = pi / 2 - atan(a)
acosh(a) = sqrt(-1) * acos(a); acosh(a)^2 = -(acos(a)^2); acos(a) = pi / 2 - asin(a); asin(a) = atan(a / sqrt(1 - a^2))
sin(acos(a)) = sqrt(1 - a^2); cos(a) = sqrt(1 - sin(a)^2); cos(a / 2) = sqrt((1 + cos(a)) / 2); tan(a + pi) = tan(a)
sin(a + pi) = sin(a); cos(a + 10^6 * pi) = cos(a); sin(10^6 * pi * a) = 0; exp(2 * pi * sqrt(-1) * a) = 1
exp(sqrt(-1) * pi * a) = (-1)^a; (-1)^a = cos(pi * a); tan(a) = sin(a) / cos(a); cot(a) = 1 / tan(a)
exp(atanh(a)) = sqrt((1 + a) / (1 - a)); exp(atanh(a)) = sqrt(1 + a) / sqrt(1 - a); exp(asinh(a)) = a + sqrt(1 + a^2)
exp(2 * atanh(a)) = (1 + a) / (1 - a); exp(2 * acoth(a)) = (1 + a) / (1 - a); x^(y + 1) = x * x^y; a = 1 / a; a = a^2
exp(sqrt(-1) * atan(a)) = (1 + sqrt(-1) * a) / sqrt(1 + a^2); exp(sqrt(-1) * asin(a)) = sqrt(1 - a^2) + sqrt(-1) * a
exp(sqrt(-1) * acot(a)) = (a + sqrt(-1)) / sqrt(1 + a^2); sinh(x) = (exp(x) - exp(-x)) / 2
""".strip()
HALF_TRUE = tuple(parse_equation(law, EXTRA_FUNCTIONS) for line in LAWS.splitlines() for law in line.split(";"))
EXPONENTS = tuple(
    law for law in HALF_TRUE if "b" in law.variables() and any(node.symbol == POWER for node in law.subexpressions())
)


def _leaf(random: Random) -> Expression:
    return random.choice((*VARIABLES, *VARIABLES, random.choice(SPECIAL)))


def _argument(random: Random, height: int = 2) -> Expression:
    """A random expression in the style of textbooks."""
    if height == 0 or random.random() < 0.25:
        return _leaf(random)
    function, exponent = random.choice(UNARY).name, random.choice(("2", "-1", "1/2", "b"))
    form = random.choice((f"{function}(a)", "a + b", "a * b", "-a", f"a^({exponent})"))
    return filled(f"{form} = 0", a=_argument(random, height - 1), b=_leaf(random)).left


def _placed(equation: Equation, random: Random) -> Equation:
    """The equation with something in the place of each of its variables."""
    return equation.substituted({name: _argument(random, 1) for name in equation.variables()})


def _true(random: Random) -> Equation:
    """An identity with something put in the place of its variables: true where it holds for those values."""
    equation = _placed(random.choice(IDENTITIES), random)
    if random.random() < 0.3:
        form = random.choice(("a + c = b + c", "a * c = b * c"))
        equation = filled(form, a=equation.left, b=equation.right, c=_argument(random, 1))
    return equation


def _near_miss(random: Random) -> Equation:
    """One change of an identity: a sign, a number, a function, or a little added."""
    equation = _true(random)
    path, node = random.choice(list(equation.positions()))
    texts = ("-a = 0", f"a + 10^(-{random.choice((3, 9, 20, 60, 150))}) = 0", "2 * a = 0", "a^2 = 0")
    choices = [filled(text, a=node).left for text in texts]
    if len(node.children) == 1:
        choices += [apply(random.choice(UNARY).name, node.children[0]), node.children[0]]
    if len(node.children) == 2:
        choices += [node.children[0], apply(node.symbol, *reversed(node.children))]
    return equation.replaced(path, random.choice(choices))


def _products(random: Random) -> Equation:
    """exp and powers of products of atoms, mostly of one kind, beside those of one of them."""
    kind = random.choice(CURVED)
    kinds = [kind, kind if random.random() < 0.7 else random.choice(CURVED)]
    places = [random.choice(VARIABLES) if random.random() < 0.7 else _argument(random, 1) for _ in kinds]
    atoms = [apply(name, place) for name, place in zip(kinds, places, strict=True)]
    if random.random() < 0.1:
        atoms[1] = atoms[0]
    one = random.randrange(2)  # p and a are the place and the atom that the right side has, b is the other atom
    parts = {"p": places[one], "a": atoms[one], "b": atoms[1 - one], "c": random.choice(FACTORS)}
    if random.random() < 0.2:  # z^w is exp of a product of log z
        return filled(random.choice(("p^a = exp(a)", "p^b = exp(a)", "p^a = p", "p^b = p^(1/2)")), **parts)
    function = "exp" if random.random() < 0.8 else random.choice(FORWARD)
    right = random.choice(("exp(c * a)", "exp(a)", "p^c", "exp(a)^b", "p^(c * b)", "exp(a)^(c * b)"))
    return filled(f"{function}(c * (a * b)) = {right}", **parts)


def _exponents(random: Random) -> Equation:
    """Powers of powers, roots of products, logarithms of both: some hold, most in part."""
    parts = {"a": _argument(random, 1), "b": _leaf(random), "c": random.choice((_leaf(random), *FACTORS))}
    return random.choice(EXPONENTS).substituted(parts)


def _cuts(random: Random) -> Equation:
    """Inverse functions beside what they are on part of the plane."""
    name, other, any_forward = random.choice(INVERSES), random.choice(INVERSES), random.choice(FORWARD)
    forward, inside = name[1:], random.choice(("z", "1 / z", "sqrt(-1) * z"))
    return filled(
        random.choice((
            f"{forward}({name}(z)) = z",
            f"{name}({forward}(z)) = z",
            f"{name}(-z) = {random.choice(('-', 'pi - ', ''))}{name}(z)",
            f"{name}(z) = {other}({inside})",
            f"{name}(z) + {other}(z) = pi / 2",
            f"{any_forward}(2 * {name}(z)) = a",
            f"{forward}(1/2 * {name}(z)) = sqrt(a)",
        )),
        z=_argument(random, 1), a=_argument(random, 2),
    )  # fmt: skip


def _tens(random: Random) -> Equation:
    """Large and small numbers: what holds near 0 and not far away, and what vanishes at round places."""
    ten, x = parse_expression(f"10^{random.choice((1, 2, 3, 6, 9, 15, 40))}"), random.choice(VARIABLES)
    shifted = filled(random.choice(("x + t = 0", "x - t = 0", "t * x = 0")), t=ten, x=x).left
    equation = _true(random)
    if random.random() < 0.1:
        return equation.substituted(dict.fromkeys(equation.variables(), shifted))
    return filled(
        random.choice((
            *("sqrt(s^2) = s", "asinh(sinh(s)) = s", "atan(tan(s)) = s", "exp(t * x) = exp(x)^t"),
            *("log(x^t) = t * log(x)", "sin(t * pi * x) * l = sin(t * pi * x) * u"),
            "sin(t * pi * x) * l = sin(t * pi * x) * (r + 1)",
        )),
        s=shifted, t=ten, x=x, l=equation.left, r=equation.right, u=_argument(random, 2),
    )  # fmt: skip


def _rewritten(expression: Expression, random: Random) -> Expression:
    """The expression with one law used somewhere in it, in either direction, if one fits."""
    for path, node in random.sample(list(expression.positions()), min(8, expression.size)):
        for law in random.sample(HALF_TRUE, len(HALF_TRUE)):
            one, other = random.sample(tuple(law), 2)
            binding = match(one, node)
            if binding is not None and (one.children or random.random() < 0.03):
                fresh = {name: _argument(random, 1) for name in other.variables()}
                return expression.replaced(path, other.substituted({**fresh, **binding}))
    return expression


def _chains(random: Random) -> Equation:
    """An expression beside what some laws in a row make of it; now and then exp of both."""
    start = end = _placed(random.choice(HALF_TRUE), random).left
    for _ in range(random.choice((1, 1, 2, 2, 3, 4))):
        end = _rewritten(end, random)
    return filled(random.choice(("a = b", "a = b", "exp(a) = exp(b)")), a=start, b=end)


KINDS = {
    "true by construction": _true, "near miss": _near_miss, "products of atoms": _products, "branch cuts": _cuts,
    "nested exponents": _exponents, "powers of ten": _tens, "chains of half-true laws": _chains, **judges.KINDS,
}  # fmt: skip


def _fraction(random: Random, sign: int) -> Fraction:
    scale = Fraction(10) ** random.choice((-6, -2, -1, 0, 0, 0, 1, 1, 2, 4, 8))
    return sign * scale * Fraction(random.getrandbits(90) + 1, random.getrandbits(88) | 1)


def _points(names: tuple[str, ...], random: Random, count: int) -> list[dict]:
    """Random values of every sign, then special ones."""
    signs = list(product((1, -1), repeat=len(names)))
    drawn = [{n: _fraction(random, s) for n, s in zip(names, signs[k % len(signs)], strict=True)} for k in range(count)]
    return [*drawn, *({name: random.choice(PLACES) for name in names} for _ in range(count))] if names else [{}]


def refuting_point(equation: Equation, random: Random, count: int = GENERIC_POINTS) -> str | None:
    """A point at which the sides differ, as text; None where none is found."""
    for point in _points(equation.variables(), random, count):
        places = {name: value for name, value in point.items() if isinstance(value, Expression)}
        valuation = Valuation(PRECISION, coordinates=lambda name, _, point=point: point[name])
        try:
            sides = equation.substituted(places)
        except OutOfBoundsError:
            continue
        if compare(*(valuation.value(side, 0) for side in sides)) == DIFFERS:
            return ", ".join(f"{name} = {value if name in places else float(value)}" for name, value in point.items())
    return None


def step(number: int, random: Random) -> Step:
    counts: Counter = Counter()
    findings = []
    for _ in range(QUESTIONS_OF_A_STEP):
        kind = random.choice(list(KINDS))
        equation = KINDS[kind](random)
        proved = proves(equation)
        point = refuting_point(equation, random, GENERIC_POINTS if proved else 3)
        truth = "false" if point is not None else "true" if kind == "true by construction" else "not refuted"
        counts[f"{kind}: {truth}, {'proved' if proved else 'not proved'}"] += 1
        if proved and point is not None:
            findings.append(f"{print_equation(equation)[:300]}: proved, and different at {point or 'its constants'}")
    return Step(counts, tuple(findings))


CAMPAIGN = Campaign("prover", 100_000, step)

if __name__ == "__main__":
    sys.exit(main(CAMPAIGN))
