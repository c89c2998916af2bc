"""What people type, as a network reads it: names of variables, notes and refusals."""

import pytest

from reproduction.errors import InputError
from reproduction.language.parsing import ParseError, parse_equation, parse_expression
from reproduction.language.printing import print_equation, print_expression
from reproduction.use.reading import Knowledge, Reader, with_numbers

FUNCTIONS, CONSTANTS = ("sin", "cos", "+", "*", "^"), ("0", "1", "2", "-1", "10", "pi")
KNOWN = Knowledge("a network", FUNCTIONS, CONSTANTS, ("x", "y", "z"), True, True, 4)


def read(text, **changes):
    return Reader(Knowledge(**{**vars(KNOWN), **changes})).equation(text)


@pytest.mark.parametrize(
    ("text", "as_read", "notes"),
    [
        ("x = y", "x = y", ()),
        ("theta == theta", "x = x", ("theta is read as x",)),
        ("theta + x = x + theta", "y + x = x + y", ("theta is read as y",)),
        ("b + a = a + b", "x + y = y + x", ("b is read as x", "a is read as y")),
        ("θ*z = z*θ", "x * z = z * x", ("theta is read as x",)),
        ("x_1 = x", "y = x", ("x_1 is read as y",)),
        (f"{'sin(' * 4}x{')' * 4} = x",) * 2 + (("depth 5 is more than any equation of the training has (4)",),),
    ],
)
def test_variables_are_names(text, as_read, notes):
    answer = read(text)
    assert print_equation(answer.equation) == as_read
    assert answer.typed == parse_equation(text)
    assert answer.notes == notes


def test_the_text_is_kept_and_trees_are_taken():
    assert read("  x=x ").text == "x=x"
    assert read(parse_equation("theta=1")).text == "theta = 1"
    assert print_equation(read(parse_equation("theta=1")).equation) == "x = 1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a + b + c = d", "a network has too few variables (x, y, z) for a, b, c, d"),
        ("log(x) = x", "does not know the function log (it knows sin, cos"),
        ("atan2(x, y) = x", "function atan2"),
        ("tan(x) = x", "function tan"),
        ("x + 3 = 3 + x", "does not know the number 3 (it knows 0, 1"),
    ],
)
def test_what_a_network_has_no_place_for_is_refused(text, words):
    with pytest.raises(InputError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_numbers():
    assert read("x + 2.5 = 2.5 + x").notes == ()
    assert read("x + 2.5 = 2.5 + x", compares_numbers=False).notes == ("no equation of the training contains 2.5",)
    assert read("x + 12 = x").notes == ()
    beyond = "12 is beyond the numbers of the training (0 to 3.14)"
    assert read("x + 12 = x", compares_numbers=False).notes == ("no equation of the training contains 12", beyond)
    with pytest.raises(InputError, match="does not know the number 2.5"):
        read("x + 2.5 = 2.5 + x", reads_numbers=False, compares_numbers=False)


@pytest.mark.parametrize(
    ("text", "words", "column"),
    [
        ("x", "'=' and a right side are missing", 2),
        ("x != y", "'=' and not '!='", 3),
        ("x = y = z", "one '='", 7),
        ("x + " * 30_000 + "x = x", "longer than", 50_001),
    ],
)
def test_text_that_is_no_equation_says_where(text, words, column):
    with pytest.raises(ParseError) as caught:
        read(text)
    assert words in caught.value.reason
    assert caught.value.column == column


@pytest.mark.parametrize(
    ("text", "as_read"),
    [
        ("cos(2)", "cos(2.00)"),
        ("cos(-2)", "cos(-2.00)"),
        ("-1 * 2.5", "-2.5"),
        ("-1/2 + 2.5", "-0.50 + 2.5"),
        ("sin(pi)", "sin(pi)"),
        ("2 * 10^0 + 5 * 10^(-1)", "2 * 10^0 + 5 / 10"),
    ],
)
def test_constants_are_evaluated_as_numbers(text, as_read):
    assert print_expression(with_numbers(parse_expression(text))) == as_read


def test_a_blank_keeps_the_names_that_were_typed():
    answer = Reader(KNOWN).blank("theta + _ = 0")
    assert (answer.typed.text, answer.blank.text, answer.notes) == (
        "theta + □ = 0", "x + □ = 0", ("theta is read as x",),
    )  # fmt: skip
    texts = ("theta + _ = 0", "cos(-_) = -0.57", "x + _ = 2.57")
    assert [Reader(KNOWN).blank(text).asks_for_a_number for text in texts] == [False, True, False]
    with pytest.raises(InputError, match=r"load\(\).evaluate\('sin\(2.57\)'\)"):
        Reader(KNOWN).blank("sin(2.57) = _")


@pytest.mark.parametrize(("text", "as_read"), [("2x = x + x", "2 * x = x + x"), ("sin²(x) = x^2", "sin(x)^2 = x^2")])
def test_what_people_write_is_read_with_a_note(text, as_read):
    answer = read(text)
    assert (print_equation(answer.typed), answer.notes) == (as_read, (f"read as {as_read}",))
    blank = Reader(KNOWN).blank(text.replace("= x", "= _", 1))
    assert blank.notes == (f"read as {as_read.replace('= x', '= □', 1)}",)


def test_what_a_network_has_not_met_is_left_to_the_judges():
    answer = Reader(KNOWN).equation("log(x) = x", for_judges=True)
    assert answer.equation is None and "function log" in answer.notes[0]
