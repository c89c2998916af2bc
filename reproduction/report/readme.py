"""The parts of README and docs that are made, not typed: what stands between two markers is rewritten.

Every table can stand there under its name, and what is no result of a training: dependencies, deviations, campaigns.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from .. import artifacts, shapes
from ..data.export import card
from ..errors import InputError
from .formats import Line, Table, section, to_markdown
from .outputs.verdicts import claim_table
from .registry import chosen, make
from .results import Archive

REQUIREMENTS = ("requirements/cpu.txt", "requirements/run.txt", "requirements/check.txt")
INDIRECT = "# --- what those need ---"  # from here on a file lists what the packages above it drag in
_LINE = re.compile(r"([\w.-]+)==([^\s;]+)(?:; python_version ([^#]*?))?\s*# (.*)")  # name, version, Python, reason
_HASHED = re.compile(r"# (.*)\n([\w.-]+==\S+) \\\n")  # the reason stands above a package with its hashes

DEVIATIONS = Path(__file__).with_name("deviations.json")
CAMPAIGNS = artifacts.ROOT / "docs" / "reliability"
DOCS = ("details", "deviations", "dependencies", "reliability", "data-card")
FILES = tuple(artifacts.ROOT / name for name in ("README.md", "LEADERBOARD.md", *(f"docs/{name}.md" for name in DOCS)))
SHORT = ("table-3", "table-4")  # tables of which the first section is shown
_MARK = re.compile(r"<!-- ([\w-]+):(begin|end) -->")
_MARKED = re.compile(r"(<!-- ([\w-]+):begin -->).*?(<!-- \2:end -->)", re.DOTALL)


def _dependencies() -> Iterator[Line]:
    """Every package that is imported or run here, its version (for some versions of Python only), what it is for."""
    for name in REQUIREMENTS:
        text = _HASHED.sub(r"\2  # \1\n", artifacts.read_text(artifacts.ROOT / name))
        for found in filter(None, map(_LINE.fullmatch, text.partition(INDIRECT)[0].split("\n"))):
            package, version, python, reason = found.groups()
            only = f" (Python {python.strip().replace(chr(34), '')})" if python else ""
            yield Line(package, (version + only, reason))


def dependencies_table() -> Table:
    return Table([section("", ("Package", "Version", "Why"), _dependencies())])


def deviations_table() -> Table:
    """A topic, what the paper or its release does, what we do, and the reason."""
    found = shapes.read(tuple[dict[str, str], ...], DEVIATIONS)
    lines = (Line(each["topic"], [each[name] for name in ("theirs", "ours", "reason")]) for each in found)
    headings = ("Topic", "The paper or its release", "Here", "Why")
    return Table([section("", headings, lines)], title="Deviations from the paper")


def reliability_table() -> Table:
    """Every campaign that was run, with the command that runs it again; `2,092 refused, 308 harmless` in short."""
    rows = []
    for path in sorted(CAMPAIGNS.glob("*.json")):
        found = shapes.read(dict, path)
        ends: Counter[str] = Counter()
        for name, count in found["counts"].items():
            ends[re.split(r" \(|,|:", name)[0]] += count
        said = ", ".join(f"{count:,} {name}" for name, count in ends.most_common())
        cells = (f"{found['attempts']:,}", said, str(found["findings_in_all"]), f"`{found['command']}`", found["code"])
        rows.append(Line(found["campaign"], cells))
    headings = ("Campaign", "Attempts", "What they were or how they ended", "Findings", "Command", "Run on commit")
    return Table([section("", headings, rows)])


def _body(table: Table) -> str:
    """The table without its heading."""
    return to_markdown(table).split("\n", 2)[2].strip()


def data_card(archive: Archive) -> str:
    """The card of the data set beside the results, without the head that an export has."""
    manifest = archive.manifest()
    return card(manifest, ()).strip() if manifest else "There is no data set yet."


SPECIAL: dict[str, Callable[[Archive], str]] = {
    "claims": lambda archive: _body(claim_table(archive)),
    "deviations": lambda _: _body(deviations_table()),
    "dependencies": lambda _: _body(dependencies_table()),
    "reliability": lambda _: _body(reliability_table()),
    "data-card": data_card,
}


def part(name: str, archive: Archive) -> str:
    """What stands between the markers of this name."""
    if name in SPECIAL:
        return SPECIAL[name](archive)
    made = make(chosen([name])[0], archive)
    if made.table is None:
        return made.missing
    return _body(made.table._replace(sections=made.table.sections[:1]) if name in SHORT else made.table)


def rewritten(text: str, archive: Archive, name: str = "the file") -> str:
    """The text with every marked part made anew; `<!-- claims:begin -->` and `<!-- claims:end -->` mark one."""
    marks = _MARK.findall(text)
    if not marks:
        raise InputError(f"{name}: no markers are there, such as <!-- claims:begin --> and <!-- claims:end -->")
    if marks != [(part, kind) for part, _ in marks[::2] for kind in ("begin", "end")]:
        raise InputError(f"{name}: a marker of a beginning and one of an end of the same name do not stand in turn")
    return _MARKED.sub(lambda found: f"{found[1]}\n{part(found[2], archive)}\n{found[3]}", text)


def rewritten_files(paths: Sequence[Path], archive: Archive) -> dict[Path, str]:
    """The texts of all files, to be written; one without proper markers is refused."""
    return {path: rewritten(artifacts.read_text(path), archive, str(path)) for path in paths}
