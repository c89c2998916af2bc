"""The command line: every command in its group of the help, and exit code 2 for what is none."""

import pytest

from reproduction import VERSION
from reproduction.__main__ import COMMANDS, GROUPS, command_module, main


def ending_of(words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(words)
    return caught.value.code, *capsys.readouterr()


def test_help_shows_every_command_with_its_sentence_in_its_group(capsys):
    code, shown, _ = ending_of(["--help"], capsys)
    assert code == 0
    for group, names in GROUPS.items():
        lines = shown.partition(f"\n{group}:\n")[2].splitlines()
        for name, line in zip(names, lines, strict=False):
            assert line.split() == [name, *command_module(name).HELP.split()]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help(name, capsys):
    code, shown, _ = ending_of([name, "--help"], capsys)
    assert code == 0 and "--workspace" in shown


def test_the_version_is_that_of_the_package(capsys):
    code, shown, _ = ending_of(["--version"], capsys)
    assert code == 0 and shown.split()[-1] == VERSION


@pytest.mark.parametrize("words", [[], ["chek"], ["check", "--nonsense"]])
def test_what_is_no_command_is_refused(words, capsys):
    code, shown, complaint = ending_of(words, capsys)
    assert (code, shown) == (2, "") and "Traceback" not in complaint
