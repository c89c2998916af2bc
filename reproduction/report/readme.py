"""The parts of README and docs that are made, not typed: what stands between two markers is rewritten.

Every table can stand there under its name, and what is no result of a training: dependencies, deviations, campaigns.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

from .. import artifacts, shapes
from ..data.export import card
from ..errors import InputError
from .formats import Row, Table, plain_table, to_markdown
from .outputs.ablation import claim_sentence
from .outputs.search import search_sentence
from .outputs.verdicts import claim_table
from .registry import chosen, make, outputs
from .results import Archive

# ------------------------------------------------------------------------------------------------ dependencies

REQUIREMENTS = ("requirements/cpu.txt", "requirements/run.txt", "requirements/check.txt")
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
    for name in REQUIREMENTS:
        text = _HASHED.sub(r"\2  # \1\n", artifacts.read_text(artifacts.ROOT / name))
        direct = text.partition(INDIRECT)[0]
        for found in filter(None, map(_LINE.fullmatch, direct.split("\n"))):
            python = f" (Python {found['python'].strip().replace(chr(34), '')})" if found["python"] else ""
            yield Dependency(found["name"], found["version"] + python, found["reason"])


def dependencies_table() -> Table:
    rows = (Row(each.name, (each.version, each.reason)) for each in read_dependencies())
    return plain_table("dependencies", "Dependencies", ("Package", "Version", "Why"), rows)


# ------------------------------------------------------------------------------------------------ deviations

LIST = Path(__file__).with_name("deviations.json")


class Deviation(NamedTuple):
    """A topic, what the paper or its release does, what we do, and the reason."""

    topic: str
    theirs: str
    ours: str
    reason: str


def read_deviations() -> tuple[Deviation, ...]:
    return shapes.read(tuple[Deviation, ...], LIST)


def deviations_table() -> Table:
    rows = (Row(deviation.topic, deviation[1:]) for deviation in read_deviations())
    columns = ("Topic", "The paper or its release", "Here", "Why")
    return plain_table("deviations", "Deviations from the paper", columns, rows)


# ------------------------------------------------------------------------------------------------ campaigns

CAMPAIGNS = artifacts.ROOT / "docs" / "reliability"


class Campaign(TypedDict):
    """A file of docs/reliability."""

    campaign: str
    command: str
    code: str  # the commit that it was run on
    attempts: int
    counts: dict[str, int]
    findings_in_all: int


def _outcomes(counts: dict[str, int]) -> str:
    """`2,092 refused, 308 harmless`: how attempts ended, or what they were on, without what stands behind."""
    ends: Counter[str] = Counter()
    for name, count in counts.items():
        ends[name.partition(" (")[0].partition(",")[0].partition(":")[0]] += count
    return ", ".join(f"{count:,} {name}" for name, count in ends.most_common())


def reliability_table() -> Table:
    """Every campaign that was run, with the command that runs it again."""
    found = [shapes.read(Campaign, path) for path in sorted(CAMPAIGNS.glob("*.json"))]
    rows = (
        Row(each["campaign"], (f"{each['attempts']:,}", _outcomes(each["counts"]), str(each["findings_in_all"]),
                               f"`{each['command']}`", each["code"]))
        for each in found
    )  # fmt: skip
    headings = ("Campaign", "Attempts", "What they were or how they ended", "Findings", "Command", "Run on commit")
    return plain_table("reliability", "Campaigns", headings, rows)


# ------------------------------------------------------------------------------------------------ marked parts

NO_ABLATION = "Whether Adam is best is not decided yet: `./run_all.sh ablation` compares the optimizers."
NO_SEARCH = "The paper's space is not searched yet: `./run_all.sh search` does it."


def _without_heading(table: Table) -> str:
    return to_markdown(table).split("\n", 2)[2].strip()


def _first_section(table: Table) -> str:
    return _without_heading(table._replace(sections=table.sections[:1]))


def data_card(archive: Archive) -> str:
    """The card of the data set beside the results, without the head that an export has."""
    manifest, dataset = archive.manifest(), archive.dataset
    return card(dataset, manifest, ()).strip() if manifest and dataset else "There is no data set yet."


SPECIAL: dict[str, Callable[[Archive], str]] = {
    "claims": lambda archive: _without_heading(claim_table(archive)),
    "adam": lambda archive: claim_sentence(archive) or NO_ABLATION,
    "search": lambda archive: search_sentence(archive) or NO_SEARCH,
    "deviations": lambda archive: _without_heading(deviations_table()),
    "dependencies": lambda archive: _without_heading(dependencies_table()),
    "reliability": lambda archive: _without_heading(reliability_table()),
    "data-card": lambda archive: data_card(archive),
}
SHORT = ("table-3", "table-4")  # tables of which the first section is shown
OTHER_NAMES = {"fingerprints": "table-fingerprints"}  # of tables that stand under a shorter name
DOCS = ("details", "deviations", "dependencies", "reliability", "data-card")
FILES = tuple(artifacts.ROOT / name for name in ("README.md", "LEADERBOARD.md", *(f"docs/{name}.md" for name in DOCS)))


def part(name: str, archive: Archive) -> str:
    """What stands between the markers of this name."""
    if name in SPECIAL:
        return SPECIAL[name](archive)
    made = make(chosen([OTHER_NAMES.get(name, name)])[0], archive)
    if made.table is None:
        return made.missing
    return _first_section(made.table) if name in SHORT else _without_heading(made.table)


def part_names() -> list[str]:
    tables = (name for name, each in outputs().items() if each.kind == "table")
    return [*SPECIAL, *OTHER_NAMES, *tables]


def rewritten(text: str, archive: Archive, name: str = "the file") -> str:
    """The text with every marked part made anew; `<!-- claims:begin -->` and `<!-- claims:end -->` mark one."""
    for each in part_names():
        begin, end = f"<!-- {each}:begin -->", f"<!-- {each}:end -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        found = re.findall(f"{re.escape(begin)}|{re.escape(end)}", text)
        if (begin in found) != (end in found):
            raise InputError(f"{name}: of the markers {begin} and {end} only one is there")
        if found != [begin, end] * (len(found) // 2):
            raise InputError(f"{name}: the markers {begin} and {end} do not stand in turn, that of the beginning first")
        if found:
            made = f"{begin}\n{part(each, archive)}\n{end}".replace("\\", r"\\")
            text = pattern.sub(made, text)
    if not any(f"<!-- {each}:begin -->" in text for each in part_names()):
        raise InputError(
            f"{name}: no markers are there (allowed parts: {', '.join(part_names())}; <!-- claims:begin --> …)"
        )
    return text


def rewritten_files(paths: Sequence[Path], archive: Archive) -> dict[Path, str]:
    """The texts of all files, to be written; one without proper markers is refused."""
    return {path: rewritten(artifacts.read_text(path), archive, str(path)) for path in paths}
