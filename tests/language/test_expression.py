"""Expressions are interned, immutable and bounded, and every tree prints to a text that is read back as it is."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.trees import LEAVES, TREES, WRITTEN_NUMBERS, or_none

from reproduction.errors import InputError
from reproduction.language.expression import (
    BLANK,
    Equation,
    OutOfBoundsError,
    add,
    apply,
    constant,
    multiply,
    negated,
    number,
    power,
    variable,
)
from reproduction.language.grammar import EXTRA_FUNCTIONS, MAXIMUM_HEIGHT, MAXIMUM_LENGTH, MAXIMUM_SIZE
from reproduction.language.parsing import ParseError, parse_equation, parse_expression
from reproduction.language.printing import latex_expression, print_equation, print_expression
from reproduction.language.reading import read_statement

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


# One node more around a tree: what stands on the way down, and on which side.
AROUND = {
    **{name: (lambda tree, other, name=name: apply(name, tree)) for name in ("sin", "asech", "log")},
    "sqrt": lambda tree, other: power(tree, constant("1/2")),
    "minus": lambda tree, other: negated(tree),
    "minus behind": lambda tree, other: multiply(tree, constant("-1")),
    "reciprocal": lambda tree, other: power(tree, constant("-1")),
    **{
        f"{name} {side}": (lambda tree, other, name=name, side=side: apply(name, *(tree, other)[:: 1 - 2 * side]))
        for name, side in product(("+", "*", "^", "atan2"), (0, 1))
    },
}


def _is_read_back(tree) -> bool:
    return parse_expression(print_expression(tree), EXTRA_FUNCTIONS) is tree


@settings(max_examples=100)
@given(TREES, st.lists(st.tuples(st.sampled_from(list(AROUND)), LEAVES), max_size=MAXIMUM_HEIGHT + 20))
def test_any_tree_that_can_be_built_is_read_back(tree, steps):
    for name, other in steps:
        tree = or_none(AROUND[name], tree, other) or tree
    assert _is_read_back(tree)
    equation, text = Equation(tree, tree), print_equation(Equation(tree, tree))
    assert parse_equation(text, EXTRA_FUNCTIONS) == equation
    assert read_statement(text) == (equation, False, ""), "what the parser reads, people may write"
    assert read_statement(text.replace(" = ", " != ")) == (equation, True, "")
    assert latex_expression(tree).count(r"\left(") == latex_expression(tree).count(r"\right)")


@pytest.mark.parametrize("pair", list(product(AROUND, AROUND)), ids="/".join)
def test_the_deepest_trees_are_read_back(pair):
    for leaf in (constant("-1/2"), number("0.999999999999"), variable("x")):
        tree = leaf
        for level in range(MAXIMUM_HEIGHT):
            tree = AROUND[pair[level % 2]](tree, leaf)
        assert tree.height == MAXIMUM_HEIGHT
        assert _is_read_back(tree)
        assert latex_expression(tree)
        with pytest.raises(OutOfBoundsError, match="more than 100 levels"):
            negated(tree)


def _bushy(leaf, function: str, nodes: int):
    """A tree of so many nodes, as flat as it can be, the same leaf everywhere."""
    if nodes < 3:
        return leaf
    left = (nodes - 1) // 2 | 1
    return apply(function, _bushy(leaf, function, left), _bushy(leaf, function, nodes - 1 - left))


@pytest.mark.parametrize("function", ["+", "*", "^", "atan2"])
@pytest.mark.parametrize("leaf", [number("0.999999999999"), number("1234567890.12"), variable("x_123456")], ids=str)
def test_the_largest_equations_are_read_back(leaf, function):
    tree = _bushy(leaf, function, MAXIMUM_SIZE - 1)
    equation = Equation(tree, tree)
    text = print_equation(equation)
    assert MAXIMUM_SIZE - 3 < tree.size <= MAXIMUM_SIZE and len(text) <= MAXIMUM_LENGTH
    assert parse_equation(text, EXTRA_FUNCTIONS) == equation


def test_trees_that_are_too_large_cannot_be_built_however_it_is_tried():
    wide = variable("x")
    for _ in range(9):
        wide = add(wide, wide)
    with pytest.raises(OutOfBoundsError, match="more than 2000 nodes"):
        add(wide, wide)
    deep = variable("x")
    for _ in range(60):
        deep = apply("sin", deep)
    for grow in (
        lambda: deep.substituted({"x": deep}),
        lambda: deep.replaced((0,) * 60, deep),
        lambda: Equation(deep, deep).substituted({"x": deep}),
    ):
        with pytest.raises(OutOfBoundsError, match="more than 100 levels"):
            grow()
    with pytest.raises(ParseError, match="^column 1: the tree has more than 100 levels"):
        parse_expression("-" + print_expression(deep.substituted({"x": deep.at((0,) * 20)})))
    with pytest.raises(ParseError, match="more than 2000 nodes"):
        parse_expression(" + ".join(["(" + "+".join(["x"] * 40) + ")"] * 40))


@given(WRITTEN_NUMBERS)
def test_a_number_is_read_if_and_only_if_it_can_be_built(text):
    leaf = or_none(number, text)
    try:
        read = parse_expression(text)
    except ParseError as error:
        assert "12 digits" in error.reason
        assert leaf is None or text.rstrip("0") != text  # zeros at the end count where they are typed
    else:
        assert leaf is not None and (read is leaf or read.value == leaf.value)
        assert leaf.value == Fraction(text)
        assert _is_read_back(leaf)


def test_numbers_of_twelve_digits_can_be_built_and_no_others():
    values = (".999999999999", "1e-12", "1e11", Fraction(1, 2**12), Decimal("0e-30"))
    symbols = ["0.999999999999", "0.000000000001", "100000000000", "0.000244140625", "0"]
    assert [number(value).symbol for value in values] == symbols
    assert all(_is_read_back(number(value)) for value in values)
    for value in (Fraction(1, 3), Fraction(1, 2**13), "1e12", "1e999999999", "1e-13", "1e-999999999", "1234567890.123"):
        with pytest.raises(OutOfBoundsError, match="at most 12 digits"):
            number(value)
    with pytest.raises(ValueError, match="decimal"):
        number(Fraction(-1, 2))


@pytest.mark.parametrize("name", ["", "e", "I", "xy", "sin", "pi", "θ", "x 1", "x_", "x1234567", "1", "x\n", "□"])
def test_no_variable_has_a_name_that_cannot_be_read(name):
    with pytest.raises(ValueError, match="name of a variable"):
        variable(name)


def test_a_blank_is_shown_and_not_read():
    assert print_expression(add(BLANK, variable("x"))) == "□ + x"
    with pytest.raises(InputError):
        parse_expression("□ + x")
