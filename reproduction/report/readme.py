"""The parts of README and docs that are made, not typed: what stands between two markers is rewritten."""

import re
from collections.abc import Sequence
from pathlib import Path

from .. import artifacts
from ..errors import InputError
from .dependencies import dependencies_table
from .deviations import deviations_table
from .reliability import reliability_table
from .results import Archive
from .tables.ablation_claim import claim_sentence
from .tables.fingerprints import fingerprint_table
from .tables.formats import Table, to_markdown
from .tables.search_words import search_sentence
from .tables.tables import headline_table, table_3, table_4
from .verdicts import claim_table


def _without_heading(table: Table) -> str:
    return to_markdown(table).split("\n", 2)[2].strip()


def _first_section(table: Table) -> str:
    return _without_heading(table._replace(sections=table.sections[:1]))


NO_ABLATION = "Whether Adam is best is not decided yet: `./run_all.sh ablation` compares the optimizers."
NO_SEARCH = "The paper's space is not searched yet: `./run_all.sh search` does it."

PARTS = {
    "claims": lambda archive: _without_heading(claim_table(archive)),
    "headline": lambda archive: _without_heading(headline_table(archive)),
    "table-3": lambda archive: _first_section(table_3(archive)),
    "table-4": lambda archive: _first_section(table_4(archive)),
    "fingerprints": lambda archive: _without_heading(fingerprint_table(archive)),
    "adam": lambda archive: claim_sentence(archive.ablations) or NO_ABLATION,
    "search": lambda archive: search_sentence(archive.searches) or NO_SEARCH,
    "deviations": lambda archive: _without_heading(deviations_table()),
    "dependencies": lambda archive: _without_heading(dependencies_table()),
    "reliability": lambda archive: _without_heading(reliability_table()),
}
DOCS = ("details", "deviations", "dependencies", "reliability")
FILES = tuple(artifacts.ROOT / name for name in ("README.md", *(f"docs/{name}.md" for name in DOCS)))


def rewritten(text: str, archive: Archive, name: str = "the file") -> str:
    """The text with every marked part made anew; `<!-- claims:begin -->` and `<!-- claims:end -->` mark one."""
    for part, make in PARTS.items():
        begin, end = f"<!-- {part}:begin -->", f"<!-- {part}:end -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        found = re.findall(f"{re.escape(begin)}|{re.escape(end)}", text)
        if (begin in found) != (end in found):
            raise InputError(f"{name}: of the markers {begin} and {end} only one is there")
        if found != [begin, end] * (len(found) // 2):
            raise InputError(f"{name}: the markers {begin} and {end} do not stand in turn, that of the beginning first")
        if found:
            replacement = f"{begin}\n{make(archive)}\n{end}"
            text = pattern.sub(lambda match, new=replacement: new, text)
    if not any(f"<!-- {part}:begin -->" in text for part in PARTS):
        raise InputError(f"{name}: no markers are there (allowed parts: {', '.join(PARTS)}; <!-- claims:begin --> …)")
    return text


def rewritten_files(paths: Sequence[Path], archive: Archive) -> dict[Path, str]:
    """The texts of all files, to be written; one without proper markers is refused."""
    return {path: rewritten(artifacts.read_text(path), archive, str(path)) for path in paths}
