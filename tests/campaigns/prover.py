"""The second prover on equations that are true by construction, false by one change, or of unknown truth.

A proof is a finding where ball arithmetic with 1,000 bits tells the sides apart at any of some fifty points: random
ones of every scale and sign, and those where functions have zeros, poles, branch points and jumps.
"""

import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

from campaigns.campaign import Campaign, Step, main
from support.identities import LEFT_OPEN, SETTLED

from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, compare
from reproduction.judges.prover import proves
from reproduction.language.expression import (
    Equation,
    Expression,
    OutOfBoundsError,
    add,
    apply,
    constant,
    multiply,
    negated,
    power,
    variable,
)  # fmt: skip
from reproduction.language.grammar import EXTRA_FUNCTIONS, UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation

QUESTIONS_OF_A_STEP = 100
PRECISION = 1000  # bits
GENERIC_POINTS = 24

LAWS = """
x^(y + 1) = x * x^y
exp(x)^y = exp(x * y)
(2^x)^y = 2^(x * y)
exp(x + y) = exp(x) * exp(y)
log(exp(x)) = x
exp(log(x)) = x
x^y = exp(y * log(x))
acos(x) = pi / 2 - asin(x)
sinh(x) = (exp(x) - exp(-x)) / 2
""".strip().splitlines()
IDENTITIES = tuple(parse_equation(text, EXTRA_FUNCTIONS) for text in LEFT_OPEN + SETTLED + LAWS)
ATOMS = ("log", "atan", "atanh", "acot", "acoth", "acosh", "asinh", "asin", "asech")
FORWARD = ("exp", "sin", "cos", "tan", "cot", "sinh", "cosh", "tanh", "sec", "csch")
IMAGINARY, PI, HALF = parse_expression("sqrt(-1)"), constant("pi"), constant("1/2")
SPECIAL = tuple(
    parse_expression(text)
    for text in (
        *("0", "1", "-1", "2", "-2", "1/2", "-1/2", "3", "pi", "-pi", "pi / 2", "10", "0.7", "-8", "1 / 3", "-7 / 5"),
        *("sqrt(-1)", "-sqrt(-1)", "2 * sqrt(-1)", "-3 * sqrt(-1)", "1 - sqrt(-1)", "sqrt(2)", "10^(-9)", "-(10^6)"),
    )
)
REAL_PLACES = SPECIAL[:16]
VARIABLES = tuple(map(variable, "xyz"))


def _ten(random: Random) -> Expression:
    return power(constant("10"), parse_expression(str(random.choice((1, 2, 3, 6, 9, 15, 40)))))


def _leaf(random: Random) -> Expression:
    return random.choice((*VARIABLES, *VARIABLES, random.choice(SPECIAL)))


def _argument(random: Random, height: int = 2) -> Expression:
    """A random expression in the style of textbooks."""
    if height == 0 or random.random() < 0.25:
        return _leaf(random)
    inner = _argument(random, height - 1)
    return random.choice((
        lambda: apply(random.choice(UNARY).name, inner),
        lambda: add(inner, _leaf(random)),
        lambda: multiply(inner, _leaf(random)),
        lambda: negated(inner),
        lambda: power(inner, random.choice((constant("2"), constant("-1"), HALF, _leaf(random)))),
    ))()  # fmt: skip


def _true(random: Random) -> Equation:
    """An identity with something put in the place of its variables: true where it holds for those values."""
    equation = random.choice(IDENTITIES)
    equation = equation.substituted({name: _argument(random, 1) for name in equation.variables()})
    if random.random() < 0.3:
        same = _argument(random, 1)
        equation = Equation(*(random.choice((add, multiply))(side, same) for side in equation))
    return equation


def _near_miss(random: Random) -> Equation:
    """One change of an identity: a sign, a number, a function, or a little added."""
    equation = _true(random)
    path, node = random.choice(list(equation.positions()))
    tiny = power(constant("10"), parse_expression(str(-random.choice((3, 9, 20, 60, 150)))))
    choices = [negated(node), add(node, tiny), multiply(node, constant("2")), power(node, constant("2"))]
    if len(node.children) == 1:
        choices += [apply(random.choice(UNARY).name, node.children[0]), node.children[0]]
    if len(node.children) == 2:
        choices += [node.children[0], apply(node.symbol, *reversed(node.children))]
    return equation.replaced(path, random.choice(choices))


def _products(random: Random) -> Equation:
    """exp and powers of products of atoms, mostly of one kind, beside those of one of them."""
    kind = random.choice(ATOMS)
    kinds = [kind, kind if random.random() < 0.7 else random.choice(ATOMS)]
    places = [random.choice(VARIABLES) if random.random() < 0.7 else _argument(random, 1) for _ in kinds]
    atoms = [apply(name, place) for name, place in zip(kinds, places, strict=True)]
    if random.random() < 0.1:
        atoms[1] = atoms[0]
    factor = random.choice(
        (
            constant("1"),
            constant("2"),
            IMAGINARY,
            IMAGINARY,
            multiply(constant("2"), IMAGINARY),
            HALF,
            PI,
            _leaf(random),
        )
    )
    if random.random() < 0.2:  # z^w is exp of a product of log z
        place, atom = random.choice(places), random.choice(atoms)
        return Equation(power(place, atom), random.choice((apply("exp", atom), atom.children[0], power(place, HALF))))
    exponent = multiply(factor, multiply(*atoms))
    one = random.randrange(2)
    right = random.choice((
        apply("exp", multiply(factor, atoms[one])),
        apply("exp", atoms[one]),
        power(places[one], factor),
        power(apply("exp", atoms[one]), atoms[1 - one]),
        power(places[one], multiply(factor, atoms[1 - one])),
        power(apply("exp", atoms[one]), multiply(factor, atoms[1 - one])),
    ))  # fmt: skip
    function = "exp" if random.random() < 0.8 else random.choice(FORWARD)
    return Equation(apply(function, exponent), right)


def _exponents(random: Random) -> Equation:
    """Powers of powers, roots of products, logarithms of both: some hold, most in part."""
    a, b, c = _argument(random, 1), _leaf(random), random.choice((_leaf(random), HALF))
    return random.choice((
        Equation(power(power(a, b), c), power(a, multiply(b, c))),
        Equation(power(multiply(a, b), c), multiply(power(a, c), power(b, c))),
        Equation(power(a, add(b, c)), multiply(power(a, b), power(a, c))),
        Equation(apply("log", power(a, b)), multiply(b, apply("log", a))),
        Equation(apply("log", multiply(a, b)), add(apply("log", a), apply("log", b))),
        Equation(power(apply("exp", a), b), apply("exp", multiply(a, b))),
        Equation(power(power(a, constant("2")), HALF), a),
        Equation(power(power(a, constant("-1")), c), power(power(a, c), constant("-1"))),
        Equation(power(a, power(b, c)), power(power(a, b), c)),
        Equation(power(constant("0"), a), constant("0")),
    ))  # fmt: skip


def _cuts(random: Random) -> Equation:
    """Inverse functions beside what they are on part of the plane."""
    z = _argument(random, 1)
    name = random.choice([each.name for each in UNARY if each.name.startswith("a")])
    inverse, forward = apply(name, z), name[1:]
    other = random.choice([each.name for each in UNARY if each.name.startswith("a")])
    return random.choice((
        Equation(apply(forward, inverse), z),
        Equation(apply(name, apply(forward, z)), z),
        Equation(apply(name, negated(z)), random.choice((negated(inverse), add(PI, negated(inverse)), inverse))),
        Equation(inverse, apply(other, random.choice((z, power(z, constant("-1")), multiply(IMAGINARY, z))))),
        Equation(add(inverse, apply(other, z)), multiply(HALF, PI)),
        Equation(apply(random.choice(FORWARD), multiply(constant("2"), inverse)), _argument(random, 2)),
        Equation(apply(forward, multiply(HALF, inverse)), power(_argument(random, 2), HALF)),
    ))  # fmt: skip


def _tens(random: Random) -> Equation:
    """Large and small numbers: what holds near 0 and not far away, and what vanishes at round places."""
    ten, x = _ten(random), random.choice(VARIABLES)
    shifted = random.choice((add(x, ten), add(x, negated(ten)), multiply(ten, x)))
    equation = _true(random)
    vanishing = apply("sin", multiply(ten, multiply(PI, x)))
    return random.choice((
        Equation(power(power(shifted, constant("2")), HALF), shifted),
        Equation(apply("asinh", apply("sinh", shifted)), shifted),
        Equation(apply("atan", apply("tan", shifted)), shifted),
        Equation(multiply(vanishing, equation.left), multiply(vanishing, _argument(random, 2))),
        Equation(multiply(vanishing, equation.left), multiply(vanishing, add(equation.right, constant("1")))),
        equation.substituted(dict.fromkeys(equation.variables(), shifted)),
        Equation(apply("exp", multiply(ten, x)), power(apply("exp", x), ten)),
        Equation(apply("log", power(x, ten)), multiply(ten, apply("log", x))),
    ))  # fmt: skip


KINDS = {
    "true by construction": _true, "near miss": _near_miss, "products of atoms": _products,
    "nested exponents": _exponents, "branch cuts": _cuts, "powers of ten": _tens,
}  # fmt: skip


def _fraction(random: Random, sign: int) -> Fraction:
    scale = Fraction(10) ** random.choice((-6, -2, -1, 0, 0, 0, 1, 1, 2, 4, 8))
    return sign * scale * Fraction(random.getrandbits(90) + 1, random.getrandbits(88) | 1)


class _Points(Valuation):
    """Values at one point, the variables' given."""

    def __init__(self, point: dict[str, Fraction], precision: int = PRECISION):
        super().__init__(precision, coordinates=lambda name, _: point[name])


def refuting_point(equation: Equation, random: Random, count: int = GENERIC_POINTS) -> str | None:
    """A point at which the sides differ, as text; None where none is found."""
    names = equation.variables()
    signs = list(product((1, -1), repeat=len(names)))
    for place in range(count if names else 1):
        point = {name: _fraction(random, sign) for name, sign in zip(names, signs[place % len(signs)], strict=True)}
        valuation = _Points(point)
        if compare(*(valuation.value(side, 0) for side in equation)) == DIFFERS:
            return ", ".join(f"{name} = {float(value):.6g}" for name, value in point.items()) or "its constants"
    for _ in range(count if names else 0):
        binding = {name: random.choice(REAL_PLACES) for name in names}
        try:
            sides, valuation = equation.substituted(binding), _Points({})
        except OutOfBoundsError:
            continue
        if compare(*(valuation.value(side, 0) for side in sides)) == DIFFERS:
            return ", ".join(f"{name} = {value}" for name, value in binding.items())
    return None


def step(number: int, random: Random) -> Step:
    counts: Counter = Counter()
    findings = []
    for _ in range(QUESTIONS_OF_A_STEP):
        kind = random.choice(list(KINDS))
        equation = KINDS[kind](random)
        proved = proves(equation)
        refuted = refuting_point(equation, random, GENERIC_POINTS if proved else 3)
        truth = "false" if refuted else "true" if kind == "true by construction" else "not refuted"
        counts[f"{kind}: {truth}, {'proved' if proved else 'not proved'}"] += 1
        if proved and refuted:
            findings.append(f"{print_equation(equation)[:300]}: proved, and different at {refuted}")
    return Step(counts, tuple(findings))


CAMPAIGN = Campaign("prover", 100_000, step)

if __name__ == "__main__":
    sys.exit(main(CAMPAIGN))
