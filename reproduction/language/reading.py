"""What people write, as trees: `2x`, `sin^2 x`, `|x|`, `x²`, `e^x`, `√4`, and LaTeX, where the meaning is plain.

What the parser reads is read as the parser reads it, with log and atan2. Everything else is said in a note, which shows
how it was read; what has two meanings, such as `1/2x` or `sin^(-1)(x)`, is an error with a caret.
"""

import re
from typing import NamedTuple, NoReturn

from ..errors import excerpt
from . import printing
from .expression import Equation, Expression, apply, constant, number, over, power
from .grammar import EXTRA_FUNCTIONS, FUNCTIONS, POWER, is_variable
from .parsing import FUNCTION_NAMES, GREEK_NAMES, MAXIMUM_NESTING, ParseError, Parser, Token
from .printing import HALF, LITERAL_CONSTANTS, MINUS_ONE, ONE, PRODUCT_LEVEL, SIGN_LEVEL, SUM_LEVEL, TWO

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ROOTS = ("sqrt", "√")
_NAMES = {*FUNCTION_NAMES, *GREEK_NAMES, "sqrt", "pi", "frac"}
# Each is exchanged for what is as long as it, so that errors point at what was typed.
_COMMANDS = {
    "cdot": "*", "times": "*", "div": "/", "neq": "!=", "ne": "!=", "vert": "|", "lvert": "|", "rvert": "|",
    "dfrac": "frac", "tfrac": "frac", "left": "", "right": "", "quad": "", "qquad": "", "displaystyle": "",
}  # fmt: skip
_CHARACTERS = str.maketrans({"{": "(", "}": ")", "[": "(", "]": ")", "$": " ", "~": " ", "•": "*", "∙": "*", "÷": "/"})


def _command(match: re.Match) -> str:
    name = match[1]
    known = name if name in _NAMES else _COMMANDS.get(name)
    if name == "sqrt" and match.string[match.end() : match.end() + 1] == "[":
        known = None  # a root that is no whole number's
    return match[0] if known is None else f" {known}".ljust(len(match[0]))


_LATEX = (
    (r"\\sqrt\s*\[\s*([1-9][0-9]?)\s*\]", lambda m: f"root_{m[1]}".ljust(len(m[0]))),
    (r"\\(?:operatorname|mathrm|text|mathit)\s*\{\s*([A-Za-z]+)\s*\}", lambda m: m[1].rjust(len(m[0]))),
    (r"(?<![A-Za-z])([A-Za-z])_\{\s*([0-9]{1,6})\s*\}", lambda m: f"{m[1]}_{m[2]}".ljust(len(m[0]))),
    (r"\\[,;:!()\[\] ]", lambda m: "  "),
    (r"\\([A-Za-z]+)", _command),
)


class Reading(NamedTuple):
    """A statement as it was read; the note is empty where it was written as the parser wants it."""

    equation: Equation
    is_negated: bool  # with != instead of =
    note: str


def read_statement(text: str) -> Reading:
    """`left = right` or `left != right`."""
    reader = _Reader(text)
    equation, column = reader.relation()
    shown = printing.print_equation(equation)
    return Reading(equation, bool(column), reader.note(shown.replace(" = ", " != ") if column else shown))


def read_equation(text: str) -> tuple[Equation, str]:
    """The equation, and a note or ''."""
    reader = _Reader(text)
    equation, column = reader.relation()
    if column:
        raise ParseError("an equation is wanted, with '=' and not '!='", column, text)
    return equation, reader.note(printing.print_equation(equation))


def read_expression(text: str) -> tuple[Expression, str]:
    """The expression, and a note or ''."""
    reader = _Reader(text)
    expression = reader.whole_expression()
    return expression, reader.note(printing.print_expression(expression))


class _Reader(Parser):
    """The parser, with products without a sign and functions without brackets."""

    tokens = re.compile(
        Parser.tokens.pattern.replace("(?P<operator>", "(?P<superscript> ⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+ )\n | (?P<operator> \\| |", 1),
        re.VERBOSE,
    )

    def __init__(self, text: str):
        self.typed, self.is_loose, self.bars = text, False, 0
        self.taken = [Token("start", "", 0)] * 3  # the last tokens that were used
        source = text
        for pattern, plain in _LATEX:
            source = re.sub(pattern, plain, source)
        super().__init__(source.translate(_CHARACTERS), EXTRA_FUNCTIONS)
        self.is_loose = self.source != text

    def note(self, shown: str) -> str:
        return f"read as {shown}" if self.is_loose else ""

    def advance(self) -> Token:
        used = super().advance()
        self.taken = [*self.taken[1:], used]
        return used

    def fail(self, reason: str, token: Token | None = None) -> NoReturn:
        raise ParseError(reason, (token or self.token).column, self.typed)

    def fail_two_meanings(self, text: str, one: str, other: str, token: Token | None = None) -> NoReturn:
        self.fail(f"{text} has two meanings: write {one} or {other}", token)

    def has_space(self) -> bool:
        """Whether there is a space before the next token."""
        return self.source[self.token.column - 2 : self.token.column - 1].isspace()

    # -------------------------------------------------------------------- products without a sign

    def operator(self, level: int, last: Token | None) -> Token | None:
        if level > PRODUCT_LEVEL or not self.begins_factor():
            return super().operator(level, last)
        before, sign, operand = self.taken
        simple = operand.kind in ("literal", "name")
        is_fraction = simple and before.kind == sign.kind == "literal"
        if sign.text == "^" and simple and not self.has_space():
            self.fail_two_meanings("a product without a sign after an exponent", "x^2 * y", "x^(2 * y)")
        if (
            last is not None
            and last.text == "/"
            and not (sign.text == "/" and before.kind == operand.kind == "literal" and self.has_space())
        ):
            self.fail_two_meanings("a product without a sign after a quotient", "a / b * c", "a / (b * c)")
        if self.token.text == "(" and operand.kind == "name" and operand.text not in ("pi", "π") and not is_fraction:
            self.fail_two_meanings(f"{operand.text}(...)", f"{operand.text} * (...)", "the name of a function")
        self.is_loose = True
        return Token("operator", "*", self.token.column)

    def begins_factor(self) -> bool:
        """Whether the next token begins a factor, where an operator could stand."""
        return self.token.kind == "name" or self.token.text == "(" or (self.token.text == "|" and not self.bars)

    # -------------------------------------------------------------------- operands

    def operand(self) -> Expression:
        operand = self.between_bars() if self.token.text == "|" else super().operand()
        while self.token.kind == "superscript":
            operand = self.made(self.token, apply, POWER, operand, self.superscript())
        return operand

    def superscript(self) -> Expression:
        self.is_loose = True
        text = self.advance().text.translate(_SUPERSCRIPTS)
        exponent = _integer(text.lstrip("⁻"))
        return exponent if text[0] != "⁻" else MINUS_ONE if exponent is ONE else apply("*", MINUS_ONE, exponent)

    def between_bars(self) -> Expression:
        """The absolute value of a real number: sqrt(x^2)."""
        opening = self.advance()
        self.is_loose, self.bars = True, self.bars + 1
        inside = self.expression(SUM_LEVEL, weight=2)
        if self.token.text != "|":
            self.fail_after_operand(f"'|' is missing: the one at column {opening.column} is not closed")
        self.advance()
        self.bars -= 1
        return self.made(opening, lambda: power(power(inside, TWO), HALF))

    def name(self) -> Expression:
        token = self.token
        if token.text == "e":
            return self.exponential()
        if token.text == "frac":
            self.advance()
            above, below = self.group(token), self.group(token)
            return self.made(token, lambda: HALF if (above, below) == (ONE, TWO) else over(above, below))
        if token.text.startswith("root_") and token.text[5:].isdigit():
            self.advance()
            return self.made(token, lambda inside: power(inside, over(ONE, _integer(token.text[5:]))),
                             self.group(token))  # fmt: skip
        if token.text in FUNCTION_NAMES or token.text in _ROOTS:
            return self.function()
        return super().name()

    def exponential(self) -> Expression:
        """e is exp(1), and its powers are values of exp."""
        token = self.advance()
        self.is_loose = True
        if self.token.text == "^":
            self.advance()
            return self.made(token, apply, "exp", self.expression(SIGN_LEVEL, weight=2))
        return apply("exp", self.superscript() if self.token.kind == "superscript" else ONE)

    def group(self, command: Token) -> Expression:
        """What stands in the braces after a command of LaTeX."""
        if self.token.text != "(":
            self.fail(f"'{{' is missing after {command.text}")
        self.is_loose = True
        return self.bracketed(weight=3)

    # -------------------------------------------------------------------- functions

    def function(self) -> Expression:
        """sin(x), sin^2(x), sin 2x: the exponent is that of the value."""
        token = self.advance()
        exponent = None
        if self.token.text == "^" or self.token.kind == "superscript":
            exponent = self.exponent_of(token)
        is_root = token.text in _ROOTS
        count = 1 if is_root else FUNCTIONS[FUNCTION_NAMES[token.text]].arity
        if self.token.text == "(" and not (token.text == "√" and self.has_space()):
            arguments = self.arguments(token, count)
        else:
            self.is_loose = True
            arguments = self.arguments(token, 1) if count > 1 else [self.bare_argument(token)]
        if is_root:
            value = self.made(token, apply, POWER, *arguments, HALF)
        else:
            value = self.made(token, apply, FUNCTION_NAMES[token.text], *arguments)
        return value if exponent is None else self.made(token, apply, POWER, value, exponent)

    def exponent_of(self, function: Token) -> Expression:
        """The exponent between a function and its argument: a whole number, never -1."""
        self.is_loose = True
        sign = self.token
        if sign.kind == "superscript":
            exponent = self.superscript()
        else:
            self.advance()
            bracketed, literal = self.token.text == "(", self.token.kind == "literal"
            exponent = self.bracketed() if bracketed else self.literal() if literal else MINUS_ONE
        value = exponent.value
        if value is None or value.denominator != 1 or value < 1:
            name = FUNCTION_NAMES.get(function.text, function.text)
            self.fail_two_meanings(f"{name}^(...)(x)", f"{name}(x)^(...)", "the inverse function by its name", sign)
        return exponent

    def bare_argument(self, function: Token) -> Expression:
        """A number, a variable, a product of the two, a value of another function, or what stands between bars."""
        kind, text, _ = self.token
        if kind not in ("literal", "name") and text != "|":
            return self.arguments(function, 1)[0]
        self.nesting += 2
        if self.nesting > MAXIMUM_NESTING:
            self.fail("nested too deep", function)
        if text == "|":
            argument = self.between_bars()
        elif kind == "name":
            argument = self.name()
        else:
            argument = self.literal()
            if self.token.kind == "name" and self.is_plain_name():
                if function.text == "√":
                    self.fail_two_meanings("a product after √", "√(2 * x)", "√(2) * x")
                argument = self.made(self.token, apply, "*", argument, super().name())
        self.nesting -= 2
        self.check_end_of_argument(function.text)
        return argument

    def is_plain_name(self) -> bool:
        """Whether the next name is a variable's or pi's."""
        text = self.token.text
        return text in ("pi", "π") or text in GREEK_NAMES or is_variable(text)

    def check_end_of_argument(self, name: str) -> None:
        """What follows an argument without brackets must not be taken for a part of it."""
        follows = self.token
        divides = follows.text == "/" and re.match(r"\s*(?![a-z]{2})[\w.√]", self.source[self.position :])
        if follows.text in ("^", "(") or follows.kind in ("superscript", "literal") or divides or (
            follows.kind == "name" and self.is_plain_name()
        ):  # fmt: skip
            self.fail_two_meanings(f"{name} without brackets before {excerpt(follows.text, 24)!r}",
                                   f"{name}(...){follows.text}...", f"{name}(...{follows.text}...)")  # fmt: skip


def _integer(digits: str) -> Expression:
    return constant(LITERAL_CONSTANTS[digits]) if digits in LITERAL_CONSTANTS else number(digits)
