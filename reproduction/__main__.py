"""The command line: `python -m reproduction COMMAND`, or `reproduction COMMAND` where the package is installed."""

import signal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Control-C during the imports below ends without a traceback

import argparse
import importlib
import os
import sys
from pathlib import Path

from . import VERSION, artifacts, endings, extensions
from .errors import InputError

# Every command is the module of its name in commands/, imported when it is called for.
GROUPS = {
    "use": (
        "check",
        "verify",
        "complete",
        "evaluate",
        "serve",
    ),
    "data": (
        "generate",
        "export",
        "recheck",
        "import-authors",
        "baselines",
    ),
    "train": (
        "train",
        "score",
        "keep-best",
        "showcase",
        "benchmark",
    ),
    "study": ("study",),
    "report": ("report",),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
INSTALLED = GROUPS["use"]  # what works without a checkout
STARTING = ("generate", "import-authors", "train", "study")  # may make their workspace
WORKSPACE = "--workspace"


def command_module(name: str):
    return importlib.import_module(f"reproduction.commands.{name.replace('-', '_')}")


def build_parser(only: str | None) -> argparse.ArgumentParser:
    """The parser; with a command's name given, only that command's module is imported."""
    parser = argparse.ArgumentParser(
        prog="reproduction" if artifacts.IS_INSTALLED else "python -m reproduction",
        description="Verify and complete equations with neural networks.",
        epilog=None if only else _commands_in_groups(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    _add_workspace(parser)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else INSTALLED if artifacts.IS_INSTALLED else COMMANDS:
        module = command_module(name)
        subparser = subparsers.add_parser(name, description=module.HELP)
        module.add_arguments(subparser)
        _add_workspace(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def _commands_in_groups() -> str:
    """The lines of `--help` that name every command with its sentence."""
    lines = []
    for group, names in {"use": INSTALLED}.items() if artifacts.IS_INSTALLED else GROUPS.items():
        lines += [f"{group}:", *(f"  {name:<20} {command_module(name).HELP}" for name in names), ""]
    return "\n".join(lines) + "`COMMAND --help` shows the options of a command."


def _add_workspace(parser: argparse.ArgumentParser) -> None:
    """Shows the option in the help; `take_workspace` removes it from the words before they are parsed."""
    text = f"where data, runs and figures are (default: ${artifacts.WORKSPACE}, or the project)"
    parser.add_argument(WORKSPACE, type=_refuse_remains, metavar="DIR", help=text)
    text = f"a Python file that adds networks, cells, studies or outputs (default: ${extensions.VARIABLE})"
    parser.add_argument(extensions.OPTION, type=_refuse_remains, metavar="FILE", help=text)


def _refuse_remains(text: str) -> str:
    raise argparse.ArgumentTypeError("write the option out, once and with its value")


def take_workspace(words: list[str]) -> tuple[str | None, list[str]]:
    """The workspace that the words name, and the other words."""
    return take_option(WORKSPACE, words)


def take_option(option: str, words: list[str]) -> tuple[str | None, list[str]]:
    """The value of an option where the words first name it, anywhere before a `--`, and the other words."""
    end = words.index("--") if "--" in words else len(words)
    for position, word in enumerate(words[:end]):
        name, equals, value = word.partition("=")
        if name == option and equals:
            return value, words[:position] + words[position + 1 :]
        if name == option and position + 1 < end:
            return words[position + 1], words[:position] + words[position + 2 :]
    return None, words


def take_extensions(words: list[str]) -> list[str]:
    """The words without the files of extensions that they name, which are added to those of the environment."""
    file, words = take_option(extensions.OPTION, words)
    while file is not None:
        extensions.add(file)
        file, words = take_option(extensions.OPTION, words)
    return words


def enter_workspace(named: str | None, command: str | None) -> None:
    """Makes the directory of the option or the variable the workspace of this process and those it starts."""
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
    os.environ[artifacts.WORKSPACE] = str(artifacts.resolved(workspace))
    artifacts.enter(workspace)


def main(words: list[str]) -> int:
    """The exit code: 0 for done, 2 for input that cannot be used, and those of `endings`."""
    return endings.ended(lambda: _run(words))


def _run(words: list[str]) -> int | None:
    workspace, words = take_workspace(take_extensions(words))
    named = next((word for word in words if not word.startswith("-")), None)
    enter_workspace(workspace, named)
    extensions.load()
    if artifacts.IS_INSTALLED and named in COMMANDS and named not in INSTALLED:
        there = ", ".join(INSTALLED)
        raise InputError(f"{named}: needs a checkout of the project (./run_all.sh); an installed package has {there}")
    parser = build_parser(named if named in COMMANDS else None)
    if artifacts.IS_SMOKE and named in COMMANDS:
        after = words.index(named) + 1
        words = [*words[:after], *getattr(command_module(named), "SMOKE_OPTIONS", ()), *words[after:]]
    arguments = parser.parse_args(words)
    return arguments.run(arguments)


def program() -> None:
    """The whole life of a process that runs a command."""
    endings.complete_streams()
    sys.exit(endings.watched(lambda: main(sys.argv[1:])))


if __name__ == "__main__":
    program()
