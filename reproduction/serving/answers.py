"""The server's answers as JSON objects: typeset text, verdicts of network and judges, examples, and learned curves."""

from contextlib import suppress
from decimal import Decimal
from itertools import groupby
from math import isfinite
from operator import attrgetter
from statistics import median
from typing import NamedTuple

from ..completion.candidates import has_blank
from ..data.axioms import read_axioms
from ..data.function_evaluations import LIMIT, exact_value, literal
from ..errors import InputError
from ..judges.balls import Valuation
from ..judges.oracle import Judgement, explanation
from ..language.expression import Equation, apply
from ..language.grammar import CONSTANTS, FUNCTIONS, GREEK_VARIABLES, MULTIPLY
from ..language.parsing import ParseError
from ..language.printing import latex_equation, latex_expression, print_equation, to_mathml
from ..language.reading import read_equation, read_expression
from ..use.completing import Filling
from ..use.network import Network, Node
from ..use.reading import read_blank

EQUATION, BLANK, EXPRESSION = "equation", "blank", "expression"  # what can be answered
EMPTY, OPEN, UNFINISHED = "empty", "open", "unfinished"  # nothing; an expression with variables; not yet readable
TO_COME = r" = \square "
FILLINGS = 12
SIGNS = {**GREEK_VARIABLES, MULTIPLY: "×", "pi": "π"}
STEP = Decimal("0.04")
DIGITS = 3  # of the values that are sent

EXAMPLES = {
    "True, and false by a little": (
        "sin(2*x) = 2*sin(x)*cos(x)",
        "sin(2*x) = 2*sin(x)",
        "cos(x)^2 = 1 - sin(x)^2",
        "cosh(x)^2 + sinh(x)^2 = 1",
        "sqrt(x^2) = x",
    ),
    "With a blank": (
        "4^tanh(0) = _^x",
        "sin(x)^2 + _^2 = 1",
        "(x + y)^2 = x^2 + _ + y^2",
        "cos(-_) = -0.57",
        "tan(_) = 1.00",
    ),
    "Numbers": (
        "sin(-2.5) = -0.6",
        "cos(2.18) = 0.57",
        "2.5 = 2*10^0 + 5*10^(-1)",
        "sin(pi) = 0",
        "cos(2.18)",
    ),
}


def error_row(error: InputError) -> dict:
    """The sentence and, for text that cannot be read, the column and the excerpt with its caret."""
    if not isinstance(error, ParseError):
        return {"error": str(error)}
    sentence, _, excerpt = str(error).partition("\n")
    return {"error": sentence, "column": error.column, "excerpt": excerpt}


def equation_mathml(text: str) -> str:
    return to_mathml(latex_equation(read_equation(text)[0]))


def expression_mathml(text: str) -> str:
    return to_mathml(latex_expression(read_expression(text)[0]))


def blank_mathml(text: str) -> str:
    return to_mathml(read_blank(text)[0].latex)


def typeset(text: str) -> dict:
    """The kind of a text, its MathML, and why it cannot be read; of an unfinished equation the left side's MathML."""
    if not text.strip():
        return {"kind": EMPTY, "mathml": None, "problem": None}
    try:
        if has_blank(text):
            kind, mathml = BLANK, blank_mathml(text)
        elif "=" in text or "≠" in text:
            kind, mathml = EQUATION, equation_mathml(text)
        else:
            expression, _ = read_expression(text)
            kind, mathml = EXPRESSION if expression.closed else OPEN, to_mathml(latex_expression(expression))
        return {"kind": kind, "mathml": mathml, "problem": None}
    except InputError as error:
        left, equals, _ = text.partition("=")
        mathml = None
        with suppress(ParseError):
            mathml = to_mathml(latex_expression(read_expression(left)[0]) + TO_COME) if equals else None
        return {"kind": UNFINISHED, "mathml": mathml, "problem": error_row(error)}


def _row(record: NamedTuple) -> dict:
    """A record as an object, with null for infinities and NaN, which JSON lacks."""
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in record._asdict().items()
    }


def _node_row(node: Node) -> dict:
    """A node of the drawn tree: its label, and whether that is a variable."""
    symbol = node.symbol
    is_variable = symbol[0].isalpha() and symbol not in FUNCTIONS and symbol not in CONSTANTS
    label = SIGNS.get(symbol, symbol.replace("-", "−"))
    return {**_row(node), "label": label, "kind": "variable" if is_variable else "symbol"}


def verification(network: Network, text: str) -> dict:
    """The probability of an equation, and of every subtree that it equals the other side, with its values."""
    [answer] = network.verify([text])
    nodes = [_node_row(node) for node in network.subtrees(text).nodes]
    return {**_row(answer), "mathml": equation_mathml(text), "nodes": nodes}


def completion(network: Network, text: str) -> dict:
    """The best fillings of a blank, each typeset, alone and in its place, and the network's own first guess."""
    answer = network.complete(text, FILLINGS)
    guess = answer.first_guess and _filling_row(answer.first_guess)
    fillings = list(map(_filling_row, answer.fillings))
    return {**_row(answer), "fillings": fillings, "first_guess": guess, "mathml": blank_mathml(text)}


def _filling_row(filling: Filling) -> dict:
    texts = {"mathml": expression_mathml(filling.expression), "equation_mathml": equation_mathml(filling.equation)}
    return {**_row(filling), "is_right": filling.is_right, **texts}


def evaluation(network: Network, text: str) -> dict:
    """The decoded and the true value of an expression."""
    return {**_row(network.evaluate(text)), "mathml": expression_mathml(text)}


def judgement_row(equation: Equation, judgement: Judgement) -> dict:
    """The judges' verdict and the evidence, as it is and as a sentence."""
    return {
        "equation": print_equation(equation),
        "judge_verdict": judgement.verdict.lower(),
        "evidence": judgement.evidence,
        "sentence": explanation(judgement.evidence),
    }


def gallery() -> dict:
    """Examples and families, every equation as text and MathML."""
    families = [
        {
            "name": name,
            "equations": [
                {"text": print_equation(axiom.equation), "mathml": to_mathml(latex_equation(axiom.equation))}
                for axiom in axioms
            ],
        }
        for name, axioms in groupby(read_axioms(), attrgetter("family"))
    ]
    examples = [
        {"name": name, "equations": [{"text": text, "mathml": typeset(text)["mathml"]} for text in texts]}
        for name, texts in EXAMPLES.items()
    ]
    return {"examples": examples, "families": families}


def arguments() -> list[Decimal]:
    """The numbers from -3.14 to 3.14, evenly spaced, 0 left out as in the training."""
    steps = int(LIMIT / STEP)
    return [STEP * step for step in range(-steps, steps + 1) if step]


def _curve(network: Network, function: str, valuation: Valuation) -> dict:
    expressions = [apply(function, literal(value)) for value in arguments()]
    exact = [exact_value(expression, valuation) for expression in expressions]
    known = [None if value is None else round(float(value), DIGITS) for value in exact]
    decoded = network.decoded(expressions).tolist()
    errors = [abs(mine - true) for mine, true in zip(decoded, known, strict=True) if true is not None]
    return {
        "name": function,
        "decoded": [round(value, DIGITS) for value in decoded],
        "true": known,
        "error": round(median(errors), DIGITS) if errors else None,
    }


def curves(network: Network) -> dict:
    """The curve of every unary function that the network knows, the best first."""
    if not network.decodes:
        raise InputError(f"{network.title} does not decode numbers; one of the networks trained with data does")
    functions = [name for name in network.reader.knowledge.functions if FUNCTIONS[name].arity == 1]
    valuation = Valuation()
    found = [_curve(network, function, valuation) for function in functions]
    best_first = sorted(found, key=lambda curve: (curve["error"] is None, curve["error"]))
    return {"limit": float(LIMIT), "x": [float(value) for value in arguments()], "functions": best_first}
