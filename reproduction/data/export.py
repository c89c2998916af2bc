"""A data set for readers without this package: plain files for each split, a data card, Croissant metadata, a gallery.

The same data set gives the same bytes. croissant.json is written last: an export that has it is whole.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined

from .. import VERSION, artifacts
from ..errors import InputError
from ..language.expression import NUMBER, Equation
from ..language.grammar import CONSTANTS, FUNCTIONS
from ..language.printing import latex_equation, number_text, print_equation, to_mathml
from .dataset import PARTS, SPLIT_NAMES, SPLIT_TITLES, Dataset, Kind, Record, load, stored_seeds
from .manifest import RECORD_FILES, Manifest, read_manifest
from .splits import stored_split
from .writing import STATISTICS

Format = Literal["jsonl", "csv"]
FORMATS = get_args(Format)
CARD, CROISSANT, GALLERY, VOCABULARY = "README.md", "croissant.json", "gallery.html", "vocabulary.json"
BLANKS = "blanks"  # of a test part, in the directory of its split
SAMPLES = 4  # in the gallery, for each depth, label and origin


class Example(NamedTuple):
    """An equation as it is exported; `prefix` starts with "=" and is enough to build the tree."""

    id: str
    text: str
    prefix: tuple[str, ...]
    latex: str
    label: int  # 1 correct, 0 incorrect
    kind: Kind
    depth: int
    functions: tuple[str, ...]
    origin: str


FIELDS = {
    "id": "the name of the equation, s… symbolic or n… numeric; predictions refer to it",
    "text": "the equation as plain text",
    "prefix": 'its tree as tokens in prefix order, "=" first',
    "latex": "the equation in LaTeX, for math mode",
    "label": "1 correct, 0 incorrect",
    "kind": "symbolic; evaluation, a function's value with two decimals; decimal, a decimal number as a sum of powers",
    "depth": "edges from = to the deepest leaf; x = x has 1",
    "functions": "the distinct functions that occur",
    "origin": "the step that made the equation; says much about the label, so it is not an input",
}


def example_of(record: Record) -> Example:
    """A record as it is exported."""
    equation = record.equation
    forms = print_equation(equation), prefix_tokens(equation), latex_equation(equation)
    return Example(record.id, *forms, record.label, record.kind, record.depth, equation.functions(), record.origin)


def prefix_tokens(equation: Equation) -> tuple[str, ...]:
    """The nodes in prefix order; a number never looks like a constant (0.70 beside 0.7)."""
    nodes = equation.subexpressions()
    return ("=", *(number_text(node) if node.kind == NUMBER else node.symbol for node in nodes))


def _line(values: dict[str, Any] | tuple[str, ...], file_format: Format) -> str:
    """A row, or the first line with the names alone, in this format."""
    if file_format == "jsonl":
        return json.dumps(values, ensure_ascii=False) + "\n" if isinstance(values, dict) else ""
    cells, buffer = values.values() if isinstance(values, dict) else values, io.StringIO()
    row = [" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells]
    csv.writer(buffer, lineterminator="\n").writerow(row)
    return buffer.getvalue()


def write_export(
    data: Path,
    out: Path,
    file_format: Format = "jsonl",
    seeds: int | None = None,
    blanks: Callable[[Iterable[Record]], list[dict]] = lambda records: [],
) -> int:
    """Exports the data set of a directory, with the splits of the first seeds or all; returns how many files of rows.

    `blanks` makes the rows of blanks.jsonl, for those records that have a blank.
    """
    manifest, dataset = read_manifest(data), load(data)
    splits = [(name, seed) for name in SPLIT_NAMES for seed in stored_seeds(data, name)[:seeds]]
    if not splits:
        raise InputError(f"{data}: no splits are stored there (make them with `generate`)")
    _clear(out)
    lines = {name: _line(example_of(record)._asdict(), file_format) for name, record in dataset.by_id.items()}
    gaps = {row["id"]: _line(row, "jsonl") for row in blanks(dataset.symbolic)}
    head = _line(Example._fields, file_format)
    written = []
    for name, seed in splits:
        split = stored_split(dataset, data, name, seed)
        with_gap = tuple(identifier for identifier in split.test if identifier in gaps)
        for part, identifiers in {**split.as_row(), BLANKS: with_gap}.items():
            first, texts, ending = ("", gaps, "jsonl") if part == BLANKS else (head, lines, file_format)
            path = f"{name}/{seed}/{part}.{ending}"
            content = (first + "".join(map(texts.__getitem__, identifiers))).encode("utf-8")
            artifacts.write_bytes(out / path, content)
            row = {"name": path, "split": f"{name}-{seed}", "part": part, "rows": len(identifiers)}
            written.append({**row, "checksum": artifacts.checksum(content)})
    vocabulary = {  # how many arguments functions have, and the terminals; any other token is a decimal number
        "functions": {"=": 2} | {name: FUNCTIONS[name].arity for name in dataset.functions},
        "constants": list(CONSTANTS),
        "variables": [symbol for symbol in dataset.symbols if symbol not in CONSTANTS],
    }
    artifacts.write_json(out / VOCABULARY, vocabulary)
    artifacts.write_text(out / GALLERY, gallery(dataset, manifest))
    artifacts.write_text(out / CARD, card(manifest, [f"{name}-{seed}" for name, seed in splits], file_format))
    artifacts.write_text(out / CROISSANT, croissant(manifest, written, file_format))
    return len(written)


def _clear(out: Path) -> None:
    """Takes away an earlier export; a directory with anything else in it is refused."""
    there = artifacts.entries(out)
    if there and not any((out / name).exists() for name in (CROISSANT, *SPLIT_NAMES)):
        raise InputError(f"{out}: not empty, and no earlier export; name a new directory with --out")
    (out / CROISSANT).unlink(missing_ok=True)
    for name in SPLIT_NAMES:
        for path in [path for part in (*PARTS, BLANKS) for path in (out / name).glob(f"*/{part}.*")]:
            path.unlink()


def template(name: str, autoescape: bool = False, package: str = "reproduction.data"):
    """The template of this name in a package."""
    environment = Environment(
        loader=PackageLoader(package), autoescape=autoescape, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["mathml"] = to_mathml
    return environment.get_template(name)


def recipe_of(manifest: Manifest) -> str:
    """The name of the recipe, or "imported"."""
    return (manifest.made_with.get("recipe") or {}).get("name", "imported")


def card(manifest: Manifest, configs: Sequence[str], file_format: Format = "jsonl") -> str:
    """The data card, README.md of an export."""
    return template("card.md.j2").render(
        recipe=recipe_of(manifest),
        manifest=manifest,
        statistics=manifest.json(dict, STATISTICS),
        record_files=RECORD_FILES,
        configs=configs,
        format=file_format,
        parts=PARTS,
        fields=FIELDS,
        titles=SPLIT_TITLES,
    )


def gallery(dataset: Dataset, manifest: Manifest) -> str:
    """A page of samples by depth, label and origin."""
    groups: dict[tuple, list[Record]] = {}
    for record in dataset.symbolic + dataset.numeric:
        origin = record.origin.split(":")[0]
        groups.setdefault((record.kind == "symbolic", record.depth, origin, record.label), []).append(record)
    rows: dict[str, list[dict]] = {}
    for key, records in sorted(groups.items(), key=lambda each: (not each[0][0], each[0])):
        drawn = Random("gallery {} {} {} {}".format(*key)).sample(records, min(SAMPLES, len(records)))
        symbolic, depth, origin, label = key
        samples = [(record.id, latex_equation(record.equation)) for record in drawn]
        row = {"origin": origin, "label": label, "count": len(records), "samples": samples}
        rows.setdefault(f"{'Symbolic' if symbolic else 'Numeric'} equations of depth {depth}", []).append(row)
    page = template("gallery.html.j2", autoescape=True)
    return page.render(recipe=recipe_of(manifest), fingerprint=manifest.fingerprint, groups=rows)


def croissant(manifest: Manifest, files: Sequence[dict], file_format: Format) -> str:
    """Croissant 1.0 metadata: every file with its SHA-256, and the fields of its records."""
    return template("croissant.json.j2").render(
        name=f"equations-{recipe_of(manifest)}",
        version=VERSION,
        files=files,
        fields=FIELDS,
        numbers=("label", "depth"),
        lists=("prefix", "functions") if file_format == "jsonl" else (),
    )
