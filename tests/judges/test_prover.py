"""The second prover: what it settles, what it must not prove, and each of its rules against ball arithmetic."""

from random import Random

import pytest
from campaigns import prover as campaign
from support.identities import BY_SYMPY_ALONE, LEFT_OPEN, SETTLED

from reproduction.artifacts import ROOT, lines_of_gz
from reproduction.data.axioms import read_axioms
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import CORRECT, compare, examine_thoroughly, second_judgement
from reproduction.judges.prover import Forms, proves
from reproduction.judges.ratios import GivesUpError
from reproduction.language.expression import add, constant, multiply, power
from reproduction.language.grammar import EXTRA_FUNCTIONS
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation

IN_PART = """
sqrt(x^2) = x
asin(sin(x)) = x
acosh(cosh(x)) = x
acot(-x) = -acot(x)
acoth(-x) = -acoth(x)
atan(x) + acot(x) = 1/2 * pi
atan(x) + atan(x^(-1)) = 1/2 * pi
(x^y)^z = x^(y * z)
acosh(-x) = acosh(x)
asin(x) = atan(x / sqrt(1 - x^2))
sinh(acosh(x)) = sqrt(x^2 - 1)
log(x * y) = log(x) + log(y)
log(x^2) = 2 * log(x)
(-8)^(1 / 3) = -2
atan(x) + atan(y) = atan((x + y) / (1 - x * y))
cos(1/2 * x) = sqrt((1 + cos(x)) / 2)
0^x = 1
x^0 = 0
exp(log(x) * log(y)) = y
2^asinh(1) = 1 + sqrt(2)
x^log(y) = y
exp(sqrt(-1) * atan(x) * atan(y)) = exp(sqrt(-1) * atan(x))
exp(2 * atanh(x) * atanh(y)) = (1 + y) / (1 - y)
exp(log(x)^2) = x^2
exp(sqrt(-1) * pi * atan(x)) = -1
sin(100*pi*x)*(x-pi)*2^asinh(1) = sin(100*pi*x)*(x-pi)*(1+sqrt(2))
""".strip().splitlines()
LOGARITHMS = """
log(exp(x)) = x
exp(log(x)) = x
log(4 * x) = 2 * log(2) + log(x)
asinh(x) = log(x + sqrt(x^2 + 1))
log(-1)^2 = -(pi^2)
x^y = exp(y * log(x))
""".strip().splitlines()


def _proved(texts: list[str]) -> list[str]:
    return [text for text in texts if proves(parse_equation(text, EXTRA_FUNCTIONS))]


def test_textbook_identities_are_proved_and_nothing_that_holds_in_part():
    texts = LEFT_OPEN + SETTLED + LOGARITHMS
    assert _proved(texts) == texts
    assert _proved([*IN_PART, *BY_SYMPY_ALONE, "log(x^4) = 2 * log(x^2)"]) == []


def test_all_axioms_but_two_are_proved():
    left = [print_equation(axiom.equation) for axiom in read_axioms() if not proves(axiom.equation)]
    assert left == ["4 * atan(1) = pi", "sec(atan(x)) = sqrt(1 + x^2)"]


@pytest.mark.parametrize("data", ["data", "hard/data"])
def test_what_the_committed_data_left_out_is_settled(data):
    path = ROOT / "runs" / data / "unsure.jsonl.gz"
    if not path.is_file():
        pytest.skip("there is no data set here")
    equations = [parse_equation(row["equation"]) for row in lines_of_gz(path.read_bytes(), path)]
    judged = [second_judgement(each, examine_thoroughly(each)) for each in equations]
    assert sum(each is not None and each.verdict == CORRECT for each in judged) == len(equations) > 100


def test_it_gives_up_in_time():
    hard = parse_equation("(sin(x) + cos(y) + exp(z) + x)^30 = (cos(y) + sin(x) + exp(z) + x)^30 + 1")
    assert not proves(hard)
    with pytest.raises(GivesUpError):
        Forms().of(hard.left)
    assert not proves(parse_equation("1 / (x - x) = 1"))
    assert not proves(parse_equation(" + ".join(["x"] * 90) + " = 90 * x"))


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
log(I) = I * pi / 2
log(-I) = -I * pi / 2
""".strip().splitlines()
REAL_RULES = """
log(exp(z) * w) = z + log(w)
log(3^z * 2^(1 / 3) * w) = z * log(3) + log(2) / 3 + log(w)
log(exp(atan(z)) * w) = atan(z) + log(w)
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
    assert proves(rule)


def test_a_short_campaign_proves_nothing_false():
    steps = [campaign.step(number, Random(f"prover 0 {number}")) for number in range(4)]
    assert [finding for step in steps for finding in step.findings] == []
    counts = sum((step.counts for step in steps), start=steps[0].counts.__class__())
    proved = {name: count for name, count in counts.items() if name.endswith(", proved")}
    assert sum(proved.values()) > 80
    assert sum(count for name, count in counts.items() if ": false" in name) > 150
