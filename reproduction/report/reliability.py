"""What the campaigns against kills, damage, hostile texts and hard numbers counted, a row each."""

from collections import Counter
from typing import TypedDict

from .. import artifacts, shapes
from .tables.formats import Row, Table, plain_table

DIRECTORY = artifacts.ROOT / "docs" / "reliability"


class Campaign(TypedDict):
    """A file of docs/reliability."""

    campaign: str
    command: str
    attempts: int
    counts: dict[str, int]
    findings_in_all: int


def _outcomes(counts: dict[str, int]) -> str:
    """`2,092 refused, 308 harmless`: how attempts ended, or what they were on, without what stands behind."""
    ends = Counter()
    for name, count in counts.items():
        ends[name.partition(" (")[0].partition(",")[0].partition(":")[0]] += count
    return ", ".join(f"{count:,} {name}" for name, count in ends.most_common())


def reliability_table() -> Table:
    """Every campaign that was run, with the command that runs it again."""
    found = [shapes.read(Campaign, path) for path in sorted(DIRECTORY.glob("*.json"))]
    rows = (
        Row(each["campaign"], (f"{each['attempts']:,}", _outcomes(each["counts"]), str(each["findings_in_all"]),
                               f"`{each['command']}`"))
        for each in found
    )  # fmt: skip
    headings = ("Campaign", "Attempts", "What they were or how they ended", "Findings", "Command")
    return plain_table("reliability", "Campaigns", headings, rows)
