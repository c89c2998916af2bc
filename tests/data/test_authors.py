"""The authors' format: trees, kinds, the artificial equation, contradicted labels, and files that are not it.

The files are made here, in the format of the released ones.
"""

import json

import pytest

from reproduction import __main__ as command_line
from reproduction import artifacts
from reproduction.data.authors import FUNCTION_NAMES, read_equation, read_release
from reproduction.data.dataset import DECIMAL, EVALUATION, SYMBOLIC, load, load_split, read_records
from reproduction.errors import InputError
from reproduction.language.expression import CONSTANT, FUNCTION, NUMBER, VARIABLE
from reproduction.language.parsing import parse_equation
from reproduction.language.printing import print_equation

LEAF_NAMES = {"-1": "NegativeOne", "1": "One", "1/2": "Half", "0.4": "Rational", "-1/2": "Rational", "0.7": "Float"}
LEAF_VALUES = {"0.4": "2/5"}
NAMES_OF_FUNCTIONS = {ours: theirs for theirs, ours in FUNCTION_NAMES.items()}
VARIABLES = {"x": "var_0", "y": "var_1", "z": "var_2", "v3": "var_3"}


def _serialised(expression):
    """The names and values of an expression in the authors' preorder."""
    if expression.kind == FUNCTION:
        names, values = [NAMES_OF_FUNCTIONS[expression.symbol]], [""]
        for child in expression.children:
            child_names, child_values = _serialised(child)
            names, values = names + child_names, values + child_values
        padding = ["#"] * (2 - len(expression.children))
        return names + padding, values + padding
    if expression.kind == VARIABLE:
        name, value = "Symbol", VARIABLES[expression.symbol]
    elif expression.symbol == "pi":
        name, value = "Pi", "pi"
    else:
        assert expression.kind in (CONSTANT, NUMBER)
        name = "Number" if expression.kind == NUMBER else LEAF_NAMES.get(expression.symbol, "Integer")
        value = LEAF_VALUES.get(expression.symbol, expression.symbol)
    return [name, "#", "#"], [value, "#", "#"]


def _row(text, label="1"):
    names, values = ["Equality"], [""]
    for side in parse_equation(text, ("log", "atan2")):
        side_names, side_values = _serialised(side)
        names, values = names + side_names, values + side_values
    return _raw_row(",".join(names), ",".join(values), label)


def _raw_row(functions, values, label="1"):
    derived = {"numNodes": "99", "variables": {"theta": 0}, "depth": "7,7,7", "nodeNum": "1,1,1"}  # all of it wrong
    return {"equation": {"func": functions, "vars": values, **derived}, "label": label}


def _file(tmp_path, content):
    path = tmp_path / "data10_final.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=4).encode())
    return path


EVERY_FUNCTION = "x = " + " + ".join(
    f"{name}(x)" for name in FUNCTION_NAMES.values() if name.isalpha() and name != "log"
)


def _interpreted(functions, values):
    equation, kind = read_equation(functions, values)
    return print_equation(equation), kind


@pytest.mark.parametrize(
    "text",
    [
        "x = x",
        "tan(x + y) = (tan(x) + tan(y)) / (1 - tan(x) * tan(y))",
        "0.4 + 0.7 * pi = 1/2 * z^(-1/2)",
        "-3 + 10 = (-2)^0",
        "acsch(asech(acoth(x))) = exp(v3)",
        "log(x) = atan2(x, y)",
    ],
)
def test_symbolic_trees_come_back(text):
    row = _row(text)["equation"]
    assert _interpreted(row["func"], row["vars"]) == (text, SYMBOLIC)


@pytest.mark.parametrize("text", ["sin(2.50) = 0.6", "sin(-1 * 2.00) = -1 * 0.91", "1.2 + 2.00 = 3.2", "2.5 = 2.5"])
def test_evaluations_have_numbers_where_we_have_constants(text):
    row = _row(text)["equation"]
    equation, kind = read_equation(row["func"], row["vars"])
    assert (equation, kind) == (parse_equation(text), EVALUATION)
    assert {node.symbol for node in equation.subexpressions() if node.kind == CONSTANT} <= {"-1"}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2.5 = 2 * 10^0 + 5 * 10^(-1)", DECIMAL),
        ("2 * 10^0 + 5 * 10^(-1) = 2.5", DECIMAL),
        ("2.5 = 2 * 10^(-1) + 5 * 10^0", DECIMAL),
        ("-1 * 2.5 = -(2 * 10^0 + 5 * 10^(-1))", DECIMAL),
        ("2.00 = 2 * 10^0", DECIMAL),
        ("2.97 * (-1) = (10^0 * 2 + 10^(-1) * 9 + 10^(-2) * 7) * (-1)", DECIMAL),
        ("0.81 = (-1)^10 * 8 + 10^(2 * (-1))", DECIMAL),
        ("12 = 12.00^1.00", EVALUATION),
        ("0.04 * (-1) = cot(1.61)", EVALUATION),
        ("sin(1.61 * (-1)) = 1.00 * (-1)", EVALUATION),
        ("4 = 4 * 10^0", SYMBOLIC),
        ("1.00 * sin(2.50)^(-1) = 1.67", EVALUATION),  # the exponent of a reciprocal is no number
        ("sin(2.5) = cos(1.3)", SYMBOLIC),
        ("x + 2.5 = 2.5", SYMBOLIC),
        ("0.4 + 0.7 = 1", SYMBOLIC),
    ],
)
def test_kinds(text, kind):
    row = _row(text)["equation"]
    assert read_equation(row["func"], row["vars"]) == (parse_equation(text), kind)


@pytest.mark.parametrize(
    ("functions", "values", "text", "kind"),
    [
        # Numbers under other names, and negative ones in one leaf.
        ("Equality,sin,Float,#,#,#,Float,#,#", ",,-2.5,#,#,#,-0.6,#,#", "sin(-2.5) = -0.6", EVALUATION),
        ("Equality,sin,NegativeOne,#,#,#,Float,#,#", ",,-1,#,#,#,-0.84,#,#", "sin(-1.00) = -0.84", EVALUATION),
        ("Equality,sin,Rational,#,#,#,Number,#,#", ",,5/2,#,#,#,0.6,#,#", "sin(2.5) = 0.6", EVALUATION),
        # A decoder above the sides, a marker in place of the literal.
        ("Equality,NumberDecoder,sin,Number,#,#,#,#,MSEnumber,#,#", ",,,2.,#,#,#,#,.91,#,#",
         "sin(2.00) = 0.91", EVALUATION),
        # Values that are not our constants in symbolic equations.
        ("Equality,Symbol,#,#,Rational,#,#", ",var_0,#,#,2/3,#,#", "x = 2 / 3", SYMBOLIC),
        ("Equality,Symbol,#,#,Rational,#,#", ",var_0,#,#,-3/2,#,#", "x = -(3 / 2)", SYMBOLIC),
        ("Equality,Symbol,#,#,Float,#,#", ",var_0,#,#,0.40,#,#", "x = 0.4", SYMBOLIC),
        # A logarithm to a base.
        ("Equality,log,Symbol,#,#,Integer,#,#,One,#,#", ",,var_0,#,#,10,#,#,1,#,#", "log(x) / log(10) = 1", SYMBOLIC),
    ],
)  # fmt: skip
def test_other_spellings(functions, values, text, kind):
    assert _interpreted(functions, values) == (text, kind)


MALFORMED_TREES = {
    "unknown function": ("Equality,gamma,Symbol,#,#,#,One,#,#", ",,var_0,#,#,#,1,#,#", "'gamma' is not a function"),
    "unknown leaf": ("Equality,NaN,#,#,One,#,#", ",nan,#,#,1,#,#", "'NaN' is unknown"),
    "too short": ("Equality,sin,Symbol,#,#,#", ",,var_0,#,#,#", "ends before the tree is complete"),
    "too long": ("Equality,One,#,#,One,#,#,#", ",1,#,#,1,#,#,#", "goes on after"),
    "unequal": ("Equality,One,#,#,One,#,#", ",1,#,#,1,#", "7 entries and 'vars' 6"),
    "one side": ("Equality,One,#,#,#", ",1,#,#,#", "root must be Equality"),
    "arity": ("Equality,Add,One,#,#,#,One,#,#", ",,1,#,#,#,1,#,#", "'Add' takes 2"),
    "second without first": ("Equality,sin,#,One,#,#,One,#,#", ",,#,1,#,#,1,#,#", "second argument without a first"),
    "variable": ("Equality,Symbol,#,#,One,#,#", ",theta,#,#,1,#,#", "'theta' is not of the form var_0"),
    "zero below": ("Equality,Rational,#,#,One,#,#", ",1/0,#,#,1,#,#", "'1/0' is not a number"),
    "digits": ("Equality,Integer,#,#,One,#,#", ",1234567890123,#,#,1,#,#", "at most 12 digits"),
    "exponent": ("Equality,Float,#,#,One,#,#", ",1e99999999,#,#,1,#,#", "is not a number"),
    "nesting": (
        ",".join(["Equality", *["sin"] * 200, "One", *["#"] * 202, "One,#,#"]),
        ",".join(["", *[""] * 200, "1", *["#"] * 202, "1,#,#"]),
        "nested more than 100 deep",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED_TREES)
def test_malformed_trees_are_told_with_their_place(tmp_path, name):
    functions, values, words = MALFORMED_TREES[name]
    path = _file(tmp_path, [[], [_row("x = x"), _row("x = y", "0"), _raw_row(functions, values)]])
    with pytest.raises(InputError, match=words) as caught:
        read_release(path)
    assert str(caught.value).startswith(f"{path}, group 1, equation 2: ")
    assert "\n" not in str(caught.value)


def test_records_are_counted_by_kind_and_what_is_left_out_is_counted(tmp_path):
    groups = [[_row("sin(x + 1) = y", "0"), _row(EVERY_FUNCTION, "0")], [_row("2.5 = 2.50"), _row("sin(x) = cos(x)")]]
    groups += [[_row("x = x"), _row("x = y", "0"), _row("x = x"), _row("x = y"), _row("x = x"), _row("y = x", "0")]]
    release = read_release(_file(tmp_path, groups))
    assert [(record.id, record.depth, record.label, record.origin) for record in release.records] == [
        ("s0", 3, 0, "authors"), ("n0", 1, 1, "authors"), ("s1", 2, 1, "authors"), ("s2", 1, 1, "authors"),
        ("s3", 1, 0, "authors"), ("s4", 1, 0, "authors"),
    ]  # fmt: skip
    assert (release.artificial, release.duplicates, release.conflicts) == (1, 2, 1)


@pytest.fixture
def run(monkeypatch, capsys, tmp_path_factory):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path_factory.getbasetemp() / "authors-cache")

    def run(*words):
        code = command_line.main(["import-authors", *map(str, words)])
        return code, *capsys.readouterr()

    return run


def test_importing_a_file(run, tmp_path):
    groups = [
        [_row(EVERY_FUNCTION, "0")],
        [_row("x = x"), _row("x = x"), _row("2.5 = 2.5")],
        [_row("x + y = y + x"), _row("sin(2.5) = 0.6"), _row("sin(2.5) = -1 * 0.6", "0"), _row("x + 0 = y", "0")],
        [_row("csc(x) = sin(x)^(-1)"), _row("sin(-1 * 2.5) = 0.6")],
        [_row("sin(x) = sqrt(1 - cos(x)^2)"), _row("sec(x) = csc(1/2 * pi - x)", "0"), _row("1 / 0 = 2", "0")],
        [_row("asin(x) + acos(x) = 1/2 * pi"), _row("2.5 = 2 * 10^(-1) + 5 * 10^0")],
        [
            _row("0.04 * (-1) = cot(1.61)"),
            _row("0.05 * (-1) = cot(1.61)", "0"),
            _row("2.5 * (-1) = -(2 * 10^0 + 5 / 10)"),
            _row("3.1 = (-1)^10 + 3"),
        ],
        [],
    ]
    out = tmp_path / "out"
    code, printed, complaints = run(_file(tmp_path, groups), "--out", out, "--workers", 1)
    assert (code, complaints) == (0, "")
    dataset = load(out)
    assert (len(dataset.symbolic), len(dataset.numeric)) == (8, 9)
    assert {record.origin for record in dataset.symbolic + dataset.numeric} == {"authors"}
    assert [record.equation for record in read_records(out / "unsure.jsonl.gz")] == [
        parse_equation("asin(x) + acos(x) = 1/2 * pi")
    ]
    contradictions = [json.loads(line) for line in (out / "contradictions.jsonl").read_text().splitlines()]
    assert [(one["equation"], one["label"], one["verdict"]) for one in contradictions] == [
        ("sin(-2.5) = 0.6", 1, "INCORRECT"),
        ("sin(x) = sqrt(1 - cos(x)^2)", 1, "INCORRECT"),
        ("sec(x) = csc(1/2 * pi - x)", 0, "CORRECT"),
    ]
    wrong_trees = [json.loads(line) for line in (out / "wrong-decimal-trees.jsonl").read_text().splitlines()]
    assert [(row["equation"], row["powers_are_swapped"]) for row in wrong_trees] == [
        ("2.5 = 2 / 10 + 5 * 10^0", False), ("3.1 = (-1)^10 + 3", True),
    ]  # fmt: skip
    assert "decimal trees that are not their number, all of them in wrong-decimal-trees.jsonl: 2 of 3\n" in printed
    assert "of those, right with n^10 read as 10^n: 1\n" in printed
    assert "labels that our judges contradict, all of them in contradictions.jsonl: 3\n" in printed
    assert contradictions[1]["evidence"].startswith("at x = -0.46 the left side is -0.44")
    assert all(f"label {one['label']}: {one['equation']}\n    {one['verdict']}: " in printed for one in contradictions)
    assert "left out: 1 artificial, 1 met before, 0 met before with the other label" in printed
    assert [line.split() for line in printed.splitlines() if line.startswith(("1, ", "0, "))] == [
        ["1,", "correct", "12", "7", "4", "1", "0"],
        ["0,", "incorrect", "5", "1", "3", "0", "1"],
    ]  # fmt: skip
    assert load_split(out, "strict", 4).train
    assert json.loads((out / "statistics.json").read_text())["numeric"]["by_kind"] == {"decimal": 3, "evaluation": 6}


MALFORMED_FILES = {
    "not JSON": (b"[[1, 2", "line 1, column 7: not JSON"),
    "not UTF-8": (b'[["\xff"]]', "line 1, column 4: "),
    "a flat list": ([_row("x = x")], "0 is "),
    "an equation of text": ([[{"equation": "x = x", "label": "1"}]], "0.0.equation is 'x = x', not an object"),
    "label 2": ([[_row("x = x"), _row("x = x", "2")]], "group 0, equation 1: the label is '2', not 0 or 1"),
    "label true": ([[_row("x = x", True)]], "0.0.label is 'True'"),
    "only the artificial one": ([[_row(EVERY_FUNCTION)]], "no equation in this file"),
    "missing": (None, "there is no such file"),
}


@pytest.mark.parametrize("name", MALFORMED_FILES)
def test_malformed_files_are_one_sentence_and_write_nothing(run, tmp_path, name):
    content, words = MALFORMED_FILES[name]
    path = tmp_path / "missing.json" if content is None else _file(tmp_path, content)
    code, printed, complaints = run(path, "--out", tmp_path / "out")
    assert (code, printed) == (2, "")
    assert complaints.startswith(f"error: {path}")
    assert complaints.count("\n") == 1
    assert words in complaints
    assert not (tmp_path / "out").exists()
