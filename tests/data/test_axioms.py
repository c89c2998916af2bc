"""The axioms file: its reader's errors, and what axioms.txt covers."""

from collections import Counter

import mpmath
import pytest

from reproduction.artifacts import AXIOMS, ROOT
from reproduction.data.axioms import Axiom, check_axioms, chosen, functions_of, own_axioms, read_axioms
from reproduction.data.recipes import HARD, PAPER, read_recipe
from reproduction.errors import InputError
from reproduction.language.expression import CONSTANT, VARIABLE
from reproduction.language.grammar import CIRCULAR, TABLE_1_FUNCTIONS
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation


@pytest.fixture(scope="module")
def axioms():
    return read_axioms(AXIOMS)


def _write(tmp_path, content):
    path = tmp_path / "mine.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def test_families_lines_and_comments(tmp_path):
    path = _write(
        tmp_path, "# mine\nx + 0 = x\n\n[ even  functions ] # two\n  cos(-x) = cos(x)  # yes\nsec(-x) == sec(x)\n"
    )
    assert read_axioms(path) == (
        Axiom(parse_equation("x + 0 = x"), "general", 2),
        Axiom(parse_equation("cos(-x) = cos(x)"), "even  functions", 5),
        Axiom(parse_equation("sec(-x) = sec(x)"), "even  functions", 6),
    )


def test_windows_files_are_read(tmp_path):
    path = _write(tmp_path, "\ufeff[sums]\r\nx + 0 = x\r\n\r\n2 + 2 = 4".encode())
    assert [(axiom.family, axiom.line) for axiom in read_axioms(path)] == [("sums", 2), ("sums", 4)]


def test_a_file_switches_on_what_it_needs(tmp_path):
    path = _write(tmp_path, "functions: log, atan2  # both\n[a]\nexp(log(x)) = x\natan2(0, 1) = 0\n")
    assert functions_of(read_axioms(path)) == ("exp", "log", "atan2")
    with pytest.raises(InputError, match=r"line 2, column 2: 'sqrt' cannot be switched on, only log and atan2"):
        read_axioms(_write(tmp_path, "x = x\n functions: sqrt\n"))


def test_only_axioms_that_are_not_the_projects_are_ones_own(tmp_path, axioms):
    assert own_axioms(_write(tmp_path, AXIOMS.read_text(encoding="utf-8")), axioms) == {}
    path = _write(tmp_path, "x = x\n[a]\n1 + 1 = 2\n2 + 2 = 4\n")
    assert own_axioms(path, read_axioms(path)) == {"count": 3, "families": 2}


def test_the_laws_of_exponents_hold():
    """The second domain in domains/exponents: no axiom of it is refuted, and its recipe is one."""
    place = ROOT / "domains" / "exponents"
    laws = read_axioms(place / "axioms.txt")
    check_axioms(place / "axioms.txt", laws)
    assert 40 <= len(laws) <= 60 and set(functions_of(laws)) == {"+", "*", "^", "exp", "log"}
    assert set(read_recipe(str(place / "recipe.json")).terminals) >= {"x", "y", "2"}


def test_extra_functions(tmp_path):
    path = _write(tmp_path, "exp(log(x)) = x\n")
    assert len(read_axioms(path, extra=("log",))) == 1
    with pytest.raises(InputError, match=r"line 1, column 5: .*--extra-functions"):
        read_axioms(path)


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        ("x = x\n\n  sin(x = 1\n", 3, 9, "not closed"),
        ("x = x\nfoo(x) = 1", 2, 1, "'foo' is not a known name"),
        ("[a]\nx != x", 2, 3, "not '!='"),
        ("x", 1, 2, "right side"),
        ("x = y = z", 1, 7, "two sides"),
        ("", 1, 1, "no equation"),
        ("# nothing\n[a]\n\n", 1, 1, "no equation"),
        ("[a\nx = x", 1, 1, "header"),
        (" [] \nx = x", 1, 2, "header"),
        ("[a;]\nx = x", 1, 1, "header"),
        ("[a; b; c]\nx = x", 1, 1, "header"),
        ("[a] x = x", 1, 1, "header"),
        ("[a]\nx+0 = x\n[b]\n  x + 0 = x", 4, 3, "line 2"),
        (b"x = x\nsin(\xcf\x80) = \xff0", 2, 10, "UTF-8"),
        ("[a]\n# größer\n".encode("latin-1"), 2, 5, "UTF-8"),
        (b"\xff\xfex\x00", 1, 1, "UTF-8"),
    ],
)
def test_errors_say_file_line_and_column(tmp_path, content, line, column, words):
    path = _write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_axioms(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}, column {column}: ")
    assert words in message
    assert "\n" not in message


def test_missing_file_and_directory(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_axioms(tmp_path / "none.txt")
    with pytest.raises(InputError, match="directory"):
        read_axioms(tmp_path)


@pytest.mark.parametrize(("recipe", "least", "most"), [(PAPER, 135, 145), (HARD, 165, 165)])
def test_size_and_depths(axioms, recipe, least, most):
    used = chosen(axioms, recipe.marks)
    assert least <= len(used) <= most
    depths = Counter(axiom.equation.depth for axiom in used)
    assert sorted(depths) == [1, 2, 3, 4, 5, 6, 7]


def test_the_papers_axioms_are_trigonometry_and_algebra(axioms):
    names = {name for axiom in chosen(axioms, PAPER.marks) for name in axiom.equation.functions()}
    assert names == {*CIRCULAR, "+", "*", "^"}


def test_marks_choose_families_where_there_are_any(tmp_path):
    marked = read_axioms(_write(tmp_path, "x = x\n[a; paper]\n1 + 1 = 2\n[b ; paper only ]\n2 * 2 = 4\n"))
    assert [(axiom.family, axiom.mark) for axiom in marked] == [
        ("general", ""), ("a", "paper"), ("b", "paper only")
    ]  # fmt: skip
    assert chosen(marked, PAPER.marks) == marked[1:]
    assert chosen(marked, HARD.marks) == marked[:2]
    plain = read_axioms(_write(tmp_path, "x = x\n[a]\n1 + 1 = 2\n"))
    assert chosen(plain, PAPER.marks) == chosen(plain, HARD.marks) == plain


def test_every_function_occurs_in_several(axioms):
    used = chosen(axioms, HARD.marks)
    counts = Counter(name for axiom in used for name in axiom.equation.functions())
    assert set(counts) == set(TABLE_1_FUNCTIONS)
    assert min(counts.values()) >= 4, counts


def test_no_axiom_says_what_another_says(axioms):
    """Both directions are rules: a mirror image, or the same with other variables, would add nothing."""
    seen = {}
    for axiom in axioms:
        forms = [_renamed(axiom.equation), _renamed(axiom.equation.mirrored())]
        for form in forms:
            assert seen.setdefault(form, axiom.line) == axiom.line


def _renamed(equation):
    names = equation.variables()
    return equation.substituted(dict(zip(names, map(_variable, range(len(names))), strict=True)))


def _variable(index):
    return parse_equation(f"v_{index} = 0").left


def test_every_family_has_a_comment():
    lines = AXIOMS.read_text(encoding="utf-8").split("\n")
    headers = [index for index, line in enumerate(lines) if line.startswith("[")]
    assert len(headers) == len({lines[index] for index in headers})
    assert all(lines[index + 1].startswith("# ") for index in headers)


POINTS = ("0.3137", "-0.4219", "-0.9113", "1.2719", "-2.6127", "7.7133", "-13.37", "2", "-1", "0")


def test_every_axiom_holds_at_real_points(axioms):
    """A check of the file on its own, with 60 digits; the oracle's tests ask both judges."""
    with mpmath.workdps(60):
        for axiom in axioms:
            _assert_holds(axiom.equation)


def _assert_holds(equation):
    names = equation.variables()
    defined = 0
    for shift in range(len(POINTS)):
        point = {name: mpmath.mpf(POINTS[(shift + 3 * i) % len(POINTS)]) for i, name in enumerate(names)}
        try:
            left, right = _value(equation.left, point), _value(equation.right, point)
        except (ZeroDivisionError, ValueError):
            continue
        if mpmath.isfinite(left) and mpmath.isfinite(right):
            defined += 1
            assert abs(left - right) <= mpmath.mpf("1e-40") * (1 + abs(left)), (print_equation(equation), point)
    assert defined >= len(POINTS) // 2, print_equation(equation)


def _value(expression, point):
    if expression.kind == VARIABLE:
        return point[expression.symbol]
    if expression.kind == CONSTANT:
        exact = expression.value
        return +mpmath.pi if exact is None else mpmath.mpf(exact.numerator) / exact.denominator
    arguments = [_value(child, point) for child in expression.children]
    operators = {"+": mpmath.fadd, "*": mpmath.fmul, "^": mpmath.power}
    function = operators.get(expression.symbol) or getattr(mpmath, expression.symbol)
    return function(*arguments)
