"""Text to expression, by a parser of our own (never eval); the printers that undo it are in `printing`.

    statement   = expression ("=" | "==" | "!=") expression
    expression  = operands between + - (loosest), * /, and ^ (tightest, from the right), precedence as in Python
    operand     = "-" operand | "(" expression ")" | literal | name | function "(" expression {"," expression} ")"

Length, nesting and digits are bounded, so hostile text is refused at once.
"""

import re
from typing import NamedTuple, NoReturn

from ..errors import InputError, excerpt
from . import expression as trees
from .expression import MINUS_ONE, Equation, Expression, OutOfBoundsError, apply, constant, negated, over
from .grammar import (
    EXTRA_FUNCTIONS,
    FUNCTIONS,
    GREEK_VARIABLES,
    MAXIMUM_DIGITS,
    MAXIMUM_HEIGHT,
    MAXIMUM_LENGTH,
    NOT_VARIABLES,
    POWER,
    TABLE_1_FUNCTIONS,
    is_variable,
)
from .printing import HALF, LITERAL_CONSTANTS, ONE, POWER_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, SIGNED, SUM_LEVEL, TWO

# Of what is open while a text is read: an operator counts one, brackets around its operand one, a call two, and a leaf
# such as -1/2 two more.
MAXIMUM_NESTING = 2 * MAXIMUM_HEIGHT + 3
EXCERPT = 72  # characters of the text that an error shows

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<scientific> (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+ )
    | (?P<literal>    [0-9]+(?:\.[0-9]+)?|\.[0-9]+ )
    | (?P<name>       [A-Za-z_][A-Za-z0-9_]*|[α-ω√] )
    | (?P<operator>   \*\*|==|!=|[-+*/^=≠(),×·⋅−] )
    | (?P<other>      \S )
    | (?P<end>        $ )
    )""",
    re.VERBOSE,
)
_SAME_OPERATOR = {"**": "^", "×": "*", "·": "*", "⋅": "*", "−": "-", "==": "=", "≠": "!="}
LEVELS = {"+": SUM_LEVEL, "-": SUM_LEVEL, "*": PRODUCT_LEVEL, "/": PRODUCT_LEVEL, "^": POWER_LEVEL}

FUNCTION_NAMES = {
    spelling: function.name
    for function in FUNCTIONS.values()
    if function.name.isidentifier()
    for spelling in (function.name, *function.aliases)
}
GREEK_NAMES = {spelling: name for name, letter in GREEK_VARIABLES.items() for spelling in (name, letter)}


class ParseError(InputError):
    """Text that is not an expression or equation: the reason, the column (from 1) and the text itself."""

    def __init__(self, reason: str, column: int, text: str):
        self.reason, self.column, self.text = reason, column, text
        start = max(0, min(column - EXCERPT // 2, len(text) - EXCERPT))
        shown = "".join(character if character.isprintable() else " " for character in text[start : start + EXCERPT])
        super().__init__(f"column {column}: {reason}\n{shown}\n{' ' * (column - 1 - start)}^")

    def __reduce__(self):
        return ParseError, (self.reason, self.column, self.text)


class Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse_expression(text: str, extra: tuple[str, ...] = ()) -> Expression:
    """The tree of one expression; `extra` names functions beyond Table 1 that may be used (log, atan2)."""
    return Parser(text, extra).whole_expression()


def parse_equation(text: str, extra: tuple[str, ...] = ()) -> Equation:
    """The two trees of `left = right`."""
    return Parser(text, extra).equation()


class Parser:
    """One pass over one text; `token` is the next one that is not yet used."""

    tokens = _TOKEN

    def __init__(self, text: str, extra: tuple[str, ...]):
        self.source, self.position, self.nesting = text, 0, 0
        self.functions = {*TABLE_1_FUNCTIONS, *extra}
        self.token = Token("start", "", 0)
        if len(text) > MAXIMUM_LENGTH:
            raise ParseError(f"the text is longer than {MAXIMUM_LENGTH} characters", MAXIMUM_LENGTH + 1, text)
        if not text.strip():
            raise ParseError("the text is empty", 1, text)
        self.advance()

    def advance(self) -> Token:
        """The token that was next; the one after it is next now."""
        used = self.token
        match = self.tokens.match(self.source, self.position)
        assert match and match.lastgroup, "every text is a token, be it another character or the end"
        kind, self.position = match.lastgroup, match.end()
        text = _SAME_OPERATOR.get(match[kind], match[kind])
        self.token = Token(kind, text, match.start(kind) + 1)
        return used

    def fail(self, reason: str, token: Token | None = None) -> NoReturn:
        raise ParseError(reason, (token or self.token).column, self.source)

    def fail_after_operand(self, reason: str) -> NoReturn:
        """An error at the next token, where an operator could stand: the likeliest reason first."""
        kind, text, _ = self.token
        if kind in ("name", "literal") or text == "(":
            self.fail(f"an operator is missing before {excerpt(text, 24)!r}: products are written with *, as in 2 * x")
        self.fail_token()
        self.fail(reason if kind == "end" else f"{excerpt(text, 24)!r} has no place here")

    def fail_token(self) -> None:
        """An error if the next token is not part of the language."""
        kind, text, _ = self.token
        if kind == "scientific":
            self.fail(f"{excerpt(text, 24)!r}: powers of ten are written out, as in 2.5 * 10^3")
        if kind == "other":
            self.fail(f"the character {excerpt(text, 24)!r} is not part of the language")

    def whole_expression(self) -> Expression:
        expression = self.expression(SUM_LEVEL)
        if self.token.text in ("=", "!="):
            self.fail("an expression is wanted, not an equation")
        self.finish()
        return expression

    def relation(self) -> tuple[Equation, int]:
        """The equation, and the column of its `!=` or 0."""
        left = self.expression(SUM_LEVEL)
        if self.token.text not in ("=", "!="):
            self.fail_after_operand("'=' and a right side are missing")
        relation, right = self.advance(), self.expression(SUM_LEVEL)
        if self.token.text in ("=", "!="):
            self.fail("an equation has two sides and one '='")
        self.finish()
        return Equation(left, right), relation.column if relation.text == "!=" else 0

    def equation(self) -> Equation:
        equation, column = self.relation()
        if column:
            self.fail("an equation is wanted, with '=' and not '!='", Token("operator", "!=", column))
        return equation

    def finish(self) -> None:
        if self.token.kind != "end":
            self.fail_after_operand("")

    def expression(self, level: int, weight: int = 1) -> Expression:
        """The longest expression from here whose operators bind at least as tightly as `level`.

        Expressions inside one another are counted, so that the parser's own stack is bounded.
        """
        self.nesting += weight
        if self.nesting > MAXIMUM_NESTING:
            self.fail(f"nested too deep: a tree has at most {MAXIMUM_HEIGHT} levels")
        left, operator = self.operand(), None
        while (operator := self.operator(level, operator)) is not None:
            # The right operand ends before an operator of the same level, but powers are taken from the right.
            right = self.expression(SIGN_LEVEL if operator.text == "^" else LEVELS[operator.text] + 1)
            left = self.made(operator, _combined, left, operator.text, right)
        self.nesting -= weight
        return left

    def operator(self, level: int, last: Token | None) -> Token | None:
        """Takes the next token, if it is an operator that binds so tightly; `last` is the one before it."""
        return self.advance() if LEVELS.get(self.token.text, 0) >= level else None

    def made(self, token: Token, make, *parts) -> Expression:
        """A new node; one that is out of bounds is an error at its token."""
        try:
            return make(*parts)
        except OutOfBoundsError as error:
            self.fail(str(error), token)

    def operand(self) -> Expression:
        kind, text, _ = self.token
        if text == "-":
            sign, is_literal = self.advance(), self.token.kind == "literal"
            operand = self.expression(SIGN_LEVEL)
            return SIGNED[operand] if is_literal and operand in SIGNED else self.made(sign, negated, operand)
        if text == "(":
            return self.bracketed()
        if kind == "literal":
            return self.literal()
        if kind == "name":
            return self.name()
        self.fail_token()
        found = f"{excerpt(text, 24)!r} stands" if text else "the text ends"
        self.fail(f"a number, a name or '(' is missing: {found} here")

    def bracketed(self, weight: int = 1) -> Expression:
        opening = self.advance()
        inside = self.expression(SUM_LEVEL, weight)
        self.close(opening)
        return inside

    def literal(self) -> Expression:
        token = self.advance()
        if self.token.text == "." and self.token.column == token.column + len(token.text):
            self.fail("a decimal point stands between digits, as in 2.5")
        if trees.count_digits(token.text) > MAXIMUM_DIGITS:
            self.fail(f"a number has at most {MAXIMUM_DIGITS} digits", token)
        if token.text in LITERAL_CONSTANTS:
            return constant(LITERAL_CONSTANTS[token.text])
        return trees.number(token.text)

    def name(self) -> Expression:
        token = self.advance()
        if token.text in FUNCTION_NAMES:
            return self.call(token)
        if token.text in ("sqrt", "√"):
            return self.made(token, apply, POWER, *self.arguments(token, 1), HALF)
        if token.text in ("pi", "π"):
            return constant("pi")
        if token.text in GREEK_NAMES:
            return trees.variable(GREEK_NAMES[token.text])
        if token.text.lower() in NOT_VARIABLES:
            self.fail(NOT_VARIABLES[token.text.lower()], token)
        if token.text.lower() in FUNCTION_NAMES:
            self.fail(f"{excerpt(token.text, 24)!r} is not a known name: functions are written in lower case", token)
        if not is_variable(token.text):
            functions = [name for name in FUNCTIONS if name.isidentifier() and name in self.functions]
            known = (
                f"functions: {', '.join([*functions, 'sqrt'])}; constant: pi; "
                f"variables: a letter such as x, y2 or x_1, or one of {', '.join(GREEK_VARIABLES)}"
            )
            self.fail(f"{excerpt(token.text, 24)!r} is not a known name ({known})", token)
        return trees.variable(token.text)

    def call(self, token: Token) -> Expression:
        name = FUNCTION_NAMES[token.text]
        if name not in self.functions:
            switch = f"--extra-functions {','.join(EXTRA_FUNCTIONS)}"
            self.fail(f"'{name}' is beyond Table 1: switch it on with {switch}", token)
        return self.made(token, apply, name, *self.arguments(token, FUNCTIONS[name].arity))

    def arguments(self, function: Token, count: int) -> list[Expression]:
        """The expressions between the brackets after a function's name, as many as it takes."""
        if self.token.text != "(":
            self.fail(f"'(' is missing: the argument of {function.text} stands in brackets, as in {function.text}(x)^2")
        opening, arguments = self.advance(), [self.expression(SUM_LEVEL, weight=2)]
        while self.token.text == ",":
            self.advance()
            arguments.append(self.expression(SUM_LEVEL, weight=2))
        self.close(opening)
        if len(arguments) != count:
            self.fail(f"{excerpt(function.text, 24)!r} takes {count} argument(s), not {len(arguments)}", function)
        return arguments

    def close(self, opening: Token) -> None:
        """Takes the bracket that ends what this one began."""
        if self.token.text != ")":
            unclosed = f"')' is missing: the '(' at column {opening.column} is not closed"
            self.fail(unclosed) if self.token.text in ("=", "!=") else self.fail_after_operand(unclosed)
        self.advance()


def _combined(left: Expression, operator: str, right: Expression) -> Expression:
    """The paper's tree for one operator: only + * ^ exist, and 1/2 and -1/2 are constants."""
    if operator == "-":
        return trees.minus(left, right)
    if operator != "/":
        return apply(operator, left, right)
    if right is TWO and left in (ONE, MINUS_ONE):
        return HALF if left is ONE else constant("-1/2")
    return over(left, right)
