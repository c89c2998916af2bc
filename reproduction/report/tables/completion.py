"""The second task as tables: the numbers behind Figure 3, ours beside the poster's."""

from ... import paper
from ...completion.store import PERFECT, RANDOM, Completion
from ...data.dataset import GENERALIZATION, SPLIT_TITLES
from ...models import MODELS
from ..comparison import Cell, Summary
from ..completion import curve, numeric_rows, reciprocal_ranks, symbolic_rows
from ..figures.completion import REFERENCES, by_model
from ..figures.completion_examples import example_tables
from ..results import Archive
from .formats import POSTER, Block, Column, Row, Table

KS = (1, 2, 5, 10)
MODEL_ROWS, REFERENCE_ROWS = 0, 1  # groups of rows: the second one is beyond the paper


def _cells(summaries: list[Summary], poster: tuple[float, ...] = ()) -> tuple[Cell, ...]:
    return tuple(Cell(poster[k - 1] if poster else None, summaries[k - 1], None) for k in KS)


def _accuracy_row(name: str, found: tuple[Completion, ...], ranking: str | None, poster=()) -> Row:
    rows = symbolic_rows(found, ranking)
    cells = (*_cells(curve(rows), poster), Cell(None, reciprocal_ranks(rows), None))
    return Row(name, cells, REFERENCE_ROWS if ranking else MODEL_ROWS)


def _accuracy_block(archive: Archive, split: str) -> Block:
    """A row a model, then the rankings without a network."""
    models = by_model(archive, split)
    rows = [
        _accuracy_row(
            MODELS[model].title, found, None, paper.POSTER_COMPLETION[model] if split == GENERALIZATION else ()
        )
        for model, found in models.items()
    ]
    longest = max(models.values(), key=len)
    rows += [_accuracy_row(name, longest, ranking) for ranking, (name, _) in REFERENCES.items()]
    columns = (Column("Ranking"), *(Column(f"top-{k}", source=POSTER) for k in KS), Column("mean reciprocal rank", 3))
    return Block(f"Symbolic equations, {SPLIT_TITLES[split]}", columns, tuple(rows), REFERENCE_ROWS)


def _error_block(archive: Archive) -> Block | None:
    """The top-k minimum error of the models that evaluate functions."""
    models = {model: found for model, found in by_model(archive, GENERALIZATION).items() if numeric_rows(found)}
    if not models:
        return None
    rows = [
        Row(MODELS[model].title, _cells(curve(numeric_rows(found), "top_k_mse")), MODEL_ROWS)
        for model, found in models.items()
    ]
    longest = max(models.values(), key=len)
    for ranking, name in ((PERFECT, "exact values"), (RANDOM, REFERENCES[RANDOM][0])):
        rows.append(Row(name, _cells(curve(numeric_rows(longest, ranking), "top_k_mse")), REFERENCE_ROWS))
    columns = (Column("Ranking"), *(Column(f"top-{k} MSE", 4) for k in KS))
    return Block("Function evaluations, random split", columns, tuple(rows), REFERENCE_ROWS)


def completion_tables(archive: Archive) -> tuple[Table, ...]:
    """The scores, and Figures 4a and 4b; nothing while no run has been scored."""
    blocks = [_accuracy_block(archive, split) for split in SPLIT_TITLES if by_model(archive, split)]
    if not blocks:
        return ()
    errors = _error_block(archive)
    notes = (
        "Share of blanks with a correct candidate among the first k, in per cent, mean ± standard deviation over "
        "seeds; in brackets what the authors' poster shows, read off its curves, and the difference. Candidates that "
        "leave the equation undefined are not ranked.",
        "MSE: squared distance between the number that was removed and the closest of the first k.",
    )
    title = "Figure 3 in numbers. Equation completion"
    scores = Table("figure-3", title, (*blocks, errors) if errors else tuple(blocks), notes)
    return (scores, *example_tables(archive))
