"""What is written around tables and figures: figures/report.html with everything in it, and parts of README and docs.

The page is made from the results and the figures, the same bytes each time. In README and docs what stands between two
markers is made, not typed: every table under its name, and what is no result of a training.
"""

import base64
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from .. import artifacts, shapes
from ..data.export import card
from ..errors import InputError
from ..language.printing import to_mathml
from ..models import MODELS
from ..rows import Row
from ..training.configuration import make_configuration
from .claims import Cell
from .formats import Line, Table, beside_text, ours_text, rows_to_csv, section, to_csv, to_markdown
from .outputs import verdicts
from .outputs.ablation import claim_sentence
from .outputs.data_study import conditions, verdict
from .outputs.ladder import sentence
from .registry import FOLDED, SECTIONS, Made, chosen, make
from .results import Archive, settings_of

LARGEST_INSIDE = 30_000  # characters of a CSV file
SECOND_SHOWN = ("table-3", "table-4")  # of the second benchmark, below its verdicts

# ------------------------------------------------------------------------------------------------ the page


class Part(NamedTuple):
    """A question, what there is to say to it in a sentence, and the outputs that answer it."""

    name: str
    question: str
    sentence: str
    outputs: list[Made]
    left_out: list[Made]
    folded: bool


def data_uri(content: bytes | str) -> str:
    """A picture, or a CSV file."""
    kind, plain = ("text/csv;charset=utf-8", content.encode()) if isinstance(content, str) else ("image/png", content)
    return f"data:{kind};base64,{base64.b64encode(plain).decode('ascii')}"


def csv_link(name: str, text: str) -> str:
    """Where a CSV file is had: a small one in the page itself, a large one beside it."""
    return data_uri(text) if len(text) <= LARGEST_INSIDE else f"{name}.csv"


def numbers_link(made: Made) -> str:
    """Where the numbers of an output are had; nothing for a picture without any."""
    if made.table:
        return csv_link(made.output.name, to_csv(made.table))
    return csv_link(made.output.name, rows_to_csv(made.drawing.data)) if made.drawing and made.drawing.data else ""


def formatted(text: str) -> Markup:
    """Text of ours for the page: formulas between dollar signs as MathML, code between backticks."""
    pieces = []
    for index, part in enumerate(str(text).split("$")):
        if index % 2:
            pieces.append(Markup(to_mathml(part)))
            continue
        for position, plain in enumerate(part.split("`")):
            pieces.append(Markup("<code>{}</code>").format(plain) if position % 2 else escape(plain))
    return Markup("").join(pieces)


def parts(archive: Archive, made: Sequence[Made]) -> Iterator[Part]:
    """The sections of the page in their order, with what studies say; the verdicts stand above all of them."""
    sentences = {
        "data": verdict(conditions(archive)) if archive.rows("data-study") else "",
        "depth": sentence(archive, "extrapolate-4"),
        "optimizers": claim_sentence(archive) or "",
    }
    for name, question in SECTIONS.items():
        here = [each for each in made if each.output.section == name and each.output.name != "verdicts"]
        there = [each for each in here if each.is_there]
        missing = [each for each in here if each.output.needs and each.missing]
        if there or missing:
            yield Part(name, question, sentences.get(name, ""), there, missing, name in FOLDED)


def run_facts(archive: Archive) -> dict[str, Any]:
    """How it was run, from the rows."""
    rows = archive.rows(archive.protocol)
    return {
        "machine": archive.beside("machine.json"),
        "runs": len(rows),
        "seeds": sorted({row["seed"] for row in archive.whole}),
        "hours": sum(row.get("train_seconds", 0) for row in rows) / 3600,
        "fingerprints": sorted({row["data_fingerprint"] for row in rows if "data_fingerprint" in row}),
        "diverged": [f"{row['model']} {row['split']} {row['seed']}" for row in rows if row.get("diverged")],
        "settings": {model.title: _shared(archive.whole, model.name) for model in MODELS.values()},
    }


def _shared(rows: Sequence[Row], model: str) -> dict[str, Any]:
    """The settings that all trainings of a network have."""
    found = [
        make_configuration(row["model"], row["split"], row["seed"], **settings_of(row)).as_row()
        for row in rows
        if row["model"] == model
    ]
    names = [name for name in (found[0] if found else {}) if name not in ("model", "split", "seed")]
    return {name: found[0][name] for name in names if len({repr(each[name]) for each in found}) == 1}


def render(archive: Archive, made: Sequence[Made], directory: Path) -> str:
    """The page; pictures are read back as the PNG files that lie in the directory."""
    environment = Environment(
        loader=PackageLoader("reproduction.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"formatted": formatted, "numbers_link": numbers_link}
    environment.filters["image"] = lambda each: data_uri((directory / f"{each.output.name}.png").read_bytes())
    environment.tests["number_cell"] = lambda cell: isinstance(cell, Cell)
    environment.globals |= {"ours_text": ours_text, "beside_text": beside_text}
    first, second = verdicts.all_verdicts(archive.under(archive.protocols[0])), []
    if archive.second:
        tables = (make(each, archive.second).table for each in chosen(SECOND_SHOWN))
        second = [verdicts.verdict_table(archive.second), *filter(None, tables)]
    table = verdicts.verdict_table(archive).sections[0]
    _, *more = verdicts.judged(archive).values()
    return environment.get_template("report.html.j2").render(
        own_axioms=archive.own_axioms,
        headings=[column.title for column in table.columns],
        claims=[(each, row, others) for each, row, *others in zip(first, table.rows, *more, strict=True)],
        counts=Counter(verdict.word for verdict in first),
        symbols=verdicts.SYMBOLS,
        classes={word: word.replace(" ", "-").replace(",", "") for word in verdicts.SYMBOLS},
        evidence=verdicts.evidence_sections(archive),
        verdicts_csv=csv_link("verdicts", to_csv(verdicts.verdicts(archive))),
        rule=verdicts.RULE,
        paragraphs=verdicts.paragraphs(archive),
        parts=list(parts(archive, made)),
        deviations=deviations_table(),
        facts=run_facts(archive),
        second=second,
    )


# ------------------------------------------------------------------------------------------------ README and docs

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


def dependencies_table() -> Table:
    """Every package that is imported or run here, its version (for some versions of Python only), what it is for."""
    lines = []
    for name in REQUIREMENTS:
        text = _HASHED.sub(r"\2  # \1\n", artifacts.read_text(artifacts.ROOT / name))
        for found in filter(None, map(_LINE.fullmatch, text.partition(INDIRECT)[0].split("\n"))):
            package, version, python, reason = found.groups()
            only = f" (Python {python.strip().replace(chr(34), '')})" if python else ""
            lines.append(Line(package, (version + only, reason)))
    return Table([section("", ("Package", "Version", "Why"), lines)])


def deviations_table() -> Table:
    """A topic, what the paper or its release does, what we do, and the reason."""
    found = shapes.read(tuple[dict[str, str], ...], DEVIATIONS)
    lines = (Line(each["topic"], [each[name] for name in ("theirs", "ours", "reason")]) for each in found)
    headings = ("Topic", "The paper or its release", "Here", "Why")
    return Table([section("", headings, lines)], title="Deviations from the paper")


def reliability_table() -> Table:
    """Every campaign that was run, with the command that runs it again; `2,092 refused, 308 harmless` in short."""
    lines = []
    for path in sorted(CAMPAIGNS.glob("*.json")):
        found = shapes.read(dict, path)
        ends: Counter[str] = Counter()
        for name, count in found["counts"].items():
            ends[re.split(r" \(|,|:", name)[0]] += count
        said = ", ".join(f"{count:,} {name}" for name, count in ends.most_common())
        cells = (f"{found['attempts']:,}", said, str(found["findings_in_all"]), f"`{found['command']}`", found["code"])
        lines.append(Line(found["campaign"], cells))
    headings = ("Campaign", "Attempts", "What they were or how they ended", "Findings", "Command", "Run on commit")
    return Table([section("", headings, lines)])


def _body(table: Table) -> str:
    """The table without its heading."""
    return to_markdown(table).split("\n", 2)[2].strip()


def data_card(archive: Archive) -> str:
    """The card of the data set beside the results, without the head that an export has."""
    manifest = archive.manifest()
    return card(manifest, ()).strip() if manifest else "There is no data set yet."


SPECIAL: dict[str, Callable[[Archive], str]] = {
    "claims": lambda archive: _body(verdicts.claim_table(archive)),
    "deviations": lambda _: _body(deviations_table()),
    "dependencies": lambda _: _body(dependencies_table()),
    "reliability": lambda _: _body(reliability_table()),
    "data-card": data_card,
}


def _marked_part(name: str, archive: Archive) -> str:
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
    return _MARKED.sub(lambda found: f"{found[1]}\n{_marked_part(found[2], archive)}\n{found[3]}", text)


def rewritten_files(paths: Sequence[Path], archive: Archive) -> dict[Path, str]:
    """The texts of all files, to be written; one without proper markers is refused."""
    return {path: rewritten(artifacts.read_text(path), archive, str(path)) for path in paths}
