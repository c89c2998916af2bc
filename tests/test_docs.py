"""Commands of README and docs parse, the quick start gives the output that stands there, links lead somewhere."""

import contextlib
import io
import re
import shlex
import subprocess
import sys

import pytest

from reproduction.__main__ import COMMANDS, build_parser, take_places
from reproduction.artifacts import ROOT
from reproduction.report.registry import outputs

PAGES = sorted(
    [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LEADERBOARD.md")]
    + list((ROOT / "docs").glob("*.md"))
)
SAMPLES = {  # what stands for the names of these pages' examples
    "NAME": "experiments", "STAGE": "data", "STUDY": "experiments", "FILE.json": "hard", "N": "1",
}  # fmt: skip
CALL = re.compile(r"(?:python -m reproduction|\./run_all\.sh)(?: [^`\n]*)?")


def calls() -> list[tuple[str, str]]:
    """(page, command) of all code lines and code spans, without comments; continued lines as one."""
    found = []
    for page in PAGES:
        text = page.read_text("utf-8").replace("\\\n", " ")
        indented = re.findall(r"^ {4,}.*$", text, re.MULTILINE)
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"^ {4,}.*$", "", text, flags=re.MULTILINE))
        found += [(page.name, match[0].strip()) for line in (*indented, *spans) if (match := CALL.search(line))]
    return list(dict.fromkeys(found))


def words_of(command: str) -> list[str]:
    words = shlex.split(command, comments=True)
    return [SAMPLES.get(word, word) for word in words if word != "…"]


@pytest.fixture(scope="module")
def shell_names() -> set[str]:
    """Stages and commands as run_all.sh lists them, tables and figures, and the two words of its usage."""
    shown = subprocess.run(["bash", "run_all.sh", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {*re.findall(r"^  ([a-z][a-z-]*) ", shown, re.MULTILINE), "smoke", "help", *outputs()}


PYTHON = [each for each in calls() if "python -m reproduction" in each[1]]
SHELL = [each for each in calls() if each[1].startswith("./run_all.sh")]


@pytest.mark.parametrize(("page", "command"), PYTHON, ids=[" ".join(each) for each in PYTHON])
def test_a_command_parses(page, command):
    _, words = take_places(words_of(command)[3:])
    if len(words) < 2:  # only a name, in a sentence
        assert set(words) <= {*COMMANDS, "COMMAND"}, f"{page}: there is no such command"
        return
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint), contextlib.redirect_stdout(io.StringIO()):
            build_parser(words[0]).parse_args(words)
    except SystemExit as ending:
        assert ending.code == 0, f"{page}: {command}\n{complaint.getvalue()}"


@pytest.mark.parametrize(("page", "command"), SHELL, ids=[" ".join(each) for each in SHELL])
def test_a_line_of_the_shell_names_what_there_is(page, command, shell_names):
    words = words_of(command)[1:]
    named, before = [], ""
    for word in words:
        if before not in ("--seeds", "--recipe", "--workspace") and not word.startswith("-"):
            named.append(word)
        elif word.startswith("-") and word not in ("--seeds", "--recipe", "--workspace"):
            break  # what follows is for the command of a stage
        before = word
    assert set(named) <= shell_names, f"{page}: {command}"


def shown() -> list[tuple[str, str]]:
    """(command, output) of README's quick start and of the first section of the domain's page."""
    readme = (ROOT / "README.md").read_text("utf-8").partition("## Quick start")[2].partition("\n## ")[0]
    domain = (ROOT / "docs/own-domain.md").read_text("utf-8").partition("## 1. ")[2].partition("\n## ")[0]
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in (readme + domain).splitlines():
        text = line.removeprefix("    ").removeprefix("$ ")
        if line.strip() and (text == line or re.match(r"\S*python -m reproduction|\./run_all\.sh|sudo ", text)):
            found.append((text if text != line else "", []))
        else:
            found[-1][1].append(text)
    return [(command, "\n".join(output).strip()) for command, output in found if command and any(output)]


@pytest.mark.parametrize(("command", "output"), shown(), ids=[command for command, _ in shown()])
def test_what_is_shown_below_a_command_is_its_output(command, output):
    words = [sys.executable, *shlex.split(command)[1:]]
    assert subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() == output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    prose = re.sub(r"`[^`]*`", "", page.read_text("utf-8"))
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []
