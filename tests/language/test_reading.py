"""What people write: read with a note where the meaning is plain, an error with a caret where it is not."""

from random import Random

import pytest

from reproduction.errors import InputError
from reproduction.language.grammar import EXTRA_FUNCTIONS
from reproduction.language.parsing import ParseError, parse_equation
from reproduction.language.printing import print_expression
from reproduction.language.reading import read_equation, read_expression, read_statement

PLAIN = r"""
2x | 2 * x
  2 x+x | 2 * x + x
2x^2 + 3x + 1 | 2 * x^2 + 3 * x + 1
(x+y)(x-y) | (x + y) * (x - y)
x y^2 x | x * y^2 * x
1/2 x | 1/2 * x
sin(x)cos(x) | sin(x) * cos(x)
-2x | -2 * x
sin x | sin(x)
2 sin x cos 2x | 2 * sin(x) * cos(2 * x)
sin x/cos x | sin(x) / cos(x)
sin x/(1 + cos x) | sin(x) / (1 + cos(x))
ln |x| | log(sqrt(x^2))
sin cos x | sin(cos(x))
sin^2(x) | sin(x)^2
cos² x | cos(x)^2
tanh^(3)(x) | tanh(x)^3
√4 | sqrt(4)
√2 √x | sqrt(2) * sqrt(x)
|x| | sqrt(x^2)
2|x - |y|| | 2 * sqrt((x - sqrt(y^2))^2)
x² + y¹² | x^2 + y^12
x⁻¹ | x^(-1)
2^x² | 2^x^2
(x+1)²y | (x + 1)^2 * y
x·y÷2 | x * y / 2
e | exp(1)
e^x | exp(x)
e^-x | exp(-x)
2e^{2x} | 2 * exp(2 * x)
\frac{1}{2} | 1/2
\frac{x + 1}{2} | (x + 1) / 2
\sin^2 x + \cos^{2}{x} | sin(x)^2 + cos(x)^2
\sqrt{x} \cdot \sqrt{y} | sqrt(x) * sqrt(y)
\sqrt[3]{x} | x^(1 / 3)
$\tan\left(\frac{x}{2}\right)$ | tan(x / 2)
\(\operatorname{arcsin}(x) \times \mathrm{sech}\,y\) | asin(x) * sech(y)
\left| x \right|^{2} | sqrt(x^2)^2
\exp(-x)\ln y | exp(-x) * log(y)
""".strip().splitlines()


@pytest.mark.parametrize("line", PLAIN)
def test_what_is_plain(line):
    text, shown = line.rsplit(" | ", 1)
    expression, note = read_expression(text)
    assert print_expression(expression) == shown
    assert note == f"read as {shown}"


TWO_MEANINGS = r"""
1/2x | x
a/b c | c
1/(x+1)(x-1) | (x-1)
x^2y | y
3x^2sin(x) | sin
x(x+1) | (x+1)
sin x^2 | ^2
sin x y | y
sin x (y) | (y)
sin x/2 | /2
√2x | x
sin^-1(x) | ^-1
sin⁻¹(x) | ⁻¹
sin^x(x) | ^x
2 3 | 3
xy | xy
sin -x | -x
""".strip().splitlines()


@pytest.mark.parametrize("line", TWO_MEANINGS)
def test_what_has_two_meanings_is_an_error_with_its_place(line):
    text, rest = line.rsplit(" | ", 1)
    with pytest.raises(ParseError) as caught:
        read_expression(text)
    assert text[caught.value.column - 1 :].startswith(rest)
    assert caught.value.text == text


def test_statements_are_told_apart():
    assert read_statement("2x != 3x")[1:] == (True, "read as 2 * x != 3 * x")
    assert read_equation("|x| = x")[1] == "read as sqrt(x^2) = x"
    for sign in ("!=", "≠"):
        with pytest.raises(ParseError, match="an equation is wanted") as caught:
            read_equation(f"2x {sign} 3x")
        assert caught.value.column == 4


PIECES = (
    *"xy2()[]{}|=^*/+-,.$e", "3.5", "sin", "cos ", "sqrt", "√", "²", "⁻¹", "e^", "≠", "\\frac", "\\sin", "\\sqrt[3]",
    "\\left(", "\\right)", "\\cdot", "_{1}", "_1", " ", "pi", "\\,", "ln", "atan2", "root_3", "1e5", "\\", "α", " = ",
)  # fmt: skip


def test_every_text_is_read_or_refused():
    random, read = Random(3), 0
    for _ in range(3000):
        text = "".join(random.choice(PIECES) for _ in range(random.randint(1, 12)))
        try:
            expression, note = read_expression(text)
        except InputError:
            continue
        read += 1
        assert read_expression(print_expression(expression))[0] is expression
        assert (note == "") == (text.strip() == "" or _is_parsed(text))
    assert read > 40


def _is_parsed(text: str) -> bool:
    try:
        parse_equation(f"{text} = 1", EXTRA_FUNCTIONS)
    except InputError:
        return False
    return True


HOSTILE = ["sin ", "|", "√", "e^", "\\frac{", "sin^", "x", "-", "2(", "(x+1)", "{", "²"]
INCOMPLETE = ["|x", r"\frac12 x", r"\sqrt[x]{2}", r"\foo x", "x_{a}", "2x)", r"\frac{1}", "sin"]


@pytest.mark.parametrize("text", [*(piece * 9000 for piece in HOSTILE), *INCOMPLETE], ids=HOSTILE + INCOMPLETE)
def test_hostile_and_incomplete_texts_are_refused(text):
    for read in (read_expression, read_statement):
        with pytest.raises(ParseError):
            read(text)
