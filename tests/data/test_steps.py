"""Matching without capture, the dictionary of known equalities, local changes, and steps that keep an equation true."""

from random import Random
from types import SimpleNamespace

import pytest

from reproduction.data import recipes as steps
from reproduction.data.axioms import read_axioms
from reproduction.data.generator import Generator
from reproduction.data.recipes import DERIVED, HARD, PAPER, MathDictionary, match, rules_of
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, examine
from reproduction.language.expression import Equation, apply, constant, variable
from reproduction.language.grammar import TABLE_1_CONSTANTS
from reproduction.language.parsing import parse_equation, parse_expression


@pytest.mark.parametrize(
    ("pattern", "expression", "binding"),
    [
        ("x + x", "1 + 2", None),
        ("x + x", "2 + 2", {"x": "2"}),
        ("x + x", "sin(y) + sin(y)", {"x": "sin(y)"}),
        ("sin(x)^2 + cos(x)^2", "sin(y + 1)^2 + cos(y + 1)^2", {"x": "y + 1"}),
        ("x + y", "y + x", {"x": "y", "y": "x"}),
        ("x", "sin(x) + 1", {"x": "sin(x) + 1"}),
        ("1 + 1", "1 + 2", None),
        ("sin(pi)", "sin(pi)", {}),
        ("sin(x)", "cos(x)", None),
        ("x^y", "x * y", None),
        ("2.00", "2", None),
    ],
)
def test_match(pattern, expression, binding):
    found = match(parse_expression(pattern), parse_expression(expression))
    expected = None if binding is None else {name: parse_expression(text) for name, text in binding.items()}
    assert found == expected


@pytest.mark.parametrize(
    ("axiom", "expression", "rewritten"),
    [
        ("x + y = y + x", "y + sin(x)", "sin(x) + y"),
        ("x * (y + z) = x * y + x * z", "z * (x + y)", "z * x + z * y"),
        ("sin(x + y) = sin(x) * cos(y) + cos(x) * sin(y)", "sin(y + 2 * x)", "sin(y)*cos(2*x) + cos(y)*sin(2*x)"),
    ],
)
def test_variables_of_pattern_and_expression_may_share_names(axiom, expression, rewritten):
    rule = next(rules_of(parse_equation(axiom), "test"))
    binding = match(rule.pattern, parse_expression(expression))
    assert rule.replacement.substituted(binding) is parse_expression(rewritten)


def test_rules_are_both_directions_with_their_fresh_variables():
    rules = list(rules_of(parse_equation("x * 0 = 0"), "zero"))
    assert [(rule.pattern, rule.replacement, rule.fresh) for rule in rules] == [
        (parse_expression("x * 0"), parse_expression("0"), ()),
        (parse_expression("0"), parse_expression("x * 0"), ("x",)),
    ]
    assert [rule.text for rule in rules] == ["zero: x * 0 -> 0", "zero: 0 -> x * 0"]
    assert list(rules_of(parse_equation("x = x"), "reflexivity")) == []


AXIOMS = {
    "neutral": ("x + 0 = x",),
    "closed": ("1 + 1 = 2", "sin(pi) = 0"),
    "powers": ("x * x = x^2",),
}


@pytest.fixture
def dictionary():
    return _dictionary(HARD)


def _dictionary(recipe):
    axioms = ((parse_equation(text), family) for family, texts in AXIOMS.items() for text in texts)
    return MathDictionary(axioms, recipe)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 1", {"closed": ["2"], "neutral": ["1 + 1 + 0"]}),
        ("2", {"closed": ["1 + 1"], "neutral": ["2 + 0"]}),
        ("sin(pi)", {"closed": ["0"], "neutral": ["sin(pi) + 0"]}),
        ("y * y", {"powers": ["y^2"], "neutral": ["y * y + 0"]}),
        ("y * z", {"neutral": ["y * z + 0"]}),
        ("sin(y) + 0", {"neutral": ["sin(y)", "sin(y) + 0 + 0"]}),
        ("(x + 1)^2", {"powers": ["(x + 1) * (x + 1)"], "neutral": ["(x + 1)^2 + 0"]}),
    ],
)
def test_the_dictionary_finds_what_matches_by_family(dictionary, text, expected):
    wanted = {family: list(map(parse_expression, texts)) for family, texts in expected.items()}
    for _ in range(2):  # the second time from memory
        families = dictionary.matches(parse_expression(text))
        found = {name: [rule.replacement.substituted(b) for rule, b in here] for name, here in families.items()}
        assert found == wanted


def _draws(dictionary, text, count=300):
    random, expression = Random(1), parse_expression(text)
    drawn = [dictionary.draw(expression, random) for _ in range(count)]
    return {(rule.family, rule.replacement.substituted(binding)) for rule, binding in filter(None, drawn)}


def test_new_equations_become_rules_in_both_directions(dictionary):
    dictionary.add(parse_equation("cos(x) * 0 = 0^2"))
    assert (DERIVED, parse_expression("0^2")) in _draws(dictionary, "cos(y + 1) * 0")
    assert (DERIVED, parse_expression("0^2")) not in _draws(dictionary, "sin(y) * 0")
    assert (DERIVED, parse_expression("cos(x) * 0")) in _draws(dictionary, "0^2")
    dictionary.add(parse_equation("2 + 1 = 3"))
    assert (DERIVED, parse_expression("3")) in _draws(dictionary, "2 + 1")
    assert (DERIVED, parse_expression("2 + 1")) in _draws(dictionary, "3")


def test_derived_rules_that_match_everywhere_or_hardly_anywhere_are_left_out(dictionary):
    everywhere = parse_equation("x = x * 1^y")
    long = parse_equation("sin(x + y) + cos(x + y) + tan(x) = 1 + y")
    assert long.left.size > HARD.largest_pattern
    dictionary.add(everywhere)
    dictionary.add(long)
    assert {family for family, _ in _draws(dictionary, "z")} == {"neutral"}
    assert DERIVED not in {family for family, _ in _draws(dictionary, "sin(x + y) + cos(x + y) + tan(x)")}


@pytest.mark.parametrize("recipe", [PAPER, HARD])
def test_nothing_is_drawn_where_nothing_matches(recipe):
    dictionary = MathDictionary([(parse_equation("1 + 1 = 2"), "closed")], recipe)
    assert dictionary.draw(parse_expression("sin(x)"), Random(0)) is None


def test_rules_are_drawn_evenly_or_by_family():
    """Three rules match 2: one of the closed ones, x -> x + 0, and a derived one that another follows."""
    counts = {}
    for recipe in (PAPER, HARD):
        dictionary, random = _dictionary(recipe), Random(0)
        for text in ("4 * (1/2) = 2", "3 + (-1) = 2"):
            dictionary.add(parse_equation(text))
        drawn = [dictionary.draw(parse_expression("2"), random)[0].family for _ in range(3000)]
        counts[recipe.name] = {family: round(drawn.count(family) / 3000, 1) for family in sorted(set(drawn))}
    assert counts == {
        "paper": {"closed": 0.2, DERIVED: 0.5, "neutral": 0.2},
        "hard": {"closed": 0.3, DERIVED: 0.3, "neutral": 0.3},
    }


EQUATION = parse_equation("sin(x + 1) * y = 2")
Z = variable("z")
NUMBERS = tuple(map(constant, TABLE_1_CONSTANTS))


def _draw(seed=0, function=None, terminal=Z, dictionary=None):
    """What a step may draw from; what it must not ask for is left out."""
    random = Random(seed)
    return SimpleNamespace(
        random=random, recipe=HARD, dictionary=dictionary, function=function,
        terminal=lambda: terminal, number=lambda: random.choice(NUMBERS), fresh=lambda name: terminal,
    )  # fmt: skip


def _results(step, path, **given):
    """All that a local change of EQUATION at a path may give."""
    return {step(EQUATION, path, EQUATION[path[0]].at(path[1:]), _draw(seed, **given)) for seed in range(40)}


def test_local_changes_shrink_replace_and_grow_a_node():
    cosine, three = {1: "cos", 2: "^"}.get, constant("3")
    for step, path, given, expected in (
        (steps.shrink_node, (0,), {}, ("sin(x + 1) = 2", "y = 2")),
        (steps.shrink_node, (0, 0), {}, ("(x + 1) * y = 2",)),
        (steps.replace_node, (0, 0), {"function": cosine}, ("cos(x + 1) * y = 2",)),
        (steps.replace_node, (0,), {"function": cosine}, ("sin(x + 1)^y = 2",)),  # the arity stays
        (steps.replace_node, (1,), {}, ("sin(x + 1) * y = z",)),
        (steps.grow_node, (0, 1), {"function": cosine, "terminal": three},
         ("sin(x + 1) * cos(y) = 2", "sin(x + 1) * y^3 = 2", "sin(x + 1) * 3^y = 2")),
    ):  # fmt: skip
        assert _results(step, path, **given) == set(map(parse_equation, expected))
    assert _results(steps.shrink_node, (1,)) == _results(steps.replace_node, (1,), terminal=constant("2")) == {None}


def test_grow_sides_does_the_same_to_both_sides():
    seen = set()
    for seed in range(1500):
        grown, origin = steps.grow_sides(EQUATION, _draw(seed))
        name, _, number = origin.partition(" ")
        symbol = {"add": "+", "multiply": "*", "power": "^"}[name]
        assert grown == Equation(*(apply(symbol, side, constant(number)) for side in EQUATION))
        seen.add(origin)
    assert len(seen) == 3 * len(NUMBERS)


def test_instantiate_replaces_one_variable_everywhere():
    equation, draw = parse_equation("x + y * x = sin(x)"), _draw(2, {1: "cos", 2: "^"}.get)
    for _ in range(100):
        changed, origin = steps.instantiate(equation, draw)
        name, _, text = origin.partition(" = ")
        assert changed == equation.substituted({name: parse_expression(text)})
    assert steps.instantiate(parse_equation("1 + 1 = 2"), draw) is None


def test_rewrite_says_which_rule_it_used():
    dictionary = MathDictionary([(parse_equation("1^x = 1"), "ones")], HARD)
    equation, draw = parse_equation("y + 1 = z"), _draw(dictionary=dictionary)
    made = {steps.rewrite(equation, draw) for _ in range(100)}
    assert made == {None, (parse_equation("y + 1^z = z"), "ones: 1 -> 1^x")}


@pytest.fixture(scope="module")
def axioms():
    return read_axioms()


@pytest.mark.parametrize("recipe", [PAPER, HARD], ids=lambda recipe: recipe.name)
def test_rewriting_a_true_equation_keeps_it_true(axioms, recipe):
    """Every rule is sound, so no point may refute what comes out, however long the way."""
    valuation, refuted, rewritten = Valuation(), [], 0
    draw = Generator(axioms, recipe, Random(11))
    random = draw.random
    for _ in range(300):
        equation = random.choice(axioms).equation
        for _ in range(3):
            made = steps.rewrite(equation, draw)
            if made and made[0].depth <= 7:
                equation, rewritten = made[0], rewritten + 1
        if examine(equation, valuation).outcome == DIFFERS:
            refuted.append(equation)
    assert rewritten > 500
    assert refuted == []
