"""figures/report.html: one page with everything in it, from the results and the figures, the same bytes each time."""

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ..language.mathml import to_mathml
from ..models import MODELS
from ..rows import Row
from ..training.configuration import make_configuration
from .comparison import Cell
from .formats import MARKS, Column, Table, ours_text, rows_to_csv, signed, to_csv, with_seeds
from .outputs.ablation import claim_sentence
from .outputs.data_study import conditions, verdict
from .outputs.ladder import sentence
from .outputs.search import search_sentence
from .outputs.verdicts import (
    RULE,
    SYMBOLS,
    all_verdicts,
    evidence_sections,
    judged,
    paragraphs,
    verdict_table,
    verdicts,
)  # fmt: skip
from .readme import deviations_table
from .registry import FOLDED, SECTIONS, Made, chosen, make
from .results import Archive, settings_of

CLASSES = {word: word.replace(" ", "-").replace(",", "") for word in SYMBOLS}
NOT_SETTINGS = ("model", "split", "seed")
SECOND_SHOWN = ("table-3", "table-4")  # of the second benchmark, below its verdicts


class Shown(NamedTuple):
    """An output on the page: a table, or a picture as a data URI; its numbers as a link."""

    name: str
    title: str
    caption: str
    table: Table | None
    image: str | None
    data: str | None
    folded: bool


class Part(NamedTuple):
    """A question, what there is to say to it in a sentence, and the outputs that answer it."""

    name: str
    question: str
    sentence: str
    outputs: list[Shown]
    left_out: list[Made]
    folded: bool


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


def shown(made: Made, directory: Path) -> Shown:
    """An output for the page; pictures are read back as the PNG files that lie in the directory."""
    output = made.output
    if made.table:
        table = with_seeds(made.table)
        return Shown(output.name, table.title, "", table, None, csv_uri(to_csv(table)), output.folded)
    image = data_uri("image/png", (directory / f"{output.name}.png").read_bytes())
    data = csv_uri(rows_to_csv(made.drawing.data)) if made.drawing and made.drawing.data else None
    caption = made.drawing.caption if made.drawing else ""
    return Shown(output.name, output.title, caption, None, image, data, output.folded)


def _sentences(archive: Archive) -> dict[str, str]:
    """What the studies say, by the section that they stand in."""
    found = conditions(archive)
    said = verdict(found) if found else ()
    return {
        "data": " ".join(dict.fromkeys((said[0], said[-1]))) if said else "",
        "depth": sentence(archive, "extrapolate-4"),
        "optimizers": claim_sentence(archive) or "",
        "search": search_sentence(archive) or "",
    }


def parts(archive: Archive, made: Sequence[Made], directory: Path) -> list[Part]:
    """The sections of the page in their order; the verdicts stand above all of them."""
    sentences, found = _sentences(archive), []
    for name, question in SECTIONS.items():
        here = [each for each in made if each.output.section == name and each.output.name != "verdicts"]
        there = [shown(each, directory) for each in here if each.is_there]
        missing = [each for each in here if not each.is_there and each.output.needs and each.missing]
        if there or missing:
            found.append(Part(name, question, sentences.get(name, ""), there, missing, name in FOLDED))
    return found


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
    first = found[0] if found else {}
    alike = {name: value for name, value in first.items() if all(each[name] == value for each in found)}
    return {name: value for name, value in alike.items() if name not in NOT_SETTINGS}


def _second(archive: Archive | None) -> list[Table]:
    """What the page shows of the second benchmark: its verdicts, and Tables 3 and 4."""
    if archive is None:
        return []
    tables = (make(each, archive).table for each in chosen(SECOND_SHOWN))
    return [with_seeds(table) for table in (verdict_table(archive), *tables) if table]


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("reproduction.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"formatted": formatted}
    environment.tests["number_cell"] = lambda cell: isinstance(cell, Cell)
    environment.globals["cell_parts"] = cell_parts
    return environment


def render(archive: Archive, made: Sequence[Made], directory: Path) -> str:
    """The page."""
    first = all_verdicts(archive.under(archive.protocols[0]))
    table = verdict_table(archive).sections[0]
    _, *more = judged(archive).values()
    template = _environment().get_template("report.html.j2")
    return template.render(
        own_axioms=archive.own_axioms,
        headings=[column.title for column in table.columns],
        claims=[(each, row, others) for each, row, *others in zip(first, table.rows, *more, strict=True)],
        counts=Counter(verdict.word for verdict in first),
        symbols=SYMBOLS,
        classes=CLASSES,
        evidence=evidence_sections(archive),
        verdicts_csv=csv_uri(to_csv(verdicts(archive))),
        rule=RULE,
        paragraphs=paragraphs(archive),
        parts=parts(archive, made, directory),
        deviations=deviations_table(),
        facts=run_facts(archive),
        second=_second(archive.second),
    )
