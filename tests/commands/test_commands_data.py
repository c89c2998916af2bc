"""The commands check, generate and recheck as a person meets them: output, sentences, exit codes, no stray files."""

import json

import pytest

from reproduction import __main__ as command_line
from reproduction import artifacts
from reproduction.artifacts import owned
from reproduction.commands import check_files, check_writable
from reproduction.commands.generate import parse_counts
from reproduction.data.dataset import DECIMAL, EVALUATION, SYMBOLIC, Record
from reproduction.data.generator import Wish
from reproduction.data.recipes import PAPER, as_row
from reproduction.data.writing import write_dataset
from reproduction.errors import InputError
from reproduction.language.parsing import parse_equation


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(monkeypatch, capsys, cache):
    """Runs a command in this process with a cache of its own; gives its exit code, output and complaints."""
    monkeypatch.setattr(artifacts, "CACHE", cache)

    def run(*words):
        code = command_line.main(list(map(str, words)))
        return code, *capsys.readouterr()

    return run


def _is_one_sentence(text):
    return text.startswith("error: ") and text.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["sin(x)^2 + cos(x)^2 = 1"], "sin(x)^2 + cos(x)^2 = 1\nCORRECT: Sympy proves it by simplify"),
        (["sqrt(x**2) == x"], "sqrt(x^2) = x\nINCORRECT: at x = -0.46 the left side is 0.46 and the right side -0.46"),
        (["1/0 = 2"], "1 / 0 = 2\nUNDEFINED: no sample point"),
        (["asin(x) + acos(x) = 1/2 * π"], "asin(x) + acos(x) = 1/2 * pi\nCORRECT: Sympy leaves it open, the second"),
        (["4 * acot(1) = π"], "4 * acot(1) = pi\nCORRECT: "),
        (["10^10^10^10^10 = 1"], "10^10^10^10^10 = 1\nUNSURE: a number is too large to be written out"),
        (["2 + 2 != 5"], "2 + 2 != 5\nCORRECT: "),
        (["2 + 2 != 4"], "2 + 2 != 4\nINCORRECT: "),
        (["e^ln(x) = x"], "exp(log(x)) = x\nCORRECT: "),
        (["\\sin^2 x != 2x"], "sin(x)^2 != 2 * x\nCORRECT: "),
        (
            ["x = x", "x = y"],
            "x = x\nCORRECT: Sympy proves it by auto-evaluation, and the sides agree at 35 sample points\nx = y\nINC",
        ),
        (["--", "-x=x"], "-x = x\nINCORRECT: "),
    ],
)
def test_check(run, words, output):
    code, printed, complaints = run("check", *words)
    assert (code, complaints) == (0, "")
    assert printed.startswith(output)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "(" * 10_000 + "x" + ")" * 10_000,
        "1e999999 = 1",
        "x",
        "",
        "x = 1 = 2",
        "sin x^2 = 1",
        "x = \x00",
    ],
    ids=["import", "nested", "huge", "half", "empty", "two", "call", "nul"],
)
def test_check_refuses_what_is_no_equation(run, text):
    code, printed, complaints = run("check", "--", text)
    assert (code, printed) == (2, "")
    assert complaints.startswith("error: column ")
    assert len(complaints) < 500


def test_check_answers_what_can_be_read(run):
    code, printed, complaints = run("check", "x = ", "x = x", "x != y", "1/2x = 1", "--json")
    same, other = map(json.loads, printed.splitlines())
    assert code == 2 and complaints.count("error: column ") == 2
    assert list(same) == ["equation", "judge_verdict", "evidence", "notes"]
    assert (same["equation"], same["judge_verdict"]) == ("x = x", "correct")
    assert (other["equation"], other["judge_verdict"]) == ("x != y", "correct")


def test_generate_refuses_unknown_extra_functions(run):
    code, _, complaints = run("generate", "--out", "there", "--extra-functions", "gamma")
    assert code == 2
    assert "'gamma' is not one of log, atan2" in complaints
    assert _is_one_sentence(complaints)


@pytest.mark.parametrize(
    ("words", "wishes"),
    [
        (["3=2000/900"], {3: Wish(2000, 900)}),
        (["2=500/250", "7=10"], {2: Wish(500, 250), 7: Wish(10, 5)}),
        (["2=10/0,3=10/10"], {2: Wish(10, 0), 3: Wish(10, 10)}),
        (["3=1000"], {3: Wish(1000, 533)}),
    ],
)
def test_counts(words, wishes):
    assert parse_counts(words) == wishes


@pytest.mark.parametrize(
    "word", ["3", "3=", "=5", "x=5", "3=5/6", "0=5", "13=5", "3=0", "3=-1", "3=1e3", "3=5/", "3 = 5", "", ","]
)
def test_impossible_counts_are_refused(run, tmp_path, word):
    code, printed, complaints = run("generate", "--counts", word, "--out", tmp_path / "out")
    assert (code, printed) == (2, "")
    assert complaints.startswith("error: --counts: ")
    assert _is_one_sentence(complaints)
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="each once"):
        parse_counts(["3=5", "3=6"])


BAD_AXIOMS = {
    "syntax": (b"x = x\nsin(x = 1\n", "line 2, column 7: "),
    "unknown name": (b"x = x\n\n  foo(x) = 1\n", "line 3, column 3: 'foo' is not a known name"),
    "false": (b"x = x\n# comment\nsin(x) = cos(x)\n", "line 3, column 1: this axiom is INCORRECT: at x = 0.63 "),
    "undefined": (b"0^0 = 1\n", "line 1, column 1: this axiom is UNDEFINED: "),
    "empty": (b"", "line 1, column 1: no equation"),
    "only comments": (b"# nothing\n", "line 1, column 1: no equation"),
    "not UTF-8": (b"x = x\ny = \xff\n", "line 2, column 5: "),
    "switched off": (b"exp(log(x)) = x\n", "line 1, column 5: 'log' is beyond Table 1"),
    "missing": (None, "there is no such file"),
}


@pytest.mark.parametrize("name", BAD_AXIOMS)
def test_bad_axiom_files_are_one_sentence_and_write_nothing(run, tmp_path, name):
    content, words = BAD_AXIOMS[name]
    path = tmp_path / "axioms.txt"
    if content is not None:
        path.write_bytes(content)
    code, printed, complaints = run("generate", "--axioms", path, "--out", tmp_path / "out")
    assert (code, printed) == (2, "")
    assert complaints.startswith(f"error: {path}")
    assert words in complaints
    assert _is_one_sentence(complaints)
    assert sorted(tmp_path.iterdir()) == ([] if content is None else [path])


@pytest.mark.parametrize(
    ("content", "words"),
    [('{"from_axiom": 2}', "from_axiom is 2, not from 0 to 1"), ("{", "not JSON"), (None, "there is no such file")],
)
def test_bad_recipes_are_one_sentence_and_write_nothing(run, tmp_path, content, words):
    path = tmp_path / "recipe.json"
    if content is not None:
        path.write_text(content)
    code, printed, complaints = run("generate", "--recipe", path, "--out", tmp_path / "out")
    assert (code, printed) == (2, "")
    assert words in complaints
    assert _is_one_sentence(complaints)
    assert not (tmp_path / "out").exists()


def test_the_recipe_is_stored_with_the_data(run, tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text('{"from_axiom": 0.5, "keeping": {"mirror": 0.2}}')
    words = ("--counts", "2=20", "--scale", "smoke", "--split-seeds", 1, "--workers", 1)
    assert run("generate", "--recipe", path, "--out", tmp_path / "out", *words)[0] == 0
    summary = json.loads((tmp_path / "out" / "statistics.json").read_text())
    recipe = {"name": "recipe", "from_axiom": 0.5, "keeping": {"mirror": 0.2}}
    assert summary["recipe"] == {**as_row(PAPER), **recipe}
    assert set(summary["fingerprints"]["by_depth"]["2"]) == {"correct", "incorrect"}


def test_out_must_not_be_a_file(run, tmp_path):
    (tmp_path / "out").write_text("here I am")
    code, _, complaints = run("generate", "--counts", "1=2/1", "--out", tmp_path / "out")
    assert code == 2
    assert "this is a file, not a directory" in complaints
    assert (tmp_path / "out").read_text() == "here I am"


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "--workers", "0"], ["generate", "--workers", "257"], ["generate", "--seed", "x"],
        ["generate", "--seed", "-1"], ["generate", "--seed", "9" * 19], ["generate", "--split-seeds", "10000"],
        ["study", "search", "--seed", "2147483649"], ["study", "experiments", "--seeds", "10000"],
        ["study", "ablation", "--tuning-epochs", "1000000"], ["serve", "--port", "65536"],
    ],
)  # fmt: skip
def test_numbers_out_of_bounds_are_refused_before_the_work(run, capsys, words):
    with pytest.raises(SystemExit) as caught:
        run(*words)
    assert caught.value.code == 2 and "should be a whole number from" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--epochs", "--hidden"])
def test_a_network_that_cannot_be_is_refused_before_its_data_are_made(run, tmp_path, option):
    code, _, complaints = run("showcase", option, "0", "--out", tmp_path / "out", "--data", tmp_path / "data")
    assert code == 2 and f"{option[2:]} 0 is out of range" in complaints and _is_one_sentence(complaints)
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_cell_is_refused_wherever_one_is_named(run, tmp_path):
    (tmp_path / "space.json").write_text('{"cell": ["tree-gru", "nosuch"]}')
    train = ["train", "--model", "tree-nn", "--out", tmp_path / "a" / "b", "--cell"]
    for words in (["study", "search", "--space", tmp_path / "space.json"], [*train, "nosuch"], [*train, ""]):
        code, _, complaints = run(*words)
        assert code == 2 and "is unknown (allowed: tree-nn, " in complaints and _is_one_sentence(complaints)
    assert not (tmp_path / "a").exists()


def test_a_place_that_leads_nowhere_is_refused_before_the_work(run, tmp_path):
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to(tmp_path / "none")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, said in (("file/in", "this is a file"), ("link/in", "leads nowhere"), ("loop/in", "leads nowhere")):
        with pytest.raises(InputError, match=said):
            check_writable(tmp_path / name)
        with pytest.raises(InputError, match=said):
            check_files(tmp_path / name / "figure.png")
    with pytest.raises(InputError, match="the name of a file is wanted"):
        check_files(tmp_path)
    assert run("evaluate", tmp_path / "run", "--json", tmp_path)[2].endswith("the name of a file is wanted\n")
    assert run("benchmark", "--json", tmp_path)[2].endswith("the name of a file is wanted\n")
    assert "leads nowhere" in run("benchmark", "--figure", tmp_path / "loop" / "x")[2]


def test_a_refused_command_leaves_no_directories(run, tmp_path):
    for words in (["baselines", "--data"], ["recheck", "--data"]):
        assert run(*words, tmp_path / "n1" / "n2" / "n3")[0] == 2
    with pytest.raises(InputError), owned(tmp_path / "n1" / "n2" / "n3"):
        raise InputError("no")
    assert list(tmp_path.iterdir()) == []
    with owned(tmp_path / "n1" / "n2"):
        (tmp_path / "n1" / "n2" / "file").touch()
    assert (tmp_path / "n1" / "n2" / "file").is_file()


def test_an_empty_directory_that_is_no_data_set_stays(run, tmp_path):
    assert run("recheck", "--data", tmp_path)[0] == 2 and tmp_path.is_dir()


def _written(directory, *rows):
    records = []
    for index, (text, label, kind) in enumerate(rows):
        equation = parse_equation(text)
        records.append(
            Record(f"{'s' if kind == SYMBOLIC else 'n'}{index}", equation, label, kind, equation.depth, "test")
        )
    symbolic = [record for record in records if record.kind == SYMBOLIC]
    write_dataset(directory, symbolic, [r for r in records if r.kind != SYMBOLIC], (), None, 1, 0)
    return directory


RIGHT = (
    ("sin(x)^2 + cos(x)^2 = 1", 1, SYMBOLIC),
    ("x + x = 2 * x", 1, SYMBOLIC),
    ("sqrt(x^2) = x", 0, SYMBOLIC),
    ("sin(-1 * 2.5) = -1 * 0.6", 1, EVALUATION),
    ("sin(-1 * 2.5) = 0.6", 0, EVALUATION),
    ("2.5 = 2 * 10^0 + 5 * 10^(-1)", 1, DECIMAL),
)
WRONG = (
    ("sqrt(x^2) = x", 1, SYMBOLIC),
    ("x + x = 2 * x", 0, SYMBOLIC),
    ("10^10^8 = 10^(10^4 * 10^4)", 1, SYMBOLIC),
    ("1 / 0 = 2", 1, SYMBOLIC),
    ("sin(-1 * 2.5) = -1 * 0.59", 1, EVALUATION),
    ("2.5 = 2 * 10^0 + 5 * 10^(-1)", 0, DECIMAL),
)


def test_recheck_of_labels_that_stand(run, tmp_path):
    code, printed, complaints = run("recheck", "--data", _written(tmp_path, *RIGHT), "--workers", 1)
    assert (code, complaints) == (0, "")
    assert [line.split() for line in printed.splitlines()] == [
        ["confirmed", "by", "Sympy", "(auto-evaluation)", "1"],
        ["confirmed", "by", "Sympy", "(simplify)", "1"],
        ["numeric,", "right", "2"],
        ["numeric,", "wrong", "1"],
        ["refuted", "at", "a", "point", "1"],
        ["all", "6", "labels", "stand"],
    ]


def test_recheck_of_labels_that_do_not_stand(run, tmp_path):
    code, printed, _ = run("recheck", "--data", _written(tmp_path, *RIGHT, *WRONG), "--workers", 1)
    assert code == 1
    assert "s6, label 1: sqrt(x^2) = x\n    INCORRECT: at x = -0.46 the left side is 0.46" in printed
    assert "s7, label 0: x + x = 2 * x\n    CORRECT: Sympy proves it by auto-evaluation" in printed
    assert "s8, label 1: 10^10^8 = 10^(10^4 * 10^4)\n    UNSURE: " in printed
    assert "s9, label 1: 1 / 0 = 2\n    UNDEFINED: " in printed
    assert "n10, label 1: sin(-2.5) = -0.59\n    INCORRECT: there are no variables" in printed
    assert "n11, label 0: 2.5 = 2 * 10^0 + 5 / 10\n    CORRECT: " in printed
    assert printed.endswith("6 of 12 labels do not stand\n")


def test_recheck_shows_the_first_twenty(run, tmp_path):
    rows = [(f"x = {number}", 1, SYMBOLIC) for number in range(11, 41)]
    code, printed, _ = run("recheck", "--data", _written(tmp_path, *rows))
    assert code == 1
    assert printed.count("label 1: ") == 20
    assert printed.endswith("… and 10 more\n30 of 30 labels do not stand\n")


def test_recheck_believes_the_cache_unless_told_otherwise(run, tmp_path, cache):
    directory = _written(tmp_path, ("x + x = 2 * x", 1, SYMBOLIC))
    run("recheck", "--data", directory, "--workers", 1)
    before = (cache / "sympy.sqlite").read_bytes()
    assert run("recheck", "--data", directory, "--workers", 1, "--fresh")[0] == 0
    assert (cache / "sympy.sqlite").read_bytes() == before


def test_recheck_of_no_data_set(run, tmp_path):
    code, _, complaints = run("recheck", "--data", tmp_path)
    assert code == 2
    assert "not a data set" in complaints
    assert _is_one_sentence(complaints)
