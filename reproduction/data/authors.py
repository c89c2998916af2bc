"""The authors' released data: records from a file of theirs, a JSON list of groups, one a depth, of labelled equations.

Depths, node numbers and whatever else the file derives from its trees is not believed but computed again. The first
equation of a file is artificial, there to make the released program allocate the weights of every function.

A tree is written in preorder, its functions in one comma-separated text and its terminals in another:
`Add,LEFT,RIGHT`, `sin,CHILD,#`, `Symbol,#,#`. The names are Sympy's.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from ..artifacts import parse_json, read_text
from ..errors import InputError, excerpt
from ..language.expression import (
    MINUS_ONE,
    NUMBER,
    Equation,
    Expression,
    OutOfBoundsError,
    apply,
    constant,
    multiply,
    negated,
    number,
    power,
    variable,
)
from ..language.grammar import ADD, CONSTANTS, FUNCTIONS, MAXIMUM_DIGITS, MAXIMUM_HEIGHT, MULTIPLY, POWER
from .dataset import DECIMAL, EVALUATION, SYMBOLIC, Kind, Record, literal_value

ORIGIN = "authors"
ROOT, EMPTY = "Equality", "#"
DECODER = "NumberDecoder"  # may stand above a side of a numeric equation; it has no value of its own
FUNCTION_NAMES = {function.sympy: function.name for function in FUNCTIONS.values()}
ARTIFICIAL_FUNCTIONS = 20  # different ones in one equation: no real one has so many

_FIXED_LEAVES = {"NegativeOne": Fraction(-1), "Zero": Fraction(0), "One": Fraction(1), "Half": Fraction(1, 2)}
_NUMBER_BLOCK_LEAVES = ("Number", "MSEnumber")
_VALUE_LEAVES = (*_FIXED_LEAVES, "Integer", "Rational", "Float", *_NUMBER_BLOCK_LEAVES)
_CONSTANT_OF_VALUE = {entry.value: constant(name) for name, entry in CONSTANTS.items() if entry.value is not None}
_VALUE = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,2})?|[-+]?[0-9]+/0*[1-9][0-9]*")
_LONGEST_VALUE = 40  # characters
_VARIABLE = re.compile(r"var_([0-9]{1,6})")
_FIRST_VARIABLES = ("x", "y", "z")


class Node(NamedTuple):
    """A node as it is written: its name, its value if it is a terminal, and its children."""

    name: str
    value: str
    children: tuple["Node", ...]


def read_equation(functions: str, values: str) -> tuple[Equation, Kind]:
    """The equation of the two texts, and its kind.

    It is numeric when it has no variable, but a number that is no constant of ours (or one that the authors marked as
    a number), and a literal on one side: a decimal tree beside it makes it decimal, anything else an evaluation.
    In symbolic equations and decimal trees a value that is one of our constants is that constant; in evaluations it
    is a number.
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
    if node.name in FUNCTION_NAMES:
        return _application(node, [_expression(child, numeric, node.name) for child in node.children])
    if node.children:
        raise InputError(f"{excerpt(node.name)!r} is not a function of the grammar")
    if node.name == "Pi":
        return constant("pi")
    if node.name == "Symbol":
        return _variable(node.value)
    value = _value(node)
    if numeric and not (value == -1 and parent in ("Mul", "Pow")):
        return _number(value)
    return _constant(value, "/" in node.value)


def _application(node: Node, arguments: list[Expression]) -> Expression:
    if node.name == "log" and len(arguments) == 2:  # the logarithm to a base
        argument, base = (apply("log", one) for one in arguments)
        return multiply(argument, power(base, MINUS_ONE))
    name = FUNCTION_NAMES[node.name]
    if len(arguments) != FUNCTIONS[name].arity:
        raise InputError(f"{excerpt(node.name)!r} takes {FUNCTIONS[name].arity} argument(s), not {len(arguments)}")
    return apply(name, *arguments)


def _variable(text: str) -> Expression:
    form = _VARIABLE.fullmatch(text)
    if form is None:
        raise InputError(f"the variable {text[:_LONGEST_VALUE]!r} is not of the form var_0, var_1, …")
    index = int(form[1])
    return variable(_FIRST_VARIABLES[index] if index < len(_FIRST_VARIABLES) else f"v{index}")


def _value(node: Node) -> Fraction:
    if node.name not in _VALUE_LEAVES:
        allowed = ", ".join((*FUNCTION_NAMES, "Symbol", "Pi", *_VALUE_LEAVES))
        raise InputError(f"{node.name[:_LONGEST_VALUE]!r} is unknown (known: {allowed})")
    if len(node.value) > _LONGEST_VALUE or not _VALUE.fullmatch(node.value):
        raise InputError(f"the {node.name} {node.value[:_LONGEST_VALUE]!r} is not a number such as 2, -0.57 or 2/5")
    value = Fraction(node.value)
    if _FIXED_LEAVES.get(node.name, value) != value:
        raise InputError(f"the {node.name} has the value {excerpt(node.value)}")
    return value


def _number(value: Fraction) -> Expression:
    """A leaf for the number block, behind a sign if it is negative; a quotient if its decimals do not end."""
    if value < 0:
        return negated(_number(-value))
    if 10**MAXIMUM_DIGITS % value.denominator:
        return multiply(_number(Fraction(value.numerator)), power(_number(Fraction(value.denominator)), MINUS_ONE))
    try:
        return number(value)
    except OutOfBoundsError:
        raise InputError(f"the number {excerpt(str(value))} has more than {MAXIMUM_DIGITS} digits") from None


def _constant(value: Fraction, is_quotient: bool) -> Expression:
    """The constant of this value; if there is none a number or, as it was written, a quotient of constants."""
    if value in _CONSTANT_OF_VALUE:
        return _CONSTANT_OF_VALUE[value]
    if value < 0:
        return negated(_constant(-value, is_quotient))
    if not is_quotient or value.denominator == 1:
        return _number(value)
    numerator, denominator = (_constant(Fraction(part), False) for part in value.as_integer_ratio())
    return multiply(numerator, power(denominator, MINUS_ONE))


def _is_decimal_tree(expression: Expression) -> bool:
    """Whether it is made of digits and powers with a 10 in them: a sum of places, whatever Sympy has made of it.

    Powers may be swapped, as they are here and there in the release, and Sympy has left out factors 1 and 10^0.
    """
    nodes = list(expression.subexpressions())
    leaves = {node.value for node in nodes if not node.children}
    powers = [{child.value for child in node.children} for node in nodes if node.symbol == POWER]
    functions = {node.symbol for node in nodes if node.children}
    return (
        bool(powers)
        and all(10 in values for values in powers)
        and leaves <= {*range(-10, 11)}
        and functions <= {ADD, MULTIPLY, POWER}
    )


def with_powers_mended(expression: Expression) -> Expression:
    """A decimal tree with n^10 as 10^n."""
    if not expression.children:
        return expression
    children = [with_powers_mended(child) for child in expression.children]
    swapped = expression.symbol == POWER and children[1].value == 10 and children[0].value != 10
    return apply(expression.symbol, *(reversed(children) if swapped else children))


@dataclass(frozen=True)
class Release:
    """The distinct equations of a file, and how many were left out and why."""

    records: tuple[Record, ...]
    artificial: int
    duplicates: int
    conflicts: int  # met again with the other label; the first one is kept


def read_release(path: Path) -> Release:
    """The records of a file. What is wrong with it is told with the group and the place in it, both from 0."""
    records: dict[Equation, Record] = {}
    left_out: Counter = Counter()
    numbers: Counter = Counter()  # symbolic and numeric equations are counted apart, as in our own data
    for place, entry in _entries(path):
        try:
            functions, values, label = _texts(entry)
            if len(set(functions.split(",")) & set(FUNCTION_NAMES)) >= ARTIFICIAL_FUNCTIONS:
                left_out["artificial"] += 1
                continue
            equation, kind = read_equation(functions, values)
        except InputError as error:
            raise InputError(f"{path}, {place}: {error}") from None
        if equation not in records:
            letter = "s" if kind == SYMBOLIC else "n"
            identifier = f"{letter}{numbers[letter]}"
            records[equation] = Record(identifier, equation, label, kind, equation.depth, ORIGIN)
            numbers[letter] += 1
        else:
            known = records[equation]
            left_out["duplicate" if (known.label, known.kind) == (label, kind) else "conflict"] += 1
    if not records:
        raise InputError(f"{path}: no equation in this file")
    return Release(tuple(records.values()), *(left_out[why] for why in ("artificial", "duplicate", "conflict")))


def _entries(path: Path) -> Iterator[tuple[str, object]]:
    """Every equation as it stands in the file, with its place."""
    groups = parse_json(read_text(path).removeprefix("\ufeff"), path)
    if not isinstance(groups, list):
        raise InputError(f"{path}: a list of groups of equations is wanted, one a depth")
    for place, group in enumerate(groups):
        if not isinstance(group, list):
            raise InputError(f"{path}, group {place}: a list of equations is wanted")
        for index, entry in enumerate(group):
            yield f"group {place}, equation {index}", entry


def _texts(entry) -> tuple[str, str, int]:
    """The two texts of an equation, and its label."""
    equation = entry.get("equation") if isinstance(entry, dict) else None
    functions, values = (equation.get(key) for key in ("func", "vars")) if isinstance(equation, dict) else (None, None)
    if not isinstance(functions, str) or not isinstance(values, str):
        raise InputError('an object is wanted: {"equation": {"func": TEXT, "vars": TEXT}, "label": "0" or "1"}')
    label = str(entry.get("label"))
    if label not in ("0", "1"):
        raise InputError(f"the label is {label[:40]!r}; it must be 0 or 1")
    return functions, values, int(label)
