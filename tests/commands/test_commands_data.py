"""The commands check, generate and recheck as a person meets them: output, sentences, exit codes, no stray files."""

import json

import pytest

from reproduction import __main__ as command_line
from reproduction import artifacts
from reproduction.commands.data import parse_counts
from reproduction.data.dataset import DECIMAL, EVALUATION, SYMBOLIC, Record
from reproduction.data.generator import Wish
from reproduction.data.recipes import PAPER, as_row
from reproduction.data.writing import write_dataset
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


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["sin(x)^2 + cos(x)^2 = 1"], "sin(x)^2 + cos(x)^2 = 1\nCORRECT: Sympy proves it by simplify"),
        (["sqrt(x**2) == x"], "sqrt(x^2) = x\nINCORRECT: at x = -0.46 the left side is 0.46 and the right side -0.46"),
        (["1/0 = 2"], "1 / 0 = 2\nUNDEFINED: no sample point"),
        (["asin(x) + acos(x) = 1/2 * π"], "asin(x) + acos(x) = 1/2 * pi\nCORRECT: Sympy leaves it open, the second"),
        (["10^10^10^10^10 = 1"], "10^10^10^10^10 = 1\nUNSURE: a number is too large to be written out"),
        (["2 + 2 != 4"], "2 + 2 != 4\nINCORRECT: "),
        (["\\sin^2 x != 2x"], "sin(x)^2 != 2 * x\nCORRECT: "),
        (["--", "-x=x"], "-x = x\nINCORRECT: "),
    ],
)
def test_check(run, words, output):
    code, printed, complaints = run("check", *words)
    assert (code, complaints) == (0, "")
    assert printed.startswith(output)


@pytest.mark.parametrize(
    "text", ["__import__('os')", "(" * 10_000 + "x" + ")" * 10_000, "1e999999 = 1", "", "x = \x00", "x + _ = 2"]
)
def test_check_refuses_what_is_no_equation(run, text):
    code, printed, complaints = run("check", "--", text)
    assert (code, printed) == (2, "")
    assert complaints.startswith("error: column ") and len(complaints) < 500
    assert ("`complete` fills it" in complaints) == (text == "x + _ = 2")


def test_check_answers_what_can_be_read(run):
    code, printed, complaints = run("check", "x = ", "x = x", "x != y", "1/2x = 1", "--json")
    same, other = map(json.loads, printed.splitlines())
    assert code == 2 and "error: equation 1, column 5" in complaints and "error: equation 4, column 4" in complaints
    assert list(same) == ["equation", "judge_verdict", "evidence", "notes"]
    assert [(row["equation"], row["judge_verdict"]) for row in (same, other)] == [
        ("x = x", "correct"), ("x != y", "correct"),
    ]  # fmt: skip


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


def _refused(run, place, *words) -> str:
    """The one sentence that a command says; nothing is written."""
    before = sorted(place.iterdir())
    code, printed, complaints = run(*words)
    assert (code, printed) == (2, "") and complaints.startswith("error: ") and complaints.count("\n") == 1
    assert sorted(place.iterdir()) == before
    return complaints


@pytest.mark.parametrize(
    "word", ["3", "=5", "x=5", "3=5/6", "0=5", "14=5", "3=0", "3=-1", "3=5/", "3 = 5", "", "3=5,3=6"]
)
def test_impossible_counts_are_refused(run, tmp_path, word):
    complaints = _refused(run, tmp_path, "generate", "--counts", word, "--out", tmp_path / "out")
    assert complaints.startswith("error: --counts: ")


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
    complaints = _refused(run, tmp_path, "generate", "--axioms", path, "--out", tmp_path / "out")
    assert complaints.startswith(f"error: {path}") and words in complaints


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["generate", "--recipe", "recipe.json"], "from_axiom is 2, not from 0 to 1"),
        (["generate", "--recipe", "none.json"], "there is no such file"),
        (["generate", "--extra-functions", "gamma"], "'gamma' is not one of log, atan2"),
        (["generate", "--counts", "1=2/1", "--out", "recipe.json"], "this is not a directory"),
        (["generate", "--counts", "1=2/1", "--out", "loop/in"], "loop"),
        (["showcase", "--epochs", "0"], "epochs 0 is out of range"),
        (["train", "--model", "tree-nn", "--cell", "nosuch", "--out", "a/b"], "is unknown (allowed: tree-nn, "),
        (["study", "search", "--space", "space.json"], "is unknown (allowed: tree-nn, "),
        (["evaluate", "run", "--json", "."], "the name of a file is wanted"),
        (["benchmark", "--figure", "loop/x"], "loop"),
        (["baselines", "--data", "n1/n2"], "not the workspace's data set"),
        (["recheck", "--data", "n1/n2"], "not a data set"),
        (["recheck", "--data", "."], "not a data set"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(run, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.json").write_text('{"from_axiom": 2}')
    (tmp_path / "space.json").write_text('{"cell": ["tree-gru", "nosuch"]}')
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    out = ["--out", tmp_path / "out"] if words[0] in ("generate", "showcase") and "--out" not in words else []
    assert said in _refused(run, tmp_path, *words, *out)


@pytest.mark.parametrize(("recipe", "place"), [("paper", "runs/data"), ("hard", "runs/hard/data")])
def test_the_committed_data_are_what_the_defaults_make(run, recipe, place):
    code, printed, _ = run("generate", "--recipe", recipe, "--out", artifacts.ROOT / place)
    assert code == 0 and printed.endswith("finished already\n")


def test_the_recipe_is_stored_with_the_data(run, tmp_path):
    path = tmp_path / "recipe.json"
    path.write_text('{"from_axiom": 0.5, "keeping": {"mirror": 0.2}}')
    words = ("--counts", "2=20", "--scale", "smoke", "--split-seeds", 1, "--workers", 1)
    assert run("generate", "--recipe", path, "--out", tmp_path / "out", *words)[0] == 0
    summary = json.loads((tmp_path / "out" / "statistics.json").read_text())
    recipe = {"name": "recipe", "from_axiom": 0.5, "keeping": {"mirror": 0.2}}
    assert summary["recipe"] == {**as_row(PAPER), **recipe}
    assert set(summary["fingerprints"]["by_depth"]["2"]) == {"correct", "incorrect"}


@pytest.mark.parametrize(
    "words",
    [
        ["generate", "--workers", "0"], ["generate", "--seed", "-1"], ["generate", "--seed", "9" * 19],
        ["study", "experiments", "--seeds", "10000"], ["study", "ablation", "--tuning-epochs", "1000000"],
        ["serve", "--port", "65536"],
    ],
)  # fmt: skip
def test_numbers_out_of_bounds_are_refused_before_the_work(run, capsys, words):
    with pytest.raises(SystemExit) as caught:
        run(*words)
    assert caught.value.code == 2 and "should be a whole number from" in capsys.readouterr().err


def _written(directory, *rows):
    symbolic, numeric = [], []
    for index, (text, label, kind) in enumerate(rows):
        equation, own = parse_equation(text), symbolic if kind == SYMBOLIC else numeric
        name = f"{'s' if kind == SYMBOLIC else 'n'}{index}"
        own.append(Record(name, equation, label, kind, equation.depth, "test"))
    write_dataset(directory, symbolic, numeric, (), None, 1, 0)
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


def test_recheck_believes_the_cache_unless_told_otherwise(run, tmp_path, cache):
    words = ("recheck", "--data", _written(tmp_path, ("x + x = 2 * x", 1, SYMBOLIC)), "--workers", 1)
    run(*words)
    before = (cache / "sympy.sqlite").read_bytes()
    assert run(*words, "--fresh")[0] == 0
    assert (cache / "sympy.sqlite").read_bytes() == before
