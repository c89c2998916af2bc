"""Every table and figure in one list: what it is called, what it needs, how it is made, where it stands on the page.

A new one is a function below `@table(...)` or `@figure(...)`, or a view as data: `register(Output(...))`; here or in a
file that REPRODUCTION_EXTENSIONS names.
"""

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from .. import artifacts
from ..errors import InputError
from .drawing import Drawing, save, style
from .formats import WRITERS, Table, rows_to_csv, with_seeds
from .results import BASELINES, OURS, Archive
from .views import View, view_table

TABLE, FIGURE = "table", "figure"
SUFFIXES = {TABLE: tuple(WRITERS), FIGURE: ("png", "svg", "csv")}
# The sections of the page, each a question; those that are folded are opened by who wants them.
SECTIONS = {
    "results": "How near are the numbers?",
    "completion": "Are blanks filled as well?",
    "data": "Do function evaluations help?",
    "depth": "What is hard about it?",
    "optimizers": "Is Adam best?",
    "search": "Are the settings well chosen?",
    "networks": "What do the networks do?",
    "sympy": "What does Sympy do?",
    "dataset": "What are the data?",
    "run": "How was it run?",
    "others": "What else is there?",
}
FOLDED = ("optimizers", "search", "others")
DATA, STATISTICS, BENCHMARK, TEXTBOOK = "data", "data/statistics.json", "benchmark.json", "textbook.jsonl"
CONSISTENCY = "consistency.jsonl"
# What makes a result that an output needs and that is no study's.
MAKERS = {
    **dict.fromkeys((DATA, STATISTICS), "python -m reproduction generate"),
    BASELINES: "python -m reproduction baselines",
    BENCHMARK: "./run_all.sh benchmark",
    TEXTBOOK: "python -m reproduction score --only textbook",
    CONSISTENCY: "python -m reproduction score --only consistency",
}
Maker = Callable[[Archive], View | Table | Drawing | None]  # None: there is nothing to show


@dataclass(frozen=True)
class Output:
    """A table or figure; `make` is a view, or a function of the results."""

    name: str  # of its files
    title: str
    kind: str
    make: View | Maker
    needs: tuple[str, ...] = (OURS,)  # studies, or files beside their rows
    section: str = "others"
    folded: bool = False  # on the page

    def missing(self, archive: Archive) -> list[str]:
        """Which of its needs are not there; networks may be those of any protocol that tables show."""

        def is_there(need: str) -> bool:
            if need in MAKERS:
                return archive.has(need)
            return any(map(archive.rows, archive.protocols if need == OURS else (need,)))

        return [need for need in self.needs if not is_there(need)]


class Made(NamedTuple):
    """An output and what became of it: a table, a drawing, or the sentence that says what makes it."""

    output: Output
    table: Table | None = None
    drawing: Drawing | None = None
    missing: str = ""

    @property
    def is_there(self) -> bool:
        return bool(self.table or self.drawing)

    @property
    def title(self) -> str:
        return self.table.title if self.table else self.output.title


_OUTPUTS: dict[str, Output] = {}


def register(*outputs: Output) -> None:
    """Adds outputs to the list; a name that is taken is refused."""
    for output in outputs:
        if output.kind not in SUFFIXES or output.section not in SECTIONS:
            raise InputError(f"output {output.name}: kinds are {', '.join(SUFFIXES)}, sections {', '.join(SECTIONS)}")
        if _OUTPUTS.setdefault(output.name, output) != output:
            raise InputError(f"output {output.name}: there is one of this name already")


Function = TypeVar("Function", bound=Maker)


def _shown(
    kind: str, name: str, title: str, section: str, needs: Sequence[str] = (OURS,), folded: bool = False
) -> Callable[[Function], Function]:
    """Registers the function below it; without needs it is one of networks."""

    def registered(make: Function) -> Function:
        register(Output(name, title, kind, make, tuple(needs), section, folded))
        return make

    return registered


table, figure = partial(_shown, TABLE), partial(_shown, FIGURE)


def outputs() -> dict[str, Output]:
    """All of them by name, in the order of the page."""
    from . import outputs as package

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    order = list(SECTIONS)
    return {each.name: each for each in sorted(_OUTPUTS.values(), key=lambda each: order.index(each.section))}


def chosen(names: Sequence[str]) -> list[Output]:
    """The outputs of these names, all if there are none; an unknown one is refused."""
    known = outputs()
    for name in names:
        if name not in known:
            raise InputError(f"there is no table or figure {name!r}; there are {', '.join(known)}")
    return [known[name] for name in names or known]


def make(output: Output, archive: Archive) -> Made:
    """The table or the drawing; what is missing is said instead. Call it inside style()."""
    if not archive.rows(archive.protocol):
        archive = archive.under(archive.protocols[0])
    if missing := output.missing(archive):
        makers = dict.fromkeys(f"`{MAKERS.get(need, f'python -m reproduction study {need}')}`" for need in missing)
        return Made(output, missing=f"{' and '.join(makers)} makes what it needs.")
    found = output.make if isinstance(output.make, View) else output.make(archive)
    found = view_table(found, archive) if isinstance(found, View) else found
    if isinstance(found, Drawing):
        return Made(output, drawing=found)
    if found is None:
        return Made(output, missing="The results have nothing to show here.")
    return Made(output, with_seeds(found)._replace(title=found.title or output.title))


def write(output: Output, archive: Archive, directory: Path) -> Made:
    """Makes and writes an output; files of an old one that cannot be made any more are removed."""
    with style():
        made, path = make(output, archive), directory / output.name
        for suffix in SUFFIXES[output.kind]:  # an old one would pass for a new one
            path.with_name(f"{output.name}.{suffix}").unlink(missing_ok=True)
        if table := made.table:
            for suffix, render in WRITERS.items():
                artifacts.write_text(path.with_name(f"{output.name}.{suffix}"), render(table))
        if made.drawing:
            save(made.drawing.figure, path)
        if made.drawing and made.drawing.data:
            artifacts.write_text(path.with_name(f"{output.name}.csv"), rows_to_csv(made.drawing.data))
    return made


def index(made: Iterable[Made]) -> str:
    """figures/README.md: what there is, what each shows, and the command that makes it."""
    made = [each for each in made if each.is_there]
    benchmark = os.environ.get(artifacts.BENCHMARK)
    command = f"./run_all.sh{f' --recipe {benchmark}' if benchmark else ''}"
    kept = " Of the pictures two are kept here." if benchmark else ""
    about = f"`{command} report` makes all of them, `python -m reproduction report NAME…` some.{kept}"
    lines = ["# Tables and figures", "", about, ""]
    for kind, (suffix, *_) in SUFFIXES.items():
        lines += [f"| {kind.capitalize()} | What it shows |", "|---|---|"]
        for each in (each for each in made if each.output.kind == kind):
            caption = each.drawing and f"{'' if each.title.endswith('?') else '.'} {each.drawing.caption}"
            lines += [f"| [{each.output.name}]({each.output.name}.{suffix}) | {each.title}{caption or ''} |"]
        lines += [""]
    return "\n".join(lines)


def listed() -> str:
    """A line an output for programs: name, kind, needs, title, with tabs between."""
    lines = ((each.name, each.kind, ",".join(each.needs) or "-", each.title) for each in outputs().values())
    return "\n".join(map("\t".join, lines))
