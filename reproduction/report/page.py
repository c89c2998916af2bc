"""figures/report.html: one page with everything in it, from the results and the figures, the same bytes each time."""

import base64
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ..language.mathml import to_mathml
from ..models import MODELS
from .comparison import Cell
from .deviations import deviations_table
from .figures.drawing import Picture
from .in_words import paragraphs
from .outputs import all_tables
from .results import Archive
from .tables.ablation_claim import claim_sentence
from .tables.formats import MARKS, Column, Table, ours_text, rows_to_csv, signed, to_csv, with_seeds
from .tables.tables import table_3, table_4
from .verdicts import (
    PROTOCOL,
    RULE,
    SYMBOLS,
    all_verdicts,
    evidence_table,
    protocol_evidence,
    protocol_verdicts,
    verdict_table,
    verdicts_csv,
)  # fmt: skip

NOT_SETTINGS = ("model", "split", "seed", "numbers", "data_fingerprint")
SECTIONS = ("overview", "figures", "completion", "studies", "sweeps")  # of figures
CLAIM_CLASSES = {word: word.replace(" ", "-") for word in SYMBOLS}


class Shown(NamedTuple):
    """A figure on the page: a drawing as a data URI and its numbers as a link, or the reason why there is none."""

    name: str
    title: str
    caption: str
    image: str | None
    data: str | None


def data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def csv_uri(text: str) -> str:
    return data_uri("text/csv;charset=utf-8", text.encode("utf-8"))


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


def cell_parts(cell: Cell, column: Column) -> dict[str, str]:
    """What a table cell shows: ours, the paper's with the difference and a mark, and the class that colours it."""
    beside, decimals = "", column.decimals
    if cell.paper is not None:
        difference = "" if cell.difference is None else f", {signed(cell.difference, decimals)}"
        beside = f"{column.source} {cell.paper:.{decimals}f}{difference} {MARKS[cell.closeness]}".strip()
    return {"ours": ours_text(cell, decimals), "beside": beside, "kind": cell.closeness or ""}


def shown(picture: Picture, directory: Path) -> Shown:
    (name, title, *_), drawing = picture
    if drawing is None:
        return Shown(name, title, picture.caption, None, None)
    image = data_uri("image/svg+xml", (directory / f"{name}.svg").read_bytes())
    return Shown(name, title, picture.caption, image, csv_uri(rows_to_csv(drawing.data)) if drawing.data else None)


def run_facts(archive: Archive) -> dict:
    """How it was run, from the files of the runs."""
    runs = archive.whole
    settings = {}
    for model in MODELS.values():
        configs = [run.config for run in runs if run.model == model.name]
        if configs:
            shared = {k: v for k, v in configs[0].items() if all(config.get(k) == v for config in configs)}
            settings[model.title] = {
                k: v for k, v in shared.items() if k not in NOT_SETTINGS and not isinstance(v, list)
            }
    return {
        "machine": archive.machine,
        "runs": len(archive.runs),
        "seeds": sorted({run.seed for run in runs}),
        "hours": sum(run.results.train_seconds for run in archive.runs) / 3600,
        "fingerprints": sorted({run.data_fingerprint for run in archive.runs}),
        "diverged": [run.directory.name for run in archive.runs if run.results.diverged],
        "settings": settings,
    }


def _second_benchmark(archive: Archive | None) -> tuple[Table, ...]:
    """What the page shows of the second benchmark: its verdicts, and Tables 3 and 4."""
    return tuple(with_seeds(make(archive)) for make in (verdict_table, table_3, table_4)) if archive else ()


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reproduction.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"formatted": formatted, "csv_uri": csv_uri}
    environment.tests["number_cell"] = lambda cell: isinstance(cell, Cell)
    environment.globals["cell_parts"] = cell_parts
    return environment


def render(archive: Archive, pictures: tuple[Picture, ...], directory: Path) -> str:
    """The page; pictures are read back as the SVG files that lie in the directory."""
    tables = {table.name: with_seeds(table) for table in all_tables(archive)}
    verdicts = all_verdicts(archive)
    figures = {
        section: [shown(each, directory) for each in pictures if each.plot.section == section] for section in SECTIONS
    }
    csv_files = {"verdicts": verdicts_csv(archive)} | {name: to_csv(table) for name, table in tables.items()}
    template = _environment().get_template("report.html.j2")
    return template.render(
        verdicts=verdicts,
        own_axioms=archive.own_axioms,
        verdict_rows=verdict_table(archive).sections[0].rows,
        verdict_counts=Counter(verdict.word for verdict in verdicts),
        symbols=SYMBOLS,
        classes=CLAIM_CLASSES,
        evidence=[evidence_table(verdict) for verdict in verdicts],
        protocol=PROTOCOL,
        protocol_verdicts=protocol_verdicts(archive),
        protocol_evidence=protocol_evidence(archive),
        rule=RULE,
        paragraphs=paragraphs(archive),
        tables=tables,
        downloads={f"{name}.csv": csv_uri(text) for name, text in csv_files.items()},
        **figures,
        adam=claim_sentence(archive.ablations),
        deviations=deviations_table(),
        remedies=archive.remedies,
        facts=run_facts(archive),
        second=_second_benchmark(archive.second),
        statistics=archive.statistics,
    )
