"""Formulas as MathML: letters, and signs that belong to what follows them."""

import pytest

from reproduction.language.grammar import GREEK_VARIABLES
from reproduction.language.mathml import to_mathml
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import latex_equation


@pytest.mark.parametrize(("name", "letter"), GREEK_VARIABLES.items())
def test_greek_letters_are_letters(name, letter):
    assert f"<mi>{letter}</mi>" in to_mathml(latex_equation(parse_equation(f"{name} = 1")))


@pytest.mark.parametrize(
    ("text", "prefix", "infix"), [("-x = -2", 2, 0), ("x - y = 1", 0, 1), ("sin(-x) - y = -0.6", 2, 1)]
)
def test_a_sign_is_told_from_a_difference(text, prefix, infix):
    mathml = to_mathml(latex_equation(parse_equation(text)))
    assert mathml.count('<mo form="prefix">−</mo>') == prefix
    assert mathml.count("<mo>−</mo>") == infix
