"""Text to expression, by a parser of our own (never eval); the printers that undo it are in `printing`.

    statement   = expression ("=" | "==" | "!=") expression
    expression  = operands between + - (loosest), * /, and ^ (tightest, from the right), precedence as in Python
    operand     = "-" operand | "(" expression ")" | literal | name | function "(" expression {"," expression} ")"

Length, nesting and digits are bounded, so hostile text is refused at once.
"""

import re
from typing import NamedTuple

from ..errors import InputError
from .expression import MINUS_ONE, Equation, Expression, apply, constant, negated, number, variable
from .grammar import ADD, EXTRA_FUNCTIONS, FUNCTIONS, GREEK_VARIABLES, MULTIPLY, POWER, TABLE_1_FUNCTIONS
from .printing import HALF, LITERAL_CONSTANTS, ONE, POWER_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, SIGNED, SUM_LEVEL, TWO

MAXIMUM_LENGTH = 10_000
MAXIMUM_NESTING = 100  # of brackets in the text and of nodes in the tree
MAXIMUM_DIGITS = 12
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
_LEVELS = {"+": SUM_LEVEL, "-": SUM_LEVEL, "*": PRODUCT_LEVEL, "/": PRODUCT_LEVEL, "^": POWER_LEVEL}

_FUNCTION_NAMES = {
    spelling: function.name
    for function in FUNCTIONS.values()
    if function.name.isidentifier()
    for spelling in (function.name, *function.aliases)
}
_GREEK_NAMES = {spelling: name for name, letter in GREEK_VARIABLES.items() for spelling in (name, letter)}
_VARIABLE = re.compile(r"[A-Za-z](_?[0-9]{1,6})?")
_NOT_VARIABLES = {
    "e": "'e' is not a name here: write exp(1), or exp(x) for its powers",
    "i": "'i' is not a name here: variables are real and there is no imaginary unit",
}


class ParseError(InputError):
    """Text that is not an expression or equation: the reason, the column (from 1) and the text itself."""

    def __init__(self, reason: str, column: int, text: str):
        self.reason, self.column, self.text = reason, column, text
        start = max(0, min(column - EXCERPT // 2, len(text) - EXCERPT))
        shown = "".join(character if character.isprintable() else " " for character in text[start : start + EXCERPT])
        super().__init__(f"column {column}: {reason}\n{shown}\n{' ' * (column - 1 - start)}^")

    def __reduce__(self):
        return ParseError, (self.reason, self.column, self.text)


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse_expression(text: str, extra: tuple[str, ...] = ()) -> Expression:
    """The tree of one expression; `extra` names functions beyond Table 1 that may be used (log, atan2)."""
    parser = _Parser(text, extra)
    expression = parser.expression(SUM_LEVEL)
    if parser.token.text in ("=", "!="):
        parser.fail("an expression is wanted, not an equation")
    parser.finish()
    return expression


def parse_equation(text: str, extra: tuple[str, ...] = ()) -> Equation:
    """The two trees of `left = right`."""
    equation, column = _parse_relation(text, extra)
    if column:
        raise ParseError("an equation is wanted, with '=' and not '!='", column, text)
    return equation


def parse_statement(text: str, extra: tuple[str, ...] = ()) -> tuple[Equation, bool]:
    """The two trees of `left = right` or `left != right`, and whether it was `!=`."""
    equation, column = _parse_relation(text, extra)
    return equation, bool(column)


def _parse_relation(text: str, extra: tuple[str, ...]) -> tuple[Equation, int]:
    """The equation, and the column of its `!=` or 0."""
    parser = _Parser(text, extra)
    left = parser.expression(SUM_LEVEL)
    relation = parser.token
    if relation.text not in ("=", "!="):
        parser.fail_after_operand("'=' and a right side are missing")
    parser.advance()
    right = parser.expression(SUM_LEVEL)
    if parser.token.text in ("=", "!="):
        parser.fail("an equation has two sides and one '='")
    parser.finish()
    return Equation(left, right), relation.column if relation.text == "!=" else 0


class _Parser:
    """One pass over one text; `token` is the next one that is not yet used."""

    def __init__(self, text: str, extra: tuple[str, ...]):
        self.source, self.extra, self.position, self.nesting = text, tuple(extra), 0, 0
        if len(text) > MAXIMUM_LENGTH:
            raise ParseError(f"the text is longer than {MAXIMUM_LENGTH} characters", MAXIMUM_LENGTH + 1, text)
        if not text.strip():
            raise ParseError("the text is empty", 1, text)
        self.advance()

    def advance(self) -> _Token:
        """The token that was next; the one after it is next now."""
        used = getattr(self, "token", None)
        match = _TOKEN.match(self.source, self.position)
        kind, self.position = match.lastgroup, match.end()
        text = _SAME_OPERATOR.get(match[kind], match[kind])
        self.token = _Token(kind, text, match.start(kind) + 1)
        return used

    def fail(self, reason: str, token: _Token | None = None):
        raise ParseError(reason, (token or self.token).column, self.source)

    def fail_after_operand(self, reason: str):
        """An error at the next token, where an operator could stand: the likeliest reason first."""
        kind, text, _ = self.token
        if kind in ("name", "literal") or text == "(":
            self.fail(f"an operator is missing before {_quoted(text)}: products are written with *, as in 2 * x")
        self.fail_token()
        self.fail(reason if kind == "end" else f"{_quoted(text)} has no place here")

    def fail_token(self):
        """An error if the next token is none of the language's."""
        kind, text, _ = self.token
        if kind == "scientific":
            self.fail(f"{_quoted(text)}: powers of ten are written out, as in 2.5 * 10^3")
        if kind == "other":
            self.fail(f"the character {_quoted(text)} is not part of the language")

    def finish(self):
        if self.token.kind != "end":
            self.fail_after_operand("")

    def expression(self, level: int) -> Expression:
        """The longest expression from here whose operators bind at least as tightly as `level`."""
        left = self.operand()
        while _LEVELS.get(self.token.text, 0) >= level:
            operator = self.advance()
            # The right operand ends before an operator of the same level, but powers are taken from the right.
            right = self.nested(SIGN_LEVEL) if operator.text == "^" else self.expression(_LEVELS[operator.text] + 1)
            left = _combined(left, operator.text, right)
            if left.height > MAXIMUM_NESTING:
                self.fail(f"the tree has more than {MAXIMUM_NESTING} levels", operator)
        return left

    def nested(self, level: int) -> Expression:
        """An expression inside another: the parser's own stack is what is bounded here."""
        self.nesting += 1
        if self.nesting > MAXIMUM_NESTING:
            self.fail(f"nested deeper than {MAXIMUM_NESTING} levels")
        expression = self.expression(level)
        self.nesting -= 1
        return expression

    def operand(self) -> Expression:
        kind, text, _ = self.token
        if text == "-":
            return self.negative()
        if text == "(":
            return self.arguments("")[0]
        if kind == "literal":
            return self.literal()
        if kind == "name":
            return self.name()
        self.fail_token()
        found = "the text ends" if kind == "end" else f"{_quoted(text)} stands"
        self.fail(f"a number, a name or '(' is missing: {found} here")

    def negative(self) -> Expression:
        self.advance()
        is_literal = self.token.kind == "literal"
        operand = self.nested(SIGN_LEVEL)
        return SIGNED[operand] if is_literal and operand in SIGNED else negated(operand)

    def literal(self) -> Expression:
        token = self.advance()
        if self.token.text == "." and self.token.column == token.column + len(token.text):
            self.fail("a decimal point stands between digits, as in 2.5")
        if sum(character.isdigit() for character in token.text) > MAXIMUM_DIGITS:
            self.fail(f"a number has at most {MAXIMUM_DIGITS} digits", token)
        if token.text in LITERAL_CONSTANTS:
            return constant(LITERAL_CONSTANTS[token.text])
        return number(token.text)

    def name(self) -> Expression:
        token = self.advance()
        if token.text in _FUNCTION_NAMES:
            return self.call(token)
        if token.text in ("sqrt", "√"):
            return apply(POWER, self.arguments(token.text)[0], HALF)
        if token.text in ("pi", "π"):
            return constant("pi")
        if token.text in _GREEK_NAMES:
            return variable(_GREEK_NAMES[token.text])
        if token.text.lower() in _NOT_VARIABLES:
            self.fail(_NOT_VARIABLES[token.text.lower()], token)
        if token.text.lower() in _FUNCTION_NAMES:
            self.fail(f"{_quoted(token.text)} is not a known name: functions are written in lower case", token)
        if not _VARIABLE.fullmatch(token.text):
            self.fail(f"{_quoted(token.text)} is not a known name ({self.known_names()})", token)
        return variable(token.text)

    def known_names(self) -> str:
        functions = [name for name in FUNCTIONS if name.isidentifier() and self.is_on(name)]
        return (
            f"functions: {', '.join([*functions, 'sqrt'])}; constant: pi; "
            f"variables: a letter such as x, y2 or x_1, or one of {', '.join(GREEK_VARIABLES)}"
        )

    def is_on(self, function: str) -> bool:
        return function in TABLE_1_FUNCTIONS or function in self.extra

    def call(self, token: _Token) -> Expression:
        name = _FUNCTION_NAMES[token.text]
        if not self.is_on(name):
            self.fail(
                f"'{name}' is beyond Table 1: switch it on with --extra-functions {','.join(EXTRA_FUNCTIONS)}", token
            )
        arguments = self.arguments(token.text)
        if len(arguments) != FUNCTIONS[name].arity:
            self.fail(f"'{name}' takes {FUNCTIONS[name].arity} argument(s), not {len(arguments)}", token)
        return apply(name, *arguments)

    def arguments(self, function: str) -> list[Expression]:
        """The expressions between brackets; a bracket that follows no function holds one."""
        if self.token.text != "(":
            self.fail(f"'(' is missing: the argument of {function} stands in brackets, as in {function}(x)^2")
        opening = self.advance()
        arguments = [self.nested(SUM_LEVEL)]
        while function and self.token.text == ",":
            self.advance()
            arguments.append(self.nested(SUM_LEVEL))
        if self.token.text != ")":
            unclosed = f"')' is missing: the '(' at column {opening.column} is not closed"
            self.fail(unclosed) if self.token.text in ("=", "!=") else self.fail_after_operand(unclosed)
        self.advance()
        return arguments


def _combined(left: Expression, operator: str, right: Expression) -> Expression:
    """The paper's tree for one operator: only + * ^ exist, and 1/2 and -1/2 are constants."""
    if operator == "-":
        return apply(ADD, left, negated(right))
    if operator != "/":
        return apply(operator, left, right)
    if right is TWO and left in (ONE, MINUS_ONE):
        return HALF if left is ONE else constant("-1/2")
    return apply(MULTIPLY, left, apply(POWER, right, MINUS_ONE))


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 24 else text[:21] + "...")
