"""The command line: `python -m reproduction COMMAND`. Commands are imported when they are called for."""

import argparse
import importlib
import sys

from .errors import InputError

COMMANDS = (
    "check",
    "generate",
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
    "evaluate-completion",
    "complete",
    "tables",
    "figures",
    "report",
    "benchmark",
)


def command_module(name: str):
    return importlib.import_module(f"reproduction.commands.{name.replace('-', '_')}")


def build_parser(only: str | None) -> argparse.ArgumentParser:
    """The parser; with a command's name given, only that command's module is imported."""
    parser = argparse.ArgumentParser(prog="python -m reproduction", description="Verify and complete equations.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else COMMANDS:
        module = command_module(name)
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(words: list[str]) -> int:
    """The exit code: 0 for done, 2 for input that cannot be used, 130 when interrupted."""
    named = next((word for word in words if not word.startswith("-")), None)
    arguments = build_parser(named if named in COMMANDS else None).parse_args(words)
    try:
        return arguments.run(arguments) or 0
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print("interrupted; start the same command again to go on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
