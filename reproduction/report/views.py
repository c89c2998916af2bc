"""Tables as data: which rows of a study, a line per value of a key, a column per number, mean ± std over seeds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..measures import ACCURACY, Measure
from ..models import MODELS
from ..rows import Row, select
from .comparison import TOLERANCES, Cell, paper_value, summarise
from .formats import PAPER, Column, Section, Table
from .formats import Row as Line
from .results import DEV_CHOSEN, OURS, Archive, score

HEADS = {"model": "Approach"}


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


def differences(better: Mapping[int, float], worse: Mapping[int, float]) -> dict[int, float]:
    """What the first is more than the second, within each seed that both have."""
    return {seed: better[seed] - worse[seed] for seed in better if seed in worse}


def _rows(view: View, archive: Archive) -> Sequence[Row]:
    return archive.rows(view.study) if view.study else archive.scored


def _cell(view: View, archive: Archive, coordinates: Mapping[str, Any], number: Number) -> Cell:
    here = {**view.where, **coordinates, **number.where}
    choice = here.pop("choice", DEV_CHOSEN)
    place = f"{view.study or archive.protocol}, {number.title}"
    ours = summarise(seeds_of(select(_rows(view, archive), **here), number.name, place, choice))
    if not view.paper or not isinstance(number.measure, Measure):
        return Cell(None, ours)
    split, measure = here.get("split", ""), number.measure
    reported = paper_value(archive, here.get("model", ""), split, measure)
    return Cell(reported, ours, TOLERANCES.get((split, measure)), measure.lower_is_better)


def _values(rows: Sequence[Row], key: str) -> list[Any]:
    """The values of a key, in the order of networks or else of rows."""
    found = list(dict.fromkeys(row[key] for row in rows if row.get(key) is not None))
    return sorted(found, key=list(MODELS).index) if key == "model" and set(found) <= set(MODELS) else found


def view_table(name: str, title: str, view: View, archive: Archive) -> Table | None:
    """The table; None where the study has no rows for it."""
    rows = select(_rows(view, archive), **view.where)
    if not rows:
        return None
    columns = view.columns
    if isinstance(columns, str):
        columns = [Number(str(each), view.value, {columns: each}) for each in _values(rows, columns)]
    titles = {name: model.title for name, model in MODELS.items()} if view.index == "model" else {}
    lines = view.lines or {value: titles.get(value, str(value)) for value in _values(rows, view.index)}
    head = Column(HEADS.get(view.index, view.index.replace("_", " ")))
    sections = []
    for heading, where in view.sections.items():
        own = dict(where)
        here = archive.under(own.pop("protocol", archive.protocol))
        body = []
        for value, text in lines.items():
            cells = tuple(_cell(view, here, {**own, view.index: value}, each) for each in columns)
            body.append(Line(text, cells, view.groups.get(value, 0)))
        sections.append(Section(heading, (head, *(number.column for number in columns)), tuple(body), view.beyond))
    return Table(name, title, tuple(sections), view.notes)
