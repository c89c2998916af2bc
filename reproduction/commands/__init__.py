"""One module a command: HELP, add_arguments(parser) and run(arguments)."""

from ..errors import InputError
from ..language.grammar import EXTRA_FUNCTIONS


def extra_functions(arguments) -> tuple[str, ...]:
    """The functions beyond Table 1 that the command line switched on."""
    names = tuple(name.strip() for name in arguments.extra_functions.split(",") if name.strip())
    for name in names:
        if name not in EXTRA_FUNCTIONS:
            raise InputError(f"--extra-functions: {name!r} is not one of {', '.join(EXTRA_FUNCTIONS)}")
    return names


def positive_integer(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number
