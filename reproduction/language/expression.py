"""Immutable, interned expression trees: equal trees are one object, so `is` and `==` say the same.

Sympy is not used for storage: it rewrites trees even with evaluate=False. Sharing is what the generator,
the oracle, the batching and the completion live off.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..errors import InputError
from . import grammar
from .grammar import CONSTANTS, FUNCTIONS, MAXIMUM_DIGITS, MAXIMUM_HEIGHT, MAXIMUM_SIZE

FUNCTION, CONSTANT, NUMBER, VARIABLE = "function", "constant", "number", "variable"

_interned: WeakValueDictionary = WeakValueDictionary()


class OutOfBoundsError(InputError):
    """A number or a tree that is larger than any that can be written down and read back."""


class Expression:
    """A terminal or a function applied to expressions. Make them with apply, constant, number and variable."""

    __slots__ = ("__weakref__", "children", "closed", "height", "kind", "size", "symbol")

    kind: str  # FUNCTION, CONSTANT, NUMBER or VARIABLE
    symbol: str
    children: tuple[Expression, ...]
    height: int  # edges to the deepest leaf below
    size: int  # nodes
    closed: bool  # no variables

    def __new__(cls, kind: str, symbol: str, children: tuple[Expression, ...] = ()):
        key = (kind, symbol, children)
        known = _interned.get(key)
        if known is not None:
            return known
        height = 1 + max(child.height for child in children) if children else 0
        size = 1 + sum(child.size for child in children)
        if height > MAXIMUM_HEIGHT:
            raise OutOfBoundsError(f"the tree has more than {MAXIMUM_HEIGHT} levels")
        if size > MAXIMUM_SIZE:
            raise OutOfBoundsError(f"the tree has more than {MAXIMUM_SIZE} nodes")
        node = super().__new__(cls)
        store = object.__setattr__
        store(node, "kind", kind)
        store(node, "symbol", symbol)
        store(node, "children", children)
        store(node, "height", height)
        store(node, "size", size)
        store(node, "closed", kind != VARIABLE and all(child.closed for child in children))
        _interned[key] = node
        return node

    def __setattr__(self, name, value):
        raise AttributeError("expressions are immutable")

    def __reduce__(self):
        return Expression, (self.kind, self.symbol, self.children)

    def __repr__(self):
        if not self.children:
            return self.symbol
        return f"{self.symbol}({', '.join(map(repr, self.children))})"

    @property
    def is_leaf(self) -> bool:
        return not self.children

    @property
    def value(self) -> Fraction | None:
        """The exact value of a constant or number; None for pi, variables and functions."""
        if self.kind == NUMBER:
            return Fraction(self.symbol)
        return CONSTANTS[self.symbol].value if self.kind == CONSTANT else None

    def subexpressions(self) -> Iterator[Expression]:
        """Every node, this one first, repeated as often as it occurs, children from left to right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def positions(self) -> Iterator[tuple[tuple[int, ...], Expression]]:
        """Every node with its path of child indices from this one, this one first."""
        stack: list[tuple[tuple[int, ...], Expression]] = [((), self)]
        while stack:
            path, node = stack.pop()
            yield path, node
            stack.extend((path + (i,), child) for i, child in reversed(list(enumerate(node.children))))

    def at(self, path: tuple[int, ...]) -> Expression:
        node = self
        for index in path:
            node = node.children[index]
        return node

    def replaced(self, path: tuple[int, ...], replacement: Expression) -> Expression:
        """This tree with the node at path exchanged."""
        if not path:
            return replacement
        children = list(self.children)
        children[path[0]] = children[path[0]].replaced(path[1:], replacement)
        return Expression(self.kind, self.symbol, tuple(children))

    def variables(self) -> tuple[str, ...]:
        """Names of the variables in order of first occurrence."""
        return tuple(dict.fromkeys(node.symbol for node in self.subexpressions() if node.kind == VARIABLE))

    def substituted(self, binding: dict[str, Expression]) -> Expression:
        """This tree with variables exchanged, all at once."""
        if self.kind == VARIABLE:
            return binding.get(self.symbol, self)
        if not self.children:
            return self
        children = tuple(child.substituted(binding) for child in self.children)
        return self if children == self.children else Expression(self.kind, self.symbol, children)


class Equation(NamedTuple):
    """Two expressions that are claimed to be equal; whether they are is a label, not part of the equation."""

    left: Expression
    right: Expression

    @property
    def depth(self) -> int:
        """Edges on the longest path from "=" to a leaf: `x = x` is 1."""
        return 1 + max(self.left.height, self.right.height)

    @property
    def size(self) -> int:
        return 1 + self.left.size + self.right.size

    def mirrored(self) -> Equation:
        return Equation(self.right, self.left)

    def subexpressions(self) -> Iterator[Expression]:
        yield from self.left.subexpressions()
        yield from self.right.subexpressions()

    def positions(self) -> Iterator[tuple[tuple[int, ...], Expression]]:
        """Every node below "=" with its path; the first index is the side."""
        return (((side, *path), node) for side in (0, 1) for path, node in self[side].positions())

    def replaced(self, path: tuple[int, ...], replacement: Expression) -> Equation:
        """This equation with the node at path exchanged."""
        changed = self[path[0]].replaced(path[1:], replacement)
        return Equation(self.left, changed) if path[0] else Equation(changed, self.right)

    def variables(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.left.variables() + self.right.variables()))

    def substituted(self, binding: dict[str, Expression]) -> Equation:
        return Equation(self.left.substituted(binding), self.right.substituted(binding))

    def functions(self) -> tuple[str, ...]:
        """Names of the functions in order of first occurrence."""
        return tuple(dict.fromkeys(node.symbol for node in self.subexpressions() if node.kind == FUNCTION))


def constant(name: str) -> Expression:
    if name not in CONSTANTS:
        raise KeyError(f"no constant is called {name!r}")
    return Expression(CONSTANT, name)


def number(value: Decimal | Fraction | str) -> Expression:
    """A literal for the number block, of at most 12 digits, never negative: -2.5 is -1 * 2.5."""
    if not isinstance(value, Fraction):
        value = Decimal(value)
        if value and abs(value.adjusted()) > MAXIMUM_DIGITS:  # not to be written out
            raise OutOfBoundsError(_TOO_MANY_DIGITS)
    exact = Fraction(value)
    if exact < 0:
        raise ValueError(f"{value} is not a non-negative decimal number")
    units = exact * 10**MAXIMUM_DIGITS  # of the last decimal that there may be
    whole, decimals = divmod(units.numerator, 10**MAXIMUM_DIGITS)
    text = f"{whole}.{decimals:0{MAXIMUM_DIGITS}d}".rstrip("0").rstrip(".")
    if units.denominator > 1 or count_digits(text) > MAXIMUM_DIGITS:
        raise OutOfBoundsError(_TOO_MANY_DIGITS)
    return Expression(NUMBER, text)


def count_digits(text: str) -> int:
    """Digits of a number's text, zeros in front not counted."""
    return sum(character.isdigit() for character in text.lstrip("0"))


def variable(name: str) -> Expression:
    if not grammar.is_variable(name):
        raise ValueError(f"{name!r} is not the name of a variable")
    return Expression(VARIABLE, name)


def apply(function: str, *arguments: Expression) -> Expression:
    if function not in FUNCTIONS or FUNCTIONS[function].arity != len(arguments):
        raise KeyError(f"no function of {len(arguments)} arguments is called {function!r}")
    return Expression(FUNCTION, function, arguments)


_TOO_MANY_DIGITS = f"a number has at most {MAXIMUM_DIGITS} digits"
BLANK = Expression(VARIABLE, "□")  # what is still to be filled in: the one leaf that is shown and not read back
MINUS_ONE = constant("-1")
add, multiply, power = (partial(apply, function) for function in (grammar.ADD, grammar.MULTIPLY, grammar.POWER))


def negated(expression: Expression) -> Expression:
    return multiply(MINUS_ONE, expression)


def minus(left: Expression, right: Expression) -> Expression:
    return add(left, negated(right))


def over(above: Expression, below: Expression) -> Expression:
    return multiply(above, power(below, MINUS_ONE))
