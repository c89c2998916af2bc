"""The four local changes and the steps that keep an equation true: each does what it says, and only that."""

from random import Random
from types import SimpleNamespace

import pytest

from reproduction.data import steps
from reproduction.data.axioms import read_axioms
from reproduction.data.generator import Generator
from reproduction.data.recipes import HARD, PAPER
from reproduction.data.steps import MathDictionary
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, examine
from reproduction.language.expression import constant, variable
from reproduction.language.grammar import TABLE_1_CONSTANTS
from reproduction.language.parsing import parse_equation, parse_expression

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


def _node(*path):
    return path, EQUATION[path[0]].at(path[1:])


def test_shrink_node_puts_a_child_in_the_nodes_place():
    path, node = _node(0)
    assert {steps.shrink_node(EQUATION, path, node, _draw(seed)) for seed in range(20)} == {
        parse_equation("sin(x + 1) = 2"),
        parse_equation("y = 2"),
    }
    path, node = _node(0, 0)
    assert steps.shrink_node(EQUATION, path, node, _draw()) == parse_equation("(x + 1) * y = 2")
    assert steps.shrink_node(EQUATION, *_node(1), _draw()) is None


def test_replace_node_keeps_the_arity():
    asked = []
    path, node = _node(0, 0)
    changed = steps.replace_node(EQUATION, path, node, _draw(function=lambda arity: asked.append(arity) or "cos"))
    assert changed == parse_equation("cos(x + 1) * y = 2")
    path, node = _node(0)
    changed = steps.replace_node(EQUATION, path, node, _draw(function=lambda arity: asked.append(arity) or "^"))
    assert (changed, asked) == (parse_equation("sin(x + 1)^y = 2"), [1, 2])
    path, node = _node(1)
    assert steps.replace_node(EQUATION, path, node, _draw(terminal=variable("z"))) == parse_equation("sin(x+1)*y = z")
    assert steps.replace_node(EQUATION, path, node, _draw(terminal=constant("2"))) is None


def test_grow_node_makes_the_node_an_argument():
    path, node = _node(0, 1)
    names = {1: "tanh", 2: "^"}
    draws = [_draw(seed, names.get, constant("3")) for seed in range(40)]
    assert {steps.grow_node(EQUATION, path, node, draw) for draw in draws} == {
        parse_equation("sin(x + 1) * tanh(y) = 2"),
        parse_equation("sin(x + 1) * y^3 = 2"),
        parse_equation("sin(x + 1) * 3^y = 2"),
    }


def test_grow_sides_does_the_same_to_both_sides():
    seen = set()
    for seed in range(1500):
        grown, origin = steps.grow_sides(EQUATION, _draw(seed))
        name, _, number = origin.partition(" ")
        symbol = {"add": "+", "multiply": "*", "power": "^"}[name]
        assert [side.symbol for side in grown] == [symbol, symbol]
        assert [side.children for side in grown] == [(side, constant(number)) for side in EQUATION]
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
