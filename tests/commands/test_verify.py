"""`verify`: equations from the command line, files and standard input; answers for people and for programs."""

import io
import json
import os
import sys
import types

import pytest

from reproduction import artifacts
from reproduction.__main__ import main

NETWORK = ("--run", "tree-lstm+data")
LISTED = "\ufeff# some equations\n\n[a family]\nx + y = y + x  # right\r\ntheta = theta + 1\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(artifacts, "CACHE", tmp_path / "cache")


def typed(content: bytes, terminal: bool = False):
    """Something that passes for standard input."""
    return types.SimpleNamespace(buffer=io.BytesIO(content), isatty=lambda: terminal)


def rows(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_an_equation_gets_both_opinions(capsys):
    assert main(["verify", "x + y = y + x", "-x=x", *NETWORK]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "x + y = y + x"
    assert lines[1].startswith("  TreeLSTM + data  0.9")
    assert lines[1].endswith("  correct")
    assert lines[2].startswith("  judges           correct: Sympy proves it by auto-evaluation")
    assert lines[3] == "-x=x"
    assert lines[5] == "  judges           incorrect: at x = 0.63 the left side is -0.63 and the right side 0.63"


def test_a_file_as_json(capsys, tmp_path):
    path = tmp_path / "equations.txt"
    path.write_text(LISTED, encoding="utf-8")
    assert main(["verify", "0^(-1) = 1", "--file", str(path), "--json", *NETWORK]) == 0
    undefined, right, wrong = rows(capsys)
    assert list(right) == ["equation", "network_verdict", "probability", "judge_verdict", "evidence", "notes"]
    assert [row["judge_verdict"] for row in (undefined, right, wrong)] == ["undefined", "correct", "incorrect"]
    assert wrong["equation"] == "theta = theta + 1"
    assert wrong["notes"] == ["theta is read as x"]
    assert wrong["evidence"]["point"].keys() == {"theta"}
    assert right["probability"] > 0.5 > wrong["probability"] == round(wrong["probability"], 6)


@pytest.mark.parametrize("words", [(), ("-",)])
def test_standard_input(words, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", typed(LISTED.encode()))
    assert main(["verify", *words, "--json", "--network-only", *NETWORK]) == 0
    assert [row["judge_verdict"] for row in rows(capsys)] == [None, None]


def test_what_the_network_has_not_met_is_left_to_the_judges(capsys):
    assert main(["verify", "log(x) = x", "--json", *NETWORK]) == 0
    [row] = rows(capsys)
    assert (row["network_verdict"], row["probability"], row["judge_verdict"]) == (None, None, "incorrect")
    assert main(["verify", "log(x) = x", "--network-only", *NETWORK]) == 2
    assert "does not know the function log" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words", "answered"),
    [
        (b"x = x\n\nx = sin(\n", ", line 3, column 9: a number, a name or '(' is missing", ["x = x"]),
        (b"x = x\n  x + = x\n", ", line 2, column 7: a number, a name or '(' is missing: '=' stands here", ["x = x"]),
        (b"x + _ = 2\n", ", line 1, column 5: a blank stands here: `complete` fills it", []),
        (b"# nothing\n", ": no equation in it", []),
        (b"x = \xff\x00\n", ", line 1, column 5: not UTF-8", []),
        (b"x = " + b"x+" * 50_000 + b"x\n", ", line 1, column 50001: the text is longer than 50000", []),
    ],
)
def test_a_bad_line_is_reported_and_the_rest_answered(content, words, answered, capsys, tmp_path, monkeypatch):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", typed(content))
    for name, given in ((path, ["--file", str(path)]), ("standard input", [])):
        assert main(["verify", *given, "--network-only", "--json", *NETWORK]) == 2
        captured = capsys.readouterr()
        assert [json.loads(line)["equation"] for line in captured.out.splitlines()] == answered
        assert f"error: {name}{words}" in captured.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["x ="], "error: column 4: "),
        (["x = x", "x =", "--network-only"], "error: equation 2, column 4: "),
        (["x", "=", "x"], "error: an equation stands in quotes: verify 'x = x'"),
        (["a + b = c + d", "--network-only"], "error: TreeLSTM + data has too few variables (x, y, z) for a, b, c, d"),
        (["--file", "no-such.txt"], "error: no-such.txt: there is no such file"),
        ([], "error: no equation is given"),
    ],
)
def test_what_cannot_be_used_is_said(words, sentence, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", typed(b"", terminal=True))
    assert main(["verify", *words, *NETWORK]) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_a_pipe_is_a_file_of_equations(capsys):
    read, write = os.pipe()
    os.write(write, b"x = x\n")
    os.close(write)
    assert main(["verify", "--file", f"/dev/fd/{read}", *NETWORK, "--network-only", "--json"]) == 0
    os.close(read)
    assert [row["equation"] for row in rows(capsys)] == ["x = x"]
