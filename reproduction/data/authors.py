"""Records from the authors' released data: a JSON list of groups, one for each depth, of labelled equations.

Depths, node numbers and whatever else the file derives from its trees are computed anew. The first equation of a file
is artificial: it makes the released program allocate the weights of every function.

A tree is written in preorder, its functions in one comma-separated text and its terminals in another:
`Add,LEFT,RIGHT`, `sin,CHILD,#`, `Symbol,#,#`. The names are Sympy's.
"""

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from ..artifacts import parse_json, read_text
from ..errors import InputError, excerpt
from ..language import expression as trees
from ..language.expression import NUMBER, Equation, Expression, apply, constant, negated, over
from ..language.grammar import ADD, CONSTANTS, FUNCTIONS, MAXIMUM_DIGITS, MAXIMUM_HEIGHT, MULTIPLY, POWER
from ..shapes import shaped
from .dataset import DECIMAL, EVALUATION, SYMBOLIC, Kind, Record, literal_value

ORIGIN = "authors"
ROOT, EMPTY = "Equality", "#"
DECODER = "NumberDecoder"  # may stand above a side of a numeric equation; it has no value of its own
FUNCTION_NAMES = {function.sympy: function.name for function in FUNCTIONS.values()}
ARTIFICIAL_FUNCTIONS = 20  # different ones in one equation: no real one has so many

_NUMBER_BLOCK_LEAVES = ("Number", "MSEnumber")
_VALUE_LEAVES = ("NegativeOne", "Zero", "One", "Half", "Integer", "Rational", "Float", *_NUMBER_BLOCK_LEAVES)
_CONSTANT_OF_VALUE = {entry.value: constant(name) for name, entry in CONSTANTS.items() if entry.value is not None}
_VALUE = re.compile(r"(?=.{1,40}$)([-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?|[-+]?[0-9]+/0*[1-9][0-9]*)")
_VARIABLE = re.compile(r"var_([0-9]{1,6})")
_FIRST_VARIABLES = {0: "x", 1: "y", 2: "z"}


class Node(NamedTuple):
    """A node as it is written: its name, its value if it is a terminal, and its children."""

    name: str
    value: str
    children: tuple["Node", ...]


def read_equation(functions: str, values: str) -> tuple[Equation, Kind]:
    """The equation of the two texts, and its kind.

    It is numeric if it has no variable, has a number that is no constant of ours (or that the authors marked as a
    number), and one side is a literal: decimal if the other side is a decimal tree, else an evaluation. In symbolic
    equations and decimal trees a value that is one of our constants is that constant; in evaluations it is a number.
    """
    names, texts = functions.split(","), values.split(",")
    if len(names) != len(texts):
        raise InputError(f"'func' has {len(names)} entries and 'vars' {len(texts)}; they must be as many")
    tokens = zip(names, texts, strict=True)
    tree = _next_node(tokens, 0)
    if tree is None or tree.name != ROOT or len(tree.children) != 2:
        raise InputError(f"the root must be {ROOT} with two sides")
    if next(tokens, None) is not None:
        raise InputError("the serialisation goes on after the tree is complete")
    symbolic = Equation(*(_expression(side, numeric=False) for side in tree.children))
    has_number = bool(set(names) & set(_NUMBER_BLOCK_LEAVES))
    if symbolic.variables() or not (has_number or any(node.kind == NUMBER for node in symbolic.subexpressions())):
        return symbolic, SYMBOLIC
    numeric = Equation(*(_expression(side, numeric=True) for side in tree.children))
    literals = [side for side in (0, 1) if literal_value(numeric[side]) is not None]
    for side in literals:
        if _is_decimal_tree(symbolic[1 - side]):
            return symbolic.replaced((side,), numeric[side]), DECIMAL
    return (numeric, EVALUATION) if literals else (symbolic, SYMBOLIC)


def _next_node(tokens: Iterator[tuple[str, str]], nesting: int) -> Node | None:
    """The node that the next tokens are, None for an empty place."""
    name, value = next(tokens, (None, ""))
    if name is None:
        raise InputError("the serialisation ends before the tree is complete")
    if name == EMPTY:
        return None
    if nesting > MAXIMUM_HEIGHT:
        raise InputError(f"the tree is nested more than {MAXIMUM_HEIGHT} deep")
    left, right = _next_node(tokens, nesting + 1), _next_node(tokens, nesting + 1)
    if left is None and right is not None:
        raise InputError(f"{excerpt(name)!r} has a second argument without a first")
    return Node(name, value, tuple(child for child in (left, right) if child is not None))


def _expression(node: Node, numeric: bool, parent: str = "") -> Expression:
    """Our tree; in a numeric one values become numbers, but for the -1 of a sign or of a reciprocal."""
    if node.name == DECODER and len(node.children) == 1:
        return _expression(node.children[0], numeric)
    arguments = [_expression(child, numeric, node.name) for child in node.children]
    if node.name == "log" and len(arguments) == 2:  # the logarithm to a base
        argument, base = (apply("log", one) for one in arguments)
        return over(argument, base)
    if node.name in FUNCTION_NAMES:
        name = FUNCTION_NAMES[node.name]
        if len(arguments) != FUNCTIONS[name].arity:
            raise InputError(f"{node.name!r} takes {FUNCTIONS[name].arity} argument(s), not {len(arguments)}")
        return apply(name, *arguments)
    if arguments:
        raise InputError(f"{excerpt(node.name)!r} is not a function of the grammar")
    if node.name == "Pi":
        return constant("pi")
    if node.name == "Symbol":
        form = _VARIABLE.fullmatch(node.value)
        if form is None:
            raise InputError(f"the variable {excerpt(node.value)!r} is not of the form var_0, var_1, …")
        index = int(form[1])
        return trees.variable(_FIRST_VARIABLES.get(index, f"v{index}"))
    if node.name not in _VALUE_LEAVES:
        allowed = ", ".join((*FUNCTION_NAMES, "Symbol", "Pi", *_VALUE_LEAVES))
        raise InputError(f"{excerpt(node.name)!r} is unknown (known: {allowed})")
    if not _VALUE.fullmatch(node.value):
        raise InputError(f"the {node.name} {excerpt(node.value)!r} is not a number such as 2, -0.57 or 2/5")
    value = Fraction(node.value)
    is_number = numeric and not (value == -1 and parent in ("Mul", "Pow"))
    return _leaf(value, is_number, not is_number and "/" in node.value)


def _leaf(value: Fraction, is_number: bool, is_quotient: bool = False) -> Expression:
    """The constant of this value unless it is to be a number; behind a sign if negative; as a quotient if need be."""
    if value in _CONSTANT_OF_VALUE and not is_number:
        return _CONSTANT_OF_VALUE[value]
    if value < 0:
        return negated(_leaf(-value, is_number, is_quotient))
    if 10**MAXIMUM_DIGITS % value.denominator or (is_quotient and value.denominator > 1):
        return over(*(_leaf(Fraction(part), is_number) for part in value.as_integer_ratio()))
    return trees.number(value)


def _is_decimal_tree(expression: Expression) -> bool:
    """Whether it consists of digits and powers with a 10 in them: a sum of places, in whatever form Sympy left it.

    Powers may be swapped, as they are here and there in the release, and Sympy has left out factors 1 and 10^0.
    """
    nodes = list(expression.subexpressions())
    leaves = {node.value for node in nodes if not node.children}
    powers = [{child.value for child in node.children} for node in nodes if node.symbol == POWER]
    functions = {node.symbol for node in nodes if node.children}
    is_sum_of_places = leaves <= {*range(-10, 11)} and functions <= {ADD, MULTIPLY, POWER}
    return is_sum_of_places and bool(powers) and all(10 in values for values in powers)


def with_powers_mended(expression: Expression) -> Expression:
    """A decimal tree with n^10 as 10^n."""
    if not expression.children:
        return expression
    children = [with_powers_mended(child) for child in expression.children]
    swapped = expression.symbol == POWER and children[1].value == 10 and children[0].value != 10
    return apply(expression.symbol, *(reversed(children) if swapped else children))


class Release(NamedTuple):
    """The distinct equations of a file, and how many were left out and why."""

    records: tuple[Record, ...]
    artificial: int
    duplicates: int
    conflicts: int  # met again with the other label; the first one is kept


class _Texts(NamedTuple):
    func: str
    vars: str


class _Entry(NamedTuple):
    equation: _Texts
    label: int | str


def read_release(path: Path) -> Release:
    """The records of a file. Errors name the group and the place in it, both from 0."""
    groups = shaped(list[list[_Entry]], parse_json(read_text(path).removeprefix("\ufeff"), path), path)
    records: dict[Equation, Record] = {}
    counts: Counter = Counter()  # symbolic and numeric equations are numbered apart, as in our own data
    for g, e, entry in [(g, e, entry) for g, group in enumerate(groups) for e, entry in enumerate(group)]:
        (functions, values), label = entry
        if len(set(functions.split(",")) & set(FUNCTION_NAMES)) >= ARTIFICIAL_FUNCTIONS:
            counts["artificial"] += 1
            continue
        try:
            equation, kind = read_equation(functions, values)
            if str(label) not in ("0", "1"):
                raise InputError(f"the label is {excerpt(str(label))!r}, not 0 or 1")
        except InputError as error:
            raise InputError(f"{path}, group {g}, equation {e}: {error}") from None
        letter = "s" if kind == SYMBOLIC else "n"
        new = Record(f"{letter}{counts[letter]}", equation, int(label), kind, equation.depth, ORIGIN)
        known = records.setdefault(equation, new)
        is_again = (known.label, known.kind) == (new.label, new.kind)
        counts[letter if known is new else "duplicate" if is_again else "conflict"] += 1
    if not records:
        raise InputError(f"{path}: no equation in this file")
    return Release(tuple(records.values()), *(counts[why] for why in ("artificial", "duplicate", "conflict")))
