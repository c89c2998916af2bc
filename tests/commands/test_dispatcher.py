"""The command line: every command in its group of the help, places that stand anywhere, exit code 2 for the rest."""

import os
import subprocess
import sys

import pytest

from reproduction.__main__ import COMMANDS, GROUPS, main, take_places
from reproduction.artifacts import ROOT


def ending_of(words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    return caught.value.code, *capsys.readouterr()


def test_help_shows_every_command_with_its_sentence_in_its_group(capsys):
    code, shown, _ = ending_of(["--help"], capsys)
    assert code == 0
    for group, commands in GROUPS.items():
        lines = shown.partition(f"\n{group}:\n")[2].splitlines()
        for (name, (_, sentence)), line in zip(commands.items(), lines, strict=False):
            assert line.split() == [name, *sentence.split()]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help(name, capsys):
    code, shown, _ = ending_of([name, "--help"], capsys)
    assert code == 0 and "--workspace" in shown


@pytest.mark.parametrize(
    "words",
    [[], ["chek"], ["check", "--nonsense"], ["check", "x = x", "--works", "."], ["check", "x = x", "--workspace"]],
)
def test_what_is_no_command_is_refused(words, capsys):
    code, shown, complaint = ending_of(words, capsys)
    assert (code, shown) == (2, "") and "usage: " in complaint and "Traceback" not in complaint


@pytest.mark.parametrize(
    ("words", "workspace", "others"),
    [
        (["--workspace", "mine", "check", "x = x"], "mine", ["check", "x = x"]),
        (["check", "--workspace=my own", "x = x"], "my own", ["check", "x = x"]),
        (["check", "x = x", "--workspace", "mine", "-x=y"], "mine", ["check", "x = x", "-x=y"]),
        (["check", "--", "x = x", "--workspace", "mine"], None, ["check", "--", "x = x", "--workspace", "mine"]),
    ],
)
def test_the_workspace_is_named_anywhere(words, workspace, others):
    places, rest = take_places(words)
    assert (places.workspace, rest) == (workspace, others)


def test_the_command_line_as_a_program(tmp_path):
    """One real process: the exit code and the sentence reach the shell, and no traceback."""
    environment = {**os.environ, "REPRODUCTION_WORKSPACE": str(tmp_path / "mine"), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "reproduction", "generate", "--axioms", "nowhere.txt"]
    done = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: nowhere.txt: there is no such file\n"
    assert list(tmp_path.iterdir()) == []
