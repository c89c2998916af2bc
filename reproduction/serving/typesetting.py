"""What a person has typed so far, typeset: an equation, a blank, an expression, or as much as can be read."""

from ..completion.candidates import has_blank, parse_blank
from ..errors import InputError
from ..language.grammar import EXTRA_FUNCTIONS
from ..language.mathml import to_mathml
from ..language.parsing import ParseError, parse_equation, parse_expression
from ..language.printing import latex_equation, latex_expression
from .handler import error_row

EQUATION, BLANK, EXPRESSION = "equation", "blank", "expression"  # what can be answered
EMPTY, OPEN, UNFINISHED = "empty", "open", "unfinished"  # nothing; an expression with variables; not yet readable
TO_COME = r" = \square "


def equation_mathml(text: str) -> str:
    return to_mathml(latex_equation(parse_equation(text, EXTRA_FUNCTIONS)))


def expression_mathml(text: str) -> str:
    return to_mathml(latex_expression(parse_expression(text, EXTRA_FUNCTIONS)))


def blank_mathml(text: str) -> str:
    return to_mathml(parse_blank(text, EXTRA_FUNCTIONS).latex)


def _kind(text: str) -> str:
    """What the text would be if it could be read."""
    if has_blank(text):
        return BLANK
    if "=" in text or "≠" in text:
        return EQUATION
    return EXPRESSION if parse_expression(text, EXTRA_FUNCTIONS).closed else OPEN


def _left_side(text: str) -> str | None:
    """The MathML of what stands before "=", where that can be read."""
    try:
        return to_mathml(latex_expression(parse_expression(text.partition("=")[0], EXTRA_FUNCTIONS)) + TO_COME)
    except ParseError:
        return None


def typeset(text: str) -> dict:
    """What the text is, its MathML, and what is wrong with it as an equation."""
    if not text.strip():
        return {"kind": EMPTY, "mathml": None, "problem": None}
    try:
        kind = _kind(text)
        make = {BLANK: blank_mathml, EQUATION: equation_mathml}.get(kind, expression_mathml)
        return {"kind": kind, "mathml": make(text), "problem": None}
    except InputError as error:
        mathml = _left_side(text) if "=" in text else None
        return {"kind": UNFINISHED, "mathml": mathml, "problem": error_row(error)}
