"""Text to trees and back: precedence, round trips, errors with columns, hostile text, LaTeX."""

import pickle
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.errors import InputError
from reproduction.language.expression import apply, constant, negated, number, variable
from reproduction.language.grammar import FUNCTIONS
from reproduction.language.parsing import ParseError, parse_equation, parse_expression
from reproduction.language.printing import latex_equation, latex_expression, print_equation, print_expression, to_mathml
from reproduction.language.reading import read_statement

SMALL_LEAVES = [constant(name) for name in ("1", "2", "-1", "1/2", "-1/2")] + [number("2"), variable("x")]
SMALL_PRODUCTS = [
    apply(name, left, right) for name in ("+", "*", "^") for left in SMALL_LEAVES for right in SMALL_LEAVES
]
SMALL_TREES = SMALL_PRODUCTS + [
    apply(name, *pair)
    for name in ("+", "*", "^")
    for inner in SMALL_PRODUCTS
    for leaf in SMALL_LEAVES
    for pair in ((inner, leaf), (leaf, inner))
]


def test_every_small_tree_prints_to_a_text_and_latex_of_its_own():
    texts, latex = set(), set()
    for tree in SMALL_TREES:
        assert parse_expression(print_expression(tree)) is tree
        texts.add(print_expression(tree))
        latex.add(latex_expression(tree))
    assert len(texts) == len(latex) == len(SMALL_TREES)


PRECEDENCE = """
x + y + z | +(+(x, y), z)
x / y / z | *(*(x, ^(y, -1)), ^(z, -1))
x^y^z | ^(x, ^(y, z))
-x^2 | *(-1, ^(x, 2))
-2^2 | *(-1, ^(2, 2))
-x * y | *(*(-1, x), y)
x * -y | *(x, *(-1, y))
2^-1 | ^(2, -1)
x^-y^2 | ^(x, *(-1, ^(y, 2)))
x - 1 | +(x, *(-1, 1))
x + -1 | +(x, -1)
-4 | *(-1, 4)
-(3) | *(-1, 3)
1/2 | 1/2
-1/2 | -1/2
-(1/2) | *(-1, 1/2)
0.5 | 1/2
1/2 * x | *(1/2, x)
x * 1/2 | *(*(x, 1), ^(2, -1))
1/2^x | *(1, ^(^(2, x), -1))
""".strip().splitlines()


@pytest.mark.parametrize("line", PRECEDENCE)
def test_precedence(line):
    text, tree = line.split(" | ")
    assert repr(parse_expression(text)) == tree


def test_other_spellings():
    texts = ("x ** y", "x × y · z", "x − y", "arcsin(x)", "arcsinh(x)", "arsinh(x)", "π", "θ + λ", "  sin( x )\t")
    same = ("x^y", "x * y * z", "x - y", "asin(x)", "asinh(x)", "asinh(x)", "pi", "theta + lambda", "sin(x)")
    assert list(map(parse_expression, texts)) == list(map(parse_expression, same))


def test_relations():
    assert parse_equation("x == 1") == parse_equation("x = 1")
    assert read_statement("x ≠ 1") == (parse_equation("x = 1"), True, "")
    with pytest.raises(ParseError, match="^column 3: "):
        parse_equation("x != 1")
    with pytest.raises(ParseError, match="^column 3: an expression is wanted"):
        parse_expression("x = 1")


@pytest.mark.parametrize(
    "text",
    ["x - y", "-x", "x / y", "-1 / x", "sqrt(x + 1)", "x + (-1)", "x * (1/2)", "1 * 2^(-1)", "-1 * 2", "-(1/2)"]
    + ["x^(-1)", "x^y^2", "(x^y)^2", "-(-1)", "(-x)^2", "x - (y - z)", "-x * y", "(-1/2)^x", "-2.00", "0.40", "0.00"],
)
def test_pleasant_text_is_kept(text):
    assert print_expression(parse_expression(text)) == text


ERRORS = [
    ("", 1, "empty"),
    ("x", 2, "right side"),
    ("x =", 4, "text ends"),
    ("= x", 1, "'='"),
    ("x = y = z", 7, "two sides"),
    ("2x = 1", 2, "2 * x"),
    ("(x)(y) = 1", 4, "2 * x"),
    ("f(x) = 1", 2, "operator"),
    ("sin x = 1", 5, "brackets"),
    ("x + foo = 1", 5, "'foo' is not a known name (functions: sin, cos"),
    ("Sin(x) = 1", 1, "lower case"),
    ("e^x = 1", 1, "exp(1)"),
    ("1 + I = 1", 5, "imaginary"),
    ("1e5 = x", 1, "10^3"),
    ("x = 1.", 6, "decimal point"),
    ("x = 1234567890123", 5, "12 digits"),
    ("(x + 1 = 2", 8, "column 1 is not closed"),
    ("sin(x", 6, "column 4 is not closed"),
    ("x) = 1", 2, "')' has no place"),
    ("x = (1, 2)", 7, "','"),
    ("sin(x, y) = 1", 1, "takes 1 argument"),
    ("x = $", 5, "'$'"),
    ("x = log(x)", 5, "--extra-functions log,atan2"),
    ("x = arctan2(x, y)", 5, "--extra-functions log,atan2"),
    ("x = ²", 5, "'²'"),
]


@pytest.mark.parametrize(("text", "column", "words"), ERRORS)
def test_errors_point_at_the_column(text, column, words):
    with pytest.raises(ParseError) as caught:
        parse_equation(text)
    error = caught.value
    assert isinstance(error, InputError)
    assert (error.column, error.text) == (column, text)
    assert words in error.reason
    sentence, shown, caret = str(error).split("\n")
    assert sentence == f"column {column}: {error.reason}"
    assert shown == text
    assert caret == " " * (column - 1) + "^"
    assert str(pickle.loads(pickle.dumps(error))) == str(error), "it may come from another process"


def test_extra_functions_are_switched_on_by_name():
    assert repr(parse_expression("ln(x) + log(x)", ("log",))) == "+(log(x), log(x))"
    assert repr(parse_expression("atan2(y, x)", ("atan2",))) == "atan2(y, x)"
    with pytest.raises(ParseError, match="atan2"):
        parse_expression("atan2(y, x)", ("log",))


def test_long_text_is_shown_around_the_column():
    with pytest.raises(ParseError) as caught:
        parse_equation("x + " * 80 + "$ + " + "y + " * 80 + "z = 1")
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) <= 80
    assert shown[caret.index("^")] == "$"
    assert caught.value.column == 321


HOSTILE = {
    "import": "__import__('os').system('true')",
    "brackets": "(" * 10_000,
    "balanced": "(" * 4_000 + "x" + ")" * 4_000 + " = 1",
    "mixed": "x + sin(-x^sin(" * 600 + "x = 1",
    "minus": "-" * 9_000 + "x = 1",
    "sums": "x+" * 4_000 + "x = 1",
    "exponent": "1e999999 = 1",
    "digits": "9" * 9_000 + " = 1",
    "long": "x = " + "1 + " * 10_000_000,
    "surrogate": "x = \udc80",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused(text):
    with pytest.raises(ParseError) as caught:
        parse_equation(text)
    assert len(str(caught.value)) < 1_000
    assert all(character.isprintable() or character == "\n" for character in str(caught.value))


@given(st.text(st.sampled_from(string.printable + "πθ×−√≠"), max_size=40))
def test_any_text_is_parsed_or_refused(text):
    try:
        equation = parse_equation(text)
    except ParseError as error:
        assert 1 <= error.column <= len(text) + 1
    else:
        assert parse_equation(print_equation(equation)) == equation
        assert "!=" not in text and "≠" not in text


LATEX = {
    "sin(x)^2 + cos(x)^2 = 1": r"\sin\left(x\right)^{2} + \cos\left(x\right)^{2} = 1",
    "x / y = 1/2": r"\frac{x}{y} = \frac{1}{2}",
    "sqrt(1 - x^2) = -x": r"\sqrt{1 - x^{2}} = -x",
    "(x + y) * 2 = asin(θ)": r"\left(x + y\right) \times 2 = \operatorname{arcsin}\left(\theta\right)",
    "(x / y)^2 = pi": r"\left(\frac{x}{y}\right)^{2} = \pi",
    "2^(x + 1) = x_12 + x12": r"2^{x + 1} = x_{12} + \mathit{x12}",
    "-(1/2) = -1/2": r"-\left(\frac{1}{2}\right) = -\frac{1}{2}",
    "2.00 = 2": "2.00 = 2",
}


def test_latex():
    assert {text: latex_equation(parse_equation(text)) for text in LATEX} == LATEX


def test_latex_is_understood_by_matplotlib():
    mathtext = pytest.importorskip("matplotlib.mathtext")
    parser = mathtext.MathTextParser("path")
    for name, function in FUNCTIONS.items():
        tree = apply(name, *[negated(variable("theta"))] * function.arity)
        parser.parse(f"${latex_expression(apply('^', tree, constant('-1/2')))}$")


@pytest.mark.parametrize(
    ("text", "prefix", "infix"), [("-x = -2", 2, 0), ("x - y = 1", 0, 1), ("sin(-x) - y = -0.6", 2, 1)]
)
def test_in_mathml_a_sign_is_told_from_a_difference(text, prefix, infix):
    mathml = to_mathml(latex_equation(parse_equation(text)))
    assert mathml.count('<mo form="prefix">−</mo>') == prefix
    assert mathml.count("<mo>−</mo>") == infix


def test_mathml_of_every_form():
    """Quotient, root, power of a bracket, index, Greek letter, function: as browsers want them."""
    assert to_mathml(latex_equation(parse_equation("(x_1 / 2)^θ = sqrt(asin(y))"))) == (
        '<math><mrow><msup><mrow><mo stretchy="true">(</mo><mrow><mfrac><mrow><msub><mi>x</mi><mrow><mn>1</mn></mrow>'
        '</msub></mrow><mrow><mn>2</mn></mrow></mfrac></mrow><mo stretchy="true">)</mo></mrow><mrow><mi>θ</mi></mrow>'
        '</msup><mo>=</mo><msqrt><mrow><mi>arcsin</mi><mrow><mo stretchy="false">(</mo><mrow><mi>y</mi></mrow>'
        '<mo stretchy="false">)</mo></mrow></mrow></msqrt></mrow></math>'
    )
