"""The four local changes and the steps that keep an equation true: each does what it says, and only that."""

from random import Random

import pytest

from reproduction.data import steps as changes
from reproduction.data.axioms import read_axioms
from reproduction.data.matching import MathDictionary
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import DIFFERS, examine
from reproduction.language.expression import FUNCTION, constant, variable
from reproduction.language.parsing import parse_equation, parse_expression

EQUATION = parse_equation("sin(x + 1) * y = 2")


def _node(*path):
    return path, EQUATION[path[0]].at(path[1:])


def test_shrink_node_puts_a_child_in_the_nodes_place():
    path, node = _node(0)
    assert {changes.shrink_node(EQUATION, path, node, Random(seed)) for seed in range(20)} == {
        parse_equation("sin(x + 1) = 2"),
        parse_equation("y = 2"),
    }
    path, node = _node(0, 0)
    assert changes.shrink_node(EQUATION, path, node, Random(0)) == parse_equation("(x + 1) * y = 2")
    assert changes.shrink_node(EQUATION, *_node(1), Random(0)) is None


def test_replace_node_keeps_the_arity():
    asked = []
    path, node = _node(0, 0)
    changed = changes.replace_node(EQUATION, path, node, lambda arity: asked.append(arity) or "cos", None)
    assert changed == parse_equation("cos(x + 1) * y = 2")
    path, node = _node(0)
    changed = changes.replace_node(EQUATION, path, node, lambda arity: asked.append(arity) or "^", None)
    assert (changed, asked) == (parse_equation("sin(x + 1)^y = 2"), [1, 2])


def test_replace_node_of_a_terminal_draws_a_terminal():
    path, node = _node(1)
    assert changes.replace_node(EQUATION, path, node, None, lambda: variable("z")) == parse_equation("sin(x+1)*y = z")
    assert changes.replace_node(EQUATION, path, node, None, lambda: constant("2")) is None


def test_grow_node_makes_the_node_an_argument():
    path, node = _node(0, 1)
    grown = changes.grow_node(EQUATION, path, node, "tanh", None, Random(0))
    assert grown == parse_equation("sin(x + 1) * tanh(y) = 2")
    both = {changes.grow_node(EQUATION, path, node, "^", lambda: constant("3"), Random(seed)) for seed in range(20)}
    assert both == {parse_equation("sin(x + 1) * y^3 = 2"), parse_equation("sin(x + 1) * 3^y = 2")}


def test_grow_sides_does_the_same_to_both_sides():
    seen = set()
    for seed in range(1500):
        grown, origin = changes.grow_sides(EQUATION, Random(seed))
        name, _, number = origin.partition(" ")
        symbol = {"add": "+", "multiply": "*", "power": "^"}[name]
        assert [side.symbol for side in grown] == [symbol, symbol]
        assert [side.children for side in grown] == [(side, constant(number)) for side in EQUATION]
        seen.add(origin)
    assert len(seen) == 3 * len(changes.CONSTANTS)


def test_instantiate_replaces_one_variable_everywhere():
    equation, random = parse_equation("x + y * x = sin(x)"), Random(2)
    for _ in range(100):
        changed, origin = changes.instantiate(equation, lambda arity: "cos" if arity == 1 else "^", _terminal, random)
        name, _, text = origin.partition(" = ")
        assert changed == equation.substituted({name: parse_expression(text)})
    assert changes.instantiate(parse_equation("1 + 1 = 2"), None, _terminal, random) is None


def _terminal():
    return variable("z")


def test_rewrite_says_which_rule_it_used():
    dictionary = MathDictionary([(parse_equation("1^x = 1"), "ones")])
    equation, random = parse_equation("y + 1 = z"), Random(0)
    steps = {changes.rewrite(equation, dictionary, _terminal, random) for _ in range(100)}
    assert steps == {None, (parse_equation("y + 1^z = z"), "ones: 1 -> 1^x")}


@pytest.fixture(scope="module")
def axioms():
    return read_axioms()


def test_rewriting_a_true_equation_keeps_it_true(axioms):
    """Every rule is sound, so no point may refute what comes out, however long the way."""
    dictionary = MathDictionary((axiom.equation, axiom.family) for axiom in axioms)
    random, valuation, refuted, steps = Random(11), Valuation(), [], 0
    for _ in range(300):
        equation = random.choice(axioms).equation
        for _ in range(3):
            step = changes.rewrite(equation, dictionary, lambda: changes.draw_terminal(random), random)
            if step and step[0].depth <= 7:
                equation, steps = step[0], steps + 1
        if examine(equation, valuation).outcome == DIFFERS:
            refuted.append(equation)
    assert steps > 500
    assert refuted == []


def test_local_changes_touch_one_place(axioms):
    random = Random(4)
    for axiom in axioms:
        for path, node in axiom.equation.positions():
            if node.kind != FUNCTION:
                continue
            changed = changes.shrink_node(axiom.equation, path, node, random)
            assert changed[1 - path[0]] is axiom.equation[1 - path[0]]
            assert changed[path[0]].at(path[1:]) in node.children
