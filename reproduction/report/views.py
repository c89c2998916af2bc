"""Tables as data: which rows of a study, a line per value of a key, a column per number, mean ± std over seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..measures import ACCURACY, Measure
from ..models import MODELS
from ..rows import Row, distinct, select
from .claims import Cell, beside_papers, summarise
from .formats import PAPER, Column, Line, Table, section
from .results import DEV_CHOSEN, OURS, Archive, score


@dataclass(frozen=True)
class Number:
    """A column: a measure of the rows with these coordinates."""

    title: str
    measure: Measure | str = ACCURACY
    where: Mapping[str, Any] = field(default_factory=dict)
    decimals: int | None = None  # None for those of the measure
    source: str = PAPER  # of the number beside ours

    @property
    def name(self) -> str:
        return self.measure if isinstance(self.measure, str) else self.measure.name

    @property
    def column(self) -> Column:
        own = 2 if isinstance(self.measure, str) else self.measure.decimals
        return Column(self.title, own if self.decimals is None else self.decimals, self.source)


@dataclass(frozen=True)
class View:
    """A table of a study's rows. Columns are numbers, or a key: every value of it gets one, of the measure `value`."""

    index: str
    columns: Sequence[Number] | str
    study: str = OURS  # "" for all approaches of the paper's tables under a protocol
    value: Measure | str = ACCURACY
    lines: Mapping[Any, str] | None = None  # what is shown of the index and how it is called; None for all there is
    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"": {}})  # by title the coordinates
    where: Mapping[str, Any] = field(default_factory=dict)  # of all rows
    groups: Mapping[Any, int] = field(default_factory=dict)  # of lines; those of different groups stand apart
    beyond: int | None = None  # the group from which on the paper has no numbers
    paper: bool = False  # whether the paper's numbers stand beside ours
    notes: tuple[str, ...] = ()


def seeds_of(rows: Iterable[Row], name: str, where: str, choice: str = DEV_CHOSEN) -> dict[int, float]:
    """A measure by seed; two rows of one seed would be mixed, so they are refused."""
    found: dict[int, float] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        value = score(row, name, choice)
        if value is None:
            continue
        if row["seed"] in found:
            raise InputError(f"{where}: seed {row['seed']} has several rows; name more coordinates to tell them apart")
        found[row["seed"]] = value
    return found


def _rows(view: View, archive: Archive) -> Sequence[Row]:
    return select(archive.rows(view.study) if view.study else archive.scored, **view.where)


def _cell(view: View, archive: Archive, coordinates: Mapping[str, Any], number: Number) -> Cell:
    here = {**coordinates, **number.where}
    choice, place = here.pop("choice", DEV_CHOSEN), f"{view.study or archive.protocol}, {number.title}"
    ours = summarise(seeds_of(select(_rows(view, archive), **here), number.name, place, choice))
    if not view.paper or not isinstance(number.measure, Measure):
        return Cell(ours=ours)
    where = {**view.where, **here}
    return beside_papers(archive, where.get("model", ""), where.get("split", ""), number.measure, ours)


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    """The values of a key, in the order of networks or else of rows."""
    found = [value for (value,) in distinct(rows, key) if value is not None]
    return sorted(found, key=list(MODELS).index) if key == "model" and set(found) <= set(MODELS) else found


def view_table(view: View, archive: Archive) -> Table | None:
    """The table; None where the study has no rows for it."""
    shown = [archive.under(where.get("protocol", archive.protocol)) for where in view.sections.values()]
    rows = [row for each in dict.fromkeys(shown) for row in _rows(view, each)]
    if not rows:
        return None
    columns = view.columns
    if isinstance(columns, str):
        columns = [Number(str(each), view.value, {columns: each}) for each in _values(rows, columns)]
    titles = {name: model.title for name, model in MODELS.items()} if view.index == "model" else {}
    lines = view.lines or {value: titles.get(value, str(value)) for value in _values(rows, view.index)}
    head = Column("Approach" if view.index == "model" else view.index.replace("_", " "))
    sections = []
    for here, (heading, where) in zip(shown, view.sections.items(), strict=True):
        own = {name: value for name, value in where.items() if name != "protocol"}
        body = (
            Line(text, [_cell(view, here, {**own, view.index: key}, each) for each in columns], view.groups.get(key, 0))
            for key, text in lines.items()
        )
        sections.append(section(heading, (head, *(number.column for number in columns)), body, view.beyond))
    return Table(sections, view.notes)
