"""The command line: `python -m reproduction COMMAND`, or `reproduction COMMAND` where the package is installed."""

import signal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Control-C during the imports below ends without a traceback

import argparse
import importlib
import io
import os
import sys
from pathlib import Path

from . import VERSION, artifacts, errors, models
from .errors import InputError

# Every command in its group: the module in commands/ that has add_NAME and NAME, and what it does.
GROUPS = {
    "use": {
        "check": ("use", "say whether equations are correct, and why"),
        "verify": ("use", "say how probable a trained network finds equations, beside the judges' verdict"),
        "complete": ("use", "fill the blank in an equation with a trained network and the judges"),
        "evaluate": ("use", "score the model of a finished run on a data set"),
        "serve": ("use", "serve a page that verifies and completes equations while you type"),
    },
    "data": {
        "generate": ("data", "make the data set of correct and incorrect equations"),
        "export": ("report", "write a data set as plain files for other frameworks"),
        "recheck": ("report", "judge every equation of a data set again and compare the verdicts with the labels"),
        "import-authors": ("data", "read a data file of the paper's authors into our format and check its labels"),
        "baselines": ("report", "score majority, Sympy, a bag of symbols and a lookup on every stored split"),
    },
    "train": {
        "train": ("train", "train one model on one split; started again after a kill it goes on"),
        "score": ("study", "score finished runs on blanks and deeper equations, or a file of anybody's predictions"),
        "keep-best": ("study", "copy, for each network, the run on the random split that is best on dev"),
        "showcase": ("train", "make, train and judge a network worth using, apart from the paper's tables"),
        "benchmark": ("train", "measure training and inference speed, on one core"),
    },
    "study": {"study": ("study", "train what a study asks for, several at a time, and keep a row of every training")},
    "report": {"report": ("report", "write tables, figures and report.html, one page with everything in it")},
}
COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}
INSTALLED = GROUPS["use"]  # what works without a checkout
STARTING = ("generate", "import-authors", "train", "study")  # may make their workspace
WORKSPACE = "--workspace"


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser, with the options of the one command that is named: only its module is imported."""
    known = INSTALLED if artifacts.IS_INSTALLED else COMMANDS
    parser = argparse.ArgumentParser(
        prog="reproduction" if artifacts.IS_INSTALLED else "python -m reproduction",
        description="Verify and complete equations with neural networks.",
        epilog=None if only else _commands_in_groups(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")
    _add_places(parser)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else known:
        module, sentence = COMMANDS[name]
        subparser = subparsers.add_parser(name, description=sentence, allow_abbrev=False)
        if only:
            commands = importlib.import_module(f"reproduction.commands.{module}")
            function = name.replace("-", "_")
            getattr(commands, f"add_{function}")(subparser)
            subparser.set_defaults(run=getattr(commands, function))
        _add_places(subparser)
    return parser


def _commands_in_groups() -> str:
    """The lines of `--help` that name every command with its sentence."""
    lines = []
    for group, commands in {"use": INSTALLED}.items() if artifacts.IS_INSTALLED else GROUPS.items():
        lines += [f"{group}:", *(f"  {name:<20} {sentence}" for name, (_, sentence) in commands.items()), ""]
    return "\n".join(lines) + "`COMMAND --help` shows the options of a command."


def _add_places(parser: argparse.ArgumentParser) -> None:
    """Adds the options that stand anywhere; `take_places` reads them first, as they change the defaults of others."""
    text = f"where data, runs and figures are (default: ${artifacts.WORKSPACE}, or the project)"
    parser.add_argument(WORKSPACE, metavar="DIR", help=text)
    text = f"a Python file that adds networks, cells, studies or outputs (default: ${models.EXTENSIONS})"
    parser.add_argument("--extension", metavar="FILE", action="append", default=[], help=text)


def take_places(words: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The workspace and the extensions that are named before a `--`, and the other words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    _add_places(parser)
    return parser.parse_known_args(words)


def enter_workspace(named: str | None, command: str | None) -> None:
    """Makes the directory of the option or the variable the workspace of this process and of those it starts."""
    workspace = named if named is not None else os.environ.get(artifacts.WORKSPACE) or None
    if workspace is None:
        return
    if not workspace or Path(workspace).is_file():
        raise InputError(f"{WORKSPACE} {workspace!r}: not a directory")
    if not Path(workspace).exists() and command not in STARTING:
        begin = f"`python -m reproduction generate {WORKSPACE} {workspace}` begins one"
        raise InputError(f"{WORKSPACE} {workspace}: there is no such directory; {begin}")
    os.environ[artifacts.WORKSPACE] = str(artifacts.resolved(workspace))
    artifacts.enter(workspace)


def main(words: list[str]) -> int:
    """The exit code: 0 for done, 2 for input that cannot be used, and those of `errors`."""
    return errors.ended(lambda: _run(words))


def _run(words: list[str]) -> int | None:
    places, words = take_places(words)
    for file in places.extension:
        models.add_extension(file)
    named = next((word for word in words if not word.startswith("-")), None)
    enter_workspace(places.workspace, named)
    models.load_extensions()
    if artifacts.IS_INSTALLED and named in COMMANDS and named not in INSTALLED:
        there = ", ".join(INSTALLED)
        raise InputError(f"{named}: needs a checkout of the project (./run_all.sh); an installed package has {there}")
    arguments = build_parser(named if named in COMMANDS else None).parse_args(words)
    return arguments.run(arguments)


def program() -> None:
    """The whole life of a process that runs a command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character shows its number
    sys.exit(errors.watched(lambda: main(sys.argv[1:])))


if __name__ == "__main__":
    program()
