"""Trees of what people write: `2x`, `sin^2 x`, `|x|`, `x²`, `e^x`, `√4`, and LaTeX, where the meaning is plain.

Text that the parser accepts, with log and atan2, has the same meaning here. For any other text a note shows how it was
read; text with two meanings, such as `1/2x` or `sin^(-1)(x)`, is an error with a caret.
"""

import re
from typing import NamedTuple, NoReturn

from ..errors import excerpt
from . import printing
from .expression import Equation, Expression, apply, constant, number, over, power
from .grammar import EXTRA_FUNCTIONS, FUNCTIONS, GREEK_VARIABLES, POWER, is_variable
from .parsing import FUNCTION_NAMES, GREEK_NAMES, MAXIMUM_NESTING, ParseError, Parser, Token
from .printing import HALF, LITERAL_CONSTANTS, MINUS_ONE, ONE, PRODUCT_LEVEL, SIGN_LEVEL, SUM_LEVEL, TWO

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ROOTS = ("sqrt", "√")
# Each is replaced by text of the same length, so that errors point at the right column of what was typed.
_COMMANDS = {
    **{name: name for name in (*FUNCTION_NAMES, *GREEK_VARIABLES, "sqrt", "pi", "frac")},
    "cdot": "*", "times": "*", "div": "/", "neq": "!=", "ne": "!=", "vert": "|", "lvert": "|", "rvert": "|",
    "dfrac": "frac", "tfrac": "frac", "left": "", "right": "", "quad": "", "qquad": "", "displaystyle": "",
}  # fmt: skip
_CHARACTERS = str.maketrans({"{": "(", "}": ")", "[": "(", "]": ")", "$": " ", "~": " ", "•": "*", "∙": "*", "÷": "/"})


_LATEX = (
    (r"\\sqrt\s*\[\s*([1-9][0-9]?)\s*\]", lambda m: f"root_{m[1]}".ljust(len(m[0]))),
    (r"\\(?:operatorname|mathrm|text|mathit)\s*\{\s*([A-Za-z]+)\s*\}", lambda m: m[1].rjust(len(m[0]))),
    (r"(?<![A-Za-z])([A-Za-z])_\{\s*([0-9]{1,6})\s*\}", lambda m: f"{m[1]}_{m[2]}".ljust(len(m[0]))),
    (r"\\[,;:!()\[\] ]", lambda m: "  "),
    # A root that is left here with a bracket has an exponent that is no whole number: it is not read.
    (rf"\\(?!sqrt\[)({'|'.join(_COMMANDS)})(?![A-Za-z])", lambda m: f" {_COMMANDS[m[1]]}".ljust(len(m[0]))),
)


class Reading(NamedTuple):
    """A statement as it was read; the note is empty where the parser accepts the text itself."""

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
    equation = reader.equation()
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
        kind, text, column = self.token
        begins_factor = kind == "name" or text == "(" or (text == "|" and not self.bars)
        if level > PRODUCT_LEVEL or not begins_factor:
            return super().operator(level, last)
        before, sign, operand = self.taken
        simple = operand.kind in ("literal", "name")
        if sign.text == "^" and simple and not self.has_space():
            self.fail_two_meanings("a product without a sign after an exponent", "x^2 * y", "x^(2 * y)")
        is_number = sign.text == "/" and before.kind == operand.kind == "literal"  # 1/2 x
        if last is not None and last.text == "/" and not (is_number and self.has_space()):
            self.fail_two_meanings("a product without a sign after a quotient", "a / b * c", "a / (b * c)")
        if text == "(" and operand.kind == "name" and operand.text not in ("pi", "π"):
            self.fail_two_meanings(f"{operand.text}(...)", f"{operand.text} * (...)", "the name of a function")
        self.is_loose = True
        return Token("operator", "*", column)

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
            inside, exponent = self.group(token), over(ONE, _integer(token.text[5:]))
            return self.made(token, power, inside, exponent)
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
        """The expression in the braces after a command of LaTeX."""
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
        name = FUNCTION_NAMES.get(token.text, POWER)  # a root is a power
        count = 1 if name == POWER else FUNCTIONS[name].arity
        if count > 1 or (self.token.text == "(" and not (token.text == "√" and self.has_space())):
            arguments = self.arguments(token, count)
        else:
            self.is_loose = True
            arguments = [self.bare_argument(token)]
        value = self.made(token, apply, name, *arguments, *([HALF] if name == POWER else []))
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
        """A number, a variable, a product of the two, a value of another function, or an expression between bars."""
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
        """Whether the next name is that of a variable or pi."""
        text = self.token.text
        return text in ("pi", "π") or text in GREEK_NAMES or is_variable(text)

    def check_end_of_argument(self, name: str) -> None:
        """An error if what follows an argument without brackets could be taken for a part of it."""
        follows = self.token
        divides = follows.text == "/" and re.match(r"\s*(?![a-z]{2})[\w.√]", self.source[self.position :])
        if follows.text in ("^", "(") or follows.kind in ("superscript", "literal") or divides or (
            follows.kind == "name" and self.is_plain_name()
        ):  # fmt: skip
            self.fail_two_meanings(f"{name} without brackets before {excerpt(follows.text, 24)!r}",
                                   f"{name}(...){follows.text}...", f"{name}(...{follows.text}...)")  # fmt: skip


def _integer(digits: str) -> Expression:
    return constant(LITERAL_CONSTANTS[digits]) if digits in LITERAL_CONSTANTS else number(digits)
