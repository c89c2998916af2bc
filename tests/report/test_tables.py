"""Tables as Markdown, CSV and LaTeX, complete, partial and without any results."""

import csv
import dataclasses
import io
import re
import sys
from types import SimpleNamespace

import pytest
from support import synthetic_runs

from reproduction import artifacts, paper
from reproduction.commands import tables as command
from reproduction.errors import InputError
from reproduction.language.grammar import BINARY, CONSTANTS, FUNCTIONS, TABLE_1_CONSTANTS, UNARY
from reproduction.models import MODELS
from reproduction.networks.optimizer_traits import PAPER_OPTIMIZERS
from reproduction.report.comparison import Cell, Summary
from reproduction.report.dependencies import read_dependencies
from reproduction.report.deviations import read_deviations
from reproduction.report.outputs import all_tables
from reproduction.report.readme import FILES, PARTS, rewritten, rewritten_files
from reproduction.report.results import Archive, read_archive
from reproduction.report.tables.formats import (
    POSTER,
    Column,
    Row,
    Section,
    Table,
    cell_text,
    to_csv,
    to_latex,
    to_markdown,
)
from reproduction.report.tables.tables import table_3, table_4
from reproduction.report.verdicts import verdict_table, verdicts_csv, verdicts_markdown

COLUMN = Column("Accuracy")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    synthetic_runs.write_archive(directory, synthetic_runs.tiny_dataset(4), seeds=5, fractions=())
    return directory


@pytest.fixture(scope="module")
def full(runs):
    return read_archive(runs)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return read_archive(tmp_path_factory.mktemp("empty"))


def test_a_cell_says_ours_the_papers_the_difference_and_whether_it_is_close():
    assert cell_text(Cell(97.2, Summary(97.12, 0.2, 5), 1.0), COLUMN) == "97.12 ± 0.20 (97.20, −0.08 ✓)"
    assert cell_text(Cell(97.2, Summary(95.0, None, 1), 1.0), COLUMN) == "95.00 ± – (97.20, −2.20 ▼)"
    assert cell_text(Cell(None, Summary(95.0, 1.0, 2), None), COLUMN) == "95.00 ± 1.00"
    assert cell_text(Cell(71.42, Summary(100.0, 0.0, 5), None), COLUMN) == "100.00 ± 0.00 (71.42, +28.58)"
    assert cell_text(Cell(97.2, None, 1.0), COLUMN) == "– (97.20)"
    assert cell_text(Cell(None, None, None), COLUMN) == "–"
    poster = Column("Accuracy", source=POSTER)
    assert cell_text(Cell(92.81, Summary(94.0, 1.0, 5), None), poster) == "94.00 ± 1.00 (poster 92.81, +1.19)"


def test_seeds_are_told_where_they_differ():
    def made(*seeds):
        cells = tuple(Cell(None, Summary(90.0, 1.0, count), None) for count in seeds)
        return Table("t", "T", (Section("", tuple(map(Column, "abcd")), (Row("r", cells),)),))

    assert "[" not in to_markdown(made(5, 5, 5))
    told = to_markdown(made(5, 3, 5))
    assert "| 90.00 ± 1.00 | 90.00 ± 1.00 [3] | 90.00 ± 1.00 |" in told
    assert "there are 5 seeds, or as many as stand in square brackets" in told
    assert "$ [3]" in to_latex(made(5, 3, 5))


@pytest.mark.parametrize("which", ["full", "empty"])
def test_every_table_renders_in_every_format(which, request):
    for table in all_tables(request.getfixturevalue(which)):
        lines = [line for line in to_markdown(table).splitlines() if line.startswith("|")]
        separators = [index for index, line in enumerate(lines) if set(line) <= set("|-:")]
        for begin, end in zip(separators, [*(s - 1 for s in separators[1:]), len(lines)], strict=True):
            widths = {line.replace(r"\|", "").count("|") for line in lines[begin - 1 : end]}
            assert len(widths) == 1, table.name
        latex = to_latex(table)
        assert latex.count("{") == latex.count("}")
        assert latex.count(r"\begin{") == latex.count(r"\end{")
        assert not re.search(r"(?<!\\)%", latex.removeprefix("%"))
        assert latex.isascii(), set(latex) - set(map(chr, range(128)))
        assert list(csv.reader(io.StringIO(to_csv(table))))


def test_every_number_of_tables_3_and_4_stands_beside_ours(full):
    markdown = to_markdown(table_3(full))
    for model in MODELS:
        row = paper.TABLE_3[model]
        line = next(line for line in markdown.splitlines() if line.startswith(f"| {MODELS[model].title} |"))
        assert all(f"({number:.2f}" in line for number in (row.accuracy, *row[2:]))
        assert row.mse is None or f"({row.mse:.3f}" in line
    markdown = to_markdown(table_4(full))
    for table in paper.TABLE_4.values():
        assert f"({table['tree-lstm+data'].accuracy:.2f}" in markdown


def test_depth_1_is_called_noise_and_never_judged(full):
    assert "depth 1 (noise)" in to_markdown(table_3(full))
    rows = [row for row in csv.DictReader(io.StringIO(to_csv(table_3(full)))) if row["column"].startswith("depth 1")]
    assert rows and all(row["verdict"] == "" for row in rows)


def test_both_ways_to_choose_the_epoch_and_both_splits_are_there(full):
    titles = [section.title for section in table_3(full).sections]
    assert titles == [
        "Random split, epoch chosen on dev",
        "Random split, best epoch on test, the paper's way",
        "Strict split, epoch chosen on dev",
        "Strict split, best epoch on test, the paper's way",
    ]


def test_without_results_the_papers_numbers_stand_alone_and_commands_are_named(empty):
    markdown = to_markdown(table_3(empty))
    assert "| TreeLSTM + data | – (97.20) | – (0.047) |" in markdown
    assert "python -m reproduction experiments" in markdown and "python -m reproduction baselines" in markdown
    assert "not decided yet" in verdicts_markdown(empty)
    assert not re.search(r"\d ±", verdicts_markdown(empty))


def test_one_seed_shows_no_spread_and_decides_nothing(tmp_path):
    synthetic_runs.write_archive(tmp_path, synthetic_runs.tiny_dataset(2), seeds=1, fractions=())
    archive = read_archive(tmp_path)
    assert "± –" in to_markdown(table_3(archive))
    verdicts = {row.cells[6] for row in verdict_table(archive).sections[0].rows}
    assert verdicts == {"… not decided yet"}
    assert "1 of 1" in verdicts_markdown(archive) and "one seed" in verdicts_markdown(archive)


def test_the_csv_of_verdicts_has_a_line_a_comparison_and_choice(full):
    rows = list(csv.DictReader(io.StringIO(verdicts_csv(full))))
    assert {row["choice"] for row in rows} == {"dev-chosen", "best-on-test"}
    trees = [row for row in rows if row["claim"] == "trees-over-chains" and row["choice"] == "dev-chosen"]
    assert len(trees) == 16 and {row["seeds"] for row in trees} == {"5"}


def test_table_1_and_table_5_are_the_grammar():
    unary = [name for row in paper.TABLE_1_UNARY for name in row]
    assert sorted(unary) == sorted(function.name for function in UNARY)
    assert tuple(function.name for function in BINARY) == paper.TABLE_1_BINARY
    terminals = [name for row in paper.TABLE_1_TERMINALS for name in row]
    assert sorted(terminals) == sorted([*TABLE_1_CONSTANTS, "x"])
    known = {*FUNCTIONS, *CONSTANTS, "=", "x", "y"}
    assert all(name in known for row in paper.TABLE_5 for name in row)


def test_the_papers_test_sizes_add_up():
    sizes = paper.TABLE_3_TEST_SIZES
    assert sum(paper.SYMBOLIC_BY_DEPTH.values()) == paper.SYMBOLIC_TOTAL
    assert sizes.depth_2 + sizes.depth_3 + sizes.depth_4 + 6 == sizes.accuracy  # depth 1 is printed as 7


def test_the_command_writes_the_same_bytes_again(runs, tmp_path):
    for name in ("a", "b"):
        assert command.run(SimpleNamespace(runs=runs, out=tmp_path / name, names=[], readme=None)) == 0
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("a", "b"))
    assert first == second
    for number in range(1, 6):
        assert {f"table-{number}.{suffix}" for suffix in ("md", "csv", "tex")} <= set(first)
    assert {"verdicts.md", "verdicts.csv"} <= set(first)


def test_the_readme_is_rewritten_between_its_markers_only(full, runs, tmp_path):
    text = "# Title\n<!-- claims:begin -->\nearlier\n<!-- claims:end -->\nkept\n"
    text += "<!-- deviations:begin --><!-- deviations:end -->\n"
    new = rewritten(text, full)
    assert "earlier" not in new and new.startswith("# Title\n") and "\nkept\n" in new
    assert "Networks that follow the tree" in new and read_deviations()[0].topic in new
    assert rewritten(new, full) == new
    artifacts.write_text(tmp_path / "README.md", text)
    command.run(SimpleNamespace(runs=runs, out=tmp_path, names=[], readme=[tmp_path / "README.md"]))
    assert (tmp_path / "README.md").read_text() == new


def test_the_readme_says_what_the_ablations_found_or_how_to_make_one(full):
    text = "<!-- adam:begin --><!-- adam:end -->"
    assert "`./run_all.sh ablation` compares the optimizers." in rewritten(text, full)
    adam_first = sorted(PAPER_OPTIMIZERS, key=lambda name: name != "adam")
    ablations = tuple(synthetic_runs.ablation_summary(model, adam_first) for model in ("rnn", "tree-nn"))
    said = rewritten(text, dataclasses.replace(full, ablations=ablations))
    assert "this holds here: Adam is best on dev for 2 of 2 networks (RNN, TreeNN)" in said


def test_every_part_has_its_markers_in_the_readme_or_in_docs():
    texts = "\n".join(map(artifacts.read_text, (*FILES, artifacts.ROOT / "docs" / "own-domain.md")))
    assert all(f"<!-- {part}:{side} -->" in texts for part in PARTS for side in ("begin", "end"))


@pytest.mark.parametrize("path", FILES[2:], ids=lambda path: path.name)
def test_what_docs_lists_is_what_there_is(path):
    """These parts do not depend on results; `python -m reproduction tables --readme` writes them anew."""
    text = artifacts.read_text(path)
    assert rewritten(text, Archive()) == text


def test_every_package_that_is_imported_is_listed_with_its_reason():
    listed = {each.name.lower().replace("-", "_"): each for each in read_dependencies()}
    modules = {"flint": "python_flint"}
    sources = [path.read_text("utf-8") for path in (artifacts.ROOT / "reproduction").rglob("*.py")]
    found = {name for text in sources for name in re.findall(r"^\s*(?:from|import) ([a-z]\w*)", text, re.MULTILINE)}
    standard = {*sys.stdlib_module_names, "tomllib"}  # which 3.10 has not yet
    imported = {modules.get(name, name).lower() for name in found - standard}
    assert imported <= set(listed)
    assert all(each.reason for each in listed.values())


def test_either_all_files_are_rewritten_or_none(full, tmp_path):
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text("<!-- adam:begin --><!-- adam:end -->")
    bad.write_text("nothing")
    with pytest.raises(InputError, match=r"bad\.md: no markers"):
        rewritten_files([good, bad], full)
    assert good.read_text() == "<!-- adam:begin --><!-- adam:end -->"


@pytest.mark.parametrize(
    "text",
    [
        "nothing here",
        "<!-- claims:begin --> and no end",
        "<!-- claims:end --> before <!-- claims:begin -->",
        "<!-- adam:begin --> <!-- adam:begin --> <!-- adam:end --> <!-- adam:end -->",
    ],
)
def test_a_readme_without_proper_markers_is_refused(text, full):
    with pytest.raises(InputError, match="marker"):
        rewritten(text, full)
