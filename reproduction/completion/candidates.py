"""Blanks in equations and everything that may fill them (paper, section 4, equation completion).

A blank is a node of height 0 or 1, the paper's "node of depth 1 or 2". Its candidates are all expressions of these
heights over the 19 constants of the grammar and the equation's own variables: 1577 without variables, 1720 with one.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import lru_cache
from itertools import product
from random import Random
from typing import NamedTuple

from ..data.dataset import EVALUATION, SYMBOLIC, Kind, Record, literal_value
from ..language.expression import BLANK, NUMBER, Equation, Expression, apply, constant, number, variable
from ..language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES
from ..language.parsing import ParseError, parse_equation, parse_expression
from ..language.printing import latex_equation, print_equation
from ..paper import NUMBERS_RANGE

LARGEST_HEIGHT = 1
MARK, WRITTEN = BLANK.symbol, "_"  # how a blank is shown and how it is written
_BLANK = re.compile(r"[?□]|(?<![^\W\d])_+")  # x_1 is a name


class Ancestor(NamedTuple):
    """One function between the blank and "=": its name, the place of the blank, and its other arguments."""

    function: str
    place: int
    siblings: tuple[Expression, ...]


class Blank(NamedTuple):
    """An equation and the path to the node that is taken out of it; the first index is the side."""

    equation: Equation
    path: tuple[int, ...]

    @property
    def removed(self) -> Expression:
        return self.equation[self.path[0]].at(self.path[1:])

    @property
    def other_side(self) -> Expression:
        return self.equation[1 - self.path[0]]

    @property
    def level(self) -> int:
        """Edges between "=" and the blank: 1 for a whole side."""
        return len(self.path)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(sorted(self.equation.variables()))

    @property
    def ancestors(self) -> tuple[Ancestor, ...]:
        """The functions on the way, the lowest first."""
        ancestors, node = [], self.equation[self.path[0]]
        for place in self.path[1:]:
            ancestors.append(Ancestor(node.symbol, place, node.children[:place] + node.children[place + 1 :]))
            node = node.children[place]
        return tuple(reversed(ancestors))

    def filled(self, candidate: Expression) -> Equation:
        return self.equation.replaced(self.path, candidate)

    @property
    def text(self) -> str:
        """The equation with a box for the blank: `4^tanh(0) = □^x`."""
        return print_equation(self.filled(BLANK))

    @property
    def latex(self) -> str:
        return latex_equation(self.filled(BLANK)).replace(MARK, r"\blacksquare ")


def has_blank(text: str) -> bool:
    """Whether a person wrote a blank in it."""
    return _BLANK.search(text) is not None


def refuse_blank(text: str) -> None:
    """Refuses a blank where a whole equation is wanted."""
    if "=" in text and (blank := _BLANK.search(text)):
        raise ParseError("a blank stands here: `complete` fills it", blank.start() + 1, text)


def parse_blank(text: str, extra: tuple[str, ...] = (), parse: Callable[..., Equation] = parse_equation) -> Blank:
    """The blank that a person types as _, ? or □; the equation has a 1 in its place."""
    places = [blank.start() for blank in _BLANK.finditer(text)]
    if not places:
        raise ParseError(f"there is no blank: write {WRITTEN} where something is to be found", 1, text)
    if len(places) > 1:
        reason = f"there are {len(places)} blanks, and one can be filled at a time: write what you expect in the others"
        raise ParseError(reason, places[1] + 1, text)
    free = (letter for name, letter in GREEK_VARIABLES.items() if letter not in text and name not in text)
    letter = next(free, None)
    if letter is None:
        raise ParseError("too many Greek letters are in use", places[0] + 1, text)
    try:
        equation = parse(_BLANK.sub(lambda blank: letter.ljust(len(blank[0])), text), extra)
    except ParseError as error:
        raise ParseError(error.reason.replace(letter, text[places[0]]), error.column, text) from None
    standing_in = parse_expression(letter)
    path = next(path for path, node in equation.positions() if node is standing_in)
    return Blank(equation.replaced(path, constant("1")), path)


Places = list[tuple[int, ...]]  # paths to nodes


def _blanks(records: Iterable[Record], kind: Kind, places: Callable[[Equation], Places]) -> dict[str, Blank]:
    """A blank for each correct equation of a kind, by the record's id, at one of the places with equal chances.

    The id alone decides: a record has the same blank in every split and run.
    """
    correct = (record for record in records if record.kind == kind and record.label == 1)
    drawn = ((record, places(record.equation)) for record in correct)
    return {
        record.id: Blank(record.equation, Random(f"blank {record.id}").choice(fitting))
        for record, fitting in drawn
        if fitting
    }


def symbolic_blanks(records: Iterable[Record]) -> dict[str, Blank]:
    """A blank for each correct symbolic equation: any node of small height without a number in it."""

    def fits(node: Expression) -> bool:
        return node.height <= LARGEST_HEIGHT and all(each.kind != NUMBER for each in node.subexpressions())

    return _blanks(records, SYMBOLIC, lambda equation: [path for path, node in equation.positions() if fits(node)])


def numeric_blanks(records: Iterable[Record]) -> dict[str, Blank]:
    """A blank for each correct evaluation such as cos(-2.18) = -0.57: one of the numbers the function is given."""
    candidates = set(numeric_candidates())

    def places(equation: Equation) -> Places:
        evaluated = [literal_value(side) is None for side in equation]
        if sum(evaluated) != 1:
            return []
        return [path for path, node in equation.positions() if evaluated[path[0]] and node in candidates]

    return _blanks(records, EVALUATION, places)


@lru_cache(maxsize=64)
def symbolic_candidates(variables: tuple[str, ...], functions: tuple[str, ...]) -> tuple[Expression, ...]:
    """Every expression of height 0 and 1: first the terminals, then each function of them."""
    terminals = [constant(name) for name in CONSTANTS] + [variable(name) for name in variables]
    compound = [
        apply(function, *arguments)
        for function in functions
        for arguments in product(terminals, repeat=FUNCTIONS[function].arity)
    ]
    return (*terminals, *compound)


@lru_cache(maxsize=1)
def numeric_candidates() -> tuple[Expression, ...]:
    """The numbers 0.00 to 3.14; a sign is not part of the blank but of the equation around it."""
    return tuple(number(Decimal(cents) / 100) for cents in range(round(NUMBERS_RANGE[1] * 100) + 1))


def subtree_counts(records: Iterable[Record]) -> Counter:
    """How often each expression occurs in the correct symbolic equations, for the most-frequent ranking."""
    return Counter(
        node
        for record in records
        if record.kind == SYMBOLIC and record.label == 1
        for node in record.equation.subexpressions()
        if node.height <= LARGEST_HEIGHT
    )
