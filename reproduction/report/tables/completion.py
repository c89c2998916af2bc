"""The second task as tables: the numbers behind Figure 3, ours beside the poster's."""

from ... import paper
from ...completion.store import Completion
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...models import MODELS
from ..comparison import Cell, Summary
from ..completion import (
    ERRORS,
    NUMERIC_REFERENCES,
    SYMBOLIC_REFERENCES,
    by_model,
    curve,
    error_models,
    longest,
    reciprocal_ranks,
)  # fmt: skip
from ..figures.completion_examples import example_tables
from ..results import Archive
from .formats import POSTER, Column, Row, Section, Table

KS = (1, 2, 5, 10)
MODEL_ROWS, REFERENCE_ROWS = 0, 1  # groups of rows: the second one is beyond the paper


def _cells(summaries: list[Summary], poster: tuple[float, ...] = ()) -> tuple[Cell, ...]:
    return tuple(Cell(poster[k - 1] if poster else None, summaries[k - 1], None) for k in KS)


def _accuracy_row(name: str, completions: tuple[Completion, ...], ranking: str | None, poster=()) -> Row:
    cells = _cells(curve(completions, ranking=ranking), poster)
    ranks = Cell(None, reciprocal_ranks(completions, ranking), None)
    return Row(name, (*cells, ranks), REFERENCE_ROWS if ranking else MODEL_ROWS)


def _accuracy_section(archive: Archive, split: str) -> Section:
    """A row a model, then the rankings without a network."""
    models = by_model(archive, split)
    posters = paper.POSTER_COMPLETION if split == GENERALIZATION and not archive.own_axioms else {}
    rows = [_accuracy_row(MODELS[model].title, models[model], None, posters.get(model, ())) for model in models]
    rows += [_accuracy_row(name, longest(models), ranking) for ranking, name in SYMBOLIC_REFERENCES.items()]
    columns = (Column("Ranking"), *(Column(f"top-{k}", source=POSTER) for k in KS), Column("mean reciprocal rank", 3))
    return Section(f"Symbolic equations, {SPLIT_TITLES[split]}", columns, tuple(rows), REFERENCE_ROWS)


def _error_sections(archive: Archive) -> tuple[Section, ...]:
    """The top-k minimum error of the models that evaluate functions, if any has been scored."""
    models = error_models(archive)
    if not models:
        return ()
    rows = [Row(MODELS[model].title, _cells(curve(models[model], ERRORS)), MODEL_ROWS) for model in models]
    for ranking, name in NUMERIC_REFERENCES.items():
        rows.append(Row(name, _cells(curve(longest(models), ERRORS, ranking)), REFERENCE_ROWS))
    columns = (Column("Ranking"), *(Column(f"top-{k} MSE", 4) for k in KS))
    return (Section("Function evaluations, random split", columns, tuple(rows), REFERENCE_ROWS),)


def completion_tables(archive: Archive) -> tuple[Table, ...]:
    """The scores, and Figures 4a and 4b; nothing while no run has been scored."""
    sections = [_accuracy_section(archive, split) for split in SPLIT_TITLES if by_model(archive, split)]
    if not sections:
        return ()
    notes = (
        "Share of blanks with a correct candidate among the first k, in per cent, mean ± standard deviation over "
        "seeds; in brackets what the authors' poster shows, read off its curves, and the difference. Candidates that "
        "leave the equation undefined are not ranked. Below the networks: rankings of the same blanks without one; "
        "most frequent first: by how often a candidate occurs in the training equations.",
        "MSE: squared distance between the number that was removed and the closest of the first k.",
    )
    title = "Figure 3 in numbers. Equation completion"
    return (Table("figure-3", title, (*sections, *_error_sections(archive)), notes), *example_tables(archive))
