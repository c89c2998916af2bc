"""Recipes and files of them; matching, the dictionary of known equalities, local changes, and steps that keep truth."""

import json
from dataclasses import fields
from random import Random
from types import SimpleNamespace

import pytest

from reproduction import artifacts
from reproduction.data import recipes
from reproduction.data.axioms import read_axioms
from reproduction.data.generator import Generator
from reproduction.data.recipes import (
    DERIVED,
    HARD,
    KEEPING_STEPS,
    LOCAL_CHANGES,
    PAPER,
    RECIPES,
    MathDictionary,
    Recipe,
    as_row,
    match,
    read_recipe,
    rules_of,
)
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, examine
from reproduction.language.expression import Equation, apply, constant, variable
from reproduction.language.grammar import TABLE_1_CONSTANTS
from reproduction.language.parsing import parse_equation, parse_expression


def _file(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize(("recipe", "data"), [(PAPER, "data"), (HARD, "hard/data")])
def test_the_committed_data_were_made_by_these_recipes(recipe, data):
    """Whose choices they have written down."""
    assert artifacts.read_json(artifacts.ROOT / "runs" / data / "manifest.json")["made_with"]["recipe"] == as_row(
        recipe
    )


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_a_recipe_comes_back_from_its_row(tmp_path, recipe):
    row = as_row(recipe)
    assert list(row) == [field.name for field in fields(Recipe)]
    assert read_recipe(str(_file(tmp_path, row))) == recipe


def test_a_file_states_its_differences_from_the_papers(tmp_path):
    recipe = read_recipe(str(_file(tmp_path, {"from_axiom": 0.1, "terminals": {"x": 1, "2": 3}})))
    assert as_row(recipe) == {**as_row(PAPER), "name": "mine", "from_axiom": 0.1, "terminals": {"x": 1.0, "2": 3.0}}


def test_every_step_that_a_recipe_may_name_is_there():
    assert all(callable(getattr(recipes, name)) for name in KEEPING_STEPS + LOCAL_CHANGES)


BAD = {
    "a list": ([], "the content is '[]', not an object"),
    "an unknown choice": ({"sauce": 1}, "sauce is no choice of a recipe"),
    "a wrong word": ({"rules": "by depth"}, "rules is 'by depth', not one of evenly, by family"),
    "a share": ({"identical": 1.5}, "identical is 1.5, not from 0 to 1"),
    "too many shares": ({"keeping": {"mirror": 0.7, "grow_sides": 0.7}}, "the sum of keeping is 1.4, not from 0 to 1"),
    "an unknown step": ({"keeping": {"rewrite": 0.5}}, "keeping.rewrite is unknown (known: instantiate, "),
    "an unknown change": ({"changes": ["grow_sides"]}, "changes.grow_sides is unknown (known: shrink_node, "),
    "no change": ({"changes": []}, "changes is empty"),
    "an unknown terminal": ({"terminals": {"5": 1}}, "terminals.5 is unknown (known: 0, 1, "),
    "a negative weight": ({"terminals": {"1": 1, "x": -1}}, "terminals.x is -1, not a weight"),
    "no number to draw": ({"terminals": {"x": 1, "0": 0}}, "terminals is without a number that could be drawn"),
    "no patience": ({"patience": 0}, "patience is 0, not at least 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_one_sentence(tmp_path, name):
    content, words = BAD[name]
    path = _file(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_recipe(str(path))
    assert str(caught.value).startswith(f"{path}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_is_none():
    with pytest.raises(InputError, match="'papre' is neither paper nor hard nor the name of a JSON file"):
        read_recipe("papre")
    with pytest.raises(InputError, match="no such file"):
        read_recipe("nowhere.json")


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
        (recipes.shrink_node, (0,), {}, ("sin(x + 1) = 2", "y = 2")),
        (recipes.shrink_node, (0, 0), {}, ("(x + 1) * y = 2",)),
        (recipes.replace_node, (0, 0), {"function": cosine}, ("cos(x + 1) * y = 2",)),
        (recipes.replace_node, (0,), {"function": cosine}, ("sin(x + 1)^y = 2",)),  # the arity stays
        (recipes.replace_node, (1,), {}, ("sin(x + 1) * y = z",)),
        (recipes.grow_node, (0, 1), {"function": cosine, "terminal": three},
         ("sin(x + 1) * cos(y) = 2", "sin(x + 1) * y^3 = 2", "sin(x + 1) * 3^y = 2")),
    ):  # fmt: skip
        assert _results(step, path, **given) == set(map(parse_equation, expected))
    assert _results(recipes.shrink_node, (1,)) == _results(recipes.replace_node, (1,), terminal=constant("2")) == {None}


def test_grow_sides_does_the_same_to_both_sides():
    seen = set()
    for seed in range(1500):
        grown, origin = recipes.grow_sides(EQUATION, _draw(seed))
        name, _, number = origin.partition(" ")
        symbol = {"add": "+", "multiply": "*", "power": "^"}[name]
        assert grown == Equation(*(apply(symbol, side, constant(number)) for side in EQUATION))
        seen.add(origin)
    assert len(seen) == 3 * len(NUMBERS)


def test_instantiate_replaces_one_variable_everywhere():
    equation, draw = parse_equation("x + y * x = sin(x)"), _draw(2, {1: "cos", 2: "^"}.get)
    for _ in range(100):
        changed, origin = recipes.instantiate(equation, draw)
        name, _, text = origin.partition(" = ")
        assert changed == equation.substituted({name: parse_expression(text)})
    assert recipes.instantiate(parse_equation("1 + 1 = 2"), draw) is None


def test_rewrite_says_which_rule_it_used():
    dictionary = MathDictionary([(parse_equation("1^x = 1"), "ones")], HARD)
    equation, draw = parse_equation("y + 1 = z"), _draw(dictionary=dictionary)
    made = {recipes.rewrite(equation, draw) for _ in range(100)}
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
            made = recipes.rewrite(equation, draw)
            if made and made[0].depth <= 7:
                equation, rewritten = made[0], rewritten + 1
        if examine(equation, valuation).outcome == DIFFERS:
            refuted.append(equation)
    assert rewritten > 500
    assert refuted == []
