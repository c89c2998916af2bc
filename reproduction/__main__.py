"""The command line: `python -m reproduction COMMAND`. Commands are imported when they are called for."""

import signal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # imports that Control-C cuts short end without a traceback

import argparse
import importlib
import os
import sys
from pathlib import Path

from . import artifacts, endings
from .errors import InputError

COMMANDS = (
    "check",
    "generate",
    "splits",
    "recheck",
    "import-authors",
    "train",
    "evaluate",
    "baselines",
    "experiments",
    "keep-best",
    "showcase",
    "deep",
    "remedies",
    "ablate",
    "search",
    "data-study",
    "ladder",
    "protocol",
    "evaluate-completion",
    "verify",
    "complete",
    "serve",
    "tables",
    "figures",
    "report",
    "benchmark",
)
STARTING = ("generate", "import-authors", "train", "experiments", "ladder")  # a workspace that is not there is made
WORKSPACE = "--workspace"


def command_module(name: str):
    return importlib.import_module(f"reproduction.commands.{name.replace('-', '_')}")


def build_parser(only: str | None) -> argparse.ArgumentParser:
    """The parser; with a command's name given, only that command's module is imported."""
    parser = argparse.ArgumentParser(prog="python -m reproduction", description="Verify and complete equations.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    add_workspace(parser)
    for name in [only] if only else COMMANDS:
        module = command_module(name)
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(subparser)
        add_workspace(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """The option for those who ask for help; `take_workspace` has taken it when a parser sees the words."""
    text = f"where data, runs and figures are (default: ${artifacts.WORKSPACE}, or the project)"
    parser.add_argument(WORKSPACE, type=_cut_short, metavar="DIR", help=text)


def _cut_short(text: str) -> str:
    raise argparse.ArgumentTypeError(f"write {WORKSPACE} out, once")


def take_workspace(words: list[str]) -> tuple[str | None, list[str]]:
    """The workspace that the words name, anywhere before a `--`, and the other words."""
    end = words.index("--") if "--" in words else len(words)
    for position, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        if name == WORKSPACE and equals:
            return value, words[:position] + words[position + 1 :]
        if name == WORKSPACE and position + 1 < end:
            return words[position + 1], words[:position] + words[position + 2 :]
    return None, words


def enter_workspace(named: str | None, command: str | None) -> None:
    """Makes the workspace that the option or the variable names that of this process; refuses one that is not there."""
    workspace = named if named is not None else os.environ.get(artifacts.WORKSPACE) or None
    if workspace is None:
        return
    if not workspace or (Path(workspace).exists() and not Path(workspace).is_dir()):
        raise InputError(f"{WORKSPACE} {workspace!r}: not a directory")
    if not artifacts.is_utf_8(workspace):
        raise InputError(f"{WORKSPACE} {workspace!r}: no name in UTF-8, as MXNet needs it")
    if not Path(workspace).exists() and command not in STARTING:
        begin = f"`python -m reproduction generate {WORKSPACE} {workspace}` begins one"
        raise InputError(f"{WORKSPACE} {workspace}: there is no such directory; {begin}")
    os.environ[artifacts.WORKSPACE] = str(artifacts.resolved(workspace))  # for the processes that are started
    artifacts.enter(workspace)


def main(words: list[str]) -> int:
    """The exit code: 0 for done, 2 for input that cannot be used, and those of `endings`."""
    return endings.ended(lambda: _run(words))


def _run(words: list[str]) -> int | None:
    workspace, words = take_workspace(words)
    named = next((word for word in words if not word.startswith("-")), None)
    enter_workspace(workspace, named)
    arguments = build_parser(named if named in COMMANDS else None).parse_args(words)
    return arguments.run(arguments)


if __name__ == "__main__":
    endings.complete_streams()
    sys.exit(endings.watched(lambda: main(sys.argv[1:])))
