"""What argparse reads words with: whole numbers in bounds, and names of files and directories."""

import argparse
from collections.abc import Callable
from pathlib import Path

from . import artifacts
from .errors import excerpt


def place(text: str) -> Path:
    """argparse type: the name of a file or a directory; no name at all is refused."""
    if not text.strip():
        raise argparse.ArgumentTypeError("an empty name is no place (. is the current directory)")
    if not artifacts.is_utf_8(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name in UTF-8, as MXNet needs it")
    return Path(text)


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """argparse type: a whole number in [least, most]."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            allowed = f"a whole number from {least} to {most}"
            raise argparse.ArgumentTypeError(f"{excerpt(text)!r} should be {allowed}")
        return number

    return read


positive_integer = whole_number(1, 2**31)
