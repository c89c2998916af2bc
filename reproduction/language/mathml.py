"""MathML from the LaTeX that our tables contain, so that a page shows formulas without any script or font."""

import re
from html import escape

from .grammar import GREEK_VARIABLES

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[{}^_]|[^\s]")
OPERATORS = {r"\times": "×", r"\wedge": "∧", "-": "−", "+": "+", "=": "=", "(": "(", ")": ")", ",": ",", "*": "×"}
LETTERS = {r"\pi": "π", r"\square": "□", r"\blacksquare": "■"}
LETTERS |= {rf"\{name}": letter for name, letter in GREEK_VARIABLES.items()}
SCRIPTS = {"^": "msup", "_": "msub"}


class _Reader:
    """Reads tokens from left to right; every method returns the MathML of what it took."""

    def __init__(self, latex: str):
        self.tokens = TOKEN.findall(latex)

    def row(self) -> str:
        """Everything up to a closing brace or the end, with its scripts."""
        items: list[str] = []
        while self.tokens and self.tokens[0] != "}":
            token = self.tokens.pop(0)
            if token in SCRIPTS and items:
                tag = SCRIPTS[token]
                items[-1] = f"<{tag}>{items[-1]}{self.argument()}</{tag}>"
            elif token == r"\left":
                items.append(self.bracketed())
            elif token == "(":
                items.append(self.bracketed(opened=True))
            elif token in (r"\right", ")"):
                break
            elif token == "-" and (not items or items[-1].startswith("<mo>")):
                items.append('<mo form="prefix">−</mo>')
            else:
                items.append(self.item(token))
        return f"<mrow>{''.join(items)}</mrow>"

    def bracketed(self, opened: bool = False) -> str:
        """A bracket with its inside as one row, so that an exponent belongs to all of it."""
        if not opened:
            self.tokens.pop(0)
        inside = self.row()
        if not opened and self.tokens:
            self.tokens.pop(0)
        stretchy = "true" if "<mfrac>" in inside else "false"
        return f'<mrow><mo stretchy="{stretchy}">(</mo>{inside}<mo stretchy="{stretchy}">)</mo></mrow>'

    def argument(self) -> str:
        token = self.tokens.pop(0)
        return self.group() if token == "{" else self.item(token)

    def group(self) -> str:
        inside = self.row()
        self.tokens[:1] = []
        return inside

    def name(self) -> str:
        """The plain word in braces."""
        end = self.tokens.index("}")
        word = "".join(self.tokens[1:end])
        self.tokens[: end + 1] = []
        return word

    def item(self, token: str) -> str:
        if token == "{":
            return self.group()
        if token == r"\frac":
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if token == r"\sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if token == r"\mathbf":
            return f'<mrow style="font-weight: bold">{self.argument()}</mrow>'
        if token in (r"\operatorname", r"\mathit", r"\mathrm"):
            return f"<mi>{escape(self.name())}</mi>"
        if token in OPERATORS:
            return f"<mo>{OPERATORS[token]}</mo>"
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        return f"<mi>{escape(LETTERS.get(token, token.lstrip(chr(92))))}</mi>"


def to_mathml(latex: str) -> str:
    """`<math>…</math>` for a formula of ours."""
    return f"<math>{_Reader(latex).row()}</math>"
