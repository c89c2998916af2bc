"""Expressions are interned, immutable, picklable, and are changed by making new ones."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.language.expression import apply, constant, number, variable
from reproduction.language.parsing import parse_equation, parse_expression

TREE = "sin(x)^2 + y * sin(x)"


def test_equal_trees_are_one_object():
    tree = parse_expression(TREE)
    assert parse_expression(TREE) is tree
    assert tree.at((0, 0)) is tree.at((1, 1))
    assert constant("2") is not number("2")
    assert variable("x") is not constant("pi")
    assert len({tree, parse_expression(TREE)}) == 1


def test_expressions_are_immutable_and_come_back_from_pickle_and_copy():
    tree = parse_expression(TREE)
    with pytest.raises(AttributeError):
        tree.symbol = "cos"
    equation = parse_equation(f"{TREE} = 2.50")
    again = pickle.loads(pickle.dumps(equation))
    assert again.left is tree and again.right is equation.right
    assert copy.deepcopy(tree) is tree


def test_height_size_and_depth():
    tree = parse_expression(TREE)
    assert (tree.height, tree.size, variable("x").height) == (3, 9, 0)
    assert [parse_equation(text).depth for text in ("x = x", "x = sin(x)", f"1 = {TREE}")] == [1, 2, 4]
    assert parse_equation(f"1 = {TREE}").size == 11


def test_walks_go_from_left_to_right():
    tree = parse_expression(TREE)
    assert [node.symbol for node in tree.subexpressions()] == ["+", "^", "sin", "x", "2", "*", "y", "sin", "x"]
    positions = list(tree.positions())
    assert [node for _, node in positions] == list(tree.subexpressions())
    assert all(tree.at(path) is node for path, node in positions)
    assert tree.variables() == ("x", "y")
    assert repr(tree) == "+(^(sin(x), 2), *(y, sin(x)))"


def test_replacement_and_simultaneous_substitution_make_new_trees():
    tree = parse_expression(TREE)
    assert tree.replaced((0, 0), constant("3")) is parse_expression("3^2 + y * sin(x)")
    assert tree.replaced((), variable("z")) is variable("z")
    assert tree.replaced((1, 1), tree.at((1, 1))) is tree is parse_expression(TREE)
    tree = parse_expression("x + y * x")
    assert tree.substituted({"x": variable("y"), "y": variable("x")}) is parse_expression("y + x * y")
    assert tree.substituted({"z": variable("y")}) is tree
    assert parse_equation("x = y").substituted({"x": parse_expression("sin(y)")}) == parse_equation("sin(y) = y")


def test_equations():
    equation = parse_equation("sin(x) = cos(y) + x")
    assert equation.mirrored() == parse_equation("cos(y) + x = sin(x)")
    assert equation.variables() == ("x", "y")
    assert equation.functions() == ("sin", "+", "cos")
    assert [node.symbol for node in equation.subexpressions()] == ["sin", "x", "+", "cos", "y", "x"]
    assert [equation[path[0]].at(path[1:]) for path, _ in equation.positions()] == list(equation.subexpressions())
    assert equation.replaced((1, 0), variable("z")) == parse_equation("sin(x) = z + x")
    assert equation.replaced((0,), variable("z")) == parse_equation("z = cos(y) + x")


@given(st.decimals(0, 10**6, places=3).map(abs))
def test_numbers_have_one_spelling_per_value(value):
    leaf = number(value)
    assert leaf.value == Fraction(value)
    assert number(str(value) + "0") is leaf
    assert number(Fraction(value)) is leaf


def test_values():
    assert [constant(name).value for name in ("-1/2", "0.4", "pi")] == [Fraction(-1, 2), Fraction(2, 5), None]
    assert variable("x").value is parse_expression("1 + 1").value is None
    assert [number(text).symbol for text in (".50", "007")] == ["0.5", "7"]


@pytest.mark.parametrize("value", ["-1", Decimal("-0.5"), "NaN"])
def test_numbers_are_finite_and_not_negative(value):
    with pytest.raises(ValueError, match="decimal|NaN"):
        number(value)


def test_unknown_names_are_refused():
    x = variable("x")
    for make in (lambda: constant("11"), lambda: apply("sin", x, x), lambda: apply("sine", x)):
        with pytest.raises(KeyError):
            make()
