"""The second prover: what it settles, what it must not, and that it changes nothing where it is not asked."""

import json
from random import Random

import pytest
from support.identities import LEFT_OPEN, SETTLED

from reproduction.__main__ import main
from reproduction.artifacts import ROOT, read_lines_gz
from reproduction.data.generation.axioms import read_axioms
from reproduction.judges import prover
from reproduction.judges.balls import Valuation
from reproduction.judges.forms import Forms
from reproduction.judges.oracle import (
    CORRECT,
    INCORRECT,
    UNSURE,
    Oracle,
    compare,
    examine,
    explanation,
    second_judgement,
)
from reproduction.judges.prover import proves
from reproduction.judges.ratios import GivesUpError
from reproduction.language.expression import Equation, add, apply, constant, multiply, negated, power, variable
from reproduction.language.grammar import EXTRA_FUNCTIONS, UNARY
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation

IN_PART = """
sqrt(x^2) = x
sqrt(x * y) = sqrt(x) * sqrt(y)
asin(sin(x)) = x
acos(cos(x)) = x
atan(tan(x)) = x
acosh(cosh(x)) = x
acot(-x) = -acot(x)
acoth(-x) = -acoth(x)
acoth(-(x + 7)) = -acoth(x + 7)
acot(x - 5.25) + acot(5.25 - x) = 0
atan(x) + acot(x) = 1/2 * pi
atan(x) + atan(x^(-1)) = 1/2 * pi
(x^y)^z = x^(y * z)
(x^2)^pi = x^(2 * pi)
acosh(-x) = acosh(x)
acosh(x) = asinh(sqrt(x^2 - 1))
asin(x) = atan(x / sqrt(1 - x^2))
sinh(acosh(x)) = sqrt(x^2 - 1)
log(x * y) = log(x) + log(y)
log(x^2) = 2 * log(x)
log(x^(-1)) = -log(x)
(-8)^(1 / 3) = -2
exp(2 * pi) = 1
sqrt(x)^(-1) = sqrt(x^(-1))
atan(x) + atan(y) = atan((x + y) / (1 - x * y))
cos(1/2 * x) = sqrt((1 + cos(x)) / 2)
0^x = 1
x^0 = 0
""".strip().splitlines()


@pytest.mark.parametrize("text", LEFT_OPEN + SETTLED)
def test_textbook_identities_are_proved(text):
    assert proves(parse_equation(text))


@pytest.mark.parametrize("text", IN_PART)
def test_what_holds_in_part_is_not(text):
    assert not proves(parse_equation(text, EXTRA_FUNCTIONS))


LOGARITHMS = """
log(exp(x)) = x
exp(log(x)) = x
log(x^4) = 2 * log(x^2)
log(4 * x) = 2 * log(2) + log(x)
asinh(x) = log(x + sqrt(x^2 + 1))
log(-1)^2 = -(pi^2)
x^y = exp(y * log(x))
""".strip().splitlines()


@pytest.mark.parametrize("text", LOGARITHMS)
def test_logarithms(text):
    assert proves(parse_equation(text, EXTRA_FUNCTIONS))


def test_all_axioms_but_one_are_proved():
    assert [print_equation(axiom.equation) for axiom in read_axioms() if not proves(axiom.equation)] == [
        "4 * atan(1) = pi"
    ]


@pytest.mark.parametrize("data", ["data", "hard/data"])
def test_what_the_committed_data_left_out_is_settled(data):
    path = ROOT / "runs" / data / "unsure.jsonl.gz"
    if not path.is_file():
        pytest.skip("there is no data set here")
    valuation = Valuation()
    equations = [parse_equation(row["equation"]) for row in read_lines_gz(path)]
    judged = [second_judgement(each, examine(each, valuation), valuation) for each in equations]
    assert sum(each is not None and each.verdict == CORRECT for each in judged) == len(equations) > 100


def _wrong_by_little(equation: Equation, random: Random) -> Equation:
    """The equation with its right side off by very little, or by a change of one node."""
    left, right = equation
    tiny = power(constant("10"), negated(parse_expression(str(random.choice((6, 15, 40, 100, 300))))))
    kind = random.random()
    if kind < 0.4:
        return Equation(left, add(right, tiny))
    if kind < 0.6:
        return Equation(left, multiply(right, add(constant("1"), tiny)))
    path, node = random.choice([pair for pair in equation.positions() if pair[1].children])
    other = [function.name for function in UNARY if function.name != node.symbol]
    changed = apply(random.choice(other), node.children[0]) if len(node.children) == 1 else negated(node)
    return equation.replaced(path, changed)


def test_near_misses_are_not_proved():
    """A proof of an equation that differs at a point would be a wrong one."""
    random, valuation, refuted = Random(1), Valuation(4000), 0
    identities = [parse_equation(text) for text in LEFT_OPEN + SETTLED]
    for index in range(400):
        near = _wrong_by_little(identities[index % len(identities)], random)
        differs = examine(near, valuation).outcome == "differs"
        refuted += differs
        assert not (differs and proves(near)), print_equation(near)
    assert refuted > 350


def test_it_gives_up_in_time():
    hard = parse_equation("(sin(x) + cos(y) + exp(z) + x)^30 = (cos(y) + sin(x) + exp(z) + x)^30 + 1")
    assert not proves(hard)
    with pytest.raises(GivesUpError):
        Forms().of(hard.left)
    assert not proves(parse_equation("1 / (x - x) = 1"))
    assert not proves(parse_equation(" + ".join(["x"] * 90) + " = 90 * x"))


def test_the_evidence_names_the_route(tmp_path):
    equation = parse_equation("asin(x) + acos(x) = 1/2 * pi")
    with Oracle(tmp_path / "a.sqlite", second_prover=True) as oracle:
        judged = oracle.judge(equation)
        alone = oracle.judge(parse_equation("0^x = 0^(-x)"))
    assert judged.verdict == CORRECT
    assert judged.evidence == {"judge": "prover", "route": prover.ROUTE, "points_agreeing": 11}
    assert explanation(judged.evidence).startswith("Sympy leaves it open, the second prover proves it by")
    assert alone.verdict != CORRECT, "no point at which both sides are defined"
    with Oracle(tmp_path / "a.sqlite") as oracle:
        assert oracle.judge(equation).verdict == UNSURE, "data are made without it"


def test_further_points_refute():
    """Agreement at the sample points is not all: a jump at -2 is seen."""
    equation, valuation = parse_equation("acoth(-(x + 2)) = -acoth(x + 2)"), Valuation()
    finding = examine(equation, valuation)
    assert finding.outcome == "agrees"
    judged = second_judgement(equation, finding, valuation)
    assert judged.verdict == INCORRECT
    assert judged.evidence["point"] == {"x": "-2"}
    assert explanation(judged.evidence).startswith("at x = -2 the left side is")


def test_check_asks_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("reproduction.artifacts.CACHE", tmp_path)
    assert main(["check", "asin(x) + acos(x) = pi / 2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == CORRECT


def test_forms_of_equal_things_are_equal():
    forms = Forms()
    for one, other in (("sqrt(8)", "2 * sqrt(2)"), ("sin(pi / 3)", "sqrt(3) / 2"), ("cos(x)^2", "1 - sin(x)^2")):
        assert forms.algebra.is_zero(forms.algebra.minus(*(forms.of(parse_expression(each)) for each in (one, other))))
    assert forms.of(variable("x")) != forms.of(variable("y"))


PRODUCTS_OF_ATOMS = """
exp(log(x) * log(y)) = y
exp(log(x) * log(y)) = x
2^asinh(1) = 1 + sqrt(2)
x^log(y) = y
exp(sqrt(-1) * atan(x) * atan(y)) = exp(sqrt(-1) * atan(x))
exp(2 * atanh(x) * atanh(y)) = (1 + y) / (1 - y)
exp(log(x)^2) = x^2
exp(pi * log(x)) = x
exp(sqrt(-1) * pi * atan(x)) = -1
sin(100*pi*x)*(x-pi)*2^asinh(1) = sin(100*pi*x)*(x-pi)*(1+sqrt(2))
""".strip().splitlines()


@pytest.mark.parametrize("text", PRODUCTS_OF_ATOMS)
def test_products_of_atoms_are_not_taken_for_one_of_them(text):
    assert not proves(parse_equation(text, EXTRA_FUNCTIONS))


# Each rule of the forms, as an equation in w and z that holds for all complex numbers, or all real ones.
RULES = """
exp(w + z) = exp(w) * exp(z)
exp(2 * z) = exp(z)^2
sinh(z) = (exp(z)^2 - 1) / (2 * exp(z))
tanh(z) = (exp(z)^2 - 1) / (exp(z)^2 + 1)
sin(z) = sinh(I * z) / I
cos(z) = cosh(I * z)
tan(z) = tanh(I * z) / I
cot(z) = coth(I * z) * I
csc(z) = csch(I * z) * I
acos(z) = pi / 2 - asin(z)
asec(z) = acos(1 / z)
acsch(z) = asinh(1 / z)
acosh(z) = log(z + sqrt(z + 1) * sqrt(z - 1))
asinh(z) = log(z + sqrt(1 + z^2))
asin(z) = log(I * z + sqrt(1 - z^2)) / I
asin(-z) = -asin(z)
asinh(-z) = -asinh(z)
atan(-z) = -atan(z)
atanh(-z) = -atanh(z)
z^w = exp(w * log(z))
z^(-3) = 1 / (z * z * z)
exp(2 * atanh(z)) = (1 + z) / (1 - z)
exp(2 * acoth(z)) = (z + 1) / (z - 1)
exp(2 * I * atan(z)) = (1 + I * z) / (1 - I * z)
exp(2 * I * acot(z)) = (z / I + 1) / (z / I - 1)
exp(1 / 3 * log(z))^3 = z
log(3 * z) = log(3) + log(z)
log(pi * z) = log(pi) + log(z)
log(I) = I * pi / 2
log(-I) = -I * pi / 2
sqrt(2) = exp(I * pi / 4) - exp(3 * I * pi / 4)
sqrt(3) = exp(I * pi / 6) - exp(5 * I * pi / 6)
sqrt(5) = 1 + 2 * (exp(2 * I * pi / 5) - exp(3 * I * pi / 5))
""".strip().splitlines()
REAL_RULES = """
exp(I * atan(z)) = (1 + I * z) / sqrt(1 + z^2)
exp(I / 3 * atan(z))^3 = (1 + I * z) / sqrt(1 + z^2)
log(exp(z) * w) = z + log(w)
log((1 + z^2)^(1 / 3) * w) = 1 / 3 * log(1 + z^2) + log(w)
log(z^6) = 3 * log(z^2)
log(w * z^(-2)) = -log(z^2) + log(w)
""".strip().splitlines()


def _number(random: Random, real: bool):
    part = [parse_expression(f"{'-' if random.random() < 0.5 else ''}{random.randint(1, 999)}/97") for _ in range(2)]
    if real or random.random() < 0.2:
        return part[0]
    imaginary = multiply(power(constant("-1"), constant("1/2")), part[1])
    return imaginary if random.random() < 0.2 else add(part[0], imaginary)  # on the axes there are cuts


@pytest.mark.parametrize("text", RULES + REAL_RULES)
def test_each_rule_holds_at_random_points(text):
    """By ball arithmetic, which knows nothing of the rules; the cuts are on the axes."""
    rule, valuation = parse_equation(text.replace("I", "sqrt(-1)"), EXTRA_FUNCTIONS), Valuation(400)
    random = Random(text)
    for _ in range(60):
        point = {name: _number(random, text in REAL_RULES) for name in rule.variables()}
        sides = rule.substituted(point)
        assert compare(*(valuation.value(side, 0) for side in sides)) != "differs", print_equation(sides)
    assert proves(parse_equation(text.replace("I", "sqrt(-1)"), EXTRA_FUNCTIONS))
