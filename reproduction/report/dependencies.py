"""The packages that the project uses itself, with their reasons, as the requirements files state them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .. import artifacts
from .tables.formats import Row, Table, plain_table

FILES = ("requirements/cpu.txt", "requirements/run.txt", "requirements/check.txt")
INDIRECT = "# --- what those need ---"  # from here on a file lists what the packages above it drag in

_LINE = re.compile(
    r"(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?:; python_version (?P<python>[^#]*?))?\s*# (?P<reason>.*)"
)


_HASHED = re.compile(r"# (.*)\n([\w.-]+==\S+) \\\n")  # the reason stands above a package with its hashes


class Dependency(NamedTuple):
    """A package, its version (for some versions of Python only), and what it is for."""

    name: str
    version: str
    reason: str


def read_dependencies() -> Iterator[Dependency]:
    """Every package that is imported or run here, in the order of the files."""
    for name in FILES:
        text = _HASHED.sub(r"\2  # \1\n", artifacts.read_text(artifacts.ROOT / name))
        direct = text.partition(INDIRECT)[0]
        for found in filter(None, map(_LINE.fullmatch, direct.split("\n"))):
            python = f" (Python {found['python'].strip().replace(chr(34), '')})" if found["python"] else ""
            yield Dependency(found["name"], found["version"] + python, found["reason"])


def dependencies_table() -> Table:
    rows = (Row(each.name, (each.version, each.reason)) for each in read_dependencies())
    return plain_table("dependencies", "Dependencies", ("Package", "Version", "Why"), rows)
