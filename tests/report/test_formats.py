"""Tables as Markdown, CSV and LaTeX, and what stands between the markers of README and docs."""

import csv
import io
import re
import sys
from itertools import product

import pytest
from support import made_up_rows

from reproduction import artifacts, paper
from reproduction.__main__ import main
from reproduction.models import paper_models
from reproduction.report import formats
from reproduction.report.claims import Cell, Summary
from reproduction.report.formats import Column, Line, Table, cell_text, section, to_csv, to_latex, to_markdown
from reproduction.report.outputs.verdicts import verdict_table
from reproduction.report.page import dependencies_table, deviations_table, rewritten
from reproduction.report.registry import chosen, make
from reproduction.report.results import Archive, read_archive


@pytest.fixture(scope="module")
def full(made_up):
    return read_archive(made_up)


def shown(name: str, archive: Archive) -> Table:
    return make(chosen([name])[0], archive).table


def lines_of(table: Table) -> list[dict]:
    return list(csv.DictReader(io.StringIO(to_csv(table))))


def report(runs, out, *files) -> int:
    words = ["report", "table-1", "--runs", runs, "--out", out, "--readme", *files]
    return main([*map(str, words)])


def test_a_cell_says_ours_the_papers_the_difference_and_whether_it_is_close():
    for cell, text in (
        (Cell(97.2, Summary(97.12, 0.2, 5), 1.0), "97.12 ± 0.20 (97.20, −0.08 ✓)"),
        (Cell(97.2, Summary(95.0, None, 1), 1.0), "95.00 ± – (97.20, −2.20 ▼)"),
        (Cell(ours=Summary(-0.5, 1.0, 2)), "−0.50 ± 1.00"),
        (Cell(71.42, Summary(100.0, 0.0, 5)), "100.00 ± 0.00 (71.42, +28.58)"),
        (Cell(97.2, None, 1.0), "– (97.20)"),
        (Cell(), "–"),
    ):
        assert cell_text(cell, Column("Accuracy")) == text
        assert cell_text(cell, Column("Accuracy", source="poster")) == text.replace("(", "(poster ")


def test_seeds_are_told_where_they_differ():
    def made(*seeds):
        cells = tuple(Cell(None, Summary(90.0, 1.0, count), None) for count in seeds)
        return Table([section("", "abcd", [Line("r", cells)])])

    assert to_markdown(formats.with_seeds(made(5, 5, 5))).endswith("1.00 |\n\nSeeds behind each number: 5.\n")
    told = to_markdown(formats.with_seeds(made(5, 3, 5)))
    assert "| 90.00 ± 1.00 | 90.00 ± 1.00 [3] | 90.00 ± 1.00 |" in told and "each number: 5, or" in told
    assert "1.00 [3]" in to_latex(formats.with_seeds(made(5, 3, 5)))


def test_every_table_renders_in_every_format(full):
    tables = [table for output in chosen([]) if output.kind == "table" and (table := make(output, full).table)]
    assert len(tables) >= 12
    for table in tables:
        lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
        separators = [index for index, line in enumerate(lines) if set(line) <= set("|-:")]
        for begin, end in zip(separators, [*(s - 1 for s in separators[1:]), len(lines)], strict=True):
            assert len({line.replace(r"\|", "").count("|") for line in lines[begin - 1 : end]}) == 1, table.title
        latex = to_latex(table)
        assert latex.count("{") == latex.count("}") and latex.count(r"\begin{") == latex.count(r"\end{")
        assert latex.isascii() and not re.search(r"(?<!\\)%", latex.removeprefix("%"))
        assert lines_of(table)


def test_tables_3_and_4_have_the_papers_numbers_beside_ours_and_the_sizes_above(full):
    markdown, other = (to_markdown(shown(name, full)) for name in ("table-3", "table-4"))
    for model, row in ((model, paper.TABLE_3[model.name]) for model in paper_models()):
        line = next(line for line in markdown.splitlines() if line.startswith(f"| {model.title} |"))
        assert all(f"({number:.2f}" in line for number in (row.accuracy, *row[2:]))
        assert row.mse is None or f"({row.mse:.3f}" in line
    assert all(f"({table['tree-lstm+data'].accuracy:.2f}" in other for table in paper.TABLE_4.values())
    depth_1 = [row for row in lines_of(shown("table-3", full)) if row["column"].startswith("depth 1")]
    assert depth_1 and {row["verdict"] for row in depth_1} == {""}  # noise is never judged
    sizes = shown("table-3", full).sections[0].rows[0].cells
    assert list(sizes) == ["100 (3,527)", "20 (401)", "– (7)", "40 (542)", "60 (2,416)", "– (563)"]


def test_one_seed_shows_no_spread_and_decides_nothing():
    archive = made_up_rows.archive_of(experiments=made_up_rows.trainings(1))
    said = to_markdown(shown("verdicts", archive))
    assert "± –" in to_markdown(shown("table-3", archive)) and "1 of 1" in said and "one seed" in said
    assert {row.cells[6] for row in verdict_table(archive).sections[0].rows} == {"… not decided yet"}


def test_the_csv_of_verdicts_has_a_line_a_comparison_choice_and_protocol(full):
    rows = lines_of(shown("verdicts", full))
    both = product(("dev-chosen", "best-on-test"), ("ours", "the paper's"))
    assert {(row["choice"], row["settings"]) for row in rows} == set(both)
    trees = [row for row in rows if row["claim"] == "trees-over-chains" and row["choice"] == "dev-chosen"]
    assert len(trees) == 2 * 16 and {row["seeds"] for row in trees} == {"5"}


def test_the_committed_tables_are_those_of_the_committed_rows():
    """Numbers are the same byte for byte; who changes how they are written makes them anew."""
    archive = read_archive(artifacts.ROOT / "runs")
    studies = ("table-data-study", "table-ladder", "table-protocol", "table-ablation-all", "table-search-all")
    for name in ("table-3", "table-4", "headline", "verdicts", "figure-3", "table-remedies", *studies):
        assert to_csv(shown(name, archive)) == artifacts.read_text(artifacts.ROOT / "figures" / f"{name}.csv"), name


def test_the_readme_is_rewritten_between_its_markers_only(full, made_up, tmp_path):
    text = "# Title\n<!-- claims:begin -->\nearlier\n<!-- claims:end -->\nkept\n"
    text += "<!-- deviations:begin --><!-- deviations:end -->\n<!-- table-4:begin --><!-- table-4:end -->\n"
    new = rewritten(text, full)
    assert "earlier" not in new and new.startswith("# Title\n") and "\nkept\n" in new
    first = deviations_table().sections[0].rows[0].name
    assert "Networks that follow the tree" in new and first in new and "1, 2, 3 → 4" in new
    assert rewritten(new, full) == new
    assert "study experiments" in rewritten("<!-- headline:begin --><!-- headline:end -->", Archive())
    (tmp_path / "README.md").write_text(text)
    assert report(made_up, tmp_path, tmp_path / "README.md") == 0
    assert (tmp_path / "README.md").read_text() == new


@pytest.mark.parametrize("name", ["deviations", "dependencies", "reliability", "data-card"])
def test_what_docs_lists_is_what_there_is(name):
    """These parts depend on no rows; `python -m reproduction report --readme` writes them anew."""
    text = artifacts.read_text(artifacts.ROOT / "docs" / f"{name}.md")
    assert rewritten(text, read_archive(artifacts.RUNS)) == text


def test_every_package_that_is_imported_is_listed_with_its_reason():
    rows = dependencies_table().sections[0].rows
    listed = {row.name.lower().replace("-", "_"): row.cells for row in rows}
    modules = {"flint": "python_flint", "PIL": "pillow"}
    sources = [path.read_text("utf-8") for path in (artifacts.ROOT / "reproduction").rglob("*.py")]
    found = {name for text in sources for name in re.findall(r"^\s*(?:from|import) ([A-Za-z]\w*)", text, re.MULTILINE)}
    standard = {*sys.stdlib_module_names, "tomllib"}  # which 3.10 has not yet
    imported = {modules.get(name, name).lower() for name in found - standard - {"reproduction"}}
    assert imported <= set(listed)
    assert all(reason for _, reason in listed.values())


def test_a_readme_without_proper_markers_is_refused_before_any_other_is_written(made_up, tmp_path):
    begin, end = "<!-- claims:begin -->", "<!-- claims:end -->"
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text(begin + end)
    for text in ("nothing here", f"{begin} and no end", end + begin, begin + begin + end + end):
        bad.write_text(text)
        assert report(made_up, tmp_path, good, bad) == 2
        assert good.read_text() == begin + end
