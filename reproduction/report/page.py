"""figures/report.html: one page with everything in it, from the results and the figures, the same bytes each time."""

import base64
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ..language.printing import to_mathml
from ..models import MODELS
from ..rows import Row
from ..training.configuration import make_configuration
from .comparison import Cell
from .formats import Table, beside_text, ours_text, rows_to_csv, to_csv
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
)
from .readme import deviations_table
from .registry import FOLDED, SECTIONS, Made, chosen, make
from .results import Archive, settings_of

CLASSES = {word: word.replace(" ", "-").replace(",", "") for word in SYMBOLS}
NOT_SETTINGS = ("model", "split", "seed")
LARGEST_INSIDE = 30_000  # characters of a CSV file
SECOND_SHOWN = ("table-3", "table-4")  # of the second benchmark, below its verdicts


class Shown(NamedTuple):
    """An output on the page: a table, or a picture as a data URI; its numbers as a link."""

    made: Made
    image: str
    data: str


class Part(NamedTuple):
    """A question, what there is to say to it in a sentence, and the outputs that answer it."""

    name: str
    question: str
    sentence: str
    outputs: list[Shown]
    left_out: list[Made]
    folded: bool


def data_uri(content: bytes | str) -> str:
    """A picture, or a CSV file."""
    kind, plain = ("text/csv;charset=utf-8", content.encode()) if isinstance(content, str) else ("image/png", content)
    return f"data:{kind};base64,{base64.b64encode(plain).decode('ascii')}"


def csv_link(name: str, text: str) -> str:
    """Where a CSV file is had: a small one in the page itself, a large one beside it."""
    return data_uri(text) if len(text) <= LARGEST_INSIDE else f"{name}.csv"


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


def shown(made: Made, directory: Path) -> Shown:
    """An output for the page; pictures are read back as the PNG files that lie in the directory."""
    if made.table:
        return Shown(made, "", csv_link(made.output.name, to_csv(made.table)))
    image = data_uri((directory / f"{made.output.name}.png").read_bytes())
    data = made.drawing.data if made.drawing else ()
    return Shown(made, image, csv_link(made.output.name, rows_to_csv(data)) if data else "")


def parts(archive: Archive, made: Sequence[Made], directory: Path) -> list[Part]:
    """The sections of the page in their order, with what studies say; the verdicts stand above all of them."""
    said = verdict(conditions(archive)) if archive.rows("data-study") else ()
    sentences = {
        "data": " ".join(dict.fromkeys((said[0], said[-1]))) if said else "",
        "depth": sentence(archive, "extrapolate-4"),
        "optimizers": claim_sentence(archive) or "",
        "search": search_sentence(archive) or "",
    }
    found = []
    for name, question in SECTIONS.items():
        here = [each for each in made if each.output.section == name and each.output.name != "verdicts"]
        there = [shown(each, directory) for each in here if each.is_there]
        missing = [each for each in here if each.output.needs and each.missing]
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
    shared = [name for name in (found[0] if found else {}) if len({repr(each[name]) for each in found}) == 1]
    return {name: found[0][name] for name in shared if name not in NOT_SETTINGS}


def _second(archive: Archive | None) -> list[Table]:
    """What the page shows of the second benchmark: its verdicts, and Tables 3 and 4."""
    if archive is None:
        return []
    tables = (make(each, archive).table for each in chosen(SECOND_SHOWN))
    return [table for table in (verdict_table(archive), *tables) if table]


def render(archive: Archive, made: Sequence[Made], directory: Path) -> str:
    """The page."""
    environment = Environment(
        loader=PackageLoader("reproduction.report"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"formatted": formatted}
    environment.tests["number_cell"] = lambda cell: isinstance(cell, Cell)
    environment.globals |= {"ours_text": ours_text, "beside_text": beside_text}
    first = all_verdicts(archive.under(archive.protocols[0]))
    table = verdict_table(archive).sections[0]
    _, *more = judged(archive).values()
    return environment.get_template("report.html.j2").render(
        own_axioms=archive.own_axioms,
        headings=[column.title for column in table.columns],
        claims=[(each, row, others) for each, row, *others in zip(first, table.rows, *more, strict=True)],
        counts=Counter(verdict.word for verdict in first),
        symbols=SYMBOLS,
        classes=CLASSES,
        evidence=evidence_sections(archive),
        verdicts_csv=csv_link("verdicts", to_csv(verdicts(archive))),
        rule=RULE,
        paragraphs=paragraphs(archive),
        parts=parts(archive, made, directory),
        deviations=deviations_table(),
        facts=run_facts(archive),
        second=_second(archive.second),
    )
