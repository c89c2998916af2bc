"""The study of the paper's own protocol in the report: as runs of its own, in columns, a table and a sentence."""

import csv
import io
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from support import synthetic_runs

from reproduction import artifacts
from reproduction.__main__ import main
from reproduction.commands import report as command
from reproduction.data.dataset import GENERALIZATION, SPLIT_NAMES, STRICT
from reproduction.errors import InputError
from reproduction.measures import ACCURACY, TOP_K, TOP_K_MSE
from reproduction.models import MODELS
from reproduction.report.claims import CLAIMS
from reproduction.report.comparison import REPRODUCED
from reproduction.report.in_words import paragraphs
from reproduction.report.outputs import all_tables
from reproduction.report.results import COMPLETION, read_archive
from reproduction.report.tables.formats import to_markdown
from reproduction.report.tables.protocol import protocol_table
from reproduction.report.tables.tables import headline_table, table_3, table_4
from reproduction.report.verdicts import (
    PROTOCOL,
    all_verdicts,
    claim_table,
    verdict_table,
    verdicts_csv,
    verdicts_markdown,
)
from reproduction.training.configuration import make_configuration
from reproduction.training.run_directory import BEST_ON_TEST, CHOICES


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    directory = tmp_path_factory.mktemp("runs")
    dataset = synthetic_runs.write_dataset(directory / "data", synthetic_runs.tiny_dataset(4), range(5))
    synthetic_runs.write_archive(directory, dataset, seeds=5, fractions=())
    synthetic_runs.write_protocol(directory, dataset)
    return directory


@pytest.fixture(scope="module")
def archive(runs):
    return read_archive(runs)


def test_the_runs_of_the_summary_are_those_that_were_made(archive):
    """The made-up runs of the study have the numbers of those beside it."""
    assert len(archive.protocol.runs) == len(MODELS) * len(SPLIT_NAMES) * 5
    for run in archive.protocol.runs:
        assert run.configuration == make_configuration(run.model, run.split, run.seed, "paper")
    for choice in CHOICES:
        for split in SPLIT_NAMES:
            here, there = (each.values("tree-nn+data", split, ACCURACY, choice) for each in (archive, archive.protocol))
            assert here and here == there
    filled = archive.protocol.values("tree-nn+data", COMPLETION, TOP_K[1])
    assert filled == pytest.approx(dict.fromkeys(range(5), 51.0))
    assert archive.protocol.values("tree-nn+data", COMPLETION, TOP_K_MSE[9])[4] == pytest.approx(0.21)
    assert not archive.completions and archive.protocol.baselines is archive.baselines


def test_tables_3_and_4_and_verdicts_are_made_of_it_as_of_any_runs(archive):
    for make in (table_3, table_4):
        assert make(archive.protocol) == make(archive)
    ours, at_protocol = (
        {verdict.claim.key: verdict.word for verdict in all_verdicts(each)} for each in (archive, archive.protocol)
    )
    decided = {key: word for key, word in ours.items() if not key.startswith("completion")}
    assert decided == {key: at_protocol[key] for key in decided}
    assert REPRODUCED in decided.values()


def test_claims_and_verdicts_have_a_column_where_it_was_studied(archive):
    without = replace(archive, protocol=None)
    for make in (claim_table, verdict_table):
        narrow, wide = (make(each).sections[0] for each in (without, archive))
        assert [column.title for column in wide.columns] == [*(column.title for column in narrow.columns), PROTOCOL]
        assert [row.cells[:-1] for row in wide.rows] == [row.cells for row in narrow.rows]
    assert claim_table(archive).sections[0].rows[0].cells[-1] == "✘ not reproduced (5 of 12)"
    column = [row.cells[-1] for row in claim_table(archive).sections[0].rows]
    words = [verdict.word for verdict in all_verdicts(archive.protocol)]
    assert [text.partition(" ")[2].rpartition(" (")[0] for text in column] == words
    assert words != [verdict.word for verdict in all_verdicts(archive)]  # which have filled no blanks
    assert PROTOCOL not in verdicts_markdown(without)
    assert verdicts_markdown(archive).count(f"### {PROTOCOL}: ") == len(CLAIMS)


def test_the_csv_of_verdicts_tells_the_settings(archive):
    rows = list(csv.DictReader(io.StringIO(verdicts_csv(archive))))
    counts = Counter(row["settings"] for row in rows)
    assert counts["ours"] == counts["the paper's"] == len(rows) / 2
    assert {row["settings"] for row in csv.DictReader(io.StringIO(verdicts_csv(replace(archive, protocol=None))))} == {
        "ours"
    }


def test_the_table_is_the_headline_with_the_strict_split_and_both_choices(archive):
    table = protocol_table(archive.protocol)
    assert [section.title for section in table.sections] == [
        "Epoch chosen on dev",
        "Best epoch on test, the paper's way",
    ]
    strict = 1
    for row, headline in zip(table.sections[0].rows, headline_table(archive.protocol).sections[0].rows, strict=True):
        assert row.cells[:strict] + row.cells[strict + 1 :] == headline.cells
    best = archive.protocol.values("tree-lstm+data", STRICT, ACCURACY, BEST_ON_TEST)
    assert table.sections[1].rows[0].cells[strict].ours.mean == pytest.approx(sum(best.values()) / 5)
    assert (
        "one equation at a time, hidden 50, Adam with a rate of 0.001, dropout 0.2, L2 1e-05, 100 epochs"
        in table.notes[0]
    )
    assert "They are one point of the paper's grid" in table.notes[0]


def test_a_trial_of_few_epochs_is_called_one_and_divergence_is_told(archive):
    first, *others = archive.protocol.runs
    short = replace(first, configuration=replace(first.configuration, epochs=1))
    short = replace(short, results=short.results._replace(diverged=1))
    notes = protocol_table(replace(archive.protocol, runs=(short, *others))).notes
    assert "one epoch, no averaging; the paper has other epochs: a trial, no result." in notes[0]
    assert notes[-1] == f"Diverged: {first.directory.name}."


def test_one_sentence_says_how_many_claims_hold_under_both(archive):
    found = {each.title: each.text for each in paragraphs(archive)}
    assert PROTOCOL not in {each.title for each in paragraphs(replace(archive, protocol=None))}
    (ours, theirs) = (Counter(verdict.word for verdict in all_verdicts(each)) for each in (archive, archive.protocol))
    assert found[PROTOCOL].startswith(f"The 9 claims at our settings: {ours[REPRODUCED]} reproduced, ")
    assert f"; at the paper's own: {theirs[REPRODUCED]} reproduced" in found[PROTOCOL]


def test_the_page_and_the_files_show_it_only_where_it_was_studied(runs, tmp_path):
    def page(directory):
        assert command.run(SimpleNamespace(runs=directory, out=tmp_path)) == 0
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    with_study = page(runs)
    assert '<section id="table-protocol">' in with_study and 'href="#protocol"' in with_study
    assert with_study.count("<details><summary>At the paper&#39;s own protocol: ") == len(CLAIMS)
    assert all((tmp_path / f"table-protocol.{suffix}").is_file() for suffix in ("md", "csv", "tex"))
    assert "`./run_all.sh table-protocol`" in (tmp_path / "README.md").read_text()


def test_the_second_benchmark_and_other_archives_without_it_have_no_column(archive, tmp_path):
    second = read_archive(tmp_path)
    assert second.protocol is None
    assert all("own protocol" not in to_markdown(table) for table in all_tables(replace(archive, protocol=None)))
    assert PROTOCOL not in to_markdown(verdict_table(second))


def test_a_partial_study_shows_what_it_has(tmp_path):
    dataset = synthetic_runs.write_dataset(tmp_path / "data", synthetic_runs.tiny_dataset(2), range(1))
    synthetic_runs.write_protocol(tmp_path, dataset, ("tree-nn",), (GENERALIZATION,), seeds=1)
    archive = read_archive(tmp_path)
    rows = {row.name: row.cells for row in protocol_table(archive.protocol).sections[0].rows}
    assert rows["TreeNN"][0].ours and not rows["TreeNN"][1].ours and not rows["RNN"][0].ours
    assert {verdict.word for verdict in all_verdicts(archive.protocol)} == {"not decided yet"}
    text = {each.title: each.text for each in paragraphs(archive)}[PROTOCOL]
    assert text == "The 9 claims at our settings: 9 not decided yet; at the paper's own: 9 not decided yet."


def _changed(content: dict, name: str, value) -> dict:
    return {**content, "rows": [{**content["rows"][0], name: value}, *content["rows"][1:]]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: {**content, "rows": 3}, "rows is '3', not a list"),
        (lambda content: {**content, "data_fingerprint": "another"}, "made with the data set another"),
        (lambda content: {**content, "settings": {"epochs": -1}}, "epochs -1 is out of range"),
        (lambda content: _changed(content, "model", "mlp"), "is 'mlp', not one of rnn"),
        (lambda content: _changed(content, "seed", "x"), "is 'x', not a whole number"),
        (lambda content: _changed(content, "results", {}), "results.dev is missing"),
        (lambda content: _changed(content, "completion", {"top_k": [1]}), "completion.top_k_mse is missing"),
        (lambda content: _changed(content, "split_checksum", "another"), "learned from another split"),
    ],
)
def test_a_summary_that_is_not_one_is_refused(tmp_path, change, said, capsys):
    synthetic_runs.write_dataset(tmp_path / "data", synthetic_runs.tiny_dataset(2), range(2))
    synthetic_runs.write_beside(tmp_path)
    path = tmp_path / artifacts.PROTOCOL
    artifacts.write_sealed(path, change(artifacts.read_json(path)))
    assert main(["tables", "verdicts", "--runs", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert said in error and artifacts.PROTOCOL in error and error.count("\n") == 1


def test_a_damaged_summary_is_refused(tmp_path):
    synthetic_runs.write_dataset(tmp_path / "data", synthetic_runs.tiny_dataset(2), range(2))
    synthetic_runs.write_beside(tmp_path)
    path = tmp_path / artifacts.PROTOCOL
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 0'))
    with pytest.raises(InputError, match=r"protocol\.json: damaged"):
        read_archive(tmp_path)
