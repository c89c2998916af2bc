"""The axioms and the textbook list: the reader's errors, what they cover, and that they hold, by mpmath on its own."""

import random
from collections import Counter
from pathlib import Path

import mpmath
import pytest
from support import by_mpmath

import reproduction
from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.artifacts import AXIOMS, ROOT
from reproduction.data.axioms import (
    LABELS,
    NO_FAMILY,
    Axiom,
    check_axioms,
    chosen,
    functions_of,
    own_axioms,
    read_axioms,
    read_textbook,
)
from reproduction.data.dataset import load
from reproduction.data.recipes import HARD, PAPER, read_recipe
from reproduction.data.splits import renamed
from reproduction.errors import InputError
from reproduction.judges.balls import Valuation
from reproduction.judges.oracle import AGREES, DIFFERS, examine
from reproduction.language.grammar import ADD, CIRCULAR, MULTIPLY, POWER, TABLE_1_FUNCTIONS, UNARY
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
    text = "# mine\nx + 0 = x\n\n[ even  functions ] # two\n  cos(-x) = cos(x)  # yes\nsec(-x) == sec(x)"
    for written in (text, "\ufeff" + text.replace("\n", "\r\n")):  # as it is saved on Windows, too
        assert read_axioms(_write(tmp_path, written)) == (
            Axiom(parse_equation("x + 0 = x"), "general", 2),
            Axiom(parse_equation("cos(-x) = cos(x)"), "even  functions", 5),
            Axiom(parse_equation("sec(-x) = sec(x)"), "even  functions", 6),
        )


def test_a_file_switches_on_what_it_needs(tmp_path):
    path = _write(tmp_path, "functions: log, atan2  # both\n[a]\nexp(log(x)) = x\natan2(0, 1) = 0\n")
    assert functions_of(read_axioms(path)) == ("exp", "log", "atan2")
    assert len(read_axioms(_write(tmp_path, "exp(log(x)) = x\n"), extra=("log",))) == 1
    with pytest.raises(InputError, match=r"line 1, column 5: .*--extra-functions"):
        read_axioms(tmp_path / "mine.txt")
    with pytest.raises(InputError, match=r"line 2, column 1: 'sqrt' cannot be switched on, only log and atan2"):
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


@pytest.mark.parametrize(
    ("content", "line", "column", "words"),
    [
        ("x = x\n\n  sin(x = 1\n", 3, 9, "not closed"),
        ("x = x\nfoo(x) = 1", 2, 1, "'foo' is not a known name"),
        ("[a]\nx != x", 2, 3, "not '!='"),
        ("x", 1, 2, "right side"),
        ("", 1, 1, "no equation"),
        ("# nothing\n[a]\n\n", 1, 1, "no equation"),
        (" [] \nx = x", 1, 1, "header"),
        ("[a; b; c]\nx = x", 1, 1, "header"),
        ("[a] x = x", 1, 1, "header"),
        ("[a]\nx+0 = x\n[b]\n  x + 0 = x", 4, 1, "line 2"),
        (b"x = x\nsin(\xcf\x80) = \xff0", 2, 10, "UTF-8"),
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


@pytest.mark.parametrize(
    ("recipe", "count", "functions"),
    [(PAPER, range(135, 146), {*CIRCULAR, "+", "*", "^"}), (HARD, [165], set(TABLE_1_FUNCTIONS))],
)
def test_what_the_recipes_take(axioms, recipe, count, functions):
    used = chosen(axioms, recipe.marks)
    assert len(used) in count
    assert {axiom.equation.depth for axiom in used} == set(range(1, 8))
    counts = Counter(name for axiom in used for name in axiom.equation.functions())
    assert set(counts) == functions
    assert min(counts.values()) >= 3


def test_marks_choose_families_where_there_are_any(tmp_path):
    marked = read_axioms(_write(tmp_path, "x = x\n[a; paper]\n1 + 1 = 2\n[b ; paper only ]\n2 * 2 = 4\n"))
    assert [(axiom.family, axiom.mark) for axiom in marked] == [
        ("general", ""), ("a", "paper"), ("b", "paper only")
    ]  # fmt: skip
    assert chosen(marked, PAPER.marks) == marked[1:]
    assert chosen(marked, HARD.marks) == marked[:2]
    plain = read_axioms(_write(tmp_path, "x = x\n[a]\n1 + 1 = 2\n"))
    assert chosen(plain, PAPER.marks) == chosen(plain, HARD.marks) == plain


def test_no_axiom_says_what_another_says(axioms):
    """Both directions are rules: a mirror image, or the same with other variables, would add nothing."""
    forms = Counter(form for axiom in axioms for form in {renamed(axiom.equation), renamed(axiom.equation.mirrored())})
    assert max(forms.values()) == 1


POINTS = ("0.3137", "-0.4219", "-0.9113", "1.2719", "-2.6127", "7.7133", "-13.37", "2", "-1", "0")


def test_every_axiom_holds_at_real_points(axioms):
    """A check of the file on its own, with 60 digits; the oracle's tests ask both judges."""
    with mpmath.workdps(60):
        for axiom in axioms:
            names = axiom.equation.variables()
            points = ({n: POINTS[(shift + 3 * i) % 10] for i, n in enumerate(names)} for shift in range(10))
            found = [by_mpmath.agree(axiom.equation, point, 40) for point in points]
            assert False not in found and found.count(True) >= 5, print_equation(axiom.equation)


def _nested(count: int) -> str:
    return "sin(" * count + "x" + ")" * count


READABLE = {
    "numbers at the limit": ".999999999999 + x = x + .999999999999\n0.000000000001 * x = x * 0.000000000001",
    "trees near the limit": f"x = x + {_nested(95)} - {_nested(95)}\nx + 0 = x",
    "names": "[\x01 odd; paper]\nα + x_1 = x_1 + α\nE1 * 1 = E1",
}
REFUSED = {
    "all too deep": (f"\n{_nested(97)} + 0 = {_nested(97)}", "line 2, column 1: no equation of depth 1, 2 comes"),
    "no mark of the recipe": ("\n[a; mine]\nx + 0 = x", "line 3, column 1: no family of this file has a mark"),
    "out of bounds": (f"x = x\n{_nested(101)} = x", "line 2, column 1: the tree has more than 100 levels"),
    "brackets": (f"{'(' * 300}x{')' * 300} = x", "line 1, column 204: nested too deep"),
    "digits": ("x + 1234567890.123 = x", "line 1, column 5: a number has at most 12 digits"),
    "arguments": ("sqrt(4, 9) = 2", "line 1, column 1: 'sqrt' takes 1 argument(s), not 2"),
}


def _generate(tmp_path, monkeypatch, text: str) -> int:
    monkeypatch.setattr(artifacts, "CACHE", tmp_path / "cache")
    (tmp_path / "mine.txt").write_text(text, "utf-8")
    artifacts.write_json(tmp_path / "impatient.json", {"patience": 50})
    size = "--counts 1=2/1 2=6/3 --scale smoke --split-seeds 1 --workers 1".split()
    paths = {"recipe": "impatient.json", "axioms": "mine.txt", "out": "out"}
    return main(["generate", *size, *(word for n, path in paths.items() for word in (f"--{n}", str(tmp_path / path)))])


@pytest.mark.parametrize("text", READABLE.values(), ids=READABLE)
def test_what_is_made_of_odd_axioms_can_be_read(tmp_path, monkeypatch, capsys, text):
    assert _generate(tmp_path, monkeypatch, text) == 0
    dataset = load(tmp_path / "out")
    assert len(dataset.symbolic) >= 4
    assert len({print_equation(record.equation) for record in dataset.symbolic}) == len(dataset.symbolic)


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_axioms_that_give_nothing_are_a_sentence_and_no_file(tmp_path, monkeypatch, capsys, text, sentence):
    assert _generate(tmp_path, monkeypatch, text) == 2
    assert f"error: {tmp_path}/mine.txt, {sentence}" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").rglob("*") if path.suffix in (".gz", ".json")] == []


@pytest.fixture(scope="module")
def textbook():
    return read_textbook()


def labelled(textbook, label):
    return [record for record in textbook if record.label == label]


def random_points(equation):
    """Points of all signs, small and large."""
    names, draw = equation.variables(), random.Random(" ".join(equation.variables()))
    for _ in range(8 if names else 1):
        yield {name: draw.choice((1, -1)) * draw.uniform(0, draw.choice((1, 6))) for name in names}


def test_it_has_hundreds_of_both_kinds_on_every_topic(textbook):
    counts = Counter(record.label for record in textbook)
    assert min(counts[1], counts[0]) >= 320
    identities, near_misses = ({record.topic for record in labelled(textbook, label)} for label in (1, 0))
    assert identities == near_misses


def test_it_uses_every_function(textbook):
    used = {function for record in labelled(textbook, 1) for function in record.equation.functions()}
    assert used == {function.name for function in UNARY} | {ADD, MULTIPLY, POWER}


def test_the_numeric_judge_agrees_with_every_label(textbook):
    valuation = Valuation()
    wanted = {1: AGREES, 0: DIFFERS}
    assert [r.text for r in textbook if examine(r.equation, valuation).outcome != wanted[r.label]] == []


def test_identities_hold_by_mpmath_at_random_points(textbook):
    with mpmath.workdps(30):
        broken = [
            (record.text, point)
            for record in labelled(textbook, 1)
            for point in random_points(record.equation)
            if by_mpmath.agree(record.equation, point, 15) is False
        ]
    assert broken == []


@pytest.mark.parametrize("room", ["data/generator.py", "data/recipes.py", "commands/data.py", "networks", "training"])
def test_nothing_that_makes_data_or_trains_reads_it(room):
    place = Path(reproduction.__file__).parent / room
    sources = [place] if place.is_file() else list(place.rglob("*.py"))
    assert sources
    assert [path.name for path in sources if "textbook" in path.read_text("utf-8")] == []


def write_lists(directory, identities, near_misses):
    for name, text in zip(LABELS, (identities, near_misses), strict=True):
        (directory / name).write_text(text, "utf-8")
    return directory


def test_bad_lists_are_refused_with_their_place(tmp_path):
    for identities, near_misses, message in (
        ("[a]\nx + = x\n", "[a]\nx = y\n", "identities.txt, line 2, column 5"),
        ("[a]\nx + 0 = x\nt = t + 0\n", "[a]\nx = y\n", "identities.txt, line 3: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\na + 0 = a\n", "near-misses.txt, line 2: .*identities.txt, line 2 already"),
        ("[a]\nx + 0 = x\n", "[a]\n", "near-misses.txt, line 1, column 1: no equation"),
    ):
        with pytest.raises(InputError, match=message):
            read_textbook(write_lists(tmp_path, identities, near_misses))


def test_every_equation_has_a_topic_and_two_different_sides(textbook):
    assert all(record.topic != NO_FAMILY and record.equation.left is not record.equation.right for record in textbook)
