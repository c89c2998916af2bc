"""Typed text as trees that a network can read, with notes about how it was read, or a sentence why it cannot be.

A variable that the network has not met is read as one that it knows.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ..completion.candidates import Blank, parse_blank
from ..data.dataset import literal_value, read_vocabulary
from ..errors import InputError
from ..language.expression import (
    CONSTANT,
    MINUS_ONE,
    NUMBER,
    VARIABLE,
    Equation,
    Expression,
    apply,
    constant,
    negated,
    number,
    variable,
)
from ..language.grammar import CONSTANTS, EXTRA_FUNCTIONS, FUNCTIONS, MULTIPLY
from ..language.printing import print_equation, print_expression
from ..language.reading import read_equation, read_expression
from ..paper import NUMBERS_RANGE
from ..training.run_directory import FinishedRun

Binding = dict[str, Expression]  # what variables are read as
SHOWN_NUMBERS = 3
TEN = constant("10")


@dataclass(frozen=True)
class Knowledge:
    """The symbols that a network has learned to read."""

    title: str
    functions: tuple[str, ...]
    constants: tuple[str, ...]
    variables: tuple[str, ...]
    reads_numbers: bool  # besides the constants
    compares_numbers: bool  # whether it was trained on symbolic equations that contain numbers
    deepest: int  # depth of the equations of its training

    @classmethod
    def of(cls, run: FinishedRun, title: str) -> "Knowledge":
        """The knowledge that config.json and results.json of the run tell."""
        vocabulary, configuration = read_vocabulary(run.config, str(run.directory)), run.configuration
        known = dict.fromkeys([*vocabulary.functions, *vocabulary.symbols, *vocabulary.tokens])
        others = [name for name in known if name not in FUNCTIONS and name not in CONSTANTS]
        spells_numbers = any(name.startswith("#") for name in others)
        return cls(
            title,
            tuple(name for name in FUNCTIONS if name in known),
            tuple(name for name in CONSTANTS if name in known),
            tuple(name for name in others if name.isidentifier()),
            vocabulary.numbers or configuration.decodes or spells_numbers,
            vocabulary.numbers or configuration.verifies_numbers or spells_numbers,
            max(run.results.dev.symbolic.by_depth, default=0),
        )


class UnreadableError(InputError):
    """An equation with a symbol that the network has not met; the judges may know it."""


class Read(NamedTuple):
    """An equation as it was typed, as the network reads it, and notes about the difference."""

    text: str
    typed: Equation
    equation: Equation | None  # None if a symbol in it is unknown to the network
    notes: tuple[str, ...]


class ReadBlank(NamedTuple):
    """A blank as it was typed and as the network reads it."""

    text: str
    typed: Blank
    blank: Blank
    names: Binding  # the typed variables by the network's
    is_known: bool  # to the network; otherwise the judges alone can fill it
    asks_for_a_number: bool  # of the form cos(-□) = -0.57
    notes: tuple[str, ...]


def with_numbers(expression: Expression) -> Expression:
    """The expression with numbers for constants, as in function evaluations: cos(2) as cos(2.00).

    A sign stays a factor -1. Decimal trees, sums of digits times powers of ten, stay as they were learned.
    """
    if TEN in expression.subexpressions():
        return expression
    if expression.kind == CONSTANT and expression.value is not None:
        leaf = number(abs(expression.value))
        return negated(leaf) if expression.value < 0 else leaf
    if expression.symbol == MULTIPLY and expression.children[0] is MINUS_ONE:
        return negated(with_numbers(expression.children[1]))
    return apply(expression.symbol, *map(with_numbers, expression.children)) if expression.children else expression


def read_blank(text: str) -> tuple[Blank, str]:
    """The blank, and a note if the equation was not written as the parser wants it."""
    notes = []

    def parse(marked: str, extra: tuple[str, ...]) -> Equation:
        equation, note = read_equation(marked)
        notes.append(note)
        return equation

    blank = parse_blank(text, EXTRA_FUNCTIONS, parse)
    return blank, f"read as {blank.text}" if any(notes) else ""


class Reader:
    """Reads texts for one network."""

    def __init__(self, knowledge: Knowledge):
        self.knowledge = knowledge
        self._functions, self._constants = frozenset(knowledge.functions), frozenset(knowledge.constants)

    def equation(self, given: str | Equation, for_judges: bool = False) -> Read:
        """An equation; a symbol that the network has not met is refused, or left to the judges with a note."""
        if isinstance(given, str):
            text, (typed, note) = given.strip(), read_equation(given)
        else:
            text, typed, note = print_equation(given), given, ""
        noted = (note,) if note else ()
        try:
            binding, notes = self._understood(typed)
        except UnreadableError as error:
            if not for_judges:
                raise
            return Read(text, typed, None, (*noted, str(error)))
        return Read(text, typed, typed.substituted(binding), (*noted, *notes, *self._deep(typed)))

    def expression(self, text: str) -> Expression:
        """The tree of an expression as the network reads it."""
        expression, _ = read_expression(text)
        return expression.substituted(self._understood([expression])[0])

    def evaluated(self, text: str) -> tuple[Expression, tuple[str, ...]]:
        """The tree of an expression to be decoded, with numbers for constants as in the training, and notes."""
        expression, _ = read_expression(text)
        if expression.variables():
            raise InputError(f"{text.strip()}: an expression with a variable has no value")
        read = with_numbers(expression)
        _, notes = self._understood([read], decoded=True)
        return read, notes if read is expression else (f"read as {print_expression(read)}", *notes)

    def blank(self, text: str, for_judges: bool = False) -> ReadBlank:
        """A blank; a symbol that the network has not met is refused, or left to the judges with a note."""
        typed, note = read_blank(text)
        other = typed.other_side
        if typed.level == 1 and other.closed and any(node.kind == NUMBER for node in other.subexpressions()):
            shown = print_expression(other)
            raise InputError(f"the value of {shown} is asked for: in Python, load().evaluate({shown!r}) gives it")
        asks_for_a_number = literal_value(other) is not None and not typed.equation.variables()
        is_known = True
        try:
            binding, notes = self._understood(typed.equation, asks_for_a_number)
        except UnreadableError as error:
            if not for_judges:
                raise
            is_known, binding, notes = False, {}, (str(error),)
        read = typed._replace(equation=typed.equation.substituted(binding))
        names = {leaf.symbol: variable(name) for name, leaf in binding.items()}
        all_notes = (*filter(None, [note]), *notes, *(self._deep(typed.equation) if is_known else ()))
        return ReadBlank(text.strip(), typed, read, names, is_known, asks_for_a_number, all_notes)

    def _understood(self, sides: Iterable[Expression], decoded: bool = False) -> tuple[Binding, tuple[str, ...]]:
        """How unknown variables are read, and notes; unknown functions and constants are refused."""
        nodes = dict.fromkeys(node for side in sides for node in side.subexpressions())
        strange = {node.symbol for node in nodes if node.children} - self._functions
        if strange:
            self._refuse("function", next(name for name in FUNCTIONS if name in strange))
        for node in nodes:
            if node.kind == CONSTANT and node.symbol not in self._constants:
                self._refuse("number", node.symbol)
        binding = self._renaming([node.symbol for node in nodes if node.kind == VARIABLE])
        notes = [f"{name} is read as {leaf.symbol}" for name, leaf in binding.items()]
        numbers = sorted((node.symbol for node in nodes if node.kind == NUMBER), key=float)
        if numbers and not self.knowledge.reads_numbers:
            self._refuse("number", numbers[0])
        if numbers and not self.knowledge.compares_numbers:
            if not decoded:
                shown = ", ".join(numbers[:SHOWN_NUMBERS]) + (", ..." if len(numbers) > SHOWN_NUMBERS else "")
                notes.append(f"no equation of the training contains {shown}")
            if float(numbers[-1]) > NUMBERS_RANGE[1]:
                notes.append(f"{numbers[-1]} is beyond the numbers of the training (0 to {NUMBERS_RANGE[1]})")
        return binding, tuple(notes)

    def _refuse(self, kind: str, name: str):
        known = self.knowledge.functions if kind == "function" else self.knowledge.constants
        raise UnreadableError(f"{self.knowledge.title} does not know the {kind} {name} (it knows {', '.join(known)})")

    def _renaming(self, variables: list[str]) -> Binding:
        known = self.knowledge.variables
        strangers = [name for name in variables if name not in known]
        if not strangers:
            return {}
        free = [name for name in known if name not in variables]
        if len(strangers) > len(free):
            few, many = ", ".join(known), ", ".join(variables)
            raise UnreadableError(f"{self.knowledge.title} has too few variables ({few}) for {many}")
        return dict(zip(strangers, map(variable, free), strict=False))

    def _deep(self, equation: Equation) -> tuple[str, ...]:
        deepest = self.knowledge.deepest
        if equation.depth <= deepest:
            return ()
        return (f"depth {equation.depth} is more than any equation of the training has ({deepest})",)
