"""What the page offers to try: examples of each kind of question, and the axioms by family."""

from itertools import groupby
from operator import attrgetter

from ..data.generation.axioms import read_axioms
from ..language.mathml import to_mathml
from ..language.printing import latex_equation, print_equation
from .typesetting import typeset

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
        "x * (y + _) = x*y + x",
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


def _row(text: str) -> dict:
    return {"text": text, "mathml": typeset(text)["mathml"]}


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
    examples = [{"name": name, "equations": list(map(_row, texts))} for name, texts in EXAMPLES.items()]
    return {"examples": examples, "families": families}
