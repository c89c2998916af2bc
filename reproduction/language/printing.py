"""Expression to text and to LaTeX, with the fewest parentheses that keep every tree apart, and LaTeX to MathML.

The text is what `parsing` reads back as the same tree: `a - b`, `-a`, `a / b` and `sqrt(a)` are written exactly
where they stand for the tree at hand, so x * y^(-1) is `x / y`, but 1 * 2^(-1) is not `1 / 2`, which is a constant.
"""

import re
from collections import deque
from html import escape
from itertools import takewhile
from typing import NamedTuple

from .expression import MINUS_ONE, NUMBER, VARIABLE, Equation, Expression, constant
from .grammar import ADD, CONSTANTS, FUNCTIONS, GREEK_VARIABLES, MULTIPLY, POWER

# The precedence of a piece of text: a sum has the lowest, a name or a call the highest.
SUM_LEVEL, PRODUCT_LEVEL, SIGN_LEVEL, POWER_LEVEL, ATOM_LEVEL = range(1, 6)

# Literals that are constants; every other literal is a number.
LITERAL_CONSTANTS = {name: name for name in CONSTANTS if name.replace(".", "").isdigit()} | {
    "0.5": "1/2", ".5": "1/2", ".4": "0.4", ".7": "0.7",
}  # fmt: skip

ONE, TWO, HALF = constant("1"), constant("2"), constant("1/2")
# A minus sign in front of one of these literals is part of the constant.
SIGNED = {constant(name): constant(f"-{name}") for name in ("1", "2", "3")}


class _Piece(NamedTuple):
    text: str
    level: int


class _Text:
    """The form that each tree takes, and how it is written as text."""

    times = "*"
    brackets = ("(", ")")

    def render(self, expression: Expression) -> _Piece:
        if expression.is_leaf:
            return self.leaf(expression)
        if expression.symbol == ADD:
            return self.sum(*expression.children)
        if expression.symbol == MULTIPLY:
            return self.product(*expression.children)
        if expression.symbol != POWER:
            return self.call(expression.symbol, [self.render(argument).text for argument in expression.children])
        base, exponent = expression.children
        if exponent is HALF:
            return self.root(self.render(base).text)
        return self.power(self.left(base, ATOM_LEVEL), exponent)

    def sum(self, left: Expression, right: Expression) -> _Piece:
        sign = "+"
        if right.symbol == MULTIPLY and right.children[0] is MINUS_ONE:
            sign, right = "-", right.children[1]
        return _Piece(f"{self.left(left, SUM_LEVEL)} {sign} {self.right(right, PRODUCT_LEVEL)}", SUM_LEVEL)

    def product(self, left: Expression, right: Expression) -> _Piece:
        divisor = right.children[0] if right.symbol == POWER and right.children[1] is MINUS_ONE else None
        if divisor is not None and not (divisor is TWO and left in (ONE, MINUS_ONE)):
            return self.quotient(left, divisor)
        if left is MINUS_ONE and right is HALF:  # -1/2 without brackets is the constant
            return _Piece(f"-{self.bracketed(self.render(right))}", SIGN_LEVEL)
        if left is MINUS_ONE and right not in SIGNED:
            return _Piece(f"-{self.right(right, POWER_LEVEL)}", SIGN_LEVEL)
        return _Piece(f"{self.left(left, PRODUCT_LEVEL)} {self.times} {self.right(right, POWER_LEVEL)}", PRODUCT_LEVEL)

    def bracketed(self, piece: _Piece) -> str:
        return self.brackets[0] + piece.text + self.brackets[1]

    def left(self, expression: Expression, level: int) -> str:
        """The operand at the start of a piece of this level."""
        piece = self.render(expression)
        return piece.text if piece.level >= level else self.bracketed(piece)

    def right(self, expression: Expression, level: int) -> str:
        """The operand after an operator, in brackets if it begins with a minus sign."""
        piece = self.render(expression)
        return piece.text if piece.level >= level and piece.text[0] != "-" else self.bracketed(piece)

    def leaf(self, expression: Expression) -> _Piece:
        if expression.kind == NUMBER:
            return _Piece(number_text(expression), ATOM_LEVEL)
        if "/" in expression.symbol:
            return _Piece(expression.symbol, PRODUCT_LEVEL)
        return _Piece(expression.symbol, SIGN_LEVEL if expression.symbol.startswith("-") else ATOM_LEVEL)

    def call(self, function: str, arguments: list[str]) -> _Piece:
        return _Piece(f"{function}({', '.join(arguments)})", ATOM_LEVEL)

    def root(self, radicand: str) -> _Piece:
        return self.call("sqrt", [radicand])

    def quotient(self, left: Expression, right: Expression) -> _Piece:
        return _Piece(f"{self.left(left, PRODUCT_LEVEL)} / {self.right(right, POWER_LEVEL)}", PRODUCT_LEVEL)

    def power(self, base: str, exponent: Expression) -> _Piece:
        return _Piece(f"{base}^{self.right(exponent, POWER_LEVEL)}", POWER_LEVEL)


class _Latex(_Text):
    times = r"\times"
    brackets = (r"\left(", r"\right)")

    def leaf(self, expression):
        if expression.kind == NUMBER:
            return _Piece(number_text(expression), ATOM_LEVEL)
        if expression.kind == VARIABLE:
            return _Piece(variable_latex(expression.symbol), ATOM_LEVEL)
        latex = CONSTANTS[expression.symbol].latex
        if latex.startswith("-"):
            return _Piece(latex, SIGN_LEVEL)
        return _Piece(latex, POWER_LEVEL if expression is HALF else ATOM_LEVEL)

    def call(self, function, arguments):
        return _Piece(rf"{FUNCTIONS[function].latex}\left({', '.join(arguments)}\right)", ATOM_LEVEL)

    def root(self, radicand):
        return _Piece(rf"\sqrt{{{radicand}}}", ATOM_LEVEL)

    def quotient(self, left, right):
        return _Piece(rf"\frac{{{self.render(left).text}}}{{{self.render(right).text}}}", POWER_LEVEL)

    def power(self, base, exponent):
        return _Piece(f"{base}^{{{self.render(exponent).text}}}", POWER_LEVEL)


_TEXT, _LATEX = _Text(), _Latex()


def print_expression(expression: Expression) -> str:
    """Text that parse_expression reads back as this very tree."""
    return _TEXT.render(expression).text


def print_equation(equation: Equation) -> str:
    return f"{print_expression(equation.left)} = {print_expression(equation.right)}"


def latex_expression(expression: Expression) -> str:
    """LaTeX for math mode; two different trees never look the same."""
    return _LATEX.render(expression).text


def latex_equation(equation: Equation) -> str:
    return f"{latex_expression(equation.left)} = {latex_expression(equation.right)}"


def number_text(expression: Expression) -> str:
    """The shortest spelling of a number leaf, or two decimals where the shortest is a constant's: 2.5, 17, 2.00."""
    text = expression.symbol
    if text not in LITERAL_CONSTANTS:
        return text
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals:0<2}"


def variable_latex(name: str) -> str:
    if name in GREEK_VARIABLES:
        return rf"\{name}"
    letter, _, index = name.partition("_")
    if index:
        return f"{letter}_{{{index}}}"
    return name if len(name) == 1 else rf"\mathit{{{name}}}"


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[{}^_]|[^\s]")
_OPERATORS = {r"\times": "×", r"\wedge": "∧", "-": "−", "+": "+", "=": "=", "(": "(", ")": ")", ",": ",", "*": "×"}
_LETTERS = {r"\pi": "π", r"\square": "□", r"\blacksquare": "■"}
_LETTERS |= {rf"\{name}": letter for name, letter in GREEK_VARIABLES.items()}
_SCRIPTS = {"^": "msup", "_": "msub"}


def to_mathml(latex: str) -> str:
    """`<math>…</math>` for a formula of ours in LaTeX: a page shows it without any script or font."""
    tokens = deque(_TOKEN.findall(latex.replace(r"\left(", "(").replace(r"\right)", ")")))
    return f"<math>{_mathml_row(tokens)}</math>"


def _mathml_row(tokens: deque[str]) -> str:
    """Takes everything up to a closing brace or bracket, or the end, with its scripts."""
    items: list[str] = []
    while tokens and (token := tokens.popleft()) not in ("}", ")"):
        if token in _SCRIPTS and items:
            items[-1] = f"<{_SCRIPTS[token]}>{items[-1]}{_mathml(tokens)}</{_SCRIPTS[token]}>"
        elif token == "-" and (not items or items[-1].startswith("<mo>")):
            items.append('<mo form="prefix">−</mo>')
        else:
            tokens.appendleft(token)
            items.append(_mathml(tokens))
    return f"<mrow>{''.join(items)}</mrow>"


def _mathml(tokens: deque[str]) -> str:
    """Takes a token with its arguments, or a group."""
    token = tokens.popleft()
    if token == "{":
        return _mathml_row(tokens)
    if token == "(":  # with its inside as one row, so that an exponent belongs to all of it
        inside = _mathml_row(tokens)
        stretchy = "true" if "<mfrac>" in inside else "false"
        return f'<mrow><mo stretchy="{stretchy}">(</mo>{inside}<mo stretchy="{stretchy}">)</mo></mrow>'
    if token == r"\frac":
        return f"<mfrac>{_mathml(tokens)}{_mathml(tokens)}</mfrac>"
    if token == r"\sqrt":
        return f"<msqrt>{_mathml(tokens)}</msqrt>"
    if token == r"\mathbf":
        return f'<mrow style="font-weight: bold">{_mathml(tokens)}</mrow>'
    if token in (r"\operatorname", r"\mathit", r"\mathrm"):  # with a plain word in braces
        word = "".join(takewhile(lambda each: each != "}", iter(tokens.popleft, None)))
        return f"<mi>{escape(word.lstrip('{'))}</mi>"
    if token in _OPERATORS:
        return f"<mo>{_OPERATORS[token]}</mo>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{escape(_LETTERS.get(token, token.lstrip(chr(92))))}</mi>"
