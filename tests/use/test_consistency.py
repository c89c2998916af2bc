"""What changes keep, and how often a stand-in changes its mind by them, counted by hand."""

from random import Random

import mpmath
import numpy as np
import pytest
from support import by_mpmath

from reproduction.data.axioms import read_axioms
from reproduction.data.dataset import Record
from reproduction.data.recipes import PAPER, MathDictionary
from reproduction.language.grammar import CONSTANTS, TABLE_1_FUNCTIONS
from reproduction.language.parsing import parse_equation, parse_expression
from reproduction.language.printing import print_equation
from reproduction.use import consistency
from reproduction.use.consistency import outcomes, systematicity
from reproduction.use.reading import Knowledge

AXIOMS = read_axioms()


def knowledge(functions=TABLE_1_FUNCTIONS, constants=tuple(CONSTANTS), variables=("x", "y", "z"), deepest=3):
    return Knowledge("stand-in", functions, constants, variables, False, False, deepest)


def records(*rows):
    equations = [(parse_equation(text), label) for text, label in rows]
    return [Record(f"s{n}", each, label, "symbolic", each.depth, "") for n, (each, label) in enumerate(equations)]


RULES = MathDictionary(((axiom.equation, axiom.family) for axiom in AXIOMS), PAPER)
MEANS = consistency.Means(knowledge(), RULES, deepest=8)
TEST = records(("x + 1 = 1 + x", 1), ("sin(x) = x + 1", 0), ("x * 2 = x", 0), ("2 = 1 + 1", 1))


def left_is_no_larger(equations):
    return np.array([float(each.left.size <= each.right.size) for each in equations])


def without(symbol):
    """Calls every equation correct that does not have the symbol."""
    return lambda equations: np.array([symbol not in map(str, each.subexpressions()) for each in equations], float)


def changed_by(test, known, axioms=AXIOMS):
    """By the name of a change the equations that a network is asked about."""
    asked = []
    rows = list(outcomes(lambda each: (asked.append(each), np.ones(len(each)))[1], known, test, axioms))
    return dict(zip((row["part"] for row in rows), asked[1:], strict=True))


@pytest.mark.parametrize(
    ("ask", "part", "counts"),
    [
        # Calls all but the third one correct, which is right but for the second one. The right sides of the last three
        # are on the left then: the second is right, the others are wrong.
        (left_is_no_larger, "swapped", (4, 3, 2, 1)),
        (left_is_no_larger, "renamed", (3, 2, 0, 0)),  # the last one has no variable
        (left_is_no_larger, "commuted", (3, 2, 0, 0)),  # 1 + 1 is itself
        (without("0"), "plus-zero", (4, 2, 2, 2)),  # all are called correct before and incorrect after
        (without("0"), "swapped", (4, 2, 0, 0)),
        (without("x"), "times-one", (4, 3, 0, 0)),
    ],
)
def test_changes_of_mind_are_counted(ask, part, counts):
    (row,) = [row for row in outcomes(ask, knowledge(), TEST, AXIOMS) if row["part"] == part]
    assert tuple(row[name] for name in ("count", "right", "lost", "won")) == counts
    assert row.get("fixed", False) == (counts[2:] == (0, 0))


@pytest.mark.parametrize("name", consistency.CHANGES)
def test_a_change_keeps_the_truth(name):
    """By mpmath: axioms of trigonometry and algebra stay correct, and what is incorrect somewhere stays so."""
    wrong = [parse_equation(text) for text in ("sin(x) = x", "x * y = 0", "x^2 = x", "cos(x) = 1", "x * 3 = 0 * x")]
    right = [axiom.equation for axiom in AXIOMS if "paper" in axiom.mark][::3]
    random, made = Random(name), 0
    for label, equation in (*((True, each) for each in right), *((False, each) for each in wrong * 5)):
        if changed := consistency.CHANGES[name].make(equation, MEANS, random):
            points = ({each: random.uniform(-3, 3) for each in changed.variables()} for _ in range(3))
            with mpmath.workdps(500):  # some numbers are large
                found = {by_mpmath.agree(changed, point, 300) for point in points} - {None}
            assert found <= {label}, print_equation(changed)
            made += changed != equation
    assert made > 40


def test_what_is_changed_stays_within_what_the_network_knows():
    few = knowledge(("+", "*", "sin"), ("1", "2"), ("x",))
    changed = changed_by(TEST, few)
    assert "plus-zero" not in changed and "renamed" not in changed
    nodes = {str(node) for each in changed.values() for equation in each for node in equation.subexpressions()}
    assert {node for node in nodes if "(" not in node} == {"x", "1", "2"}
    assert {node.partition("(")[0] for node in nodes if "(" in node} == {"+", "*", "sin"}


def test_only_productivity_goes_deeper_than_the_training():
    deepest = {part: {each.depth for each in equations} for part, equations in changed_by(TEST, knowledge()).items()}
    assert [deepest.pop(f"productivity-{levels}") for levels in (1, 2, 3)] == [{4}, {5}, {6}]
    assert max(set().union(*deepest.values())) == 3


def test_a_synonym_is_either_no_deeper_or_deeper():
    def found(options, text, *wanted):
        synonyms = set(options(MEANS, parse_expression(text)))
        return [parse_expression(each) in synonyms for each in wanted]

    assert found(consistency.no_deeper, "sin(-x)", "-sin(x)", "-(-sin(-x))") == [True, False]
    assert found(consistency.deeper, "csc(x)", "sin(x)^(-1)", "csc(x) + 0", "1 * csc(x)") == [True, False, False]
    assert found(consistency.no_deeper, "x + y", "y + x") == [False]
    assert not list(consistency.deeper(MEANS, parse_expression("csc(-x)"))), "it is not shallow"


def test_an_equation_that_stays_the_same_is_not_counted():
    assert "swapped" not in changed_by(records(("x = x", 1)), knowledge())


def test_a_synonym_is_defined_where_the_term_is():
    """(x^(-1))^(-1) = x is an axiom, and 1 / (1 / 0) is nothing."""
    reciprocals = {text: parse_expression(f"(({text})^(-1))^(-1)") for text in ("2", "0", "sin(0)")}
    found = {text for text, each in reciprocals.items() if each in MEANS.synonyms(parse_expression(text))}
    assert found == {"2"}


def test_new_pairs_of_known_functions_are_systematicity():
    train = records(("sin(x + 1) = 1", 0), ("cos(2) = x * x", 0), ("sin(sin(x)) = 1", 0))
    test = records(
        ("sin(cos(x)) = 1", 0),  # new
        ("cos(x + 1) = 1", 0),  # new
        ("tan(cos(x)) = 1", 0),  # nothing of the training has tan
        ("sin(x + 2) = 1", 0),  # known, as deep
        ("sin(sin(2)) = 1", 0),  # known, as deep
        ("sin(x) = 1", 0),  # known, less deep
        ("x * cos(x) = 1", 1),  # new, and no other one of its depth and label
    )
    counted = systematicity(test, [True, False, True, True, False, True, True], train)
    assert counted == {"count": 2, "right": 1, "others": 1.0}
